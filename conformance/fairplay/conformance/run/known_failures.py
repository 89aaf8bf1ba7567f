"""The author's list of known failures: one case id on each line, behind the name of a player where there are several.

`#` begins a comment.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from fairplay.conformance.run.selection import suggest
from fairplay.games.kit.files import read_text


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
