"""What the tests of the suite share: players with wrong methods, and runs of the suite on them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from fairplay.conformance.games.context import open_context
from fairplay.conformance.games.trial import CallLimits, Scenario, Trial
from fairplay.conformance.player.transports import make_transport
from fairplay.conformance.run.engine import run
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.report import Report
from fairplay.games.game import Game, find
from fairplay.player.handlers import describe

Method: TypeAlias = Callable[[Any], Any]
Wrong: TypeAlias = Callable[[Method, Any], Any]
"""Returns the wrong answer, from the sound method and its request."""

AMPLE_S = 5.0
LIMIT_S = 0.8
"""A limit that a hanging player may cost a test several times."""
SOUND_LIMIT_S = 30.0
"""A limit that a sound player keeps on any machine, however busy."""
FAIRPLAY = (sys.executable, "-m", "fairplay.terminal")
ROOT = Path(__file__).resolve().parents[2]


def player(**methods: Wrong) -> Any:
    """Return a reference player of Fish with wrong methods."""
    made: Any = find("fish").player("random")
    for name, wrong in methods.items():
        setattr(made, name, _instead(getattr(made, name, _default(made, name)), wrong))
    return made


def _instead(sound: Method, wrong: Wrong) -> Method:
    return lambda request: wrong(sound, request)


def _default(made: object, name: str) -> Method:
    def answer(_: Any) -> Any:
        from fairplay.v1.player_pb2 import DescribeResponse

        return DescribeResponse(description=describe(made)) if name == "describe" else None

    return answer


def judged(make: str | Callable[[], object], only: str = "", game: str = "fish", **more: Any) -> Report:
    """Return the report on players of a kind or link, with limits that a sound player keeps, and few drawn states."""
    limits = {"limit_s": SOUND_LIMIT_S, "first_limit_s": SOUND_LIMIT_S, "start_limit_s": SOUND_LIMIT_S}
    settings = {**limits, "examples": 15, **more}
    return run(Options(game, make, only=only, **settings))


def trial_of(
    game: Game, player: object, scenario: Scenario | None = None, seat: int = 0, count: int = 2, **more: Any
) -> Trial:
    """Return the game of a scenario, or an ordinary one, with this player; `more` are fields of the scenario."""
    transport = make_transport(game, lambda: player, listen="", start_limit_s=1.0)
    with open_context(game, transport, 0, CallLimits(AMPLE_S, AMPLE_S, AMPLE_S), 1) as context:
        return context.play((scenario or context.scenario(seat, count))._replace(**more))


def raises(sound: Method, request: Any) -> Any:
    raise RuntimeError("this player is broken")


def certify(*arguments: str, limit_s: float = 280.0) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    command = [*FAIRPLAY, "certify", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=limit_s, check=False, cwd=ROOT)


def again(case_id: str, history: str = "") -> str:
    """Return a text in the place of the command that judges a case again."""
    return "again!"
