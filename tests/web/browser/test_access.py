"""Every page for everybody: axe finds nothing that keeps people out, and nothing is wider than a small screen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page, expect

from fairplay.games.game import registered
from fairplay.v1.tournament_pb2 import RoundRobin, TournamentFormat
from fairplay.web.pages import PAGES
from tests.web.browser.people import LIMIT_MS, enter, make_table
from tests.web.harness import Pages

pytestmark = pytest.mark.web
CERTIFICATE = "/certificates/asked"
"""Stands for the page of a certification that ann has asked for."""
ADDRESSES = (
    "/table",
    "/table/delete",
    "/",
    "/games",
    "/games/fish",
    "/tables/new?game=webset",
    "/watch/one",
    "/watch/one?at=3",
    "/tournaments",
    "/tournaments/league",
    "/tournaments/league?screen",
    "/tournaments/league/entrants/e0",
    "/tournaments/league/games",
    "/tournaments/new",
    "/account",
    "/tournaments/cup",
    "/tournaments/cup/entrants/ann",
    "/tournaments/cup/sign-up",
    "/certificates",
    CERTIFICATE,
    "/records",
    "/records/one",
    "/records/one?verify=1",
    "/operator",
    "/nothing",
)
NO_PAGES = re.compile(r"/(live|moment|picture|download)/|\.svg$|/\{file\}$")
"""Addresses of parts of pages, of pictures and of files."""
NARROW, SCREEN_HEIGHT = 320, 640
ONE_LINE = 56
"""The height of a header of one line, at most."""
NO_KEYS = """() => Array.from(document.querySelectorAll("form"))
    .filter((form) => !form.querySelector("button, [hx-trigger]") || form.querySelector("[tabindex='-1']"))
    .map((form) => form.outerHTML)"""
"""The forms that the keyboard alone cannot fill in and send."""
DOWN_TO = "(part) => part.getBoundingClientRect().bottom + window.scrollY"
Scheme = Literal["light", "dark"]


def test_every_page_is_looked_at() -> None:
    shown = [address.partition("?")[0] for address in ADDRESSES]
    pages = [route for route in PAGES if "GET" in (route.methods or ()) and not NO_PAGES.search(route.path)]
    assert [route.path for route in pages if not any(map(route.path_regex.match, shown))] == []


async def faults(page: Page, where: str) -> Sequence[str]:
    """Return what keeps people from a page that is shown: all that axe finds, and whether it is too wide."""
    found = (await Axe().run(page)).response["violations"]
    errors = [f"{where}: {each['id']}: {node['html']}" for each in found for node in each["nodes"]]
    errors += [f"{where}: no keys for {form}" for form in await page.evaluate(NO_KEYS)]
    width = await page.evaluate("document.documentElement.scrollWidth")
    return [*errors, f"{where} is {width} pixels wide"] if width > NARROW else errors


async def sit_with_bot(page: Page, pages: Pages, game: str, table: str = "blue") -> None:
    """Make a table, and wait until the person is asked something there."""
    await make_table(page, pages, game, 2, table)
    await page.get_by_role("button", name="Set", exact=True).click()
    await expect(page.locator(".choices button").first).to_be_visible(timeout=LIMIT_MS)


async def enter_narrow(browser: Browser, pages: Pages, name: str, scheme: Scheme) -> Page:
    """Return the lobby on a small screen."""
    return await enter(browser, pages, name, color_scheme=scheme, viewport={"width": NARROW, "height": SCREEN_HEIGHT})


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_no_page_keeps_anybody_out(browser: Browser, pages: Pages, scheme: Scheme, tmp_path: Path) -> None:
    await pages.play_game("fish", "one", "bot:greedy", "grpc://127.0.0.1:1")
    await pages.play_tournament("league", TournamentFormat(round_robin=RoundRobin()), "bot:greedy", "bot:random")
    await pages.sign_up_certified("cup", tmp_path)
    page = await enter_narrow(browser, pages, "ann", scheme)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if "Content Security Policy" in line.text else None)
    await sit_with_bot(page, pages, "fish")
    await page.goto(f"{pages.url}/certificates")
    await page.get_by_label("Name of your player").fill("mine")
    await page.get_by_role("button", name="Certify my player").click()
    await expect(page.get_by_text("waits for the player to dial in")).to_be_visible(timeout=LIMIT_MS)
    certificate = page.url
    for address in ADDRESSES:
        await page.goto(certificate if address == CERTIFICATE else f"{pages.url}{address}")
        errors += await faults(page, address)
    assert errors == []


@pytest.mark.parametrize("game", registered())
async def test_no_table_keeps_anybody_out(browser: Browser, pages: Pages, game: str) -> None:
    ann = await enter_narrow(browser, pages, "ann", "light")
    await sit_with_bot(ann, pages, game)
    errors = list(await faults(ann, game))
    assert await ann.locator("header").evaluate("(header) => header.offsetHeight") <= ONE_LINE
    assert await ann.locator(".choices button").first.evaluate(DOWN_TO) <= SCREEN_HEIGHT
    await ann.set_viewport_size({"width": 1280, "height": SCREEN_HEIGHT})
    assert await ann.locator("#board svg").evaluate(DOWN_TO) <= SCREEN_HEIGHT
    bob = await enter_narrow(browser, pages, "bob", "dark")
    await bob.goto(f"{pages.url}/records")
    await bob.get_by_role("link", name=re.compile("^[A-Z]")).last.click()
    await expect(bob.locator(".board svg")).to_be_visible(timeout=LIMIT_MS)
    errors += await faults(bob, f"{game}, watched")
    assert errors == []
