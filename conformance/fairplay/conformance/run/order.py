"""The order in which cases are judged: first those that tell much and cost little."""

from __future__ import annotations

from collections.abc import Iterable

from fairplay.conformance.case import Case
from fairplay.games.conformance import Level, find_conformance
from fairplay.games.game import Game

_RANK = {level: rank for rank, level in enumerate(Level)}


def ordered(game: Game, cases: Iterable[Case]) -> list[Case]:
    """Return cases in the order of judging, within which the order of declaration is kept.

    Graver levels come first; within a level, who the player is and the most ordinary game, then the probes, most of
    which ask for one decision, then the rest, and last what can be prepared while the others are judged.
    """
    first = ("contract.reachable", "contract.describes-itself", f"rules.whole-game.seat-0-of-{game.seats.start}")
    probes = {probe.id for probe in find_conformance(game.name).probes}

    def key(case: Case) -> tuple[int, int]:
        stages = (case.id in first, case.id in probes, case.prepare is None, True)
        return _RANK[case.level], stages.index(True)

    return sorted(cases, key=key)
