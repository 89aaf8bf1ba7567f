"""Choosing cases by patterns and levels, the order in which they are judged, and the list of known failures."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from fairplay.certificate.patterns import matches
from fairplay.conformance.case import Case
from fairplay.games.conformance import Level, find_conformance
from fairplay.games.game import Game
from fairplay.games.kit.files import read_text

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


def read_known_failures(file: Path, case_ids: Collection[str]) -> frozenset[str]:
    """Return the ids in a file. Raises ValueError if it cannot be read or names an unknown case."""
    return read_all_known_failures(file, case_ids, [""])[""]


def read_all_known_failures(
    file: Path, case_ids: Collection[str], players: Collection[str]
) -> Mapping[str, frozenset[str]]:
    """Return the ids in a file for each player: those behind its name, and those without a name.

    Raises ValueError if it cannot be read, or names an unknown case or player.
    """
    try:
        lines = read_text(file).splitlines()
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from None
    found: dict[str, set[str]] = {name: set() for name in players}
    for words in filter(None, (line.partition("#")[0].split() for line in lines)):
        *before, case_id = words
        name = " ".join(before)
        if case_id not in case_ids:
            raise ValueError(f"{file} names {case_id!r}, and there is no such case{suggest(case_id, case_ids)}")
        if name and name not in found:
            raise ValueError(f"{file} names the player {name!r}, and there is none{suggest(name, players)}")
        for each in [name] if name else players:
            found[each].add(case_id)
    return {name: frozenset(ids) for name, ids in found.items()}
