"""A request in which something is missing that its comment says is required is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from fairplay.server.net.limits import LIMITS, Limit
from tests.server.access.harness import calling
from tests.server.access.test_table import METHODS, OWNERS, made, role_of, set_the_table


def lacking(request: Message, part: Any) -> Iterator[tuple[str, Message]]:
    """Yield the request without each required field of a part of it, and the name of that field."""
    for field in part.DESCRIPTOR.fields:
        value, name = getattr(part, field.name), field.full_name
        if LIMITS.get(name, Limit()).required:
            kept = type(part)()
            kept.CopyFrom(part)
            part.ClearField(field.name)
            lesser = type(request)()
            lesser.CopyFrom(request)
            yield name, lesser
            part.CopyFrom(kept)
            value = getattr(part, field.name)
        if field.message_type is not None and field.message_type.file.package == "fairplay.v1":
            if not field.is_repeated:
                value = [value] if part.HasField(field.name) else []
            for each in value:
                yield from lacking(request, each)


async def test_a_request_that_lacks_something_required_is_refused(tmp_path: Path) -> None:
    tried = set()
    async with calling(tmp_path) as callers:
        token = await set_the_table(callers)
        for method in METHODS:
            owner = OWNERS.get(role_of(method), "root")
            request = made(method, token)
            for name, lesser in lacking(request, request):
                assert await callers.reason(owner, method, lesser), name
                tried.add(name)
    assert len(tried) > 40
