"""The pytest plugin: `pytest --pyargs fairplay.conformance.cases --fairplay-game fish --fairplay-player SPEC`.

It is loaded by every pytest where Fairplay is installed, so it does nothing, and imports nothing, until it is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

SESSION = "fairplay-session"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options; `fairplay certify` gives the same ones."""
    group = parser.getgroup("fairplay", "certify a player of a Fairplay game")
    add = group.addoption
    add("--fairplay-game", metavar="GAME", help="the game whose player is certified")
    add("--fairplay-player", metavar="SPEC", help="how the player is reached, e.g. exec:./my-player")
    add("--fairplay-level", metavar="LEVEL", default="all", help="must, should or all (default)")
    add("--fairplay-only", metavar="PATTERN", default="", help="only the cases with these ids; * stands for anything")
    add("--fairplay-seed", metavar="N", type=int, default=1, help="the same seed, the same cases")
    add("--fairplay-limit", metavar="SECONDS", type=float, help="time for a call; default: the game's")
    add("--fairplay-first-limit", metavar="SECONDS", type=float, help="time for the first decision of a game")
    add("--fairplay-start-limit", metavar="SECONDS", type=float, default=10.0, help="time to come up")
    add("--fairplay-listen", metavar="HOST:PORT", default="127.0.0.1:0", help="where players can dial in")
    add("--fairplay-known-failures", metavar="FILE", default="", help="a file with ids of cases that are known to fail")
    add("--fairplay-report", metavar="DIR", help="write report.html, certificate.json, junit.xml and evidence here")
    add("--fairplay-certificate", metavar="FILE", help="write the certificate to this file")


def pytest_configure(config: pytest.Config) -> None:
    """Gets ready if a game is named."""
    if config.getoption("fairplay_game"):
        from fairplay.conformance.pytest_session import session_of

        config.pluginmanager.register(session_of(config), SESSION)
