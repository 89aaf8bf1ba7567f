"""A bare echo over grpc.aio: what games could reach if there were nothing to them but frames of the same sizes.

    python -m benchmarks.echo ADDRESS STREAM...

opens the streams of these numbers, and answers every frame with as many bytes as its first four say.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, NamedTuple

import grpc

from benchmarks.processes import START_LIMIT_S, halves, started
from benchmarks.sample import Exchange
from fairplay.server.links.link import duration
from fairplay.v1.connection_pb2 import Call, DialInRequest, DialInResponse, Reply

PATH = "/benchmarks.EchoService/Echo"
SIZE_BYTES = 4


class Frame(NamedTuple):
    """A frame to send on a stream; it says how long the answer is to be."""

    stream: int
    data: bytes


def frames(exchanges: Sequence[Exchange]) -> list[Frame]:
    """Return frames as long as those that carry these exchanges, one in each."""
    made = []
    for number, (seat, method, request, reply) in enumerate(exchanges, start=10_000):
        call = Call(id=number, player=seat % 2, method_name=method, request=request, time_limit=duration(1.0))
        size = DialInResponse(calls=[call]).ByteSize()
        answer_size = DialInRequest(replies=[Reply(id=number, response=reply)]).ByteSize()
        made.append(Frame(seat, answer_size.to_bytes(SIZE_BYTES).ljust(size, b".")))
    return made


class Echo:
    """The server's side: so many open streams, and the frames of one game that go out over them and back."""

    def __init__(self, game: Sequence[Frame], stream_count: int) -> None:
        self._game = game
        self._stream_count = stream_count
        self._streams: dict[int, Any] = {}
        self._all_here = asyncio.Event()
        self._over = asyncio.Event()
        self.trip_count = 0
        self.guards: Sequence[int] = ()
        """The guard of the process between server and programs, if there is one."""

    async def serve(self, _: Any, context: Any) -> None:
        """Serve one stream, whose first frame is its number."""
        self._streams[int(await context.read())] = context
        if len(self._streams) == self._stream_count:
            self._all_here.set()
        await self._over.wait()

    async def ready(self) -> None:
        """Wait until all streams are open."""
        async with asyncio.timeout(START_LIMIT_S):
            await self._all_here.wait()

    async def rate(self, seconds: float) -> float:
        """Round trips a second, one at a time, over and over the game."""
        return await self._trips(
            ((self._streams[stream], data) for stream, data in itertools.cycle(self._game)), seconds
        )

    async def crowded_rate(self, seconds: float) -> float:
        """Round trips a second of all streams together, one at a time on each, over and over the game."""
        frames = [data for _, data in self._game]
        trips = (
            self._trips(zip(itertools.repeat(each), itertools.cycle(frames)), seconds)
            for each in self._streams.values()
        )
        return sum(await asyncio.gather(*trips))

    async def _trips(self, frames: Iterable[tuple[Any, bytes]], seconds: float) -> float:
        count, began = 0, time.perf_counter()
        end = began + seconds
        for context, data in frames:
            await context.write(data)
            await context.read()
            count += 1
            self.trip_count += 1
            if time.perf_counter() >= end:
                break
        return count / (time.perf_counter() - began)

    def close(self) -> None:
        """End the streams."""
        self._over.set()


async def listen(serve: Callable[[Any, Any], Awaitable[None]], path: str = PATH) -> tuple[grpc.aio.Server, str]:
    """Return a server of bare streams of a method, and its address."""
    server = grpc.aio.server()
    handler = grpc.stream_stream_rpc_method_handler(serve)
    service, _, method = path[1:].partition("/")
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {method: handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    return server, f"127.0.0.1:{port}"


@asynccontextmanager
async def echo(
    exchanges: Sequence[Exchange], programs: Sequence[Sequence[str]] = (), relay: str = ""
) -> AsyncIterator[Echo]:
    """Return the echo of a game: a server in this process, and programs in processes of their own.

    `programs` are the numbers of the streams of each; by default each seat has one, half of them in each of two.
    `relay` is the module of a process between them, if there is to be one; it says its address.
    """
    programs = programs or halves([str(seat) for seat in sorted({exchange.seat for exchange in exchanges})])
    made = Echo(frames(exchanges), sum(map(len, programs)))
    server, address = await listen(made.serve)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(server.stop, 0)
        if relay:
            between = await stack.enter_async_context(started(relay, address))
            address, made.guards = between.line, [between.guard]
        for own in programs:
            await stack.enter_async_context(started("benchmarks.echo", address, *own))
        stack.callback(made.close)
        await made.ready()
        yield made


async def run(address: str, streams: Sequence[str]) -> None:
    """Run the other side: echo until the server is gone."""
    async with grpc.aio.insecure_channel(address) as channel:
        print("ready", flush=True)
        await asyncio.gather(*(_answer(channel.stream_stream(PATH)(), stream) for stream in streams))


async def _answer(stream: Any, number: str) -> None:
    await stream.write(number.encode())
    while (frame := await stream.read()) is not grpc.aio.EOF:
        await stream.write(bytes(int.from_bytes(frame[:SIZE_BYTES])))


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], sys.argv[2:]))
