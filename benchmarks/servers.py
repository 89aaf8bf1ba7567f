"""Two servers against one, and what it would cost if one server in two processes relayed calls between them.

    python -m benchmarks.servers ADDRESS

is a bare relay: it says its own address, opens a stream to ADDRESS for each that comes, and passes on what comes over
either.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import AsyncExitStack
from multiprocessing import get_context
from threading import Barrier
from typing import Any, NamedTuple

import grpc
import psutil

from benchmarks.arena import CLASS_SIZE, RUN_LIMIT_S, Load, Sample, arena
from benchmarks.echo import PATH, Echo, echo, listen
from benchmarks.figures import Figure, Pace, figure, measured
from benchmarks.sample import play_sample

GAME = measured("fish")
GAMES = 64


class Trips(NamedTuple):
    """What round trips cost: CPU in microseconds each, of the server and of the process between, if there is one."""

    rate: float
    cpu_us: float


def measure_servers(pace: Pace) -> list[Figure]:
    """Return what two servers play that have half of the games each, over what one plays that has all of them."""
    one: list[list[Sample]] = []
    two: list[list[Sample]] = []
    with get_context("spawn").Manager() as manager, ProcessPoolExecutor(2, get_context("spawn")) as pool:
        for _ in range(pace.repeats):
            for servers, found in ((1, one), (2, two)):
                begin = manager.Barrier(servers)
                playing = [pool.submit(play, GAMES // servers, pace.seconds, begin) for _ in range(servers)]
                found.append([each.result() for each in playing])
    pairs = list(zip(one, two, strict=True))
    return [
        figure("servers", [_rate(both) / _rate(alone) for alone, both in pairs], game=GAME.game),
        figure("servers-rate", [_rate(both) for both in two], game=GAME.game),
        figure("servers-cpu", [_cpu_us(both) / _cpu_us(alone) for alone, both in pairs], game=GAME.game),
    ]


def play(games: int, seconds: float, begin: Barrier) -> Sample:
    """Play so many games at once on a server in this process, once all that wait at the barrier are ready."""

    async def playing() -> Sample:
        sample = play_sample(GAME)
        async with arena(GAME, sample, ()) as here:
            await asyncio.to_thread(begin.wait, RUN_LIMIT_S)
            return await here.run(Load(games), seconds)

    return asyncio.run(playing())


def _rate(servers: list[Sample]) -> float:
    return sum(each.calls / each.wall_s for each in servers)


def _cpu_us(servers: list[Sample]) -> float:
    return 1e6 * sum(each.cpu_s for each in servers) / sum(each.calls for each in servers)


async def measure_relay(pace: Pace) -> list[Figure]:
    """Return what round trips through a second process cost, over those without it; sixteen programs at once."""
    exchanges, programs = play_sample(GAME).exchanges, [[str(number)] for number in range(CLASS_SIZE)]
    async with AsyncExitStack() as stack:
        direct = await stack.enter_async_context(echo(exchanges, programs))
        relayed = await stack.enter_async_context(echo(exchanges, programs, relay="benchmarks.servers"))
        pairs = [(await _trips(direct, pace), await _trips(relayed, pace)) for _ in range(pace.repeats)]
    return [
        figure("relay", [through.cpu_us / bare.cpu_us for bare, through in pairs]),
        figure("relay-cpu", [through.cpu_us - bare.cpu_us for bare, through in pairs]),
        figure("relay-rate", [through.rate / bare.rate for bare, through in pairs]),
    ]


async def _trips(made: Echo, pace: Pace) -> Trips:
    between = [psutil.Process(guard).children()[0] for guard in made.guards]

    def used_s() -> float:
        times = [each.cpu_times() for each in between]
        return time.process_time() + sum(each.user + each.system for each in times)

    before, count = used_s(), made.trip_count
    rate = await made.crowded_rate(pace.seconds)
    return Trips(rate, 1e6 * (used_s() - before) / (made.trip_count - count))


async def relay(address: str) -> None:
    """Relay streams until the process is ended."""
    async with grpc.aio.insecure_channel(address) as channel:

        async def serve(_: Any, context: Any) -> None:
            further = channel.stream_stream(PATH)()
            await asyncio.gather(_pass_on(context.read, further.write), _pass_on(further.read, context.write))

        server, own = await listen(serve)
        print(own, flush=True)
        await server.wait_for_termination()


async def _pass_on(read: Callable[[], Awaitable[Any]], write: Callable[[Any], Awaitable[None]]) -> None:
    while (frame := await read()) is not grpc.aio.EOF:
        await write(frame)


if __name__ == "__main__":
    asyncio.run(relay(sys.argv[1]))
