"""Players that the server starts: a command that serves or dials in, as its environment tells it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import shlex
import socket
import sys
from collections import deque
from pathlib import Path

import grpc

from fairplay.games.steps import Failure
from fairplay.server.links.dial_in import DialInLink, Hub
from fairplay.server.links.dial_out import CHANNEL_OPTIONS, DialOutLink
from fairplay.server.links.link import Clock, DeadLink, Done, Link, OpenCall, disconnected
from fairplay.v1.connection_pb2 import GoodbyeReason
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason
from fairplay.v1.player_pb2 import PlayerDescription

GUARD = Path(__file__).with_name("guard.py")
MAX_OUTPUT_CHARS = 8_192
END_LIMIT_S = 5.0
KNOWN_LIMIT_S = 1.0
"""How long a call whose connection is lost waits for the end of the process, which says more."""
KNOWN_SHARE = 0.5
"""The share of the call's remaining time that it waits at most: it must not become an overrun."""
PORTS = range(15_000, 32_000)
"""Ports that started players may serve on: above the well-known ones, below the ephemeral ones."""
PORT_ATTEMPTS = 100


class Process:
    """A command under guard: its last output, and the event that it has ended."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._lines: deque[str] = deque()
        self._chars = 0
        self.output_bytes = 0
        """How much the command has written to its standard output and error."""
        self.ended = asyncio.Event()
        self._watch = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, command: str, environment: dict[str, str]) -> Process:
        """Start a command. Raises OSError or ValueError if it cannot be started or read."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-I", "-S", str(GUARD), *shlex.split(command)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**os.environ, **environment},
            start_new_session=True,
        )
        return cls(process)

    async def _read(self) -> None:
        output = self._process.stdout
        assert output is not None
        while chunk := await output.read(4_096):
            self.output_bytes += len(chunk)
            self._lines.append(chunk.decode(errors="replace"))
            self._chars += len(self._lines[-1])
            while self._chars - len(self._lines[0]) > MAX_OUTPUT_CHARS:
                self._chars -= len(self._lines.popleft())
        await self._process.wait()
        self.ended.set()

    @property
    def guard_id(self) -> int:
        """The id of the guard's process: everything that the command starts descends from it."""
        return self._process.pid

    @property
    def output(self) -> str:
        """The end of what the command wrote to its standard output and error."""
        return "".join(self._lines)[-MAX_OUTPUT_CHARS:]

    @property
    def failure(self) -> CallError:
        """The failure of calls to the player of a command that has ended: its exit code and its last output."""
        return disconnected(f"the player's process ended with exit code {self._process.returncode}", self.output)

    async def end(self) -> None:
        """End the command and everything that it started."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(END_LIMIT_S):
                await self.ended.wait()
        except TimeoutError:  # the guard itself is stuck
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        self._watch.cancel()


class ProcessLink:
    """The link to a started player: calls go the way that the player chose, and fail when its process ends."""

    def __init__(self, clock: Clock, hub: Hub, name: str, process: Process, inner: Link) -> None:
        self._clock = clock
        self._hub = hub
        self._name = name
        self._process = process
        self._inner = inner
        self._open: dict[OpenCall, OpenCall] = {}  # each call, and the one of the inner link that carries it
        self._tasks = {asyncio.create_task(self._watch())}

    @property
    def guard_id(self) -> int:
        """The id of the process from which all processes of the player descend."""
        return self._process.guard_id

    @property
    def output_bytes(self) -> int:
        """How much the player has written to its standard output and error, kept or not."""
        return self._process.output_bytes

    @property
    def description(self) -> PlayerDescription | None:
        """What the player said about itself when it dialled in; None if it serves."""
        return self._inner.description if isinstance(self._inner, DialInLink) else None

    @property
    def connected(self) -> bool:
        """Whether the player has dialled in, and its stream lasts."""
        return self._hub.here(self._name)

    @property
    def ended(self) -> bool:
        """Whether the player's process has ended."""
        return self._process.ended.is_set()

    def dismiss(self, reason: GoodbyeReason.ValueType, message: str) -> None:
        """Say goodbye to a player that has dialled in, and leave its process alone."""
        self._hub.dismiss(self._name, reason, message)

    @property
    def output(self) -> str:
        """The end of what the player has written to its standard output and error."""
        return self._process.output

    @property
    def has_ended(self) -> bool:
        """Whether the player's process has ended."""
        return self._process.ended.is_set()

    def call(self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0) -> OpenCall:
        """Call the player; a failure carries the end of its output."""
        if self.has_ended:
            return DeadLink(self._clock, self._process.failure).call(method, request, limit_s, done)

        def settled(outcome: bytes | Failure, _: float) -> None:
            if isinstance(outcome, CallError):
                self._fail(open_call, outcome)
            else:
                self._open.pop(open_call, None)
                open_call.settle(outcome)

        open_call = OpenCall(self._clock, limit_s, done, self._drop)
        self._open[open_call] = self._inner.call(method, request, limit_s, settled, bank_s)
        return open_call

    def _drop(self, open_call: OpenCall) -> None:
        if (inner := self._open.pop(open_call, None)) is not None:
            inner.cancel()

    def _fail(self, open_call: OpenCall, failure: CallError) -> None:
        if failure.reason == CallErrorReason.CALL_ERROR_REASON_DISCONNECTED:
            task = asyncio.create_task(self._fail_when_known(open_call, failure))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        else:
            self._settle(open_call, failure)

    async def _fail_when_known(self, open_call: OpenCall, failure: CallError) -> None:
        """Fail a call whose connection is lost, with how the process ended if it ends now."""
        # The connection of a process that ends is lost first; that says nothing to its author.
        left_s = open_call.limit_s - open_call.elapsed_s
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(KNOWN_LIMIT_S, KNOWN_SHARE * left_s)):
                await self._process.ended.wait()
        self._settle(open_call, self._process.failure if self.has_ended else failure)

    def _settle(self, open_call: OpenCall, failure: CallError) -> None:
        self._open.pop(open_call, None)
        failure.output = self._process.output
        open_call.settle(failure)

    async def _watch(self) -> None:
        await self._process.ended.wait()
        for open_call, inner in list(self._open.items()):
            inner.cancel()
            self._settle(open_call, self._process.failure)

    async def close(self) -> None:
        """End the process and everything that it started."""
        for task in self._tasks:
            task.cancel()
        await self._inner.close()
        self._hub.forget(self._name)
        await self._process.end()


