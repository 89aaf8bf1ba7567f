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
from fairplay.v1.misconduct_pb2 import CallError

GUARD = Path(__file__).with_name("guard.py")
MAX_OUTPUT_CHARS = 8_192
END_LIMIT_S = 5.0
POLL_S = 0.05


class Process:
    """A command under guard, its last output, and the event that it has ended."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._lines: deque[str] = deque()
        self._chars = 0
        self.ended = asyncio.Event()
        self._watch = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, command: str, environment: dict[str, str]) -> Process:
        """Starts a command. OSError, ValueError: it cannot be started or read."""
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
            self._lines.append(chunk.decode(errors="replace"))
            self._chars += len(self._lines[-1])
            while self._chars - len(self._lines[0]) > MAX_OUTPUT_CHARS:
                self._chars -= len(self._lines.popleft())
        await self._process.wait()
        self.ended.set()

    @property
    def output(self) -> str:
        """The end of what the command wrote to its standard output and error."""
        return "".join(self._lines)[-MAX_OUTPUT_CHARS:]

    @property
    def obituary(self) -> str:
        """How the command ended, as a sentence."""
        code = self._process.returncode
        return f"the player's process ended with exit code {code}" if code is not None else "the process still runs"

    async def end(self) -> None:
        """Ends the command and everything that it started."""
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
    """The link to a started player: the way that it chose, and the knowledge that it has died."""

    def __init__(self, clock: Clock, hub: Hub, name: str, process: Process, inner: Link) -> None:
        self._clock = clock
        self._hub = hub
        self._name = name
        self._process = process
        self._inner = inner
        self._open: dict[OpenCall, None] = {}
        self._obituary = asyncio.create_task(self._mourn())

    @property
    def output(self) -> str:
        """The end of what the player has written to its standard output and error."""
        return self._process.output

    def call(self, method: str, request: bytes, limit_s: float, done: Done) -> OpenCall:
        """Calls the player; a failure carries the end of its output."""
        if self._process.ended.is_set():
            return DeadLink(self._clock, self._death()).call(method, request, limit_s, done)

        def told(outcome: bytes | Failure, elapsed_s: float) -> None:
            self._open.pop(open_call, None)
            if isinstance(outcome, CallError):
                outcome.output = self._process.output
            done(outcome, elapsed_s)

        open_call = self._inner.call(method, request, limit_s, told)
        self._open[open_call] = None
        return open_call

    async def _mourn(self) -> None:
        await self._process.ended.wait()
        for open_call in list(self._open):
            open_call.settle(self._death())

    def _death(self) -> CallError:
        return disconnected(self._process.obituary, self._process.output)

    async def close(self) -> None:
        """Ends the process with everything that it started."""
        self._obituary.cancel()
        await self._inner.close()
        self._hub.forget(self._name)
        await self._process.end()


async def process_link(hub: Hub, clock: Clock, name: str, command: str, address: str, start_limit_s: float) -> Link:
    """Starts a player and waits until it serves or has dialled in; `address` is where it can dial in."""
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
    message = process.obituary if died else f"the player neither served nor dialled in within {start_limit_s:g} s"
    return DeadLink(clock, disconnected(message, process.output))


async def _first_way(
    hub: Hub, clock: Clock, name: str, listen: str, process: Process, start_limit_s: float
) -> Link | None:
    """Whichever the player does first: dial in or serve. None: it does neither in time, or ends."""
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
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"
