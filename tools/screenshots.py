"""Makes the pictures of docs/web.md: the pages before a server of their own, in the system's Chromium."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from pathlib import Path

from playwright.async_api import Page, async_playwright, expect

from fairplay.v1.tournament_pb2 import RoundRobin, TournamentFormat
from tests.web.browser.people import LIMIT_MS, enter, make_table
from tests.web.harness import Pages, pages_of

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
SIZE = {"width": 1000, "height": 700}
LINKS = ("bot:greedy", "bot:random", "bot:minimax", "bot:first")
LEAGUE = TournamentFormat(round_robin=RoundRobin())


async def main() -> None:
    """Make all pictures."""
    path = shutil.which("chromium")
    if path is None:
        sys.exit("there is no chromium on the PATH")
    FOLDER.mkdir(exist_ok=True)
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    async with pages_of() as pages, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=arguments)
        await pages.play_tournament("league", LEAGUE, *LINKS, title="Spring league")
        page = await enter(browser, pages, "ann", viewport=SIZE)
        await show_table(page, pages)
        await page.goto(f"{pages.url}/tournaments/league")
        await save(page, "tournament")
        await page.goto(f"{pages.url}/")
        await save(page, "lobby")
        await browser.close()


async def show_table(page: Page, pages: Pages) -> None:
    """Make the picture of a table where the person is asked."""
    await make_table(page, pages, "fish", 2)
    await page.get_by_role("button", name="Set", exact=True).click()
    await expect(page.locator(".choices button").first).to_be_visible(timeout=LIMIT_MS)
    await page.locator(".choices button").first.click()
    await expect(page.get_by_role("button", name="Send")).to_be_visible(timeout=LIMIT_MS)
    await save(page, "table")


async def save(page: Page, name: str) -> None:
    """Write what a page shows into docs/pictures."""
    await page.screenshot(path=FOLDER / f"web-{name}.png")


if __name__ == "__main__":
    asyncio.run(main())
