"""Tries every player of the zoo on the whole suite, and writes docs/zoo.md: which fault is caught by which cases.

Run in .venv, in the root of the tree: python -m tools.zoo_table [GAME ...] [--check]
Some minutes on two cores. With --check nothing is written: the exit code says whether every fault was caught by the
cases that name it and by none that has nothing to do with it, and every reference player passed everything.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby, product
from pathlib import Path
from typing import NamedTuple

from fairplay.conformance.engine import run
from fairplay.conformance.options import Options
from fairplay.conformance.report import Report
from fairplay.conformance.zoo.effects import Symptom
from fairplay.conformance.zoo.findings import Finding, compare
from fairplay.conformance.zoo.mutant_player import MutantPlayer, in_this_process
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.conformance.zoo.registry import common_mutants, find_mutant, find_mutants
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game, find, registered

PAGE = Path(__file__).parent.parent / "docs" / "zoo.md"
HEAD = """\
# The zoo

<!-- Made by `make zoo` from what the suite finds: change the faults in conformance/zoo and games/GAME/faults.py. -->

The conformance suite is tested by players with exactly one fault each. Every one of them has to be caught by the cases
that name its fault, in **bold** below, and by none that has nothing to do with it. Most faults of play show
themselves elsewhere, too; where many cases of one mutant catch a fault they are counted: `rules.whole-game.*` (9). For
`rules.whole-games` it is enough that one of them act.

`python -m fairplay.conformance.zoo GAME --list` lists the faults of a game, and
`python -m fairplay.conformance.zoo GAME FAULT` runs a player with one where the environment of an exec: player says,
for trials of suites and servers.
"""
LIMITS_S = {True: (0.2, 1.0), False: (5.0,)}
"""Whether the fault is one of time -> the limits to try it with. Busy machines need the longer one."""
START_LIMIT_S = 20.0
SEED = 2
EXAMPLES = 20
MANY = 3
PROGRAMS = "What only a program can do"
ROW = re.compile(r"\| `([a-z0-9-]+)` \| .* \| (.*) \|")
NAMED = re.compile(r"\*\*`([^`]+)`\*\*")


class Row(NamedTuple):
    """A fault, and what the suite made of it."""

    game: str
    fault: str
    found: Finding


def main(arguments: Sequence[str]) -> int:
    """Makes the page, or checks what would be in it; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.zoo_table", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", metavar="GAME", nargs="*", help="default: all that have faults")
    parser.add_argument("--check", action="store_true", help="write nothing")
    chosen = parser.parse_args(arguments)
    names = chosen.games or [name for name in registered() if find_conformance(name).mutations]
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        rows = [_told(row) for row in pool.map(tried, *zip(*_tasks(names), strict=True))]
        unmet = [each for found in pool.map(references, names) for each in found]
    wrong = [row for row in rows if not row.found.is_exact]
    sys.stdout.write("".join(f"{problem}\n" for problem in unmet))
    if not chosen.check and not chosen.games:
        PAGE.write_text(page(rows), encoding="utf-8")
    sys.stdout.write(f"{len(rows)} faults tried, {len(wrong)} not caught as they should be\n")
    return 1 if wrong or unmet else 0


def _told(row: Row) -> Row:
    """Says how a fault fared, as soon as it is known."""
    how = "caught" if row.found.is_exact else f"not caught as it should be: {row.found}"
    sys.stdout.write(f"{row.game} {row.fault}: {how}\n")
    sys.stdout.flush()
    return row


