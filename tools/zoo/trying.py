"""Judging one mutant, or one reference player, with the suite or with a part of it."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from typing import NamedTuple
from zlib import crc32

from fairplay.certificate.terms import matches
from fairplay.conformance import case_ids
from fairplay.conformance.case_ids import EVERY_WHOLE_GAME, WHOLE_GAMES
from fairplay.conformance.cases import cases
from fairplay.conformance.run.engine import run
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.report import Report
from fairplay.conformance.zoo.mutants import Mutant, Symptom
from fairplay.conformance.zoo.player import MutantPlayer, in_this_process
from fairplay.conformance.zoo.registry import find_mutant, find_mutants
from fairplay.games.game import Game, find, registered
from fairplay.player.secrets import SECRET_VARIABLE
from tools.zoo.findings import Finding, compare, examples_for

PARTS = 24
"""Of the rest each mutant is tried on one case in so many, others for each mutant."""
OWNERS = (case_ids.BACK_TO_BACK, case_ids.AT_ONCE, case_ids.TOURNAMENT)
"""Cases that nearly all that goes wrong elsewhere could be held against, besides those of whole games."""
SEATINGS = 3
"""The whole games that most other cases compare with are those of so many seats."""
AMPLE_S = 5.0
LIMITS_S = {True: (0.2, 1.0), False: (AMPLE_S,)}
"""Whether the mutant is late -> the limits to try it with. Busy machines need the longer one."""
START_LIMIT_S = 20.0
SEED = 2
EXAMPLES = 20


def choose(game: Game, mutant: Mutant, part: int | None) -> str:
    """Return the pattern of the cases to try a mutant on. Of the others it has those of a part; None: none of them."""
    always = list(dict.fromkeys(_always(game, mutant)))
    if part is None:
        return ",".join(always)
    rest = (case.id for case in cases(game) if not matches(case.id, ",".join(always)))
    return ",".join([*always, *(each for each in rest if _is_drawn(game, mutant, part, each))])


def _always(game: Game, mutant: Mutant) -> Iterator[str]:
    yield from (EVERY_WHOLE_GAME if each == WHOLE_GAMES else each for each in mutant.cases)
    yield from (case_ids.REACHABLE, case_ids.DESCRIBES)
    if mutant.program is None:  # what a program can do differently has little to do with games
        yield from OWNERS
        seatings = [(seat, count) for count in game.seats for seat in range(count)]
        yield from (case_ids.whole_game(*each) for each in seatings[:SEATINGS])


def _is_drawn(game: Game, mutant: Mutant, part: int, case_id: str) -> bool:
    """Return whether a case is drawn: with those of other groups that look at the same games, and see each other."""
    _, _, games = case_id.partition(".")
    return crc32(f"{part}/{game.name}/{mutant.name}/{games}".encode()) % PARTS == 0


class Task(NamedTuple):
    """What one process tries at a time: a mutant of a game, or a reference player."""

    game: str
    mutant: str = ""
    player: str = ""
    """The link to a reference player; empty: the mutant."""
    starts: bool = False
    """Whether the player is a program, which takes long to start."""
    part: int | None = None
    """The number of the part of the other cases that a mutant is tried on first; None: none of them."""

    def __str__(self) -> str:
        return f"{self.game} {self.mutant or self.player}"


class Row(NamedTuple):
    """A mutant, and what the suite found."""

    game: str
    mutant: str
    found: Finding


class Outcome(NamedTuple):
    """What a task has shown."""

    row: Row | None
    """What was found of a mutant; None: the task was about a reference player."""
    problems: Sequence[str]
    """What is not as it should be."""
    processor_s: float
    """The processor time that it took, in all its processes."""


def make_tasks(names: Iterable[str], part: int | None = None) -> list[Task]:
    """Return what to try: mutants on a part of the other cases, if there is one, and reference players on all.

    Mutants of programs are the same in all games, and tried in the first of those that are installed.
    """
    first = next(iter(registered()))
    return [task for name in names for task in _tasks_of(find(name), part, programs=name == first)]


def _tasks_of(game: Game, part: int | None, *, programs: bool) -> Iterator[Task]:
    for each in find_mutants(game).values():
        if each.program is None or programs:
            yield Task(game.name, each.name, starts=each.program is not None, part=part)
    for strategy in game.strategies:
        yield Task(game.name, player=f"bot:{strategy}")
    command = [sys.executable, "-m", "fairplay.terminal", "player", game.name, "--strategy", strategies(game)[0]]
    for words in (command, [*command, "--serve"]):
        yield Task(game.name, player=f"exec:{shlex.join(words)}", starts=True)


def strategies(game: Game) -> Sequence[str]:
    """Return quick strategies. Some mutations show only in one that acts, or waits, much."""
    return list(game.strategies)[2:0:-1]


def try_task(task: Task) -> Outcome:
    """Judge a mutant or a reference player."""
    before = _processor_s()
    if task.player:
        problems, row = list(_unmet(task)), None
    else:
        row = _tried(task)
        problems = [] if row.found.is_exact else [f"{task} is not caught as it should be: {row.found}"]
    return Outcome(row, problems, _processor_s() - before)


def _processor_s() -> float:
    """Return the processor time of this process so far, and of the processes that it has started."""
    return sum(os.times()[:4])


def _tried(task: Task) -> Row:
    """Judge a mutant, in more than one way if it is not caught as it should be.

    Then all cases are judged: in a part of them, misconduct is held against another case if its own is not among them.
    That takes minutes, so it is done in those ways in which unrelated cases have failed, or in one.
    """
    game = find(task.game)
    chosen = find_mutant(game, task.mutant)
    # What a program does differently does not depend on how it plays.
    played = strategies(game) if chosen.program is None else strategies(game)[:1]
    ways = list(product(LIMITS_S[Symptom.TIMEOUT in chosen.symptoms], played))
    for only in (choose(game, chosen, task.part), ""):
        unrelated: list[tuple[float, str]] = []
        for way in ways:
            found = _tried_once(game, chosen, *way, only)
            if found.is_exact:
                return Row(task.game, task.mutant, found)
            if found.unrelated:
                unrelated.append(way)
        ways = unrelated or ways[:1]
    return Row(task.game, task.mutant, found)


def _tried_once(game: Game, chosen: Mutant, limit_s: float, strategy: str, only: str) -> Finding:
    made: list[MutantPlayer] = []

    def make() -> MutantPlayer:
        made.append(chosen.make(game, strategy, in_this_process(limit_s)))
        return made[-1]

    words = [sys.executable, "-m", "fairplay.conformance.zoo", game.name, chosen.name, "--strategy", strategy]
    player: str | Callable[[], object] = make if chosen.program is None else f"exec:{shlex.join(words)}"
    secret, examples = chosen.behaviour.secret, examples_for(chosen, EXAMPLES)
    try:
        if secret:
            with _served(words, secret) as link:
                return compare(chosen, _judged(game.name, link, limit_s, examples, only, secret))
        return compare(chosen, _judged(game.name, player, limit_s, examples, only))
    finally:
        for each in made:
            each.released.set()


@contextmanager
def _served(words: Sequence[str], secret: str) -> Iterator[str]:
    """Start a mutant that serves with a secret, and yield its link."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    variables = {**os.environ, "FAIRPLAY_LISTEN": address, SECRET_VARIABLE: secret}
    process = subprocess.Popen([*words, "--serve"], env=variables)
    try:
        yield f"grpc://{address}"
    finally:
        process.kill()
        process.wait()


def _unmet(task: Task) -> Iterator[str]:
    """Yield what a reference player does not meet."""
    for each in _judged(task.game, task.player, AMPLE_S, EXAMPLES).judged:
        if not each.met:
            yield f"{task}: {each.id} {each.verdict}: {each.sentence}"


def _judged(
    game: str, player: str | Callable[[], object], limit_s: float, examples: int, only: str = "", secret: str = ""
) -> Report:
    """Return the report of the suite on a player. `only` names the cases; empty: all."""
    return run(
        Options(
            game,
            player,
            only=only,
            seed=SEED,
            limit_s=limit_s,
            first_limit_s=limit_s,
            start_limit_s=START_LIMIT_S,
            examples=examples,
            secret=secret,
            sandbox="off",  # in one, programs cannot see each other: there are mutants that must
        )
    )
