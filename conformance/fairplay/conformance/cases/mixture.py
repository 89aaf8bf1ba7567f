"""Cases about games with different settings in one process: one after the other, and call by call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from fairplay.conformance import case_ids
from fairplay.conformance.blame.judge import judge_condition
from fairplay.conformance.case import Case, case
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.rotation import play_in_turn
from fairplay.conformance.games.trial import Scenario, Trial
from fairplay.conformance.games.variations import Variation
from fairplay.games.conformance import Situation
from fairplay.games.game import Game

GAMES = 6
DECISIONS, FEW_DECISIONS = 24, 2
"""The player decides so often in each game; the second number is for players that are slow."""


@case(
    "memory.other-settings",
    "A game has nothing to do with the games before it.",
    "A player may be in several games at once; each request names its game.",
)
def other_settings(context: Context) -> None:
    """What was learnt of sizes, players and rules in one game does not hold in the next, or in one beside it."""
    scenarios = _scenarios(context)
    with context.player.separate() as connection:
        for scenario in scenarios:
            _judge(context, context.play(scenario, connection))
        for found in play_in_turn(context, scenarios, connection):
            _judge(context, found)


def _scenarios(context: Context) -> list[Scenario]:
    """Return an ordinary game, and some under different settings; none is played to its end."""
    rng, turn_count = context.rng("mixture"), FEW_DECISIONS if context.is_slow else DECISIONS
    drawn = rng.sample(context.variations, min(GAMES, len(context.variations)))
    first = context.first_scenario(turn_count)
    return [first, *(_scenario(context, each, turn_count) for each in drawn)]


def _scenario(context: Context, variation: Variation, turn_count: int) -> Scenario:
    name, count = f"mixture-{variation.name}", variation.player_count
    rng = context.rng(name)
    situation = Situation(variation.settings, count, rng.randrange(count), None, turn_count)
    return Scenario(name, situation, rng.getrandbits(32))


def _judge(context: Context, found: Trial) -> None:
    alone = partial(context.alone, found.scenario)
    judge_condition(
        context,
        found,
        (case_ids.UNUSUAL_SETTINGS, alone),
        (case_ids.BACK_TO_BACK, context.sequence),
        (case_ids.AT_ONCE, context.pair),
    )


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (other_settings,)
