"""Every field of every request has the limit that its comment states: that much is taken, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.descriptor_pool import Default
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_status import rpc_status
from hypothesis import given
from hypothesis import strategies as st

from fairplay.server.game.plans import ID
from fairplay.server.links.spec import NAME
from fairplay.server.net.bounds import CUT, PACKAGE, REASONS, check_limits, reason_beyond
from fairplay.server.net.errors import Refusal, reason_of
from fairplay.server.net.limits import LIMITS, MANY, Limit, limit_of
from fairplay.server.net.text import TABLE_NAME, USER_NAME
from fairplay.server.server import SERVICES
from fairplay.v1.connection_pb2 import Hello
from tests.server.harness import serving

TEXTS = (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)
UNBOUNDED = Limit()


def methods() -> list[MethodDescriptor]:
    """Return the methods of our services that take one request."""
    services = [Default().FindServiceByName(name) for name in SERVICES]
    return [method for service in services for method in service.methods if not method.client_streaming]


def reached(descriptor: Descriptor, seen: set[str]) -> Iterator[FieldDescriptor]:
    """Yield the fields of a message and of those in it, those of games left out: their codecs bound them."""
    if descriptor.full_name not in seen and descriptor.file.package == PACKAGE and descriptor.name not in CUT:
        seen.add(descriptor.full_name)
        for field in descriptor.fields:
            yield field
            if field.message_type is not None:
                yield from reached(field.message_type, seen)


def request_fields() -> list[FieldDescriptor]:
    seen: set[str] = set()
    found = [field for method in methods() for field in reached(method.input_type, seen)]
    return [*found, *reached(Hello.DESCRIPTOR, seen)]


def edges(field: FieldDescriptor) -> Iterator[tuple[Any, Any]]:
    """Yield (a value within the limit, one beyond it) for each end of the limit of a field."""
    limit = LIMITS.get(field.full_name, UNBOUNDED)
    if field.is_repeated:
        filler: Any = GetMessageClass(field.message_type)() if field.message_type is not None else "x"
        if limit.max_items < MANY:
            yield [filler] * limit.max_items, [filler] * (limit.max_items + 1)
        if limit.min_items > 1:
            yield [filler] * limit.min_items, [filler] * (limit.min_items - 1)
    most = limit.max_characters if field.type == FieldDescriptor.TYPE_STRING else limit.max_bytes
    if field.type in TEXTS and most < MANY:
        letter: Any = "x" if field.type == FieldDescriptor.TYPE_STRING else b"x"
        yield letter * most, letter * (most + 1)
    if limit.max_bytes < MANY and field.type == FieldDescriptor.TYPE_STRING:
        yield "ä" * (limit.max_bytes // 2), "ä" * (limit.max_bytes // 2 + 1)
    if limit.maximum < MANY:
        yield limit.maximum, limit.maximum + 1
    if limit.minimum > 0:
        yield limit.minimum, limit.minimum - 1
    for end_s, step_s in ((limit.maximum_seconds, 0.001), (limit.minimum_seconds, -0.001)):
        if abs(end_s) < inf:
            yield duration(end_s), duration(end_s + step_s)


def duration(seconds: float) -> Duration:
    made = Duration()
    made.FromNanoseconds(round(seconds * 1e9))
    return made


def holding(field: FieldDescriptor, value: Any) -> Any:
    """Return a message with a value in one field."""
    assert field.containing_type is not None
    message: Any = GetMessageClass(field.containing_type)()
    if field.is_repeated:
        getattr(message, field.name).extend(value if isinstance(value, list) else [value])
    elif isinstance(value, Message):
        getattr(message, field.name).CopyFrom(value)
    else:
        setattr(message, field.name, value)
    return message


LIMITED = {field.full_name: field for field in request_fields() if field.full_name in LIMITS}


@pytest.mark.parametrize("name", LIMITED)
def test_what_is_at_the_limit_is_taken_and_what_is_beyond_is_refused_by_name(name: str) -> None:
    field = LIMITED[name]
    for within, beyond in edges(field):
        check_limits(holding(field, within))
        with pytest.raises(Refusal) as caught:
            check_limits(holding(field, beyond), "at")
        assert caught.value.field.startswith(f"at.{field.name}")
        assert caught.value.metadata.keys() == {"field", "limit", "given"}
        assert caught.value.metadata["limit"] != caught.value.metadata["given"]


def test_every_text_of_a_request_has_a_limit() -> None:
    unbounded = {field.full_name for field in request_fields() if field.type in TEXTS} - LIMITED.keys()
    assert unbounded == set()


def test_every_reason_is_that_of_a_field() -> None:
    reasons = {reason_beyond(field) for field in LIMITED.values() if list(edges(field)) or field.name == "settings"}
    assert set(REASONS.values()) == reasons


@pytest.mark.parametrize(
    ("field", "checked"),
    [
        ("Player.name", NAME),
        ("HostedPlayer.name", NAME),
        ("CreateAccountRequest.name", NAME),
        ("CreateTournamentRequest.tournament_id", NAME),
        ("PlayGameRequest.game_id", ID),
        ("EnterRequest.name", USER_NAME),
        ("RenameRequest.name", USER_NAME),
        ("CreateTableRequest.name", TABLE_NAME),
    ],
)
@given(data=st.data())
def test_what_matches_a_pattern_is_taken_but_for_paths(field: str, checked: Any, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(limit_of(field).pattern, fullmatch=True))
    if not {"", ".", ".."} & {*text.split("/")}:
        assert checked.fullmatch(text)


async def test_a_long_text_is_refused_before_anything_else_and_is_not_echoed() -> None:
    async with serving() as server, grpc.aio.insecure_channel(server.address) as channel:
        for method in methods():
            path = f"/{method.containing_service.full_name}/{method.name}"
            for field in method.input_type.fields:
                if field.type != FieldDescriptor.TYPE_STRING or field.is_repeated:
                    continue
                request = holding(field, "y" * 3_000_000).SerializeToString()
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    if method.server_streaming:
                        await channel.unary_stream(path)(request).read()
                    else:
                        await channel.unary_unary(path)(request)
                assert len(caught.value.details() or "") < 300, path
                assert reason_of(caught.value) == reason_beyond(field), path
                most = str(LIMITS[field.full_name].max_characters)
                given = {"field": field.name, "limit": most, "given": "3000000"}
                assert dict(error_info(caught.value).metadata) == given


def error_info(error: grpc.aio.AioRpcError) -> ErrorInfo:
    status = rpc_status.from_call(error)
    assert status is not None
    info = ErrorInfo()
    assert status.details[0].Unpack(info)
    return info


async def test_requests_that_cannot_be_parsed_are_the_callers_fault(caplog: pytest.LogCaptureFixture) -> None:
    everything = [
        *((f"/{method.containing_service.full_name}/{method.name}", method.server_streaming) for method in methods()),
        ("/grpc.health.v1.Health/Check", False),
        ("/grpc.health.v1.Health/Watch", True),
    ]
    streams = [
        "/fairplay.v1.ConnectionService/DialIn",
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    ]
    async with serving() as server, grpc.aio.insecure_channel(server.address) as channel:
        for path, streaming in everything:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await (channel.unary_stream(path)(b"\xff").read() if streaming else channel.unary_unary(path)(b"\xff"))
            assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT, path
        for path in streams:
            stream = channel.stream_stream(path)()
            await stream.write(b"\xff")
            assert await stream.code() is grpc.StatusCode.INVALID_ARGUMENT, path
    assert not caplog.records
