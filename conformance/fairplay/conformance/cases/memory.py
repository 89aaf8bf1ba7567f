"""Cases about memory: one game must not change what a player does in another."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.conformance.case import Case, case
from fairplay.conformance.case_errors import Failure
from fairplay.conformance.case_ids import AFTER_OTHERS
from fairplay.conformance.games.cancel import cancel_received, cancel_unread
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.trial import Entry, Trial
from fairplay.conformance.player.connection import Connection
from fairplay.conformance.player.transports import DialInTransport, ExecTransport
from fairplay.games.game import Game

DECISIONS = 8
UNFINISHED_GAMES = 12


@case(AFTER_OTHERS, "A game has nothing to do with the games before it.")
def back_to_back(context: Context) -> None:
    """A tournament is many games, and the second one begins where the first one has left its traces."""
    context.judge_condition(context.sequence())
    for evidence in context.after_others.values():
        raise Failure(evidence)


@case("memory.two-games-at-once", "A player may be in several games at once; each request names its game.")
def two_games_at_once(context: Context) -> None:
    """What is asked in one game must not be answered with what is known from another."""
    context.judge_condition(context.pair(), (AFTER_OTHERS, context.sequence))


@case("memory.early-end", "A game may end at any time, without a word to the player.")
def early_end(context: Context) -> None:
    """A game ends when the server stops it, or when all others are eliminated."""
    with context.player.separate() as connection:
        for turn_count in (1, 2, 3):
            _judge(context, context.play(context.beginnings(2, turn_count)[-1], connection))
        _judge(context, context.play(context.first_scenario(DECISIONS), connection))


@case("memory.never-ended", "A game may end at any time, without a word to the player.")
def never_ended(context: Context) -> None:
    """Games that were begun and left must not fill a player up."""
    with context.player.separate() as connection:
        for found in context.play_together(context.beginnings(UNFINISHED_GAMES, 1), connection):
            _judge(context, found)
        _judge(context, context.play(context.first_scenario(DECISIONS), connection))


@case("memory.cancelled-call", "A call may be cancelled before its answer has come.")
def cancelled_call(context: Context) -> str:
    """The server gives a call up when the game is stopped; the player must be ready for the next one."""
    with context.player.separate() as connection:
        found = context.play(context.first_scenario(turn_count=1), connection)
        _judge(context, found)
        received = _cancel(context, connection, found)
        _judge(context, context.play(context.beginnings(2, DECISIONS)[-1], connection))
    return "" if received else "every call was answered before it could be cancelled; only unread calls were cancelled"


def _cancel(context: Context, connection: Connection, found: Trial) -> int:
    """Cancel calls like those of a trial, and return how many of them the player had received and not answered."""
    counts: list[int] = []
    transport = context.player.transport

    def late_count() -> int:
        return transport.server.late_reply_count if isinstance(transport, DialInTransport | ExecTransport) else 0

    def cancel(reached: Connection) -> Sequence[Trial]:
        run = context.player.loop.run
        run(cancel_unread(reached, found.exchanges[-1]))
        counts.append(run(cancel_received(reached, found.exchanges, context.new_id, late_count)))
        return ()

    context.record(connection, Entry(cancel, "calls that were cancelled"))
    [count] = counts
    return count


def _judge(context: Context, found: Trial) -> None:
    context.judge_condition(found, (AFTER_OTHERS, context.sequence))


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (back_to_back, two_games_at_once, early_end, cancelled_call, never_ended)
