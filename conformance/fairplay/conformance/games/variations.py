"""Games with settings away from their defaults, few of them, in which each pair of values is found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from fairplay.conformance.games.coverings import Row, cover_pairs
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game


class Variation(NamedTuple):
    """Settings of a game, and a number of players that they fit."""

    name: str
    settings: Message
    """With every default filled in."""
    player_count: int


class _Factor(NamedTuple):
    """What can be varied: a field of the settings, or the number of players (an empty name)."""

    name: str
    values: Sequence[Any]
    """The first one is the default; None: the field is not set."""


def vary(game: Game, rng: Random) -> list[Variation]:
    """Return variations of a game: the settings of its tournaments first, then some that cover all pairs of values."""
    factors = [_Factor("", game.seats), *_factors(game)]

    def is_allowed(row: Row) -> bool:
        return fits(game, _message(game, factors, row), game.seats[row[0]])

    rows = cover_pairs([len(factor.values) for factor in factors], is_allowed, rng)
    made = [(_message(game, factors, row), game.seats[row[0]]) for row in rows]
    return [
        Variation(f"settings-{number}", game.full_settings(settings), count)
        for number, (settings, count) in enumerate([(game.tournament_settings, game.seats.start), *made])
    ]


def fits(game: Game, settings: Message, player_count: int) -> bool:
    """Return whether settings are allowed and fit a number of players."""
    names = [f"player{seat}" for seat in range(player_count)]
    try:
        game.play("fits", game.full_settings(settings), names, Random(0), None).close()
    except ValueError:
        return False
    return True


def unusual_part(game: Game, settings: Message) -> Message:
    """Return the part of some settings that is not as the defaults are."""
    usual, found = game.full_settings(game.settings_type()), game.full_settings(settings)
    for field in found.DESCRIPTOR.fields:
        if getattr(found, field.name) == getattr(usual, field.name):
            found.ClearField(field.name)
    return found


def _factors(game: Game) -> Iterator[_Factor]:
    chosen = find_conformance(game.name).settings_values
    limits = {setting.name: setting.limits for setting in game.settings}
    default = game.full_settings(game.settings_type())
    for field in default.DESCRIPTOR.fields:
        if field.name in chosen:
            yield _Factor(field.name, [None, *chosen[field.name]])
        elif field.message_type is None and not field.is_repeated:
            usual = getattr(default, field.name)
            yield _Factor(field.name, [None, *_other_values(field, usual, limits.get(field.name))])


def _other_values(field: Any, usual: Any, limits: tuple[int, int] | None) -> list[Any]:
    """Return the choices of a field away from its usual value, or the least and the greatest number."""
    if field.enum_type is not None:
        return [number for number in field.enum_type.values_by_number if number not in (0, usual)]
    if field.type == FieldDescriptor.TYPE_BOOL:
        return [not usual]
    return [] if limits is None else [number for number in limits if number != usual]


def _message(game: Game, factors: Sequence[_Factor], row: Row) -> Message:
    settings = game.settings_type()
    for factor, index in zip(factors, row, strict=True):
        if factor.name and factor.values[index] is not None:
            _set(settings, factor.name, factor.values[index])
    return settings


def _set(settings: Message, name: str, value: Any) -> None:
    field = getattr(settings, name)
    if isinstance(value, Message):
        field.CopyFrom(value)
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        field.extend(value)
    else:
        setattr(settings, name, value)
