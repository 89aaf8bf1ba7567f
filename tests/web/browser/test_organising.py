"""The forms of organisers and of those who enter, with the keyboard alone and on a small screen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from fairplay.games.game import find
from fairplay.player.channels import Credentials
from fairplay.server.server import Config
from tests.server.harness import dialled_in
from tests.web.browser.people import LIMIT_MS
from tests.web.browser.test_access import NARROW, faults
from tests.web.harness import pages_of
from tests.web.test_organising import invite

pytestmark = pytest.mark.web
MOST_STOPS = 80
FOCUSED = "() => (document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()"


async def tab_to(page: Page, name: str) -> None:
    """Press Tab until the field or button of a name has the focus."""
    for _ in range(MOST_STOPS):
        await page.keyboard.press("Tab")
        if await page.evaluate(FOCUSED) == name:
            return
    raise AssertionError(f"no key leads to {name}")


async def type_into(page: Page, name: str, text: str) -> None:
    await tab_to(page, name)
    await page.keyboard.press("Control+A")
    await page.keyboard.type(text)


async def follow(page: Page, heading: str) -> None:
    """Press Enter, and wait for the page to which it leads."""
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name=heading, level=1, exact=True)).to_be_visible()


async def test_from_the_invitation_to_the_end_of_a_tournament_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    config = Config(listen="127.0.0.1:0", records=tmp_path, accounts=True)
    async with pages_of(config) as pages:
        screen = {"width": NARROW, "height": 640}
        context = await browser.new_context(base_url=pages.url, reduced_motion="reduce", viewport=screen)  # type: ignore[arg-type]
        page = await context.new_page()
        page.set_default_timeout(LIMIT_MS)
        await page.goto(f"{pages.url}/account#{invite(tmp_path, 'organiser')}")
        assert page.url == f"{pages.url}/account"
        errors = [*await faults(page, "an invitation")]
        await type_into(page, "Your name", "ora")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("You are ora now")).to_be_visible()
        errors += await faults(page, "an account")
        token = await page.get_by_label("The token of your account").input_value()

        await tab_to(page, "make a tournament")
        await follow(page, "A new tournament")
        await type_into(page, "Id", "cup")
        await type_into(page, "Most entrants", "60")
        await type_into(page, "House bots", "1")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("With 60 entrants: 1,770 games")).to_be_visible()
        errors += await faults(page, "a preview")
        await tab_to(page, "Make the tournament")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("Sign-up is open: 1 of at most 60")).to_be_visible()
        errors += await faults(page, "a sign-up")

        await tab_to(page, "Sign a program up")
        await follow(page, "Sign-up for cup")
        await type_into(page, "Name of your player", "alice")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("alice has not dialled in yet")).to_be_visible()
        await expect(page.get_by_text("FAIRPLAY_NAME=alice")).to_be_visible()
        errors += await faults(page, "a command line")
        alice = ("alice", find("fish").player("greedy"))
        async with dialled_in(pages.server, alice, credentials=Credentials(token=token)):
            await expect(page.get_by_text(re.compile("alice is here and has signed up"))).to_be_visible(
                timeout=LIMIT_MS
            )
            errors += await faults(page, "a player that is here")
            await tab_to(page, "To the tournament")
            await follow(page, "cup")
            await tab_to(page, "Start now")
            await page.keyboard.press("Enter")
            await expect(page.get_by_text("Won by")).to_be_visible(timeout=LIMIT_MS)
        assert errors == []
