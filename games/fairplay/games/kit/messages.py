"""Between a game's settings as a message and as its rules have them: the same names on both sides.

In messages a choice is an enum, e.g. LONE_SURVIVOR_PLAY_ON; in rules it is the end of that in small letters, "play_on".
"""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message


def given(message: Message) -> dict[str, Any]:
    """The numbers, truth values and choices that a message sets, not its lists. ValueError: there is no such choice."""
    fields = ((field, value) for field, value in message.ListFields() if isinstance(value, int))
    return {field.name: _plain(field, value) for field, value in fields if field.enum_type is None or value}


def _plain(field: FieldDescriptor, value: Any) -> Any:
    if field.enum_type is None:
        return value
    known = field.enum_type.values_by_number.get(value)
    if known is None:
        raise ValueError(f"{field.name} has the unknown value {value}.")
    return known.name.removeprefix(f"{field.name.upper()}_").lower()


def fill(message: Message, settings: object) -> None:
    """Sets every number, truth value and choice of a message, not its lists, as the settings have them."""
    for field in message.DESCRIPTOR.fields:
        if isinstance(getattr(message, field.name), int):
            value = getattr(settings, field.name)
            if field.enum_type is not None:
                value = field.enum_type.values_by_name[f"{field.name}_{value}".upper()].number
            setattr(message, field.name, value)
