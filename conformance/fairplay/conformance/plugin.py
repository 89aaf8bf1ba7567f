"""The pytest plugin: `pytest --pyargs fairplay.conformance.cases --fairplay-game fish --fairplay-player SPEC`.

Every pytest loads it where Fairplay is installed, so it does nothing, and imports next to nothing, until a game is
named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairplay.conformance.run.options import PYTEST_OPTIONS, is_duration, option_name

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the suite, with times in seconds."""
    add = parser.getgroup("fairplay", "certify a player of a Fairplay game").addoption
    add("--fairplay-game", metavar="GAME", help="the game whose player is certified")
    add("--fairplay-player", metavar="SPEC", default="", help="how the player is reached, e.g. exec:./my-player")
    for option in PYTEST_OPTIONS:
        add(
            f"--fairplay-{option_name(option)}",
            dest=f"fairplay_{option.name}",
            default=option.default,
            type=float if is_duration(option) else type(option.default),
            metavar="SECONDS" if is_duration(option) else option.metadata["metavar"],
            help=option.metadata["help"],
        )
    add("--fairplay-report", metavar="DIR", help="write report.html, certificate.json, junit.xml and evidence here")
    add("--fairplay-certificate", metavar="FILE", help="write the certificate to this file")


def pytest_configure(config: pytest.Config) -> None:
    """Prepare the run if a game is named."""
    if config.getoption("fairplay_game"):
        from fairplay.conformance.run.pytest_session import SESSION, make_session

        config.pluginmanager.register(make_session(config), SESSION)
