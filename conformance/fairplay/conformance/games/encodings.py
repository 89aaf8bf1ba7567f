"""Other forms of a request: those that protobuf lets a library write, and that of a newer referee."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor, FileDescriptor
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from fairplay.games.kit.wire import varint, write_field

_LENGTH = 2
"""The wire type of what comes with its length: texts, messages and packed lists."""
_NEVER_PACKED = (
    FieldDescriptor.TYPE_STRING,
    FieldDescriptor.TYPE_BYTES,
    FieldDescriptor.TYPE_MESSAGE,
    FieldDescriptor.TYPE_GROUP,
)


_BYTES_OF: Mapping[int, tuple[int, int]] = {
    **dict.fromkeys((FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES), (_LENGTH, 1)),
    **dict.fromkeys((FieldDescriptor.TYPE_DOUBLE, FieldDescriptor.TYPE_FIXED64, FieldDescriptor.TYPE_SFIXED64), (1, 8)),
    **dict.fromkeys((FieldDescriptor.TYPE_FLOAT, FieldDescriptor.TYPE_FIXED32, FieldDescriptor.TYPE_SFIXED32), (5, 4)),
}
"""Type of a field -> its wire type, and how many bytes of zero say that it is 0 or empty; all others are varints."""


UNKNOWN_FIELD = 62_392
"""No message has a field of this number, or of a greater one."""
FILLER = varint(UNKNOWN_FIELD << 3 | _LENGTH)
"""The tag of a text that no message has."""


def _unknown_fields(first: int) -> bytes:
    """Return four fields from a number on, as of a later revision: a text, the largest number, a float and a double."""
    values = b"\x03new", b"\xff" * 9 + b"\x01", b"\0\0\xc0\x3f", bytes(6) + b"\x08\x40"
    wire_types = _LENGTH, 0, 5, 1
    return b"".join(
        varint(number << 3 | wire_type) + value
        for number, (wire_type, value) in enumerate(zip(wire_types, values, strict=True), first)
    )


UNKNOWN_FIELDS = _unknown_fields(UNKNOWN_FIELD)


def serialized(message: Message) -> bytes:
    """Return a message as our library writes it."""
    return message.SerializeToString()


def newer(message: Message, *, has_gaps: bool = True) -> bytes:
    """Return a message as a newer referee sends it, with unknown fields in every message.

    Without gaps they have the next numbers after those of the message.
    """
    copy = type(message)()
    copy.CopyFrom(message)
    for part in [*messages_in(copy)]:
        following = max(part.DESCRIPTOR.fields_by_number, default=0) + 1
        part.MergeFromString(UNKNOWN_FIELDS if has_gaps else _unknown_fields(following))
    return copy.SerializeToString()


def messages_in(message: Message) -> Iterator[Any]:
    """Yield a message and all messages that it holds."""
    yield message
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None or descriptor.message_type.GetOptions().map_entry:
            continue
        for part in [value] if isinstance(value, Message) else value:
            yield from messages_in(part)


def in_pieces(message: Message) -> bytes:
    """Return a message, its last field first, with each list of numbers in pieces, and what is 0 or empty written out.

    The first half of a list is written number by number, the other one packed.
    """
    fields = reversed(message.ListFields())
    pieces = b"".join(part for field, value in fields for part in _pieces(type(message), field, value))
    return b"".join(_zeros(message)) + pieces


def _zeros(message: Message) -> Iterator[bytes]:
    """Yield the fields of a message that are 0 or empty, as far as it says the same with them."""
    present = {field.number for field, _ in message.ListFields()}
    for field in message.DESCRIPTOR.fields:
        if field.number in present or field.has_presence or (field.is_repeated and field.type in _NEVER_PACKED):
            continue
        wire_type, size = (_LENGTH, 1) if field.is_repeated else _BYTES_OF.get(field.type, (0, 1))
        yield varint(field.number << 3 | wire_type) + bytes(size)


def _pieces(kind: type[Message], field: Any, value: Any) -> Iterator[bytes]:
    if field.message_type is not None and not field.message_type.GetOptions().map_entry:
        write = write_field(kind, field.name)
        for part in value if field.is_repeated else (value,):
            yield write(in_pieces(part))
    elif field.is_repeated and field.type not in _NEVER_PACKED:
        half = (len(value) + 1) // 2
        yield _unpacked(kind.DESCRIPTOR)(**{field.name: value[:half]}).SerializeToString()
        yield kind(**{field.name: value[half:]}).SerializeToString()
    else:
        yield kind(**{field.name: value}).SerializeToString()


@cache
def _unpacked(kind: Descriptor) -> type[Message]:
    """Return the type of the messages of a type whose lists are declared as [packed = false]."""
    pool = DescriptorPool()
    _add(pool, kind.file, set())
    return GetMessageClass(pool.FindMessageTypeByName(kind.full_name))


def _add(pool: DescriptorPool, file: FileDescriptor, added: set[str]) -> None:
    """Add a file, after those that it imports, to a pool in which no list is packed."""
    if file.name in added:
        return
    added.add(file.name)
    for each in file.dependencies:
        _add(pool, each, added)
    content = FileDescriptorProto()
    file.CopyToProto(content)
    for field in _fields(content.message_type):
        if field.label == FieldDescriptorProto.LABEL_REPEATED and field.type not in _NEVER_PACKED:
            field.options.packed = False
    pool.Add(content)


def _fields(kinds: Any) -> Iterator[FieldDescriptorProto]:
    for kind in kinds:
        yield from kind.field
        yield from _fields(kind.nested_type)
