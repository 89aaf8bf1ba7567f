"""Cases about errors and time limits: no valid request is answered with an error, or too late."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from string import ascii_letters

from fairplay.conformance import case_ids
from fairplay.conformance.blame.judge import judge_after_others, judge_condition, judge_guises, judge_owned, where
from fairplay.conformance.blame.verdicts import closest_answer, time_taken
from fairplay.conformance.case import Case, case, failure
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.trial import Scenario, Trial
from fairplay.conformance.player.breaker import Breaker
from fairplay.conformance.player.machine import is_busy
from fairplay.games.conformance import Level
from fairplay.games.game import Game
from fairplay.games.steps import CallKind

DECISIONS_UNDER_IDS = 6
"""Enough for turns of a player, also in games that begin with other decisions."""
BEGUN_ID, ENDED_ID = secrets.choice(ascii_letters), secrets.token_urlsafe(12)


@case(case_ids.NO_EXCEPTION, "FAIL-2")
def no_exception(context: Context) -> None:
    """A player that raises is out of the game."""
    judge_owned(context, case_ids.NO_EXCEPTION)


@case(case_ids.ALIVE, "CALL-17")
def stays_alive(context: Context) -> None:
    """A player whose process or connection ends is out of all its games."""
    judge_owned(context, case_ids.ALIVE)


@case(case_ids.UNUSUAL_IDS, "NAME-6")
def unusual_ids(context: Context) -> None:
    """The organiser chooses the ids of games."""
    judge_guises(context, case_ids.UNUSUAL_IDS, context.first_scenario(DECISIONS_UNDER_IDS))
    with context.player.separate() as connection:
        scenario = context.first_scenario(DECISIONS_UNDER_IDS)
        [begun] = context.play_as(scenario, connection, BEGUN_ID)
        judge_after_others(context, begun)
        seat, count = scenario.situation.seat, scenario.situation.player_count
        [over] = context.play_as(context.ending(count), connection, ENDED_ID)
        for game_id in (BEGUN_ID, *([ENDED_ID] if over.misconduct is None else [])):
            for other in _other_games(context, seat, count):
                with where("Under an id that another server gave to another game"):
                    [found] = context.play_as(other, connection, game_id)
                    judge_after_others(context, found)


def _other_games(context: Context, seat: int, count: int) -> Iterator[Scenario]:
    """Yield games in which all is different but the seat, and then the seat too."""
    again = context.scenario(seat, count, DECISIONS)
    yield again._replace(name=f"{again.name}-otherwise", seed=context.rng("otherwise").getrandbits(32))
    yield context.scenario(*context.seatings[-1], DECISIONS_UNDER_IDS)


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


ASKED_MORE = 2
"""A game with an answer close to its limit is begun so often again: a machine that had other work is no answer."""


@case(case_ids.HEADROOM, "TIME-5", level=Level.SHOULD)
def headroom(context: Context) -> None:
    """On another machine, or on this one with other work, an answer may take twice as long."""
    for found in context.whole_games():
        close = closest_answer([found], context.limits)
        if close is None or found.misconduct is not None:
            continue
        before = found.exchanges[: found.exchanges.index(close) + 1]
        decision_count = 1 + sum(each.kind is not CallKind.NOTIFICATION for each in before)
        situation = found.scenario.situation._replace(turn_count=decision_count)
        begun = [context.play(found.scenario._replace(situation=situation)) for _ in range(ASKED_MORE)]
        again = [closest_answer([each], context.limits) for each in begun if each.misconduct is None]
        times = [time_taken(each) for each in (close, *again) if each is not None]
        if len(times) > ASKED_MORE:
            sentence = f"{times[0][0].upper()}{times[0][1:]}, more than half of its limit"
            raise failure(f"{sentence}, and so each time that the game was begun again.", ("Times", "\n".join(times)))


@case("time.under-load", "TIME-7")
def under_load(context: Context) -> None:
    """A tournament plays many games at the same time, and a player may be in several of them."""
    beginnings = context.beginnings(GAMES_AT_ONCE, DECISIONS)
    for scenario in beginnings:
        situation = scenario.situation
        whole = context.whole_game(situation.seat, situation.player_count)
        if whole.left_out is not None:
            raise whole.left_out
    found, is_again = _play_at_once(context, beginnings), False
    if found and all(each.is_late for each in found):  # a machine may be slow once; a player slow under load always is
        found, is_again = _play_at_once(context, beginnings), True
    controls = (case_ids.BACK_TO_BACK, context.sequence), (case_ids.AT_ONCE, context.pair)
    for each in found:
        with where(f"In {GAMES_AT_ONCE} games at the same time"):
            judge_condition(context, each, *controls, is_repeated=is_again and each.is_late and not is_busy())


def _play_at_once(context: Context, beginnings: Sequence[Scenario]) -> list[Trial]:
    """Play several games at once, and return those in which the player misbehaved."""
    with context.player.fresh(breaker=Breaker()) as connection, context.player.quiet():
        return [found for found in context.play_together(beginnings, connection) if found.misconduct is not None]


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (no_exception, stays_alive, unusual_ids, first_answer, every_answer, headroom, under_load)
