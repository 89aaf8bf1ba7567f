"""Makes the pictures of docs/web.md: each page before a server of their own, in the system's Chromium.

    python -m tools.screenshots --folder /tmp/looks --width 360

shows the same pages, whole and as wide as a phone, in another folder: to look at what a change does to them.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from playwright.async_api import Browser, Page, async_playwright, expect

from fairplay.v1.tournament_pb2 import RoundRobin, TournamentFormat
from tests.web.browser.people import LIMIT_MS, enter, make_table
from tests.web.harness import Pages, pages_of

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
WIDTH, HEIGHT, PHONE_WIDTH = 760, 480, 360
LOADED = "() => Array.from(document.images).every((each) => each.complete)"
TABLES = ("bazaar", "eriantys", "fish", "q")
LINKS = ("bot:greedy", "bot:random", "bot:minimax", "bot:first", "grpc://127.0.0.1:1")
LEAGUE = TournamentFormat(round_robin=RoundRobin())
Scheme: TypeAlias = Literal["light", "dark"]
ADDRESSES: Mapping[str, str] = {
    "lobby": "/",
    "new-table": "/tables/new?game=bazaar",
    "replay": "/watch/one?at=7",
    "tournaments": "/tournaments",
    "tournament": "/tournaments/league",
    "projector": "/tournaments/league?screen",
    "entrant": "/tournaments/league/entrants/e0",
    "records": "/records",
    "record": "/records/one?verify=1",
    "games": "/games",
    "rules": "/games/q",
    "operator": "/operator",
}
"""Pages that an address alone shows, by the names of their pictures."""


class Camera:
    """Takes the pictures; `whole`: of all that a page holds, not only of what a window shows of it."""

    def __init__(self, browser: Browser, pages: Pages, folder: Path, *, whole: bool) -> None:
        self._browser = browser
        self._pages = pages
        self._folder = folder
        self._whole = whole

    async def visit(self, name: str, width: int, scheme: Scheme) -> Page:
        """Return the lobby, as somebody sees it who has entered it."""
        size = {"width": width, "height": HEIGHT}
        return await enter(self._browser, self._pages, name, viewport=size, color_scheme=scheme)

    async def take(self, page: Page, name: str) -> None:
        """Write what a page shows from its top on, as soon as all its pictures are there."""
        await page.evaluate("window.scrollTo(0, 0)")
        await page.wait_for_function(LOADED, timeout=LIMIT_MS)
        await page.screenshot(path=self._folder / f"web-{name}.png", full_page=self._whole)

    async def take_addresses(self, page: Page, suffix: str = "") -> None:
        """Take the pages that an address alone shows."""
        for name, address in ADDRESSES.items():
            await page.goto(f"{self._pages.url}{address}")
            await self.take(page, f"{name}{suffix}")

    async def take_tables(self, games: Sequence[str], width: int, scheme: Scheme) -> None:
        """Take tables where the person is asked, with bots for the other seats."""
        for game in games:
            page = await self.visit(f"{game}-{scheme}", width, scheme)
            await make_table(page, self._pages, game, 2, f"{game}-{scheme}")
            await page.get_by_role("button", name="Set", exact=True).click()
            await expect(page.locator(".choices button").first).to_be_visible(timeout=LIMIT_MS)
            await page.locator(".choices button").first.click()
            await expect(page.locator("#offer >> text=Undo")).to_be_visible(timeout=LIMIT_MS)
            await self.take(page, f"table-{game}-{scheme}")


async def main(arguments: Sequence[str] | None = None) -> None:
    """Make all pictures."""
    parser = argparse.ArgumentParser(prog="python -m tools.screenshots", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the pictures go; by default docs/pictures")
    parser.add_argument("--width", type=int, default=0, metavar="PIXELS", help="take whole pages, so wide")
    options = parser.parse_args(arguments)
    path = shutil.which("chromium")
    if path is None:
        sys.exit("there is no chromium on the PATH")
    options.folder.mkdir(parents=True, exist_ok=True)
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    async with pages_of() as pages, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=flags)
        await pages.play_tournament("league", LEAGUE, *LINKS, title="Spring league")
        await pages.play_game("q", "one", "bot:dag", "bot:ldasg")
        camera = Camera(browser, pages, options.folder, whole=bool(options.width))
        await (take_wide(camera, options.width) if options.width else take_for_docs(camera))
        await browser.close()


async def take_for_docs(camera: Camera) -> None:
    """Take the pictures of the docs: every page, a table also on a phone in the dark."""
    await camera.take_tables(["fish"], WIDTH, "light")
    await camera.take_addresses(await camera.visit("ann", WIDTH, "light"))
    await camera.take_tables(["eriantys"], PHONE_WIDTH, "dark")


async def take_wide(camera: Camera, width: int) -> None:
    """Take every page, and a table of each game, light and dark."""
    await camera.take_addresses(await camera.visit("ann", width, "light"))
    await camera.take_addresses(await camera.visit("bob", width, "dark"), "-dark")
    await camera.take_tables(TABLES, width, "light")
    await camera.take_tables(TABLES, width, "dark")


if __name__ == "__main__":
    asyncio.run(main())
