"""Requests that are refused before anything is done with them: those that cannot be read, or are too long.

gRPC calls the deserializer before any handler, and takes an exception of it for a fault of the server. So it returns a
`Malformed` instead of raising, which the handler turns into a refusal.

What a stranger sends is kept in records, shown in lists and repeated in errors: without a bound one cheap request would
make many expensive answers. The comment of each field in the protos says the same number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from fairplay.server.net.errors import Refusal
from fairplay.server.net.text import is_plain

PLAIN = frozenset({"reason", "title"})
"""What is shown as it is, and must hold no characters that play tricks."""
CUT = frozenset({"display_name", "software_version", "GameService.name"})
"""What is cut, not refused: what players say about themselves, which must not keep them from playing."""
PACKAGE = "fairplay.v1"


class Malformed:
    """What stands for a request that cannot be parsed."""


def guard_deserializer(parse: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    """Return a deserializer that returns a Malformed for bytes that `parse` cannot parse."""

    def guarded(data: bytes) -> Any:
        try:
            return parse(data)
        except DecodeError:
            return Malformed()

    return guarded


def sound(request: Any) -> Any:
    """Return a request that was parsed. Raises Refusal if it was not."""
    if isinstance(request, Malformed):
        raise Refusal("PROTOCOL_BROKEN", "the request cannot be parsed: it is not a message of the method's type")
    return request


class Bound(NamedTuple):
    """The most characters of a string, or bytes of bytes, and the reason for which a longer one is refused."""

    length: int
    reason: str


BOUNDS: Mapping[str, Bound] = {
    "account": Bound(128, "NAME_INVALID"),
    "cases": Bound(200, "INVALID_SIGN_UP"),
    "certificate": Bound(1024 * 1024, "CERTIFICATE_REQUIRED"),
    "digest": Bound(64, "INVALID_PLAYERS"),
    "display_name": Bound(80, "NAME_INVALID"),
    "challengers": Bound(64, "INVALID_FORMAT"),
    "game": Bound(64, "UNKNOWN_GAME"),
    "game_id": Bound(128, "INVALID_ID"),
    "invitation": Bound(256, "WRONG_TOKEN"),
    "link": Bound(4_096, "INVALID_LINK"),
    "name": Bound(64, "NAME_INVALID"),
    "name_pattern": Bound(200, "INVALID_SIGN_UP"),
    "signer_key": Bound(64, "INVALID_PLAYERS"),
    "signer_keys": Bound(44, "INVALID_SIGN_UP"),
    "page_token": Bound(20, "INVALID_PAGE_TOKEN"),
    "player": Bound(64, "NAME_INVALID"),
    "reason": Bound(500, "TEXT_INVALID"),
    "record_id": Bound(128, "RECORD_NOT_FOUND"),
    "resume_token": Bound(64, "MALFORMED_HELLO"),
    "secret": Bound(256, "INVALID_SECRET"),
    "software_version": Bound(80, "NAME_INVALID"),
    "suite_version": Bound(64, "INVALID_PLAYERS"),
    "strategies": Bound(200, "INVALID_PLAYERS"),
    "table": Bound(64, "TABLE_NOT_FOUND"),
    "text": Bound(500, "TEXT_INVALID"),
    "title": Bound(200, "TEXT_INVALID"),
    "token": Bound(256, "WRONG_TOKEN"),
    "tournament_id": Bound(64, "INVALID_ID"),
    "value": Bound(1_000, "INVALID_FORMAT"),
    "HostedPlayer.token": Bound(256, "MALFORMED_HELLO"),
    "GameService.name": Bound(128, "NAME_INVALID"),
    "FormatSetting.name": Bound(64, "INVALID_FORMAT"),
    "CustomFormat.name": Bound(64, "INVALID_FORMAT"),
}
"""The bound of each string or bytes field of our requests, by the name of the field, with that of its message first
where it is another one than elsewhere."""
COUNTS: Mapping[str, Bound] = {
    "challengers": Bound(10_000, "INVALID_FORMAT"),
    "entrants": Bound(10_000, "INVALID_SIGN_UP"),
    "players": Bound(1_000, "INVALID_PLAYERS"),
    "Hello.players": Bound(1_000, "TOO_MANY_PLAYERS"),
    "signer_keys": Bound(100, "INVALID_SIGN_UP"),
    "strategies": Bound(64, "INVALID_PLAYERS"),
}
"""The most elements of lists, by the name of the field."""


def check_sizes(message: Message, path: str = "") -> None:
    """Check every string and list of a request. Raises Refusal, which names the field, if one is too long."""
    for field in _fields(message.DESCRIPTOR):
        where = f"{path}.{field.name}" if path else field.name
        value = getattr(message, field.name)
        if isinstance(value, (str, bytes)):
            _check_text(key_of(field), value, where)
        elif isinstance(value, Message):
            if message.HasField(field.name):
                check_sizes(value, where)
        else:
            _check_list(key_of(field), value, where)


def key_of(field: FieldDescriptor) -> str:
    """Return the key of a field in the tables of bounds."""
    assert field.containing_type is not None
    key = f"{field.containing_type.name}.{field.name}"
    return key if key in BOUNDS or key in COUNTS else field.name


def _check_list(name: str, values: Sequence[object], where: str) -> None:
    if name in COUNTS and len(values) > COUNTS[name].length:
        problem = f"{where} has {len(values):,} elements: at most {COUNTS[name].length:,} are allowed"
        raise Refusal(COUNTS[name].reason, problem, where)
    for index, value in enumerate(values):
        if isinstance(value, Message):
            check_sizes(value, f"{where}[{index}]")
        elif isinstance(value, (str, bytes)):
            _check_text(name, value, f"{where}[{index}]")


def _check_text(name: str, text: str | bytes, where: str) -> None:
    bound = BOUNDS[name]
    if len(text) > bound.length and name not in CUT:
        what = "characters" if isinstance(text, str) else "bytes"
        raise Refusal(bound.reason, f"{where} has {len(text):,} {what}: at most {bound.length:,} are allowed", where)
    if name in PLAIN and isinstance(text, str) and not is_plain(text):
        raise Refusal(bound.reason, f"{where} must have no line breaks or other characters that do not show", where)


@cache
def _fields(descriptor: Descriptor) -> tuple[FieldDescriptor, ...]:
    """Return the fields that hold strings, or messages in which there may be some.

    Messages of games are read by their codecs, which bound them.
    """
    texts = (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)
    if descriptor.file.package != PACKAGE:
        return ()
    return tuple(
        field
        for field in descriptor.fields
        if field.type in texts or (field.message_type is not None and field.message_type.file.package == PACKAGE)
    )
