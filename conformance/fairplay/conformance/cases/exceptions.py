"""Cases about errors: no valid request is answered with one, however unusual it is."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.conformance import case_ids
from fairplay.conformance.case import Case, case
from fairplay.conformance.games.context import Context
from fairplay.games.game import Game

DECISIONS = 4
STRANGE_IDS = ("x", "cup-2/round.1/game_3", "Z" * 128, "0", "-", "...")


@case(case_ids.NO_EXCEPTION, "No valid request is answered with an error status.")
def no_exception(context: Context) -> None:
    """A player that raises is out of the game."""
    context.judge_owned(case_ids.NO_EXCEPTION)


@case(case_ids.ALIVE, "A player stays connected from the first call of a game to the last.")
def stays_alive(context: Context) -> None:
    """A player whose process or connection ends is out of all its games."""
    context.judge_owned(case_ids.ALIVE)


@case("exceptions.unusual-ids", "A game_id is 1 to 128 letters, digits, '-', '_', '.' or '/'.")
def unusual_ids(context: Context) -> None:
    """The organiser chooses the ids of games."""
    with context.player.separate() as connection:
        for game_id in STRANGE_IDS:
            scenario = context.first_scenario(DECISIONS)
            found = context.play_as(scenario, connection, game_id)
            context.judge_condition(found, ("memory.back-to-back", context.sequence))


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (no_exception, stays_alive, unusual_ids)
