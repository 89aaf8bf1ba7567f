"""Cases about games in the same seat: one is left and another one goes on, or both go on call by call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from fairplay.conformance import case_ids
from fairplay.conformance.blame.judge import Control, judge_condition
from fairplay.conformance.case import Case, case
from fairplay.conformance.cases.states import CASES, STEPS, sources
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.positions import find_position
from fairplay.conformance.games.rotation import play_in_turn
from fairplay.conformance.games.trial import Scenario, Trial
from fairplay.games.game import Game

SEAT = 0
NEVER_ENDED = "memory.never-ended"
GAMES, FEW_GAMES = 16, 6
"""The second number is for players that are slow."""
DECISIONS, FEW_DECISIONS = 8, 2
"""The player decides so often in each of two games at the same time."""


@case(
    "memory.same-seat",
    "A player may be in several games at once; each request names its game.",
    "A game may end at any time, without a word to the player.",
)
def same_seat(context: Context) -> None:
    """Who keeps its plans by its seat, and not by the id of the game, carries them over into another one."""
    number, turn_count = (FEW_GAMES, FEW_DECISIONS) if context.is_slow else (GAMES, DECISIONS)
    with context.player.separate() as connection:
        for scenario in _scenarios(context, number, 1):
            found = context.play(scenario, connection)
            _judge(context, found, (NEVER_ENDED, partial(_after_other_seat, context, scenario)))
    scenarios = _scenarios(context, number, turn_count)
    with context.player.separate() as connection:
        for pair in zip(scenarios[::2], scenarios[1::2], strict=True):
            for index, found in enumerate(play_in_turn(context, pair, connection)):
                _judge(context, found, (case_ids.AT_ONCE, partial(_beside_other_seat, context, pair, index)))


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
        return play_in_turn(context, mixed, connection)[index]


def _in_other_seat(context: Context, scenario: Scenario) -> Scenario:
    """Return the beginning of a game in which the player has another seat, as long as a game."""
    return context.beginnings(2, scenario.situation.turn_count)[-1]


def _scenarios(context: Context, number: int, turn_count: int) -> list[Scenario]:
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
    usual = [each for each in sources(context) if each.settings == context.settings]
    for step in rng.sample(range(STEPS + 1), STEPS + 1):
        for index, source in enumerate(rng.sample(usual, len(usual))):
            place = find_position(context.game, source, step / STEPS)
            if place is not None and place.seat == SEAT:
                yield Scenario(f"same-seat-{index}-{step}", place.situation(turn_count), source.seed)


def _judge(context: Context, found: Trial, control: Control) -> None:
    """Judge a game beside or after others. What goes wrong in its state alone belongs to the cases of drawn states."""
    if found.misconduct is None:
        return
    judge_condition(
        context,
        found,
        (CASES[found.misconduct.kind].id, partial(context.alone, found.scenario)),
        control,
    )


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (same_seat,)
