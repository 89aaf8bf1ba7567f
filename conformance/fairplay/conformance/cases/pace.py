"""Cases about games that keep the player waiting: a little before each call, for a second, or while others are judged.

They are played on connections of their own, beside other cases where that disturbs none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from itertools import count
from typing import Any, NamedTuple, TypeAlias, TypeVar

from fairplay.conformance import case_ids
from fairplay.conformance.blame.judge import judge_after_others, where
from fairplay.conformance.case import Case, case
from fairplay.conformance.cases.growth import check_slow_output
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.trial import Entry, Manner, Outgoing, Scenario, Trial, play_trial
from fairplay.conformance.player.breaker import Breaker
from fairplay.conformance.player.loop import side_by_side
from fairplay.conformance.player.player import Answered, Connection
from fairplay.conformance.player.transports import GrpcTransport
from fairplay.conformance.run.options import BUDGET_S
from fairplay.games.game import Game
from fairplay.games.steps import CallKind
from fairplay.server.links.link import disconnected

SILENCE_S, GAP_S = 1.0, 0.15
"""How long the player waits, once or before each call."""
STARTED_SILENCE_S, STARTED_GAP_S = 2.5, 0.3
"""How long a program that the suite starts waits: its games are played beside other cases, and delay none of them."""
DECISIONS, FEW_DECISIONS = 12, 4
SLOW_DECISIONS = 10
"""So often a program that the suite starts decides in the game in which it waits before each call."""
LATE = 7
"""After so many decisions nothing comes for some time in one of the games."""
Beginning: TypeAlias = "asyncio.Task[tuple[Connection, Sequence[Trial]]]"
"""Games that are being played, on a connection of their own, while other cases are judged."""
Begun = TypeVar("Begun")

Play: TypeAlias = Callable[[Connection], Coroutine[Any, Any, Sequence[Trial]]]
"""Plays games on a connection, and returns their trials."""


def _begin(context: Context, play: Play) -> Beginning:
    """Begin games on a fresh connection, and return without waiting for them."""

    async def play_beside() -> tuple[Connection, Sequence[Trial]]:
        connection = await context.player.open_beside()
        try:
            return connection, await play(connection)
        finally:
            await connection.close()

    async def start() -> Beginning:
        return asyncio.ensure_future(play_beside())

    return context.player.loop.run(start())


def _finish(context: Context, beginning: Beginning, entry: Entry) -> Sequence[Trial]:
    """Return the trials of games that were begun; none if the player was not there for them."""

    async def wait() -> tuple[Connection, Sequence[Trial]]:
        return await beginning

    connection, found = context.player.loop.run(wait())
    if connection.lost and not any(each.decision_count for each in found):
        return ()
    for each in found:
        each.entry = entry
    context.trials.extend(found)
    return found


def _play_now(context: Context) -> Sequence[Trial]:
    """Return the trials of the games on a fresh connection, which takes as long as they take."""
    with context.player.fresh(breaker=Breaker()) as connection:
        return context.record(connection, _waiting(context))


def _waiting(context: Context) -> Entry:
    def replay(connection: Connection) -> Sequence[Trial]:
        return context.player.loop.run(play_waiting(context, connection))

    return Entry(replay, "games in which the player has to wait")


async def play_waiting(context: Context, connection: Connection) -> Sequence[Trial]:
    """Play games that keep the player waiting, and return their trials: those of `_silences`, and a slow one."""
    is_started = context.player.transport.kind == "exec"
    silence_s, gap_s = (STARTED_SILENCE_S, STARTED_GAP_S) if is_started else (SILENCE_S, GAP_S)

    def play(
        reached: Connection, scenario: Scenario, wait_s: Callable[[Outgoing], float]
    ) -> Coroutine[Any, Any, Trial]:
        manner = Manner(ask=partial(_ask, wait_s))
        return play_trial(context.game, reached, scenario, context.limits, context.new_id(), manner)

    def play_slow(reached: Connection) -> Coroutine[Any, Any, Trial]:
        return play(reached, context.first_scenario(SLOW_DECISIONS if is_started else FEW_DECISIONS), lambda _: gap_s)

    silent = [play(connection, each.scenario, each.wait_s) for each in _silences(context, silence_s)]
    if context.player.transport.cheap:  # an object has no connection that could be silent
        return await side_by_side([*silent, play_slow(connection)])
    if isinstance(context.player.transport, GrpcTransport):  # who serves may have several, of which one is silent
        other = await context.player.open_beside()
        try:
            return await side_by_side([*silent, play_slow(other)])
        finally:
            await other.close()
    return [*await side_by_side(silent), await play_slow(connection)]


class _Silent(NamedTuple):
    """A game in which nothing comes for some time, once."""

    when: str
    scenario: Scenario
    wait_s: Callable[[Outgoing], float]
    """Returns the seconds before a call."""


def _silences(context: Context, silence_s: float) -> Sequence[_Silent]:
    """Return games with a silence: before the second call of each method that asks, before a call that only tells,
    before the first decision and before a late one.
    """
    begun, over = context.first_scenario(DECISIONS), context.ending(context.game.seats.start)
    last, second = context.seatings[-1], context.seatings[1]
    asking = [method.name for method in context.game.methods if method.asks]
    return [
        *(_Silent(f", before a call of {name}", begun, _before_second(name, silence_s)) for name in asking),
        _Silent(", before a call that asks for nothing", over, _before_notification(silence_s)),
        _Silent(", before its first decision", context.scenario(*last, FEW_DECISIONS), _before_decision(0, silence_s)),
        _Silent(f", after {LATE} decisions", context.scenario(*second, DECISIONS), _before_decision(LATE, silence_s)),
    ]


async def _ask(wait_s: Callable[[Outgoing], float], connection: Connection, due: Outgoing) -> Answered:
    await asyncio.sleep(wait_s(due))
    return await connection.ask(due.call.method, due.request, due.limit_s)


def _before_notification(silence_s: float) -> Callable[[Outgoing], float]:
    """Return a function that says to wait before one call of a game: the first that asks for nothing, but its first."""
    return _once(silence_s, lambda due: due.number > 0 and due.call.kind is CallKind.NOTIFICATION)


def _before_decision(number: int, silence_s: float) -> Callable[[Outgoing], float]:
    """Return a function that says to wait before one decision of a game, that after so many others."""
    return _once(silence_s, lambda due: due.decision == number and due.call.kind is not CallKind.NOTIFICATION)


def _before_second(name: str, silence_s: float) -> Callable[[Outgoing], float]:
    """Return a function that says to wait before the second call of a method: who forgets has something to forget."""
    numbers = count()
    return _once(silence_s, lambda due: due.call.method.name == name and next(numbers) == 1)


def _once(silence_s: float, chosen: Callable[[Outgoing], bool]) -> Callable[[Outgoing], float]:
    left = [silence_s]
    return lambda due: left.pop() if left and chosen(due) else 0.0


def _begin_once(context: Context, case_id: str, begin: Callable[[], Begun]) -> Begun | None:
    """Return the games of a case, begun once; None: a player with a past must not be disturbed in other cases."""
    return context.once(case_id, begin) if context.player.can_be_new else None


def _begin_waiting(context: Context) -> Beginning | None:
    return _begin_once(context, case_ids.SLOW_RIVALS, lambda: _begin(context, partial(play_waiting, context)))


@case(case_ids.SLOW_RIVALS, "CALL-17", prepare=_begin_waiting)
def slow_rivals(context: Context) -> None:
    """A player that has heard nothing for a while may have let go of the game, or of its connection."""
    context.player.connection()
    beginning = _begin_waiting(context)
    found = _play_now(context) if beginning is None else _finish(context, beginning, _waiting(context))
    waited = [*(f"once{each.when}" for each in _silences(context, 0.0)), "before each call"]
    for each, how in zip(found or _play_now(context), waited, strict=True):
        with where(f"Where it has to wait {how}"):
            judge_after_others(context, each)


# --- until all else was judged ---

LONG_S, LONGEST_S = 4.0, 300.0
"""A player hears nothing for so long at least; in a whole run as long as it takes to judge the other cases."""
BUDGET_SHARE, SPARE_SHARE = 1 / 50, 1 / 5
"""A program that is started here hears nothing for the first share of the usual budget, 12 s of 10 m; and any player
for the second share of what the budget has beyond the usual one: whoever gives more time wants to know of old players.
"""


def _silence_s(context: Context) -> float:
    """Return how long the player hears nothing at least.

    A player that is there once is kept waiting only as the budget is larger than the usual one: nothing else could be
    asked of it meanwhile. An object has no connection that could be silent.
    """
    kind, budget_s = context.player.transport.kind, context.player.budget.total_s
    if context.player.transport.cheap:
        return LONG_S
    usual_s = max(LONG_S, BUDGET_SHARE * min(budget_s, BUDGET_S)) if kind == "exec" else 0.0
    return min(usual_s + SPARE_SHARE * max(0.0, budget_s - BUDGET_S), LONGEST_S)


RETURNED_IN_SILENCE = disconnected(
    "while nothing came its connection has ended, and it has dialled in anew: either it pings more often than once in"
    " 10 s (STREAM-7), for which servers end connections, or it has ended it (CALL-17)"
)


class _Silence:
    """Games that stop in the middle until they are told to go on, and a new one after them, by a player of some age."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._may_go_on = asyncio.Event()
        self.beginning = _begin(context, lambda connection: _play_silence(context, connection, self._may_go_on))

    def finish(self) -> Sequence[Trial]:
        """Let the games go on, and return the trials of all; none if the player was not there for them."""
        self._context.player.loop.run(self._go_on())
        return _finish(self._context, self.beginning, _silent(self._context))

    async def _go_on(self) -> None:
        self._may_go_on.set()


