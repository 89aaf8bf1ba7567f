"""A client of revision 1, recorded with its own descriptors, plays against the server of today, which must serve it."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import grpc
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from tests.server.harness import serving
from tests.server.recorded.capture import DESCRIPTORS, SESSION

DIAL_IN = "/fairplay.v1.ConnectionService/DialIn"


@cache
def pool() -> DescriptorPool:
    """Return the contract as the client knows it."""
    made = DescriptorPool()
    for file in FileDescriptorSet.FromString(DESCRIPTORS.read_bytes()).file:
        made.Add(file)
    return made


@cache
def old(name: str) -> Any:
    """Return a message type of the client."""
    return GetMessageClass(pool().FindMessageTypeByName(name))


def types(path: str) -> tuple[Any, Any]:
    """Return the client's types of the request and the response of a method."""
    _, service, name = path.split("/")
    method = pool().FindServiceByName(service).methods_by_name[name]
    return GetMessageClass(method.input_type), GetMessageClass(method.output_type)


def read(kind: Any, data: bytes) -> Any:
    """Return a message as the client reads it: what is newer than the client, it does not see."""
    message = kind.FromString(data)
    message.DiscardUnknownFields()
    return message


def fields(message: Message, at: str = "") -> Iterator[str]:
    """Yield the paths of the fields that are set."""
    for field, value in message.ListFields():
        path = f"{at}.{field.name}"
        yield path
        for part in [value] if isinstance(value, Message) else value if field.message_type else ():
            if isinstance(part, Message):
                yield from fields(part, path)


async def play(address: str, session: dict[str, Any]) -> list[bytes]:
    """Do what the client did, and return the answers to its unary calls."""
    async with grpc.aio.insecure_channel(address) as channel:
        stream = channel.stream_stream(DIAL_IN)()
        await stream.write(base64.b64decode(session["hello"]))
        frames = old("fairplay.v1.DialInResponse")
        welcome = read(frames, await stream.read()).welcome
        assert list(welcome.players) == [0]
        assert welcome.resume_token
        playing = asyncio.create_task(answer_calls(stream, session["calls"]))
        answers = [
            await channel.unary_unary(each["method"])(base64.b64decode(each["request"])) for each in session["unary"]
        ]
        await playing
        stream.cancel()
    return answers


async def answer_calls(stream: Any, recorded: list[dict[str, str]]) -> None:
    """Answer each call with the recorded frame, once it is the call that was recorded."""
    waiting = list(recorded)
    while waiting:
        frame = read(old("fairplay.v1.DialInResponse"), await stream.read())
        for call in frame.calls:
            then = waiting.pop(0)
            assert call.method_name == then["method"]
            assert call.HasField("time_limit")
            request, _ = types(call.method_name)
            assert read(request, call.request) == read(request, base64.b64decode(then["request"]))
            reply = old("fairplay.v1.DialInRequest").FromString(base64.b64decode(then["frame"]))
            reply.replies[0].id = call.id
            await stream.write(reply.SerializeToString())


async def test_a_recorded_client_plays_and_reads_as_it_did() -> None:
    session = json.loads(SESSION.read_text("utf-8"))
    async with serving() as server:
        answers = await play(server.address, session)
    assert len(session["calls"]) > 10
    for then, answer in zip(session["unary"], answers, strict=True):
        _, response = types(then["method"])
        before, now = read(response, base64.b64decode(then["response"])), read(response, answer)
        if then["method"].endswith("/PlayGame"):
            for each in before.game.plan.players:  # the links of players are shown to nobody any more
                each.ClearField("link")
        assert set(fields(before)) <= set(fields(now)), then["method"]
        if then["method"].endswith("/PlayGame"):
            assert now.game.result == before.game.result
            assert now.game.plan == before.game.plan
        if then["method"].endswith("/SimulateGame"):
            assert now == before
