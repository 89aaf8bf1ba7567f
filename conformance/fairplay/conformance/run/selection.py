"""Choosing cases by patterns and levels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from fairplay.certificate.patterns import matches
from fairplay.conformance.case import Case
from fairplay.games.conformance import Level

LEVELS = {"must": Level.MUST, "should": Level.SHOULD, "all": Level.MAY}
"""The names of levels in options. Each level includes the graver ones."""
_RANK = {level: rank for rank, level in enumerate(Level)}


def find_level(name: str) -> Level:
    """Return the level of this name. Raises ValueError if there is none."""
    if name not in LEVELS:
        raise ValueError(f"there is no level {name!r}: give must, should or all")
    return LEVELS[name]


def choose_cases(cases: Sequence[Case], level: Level, only: str = "") -> list[Case]:
    """Return the cases that match a pattern, down to a level. Raises ValueError if there are none."""
    found = [case for case in cases if not only or matches(case.id, only)]
    if not found:
        raise ValueError(f"no case matches {only!r}{suggest(only, [case.id for case in cases])}")
    within = [case for case in found if _RANK[case.level] <= _RANK[level]]
    if not within:
        raise ValueError(f"{only!r} is a {found[0].level}: give --level {found[0].level.lower()}")
    return within


def suggest(word: str, known: Iterable[str]) -> str:
    """Return the end of a sentence that suggests the most similar known ids, or "" if there are none."""
    close = get_close_matches(word, list(known), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(close)}?" if close else ""
