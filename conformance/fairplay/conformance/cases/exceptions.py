"""Cases about errors: no valid request is answered with one, however unusual it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from fairplay.conformance import owners
from fairplay.conformance.case import Case, case
from fairplay.conformance.context import Context
from fairplay.conformance.trial import Scenario, Trial, seat_names
from fairplay.games.conformance import Situation
from fairplay.games.game import Game

DECISIONS = 4
STRANGE_IDS = ("x", "cup-2/round.1/game_3", "Z" * 128, "0", "-", "...")


@case(owners.NO_EXCEPTION, "No valid request is answered with an error status.")
def no_exception(context: Context) -> None:
    """A player that raises is out of the game."""
    context.judge_owned(owners.NO_EXCEPTION)


@case(owners.ALIVE, "A player stays connected from the first call of a game to the last.")
def stays_alive(context: Context) -> None:
    """A player whose process or connection ends is out of all its games."""
    context.judge_owned(owners.ALIVE)


@case(
    "exceptions.unusual-settings", "No valid request is answered with an error status, under any settings of the game."
)
def unusual_settings(context: Context) -> None:
    """An organiser may choose settings that the author never tried; breaking a rule is not what this case looks at."""
    with context.shared() as connection:
        for name, settings in _variations(context.game):
            situation = Situation(settings, context.game.seats.start, 0, turn_count=DECISIONS)
            if _playable(context.game, situation):
                found = context.play(Scenario(name, situation, context.rng(name).getrandbits(32)), connection)
                _judge_exception(context, found)


def _judge_exception(context: Context, found: Trial) -> None:
    if found.misconduct is not None and found.misconduct.HasField("call_error"):
        context.judge(found)


def _playable(game: Game, situation: Situation) -> bool:
    """Return whether the settings fit the number of players."""
    try:
        game.play("playable", situation.settings, seat_names(situation), Random(0), None).close()
    except ValueError:
        return False
    return True


def _variations(game: Game) -> Iterator[tuple[str, Message]]:
    """Yield the settings of tournaments, and the defaults with one setting changed to another choice or number."""
    yield "tournaments", game.full_settings(game.tournament_settings)
    default = game.full_settings(game.settings_type())
    for field in default.DESCRIPTOR.fields:
        if field.message_type is None and not field.is_repeated:
            for value in _other_values(field, getattr(default, field.name)):
                changed = game.settings_type()
                changed.CopyFrom(default)
                setattr(changed, field.name, value)
                try:
                    yield f"{field.name}-{value}", game.full_settings(changed)
                except ValueError:
                    continue  # not allowed, or not together with the rest


def _other_values(field: Any, value: object) -> list[object]:
    if field.enum_type is not None:
        return [number for number in field.enum_type.values_by_number if number not in (0, value)]
    if field.type == FieldDescriptor.TYPE_BOOL:
        return [not value]
    return [value + 1, value - 1] if isinstance(value, int) and value > 1 else []


@case("exceptions.unusual-ids", "A game_id is 1 to 128 letters, digits, '-', '_', '.' or '/'.")
def unusual_ids(context: Context) -> None:
    """The organiser chooses the ids of games."""
    with context.player.separate() as connection:
        for game_id in STRANGE_IDS:
            scenario = context.scenario(*context.seatings[0], DECISIONS)
            found = context.play_as(scenario, connection, game_id)
            context.judge_condition(found, ("memory.back-to-back", context.sequence))


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (no_exception, stays_alive, unusual_settings, unusual_ids)
