"""Cases about errors and time limits: no valid request is answered with an error, or too late."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import count
from typing import TypeAlias

from fairplay.conformance import case_ids
from fairplay.conformance.blame.judge import judge_after_others, judge_condition, judge_owned
from fairplay.conformance.case import Case, case
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.trial import Entry, Scenario, Trial, play_trial
from fairplay.conformance.player.breaker import Breaker
from fairplay.conformance.player.player import Connection
from fairplay.games.game import Game
from fairplay.v1.misconduct_pb2 import MisconductKind

DECISIONS_UNDER_IDS = 4
STRANGE_IDS = ("x", "cup-2/round.1/game_3", "Z" * 128, "0", "-", "...")


@case(case_ids.NO_EXCEPTION, "FAIL-2")
def no_exception(context: Context) -> None:
    """A player that raises is out of the game."""
    judge_owned(context, case_ids.NO_EXCEPTION)


@case(case_ids.ALIVE, "CALL-17")
def stays_alive(context: Context) -> None:
    """A player whose process or connection ends is out of all its games."""
    judge_owned(context, case_ids.ALIVE)


@case("exceptions.unusual-ids", "NAME-6")
def unusual_ids(context: Context) -> None:
    """The organiser chooses the ids of games."""
    with context.player.separate() as connection:
        for game_id in STRANGE_IDS:
            scenario = context.first_scenario(DECISIONS_UNDER_IDS)
            found = context.play_as(scenario, connection, game_id)
            judge_after_others(context, found)


SILENCE_S = 1.0
"""How long: a certificate must not take much longer for it."""
SILENT_BEFORE = 4
"""The number of the call before which there is silence: the game has begun, and goes on after it."""
DECISIONS_BESIDE_SILENCE = 6
Beginning: TypeAlias = "asyncio.Task[tuple[Connection, Trial]]"
"""A game that is being played, on a connection of its own, while other cases are judged."""


def _begin_silence(context: Context) -> Beginning:
    """Begin a game with a silence on a fresh connection, and return without waiting for it."""

    async def _play_silence() -> tuple[Connection, Trial]:
        connection = await context.player.open_beside()
        try:
            return connection, await play_silently(context, connection)
        finally:
            await connection.close()

    async def start() -> Beginning:
        return asyncio.ensure_future(_play_silence())

    return context.player.loop.run(start())


def _finish_silence(context: Context, beginning: Beginning) -> Trial | None:
    """Return the trial of a game that was begun, or None if the player was not there for it."""

    async def wait() -> tuple[Connection, Trial]:
        return await beginning

    connection, found = context.player.loop.run(wait())
    if connection.lost and found.decision_count == 0:
        return None
    found.entry = _entry(context)
    context.trials.append(found)
    return found


def _play_silence(context: Context) -> Trial:
    """Return the trial of a game with a silence on a fresh connection, which takes as long."""
    with context.player.fresh(breaker=Breaker()) as connection:
        [found] = context.record(connection, _entry(context))
        return found


def _entry(context: Context) -> Entry:
    def replay(connection: Connection) -> Sequence[Trial]:
        return [context.player.loop.run(play_silently(context, connection))]

    return Entry(replay, f"a game in which the player hears nothing for {SILENCE_S:g} s")


async def play_silently(context: Context, connection: Connection) -> Trial:
    """Play a game with a silence, and return its trial."""
    numbers = count(1)

    @asynccontextmanager
    async def turn() -> AsyncIterator[None]:
        if next(numbers) == SILENT_BEFORE:
            await asyncio.sleep(SILENCE_S)
        yield

    scenario = context.first_scenario(DECISIONS_BESIDE_SILENCE)
    return await play_trial(context.game, connection, scenario, context.limits, context.new_id(), turn=turn)


GAMES_AT_ONCE = 8
DECISIONS = 10


@case(case_ids.FIRST_ANSWER, "TIME-6")
def first_answer(context: Context) -> None:
    """Players load and compile what they need when they are first asked."""
    judge_owned(context, case_ids.FIRST_ANSWER)


@case(case_ids.EVERY_ANSWER, "TIME-5")
def every_answer(context: Context) -> None:
    """A player that takes too long is out of the game."""
    judge_owned(context, case_ids.EVERY_ANSWER)


@case("time.under-load", "TIME-7")
def under_load(context: Context) -> None:
    """A tournament plays many games at the same time, and a player may be in several of them."""
    beginnings = context.beginnings(GAMES_AT_ONCE, DECISIONS)
    for scenario in beginnings:
        situation = scenario.situation
        context.whole_game(situation.seat, situation.player_count)
    found = _play_at_once(context, beginnings)
    if found and all(map(is_late, found)):  # a machine may be slow once; a player that is slow under load always is
        found = _play_at_once(context, beginnings)
    for each in found:
        judge_condition(context, each, (case_ids.BACK_TO_BACK, context.sequence), (case_ids.AT_ONCE, context.pair))


def _begin_slow_rivals(context: Context) -> None:
    if context.player.can_be_new:  # a player with a past must not be disturbed in other cases
        context.once(case_ids.SLOW_RIVALS, partial(_begin_silence, context))


@case(
    case_ids.SLOW_RIVALS,
    "CALL-17",
    prepare=_begin_slow_rivals,
)
def slow_rivals(context: Context) -> None:
    """A player that has heard nothing for a while may have let go of the game, or of its connection."""
    context.player.connection()
    if context.player.can_be_new:
        found = _finish_silence(context, context.once(case_ids.SLOW_RIVALS, partial(_begin_silence, context)))
    else:
        found = _play_silence(context)
    judge_after_others(context, found or _play_silence(context))


def is_late(found: Trial) -> bool:
    """Return whether the player answered too late in a game."""
    return found.misconduct is not None and found.misconduct.kind == MisconductKind.MISCONDUCT_KIND_TIMEOUT


def _play_at_once(context: Context, beginnings: Sequence[Scenario]) -> list[Trial]:
    """Play several games at once, and return those in which the player misbehaved."""
    with context.player.fresh(breaker=Breaker()) as connection, context.player.quiet():
        return [found for found in context.play_together(beginnings, connection) if found.misconduct is not None]


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (no_exception, stays_alive, unusual_ids, first_answer, every_answer, under_load, slow_rivals)
