"""Judge every mutant with the whole suite, and write docs/zoo.md: which mutant fails which cases.

Run in .venv, in the root of the tree: python -m tools.zoo_table [GAME ...] [--check]
Takes minutes on two cores. With --check nothing is written. The exit code is 0 if every mutant fails the cases that
name it and no unrelated one, and every reference player passes everything.
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

<!-- Made by `make zoo` from what the suite finds: change the mutants in the suite and the mutations of games. -->

The conformance suite is tested by mutants: players with exactly one defect each. Every mutant has to fail the cases
that name it, in **bold** below, and no case that is unrelated. Most mutations of play show in other cases, too; many
failing cases of one family are counted: `rules.whole-game.*` (9). For `rules.whole-games` one failing case is enough.

`python -m fairplay.conformance.zoo GAME --list` lists the mutants of a game, and
`python -m fairplay.conformance.zoo GAME MUTANT` runs one where the environment of an exec: player says, for tests of
suites and servers.
"""
LIMITS_S = {True: (0.2, 1.0), False: (5.0,)}
"""Whether the mutant is late -> the limits to try it with. Busy machines need the longer one."""
START_LIMIT_S = 20.0
SEED = 2
EXAMPLES = 20
MANY = 3
PROGRAMS = "What only a program can do"
ROW = re.compile(r"\| `([a-z0-9-]+)` \| .* \| (.*) \|")
NAMED = re.compile(r"\*\*`([^`]+)`\*\*")


class Row(NamedTuple):
    """A mutant, and what the suite found."""

    game: str
    mutant: str
    found: Finding


def main(arguments: Sequence[str]) -> int:
    """Make the page, or check what would be in it, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.zoo_table", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", metavar="GAME", nargs="*", help="default: all that have mutants")
    parser.add_argument("--check", action="store_true", help="write nothing")
    chosen = parser.parse_args(arguments)
    names = chosen.games or [name for name in registered() if find_conformance(name).mutations]
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        rows = [_print(row) for row in pool.map(tried, *zip(*_tasks(names), strict=True))]
        unmet = [each for found in pool.map(references, names) for each in found]
    wrong = [row for row in rows if not row.found.is_exact]
    sys.stdout.write("".join(f"{problem}\n" for problem in unmet))
    if not chosen.check and not chosen.games:
        PAGE.write_text(page(rows), encoding="utf-8")
    sys.stdout.write(f"{len(rows)} mutants tried, {len(wrong)} not caught as they should be\n")
    return 1 if wrong or unmet else 0


def _print(row: Row) -> Row:
    """Print what the suite found, as soon as it is known."""
    how = "caught" if row.found.is_exact else f"not caught as it should be: {row.found}"
    sys.stdout.write(f"{row.game} {row.mutant}: {how}\n")
    sys.stdout.flush()
    return row


def _tasks(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (game, mutant). Mutants of programs are the same in all games, and tried in one."""
    for index, name in enumerate(names):
        for each in find_mutants(find(name)).values():
            if each.program is None or not index:
                yield name, each.name


def tried(name: str, mutant: str) -> Row:
    """Judge a mutant with the whole suite, in more than one way if it is not caught as it should be."""
    game = find(name)
    chosen = find_mutant(game, mutant)
    for limit_s, strategy in product(LIMITS_S[Symptom.TIMEOUT in chosen.symptoms], strategies(game)):
        found = _tried(game, chosen, strategy, limit_s)
        if found.is_exact:
            break
    return Row(name, mutant, found)


def _tried(game: Game, chosen: Mutant, strategy: str, limit_s: float) -> Finding:
    made: list[MutantPlayer] = []

    def make() -> MutantPlayer:
        made.append(chosen.make(game, strategy, in_this_process(limit_s)))
        return made[-1]

    words = [sys.executable, "-m", "fairplay.conformance.zoo", game.name, chosen.name, "--strategy", strategy]
    player: str | Callable[[], object] = make if chosen.program is None else f"exec:{shlex.join(words)}"
    try:
        return compare(chosen, judged(game, player, limit_s))
    finally:
        for each in made:
            each.released.set()


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
    """Return quick strategies. Some mutations show only in one that acts, or waits, much."""
    return list(game.strategies)[2:0:-1]


def references(name: str) -> list[str]:
    """Return what is wrong with the reference players of a game: as objects, and as programs that serve or dial in."""
    game = find(name)
    command = [sys.executable, "-m", "fairplay.terminal", "player", name, "--strategy", strategies(game)[0]]
    links = [f"exec:{shlex.join(command)}", f"exec:{shlex.join([*command, '--serve'])}"]
    players = [*(f"bot:{strategy}" for strategy in game.strategies), *links]
    return [f"{name} {player}: {problem}" for player in players for problem in _unmet(game, player)]


def _unmet(game: Game, player: str) -> list[str]:
    return [f"{each.id} {each.verdict}: {each.sentence}" for each in judged(game, player, 5.0).judged if not each.met]


# The page


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
