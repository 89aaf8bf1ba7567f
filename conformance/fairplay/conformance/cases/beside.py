"""Cases about games beside each other: many, one that ends first, ids that are nearly the same, the same seat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

from fairplay.conformance import case_ids
from fairplay.conformance.blame.judge import Control, judge_condition, where
from fairplay.conformance.case import Case, case
from fairplay.conformance.cases.states import alone, sources
from fairplay.conformance.games.candidates import STEPS
from fairplay.conformance.games.context import BESIDE_OTHERS, Context
from fairplay.conformance.games.positions import find_position
from fairplay.conformance.games.races import TO_THE_END
from fairplay.conformance.games.trial import Scenario, Trial
from fairplay.conformance.games.variations import unusual_part
from fairplay.games.conformance import Situation
from fairplay.games.game import Game

AT_ONCE, FEW_AT_ONCE = 32, 16
"""The second number is for players that are slow."""
DECISIONS, FEW_DECISIONS = 12, 2
ABREAST, ABREAST_DECISIONS, LATER_BY = 4, 4, 3
"""So many games, in which the player decides so often, and some that end soon call at the same moments: each begins so
many calls after the one before.
"""
MOST_CALLS = 24
"""At the latest after so many calls of a game another one begins beside it."""
MANY_ZEROS = "0" * 60


@case(case_ids.MANY_AT_ONCE, "CALL-11")
def many_games_at_once(context: Context) -> None:
    """A tournament plays more games at a time than an author tries, and comes back to each of them in the end."""
    number = FEW_AT_ONCE if context.is_slow else AT_ONCE
    with context.player.separate() as connection, where(f"In {number} games at the same time"):
        for found in context.play_in_turn(_games(context, "many", number, DECISIONS), connection):
            _judge(context, found)


@case("memory.one-ends-first", "CALL-11")
def one_ends_first(context: Context) -> None:
    """One game begins in the middle of another, and is over before it: the other one goes on as if there were none."""
    calls = min(len(context.ordinary.exchanges) // 2, MOST_CALLS)
    counts = {context.game.seats.start, context.game.seats.stop - 1}
    with context.player.separate() as connection, where("Beside another game, which ends first"):
        for count in sorted(counts):
            longer = context.scenario(0, context.game.seats.start, calls + _decisions(context, DECISIONS))
            shares = (max(calls, 1), TO_THE_END)
            for found in context.play_in_turn((longer, context.ending(count)), connection, shares):
                _judge(context, found)
    games = _games(context, "abreast", ABREAST, ABREAST_DECISIONS)
    games[1:1] = map(context.ending, sorted(counts))
    with context.player.separate() as connection, where("In games of which each begins while it is asked in others"):
        for found in context.play_abreast(games, connection, LATER_BY):
            _judge(context, found)


@case("memory.similar-ids", "NAME-5")
def similar_ids(context: Context) -> None:
    """Who cuts ids, changes their letters or reads only a part of them takes one game for another."""
    number = len(_similar_ids(""))
    alike = _games(context, "similar-ids", number, BESIDE_OTHERS)
    late = [*islice(_drawn(context, FEW_DECISIONS), number)]
    for scenarios in (alike, _with_other_settings(context, alike), late):
        ids = _similar_ids(context.new_tournament_id())
        with context.player.separate() as connection, where("In games at the same time whose ids are much alike"):
            for found in context.play_in_turn(scenarios, connection, ids=ids):
                _judge(context, found, others=scenarios)


def _similar_ids(stem: str) -> Sequence[str]:
    """Return ids that differ in case, in length, in a character at either end, or in what separates their parts.

    The last two have the same hash in Java.
    """
    return (
        f"{stem}/r1g1",
        f"{stem}/R1G1",
        f"{stem}/r1g11",
        f"{stem}/r1g",
        f"{stem}/r01g01",
        f"{stem}/r1.g1",
        f"{stem}/r1.g2",
        f"{stem}-r1g1",
        f"{stem}_r1g1",
        f"{stem}.r1g1",
        f"a/{stem}/r1g1",
        f"b/{stem}/r1g1",
        f"{stem}/{MANY_ZEROS}1",
        f"{stem}/{MANY_ZEROS}2",
        f"a{MANY_ZEROS}/{stem}",
        f"b{MANY_ZEROS}/{stem}",
        f"{stem}/R1g1",
        f"{stem}/r1G1",
        f"{stem}/r1gAa",
        f"{stem}/r1gBB",
    )


def _games(context: Context, name: str, number: int, turn_count: int) -> list[Scenario]:
    """Return the beginnings of so many games, no two of them alike."""
    return [
        each._replace(name=f"{name}-{index}", seed=context.rng(name, index).getrandbits(32))
        for index, each in enumerate(context.beginnings(number, _decisions(context, turn_count)))
    ]


def _with_other_settings(context: Context, scenarios: Sequence[Scenario]) -> list[Scenario]:
    """Return games every other of which has unusual settings: who takes one for another knows the wrong board."""
    drawn = context.rng("settings of similar ids").sample(context.variations, len(context.variations))
    drawn.sort(key=lambda each: len(unusual_part(context.game, each.settings).ListFields()), reverse=True)
    found = list(scenarios)
    for index, variation in zip(range(1, len(found), 2), drawn, strict=False):
        count, turn_count = variation.player_count, found[index].situation.turn_count
        situation = Situation(variation.settings, count, index % count, None, turn_count)
        found[index] = found[index]._replace(situation=situation)
    return found


def _decisions(context: Context, count: int) -> int:
    """Return how often the player is to decide in each of many games: less often if it is slow."""
    return FEW_DECISIONS if context.is_slow else count


def _judge(context: Context, found: Trial, others: Sequence[Scenario] = ()) -> None:
    """Judge a game beside others. `others`: what goes wrong in these under ordinary ids belongs to another case."""
    if found.misconduct is None:
        return
    controls: list[Control] = [
        alone(context, found),
        (case_ids.BACK_TO_BACK, context.sequence),
        (case_ids.AT_ONCE, context.pair),
        *([(case_ids.MANY_AT_ONCE, partial(_with_ordinary_ids, context, others))] if others else []),
    ]
    judge_condition(context, found, *controls)


def _with_ordinary_ids(context: Context, scenarios: Sequence[Scenario]) -> Trial:
    """Return one of several games in turn: the one that fails, if one does."""
    with context.player.fresh() as connection:
        trials = context.play_in_turn(scenarios, connection)
    return next((each for each in trials if each.misconduct is not None), trials[0])


SEAT = 0
GAMES, FEW_GAMES = 16, 6
"""The second number is for players that are slow."""
SEAT_DECISIONS, FEW_SEAT_DECISIONS = 8, 2
"""The player decides so often in each of two games at the same time."""


@case(
    "memory.same-seat",
    "CALL-11",
    "CALL-15",
)
def same_seat(context: Context) -> None:
    """Who keeps its plans by its seat, and not by the id of the game, carries them over into another one."""
    number, turn_count = (FEW_GAMES, FEW_SEAT_DECISIONS) if context.is_slow else (GAMES, SEAT_DECISIONS)
    with context.player.separate() as connection:
        scenarios = _seat_scenarios(context, number, 1)
        for scenario, found in zip(scenarios, context.play_on(connection, scenarios), strict=True):
            _judge_seat(context, found, (case_ids.NEVER_ENDED, partial(_after_other_seat, context, scenario)))
    scenarios = _seat_scenarios(context, number, turn_count)
    with context.player.separate() as connection:
        for pair in zip(scenarios[::2], scenarios[1::2], strict=True):
            for index, found in enumerate(context.play_in_turn(pair, connection)):
                _judge_seat(context, found, (case_ids.AT_ONCE, partial(_beside_other_seat, context, pair, index)))


def _after_other_seat(context: Context, scenario: Scenario) -> Trial:
    """Return a game after one in which the player has another seat."""
    other = _in_other_seat(context, scenario)
    with context.player.fresh() as connection:
        context.play(other, connection)
        return context.play(scenario, connection)


def _beside_other_seat(context: Context, pair: Sequence[Scenario], index: int) -> Trial:
    """Return one of two games by turns, in the other of which the player has another seat instead."""
    other = _in_other_seat(context, pair[index])
    mixed = (pair[0], other) if index == 0 else (other, pair[1])
    with context.player.fresh() as connection:
        return context.play_in_turn(mixed, connection)[index]


def _in_other_seat(context: Context, scenario: Scenario) -> Scenario:
    """Return the beginning of a game in which the player has another seat, as long as a game."""
    return context.beginnings(2, scenario.situation.turn_count)[-1]


def _seat_scenarios(context: Context, number: int, turn_count: int) -> list[Scenario]:
    """Return so many games that go on from different states, if there are such, in which the same seat decides."""
    found: list[Scenario] = []
    for scenario in _drawn(context, turn_count):
        if len(found) == number:
            break
        if not any(scenario.situation == each.situation for each in found):
            found.append(scenario)
    return found[: len(found) // 2 * 2]


def _drawn(context: Context, turn_count: int) -> Iterator[Scenario]:
    """Yield games that go on from drawn states in which the seat decides."""
    rng = context.rng("same seat", turn_count)
    usual = [each for each in sources(context) if each.settings == context.settings and not each.leaver_count]
    for step in rng.sample(range(STEPS + 1), STEPS + 1):
        for index, source in enumerate(rng.sample(usual, len(usual))):
            place = find_position(context.game, source, step / STEPS)
            if place is not None and place.seat == SEAT:
                yield Scenario(f"same-seat-{index}-{step}", place.situation(turn_count), source.seed)


def _judge_seat(context: Context, found: Trial, control: Control) -> None:
    """Judge a game beside or after others. What goes wrong in its state alone belongs to the cases of drawn states."""
    if found.misconduct is None:
        return
    judge_condition(context, found, alone(context, found), control)


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (many_games_at_once, one_ends_first, similar_ids, same_seat)
