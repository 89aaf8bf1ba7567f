"""What a player remembers of one game must not change what it does in another."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from fairplay.conformance.bench import Bench
from fairplay.conformance.case import Case, case
from fairplay.conformance.rehearsal import Rehearsal
from fairplay.conformance.subject import Connection
from fairplay.games.game import Game

DECISIONS = 8
UNFINISHED_GAMES = 12
SEQUENCE = "memory.back-to-back"


@case(SEQUENCE, "A game has nothing to do with the games before it.")
def back_to_back(bench: Bench) -> None:
    """A tournament is many games, and the second one begins where the first one has left its traces."""
    bench.judge_condition(bench.sequence())


@case("memory.two-games-at-once", "A player may be in several games at once; each request names its game.")
def two_games_at_once(bench: Bench) -> None:
    """What is asked in one game must not be answered with what is known from another."""
    bench.judge_condition(bench.pair(), (SEQUENCE, bench.sequence))


@case("memory.early-end", "A game may end at any time, without a word to the player.")
def early_end(bench: Bench) -> None:
    """A game ends when the server stops it, or when all others are eliminated."""
    with bench.subject.fresh() as connection:
        for turn_count in (1, 2, 3):
            _judge(bench, bench.rehearse(bench.beginnings(2, turn_count)[-1], connection))
        _judge(bench, bench.rehearse(bench.beginnings(1, DECISIONS)[0], connection))


@case("memory.never-ended", "A game may end at any time, without a word to the player.")
def never_ended(bench: Bench) -> None:
    """Games that were begun and left must not fill a player up."""
    with bench.subject.fresh() as connection:
        for found in bench.together(bench.beginnings(UNFINISHED_GAMES, 1), connection):
            _judge(bench, found)
        _judge(bench, bench.rehearse(bench.beginnings(1, DECISIONS)[0], connection))


@case("memory.cancelled-call", "A call may be cancelled before its answer has come.")
def cancelled_call(bench: Bench) -> None:
    """The server gives a call up when the game is stopped; the player must be ready for the next one."""
    with bench.subject.fresh() as connection:
        found = bench.rehearse(bench.beginnings(1, 1)[0], connection)
        _judge(bench, found)
        bench.subject.loop.run(_cancelled(connection, found))
        _judge(bench, bench.rehearse(bench.beginnings(2, DECISIONS)[-1], connection))


async def _cancelled(connection: Connection, found: Rehearsal) -> None:
    """Asks again what was asked last, and gives up at once: before it is sent, and when it may have been."""
    last = found.exchanges[-1]
    for turns in (0, 3, 50):
        call = asyncio.ensure_future(connection.ask(last.method, last.request, last.limit_s))
        for _ in range(turns):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)


def _judge(bench: Bench, found: Rehearsal) -> None:
    bench.judge_condition(found, (SEQUENCE, bench.sequence))


def cases(game: Game) -> Sequence[Case]:
    """The cases of this module."""
    return (back_to_back, two_games_at_once, early_end, cancelled_call, never_ended)
