"""People at tables before real browsers: they play by clicks and keys, lose the connection and come back."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from fairplay.games.game import registered
from tests.web.browser.people import LIMIT_MS, OVER, Pick, click_choice, enter, make_table, pick_first, play, sit
from tests.web.harness import Pages

pytestmark = pytest.mark.web
GAME_S = 900.0
MOST_TABS = 60
CALL = "call-set"
FAILED = re.compile("broke a rule|raised an exception|took too long")


class SetPicker:
    """Calls whenever that is possible, and picks a set among the cards that are named then."""

    def __init__(self) -> None:
        self._left: list[str] = []
        """The cards of the set that are still to be picked."""

    def __call__(self, labels: Mapping[str, str]) -> str:
        if CALL in labels:
            self._left = []
            return CALL
        if not self._left:
            cards = {label: part for part, label in labels.items()}
            self._left = next([cards[label] for label in three] for three in combinations(cards, 3) if is_set(three))
        return self._left.pop()


def is_set(labels: Sequence[str]) -> bool:
    """Return whether three cards are alike or all different in each of the words that name them."""
    alike = (map(singular, words) for words in zip(*(label.split() for label in labels), strict=True))
    return all(len(set(words)) != 2 for words in alike)


def singular(word: str) -> str:
    """Return the name of a shape as it is of one: "oval" for "ovals"."""
    return word.removesuffix("s")


PICKERS: Mapping[str, Callable[[], Pick]] = {"webset": SetPicker}


@pytest.mark.parametrize("game", registered())
async def test_two_people_and_a_bot_finish_a_game_by_clicks(browser: Browser, pages: Pages, game: str) -> None:
    ann = await enter(browser, pages, "ann")
    await make_table(ann, pages, game, 3)
    bob = await enter(browser, pages, "bob")
    await bob.get_by_role("button", name="Go to blue").click()
    await ann.locator("#count").fill("1")
    await ann.get_by_role("button", name="Set", exact=True).click()
    await expect(bob.get_by_text("bot-1").first).to_be_visible(timeout=LIMIT_MS)
    await sit(bob)
    make = PICKERS.get(game, lambda: pick_first)
    async with asyncio.timeout(GAME_S):
        await play(ann, bob, make=make)
    await expect(ann.locator(".log", has_text="The game is over")).to_be_visible(timeout=LIMIT_MS)
    await ann.get_by_role("link", name="Replay it").click()
    await expect(ann.locator(".won")).to_be_visible(timeout=LIMIT_MS)
    assert not await ann.get_by_text(FAILED).count(), await ann.locator("main").inner_text()
    await ann.wait_for_load_state()
    before = await ann.locator("output").inner_text()
    await ann.keyboard.press("ArrowLeft")
    await expect(ann.locator("output")).not_to_have_text(before, timeout=LIMIT_MS)


@pytest.mark.parametrize("game", registered())
async def test_a_click_in_the_picture_of_any_game_chooses(browser: Browser, pages: Pages, game: str) -> None:
    ann = await enter(browser, pages, "ann")
    await make_table(ann, pages, game, 2)
    await ann.get_by_role("button", name="Set", exact=True).click()
    pick = PICKERS.get(game, lambda: pick_first)()
    async with asyncio.timeout(GAME_S):
        while not await ann.locator("#offer >> text=Undo").count() and not await ann.get_by_text(OVER).count():
            await click_choice(ann, pick)


async def test_who_has_only_a_keyboard_plays_against_a_bot_without_a_name(browser: Browser, pages: Pages) -> None:
    context = await browser.new_context(base_url=pages.url, reduced_motion="reduce")
    page = await context.new_page()
    await page.goto("/games/fish")
    await press_on(page, page.get_by_role("button", name="Play against a bot"))
    await page.wait_for_url("**/table", timeout=LIMIT_MS)
    await page.wait_for_load_state()
    await press_on(page, page.locator(".choices button").first)
    await press_on(page, page.get_by_role("button", name="Send"))
    await expect(page.get_by_text("Place a penguin, 3 to go:")).to_be_visible(timeout=LIMIT_MS)


async def press_on(page: Page, button: Locator) -> None:
    """Go from one thing that takes keys to the next until it is this button, and press it."""
    await expect(button).to_be_visible(timeout=LIMIT_MS)
    for _ in range(MOST_TABS):
        await page.keyboard.press("Tab")
        if await button.evaluate("(button) => button === document.activeElement"):
            await page.keyboard.press("Enter")
            return
    raise AssertionError(f"no key leads to {button}")


async def test_who_is_at_a_table_that_is_deleted_is_told_so_once_in_the_lobby(browser: Browser, pages: Pages) -> None:
    ann, bob = await enter(browser, pages, "ann"), await enter(browser, pages, "bob")
    await make_table(ann, pages, "fish", 0)
    await bob.get_by_role("button", name="Go to blue").click()
    await expect(bob.get_by_text("Watching: bob")).to_be_visible(timeout=LIMIT_MS)
    await ann.get_by_role("link", name="Delete the table").click()
    await ann.get_by_role("button", name="Delete it").click()
    told = bob.get_by_text("The table blue was deleted: you are back in the lobby.")
    await expect(told).to_be_visible(timeout=LIMIT_MS)
    await bob.reload()
    await expect(bob.get_by_role("heading", name="Lobby", exact=True)).to_be_visible(timeout=LIMIT_MS)
    await expect(told).to_be_hidden()


async def test_a_phone_shows_the_part_of_a_large_picture_in_which_something_can_be_chosen(
    browser: Browser, pages: Pages
) -> None:
    context = await browser.new_context(base_url=pages.url, viewport={"width": 360, "height": 640})
    page = await context.new_page()
    await page.goto("/games/eriantys")
    await page.get_by_role("button", name="Play against a bot").click()
    shown = page.locator("#regions [aria-pressed=true]")
    await expect(page.get_by_text("Choose your towers:").or_(page.get_by_text("Play an assistant:"))).to_be_visible(
        timeout=LIMIT_MS
    )
    asked = page.locator("#offer button:is(.main, [name=part])").first
    while not await page.get_by_text("Move a student").count():
        await click_choice(page)
        await asked.wait_for(timeout=LIMIT_MS)
    await expect(shown).to_have_text("Your school", timeout=LIMIT_MS)
    pieces = page.locator("#board [data-part^=student-]")
    students = await pieces.evaluate_all("(all) => all.map((each) => each.dataset.part)")
    # All students of a colour are marked, here two or more.
    await click_choice(page, lambda labels: max(labels, key=students.count))
    await expect(shown).to_have_text("Islands", timeout=LIMIT_MS)
    await click_choice(page, lambda labels: next(part for part in labels if part.startswith("island-")))
    await expect(page.locator("[data-region=Islands] .chosen")).to_have_count(1, timeout=LIMIT_MS)
    await expect(shown).to_have_text("Islands")
    await page.get_by_role("button", name="Undo").click()
    await page.get_by_role("button", name="to the dining room").click()
    await expect(shown).to_have_text("Your school", timeout=LIMIT_MS)
    await page.get_by_role("button", name="Undo").click()
    await expect(shown).to_have_text("Islands", timeout=LIMIT_MS)
    await page.get_by_role("button", name="All", exact=True).click()
    await expect(shown).to_have_text("All")
    await click_choice(page)


async def test_keys_choose_and_undo_on_the_board(browser: Browser, pages: Pages) -> None:
    ann = await enter(browser, pages, "ann")
    await make_table(ann, pages, "fish", 2)
    await ann.get_by_role("button", name="Set", exact=True).click()
    await expect(ann.locator(".choices button").first).to_be_visible(timeout=LIMIT_MS)
    await ann.locator("#board").focus()
    await ann.keyboard.press("ArrowRight")
    await ann.keyboard.press("Enter")
    await expect(ann.get_by_role("button", name="Send")).to_be_visible(timeout=LIMIT_MS)
    await ann.keyboard.press("Backspace")
    await expect(ann.get_by_role("button", name="Send")).to_be_hidden(timeout=LIMIT_MS)


async def test_a_page_without_scripts_plays_by_its_forms(browser: Browser, pages: Pages) -> None:
    ann = await enter(browser, pages, "ann", java_script_enabled=False)
    await make_table(ann, pages, "fish", 2)
    await ann.get_by_role("button", name="Set", exact=True).click()
    async with asyncio.timeout(GAME_S):
        while not await ann.locator(".choices button").count():
            await ann.reload()
    await ann.locator(".choices button").first.click()
    await expect(ann.get_by_role("button", name="Send")).to_be_visible(timeout=LIMIT_MS)


async def test_a_lost_connection_is_said_and_taken_up_again(browser: Browser, pages: Pages) -> None:
    ann = await enter(browser, pages, "ann")
    lost = ann.get_by_text("The connection is lost.")
    await expect(lost).to_be_hidden()
    await ann.route("**/live/lobby", lambda route: route.abort())
    await ann.reload()
    await expect(lost).to_be_visible(timeout=LIMIT_MS)
    await ann.unroute("**/live/lobby")
    await expect(lost).to_be_hidden(timeout=LIMIT_MS)
