"""People before real browsers: they enter, make tables, and choose what they may by clicks in pictures."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from playwright.async_api import Browser, Page, expect
from playwright.async_api import TimeoutError as TooLateError

from tests.web.harness import Pages

LIMIT_MS = 60_000
CLICK_MS = 5_000
SMALL: Mapping[str, Mapping[str, str]] = {"fish": {"rows": "4", "columns": "4", "holes": "0"}}
OVER = "The last game was"


async def enter(browser: Browser, pages: Pages, name: str, **context: object) -> Page:
    """Return the lobby as a person sees it."""
    made = await browser.new_context(base_url=pages.url, reduced_motion="reduce", **context)  # type: ignore[arg-type]
    page = await made.new_page()
    page.set_default_timeout(LIMIT_MS)
    await page.goto(f"{pages.url}/")
    await page.get_by_label("Your name").fill(name)
    await page.get_by_role("button", name="Enter", exact=True).click()
    await expect(page.get_by_role("heading", name="Lobby", exact=True)).to_be_visible(timeout=LIMIT_MS)
    return page


async def make_table(page: Page, pages: Pages, game: str, seats: int) -> None:
    """Make a table, go there and take a seat."""
    await page.goto(f"{pages.url}/tables/new?game={game}")
    await page.get_by_label("Name of the table").fill("blue")
    await page.get_by_label("Number of players").select_option(str(seats))
    for setting, value in SMALL.get(game, {}).items():
        await page.locator(f"#set-{setting}").fill(value)
    await page.get_by_role("button", name="Make the table").click()
    await sit(page)


async def sit(page: Page) -> None:
    """Take a seat at the table that is shown, and wait until its scripts take keys and clicks."""
    await page.get_by_role("button", name="Take a seat").click()
    await expect(page.get_by_text("(you)")).to_be_visible(timeout=LIMIT_MS)
    await page.wait_for_load_state()


async def click_choice(page: Page) -> None:
    """Send what is complete, or click in the picture on the first of what may be chosen; nothing while others move.

    The page may change while this looks at it: what is gone by then is no error.
    """
    send = page.locator("#offer button.main")
    with suppress(TooLateError):
        if await send.count():
            await send.click(timeout=CLICK_MS)
            return
        choice = page.locator(".choices button").first
        if await choice.count():
            part = await choice.get_attribute("value", timeout=CLICK_MS)
            await page.locator(f'#board [data-part="{part}"]').first.click(timeout=CLICK_MS)
