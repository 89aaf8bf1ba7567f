"""A thousand users at two hundred tables, who talk, come and go, and have games played; and how soon its page opens."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import grpc
from playwright.async_api import Page, async_playwright

from benchmarks import fan_out
from benchmarks.figures import (
    LOBBY_RATIO_REACH,
    LOBBY_REACH_MS,
    LOBBY_SLOW_REACH_MS,
    OPENING_REACH_S,
    Figure,
    Pace,
    Unmeasurable,
    figure,
)
from benchmarks.processes import Started, started
from fairplay.server.net.errors import reason_of
from fairplay.v1 import lobby_pb2 as pb
from fairplay.v1.lobby_pb2_grpc import LobbyServiceStub

LOADS = 5
LIMIT_MS = 60_000
OPENED_MS = "performance.getEntriesByType('navigation')[0].loadEventEnd"
"""When the load event of a page was over, from the beginning of the navigation; 0 before that."""
USER_COUNT = 1_000
TABLE_COUNT = 200
CHANNEL_COUNT = 20
SEATED = 4  # of the five at each table; the others watch
SAYS_PER_S, STARTS_PER_S, MOVES_PER_S = 50, 10, 5
SETTLE_S = 2.0
COME_LIMIT_S = 180.0
EXPECTED = {"TABLE_RUNNING", "SEATED"}
"""Why a user may be refused who does not look before it asks."""


class Opened(NamedTuple):
    """What one repetition gave, in seconds."""

    empty_s: float
    full_s: float


async def measure_opening(pace: Pace) -> list[Figure]:
    """Return how long the page takes from the navigation to its load event, and against that of an empty lobby."""
    path = shutil.which("chromium")
    if path is None:
        raise Unmeasurable("there is no chromium on the PATH")
    found = [await _opened(path) for _ in range(pace.repeats)]
    return [
        figure("opening", [each.full_s for each in found], OPENING_REACH_S),
        figure("opening-empty", [each.empty_s for each in found]),
        figure("opening-ratio", [each.full_s / each.empty_s for each in found]),
    ]


async def _opened(browser_path: str) -> Opened:
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="fairplay-bench-")))
        serve = ("serve", "--listen", "127.0.0.1:0", "--records", str(folder / "records"))
        server = _address(await stack.enter_async_context(started("fairplay.terminal", *serve)))
        web = ("web", "--server", server, "--listen", "127.0.0.1:0", "--state", str(folder / "state"))
        pages = _address(await stack.enter_async_context(started("fairplay.terminal", *web)))
        playwright = await stack.enter_async_context(async_playwright())
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = await playwright.chromium.launch(executable_path=browser_path, args=flags)
        stack.push_async_callback(browser.close)
        page = await browser.new_page(base_url=f"http://{pages}")
        page.set_default_timeout(LIMIT_MS)
        await page.goto("/")
        await page.get_by_label("Your name").fill("ann")
        await page.get_by_role("button", name="Enter", exact=True).click()
        await page.get_by_role("heading", name="Lobby", exact=True).wait_for()
        empty_s = await _load_s(page, 0)
        options = [("grpc.use_local_subchannel_pool", 1)]
        channels = [
            await stack.enter_async_context(grpc.aio.insecure_channel(server, options=options))
            for _ in range(CHANNEL_COUNT)
        ]
        hosts = [Visitor(channels[number % CHANNEL_COUNT], number) for number in range(TABLE_COUNT)]
        streams = await have_each(hosts, Visitor.come)
        await have_each(hosts, Visitor.create)
        full_s = await _load_s(page, TABLE_COUNT)
        for stream in streams:
            stream.cancel()
        return Opened(empty_s, full_s)


async def _load_s(page: Page, table_count: int) -> float:
    """Return the median of several loads, after one that does not count. The lobby has so many tables."""
    times: list[float] = []
    for _ in range(LOADS + 1):
        await page.goto("/", wait_until="load")
        await page.wait_for_function(f"{OPENED_MS} > 0")
        found = await page.locator("input[name=table]").count()
        if found != table_count:
            raise Unmeasurable(f"the page shows {found} tables instead of {table_count}")
        times.append(await page.evaluate(OPENED_MS) / 1e3)
    return median(times[1:])


def _address(process: Started) -> str:
    """Return where a process listens, which it says last."""
    found: list[str] = re.findall(r"127\.0\.0\.1:\d+", process.line)
    if not found:
        raise Unmeasurable(f"a process does not say where it is, but: {process.line}")
    return found[-1]


class Delivery(NamedTuple):
    """What one repetition gave: times in milliseconds, those of a bare fan-out of the same events as well."""

    median_ms: float
    slow_ms: float
    rate: float
    bare_ms: float


async def measure_lobby(pace: Pace) -> list[Figure]:
    """Return times of delivery by `fairplay serve`, a process of its own, with its records on disk."""
    found = [await _delivery(pace.seconds) for _ in range(pace.repeats)]
    return [
        figure("lobby", [each.median_ms for each in found], LOBBY_REACH_MS),
        figure("lobby-rate", [each.rate for each in found]),
        figure("lobby-95", [each.slow_ms for each in found], LOBBY_SLOW_REACH_MS),
        figure("lobby-ratio", [each.median_ms / each.bare_ms for each in found], LOBBY_RATIO_REACH),
        figure("lobby-bare", [each.bare_ms for each in found]),
    ]


async def _delivery(seconds: float) -> Delivery:
    with tempfile.TemporaryDirectory(prefix="fairplay-bench-") as folder:
        file = Path(folder) / "events"
        async with AsyncExitStack() as stack:
            server = await stack.enter_async_context(
                started("fairplay.terminal", "serve", "--listen", "127.0.0.1:0", "--records", f"{folder}/records")
            )
            address = re.search(r"127\.0\.0\.1:\d+", server.line)
            if address is None:
                raise Unmeasurable(f"the server does not say where it is, but: {server.line}")
            users = await stack.enter_async_context(
                started("benchmarks.lobby", address[0], str(seconds), str(file), limit_s=COME_LIMIT_S)
            )
            median, slow, rate = map(float, users.line.split())
        return Delivery(median, slow, rate, await fan_out.delivery_ms(file, USER_COUNT, CHANNEL_COUNT))


class Visitor:
    """A user, who has a place at a table."""

    def __init__(self, channel: grpc.aio.Channel, number: int) -> None:
        self.name = f"user{number}"
        self.table = f"table {number % TABLE_COUNT}"
        self.seated = number // TABLE_COUNT < SEATED
        self._stub: Any = LobbyServiceStub(channel)
        self._token = ""

    async def ask(self, method: str, **fields: Any) -> None:
        """Call a method; refusals that are to be expected are none of ours."""
        try:
            await getattr(self._stub, method)(getattr(pb, f"{method}Request")(token=self._token, **fields))
        except grpc.aio.AioRpcError as error:
            if reason_of(error) not in EXPECTED:
                raise

    async def come(self) -> Any:
        """Enter and open the stream."""
        self._token = (await self._stub.Enter(pb.EnterRequest(name=self.name))).token
        stream = self._stub.Attend(pb.AttendRequest(token=self._token))
        await stream.read()
        return stream

    async def create(self) -> None:
        """Make the table where it is to be."""
        await self.ask("CreateTable", name=self.table, game="fish")

    async def join(self) -> None:
        """Take a seat, with a reference player, or watch."""
        if self.seated:
            await self.ask("JoinTable", table=self.table, link="bot:first")
        else:
            await self.ask("WatchTable", table=self.table)


class Read(NamedTuple):
    """A message of the lobby that was read: on which stream, and when."""

    stream: int
    at_s: float
    message: pb.AttendResponse


async def _read(number: int, stream: Any, found: list[Read]) -> None:
    while (message := await stream.read()) is not grpc.aio.EOF:
        found.append(Read(number, time.time(), message))


def _happened_s(event: pb.LobbyEvent) -> float:
    return event.time.seconds + event.time.nanos / 1e9


async def _now_and_then(per_second: float, do: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Do it so often, whether the time before is over or not."""
    async with asyncio.TaskGroup() as tasks:
        while True:
            tasks.create_task(do())
            await asyncio.sleep(1 / per_second)


