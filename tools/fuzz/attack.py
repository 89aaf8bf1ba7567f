"""The attack on the methods of services, and on HTTP/2 below them."""

from __future__ import annotations

import asyncio
import random
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.descriptor_pool import Default
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2, health_pb2_grpc

from benchmarks.half_open import PREFACE, SETTINGS
from fairplay.v1.game_pb2 import Player
from fairplay.v1.referee_pb2 import GamePlan, PlayGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub

MAX_GROWTH_MIB = 256.0
MAX_RECORD_BYTES = 128 * 1024
"""The most that a game adds to the records, whatever its players send."""
UNKNOWN_FIELD = 15_000
GAME = "fish"
BATCH = 50
CALL_LIMIT_S = 5.0
FRAMES_A_CONNECTION = 200


@dataclass(slots=True)
class Report:
    """What was sent, and what it did to the server."""

    frame_count: int = 0
    call_count: int = 0
    sent_bytes: int = 0
    game_count: int = 0
    failed_game_count: int = 0
    entrant_game_count: int = 0
    """Games of players that dial in and mean harm."""
    stolen_count: int = 0
    """How often somebody else was welcome under the name of the neighbour's player."""
    slowest_check_ms: float = 0.0
    memory_before_mib: float = 0.0
    memory_after_mib: float = 0.0
    record_bytes: int = 0
    problem_bytes: int = 0
    """How much is in the log of what is wrong."""
    statuses: dict[str, int] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        """Whether the server has stood it: it served, failed nobody's game, kept names apart and did not grow."""
        grown = self.memory_after_mib - self.memory_before_mib
        recorded = self.record_bytes <= MAX_RECORD_BYTES * (self.game_count + self.entrant_game_count)
        harmed = self.failed_game_count or self.stolen_count
        return bool(self.game_count) and not harmed and recorded and grown < MAX_GROWTH_MIB

    def count_status(self, status: str) -> None:
        """Count how a call or a stream ended."""
        self.statuses[status] = self.statuses.get(status, 0) + 1


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


async def play_on(channel: grpc.aio.Channel, link: str, report: Report, over: asyncio.Event) -> None:
    """Have games played with the player behind a link, and the health checked, until the attack is over."""
    referee: Any = RefereeServiceStub(channel)
    health: Any = health_pb2_grpc.HealthStub(channel)
    players = [Player(name="ann", link=link), Player(name="bob", link="bot:first")]
    while not over.is_set() or not report.game_count:
        began = time.monotonic()
        await health.Check(health_pb2.HealthCheckRequest())
        report.slowest_check_ms = max(report.slowest_check_ms, (time.monotonic() - began) * 1e3)
        game = (await referee.PlayGame(PlayGameRequest(plan=GamePlan(game=GAME, players=players)))).game
        report.game_count += 1
        report.failed_game_count += bool(game.result.misconducts or game.result.aborted)


class Attack:
    """An attack on the services of these names at an address, by the frames that `seed` draws.

    The server at `server` plays the games of the neighbour, one of whose players is reached by `link`.
    """

    def __init__(self, address: str, names: Sequence[str], server: str, link: str, seed: int) -> None:
        self.report = Report()
        self._address = address
        self._server = server
        self._link = link
        self._rng = random.Random(seed)
        services = [Default().FindServiceByName(name) for name in names]
        self._methods = [each for service in services for each in service.methods]

    async def run(self, frames: int, limit_s: float) -> None:
        """Send so many frames, or as many as there is time for."""
        give_up = time.monotonic() + limit_s
        over = asyncio.Event()
        async with (
            grpc.aio.insecure_channel(self._address) as channel,
            grpc.aio.insecure_channel(self._server) as server,
            asyncio.TaskGroup() as group,
        ):
            group.create_task(play_on(server, self._link, self.report, over))
            try:
                while self.report.frame_count < frames and time.monotonic() < give_up:
                    await asyncio.gather(*(self._call(channel) for _ in range(BATCH)))
                    await asyncio.gather(*(self._connect() for _ in range(4)))
            finally:
                over.set()

    async def _call(self, channel: grpc.aio.Channel) -> None:
        method: MethodDescriptor = self._rng.choice(self._methods)
        data = self._rng.randbytes(self._rng.randrange(200))
        if self._rng.random() < 0.6:
            data = random_message(self._rng, method.input_type).SerializeToString()
        path = f"/{method.containing_service.full_name}/{method.name}"
        kind = "stream" if method.server_streaming else "unary"
        open_call = getattr(channel, f"{'stream' if method.client_streaming else 'unary'}_{kind}")(path)
        status = "OK"
        try:
            async with asyncio.timeout(CALL_LIMIT_S):
                if method.client_streaming:
                    call = open_call()
                    await call.write(data)
                    await call.read()
                    call.cancel()
                elif method.server_streaming:
                    call = open_call(data)
                    await call.read()
                    call.cancel()
                else:
                    await open_call(data)
        except grpc.aio.AioRpcError as error:
            status = error.code().name
        except (TimeoutError, asyncio.InvalidStateError):
            status = "NO ANSWER"
        self.report.call_count += 1
        self.report.frame_count += 2  # its head and its data
        self.report.count_status(status)

    async def _connect(self) -> None:
        host, _, port = self._address.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            if self._rng.random() < 0.95:
                writer.write(PREFACE + SETTINGS)
            writer.write(b"".join(random_frame(self._rng) for _ in range(FRAMES_A_CONNECTION)))
            self.report.frame_count += FRAMES_A_CONNECTION
            async with asyncio.timeout(CALL_LIMIT_S):
                await writer.drain()
                writer.write_eof()
                await reader.read(65_536)
        except (OSError, TimeoutError):
            pass  # the server has ended the connection, as it should
        finally:
            writer.close()
