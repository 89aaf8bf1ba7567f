"""Attack a server, or a player that serves, with what no sound caller sends, and watch what it costs: `make fuzz`.

A `fairplay serve` or `fairplay player` of its own gets, in turn, random bytes and random valid messages as requests of
every method, and connections of random HTTP/2 frames. Beside that a neighbour has small games played, one after the
other; where a player is attacked, with that player. At the end what was attacked must still serve, no game may have
failed, and its memory must not have grown beyond a bound.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from typing import IO, Any

import grpc
import psutil
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.descriptor_pool import Default
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2, health_pb2_grpc

from fairplay.games.game import find
from fairplay.games.kit.player_service import PLAYER_METHODS
from fairplay.server.server import SERVICES
from fairplay.v1.game_pb2 import Player
from fairplay.v1.referee_pb2 import GamePlan, PlayGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = b"\x00\x00\x00\x04\x00" + bytes(4)
BATCH = 50
CALL_LIMIT_S = 5.0
FRAMES_A_CONNECTION = 200
MAX_GROWTH_MIB = 256.0
GAME = "fish"


@dataclass(slots=True)
class Report:
    """What was sent, and what it did to the server."""

    frame_count: int = 0
    call_count: int = 0
    game_count: int = 0
    failed_game_count: int = 0
    slowest_check_ms: float = 0.0
    memory_before_mib: float = 0.0
    memory_after_mib: float = 0.0
    log_bytes: int = 0
    statuses: dict[str, int] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        """Whether the server has stood it: it served, failed nobody's game and did not grow."""
        grown = self.memory_after_mib - self.memory_before_mib
        return bool(self.game_count) and not self.failed_game_count and grown < MAX_GROWTH_MIB


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
            group.create_task(self._neighbour(server, over))
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
        self.report.statuses[status] = self.report.statuses.get(status, 0) + 1

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

    async def _neighbour(self, channel: grpc.aio.Channel, over: asyncio.Event) -> None:
        """Have games played and the health checked until the attack is over."""
        referee: Any = RefereeServiceStub(channel)
        health: Any = health_pb2_grpc.HealthStub(channel)
        players = [Player(name="ann", link=self._link), Player(name="bob", link="bot:first")]
        while not over.is_set() or not self.report.game_count:
            began = time.monotonic()
            await health.Check(health_pb2.HealthCheckRequest())
            self.report.slowest_check_ms = max(self.report.slowest_check_ms, (time.monotonic() - began) * 1e3)
            game = (await referee.PlayGame(PlayGameRequest(plan=GamePlan(game=GAME, players=players)))).game
            self.report.game_count += 1
            self.report.failed_game_count += bool(game.result.misconducts or game.result.aborted)


@contextmanager
def running(*command: str) -> Iterator[tuple[int, str, IO[bytes]]]:
    """Run a `fairplay` command that serves; yield its process id, where it listens, and a file with what it says."""
    with tempfile.TemporaryFile() as said:
        whole = [sys.executable, "-m", "fairplay.terminal", *command, "--listen", "127.0.0.1:0"]
        with subprocess.Popen(whole, stdout=subprocess.PIPE, stderr=said) as process:
            try:
                assert process.stdout is not None
                found = re.search(rb"(?:127\.0\.0\.1:|port )(\d+)", process.stdout.readline())
                if found is None:
                    raise RuntimeError(f"{command[0]} does not say where it listens")
                yield process.pid, f"127.0.0.1:{int(found[1])}", said
            finally:
                process.terminate()
                process.wait()


def fuzz(frames: int, limit_s: float, seed: int, target: str = "server") -> Report:
    """Attack a server or a player of its own, and return what came of it."""
    with ExitStack() as stack:
        pid, server, said = stack.enter_context(running("serve"))
        address, link = server, "bot:first"
        names: tuple[str, ...] = SERVICES
        if target == "player":
            pid, address, said = stack.enter_context(running("player", GAME))
            names, link = player_services(), f"grpc://{address}"
        attack, process = Attack(address, names, server, link, seed), psutil.Process(pid)
        asyncio.run(attack.run(min(frames, 2_000), limit_s))  # what it holds anyway, it holds after these
        attack.report = Report(memory_before_mib=process.memory_info().rss / 2**20)
        asyncio.run(attack.run(frames, limit_s))
        attack.report.memory_after_mib = process.memory_info().rss / 2**20
        attack.report.log_bytes = said.seek(0, os.SEEK_END)
    return attack.report


def player_services() -> tuple[str, ...]:
    """Return the names of the services that a player serves."""
    paths = [method.path for method in (*find(GAME).methods, *PLAYER_METHODS.values())]
    return tuple(dict.fromkeys(path.split("/")[1] for path in paths))


def main() -> int:
    """Run the attack that the options ask for; return 0 if the server has stood it."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--limit", type=float, default=1_800.0, help="seconds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("target", nargs="?", choices=("server", "player"), default="server")
    options = parser.parse_args()
    report = fuzz(options.frames, options.limit, options.seed, options.target)
    print(json.dumps(asdict(report), indent=2))
    return 0 if report.sound else 1


if __name__ == "__main__":
    sys.exit(main())
