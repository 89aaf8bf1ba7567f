"""What all first states have in common that a game draws under some settings, and whether a state has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from google.protobuf.message import Message

from fairplay.conformance.case import failure
from fairplay.conformance.evidence import readable
from fairplay.conformance.servers.compare import short_text
from fairplay.conformance.servers.scenes import Scene, draw_state
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game, find

DRAWS = 12
"""In so many states what is left to chance is not the same."""
LONG = 16
"""Lists of so many things are in order, or all the same, by chance hardly ever."""


def check_first_state(scene: Scene, state: Message) -> None:
    """Check that a server drew a first state as the settings say.

    What is the same in all states that are drawn follows from the settings: sizes, and how often each thing is there.
    Raises Failure if a state has another value.
    """
    found = dict(_traits(scene.game, state))
    for name, wanted in _common_traits(scene.game.name, scene.settings.SerializeToString(), scene.player_count).items():
        if found.get(name) != wanted:
            raise failure(
                "The first state that the server has drawn does not follow from the settings: "
                f"{name} must be {short_text(wanted)}; it is {short_text(found.get(name))}.",
                ("Settings", readable(scene.settings)),
                ("First state", readable(state)),
            )


@cache
def _common_traits(name: str, settings: bytes, player_count: int) -> Mapping[str, object]:
    """Return the traits that all first states have which are drawn under some settings."""
    game = find(name)
    parsed = game.settings_type.FromString(settings)
    first, *others = (dict(_traits(game, draw_state(game, parsed, player_count, seed))) for seed in range(DRAWS))
    return {trait: value for trait, value in first.items() if all(each.get(trait) == value for each in others)}


def _traits(game: Game, state: Message) -> Iterator[tuple[str, object]]:
    """Yield what may be the same in all first states: sizes, single values, and how often each thing is there."""
    things = find_conformance(game.name).pieces.things
    for group in things:
        counted = Counter(thing for path in group for thing in _values(state, path.split(".")))
        yield f"what is in {' and '.join(group)}", sorted(counted.items())
    grouped = {path for group in things for path in group}
    for field in state.DESCRIPTOR.fields:
        name, value = field.name, getattr(state, field.name)
        if not field.is_repeated:
            if field.message_type is None:
                yield name, value
            continue
        yield f"the length of {name}", len(value)
        if len(value) >= LONG:
            yield f"whether {name} is in disorder", _is_in_disorder(value)
        if field.message_type is not None:
            lists = [inner.name for inner in field.message_type.fields if inner.is_repeated]
            yield from (
                (f"the length of {name}[{at}].{each}", len(getattr(part, each)))
                for at, part in enumerate(value)
                for each in lists
            )
        elif name not in grouped:
            yield f"how often {name} has each value", sorted(Counter(value).items())


def _is_in_disorder(values: Sequence[Any]) -> bool:
    """Return whether the things of a list are neither in order nor all the same."""
    found = [each.SerializeToString() if isinstance(each, Message) else each for each in values]
    return found != sorted(found) and len(set(found)) > 1


def _lists(message: Any, path: Sequence[str]) -> Iterator[Sequence[Any]]:
    """Yield the lists at a path, one for each message on the way."""
    name, *rest = path
    value = getattr(message, name)
    if not rest:
        yield value
        return
    for part in value if message.DESCRIPTOR.fields_by_name[name].is_repeated else [value]:
        yield from _lists(part, rest)


def _values(message: Any, path: Sequence[str]) -> Iterator[object]:
    """Yield what the lists at a path hold."""
    for each in _lists(message, path):
        yield from (readable(part, one_line=True) if isinstance(part, Message) else part for part in each)
