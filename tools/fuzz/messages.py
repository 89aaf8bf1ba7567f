"""Random messages and HTTP/2 frames, and messages with fields that nobody knows."""

from __future__ import annotations

import random
import struct
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message_factory import GetMessageClass

UNKNOWN_FIELD = 15_000


def random_message(rng: random.Random, descriptor: Descriptor, depth: int = 0) -> Any:
    """Return a message of a type with random fields, a few levels deep."""
    message = GetMessageClass(descriptor)()
    for each in descriptor.fields:
        if rng.random() < 0.4:
            continue
        try:
            _fill(rng, message, each, depth)
        except (TypeError, ValueError, AttributeError):  # e.g. a time beyond its range: another message will do
            continue
    return message


def _fill(rng: random.Random, message: Any, each: FieldDescriptor, depth: int) -> None:
    held = getattr(message, each.name)
    if each.message_type is not None:
        if depth < 4:
            made = random_message(rng, each.message_type, depth + 1)
            (held.add() if hasattr(held, "add") else held).CopyFrom(made)
    elif hasattr(held, "append"):
        held.append(_value(rng, each))
    else:
        setattr(message, each.name, _value(rng, each))


def _value(rng: random.Random, each: FieldDescriptor) -> Any:
    if each.enum_type is not None:
        return rng.choice(each.enum_type.values).number
    if each.type == FieldDescriptor.TYPE_STRING:
        return rng.choice(["", "fish", "bot:first", "g", "x" * rng.randrange(300), "\u202e", "dial-in:x", "9" * 30])
    if each.type == FieldDescriptor.TYPE_BYTES:
        return rng.randbytes(rng.randrange(64))
    if each.type == FieldDescriptor.TYPE_BOOL:
        return rng.random() < 0.5
    return rng.choice([0, 1, 2, 255, 2**31 - 1, 2**32 - 1, 2**63 - 1, 2**64 - 1, -1])


def random_frame(rng: random.Random) -> bytes:
    """Return an HTTP/2 frame: a head that may fit its payload, and random bytes."""
    payload = rng.randbytes(rng.choice([0, 4, 5, 8, 9, rng.randrange(512)]))
    length = len(payload) if rng.random() < 0.9 else rng.randrange(2**24)
    kind, flags = rng.choice([*range(10), rng.randrange(256)]), rng.randrange(256)
    return struct.pack(">I", length)[1:] + bytes([kind, flags]) + struct.pack(">I", rng.randrange(64)) + payload


def unknown_field(payload: bytes) -> bytes:
    """Return a field of bytes that no message of ours has; it may stand behind the fields of any message."""
    return _varint(UNKNOWN_FIELD << 3 | 2) + _varint(len(payload)) + payload


def _varint(value: int) -> bytes:
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*groups, value])
