"""Cases about time limits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from fairplay.conformance import case_ids
from fairplay.conformance.case import Case, case
from fairplay.conformance.games import silence
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.trial import Scenario, Trial
from fairplay.conformance.player.breaker import Breaker
from fairplay.conformance.player.transports import gets_new_players
from fairplay.games.game import Game
from fairplay.v1.misconduct_pb2 import MisconductKind

GAMES_AT_ONCE = 8
DECISIONS = 10
SLOW_RIVALS = "time.slow-rivals"


@case(case_ids.FIRST_ANSWER, "The first decision of a game comes within its own, longer limit.")
def first_answer(context: Context) -> None:
    """Players load and compile what they need when they are first asked."""
    context.judge_owned(case_ids.FIRST_ANSWER)


@case(case_ids.EVERY_ANSWER, "Every call returns within its limit.")
def every_answer(context: Context) -> None:
    """A player that takes too long is out of the game."""
    context.judge_owned(case_ids.EVERY_ANSWER)


@case("time.under-load", "Every call returns within its limit, in several games at once.")
def under_load(context: Context) -> None:
    """A tournament plays many games at the same time, and a player may be in several of them."""
    beginnings = context.beginnings(GAMES_AT_ONCE, DECISIONS)
    for scenario in beginnings:
        situation = scenario.situation
        context.whole_game(situation.seat, situation.player_count)
    found = _play_at_once(context, beginnings)
    if found and all(map(_is_late, found)):  # a machine may be slow once; a player that is slow under load always is
        found = _play_at_once(context, beginnings)
    for each in found:
        context.judge_condition(
            each, ("memory.back-to-back", context.sequence), ("memory.two-games-at-once", context.pair)
        )


def _begin_slow_rivals(context: Context) -> None:
    if gets_new_players(context.player.transport):  # a player with a past must not be disturbed in other cases
        context.once(SLOW_RIVALS, partial(silence.begin, context))


@case(
    SLOW_RIVALS,
    "Every player may take all the time of its limit; nobody else is called then.",
    prepare=_begin_slow_rivals,
)
def slow_rivals(context: Context) -> None:
    """A player that has heard nothing for a while may have let go of the game, or of its connection."""
    context.player.connection()
    if gets_new_players(context.player.transport):
        found = silence.finish(context, context.once(SLOW_RIVALS, partial(silence.begin, context)))
    else:
        found = silence.play(context)
    context.judge_condition(found or silence.play(context), (case_ids.BACK_TO_BACK, context.sequence))


def _is_late(found: Trial) -> bool:
    return found.misconduct is not None and found.misconduct.kind == MisconductKind.MISCONDUCT_KIND_TIMEOUT


def _play_at_once(context: Context, beginnings: Sequence[Scenario]) -> list[Trial]:
    """Play several games at once, and return those in which the player misbehaved."""
    with context.player.fresh(breaker=Breaker()) as connection, context.player.quiet():
        return [found for found in context.play_together(beginnings, connection) if found.misconduct is not None]


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (first_answer, every_answer, under_load, slow_rivals)