def _silent(context: Context) -> Entry:
    def replay(connection: Connection) -> Sequence[Trial]:
        may_go_on = asyncio.Event()
        may_go_on.set()
        return context.player.loop.run(_play_silence(context, connection, may_go_on))

    return Entry(replay, "games in which nothing comes for long")


async def _play_silence(context: Context, connection: Connection, may_go_on: asyncio.Event) -> Sequence[Trial]:
    silence_s = _silence_s(context)

    def play(scenario: Scenario, wait_s: Callable[[Outgoing], float]) -> Coroutine[Any, Any, Trial]:
        async def ask(reached: Connection, due: Outgoing) -> Answered:
            if waits := wait_s(due):
                before = reached.return_count
                await asyncio.gather(may_go_on.wait(), asyncio.sleep(waits))
                if reached.return_count > before:
                    return RETURNED_IN_SILENCE, 0.0
            return await reached.ask(due.call.method, due.request, due.limit_s)

        return play_trial(context.game, connection, scenario, context.limits, context.new_id(), Manner(ask=ask))

    silent = _silences(context, silence_s)
    trials = [*await side_by_side([play(each.scenario, each.wait_s) for each in silent])]
    if all(each.misconduct is None for each in trials):
        trials.append(await play(_another(context), lambda _: 0.0))
    return trials