def _tasks(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(game, fault); those of programs are the same in all games, and tried in one."""
    for index, name in enumerate(names):
        for each in find_mutants(find(name)).values():
            if each.program is None or not index:
                yield name, each.name


def tried(name: str, fault: str) -> Row:
    """Tries players with a fault on the whole suite: one, and more if the fault act not show itself as it should."""
    game = find(name)
    chosen = find_mutant(game, fault)
    for limit_s, strategy in product(LIMITS_S[Symptom.TIMEOUT in chosen.symptoms], strategies(game)):
        found = _tried(game, chosen, strategy, limit_s)
        if found.is_exact:
            break
    return Row(name, fault, found)


def _tried(game: Game, chosen: Mutant, strategy: str, limit_s: float) -> Finding:
    made: list[MutantPlayer] = []

    def make() -> MutantPlayer:
        made.append(chosen.make(game, strategy, in_this_process(limit_s)))
        return made[-1]

    words = [sys.executable, "-m", "fairplay.conformance.zoo", game.name, chosen.name, "--strategy", strategy]
    subject = make if chosen.program is None else f"exec:{shlex.join(words)}"
    try:
        return compare(chosen, judged(game, subject, limit_s))
    finally:
        for player in made:
            player.released.set()


def judged(game: Game, player: str | Callable[[], object], limit_s: float) -> Report:
    """Return the report of the suite on a player."""
    options = Options(
        game.name,
        player,
        seed=SEED,
        limit_s=limit_s,
        first_limit_s=limit_s,
        start_limit_s=START_LIMIT_S,
        examples=EXAMPLES,
    )
    return run(options)


def strategies(game: Game) -> Sequence[str]:
    """Those that do not think for long. Some faults show themselves only in one that acts, or waits, much."""
    return list(game.strategies)[2:0:-1]


def references(name: str) -> list[str]:
    """What is wrong with the reference players of a game: as objects, and as programs that serve or dial in."""
    game = find(name)
    command = [sys.executable, "-m", "fairplay.terminal", "player", name, "--strategy", strategies(game)[0]]
    links = [f"exec:{shlex.join(command)}", f"exec:{shlex.join([*command, '--serve'])}"]
    subjects = [*(f"bot:{strategy}" for strategy in game.strategies), *links]
    return [f"{name} {subject}: {problem}" for subject in subjects for problem in _unmet(game, subject)]


def _unmet(game: Game, subject: str) -> list[str]:
    return [f"{each.id} {each.verdict}: {each.sentence}" for each in judged(game, subject, 5.0).judged if not each.met]


# The page


def page(rows: Sequence[Row]) -> str:
    """The whole page."""
    lines, programs = [HEAD], list[Row]()
    for name, group in groupby(rows, key=lambda row: row.game):
        game, shared = find(name), {each.name for each in common_mutants(find(name))}
        tried_here = list(group)
        programs += [row for row in tried_here if _is_program(row)]
        objects = [row for row in tried_here if not _is_program(row)]
        lines.append(f"## {game.title}\n")
        lines += _table(
            f"### What a player of any game can do: {game.title}", [r for r in objects if r.fault in shared]
        )
        lines += _table(f"### What breaks a rule of {game.title}", [r for r in objects if r.fault not in shared])
    return "\n".join([*lines, *_table(f"## {PROGRAMS}", programs)])


def _is_program(row: Row) -> bool:
    return find_mutants(find(row.game))[row.fault].program is not None


def _table(title: str, rows: Iterable[Row]) -> list[str]:
    lines = [_row(find_mutants(find(row.game))[row.fault], row.found) for row in rows]
    return [f"{title}\n", "| fault | what such a player act | caught by |", "|---|---|---|", *lines, ""]


def _row(each: Mutant, found: Finding) -> str:
    caught = ", ".join([*(f"**`{case_id}`**" for case_id in each.cases), *_others(each, found.caught_by)])
    return f"| `{each.name}` | {each.sentence.replace('|', chr(92) + '|')} | {caught} |"


def _others(each: Mutant, caught: Iterable[str]) -> Iterator[str]:
    """The other cases, those of one family counted where they are many."""
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
    """What a page says in the section of this title: fault -> the cases that name it."""
    section = text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return {match[1]: tuple(NAMED.findall(match[2])) for match in ROW.finditer(section)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
