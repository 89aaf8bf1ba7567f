"""Each part of a message that a server has sent, and its check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from fairplay.conformance.servers.facts.games import OF_GAMES
from fairplay.conformance.servers.facts.known import Check, Facts
from fairplay.conformance.servers.facts.tournaments import OF_TOURNAMENTS
from fairplay.v1.table_pb2 import Table

CHECKS: Mapping[type[Any], Check] = {**OF_GAMES, **OF_TOURNAMENTS}
"""The type of a message, wherever it comes -> what checks it."""
CHECKED = {kind.DESCRIPTOR for kind in CHECKS}


@cache
def _leading(kind: Descriptor) -> Sequence[FieldDescriptor]:
    """Return the fields of a message in which there may be something to check."""
    if kind is Table.DESCRIPTOR:  # a part only of its result
        return []
    return [field for field in kind.fields if field.message_type is not None and _leads(field.message_type)]


@cache
def _leads(kind: Descriptor) -> bool:
    if kind.name in ("GameState", "GameSettings", "TournamentFormat") or kind.full_name.startswith("google."):
        return False
    return kind in CHECKED or bool(_leading(kind))


def parts_of(message: Any) -> Iterator[Any]:
    """Yield a message and those in it, as far as there is something to check of them."""
    if message.DESCRIPTOR in CHECKED:
        yield message
    for field in _leading(message.DESCRIPTOR):
        value = getattr(message, field.name)
        if field.is_repeated:
            for each in value:
                yield from parts_of(each)
        elif message.HasField(field.name):
            yield from parts_of(value)


def check_parts(facts: Facts, message: Any, name: str, sent_s: float) -> None:
    """Check a message that a method has returned, which was called at a time, and what is in it."""
    for part in parts_of(message):
        CHECKS[type(part)](facts, part, name, sent_s)