async def process_link(hub: Hub, clock: Clock, name: str, command: str, address: str, start_limit_s: float) -> Link:
    """Start a player, wait until it serves or has dialled in at `address`, and return the link to it."""
    own_name, token, listen = f"{name[:50]}.{secrets.token_hex(4)}", secrets.token_hex(16), _free_address()
    environment = {
        "FAIRPLAY_LISTEN": listen,
        "FAIRPLAY_CONNECT": address,
        "FAIRPLAY_NAME": own_name,
        "FAIRPLAY_TOKEN": token,
    }
    hub.expect(own_name, token)
    process = await Process.start(command, environment)
    inner: Link | None = None
    try:
        inner = await _first_way(hub, clock, own_name, listen, process, start_limit_s)
    finally:
        if inner is None:
            hub.forget(own_name)
            died = process.ended.is_set()
            await process.end()
    if inner is not None:
        return ProcessLink(clock, hub, own_name, process, inner)
    if died:
        return DeadLink(clock, process.failure)
    message = f"the player neither served nor dialled in within {start_limit_s:g} s"
    return DeadLink(clock, disconnected(message, process.output))


async def _first_way(
    hub: Hub, clock: Clock, name: str, listen: str, process: Process, start_limit_s: float
) -> Link | None:
    """Return a link for what the player does first: dial in or serve; None if it does neither in time, or ends."""
    channel = grpc.aio.insecure_channel(listen, options=CHANNEL_OPTIONS)
    dials_in = asyncio.create_task(hub.arrived(name))
    serves = asyncio.create_task(channel.channel_ready())
    ends = asyncio.create_task(process.ended.wait())
    ways = (dials_in, serves, ends)
    served = False
    try:
        await asyncio.wait(ways, timeout=start_limit_s, return_when=asyncio.FIRST_COMPLETED)
        if dials_in.done():
            return DialInLink(hub, name)
        served = serves.done()
        return DialOutLink(clock, channel) if served else None
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        if not served:
            await channel.close()


def _free_address() -> str:
    """Return an address that nobody listens on.

    Its port is below those that systems give to servers and clients that ask for any: none of them can take it before
    the player does, and be called in its place.
    """
    for _ in range(PORT_ATTEMPTS):
        port = PORTS.start + secrets.randbelow(len(PORTS))
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return f"127.0.0.1:{port}"
    raise OSError(f"no port from {PORTS.start} to {PORTS.stop - 1} is free")
