"""The table that a run of the zoo leaves: which mutant fails which cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from fairplay.conformance.zoo.mutants import Mutant
from fairplay.conformance.zoo.registry import common_mutants, find_mutants
from fairplay.games.game import find
from tools.zoo.findings import Finding
from tools.zoo.trying import Row

PAGE = Path(__file__).parents[2] / "build" / "zoo.md"
HEAD = """\
# Which mutant fails which cases

Made by `make zoo`; `docs/zoo.md` says what it is. The cases that name a mutant are in **bold**. Many failing cases of
one family are counted: `rules.whole-game.*` (9). For `rules.whole-games` one failing case is enough.
"""
MANY = 3
PROGRAMS = "What only a program can do"


def page(rows: Sequence[Row]) -> str:
    """Return the whole page."""
    lines, programs = [HEAD], list[Row]()
    for name, group in groupby(rows, key=lambda row: row.game):
        game, shared = find(name), {each.name for each in common_mutants(find(name))}
        tried_here = list(group)
        programs += [row for row in tried_here if _is_program(row)]
        objects = [row for row in tried_here if not _is_program(row)]
        lines.append(f"## {game.title}\n")
        lines += _table(
            f"### What a player of any game can do: {game.title}", [r for r in objects if r.mutant in shared]
        )
        lines += _table(f"### What breaks a rule of {game.title}", [r for r in objects if r.mutant not in shared])
    return "\n".join([*lines, *_table(f"## {PROGRAMS}", programs)])


def _is_program(row: Row) -> bool:
    return find_mutants(find(row.game))[row.mutant].program is not None


def _table(title: str, rows: Iterable[Row]) -> list[str]:
    lines = [_row(find_mutants(find(row.game))[row.mutant], row.found) for row in rows]
    return [f"{title}\n", "| mutant | what such a player does | caught by |", "|---|---|---|", *lines, ""]


def _row(each: Mutant, found: Finding) -> str:
    caught = ", ".join([*(f"**`{case_id}`**" for case_id in each.cases), *_others(each, found.caught_by)])
    return f"| `{each.name}` | {each.sentence.replace('|', chr(92) + '|')} | {caught} |"


def _others(each: Mutant, caught: Iterable[str]) -> Iterator[str]:
    """Yield the other cases, counting those of one family if they are many."""
    rest = [case_id for case_id in caught if case_id not in each.cases]
    families = Counter(map(_family, rest))
    for family, count in families.items():
        if count > MANY:
            yield f"`{family}.*` ({count})"
        else:
            yield from (f"`{case_id}`" for case_id in rest if _family(case_id) == family)


def _family(case_id: str) -> str:
    first, second, *rest = case_id.split(".")
    return f"{first}.{second}" if rest else first
