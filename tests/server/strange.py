"""Messages in which strangers have changed something: numbers out of every range, enums without a meaning, holes."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from google.protobuf.message import Message

NUMBERS = (0, 1, -1, 7, 81, 200, 2**31 - 1, 2**32 - 1, 2**53, 2**63 - 1, 2**64 - 1, -(2**31), -(2**63))
TEXTS = ("", ".", "..", "../../etc/passwd", "\x1b[2J", "a" * 300, "fish", "a")


def parts(message: Message) -> Iterator[Message]:
    """Yield a message and all within it."""
    yield message
    for field, value in message.ListFields():
        if field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for part in [value] if isinstance(value, Message) else value:
                yield from parts(part)


def change(message: Message, rng: Random) -> None:
    """Change, add or clear a field of a message, or of one within it."""
    part = rng.choice([*parts(message)])
    fields = [*part.DESCRIPTOR.fields] if rng.random() < 0.3 else [field for field, _ in part.ListFields()]
    if not fields:
        return
    name = rng.choice(fields).name
    value = getattr(part, name)
    try:
        if isinstance(value, str | int | float | bytes):
            setattr(part, name, _other(value, rng))
        elif isinstance(value, Message) or not len(value) or rng.random() < 0.3:
            part.ClearField(name)
        elif isinstance(value[0], Message):
            value.append(value[0])
        else:
            value[rng.randrange(len(value))] = _other(value[0], rng)
    except (ValueError, TypeError, LookupError):  # no such number fits into the field, or it is a map
        part.ClearField(name)


def _other(value: Any, rng: Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice(NUMBERS)
    return bytes(reversed(value)) + b"\xff" if isinstance(value, bytes) else rng.choice(TEXTS)
