"""Features of decisions: what the request of one has in common with others, so that states can be drawn by it.

Most follow from the messages alone, of any game: for each field how large it is, how long a list is, how many of its
elements are equal, who has most. A game adds its own, `Conformance.features`.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game

Feature: TypeAlias = str
"""Its name, e.g. "state.players.hand: 4 equal"; of one that the game declares the name in its table."""
SIZES = (0, 1, 2, 3, 4, 5, 6, 7, 9, 13, 17, 33, 65, 129, 257, 1_025, 65_536, 2**31)
"""Numbers from one of these up to the next one are the same size."""
SETTINGS = "settings."
"""With this begins a feature of settings that are not as usual."""
BORDER = re.compile(r".*: ([01]( in all| together)?|1 kinds|missing|[A-Z][A-Z0-9_]+)")
"""The features with nothing, with one, with all alike, and with a choice."""
IGNORED = frozenset({"game_id", "seat", "revision"})
"""The names of fields that say nothing about a position."""


def own_features(game: Game) -> Mapping[Feature, str]:
    """Return the features that a game declares, and the sentence of each."""
    keys = [key.partition(": ") for key in find_conformance(game.name).features.holds]
    return {name: sentence for name, _, sentence in keys}


def features_of(game: Game, request: Message) -> frozenset[Feature]:
    """Return the features of a decision that a player is asked for."""
    found = {*find_conformance(game.name).features.find(request)}
    found.add(f"method: {request.DESCRIPTOR.name.removesuffix('Request')}")
    found.update(_walk([request], "", getattr(request, "seat", 0)))
    return frozenset(map(sys.intern, found))  # many decisions have the same ones


def matters(feature: Feature, declared: Container[Feature]) -> bool:
    """Return whether a feature is one whose pairs are drawn before those of others.

    Those are the features that the game declares, those of settings, and those at borders: nothing, one, all alike.
    """
    return feature in declared or feature.startswith(SETTINGS) or _is_at_border(feature)


@cache
def _is_at_border(feature: Feature) -> bool:
    return BORDER.fullmatch(feature) is not None


def settings_features(game: Game, settings: Message) -> frozenset[Feature]:
    """Return the features of settings, of which only those away from the defaults count."""
    usual, full = game.full_settings(game.settings_type()), game.full_settings(settings)
    unusual = [field for field in full.DESCRIPTOR.fields if getattr(full, field.name) != getattr(usual, field.name)]
    return frozenset(f"{SETTINGS}{field.name}: {_setting(field, getattr(full, field.name))}" for field in unusual)


def _setting(field: Any, value: Any) -> str:
    if field.enum_type is not None:
        return str(field.enum_type.values_by_number[value].name)
    return "another" if field.is_repeated or field.message_type is not None else size(value)


def size(number: float) -> str:
    """Return the size of a number, e.g. "3" or "9 to 12"."""
    sign, place = "-" if number < 0 else "", bisect_right(SIZES, abs(number)) - 1
    if place + 1 == len(SIZES):
        return f"{sign}{SIZES[place]} or more"
    low, high = SIZES[place], SIZES[place + 1] - 1
    return f"{sign}{low}" if low == high else f"{sign}{low} to {high}"


def _walk(messages: Sequence[Any], path: str, seat: int) -> Iterator[Feature]:
    """Yield the features of messages of one type that stand in one place."""
    for field in messages[0].DESCRIPTOR.fields:
        if field.name in IGNORED:
            continue
        name = f"{path}{field.name}"
        if field.is_repeated:
            lists = [getattr(each, field.name) for each in messages]
            values = [element for each in lists for element in each]
            yield f"{name}: {size(len(values))} in all"
            if len(lists) > 1:
                yield from _numbers([len(each) for each in lists], f"{name}, its lengths", seat)
        else:
            values = [
                getattr(each, field.name) for each in messages if not field.has_presence or each.HasField(field.name)
            ]
            if field.has_presence:
                yield f"{name}: {'missing' if not values else 'there' if len(values) == len(messages) else 'mixed'}"
        if values:
            yield from _values(field, values, name, seat)


def _values(field: FieldDescriptor, values: Sequence[Any], name: str, seat: int) -> Iterator[Feature]:
    """Yield the features of what a field holds in one message or several, at least one value."""
    if field.message_type is not None:
        yield from _walk(values, f"{name}.", seat)
        if field.is_repeated and len(values) > 1:
            yield from _copies([each.SerializeToString(deterministic=True) for each in values], name)
    elif field.enum_type is not None:
        for number in set(values):
            known = field.enum_type.values_by_number.get(number)
            yield f"{name}: {number if known is None else known.name}"
        if len(values) > 1:
            yield from _copies(values, name)
    elif field.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES):
        yield f"{name}: {'some' if any(values) else 'empty'}"
    else:
        yield from _numbers(values, name, seat)
        if len(values) > 1:
            yield from _copies(values, name)


def _numbers(values: Sequence[float], name: str, seat: int) -> Iterator[Feature]:
    """Yield the features of numbers: how large they are, and how they compare."""
    if len(values) == 1:
        yield f"{name}: {size(values[0])}"
        return
    most, least = max(values), min(values)
    yield f"{name}: the most is {size(most)}"
    yield f"{name}: the least is {size(least)}"
    yield f"{name}: {size(sum(values))} together"
    yield f"{name}: {size(values.count(0))} are 0"
    yield f"{name}: {size(values.count(most))} have the most"
    for which, index in (("first", 0), ("last", -1), ("own", seat)):
        if index < len(values):
            value = values[index]
            place = "the most" if value == most else "the least" if value == least else "between"
            yield f"{name}: the {which} one is {place}"


def _copies(values: Sequence[Any], name: str) -> Iterator[Feature]:
    """Yield how many elements are equal, and how many kinds there are."""
    counts = Counter(values)
    yield f"{name}: {size(max(counts.values()))} equal"
    yield f"{name}: {size(len(counts))} kinds"
