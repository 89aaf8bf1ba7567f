"""Every string of every request has a bound, which the comment of its field says, and longer ones are refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.descriptor_pool import Default
from google.protobuf.message_factory import GetMessageClass

from fairplay.server.net.errors import Refusal, reason_of
from fairplay.server.server import SERVICES
from fairplay.server.servicers.requests import BOUNDS, CUT, PACKAGE, PLAIN, check_sizes, key_of
from fairplay.v1.connection_pb2 import Hello
from tests.server.harness import serving

PROTOS = Path(__file__).resolve().parents[3] / "proto"
TEXTS = (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)


def methods() -> list[MethodDescriptor]:
    """Return the methods of our services that take one request."""
    services = [Default().FindServiceByName(name) for name in SERVICES]
    return [method for service in services for method in service.methods if not method.client_streaming]


def reached(descriptor: Descriptor, seen: set[str]) -> Iterator[FieldDescriptor]:
    if descriptor.full_name in seen or descriptor.file.package != PACKAGE:
        return
    seen.add(descriptor.full_name)
    for field in descriptor.fields:
        if field.type in TEXTS:
            yield field
        elif field.message_type is not None:
            yield from reached(field.message_type, seen)


def request_texts() -> list[Any]:
    """Return the string and bytes fields that requests can hold, those of messages of games left out."""
    seen: set[str] = set()
    found = [field for method in methods() for field in reached(method.input_type, seen)]
    return [*found, *reached(Hello.DESCRIPTOR, seen)]


def sentence(field: FieldDescriptor) -> str:
    """Return what the comment of a field must say."""
    what = "characters" if field.type == FieldDescriptor.TYPE_STRING else "bytes"
    return f"At most {BOUNDS[key_of(field)].length:,} {what}."


def comment_of(field: Any) -> str:
    text = (PROTOS / field.file.name).read_text(encoding="utf-8")
    body = re.search(rf"^message {field.containing_type.name} {{$(.*?)^}}$", text, re.M | re.S)
    assert body is not None
    found = re.search(rf"((?:^ *//.*\n)+) *(?:repeated |optional )?\w+ {field.name} = ", body[1], re.M)
    assert found is not None, field.full_name
    return " ".join(line.strip().removeprefix("//").strip() for line in found[1].splitlines())


def test_every_text_has_a_bound_and_says_it() -> None:
    for field in request_texts():
        assert sentence(field).lower().rstrip(".") in comment_of(field).lower(), field.full_name


def test_a_longer_text_is_refused_and_one_of_full_length_is_not() -> None:
    for field in request_texts():
        check_bound(field)


def check_bound(field: Any) -> None:
    message: Any = GetMessageClass(field.containing_type)()
    for extra in (0, 1):
        length = BOUNDS[key_of(field)].length + extra
        text: Any = "x" * length if field.type == FieldDescriptor.TYPE_STRING else b"x" * length
        message.ClearField(field.name)
        if isinstance(getattr(message, field.name), (str, bytes)):
            setattr(message, field.name, text)
        else:
            getattr(message, field.name).append(text)
        if extra and key_of(field) not in CUT:
            with pytest.raises(Refusal, match="at most"):
                check_sizes(message)
                raise AssertionError(field.full_name)
        else:
            check_sizes(message)


def test_the_table_has_no_name_that_no_request_has() -> None:
    assert {key_of(field) for field in request_texts()} == set(BOUNDS)
    assert set(BOUNDS) > PLAIN


async def test_a_long_text_is_refused_before_anything_else_and_is_not_echoed() -> None:
    async with serving() as server, grpc.aio.insecure_channel(server.address) as channel:
        for method in methods():
            request: Any = GetMessageClass(method.input_type)()
            texts = [field for field in request.DESCRIPTOR.fields if field.type == FieldDescriptor.TYPE_STRING]
            for field in texts:
                broken: Any = GetMessageClass(method.input_type)()
                if not isinstance(getattr(broken, field.name), str):
                    continue
                setattr(broken, field.name, "y" * 3_000_000)
                path = f"/{method.containing_service.full_name}/{method.name}"
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    if method.server_streaming:
                        await channel.unary_stream(path)(broken.SerializeToString()).read()
                    else:
                        await channel.unary_unary(path)(broken.SerializeToString())
                assert len(caught.value.details() or "") < 300, path
                assert reason_of(caught.value) == BOUNDS[key_of(field)].reason, path


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
