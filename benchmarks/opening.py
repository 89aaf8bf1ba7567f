"""How long the page of a lobby takes to open in the system's Chromium: with two hundred tables, and with none."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

import grpc
from playwright.async_api import Page, async_playwright

from benchmarks.figures import OPENING_REACH_S, Figure, Pace, Unmeasurable, figure
from benchmarks.lobby import CHANNEL_COUNT, TABLE_COUNT, Visitor, have_each
from benchmarks.processes import Started, started

LOADS = 5
LIMIT_MS = 60_000
OPENED_MS = "performance.getEntriesByType('navigation')[0].loadEventEnd"
"""When the load event of a page was over, from the beginning of the navigation; 0 before that."""


class Opened(NamedTuple):
    """What one repetition gave, in seconds."""

    empty_s: float
    full_s: float


async def measure(pace: Pace) -> list[Figure]:
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
