"""Settings of games between messages and rules, where fields have the same names; values of enums in words.

In messages a choice is an enum, e.g. LONE_SURVIVOR_PLAY_ON; in rules it is the end of that name in small letters, e.g.
"play_on".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from random import Random
from typing import Any, TypeVar

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

REMEMBERED = 64
"""How many different settings of a game are remembered."""

_Settings = TypeVar("_Settings")
_Message = TypeVar("_Message", bound=Message)


def remember_settings(read: Callable[[_Message], _Settings]) -> Callable[[_Message], _Settings]:
    """Decorate a function that reads settings: what the same message holds is read once.

    All games of a tournament have the same settings, and each game reads them several times.
    """

    @lru_cache(maxsize=REMEMBERED)
    def read_bytes(message_type: type[Any], data: bytes) -> _Settings:
        return read(message_type.FromString(data))

    @wraps(read)
    def remembered(message: _Message) -> _Settings:
        message_type: Any = type(message)
        return read_bytes(message_type, message.SerializeToString(deterministic=True))

    return remembered


def enum_word(enum: Any, value: int) -> str:
    """Return a value of an enum of the protos in words, e.g. "rule violation" for MISCONDUCT_KIND_RULE_VIOLATION.

    A value that this version does not know is its number.
    """
    known = enum.DESCRIPTOR.values_by_number.get(value)
    if known is None:
        return str(value)
    prefix = enum.DESCRIPTOR.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return str(known.name).removeprefix(prefix).replace("_", " ").lower()


def read_settings(
    message: Message,
    settings: Callable[..., _Settings],
    find_problem: Callable[[_Settings], tuple[str, str] | None],
    **others: Any,
) -> _Settings:
    """Return the settings of a message; `others` are those that it holds in lists or messages of their own.

    Raises ValueError, with one sentence, if a value is not allowed.
    """
    found = settings(**given(message), **others)
    if problem := find_problem(found):
        raise ValueError(problem[1])
    return found


def without_unknown_choices(message: _Message) -> _Message:
    """Return settings as a player reads them: what a later revision chooses is not set (CALL-8)."""
    known = type(message)()
    known.CopyFrom(message)
    for field, value in message.ListFields():
        if field.enum_type is not None and not field.is_repeated and value not in field.enum_type.values_by_number:
            known.ClearField(field.name)
    return known


def given(message: Message) -> dict[str, Any]:
    """Return the numbers, truth values and choices that a message sets. Raises ValueError for an unknown choice."""
    fields = ((field, value) for field, value in message.ListFields() if isinstance(value, int))
    return {field.name: _plain(field, value) for field, value in fields if field.enum_type is None or value}


def _plain(field: FieldDescriptor, value: Any) -> Any:
    if field.enum_type is None:
        return value
    known = field.enum_type.values_by_number.get(value)
    if known is None:
        raise ValueError(f"{field.name} has the unknown value {value}.")
    return known.name.removeprefix(f"{field.name.upper()}_").lower()


def fill(message: _Message, settings: object) -> _Message:
    """Return the message, with every number, truth value and choice set as the settings have them; None is left out."""
    for field in message.DESCRIPTOR.fields:
        is_plain = isinstance(getattr(message, field.name), int)
        if is_plain and (value := getattr(settings, field.name)) is not None:
            if field.enum_type is not None:
                value = field.enum_type.values_by_name[f"{field.name}_{value}".upper()].number
            setattr(message, field.name, value)
    return message


def read_draw_state(data: bytes, rng: Random) -> int:
    """Return the state of a generator of draws: eight bytes, the highest first; empty: drawn from `rng`.

    Raises ValueError if there are more or fewer bytes.
    """
    if not data:
        return rng.getrandbits(64)
    if len(data) != 8:
        raise ValueError(f"draw_state has {len(data)} bytes: it must have 8, or none.")
    return int.from_bytes(data, "big")
