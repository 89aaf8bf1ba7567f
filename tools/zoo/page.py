"""The page docs/zoo.md: which mutant fails which cases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from fairplay.conformance.zoo.findings import Finding
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.conformance.zoo.registry import common_mutants, find_mutants
from fairplay.games.game import find
from tools.zoo.trying import Row, Task

PAGE = Path(__file__).parents[2] / "docs" / "zoo.md"
HEAD = """\
# The zoo

<!-- Made by `make zoo` from what the suite finds: change the mutants in the suite and the mutations of games. -->

The conformance suite is tested by mutants: players with exactly one defect each. Every mutant has to fail the cases
that name it, in **bold** below, and no case that is unrelated. Most mutations of play show in other cases, too; many
failing cases of one family are counted: `rules.whole-game.*` (9). For `rules.whole-games` one failing case is enough.

`make zoo` tries each mutant on the cases that name it, on those that failures are mostly held against, and on one in 24
of the others, which are different ones for each mutant and each `--seed`; `make zoo ARGS=--whole` on all cases. Rows
that are still right stay as they were found last.

`python -m fairplay.conformance.zoo GAME --list` lists the mutants of a game, and
`python -m fairplay.conformance.zoo GAME MUTANT` runs one where the environment of an exec: player says, for tests of
suites and servers.
"""
MANY = 3
UNTRIED = Finding([], [], [], [], [])
PROGRAMS = "What only a program can do"
ROW = re.compile(r"\| `([a-z0-9-]+)` \| .* \| (.*) \|")
NAMED = re.compile(r"\*\*`([^`]+)`\*\*")


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


def listed(text: str, title: str) -> dict[str, tuple[str, ...]]:
    """Return the mutants in the section of a title on a page, with the cases that name them."""
    section = text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return {match[1]: tuple(NAMED.findall(match[2])) for match in ROW.finditer(section)}


def with_kept_rows(made: str, before: str) -> str:
    """Return a page with the rows of an earlier one where the mutant, its sentence and its cases are the same.

    The earlier page may say more of the other cases, if the mutants were tried on more of them.
    """
    kept = dict(_keyed_lines(before))
    return "".join(f"{kept.get(key, line) if key else line}\n" for key, line in _keyed_lines(made))


def _keyed_lines(text: str) -> Iterator[tuple[Sequence[str], str]]:
    """Yield each line after what it is about: the title, the mutant, its sentence and its cases; () if no mutant."""
    title = ""
    for line in text.splitlines():
        title = line if line.startswith("#") else title
        match = ROW.fullmatch(line)
        yield (title, *line.split(" | ")[:2], *NAMED.findall(match[2])) if match else (), line


def is_outdated(text: str, tasks: Iterable[Task]) -> bool:
    """Return whether a page has other mutants than these, or names other cases. What else they fail may vary."""
    rows = [Row(task.game, task.mutant, UNTRIED) for task in tasks if task.mutant]
    titles = [*(find(name).title for name in {row.game: None for row in rows}), PROGRAMS]
    made = page(rows)
    return any(listed(text, title) != listed(made, title) for title in titles)
