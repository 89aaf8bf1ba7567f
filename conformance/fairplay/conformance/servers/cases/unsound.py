"""Cases about states and settings that no game can have: sound ones with one value changed, in each field."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.descriptor import FieldDescriptor

from fairplay.conformance.games.profiles import Scope
from fairplay.conformance.games.variations import vary
from fairplay.conformance.servers.cases.refusals import refuse
from fairplay.conformance.servers.context import ALL_GAMES, GAMES, ServerContext, server_case
from fairplay.conformance.servers.drawn import draw_beginnings, draw_ended
from fairplay.conformance.servers.scenes import UNKNOWN_VALUE, Scene, draw_state
from fairplay.games.game import find

BASES = 36
"""So many sound states and settings are changed."""
NUMBER = re.compile(r"\d[\d,]*")
SIGNED = (FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_INT64)
"""The types of numbers that may be below 0."""
LIMIT_S = 600.0
"""For all requests of a case, each of which has a limit of its own."""
LAST_WORDS = 3
"""Sentences that end with the same words name other things, but are of one kind."""
FAR = 50
"""So far from a value is one that nothing has which counts seats, pieces or places."""


class Change(NamedTuple):
    """A copy of a message in which one value is another one."""

    field: str
    """The path of the field."""
    message: Any
    step: int = 0
    """By how much a number is greater; 0 for other values."""


class Unsound(NamedTuple):
    """A game that cannot be: in which field something is wrong, and what."""

    field: str
    problem: str
    scene: Scene


def changes(message: Any, path: str = "") -> Iterator[Change]:
    """Yield copies of a message in which one value is another one."""
    for field in message.DESCRIPTOR.fields:
        name = f"{path}.{field.name}" if path else field.name
        value = getattr(message, field.name)
        if field.is_repeated:
            others = _other_lists(field, list(value), name)
        elif field.message_type is None:
            others = (Change(name, other, step) for other, step in _other_values(field, value))
        else:
            others = changes(value, name) if message.HasField(field.name) else iter(())
        yield from (each._replace(message=_with(message, field, each.message)) for each in others)


def _with(message: Any, field: Any, value: Any) -> Any:
    """Return a copy of a message with another value of a field."""
    copy = type(message)()
    copy.CopyFrom(message)
    copy.ClearField(field.name)
    if field.is_repeated:
        getattr(copy, field.name).extend(value)
    elif field.message_type is not None:
        getattr(copy, field.name).CopyFrom(value)
    else:
        setattr(copy, field.name, value)
    return copy


def _other_values(field: Any, value: Any) -> Sequence[tuple[Any, int]]:
    """Return other values of a single field that holds no message, each with the step there."""
    if field.enum_type is not None:
        return [(each, 0) for each in (*field.enum_type.values_by_number, UNKNOWN_VALUE) if each != value]
    if isinstance(value, bool):
        return [(not value, 0)]
    if not isinstance(value, int):
        return []
    others = {value + 1, value - 1, value + FAR, 0, -1} - {value}
    return [(each, each - value) for each in sorted(others) if each >= 0 or field.cpp_type in SIGNED]


def _other_lists(field: Any, values: Sequence[Any], path: str) -> Iterator[Change]:
    """Yield other lists: shorter ones, a longer one, and some with another first or last element."""
    for at in sorted({0, len(values) - 1}) if values else ():
        if field.message_type is not None:
            others: Iterable[Change] = changes(values[at], path)
        else:
            others = [Change(path, other, step) for other, step in _other_values(field, values[at])]
        yield from (each._replace(message=[*values[:at], each.message, *values[at + 1 :]]) for each in others)
    if values:
        for each in ([*values[:-1]], [*values, values[0]], [*values, values[-1]], []):
            yield Change(path, each)


def _problem(check: Callable[..., object], *given: Any) -> str:
    """Return why a check refuses what it is given; empty: it does not."""
    try:
        check(*given)
    except ValueError as error:
        return str(error)
    return ""


Kind: TypeAlias = Callable[[str], Sequence[str]]
"""Returns what sentences have in common that say the same of other things."""


def _last_words(problem: str) -> Sequence[str]:
    """Return the last words of a sentence: in those on settings they name the limit, which others may set."""
    return tuple(problem.split()[-LAST_WORDS:])


def _last_words_without_numbers(problem: str) -> Sequence[str]:
    """Return the same without numbers, which in sentences on states are those of players and pieces."""
    return _last_words(NUMBER.sub("…", problem))


class _Nearest:
    """For each field each reason for which it is wrong once, above and below what is right: the smallest step there."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._found: dict[tuple[str, bool, Sequence[str]], tuple[int, Unsound]] = {}

    def add(self, change: Change, problem: str, scene: Scene) -> None:
        """Add a change that makes a game one that cannot be, for a problem."""
        key, step = (change.field, change.step > 0, self._kind(problem)), abs(change.step)
        if key not in self._found or step < self._found[key][0]:
            self._found[key] = step, Unsound(change.field, problem, scene)

    def all(self) -> Sequence[Unsound]:
        """Return what was found."""
        return [unsound for _, unsound in self._found.values()]


@cache
def draw_unsound_states(name: str) -> Sequence[Unsound]:
    """Return games whose first states cannot be, also such as begin when they are over."""
    game, found = find(name), _Nearest(_last_words_without_numbers)
    scenes, ended = draw_beginnings(name), [each.scene for each in draw_ended(name)]
    for scene in [*Random(name).sample(scenes, min(BASES, len(scenes))), *ended]:
        for change in changes(scene.state):
            if problem := _problem(game.check_state, scene.settings, change.message):
                found.add(change, problem, replace(scene, state=change.message))
    return found.all()


@cache
def draw_unsound_settings(name: str) -> Sequence[Unsound]:
    """Return games whose settings cannot be."""
    game, found = find(name), _Nearest(_last_words)
    for number, (_, given, count, _) in enumerate(vary(game, Random(f"{name}/unsound"), Scope(game))[:BASES]):
        sound = game.full_settings(given)
        state = draw_state(game, sound, count, number)
        for change in changes(sound):
            if problem := _problem(game.full_settings, change.message):
                found.add(change, problem, Scene(game, change.message, state, count))
    return found.all()


async def _refuse_all(context: ServerContext, reasons: Sequence[str], draw: Callable[[str], Sequence[Unsound]]) -> None:
    for name in ALL_GAMES:
        # A server need not have every game.
        wanted = [*reasons, *([] if name in GAMES else ["UNKNOWN_GAME"])]
        for unsound in draw(name):
            about = f"a wrong {unsound.field} of {unsound.scene.game.title} ({unsound.problem.rstrip('.')})"
            await refuse(context, context.request(unsound.scene), *wanted, about=about, play=False)


@server_case("refuses.each-state", "GAME-5", limit_s=LIMIT_S)
async def each_state(context: ServerContext) -> None:
    """A state that no game can have is no beginning, whatever is wrong with it."""
    await _refuse_all(context, ["INVALID_STATE", "INVALID_PLAYERS"], draw_unsound_states)


@server_case("refuses.settings-together", "GAME-3", limit_s=LIMIT_S)
async def settings_together(context: ServerContext) -> None:
    """Settings must make sense together, and so must each list of them."""
    await _refuse_all(context, ["INVALID_SETTINGS"], draw_unsound_settings)


CASES = (each_state, settings_together)
