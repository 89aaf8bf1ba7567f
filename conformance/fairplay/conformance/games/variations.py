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
    missing = _Missing(sizes)
    rows: list[Row] = []
    while (pair := missing.first()) is not None:
        found = _find_row(pair, sizes, missing, is_allowed, rng)
        if found is not None:
            rows.append(found)
        for covered in [pair] if found is None else combinations(enumerate(found), 2):
            missing.discard(covered)
    return rows


class _Missing:
    """The pairs of values that no row has yet. Sets of values are the bits of numbers, which are counted at once."""

    def __init__(self, sizes: Sequence[int]) -> None:
        values = [(factor, value) for factor, size in enumerate(sizes) for value in range(size)]
        self.bits = {value: 1 << number for number, value in enumerate(values)}
        self._pairs = dict.fromkeys(_all_pairs(sizes))
        self._others = dict.fromkeys(values, 0)
        """Value -> those with which it has no row yet."""
        for one, other in self._pairs:
            self._others[one] |= self.bits[other]
            self._others[other] |= self.bits[one]

    def first(self) -> Pair | None:
        """Return one of them; None: there are none left."""
        return next(iter(self._pairs), None)

    def discard(self, pair: Pair) -> None:
        """Take away a pair, if it is there."""
        one, other = pair
        if pair in self._pairs:
            del self._pairs[pair]
            self._others[one] ^= self.bits[other]
            self._others[other] ^= self.bits[one]

    def count(self, value: Value, others: int) -> int:
        """Return how many missing pairs a value has with others."""
        return (self._others[value] & others).bit_count()

    def count_in(self, row: Row) -> int:
        """Return twice the number of missing pairs that a row has."""
        held = sum(map(self.bits.__getitem__, enumerate(row)))
        return sum(self.count(value, held) for value in enumerate(row))


def _all_pairs(sizes: Sequence[int]) -> Iterator[Pair]:
    for first, second in combinations(range(len(sizes)), 2):
        for values in product(range(sizes[first]), range(sizes[second])):
            yield (first, values[0]), (second, values[1])


def _find_row(
    pair: Pair, sizes: Sequence[int], missing: _Missing, is_allowed: Callable[[Row], bool], rng: Random
) -> Row | None:
    """Return an allowed row with a pair of values and many other missing pairs, or None if none was found."""
    for attempt in range(ATTEMPTS):
        rows = [_fill(pair, sizes, missing, rng, attempt / (ATTEMPTS - 1)) for _ in range(CHOICES)]
        rows.sort(key=missing.count_in, reverse=True)
        found = next(filter(is_allowed, rows), None)
        if found is not None:
            return found
    return None


def _fill(pair: Pair, sizes: Sequence[int], missing: _Missing, rng: Random, caution: float) -> Row:
    """Return a row with a pair: each other factor has the value with the most missing pairs, or else its default."""
    row = dict(pair)
    held = sum(map(missing.bits.__getitem__, pair))
    rest = [factor for factor in range(len(sizes)) if factor not in row]
    rng.shuffle(rest)
    for factor in rest:
        values = [0] if rng.random() < caution else rng.sample(range(sizes[factor]), sizes[factor])
        row[factor] = max(values, key=lambda value: missing.count((factor, value), held))
        held |= missing.bits[factor, row[factor]]
    return tuple(row[factor] for factor in range(len(sizes)))
