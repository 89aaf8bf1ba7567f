"""People who are cut off in the middle of a game before a real browser: they come back to their seat and question."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, BrowserType, Page, expect
from playwright.async_api import TimeoutError as TooLateError

from tests.server.lobby.harness import guests
from tests.web.browser.people import CLICK_MS, LIMIT_MS, enter, enter_on, make_table
from tests.web.harness import Pages

pytestmark = pytest.mark.web
LOST = "The connection is lost."


async def begin_game(page: Page, pages: Pages) -> None:
    """Begin a game of Fish with a bot, and place a penguin."""
    await make_table(page, pages, "fish", 2)
    await page.get_by_role("button", name="Set", exact=True).click()
    await place(page, 4)


async def place(page: Page, left: int) -> None:
    """Place one penguin of so many, by clicks, and wait until the next one is asked for.

    A click is lost if the page changes just then: it is made again.
    """
    await expect(page.get_by_text(f"Place a penguin, {left} to go:")).to_be_visible(timeout=LIMIT_MS)
    send = page.get_by_role("button", name="Send")
    while not await send.count():
        with suppress(TooLateError):
            await page.locator(".choices button").first.click(timeout=CLICK_MS)
            await send.wait_for(timeout=CLICK_MS)
    while await send.count():
        with suppress(TooLateError):
            await send.click(timeout=CLICK_MS)
            await send.wait_for(state="detached", timeout=CLICK_MS)
    await expect(page.get_by_text(f"Place a penguin, {left - 1} to go:")).to_be_visible(timeout=LIMIT_MS)


async def test_who_loses_the_network_in_a_game_is_told_and_comes_back_with_nothing_lost(
    browser: Browser, pages: Pages
) -> None:
    ann = await enter(browser, pages, "ann")
    await begin_game(ann, pages)
    async with guests(pages.server, "bob") as [bob]:
        await bob.ask("WatchTable", table="blue")
        await ann.context.set_offline(True)
        await expect(ann.get_by_text(LOST)).to_be_visible(timeout=LIMIT_MS)
        await bob.ask("Say", text="are you there?")
        await ann.context.set_offline(False)
        await expect(ann.get_by_text("are you there?")).to_be_visible(timeout=LIMIT_MS)
        await expect(ann.get_by_text(LOST)).to_be_hidden(timeout=LIMIT_MS)
        await place(ann, 3)
        await bob.sees(lambda lobby: len(lobby.seats("blue")) == 2)
        assert all(seat.present for seat in bob.mirror.table("blue").seats)


async def start(chromium: BrowserType, start_options: Mapping[str, Any], profile: Path) -> BrowserContext:
    """Start a browser that remembers what the browser before it with this profile has kept."""
    return await chromium.launch_persistent_context(profile, reduced_motion="reduce", **start_options)


async def test_who_closes_the_browser_in_a_game_comes_back_to_the_same_seat_and_question(
    chromium: BrowserType, start_options: Mapping[str, Any], pages: Pages, tmp_path: Path
) -> None:
    before = await start(chromium, start_options, tmp_path)
    ann = await before.new_page()
    await enter_on(ann, pages, "ann")
    await begin_game(ann, pages)
    await before.close()
    after = await start(chromium, start_options, tmp_path)
    ann = await after.new_page()
    await ann.goto(f"{pages.url}/table")
    await expect(ann.get_by_text("(you)")).to_be_visible(timeout=LIMIT_MS)
    await ann.wait_for_load_state()
    await place(ann, 3)
    await after.close()
