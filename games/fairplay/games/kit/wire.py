"""Requests put together from serialised parts.

Much of a request is what the one before it held: the board, the cards, the other players. To serialise a part once and
to join bytes costs a fraction of filling in a message. Parts must be joined in the order of their fields' numbers, and
a number that is 0 left out, as protobuf does: then the bytes are those of the whole message.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from google.protobuf.message import Message

MAX_ONE_BYTE = 127
"""The largest number that is one byte."""

Write: TypeAlias = "Callable[[bytes | bytearray], bytes]"
"""Returns a field from its content: a serialised message, a packed list, or text."""
WriteNumber: TypeAlias = Callable[[int], bytes]
"""Returns a field from its number; nothing if it is 0 and the field does not tell 0 from not set."""

_VARINT, _LENGTH = 0, 2
_ONE_BYTE = [bytes((number,)) for number in range(MAX_ONE_BYTE + 1)]


def varint(number: int) -> bytes:
    """Return a number that is not negative."""
    if number <= MAX_ONE_BYTE:
        return _ONE_BYTE[number]
    digits = bytearray()
    while number > MAX_ONE_BYTE:
        digits.append(number & MAX_ONE_BYTE | MAX_ONE_BYTE + 1)
        number >>= 7
    digits.append(number)
    return bytes(digits)


def zigzag(number: int) -> int:
    """Return what stands for a number of any sign in a field of signed numbers."""
    return number << 1 if number >= 0 else (-number << 1) - 1


def packed(numbers: Sequence[int]) -> bytes:
    """Return the content of a list of numbers that are not negative."""
    try:
        data = bytes(numbers)
    except ValueError:  # a number is beyond 255
        data = b"\xff"
    return data if data.isascii() else b"".join(map(varint, numbers))  # mostly, and found out at no cost


def write_field(kind: type[Message], name: str) -> Write:
    """Return what writes a field of bytes, also where they are none: a message, a list or a text."""
    key = _key(kind, name, _LENGTH)

    def write(content: bytes | bytearray) -> bytes:
        return key + varint(len(content)) + content

    return write


def write_number(kind: type[Message], name: str) -> WriteNumber:
    """Return what writes a field that is a number, an enum or a truth value."""
    key, zero = _key(kind, name, _VARINT), b""
    if kind.DESCRIPTOR.fields_by_name[name].has_presence:
        zero = key + varint(0)

    def write(number: int) -> bytes:
        return key + varint(number) if number else zero

    return write


def write_numbers(kind: type[Message], name: str) -> Callable[[Sequence[int]], bytes]:
    """Return what writes a list of numbers that are not negative; an empty one is nothing."""
    write = write_field(kind, name)

    def write_packed(numbers: Sequence[int]) -> bytes:
        return write(packed(numbers)) if numbers else b""

    return write_packed


class Heads:
    """The beginnings of the requests of one game, by seat: in every game `game_id` is field 1, and `seat` field 2."""

    def __init__(self, kind: type[Message], game_id: str) -> None:
        self._game_id = write_field(kind, "game_id")(game_id.encode())
        self._seat = write_number(kind, "seat")

    def __getitem__(self, seat: int) -> bytes:
        """Return the beginning of a request to a seat."""
        return self._game_id + self._seat(seat)


def _key(kind: type[Message], name: str, wire_type: int) -> bytes:
    return varint(kind.DESCRIPTOR.fields_by_name[name].number << 3 | wire_type)
