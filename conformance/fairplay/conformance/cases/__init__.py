"""The cases, in the order in which they are tried: from the most ordinary to the most unusual."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

from fairplay.conformance.case import Case
from fairplay.conformance.cases import (
    beside,
    calls,
    contract,
    copies,
    endings,
    enums,
    fresh,
    games,
    growth,
    identity,
    memory,
    pace,
    phases,
    probes,
    robustness,
    settings,
    states,
    time,
)
from fairplay.games.game import Game

MODULES: Sequence[ModuleType] = (
    contract,
    copies,
    enums,
    calls,
    games,
    states,
    settings,
    phases,
    time,
    pace,
    memory,
    beside,
    fresh,
    endings,
    probes,
    identity,
    growth,
    robustness,
)


def cases(game: Game) -> list[Case]:
    """Return all cases of a game. Raises ValueError if two of them have the same id."""
    found: list[Case] = [case for module in MODULES for case in module.cases(game)]
    ids = [case.id for case in found]
    twice = sorted({case_id for case_id in ids if ids.count(case_id) > 1})
    if twice:
        raise ValueError(f"there are two cases with the id {twice[0]}")
    return found
