"""Every page for everybody: axe finds nothing that keeps people out, and nothing is wider than a small screen."""

from __future__ import annotations

from typing import Literal

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, expect

from fairplay.v1.tournament_pb2 import RoundRobin, TournamentFormat
from tests.web.browser.people import LIMIT_MS, enter, make_table
from tests.web.harness import Pages

pytestmark = pytest.mark.web
ADDRESSES = (
    "/",
    "/games",
    "/games/fish",
    "/tables/new?game=webset",
    "/table",
    "/watch/one",
    "/tournaments",
    "/tournaments/league",
    "/tournaments/league?screen",
    "/tournaments/league/entrants/e0",
    "/records",
    "/records/one",
    "/operator",
    "/nothing",
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_no_page_keeps_anybody_out(browser: Browser, pages: Pages, scheme: Literal["light", "dark"]) -> None:
    await pages.play_game("fish", "one", "bot:greedy", "grpc://127.0.0.1:1")
    await pages.play_tournament("league", TournamentFormat(round_robin=RoundRobin()), "bot:greedy", "bot:random")
    page = await enter(browser, pages, "ann", color_scheme=scheme, viewport={"width": 320, "height": 640})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if "Content Security Policy" in line.text else None)
    await make_table(page, pages, "fish", 2)
    await page.get_by_role("button", name="Set", exact=True).click()
    await expect(page.locator(".choices button").first).to_be_visible(timeout=LIMIT_MS)
    for address in ADDRESSES:
        await page.goto(f"{pages.url}{address}")
        found = (await Axe().run(page)).response["violations"]
        errors += [f"{address}: {each['id']}: {node['html']}" for each in found for node in each["nodes"]]
        width = await page.evaluate("document.documentElement.scrollWidth")
        if width > 320:
            errors.append(f"{address} is {width} pixels wide")
    assert errors == []
