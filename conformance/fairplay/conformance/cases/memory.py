"""Cases about memory: one game must not change what a player does in another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from fairplay.conformance.blame.judge import after_others, judge_after_others, judge_condition, where
from fairplay.conformance.case import Case, Failure, NotTested, case, failure
from fairplay.conformance.case_ids import BACK_TO_BACK, CALLS_AT_ONCE
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.frames import play_late_cancellations
from fairplay.conformance.games.trial import Entry, Exchange, Trial
from fairplay.conformance.player.player import Answered, Connection
from fairplay.conformance.player.transports import DialInTransport, ExecTransport
from fairplay.games.game import Game
from fairplay.games.kit.player_service import DESCRIBE, END, START
from fairplay.games.steps import CallKind
from fairplay.v1.player_pb2 import DescribeRequest

BURST, QUICK_BURST = 4, 16
"""Decisions that are asked for at the same moment: they leave together, so whoever answers one has got all of them.

Of a quick player more are asked: it would have answered a few before the rest can be cancelled.
"""
QUICK_S = 0.05
"""A player is quick that answers within this time."""
ROUNDS = 6
ENOUGH = 3
"""So many calls that were cancelled after the player had received them will do."""
SENT_TURNS = 5
"""After so many turns of the event loop calls have left."""
TURNS = (0, 3, 50)
"""Turns of the event loop after which a call is cancelled that may not have been read yet."""

Task: TypeAlias = "asyncio.Task[Any]"


async def cancel_unread(connection: Connection, last: Exchange) -> None:
    """Make a call again and cancel it: before it is sent, and when it may have been sent."""
    for turns in TURNS:
        call = _ask(connection, last)
        for _ in range(turns):
            await asyncio.sleep(0)
        await _cancel_calls([call])


async def cancel_received(
    connection: Connection,
    opening: Sequence[Exchange],
    new_id: Callable[[], str],
    late_count: Callable[[], int],
    at_once: Callable[[int], int],
) -> int:
    """Cancel decisions that the player has received, and return how many there were.

    `opening` is the beginning of a game, up to its first decision. `late_count` returns how many answers have come
    after their calls were cancelled: it shows that the player had received them. A player that answers at once leaves
    little to cancel, so it is tried a few times; one that takes its time is interrupted halfway, since it may answer
    all at the same moment. Returns when the player has done with what it was asked. `at_once` returns how many of so
    many games may go on together.
    """
    count, late = 0, late_count()
    burst = QUICK_BURST if opening[-1].elapsed_s < QUICK_S else BURST
    for number in range(ROUNDS):
        calls = await _ask_many(connection, opening, [new_id() for _ in range(at_once(burst))])
        if not calls:
            break
        if number % 2 == 0:
            count += await _interrupt(calls, opening[-1].elapsed_s)
        else:
            for _ in range(2 + number):
                await asyncio.sleep(0)
            await _cancel_calls(calls)
        if not await _is_idle(connection, opening[-1], len(calls)) or count + late_count() - late >= ENOUGH:
            break
    return count + late_count() - late


async def cancel_halfway(connection: Connection, opening: Sequence[Exchange], ids: Sequence[str]) -> bool:
    """Ask for a decision in new games at the same moment, and cancel what is open when the player is halfway.

    Returns whether the player answers when it has done with them.
    """
    calls = await _ask_many(connection, opening, ids)
    await _interrupt(calls, opening[-1].elapsed_s)
    return bool(calls) and await _is_idle(connection, opening[-1], len(calls))


async def _interrupt(calls: Sequence[Task], usual_s: float, kept: Task | None = None) -> int:
    """Cancel the calls but one that a player has open halfway, or when it has answered one; return how many it had."""
    if calls:
        first_s = None if usual_s < QUICK_S else usual_s / 2
        await asyncio.wait(calls, timeout=first_s, return_when=asyncio.FIRST_COMPLETED)
    return await _cancel_calls([call for call in calls if not call.done() and call is not kept])


async def ask_beside(
    connection: Connection, opening: Sequence[Exchange], ids: Sequence[str], *, cancels: bool
) -> Answered | None:
    """Ask for a decision in new games at the same moment, and return the answer in the last; None if none began.

    If it `cancels`, it cancels all the others when the player is halfway.
    """
    calls = await _ask_many(connection, opening, ids)
    if not calls:
        return None
    if cancels:
        await _interrupt(calls, opening[-1].elapsed_s, calls[-1])
    answers = await asyncio.gather(*calls, return_exceptions=True)
    return None if isinstance(answers[-1], BaseException) else answers[-1]


async def _ask_many(connection: Connection, opening: Sequence[Exchange], ids: Sequence[str]) -> Sequence[Task]:
    """Begin several games, and ask for a decision in all of them at the same moment; in none if a beginning fails."""
    games = [[renamed(each, game_id) for each in opening] for game_id in ids]

    async def begin(game: Sequence[Exchange]) -> bool:
        for exchange in game[:-1]:
            outcome, _ = await connection.ask(exchange.method, exchange.request, exchange.limit_s)
            if not isinstance(outcome, bytes):
                return False
        return True

    if not all(await asyncio.gather(*map(begin, games))):
        return []
    return [_ask(connection, game[-1]) for game in games]


async def cancel_methods(
    connection: Connection, calls: Sequence[Exchange], new_id: Callable[[], str], at_once: Callable[[int], int]
) -> bool:
    """Make each of these calls in several games at the same moment, and cancel them as soon as they have left.

    Returns whether the player answers when it has done with them.
    """
    for each in calls:
        number = at_once(BURST) if each.kind is CallKind.NOTIFICATION else 1  # a decision may take all its time
        asked = [_ask(connection, renamed(each, new_id())) for _ in range(number)]
        for _ in range(SENT_TURNS):
            await asyncio.sleep(0)
        await _cancel_calls(asked)
        if not await _is_idle(connection, each, number):
            return False
    return True


async def _is_idle(connection: Connection, usual: Exchange, count: int) -> bool:
    """Wait until the player has done with so many calls, and return whether it answers.

    It may do one after the other, each in twice the time of a usual one. One that is stuck is not waited for longer.
    """
    limit_s = usual.limit_s + count * min(max(2 * usual.elapsed_s, QUICK_S), usual.limit_s)
    outcome, _ = await connection.ask(DESCRIBE, DescribeRequest().SerializeToString(), limit_s)
    return isinstance(outcome, bytes)


def _ask(connection: Connection, exchange: Exchange) -> Task:
    return asyncio.ensure_future(connection.ask(exchange.method, exchange.request, exchange.limit_s))


async def _cancel_calls(calls: Sequence[Task]) -> int:
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    return len(calls)


def renamed(exchange: Exchange, game_id: str) -> Exchange:
    """Return the same call in another game."""
    request: Any = exchange.method.request.FromString(exchange.request)
    for name in {"game_id", "tournament_id"} & set(request.DESCRIPTOR.fields_by_name):
        setattr(request, name, game_id)
    return exchange._replace(request=request.SerializeToString())


DECISIONS = 8
UNFINISHED_GAMES = 12


@case(BACK_TO_BACK, "CALL-16")
def back_to_back(context: Context) -> None:
    """A tournament is many games, and the second one begins where the first one has left its traces."""
    judge_condition(context, context.sequence())
    for evidence in after_others(context).values():
        raise Failure(evidence)


@case("memory.two-games-at-once", "CALL-11")
def two_games_at_once(context: Context) -> None:
    """What is asked in one game must not be answered with what is known from another."""
    judge_after_others(context, context.pair())


@case("memory.early-end", "CALL-15")
def early_end(context: Context) -> None:
    """A game ends when the server stops it, or when all others are eliminated."""
    with context.player.separate() as connection:
        for turn_count in (1, 2, 3):
            judge_after_others(context, context.play(context.beginnings(2, turn_count)[-1], connection))
        judge_after_others(context, context.play(context.first_scenario(DECISIONS), connection))


@case("memory.never-ended", "CALL-15")
def never_ended(context: Context) -> None:
    """Games that were begun and left must not fill a player up."""
    with context.player.separate() as connection:
        for found in context.play_together(context.beginnings(UNFINISHED_GAMES, 1), connection):
            judge_after_others(context, found)
        judge_after_others(context, context.play(context.first_scenario(DECISIONS), connection))


@case("memory.cancelled-call", "LATE-2", "CALL-11")
def cancelled_call(context: Context) -> str:
    """The server gives a call up when the game is stopped; the player must be ready for the next one."""
    with context.player.separate() as connection:
        found = context.play(context.first_scenario(turn_count=1), connection)
        judge_after_others(context, found)
        _check_others(context, connection, found)
        received = _cancel(context, connection, found)
        with where("After calls that were cancelled"):
            judge_after_others(context, context.play(context.beginnings(2, DECISIONS)[-1], connection))
        play_late_cancellations(context, connection)
    return "" if received else "every call was answered before it could be cancelled; only unread calls were cancelled"


def _check_others(context: Context, connection: Connection, found: Trial) -> None:
    """Raise Failure if a decision is not made because others, of other games, are cancelled while it is open."""
    opening, count = found.exchanges, context.scope.at_once(BURST)
    answers: list[Answered | None] = []

    def ask(reached: Connection, *, cancels: bool = True) -> Sequence[Trial]:
        ids = [context.new_id() for _ in range(count)]
        answers.append(context.player.loop.run(ask_beside(reached, opening, ids, cancels=cancels)))
        return ()

    def is_made() -> bool:
        return answers[-1] is None or isinstance(answers[-1][0], bytes)

    context.record(connection, Entry(ask, "decisions of several games, of which all but one were cancelled"))
    if is_made():
        return
    with context.player.fresh() as fresh:
        ask(fresh, cancels=False)
    if not is_made():
        evidence = failure("Of decisions of several games at once one is not made.").evidence
        raise NotTested("decisions at once are not all made without that either", evidence, CALLS_AT_ONCE)
    with context.player.fresh() as fresh:  # the machine may have been slow once
        ask(fresh)
    if not is_made():
        name = opening[-1].method.name
        raise failure(f"{name} is not answered where calls of {name} in other games are cancelled while it is open.")


def of_each_method(context: Context) -> Sequence[Exchange]:
    """Return a call of each method that an ordinary game has, and of those without a game."""
    played = {each.method.name: each for each in context.ordinary.exchanges}
    limit_s = context.limits.notification_s
    others = [
        Exchange(method, method.request().SerializeToString(), CallKind.NOTIFICATION, limit_s, 0.0, method.response())
        for method in (START, DESCRIBE, END)
    ]
    return [*others, *played.values()]


def _cancel(context: Context, connection: Connection, found: Trial) -> int:
    """Cancel calls like those of a trial, and return how many of them the player had received and not answered."""
    counts: list[int] = []
    transport = context.player.transport

    def late_count() -> int:
        return transport.server.late_reply_count if isinstance(transport, DialInTransport | ExecTransport) else 0

    def cancel(reached: Connection) -> Sequence[Trial]:
        run, at_once = context.player.loop.run, context.scope.at_once
        if not run(cancel_methods(reached, of_each_method(context), context.new_id, at_once)):
            return ()
        run(cancel_unread(reached, found.exchanges[-1]))
        counts.append(run(cancel_received(reached, found.exchanges, context.new_id, late_count, at_once)))
        return ()

    context.record(connection, Entry(cancel, "calls that were cancelled"))
    return sum(counts)


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (back_to_back, two_games_at_once, early_end, cancelled_call, never_ended)
