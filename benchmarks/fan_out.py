"""A bare fan-out over grpc.aio: events that go to the readers they had in the lobby, at the times they had there.

    python -m benchmarks.fan_out FILE                    # sends the events of the file, one in a line
    python -m benchmarks.fan_out ADDRESS STREAMS CHANNELS

The second is the readers' side. It says how long it took from an event to each of its readers, in milliseconds: the
median. Bytes are as many as in the lobby, and what waits for a reader is sent in one message; there is nothing else.
"""

from __future__ import annotations

import asyncio
import json
import struct
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import grpc

from benchmarks.figures import Unmeasurable
from benchmarks.processes import started

SERVICE, METHOD = "benchmarks.FanOutService", "Attend"
HEAD = struct.Struct(">Id")
"""What an event begins with: how many bytes follow, and when it was sent."""
SETTLE_S = 1.0
READY_LIMIT_S = 60.0


class Event(NamedTuple):
    """An event: how long after the first one it was, its size in bytes, and the numbers of the streams that had it."""

    offset_s: float
    size: int
    readers: list[int]


def events(read: Iterable[tuple[int, int, float, int]]) -> list[Event]:
    """Return what was read as events, from (stream, number of the event, its time, its size)."""
    readers: dict[int, list[int]] = defaultdict(list)
    known: dict[int, tuple[float, int]] = {}
    for stream, number, at_s, size in read:
        readers[number].append(stream)
        known[number] = (at_s, size)
    first_s = min((at_s for at_s, _ in known.values()), default=0.0)
    made = [Event(at_s - first_s, size, readers[number]) for number, (at_s, size) in known.items()]
    return sorted(made)


async def delivery_ms(file: Path, streams: int, channels: int) -> float:
    """Return the median of the times from each event of a file to each of its readers."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(started("benchmarks.fan_out", str(file)))
        readers = started("benchmarks.fan_out", server.line, str(streams), str(channels))
        return float((await stack.enter_async_context(readers)).line)


class Sender:
    """The server's side: what waits for each stream."""

    def __init__(self, due: list[Event]) -> None:
        self._due = due
        self._waiting: dict[int, list[bytes]] = {}
        self._woken: dict[int, asyncio.Event] = {}
        self._all_here = asyncio.Event()
        self._over = False
        self._awaited = {reader for event in due for reader in event.readers}

    async def attend(self, request: bytes, context: Any) -> None:
        """Send one stream its events until all were sent."""
        number = int(request)
        waiting, woken = self._waiting.setdefault(number, []), self._woken.setdefault(number, asyncio.Event())
        if self._awaited <= self._woken.keys():
            self._all_here.set()
        while waiting or not self._over:
            await woken.wait()
            woken.clear()
            if waiting:
                frame = b"".join(waiting)
                waiting.clear()
                await context.write(frame)

    async def run(self) -> None:
        """Send each event at its time. Raises TimeoutError if readers do not come."""
        async with asyncio.timeout(READY_LIMIT_S):
            await self._all_here.wait()
        began_s = time.time() + SETTLE_S
        for event in self._due:
            if (early_s := began_s + event.offset_s - time.time()) > 0:
                await asyncio.sleep(early_s)
            data = HEAD.pack(event.size, time.time()).ljust(HEAD.size + event.size, b".")
            for reader in event.readers:
                self._waiting[reader].append(data)
                self._woken[reader].set()
        self._over = True
        for woken in self._woken.values():
            woken.set()


async def send(lines: list[str]) -> None:
    """Run the server's side: send the events of a file once all readers are here, then wait to be ended."""
    sender = Sender([Event(*json.loads(line)) for line in lines])
    server = grpc.aio.server()
    handler = grpc.unary_stream_rpc_method_handler(sender.attend)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {METHOD: handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"127.0.0.1:{port}", flush=True)
    await sender.run()
    await server.wait_for_termination()


async def read(address: str, streams: int, channels: int) -> None:
    """Run the readers' side. Raises Unmeasurable if nothing was read."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    opened = [grpc.aio.insecure_channel(address, options=options) for _ in range(channels)]
    attend = [channel.unary_stream(f"/{SERVICE}/{METHOD}") for channel in opened]
    times: list[float] = []
    await asyncio.gather(*(_read(attend[number % channels](str(number).encode()), times) for number in range(streams)))
    if not times:
        raise Unmeasurable("no event came")
    print(1e3 * median(times), flush=True)


async def _read(stream: Any, times: list[float]) -> None:
    while (frame := await stream.read()) is not grpc.aio.EOF:
        now = time.time()
        times.extend(now - sent for sent in _sent(frame))


def _sent(frame: bytes) -> Iterator[float]:
    """Yield when each event of a frame was sent."""
    at = 0
    while at < len(frame):
        size, sent = HEAD.unpack_from(frame, at)
        at += HEAD.size + size
        yield sent


if __name__ == "__main__":
    if len(sys.argv) == 2:
        asyncio.run(send(Path(sys.argv[1]).read_text().splitlines()))
    else:
        asyncio.run(read(sys.argv[1], *map(int, sys.argv[2:])))
