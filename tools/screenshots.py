"""Makes the pictures of docs/web.md: each page before a server of their own, in the system's Chromium.

    python -m tools.screenshots --folder /tmp/looks --width 360

shows the same pages whole, so wide, light and dark, in another folder: to look at what a change does to them.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Literal, TypeAlias

from playwright.async_api import Browser, Page, async_playwright, expect

from fairplay.v1.tournament_pb2 import RoundRobin, TournamentFormat
from tests.interrupts import ignoring_ctrl_c
from tests.web.browser.people import LIMIT_MS, click_choice, enter, make_table
from tests.web.browser.test_people import PICKERS
from tests.web.harness import SERVER, Pages, pages_of

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
WIDTH, HEIGHT, PHONE_WIDTH = 760, 560, 360
STOPPED = 130
GAME_S = 300.0
LOADED = """() => Array.from(document.images).every((each) => {
    each.loading = "eager";
    return each.complete && each.naturalWidth > 0;
})"""
"""Whether all pictures of a page are there: one that cannot be had never is."""
CHOSEN = "#offer :is(button:text-is('Undo'), .prompt:text('Three cards'))"
"""What a page shows while a choice is not complete, or not sent."""
LEAGUE = TournamentFormat(round_robin=RoundRobin())
LINKS = ("bot:greedy", "bot:random", "bot:minimax", "bot:first", "grpc://127.0.0.1:1")
Scheme: TypeAlias = Literal["light", "dark"]


class Seat:
    """Somebody at a table of its own: its name, that of the table, and how often it clicks before the picture."""

    def __init__(self, name: str, table: str, click_count: int) -> None:
        self.name = name
        self.table = table
        self.click_count = click_count


SEATS: Mapping[str, Seat] = {
    "bazaar": Seat("ben", "market", 9),
    "eriantys": Seat("eve", "clouds", 10),
    "fish": Seat("finn", "ice", 8),
    "q": Seat("quin", "map", 6),
    "webset": Seat("wes", "cards", 2),
}
ADDRESSES: Mapping[str, str] = {
    "lobby": "/",
    "new-table": "/tables/new?game=bazaar",
    "replay": "/watch/one?at=17",
    "tournaments": "/tournaments",
    "tournament": "/tournaments/league",
    "projector": "/tournaments/league?screen",
    "entrant": "/tournaments/league/entrants/e0",
    "certificate": "/tournaments/cup/entrants/ann",
    "records": "/records",
    "record": "/records/one?verify=1",
    "games": "/games",
    "rules": "/games/q",
    "operator": "/operator",
}
"""Pages that an address alone shows to who has entered the lobby, by the names of their pictures."""
ON_PHONES = ("lobby", "tournament")
"""Those of which the docs have a picture on a phone, too."""


class RandomPicker:
    """Picks by chance, the same for the same labels."""

    def __init__(self) -> None:
        self._rng = Random(1)

    def __call__(self, labels: Mapping[str, str]) -> str:
        """Return the part that is picked."""
        return self._rng.choice(sorted(labels))


class Camera:
    """Takes the pictures."""

    def __init__(self, browser: Browser, pages: Pages, folder: Path, whole_width: int) -> None:
        self._browser = browser
        self._pages = pages
        self._folder = folder
        self._whole_width = whole_width
        """How wide pages are taken whole, light and dark; 0: the pictures of the docs."""

    async def take_all(self) -> None:
        """Take all pictures: tables first, so that other pages have something to show."""
        await self._take_tables()
        page = await self._browser.new_page(base_url=self._pages.url)
        await page.goto("/")
        await self._take(page, "front")
        page = await enter(self._browser, self._pages, "ann")
        for name, address in ADDRESSES.items():
            await page.goto(address)
            await self._take(page, name, on_phone=name in ON_PHONES)

    async def _take_tables(self) -> None:
        """Take a table of each game where a person has chosen something, with a bot for the other seat."""
        for game, seat in SEATS.items():
            page = await enter(self._browser, self._pages, seat.name)
            await make_table(page, self._pages, game, 2, seat.table, {})
            await page.get_by_role("button", name="Set", exact=True).click()
            await expect(page.locator(".choices button").first).to_be_visible(timeout=LIMIT_MS)
            await _play_until_chosen(page, game, seat.click_count)
            await self._take(page, f"table-{game}", on_phone=True)

    async def _take(self, page: Page, name: str, *, on_phone: bool = False) -> None:
        """Take a page light, and dark where that is wanted."""
        if self._whole_width:
            for scheme in ("light", "dark"):
                await self._shoot(page, f"{name}-{scheme}", self._whole_width, scheme)
            return
        await self._shoot(page, name, WIDTH, "light")
        if on_phone:
            await self._shoot(page, f"{name}-phone", PHONE_WIDTH, "dark")

    async def _shoot(self, page: Page, name: str, width: int, scheme: Scheme) -> None:
        """Write what a page shows from its top on, as soon as all its pictures are there."""
        await page.set_viewport_size({"width": width, "height": HEIGHT})
        await page.emulate_media(color_scheme=scheme)
        await page.evaluate("window.scrollTo(0, 0)")
        await page.wait_for_function(LOADED, timeout=LIMIT_MS)
        await page.screenshot(path=self._folder / f"web-{name}.png", full_page=bool(self._whole_width))


async def _play_until_chosen(page: Page, game: str, click_count: int) -> None:
    """Answer what the person is asked by so many clicks, and go on until something is chosen that is not sent."""
    pick = PICKERS.get(game, RandomPicker)()
    async with asyncio.timeout(GAME_S):
        for _ in range(click_count):
            await click_choice(page, pick)
        while not await page.locator(CHOSEN).count():
            await click_choice(page, pick)


async def take(folder: Path, whole_width: int, browser_path: str) -> None:
    """Take all pictures, of a server and its pages that end with this."""
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    async with AsyncExitStack() as stack:
        keys = Path(stack.enter_context(TemporaryDirectory(prefix="fairplay-screenshots-")))
        pages = await stack.enter_async_context(pages_of(replace(SERVER, start_limit_s=1.0)))
        with ignoring_ctrl_c():  # this program ends the browser, with what it leaves
            playwright = await stack.enter_async_context(async_playwright())
        browser = await playwright.chromium.launch(executable_path=browser_path, args=flags, handle_sigint=False)
        stack.push_async_callback(browser.close)
        await pages.play_tournament("league", LEAGUE, *LINKS, title="Spring league")
        await pages.sign_up_certified("cup", keys, title="Autumn cup")
        await pages.play_game("q", "one", "bot:dag", "bot:ldasg")
        await Camera(browser, pages, folder, whole_width).take_all()


def main(arguments: Sequence[str] | None = None) -> int:
    """Make all pictures, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.screenshots", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the pictures go; by default docs/pictures")
    parser.add_argument("--width", type=int, default=0, metavar="PIXELS", help="take whole pages, so wide")
    options = parser.parse_args(arguments)
    path = shutil.which("chromium")
    if path is None:
        print("there is no chromium on the PATH", file=sys.stderr)
        return 1
    options.folder.mkdir(parents=True, exist_ok=True)
    try:
        asyncio.run(take(options.folder, options.width, path))
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return STOPPED
    return 0


if __name__ == "__main__":
    sys.exit(main())