async def run(address: str, seconds: float, file: Path) -> None:
    """Run the users' side."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    channels = [grpc.aio.insecure_channel(address, options=options) for _ in range(CHANNEL_COUNT)]
    visitors = [Visitor(channels[number % CHANNEL_COUNT], number) for number in range(USER_COUNT)]
    found: list[Read] = []
    streams = await have_each(visitors, Visitor.come)
    reading = [asyncio.create_task(_read(number, stream, found)) for number, stream in enumerate(streams)]
    await have_each(visitors[:TABLE_COUNT], Visitor.create)
    await have_each(visitors, Visitor.join)
    acting = [
        asyncio.create_task(_now_and_then(per_second, partial(act, visitors, random.Random(1))))
        for per_second, act in ((SAYS_PER_S, _say), (STARTS_PER_S, _start), (MOVES_PER_S, _move))
    ]
    await asyncio.sleep(SETTLE_S)
    found.clear()
    await asyncio.sleep(seconds)
    measured = found[:]
    for task in (*acting, *reading):
        if task.done():
            task.result()  # nobody is to have stopped
    _report(measured, seconds, file)
    for task in (*acting, *reading):
        task.cancel()
    await asyncio.gather(*acting, *reading, return_exceptions=True)


async def have_each(visitors: Sequence[Visitor], do: Callable[[Visitor], Awaitable[Any]]) -> list[Any]:
    """Have everybody do something, a few at the same time."""
    found = []
    for at in range(0, len(visitors), CHANNEL_COUNT):
        found += await asyncio.gather(*map(do, visitors[at : at + CHANNEL_COUNT]))
    return found


async def _say(visitors: Sequence[Visitor], rng: random.Random) -> None:
    await rng.choice(visitors).ask("Say", text="hello, everybody at this table")


async def _start(visitors: Sequence[Visitor], rng: random.Random) -> None:
    await rng.choice(visitors[:TABLE_COUNT]).ask("StartTable")


async def _move(visitors: Sequence[Visitor], rng: random.Random) -> None:
    visitor = rng.choice(visitors[TABLE_COUNT * SEATED :])
    await visitor.ask("LeaveTable")
    await visitor.join()


def _report(found: Sequence[Read], seconds: float, file: Path) -> None:
    read = [(each, event) for each in found for event in each.message.events]
    made = fan_out.events((each.stream, event.sequence, _happened_s(event), event.ByteSize()) for each, event in read)
    file.write_text("".join(f"{json.dumps(event)}\n" for event in made))
    cuts = quantiles((1e3 * (each.at_s - _happened_s(event)) for each, event in read), n=20)
    print(cuts[9], cuts[18], len(read) / seconds, flush=True)


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], float(sys.argv[2]), Path(sys.argv[3])))
