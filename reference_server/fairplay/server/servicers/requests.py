"""Requests that cannot be parsed.

gRPC calls the deserializer before any handler, and takes an exception of it for a fault of the server. So it returns a
`Malformed` instead of raising, which the handler turns into a refusal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.protobuf.message import DecodeError

from fairplay.server.net.errors import Refusal


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
