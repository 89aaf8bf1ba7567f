"""Games with settings away from their defaults, few of them, in which each pair of values is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from random import Random
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from fairplay.conformance.games.profiles import Scope
from fairplay.games.conformance import Profile, find_conformance
from fairplay.games.game import Game


class Variation(NamedTuple):
    """Settings of a game, and a number of players that they fit."""

    name: str
    settings: Message
    """With every default filled in."""
    player_count: int
    beside: Any = None
    """What is done in the game, of what was to be paired with the settings; None: nothing."""


class _Factor(NamedTuple):
    """What can be varied: a field of the settings, or with an empty name the number of players, or what is beside."""

    name: str
    values: Sequence[Any]
    """The first one is the default; None: the field is not set."""


def vary(game: Game, rng: Random, scope: Scope, beside: Sequence[Any] = ()) -> list[Variation]:
    """Return variations of a game: the settings of its tournaments first, then some that cover all pairs of values.

    What may be done in a game is paired with each value, too: `beside`. Variations outside the profile are left out. If
    nothing can be varied in it, none are left.
    """
    others = [_Factor("", [None, *beside])] if beside else []
    factors = [_Factor("", game.seats), *_factors(game, scope.profile), *others]

    def is_allowed(row: Row) -> bool:
        return fits(game, _message(game, factors, row), game.seats[row[0]])

    rows = cover_pairs([len(factor.values) for factor in factors], is_allowed, rng)
    done = [others[0].values[row[-1]] if others else None for row in rows]
    made = [(_message(game, factors, row), game.seats[row[0]], does) for row, does in zip(rows, done, strict=True)]
    tried = [(game.tournament_settings, game.seats.start, None), *made]
    if scope.profile is not None:
        tried = [each for each in tried if scope.allows(each[0]) and unusual_part(game, each[0]).ByteSize()]
    return [
        Variation(f"settings-{number}", game.full_settings(settings), count, does)
        for number, (settings, count, does) in enumerate(tried)
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


def _factors(game: Game, profile: Profile | None) -> Iterator[_Factor]:
    chosen = find_conformance(game.name).settings_values
    limits = {setting.name: setting.limits for setting in game.settings}
    default = game.full_settings(game.settings_type())
    for field in default.DESCRIPTOR.fields:
        values: list[Any] = []
        if field.name in chosen:
            values = [*chosen[field.name]]
        elif field.message_type is None and not field.is_repeated:
            values = _other_values(field, getattr(default, field.name), limits.get(field.name))
        elif profile is None:
            continue
        yield _Factor(field.name, [None, *(values if profile is None else _values_of(profile, field.name, values))])


def _values_of(profile: Profile, name: str, tried: Sequence[Any]) -> list[Any]:
    """Return the values of a field to try in a profile: those that it lists, its least and greatest, and tried ones."""
    has = profile.settings.get(name, ())
    listed = [has[0], has[-1]] if isinstance(has, range) else has if isinstance(has, list) else []
    return [*listed, *(each for each in tried if each in has and each not in listed)]


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


Row: TypeAlias = tuple[int, ...]
"""The index of a value for each factor."""
Value: TypeAlias = tuple[int, int]
"""The index of a factor, and of one of its values."""
Pair: TypeAlias = tuple[Value, Value]
"""Values of two factors, the factor with the lower index first."""

CHOICES = 4
"""From so many rows the best one is taken."""
ATTEMPTS = 6
"""After so many times in which none of them was allowed a pair of values is given up; the last one is all defaults."""


def cover_pairs(sizes: Sequence[int], is_allowed: Callable[[Row], bool], rng: Random) -> list[Row]:
    """Return allowed rows in which each pair of values of two factors is found, if it can be.

    `sizes` says how many values each factor has. The value 0 of each is its default: a pair that is allowed with the
    defaults of all other factors is always found, any other one nearly always.
    """
    missing = dict.fromkeys(_all_pairs(sizes))
    rows: list[Row] = []
    while missing:
        pair = next(iter(missing))
        found = _find_row(pair, sizes, missing, is_allowed, rng)
        if found is None:
            del missing[pair]
            continue
        rows.append(found)
        for covered in _pairs_of(found):
            missing.pop(covered, None)
    return rows


def _all_pairs(sizes: Sequence[int]) -> Iterator[Pair]:
    for first, second in combinations(range(len(sizes)), 2):
        for values in product(range(sizes[first]), range(sizes[second])):
            yield (first, values[0]), (second, values[1])


def _pairs_of(row: Row) -> Iterator[Pair]:
    return combinations(enumerate(row), 2)


def _find_row(
    pair: Pair, sizes: Sequence[int], missing: dict[Pair, None], is_allowed: Callable[[Row], bool], rng: Random
) -> Row | None:
    """Return an allowed row with a pair of values and many other missing pairs, or None if none was found."""
    for attempt in range(ATTEMPTS):
        rows = [_fill(pair, sizes, missing, rng, attempt / (ATTEMPTS - 1)) for _ in range(CHOICES)]
        rows.sort(key=lambda row: sum(each in missing for each in _pairs_of(row)), reverse=True)
        found = next(filter(is_allowed, rows), None)
        if found is not None:
            return found
    return None


def _fill(pair: Pair, sizes: Sequence[int], missing: dict[Pair, None], rng: Random, caution: float) -> Row:
    """Return a row with a pair: each other factor has the value with the most missing pairs, or else its default."""
    row = dict(pair)
    rest = [factor for factor in range(len(sizes)) if factor not in row]
    rng.shuffle(rest)
    for factor in rest:
        values = [0] if rng.random() < caution else rng.sample(range(sizes[factor]), sizes[factor])
        row[factor] = max(values, key=lambda value: _gain((factor, value), row, missing))
    return tuple(row[factor] for factor in range(len(sizes)))


def _gain(new: Value, row: dict[int, int], missing: dict[Pair, None]) -> int:
    """Return how many missing pairs a value has with those that a row already has."""
    return sum(((new, old) if new < old else (old, new)) in missing for old in row.items())