def _another(context: Context) -> Scenario:
    return context.beginnings(2, FEW_DECISIONS)[-1]


def _begin_silence(context: Context) -> _Silence | None:
    return _begin_once(context, case_ids.LONG_SILENCE, lambda: _Silence(context))


@case(case_ids.LONG_SILENCE, "CALL-17", "CALL-16", "PROG-7", prepare=_begin_silence)
def long_silence(context: Context) -> str:
    """Rivals may think for long, and a tournament lasts: a player plays on as it began, however old it is by then."""
    context.player.connection()
    silence_s, silence = _silence_s(context), _begin_silence(context)
    if not silence_s:
        judge_after_others(context, context.play(_another(context)))
        return "it was not kept waiting, because it cannot be started anew: a larger --budget has time for that"
    whens = [*(f"in a game{each.when}" for each in _silences(context, silence_s)), "since it was started"]
    found = _finish_silence(context, silence)
    for each, when in zip(found, whens, strict=False):
        with where(f"After {silence_s:g} s or more {when}"):
            judge_after_others(context, each)
    check_slow_output(found[: len(whens) - 1], silence_s)
    return f"it heard nothing for {silence_s:g} s or more; for longer with a larger --budget"


def _finish_silence(context: Context, silence: _Silence | None) -> Sequence[Trial]:
    """Return the trials of the games that have begun, or of those of a player that is asked nothing else meanwhile."""
    if silence is not None:
        return silence.finish()
    with context.player.separate() as connection:
        return context.record(connection, _silent(context))


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (slow_rivals, long_silence)
