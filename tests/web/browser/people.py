"""People before real browsers: they enter, make tables, and choose what they may by clicks in pictures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TypeAlias

from playwright.async_api import Browser, Locator, Page, expect
from playwright.async_api import TimeoutError as TooLateError

from tests.web.harness import Pages

LIMIT_MS = 60_000
CLICK_MS = 5_000
TRIES = 4
"""So often one choice is tried: the page may have changed while it was looked at."""
SMALL: Mapping[str, Mapping[str, str]] = {
    "bazaar": {"cards_total": "6", "winning_score": "6"},
    "fish": {"rows": "4", "columns": "4", "holes": "0"},
    "q": {"hand_size": "3", "copies_per_kind": "1"},
    "webset": {"aspects": "3", "table": "9", "max_table": "12", "window": "60s", "more_rule": "auto"},
}
"""Settings of games that are soon over."""
OVER = "The last game was"
OFFER = """() => [document.querySelector("#offer .prompt")?.firstChild.textContent,
    ...Array.from(document.querySelectorAll("#offer button"), (each) => each.value + each.textContent)].join("|")"""
"""What a page offers, as one text without the time that runs down."""
REACH = """(part) => {
    part.scrollIntoView({ block: "center" });
    const box = part.getBoundingClientRect();
    const shares = [0.5, 0.35, 0.65, 0.2, 0.8, 0.1, 0.9];
    const points = shares.flatMap((down) => shares.map((right) =>
        ({ x: Math.round(box.x + right * box.width), y: Math.round(box.y + down * box.height) })));
    return points.find(({ x, y }) => document.elementFromPoint(x, y)?.closest("[data-part]") === part) ?? null;
}"""
"""Where in the window a pointer reaches a part of a picture; null if it does so nowhere."""
LABELS = "(buttons) => Object.fromEntries(buttons.map((each) => [each.value, each.textContent]))"
Pick: TypeAlias = Callable[[Mapping[str, str]], str]
"""Returns which part to choose of those that may be chosen, which are given with their labels."""


class StuckError(Exception):
    """Raised for a person who has nothing to click on, or whose clicks lead to nothing."""


async def enter(browser: Browser, pages: Pages, name: str, **context: object) -> Page:
    """Return the lobby as a person sees it."""
    made = await browser.new_context(base_url=pages.url, reduced_motion="reduce", **context)  # type: ignore[arg-type]
    page = await made.new_page()
    await enter_on(page, pages, name)
    return page


async def enter_on(page: Page, pages: Pages, name: str) -> None:
    """Have a page enter the lobby."""
    page.set_default_timeout(LIMIT_MS)
    await page.goto(f"{pages.url}/")
    await page.get_by_label("Your name").fill(name)
    await page.get_by_role("button", name="Enter", exact=True).click()
    await expect(page.get_by_role("heading", name="Lobby", exact=True)).to_be_visible(timeout=LIMIT_MS)


async def make_table(
    page: Page, pages: Pages, game: str, seats: int, name: str = "blue", settings: Mapping[str, str] | None = None
) -> None:
    """Make a table, go there and take a seat; without settings, for a game that is soon over."""
    await page.goto(f"{pages.url}/tables/new?game={game}")
    await page.get_by_label("Name of the table").fill(name)
    await page.get_by_label("Number of players").select_option(str(seats))
    await page.locator("details").evaluate_all("(all) => all.forEach((each) => { each.open = true; })")
    for setting, value in (SMALL.get(game, {}) if settings is None else settings).items():
        await choose_setting(page.locator(f"#set-{setting}"), value)
    await page.get_by_role("button", name="Make the table").click()
    await sit(page)


async def choose_setting(field: Locator, value: str) -> None:
    """Fill in the field of a setting, of whatever kind it is."""
    if await field.evaluate("(field) => field.tagName") == "SELECT":
        await field.select_option(value)
    elif await field.get_attribute("type") == "checkbox":
        await field.set_checked(value == "true")
    else:
        await field.fill(value)


async def sit(page: Page) -> None:
    """Take a seat at the table that is shown, and wait until its scripts take keys and clicks."""
    await page.get_by_role("button", name="Take a seat").click()
    await expect(page.get_by_text("(you)")).to_be_visible(timeout=LIMIT_MS)
    await page.wait_for_load_state()


def pick_first(labels: Mapping[str, str]) -> str:
    """Return the first part."""
    return next(iter(labels))


async def play(*pages: Page, make: Callable[[], Pick] = lambda: pick_first) -> None:
    """Have people answer by clicks whatever they are asked, until their game is over.

    `make` returns what picks for one of them. Raises AssertionError, with what every page shows, if one is stuck.
    """
    try:
        await asyncio.gather(*(_play(page, make()) for page in pages))
    except StuckError as error:
        shown = [f"{page.url} shows:\n{await page.locator('main').inner_text(timeout=CLICK_MS)}" for page in pages]
        raise AssertionError("\n\n".join([str(error), *shown])) from None


async def _play(page: Page, pick: Pick) -> None:
    asked = page.locator(f"#offer button:is(.main, [name=part]), #seats :text('{OVER}')").first
    while True:
        shown = await page.locator("main").inner_text()
        try:
            await asked.wait_for(timeout=LIMIT_MS)
        except TooLateError:
            # The turns of others may take longer than that; then there is news of them.
            if await page.locator("main").inner_text() == shown:
                raise StuckError(f"{page.url} has shown nothing new for {LIMIT_MS / 1000:.0f} s") from None
            continue
        if await page.get_by_text(OVER).count():
            return
        await click_choice(page, pick)


async def click_choice(page: Page, pick: Pick = pick_first) -> None:
    """Click in the picture on something that may be chosen, or send what is complete; then wait for what follows.

    The page may change while this looks at it, so it is tried again. Raises StuckError if nothing follows then.
    """
    problems, picked = list[str](), dict[str, str]()
    for _ in range(TRIES):
        try:
            return await _click(page, pick, picked)
        except TooLateError as error:
            problems.append(str(error))
    raise StuckError("\n".join([f"{page.url} does not go on:", *problems]))


async def _click(page: Page, pick: Pick, picked: dict[str, str]) -> None:
    """Click once; `picked` are the parts that were picked until now, by what was offered."""
    before = await page.evaluate(OFFER)
    labels = await page.locator(".choices button").evaluate_all(LABELS)
    send = page.locator("#offer button.main")
    if await send.count() and (not labels or await page.locator("#offer >> text=Undo").count()):
        await send.click(timeout=CLICK_MS)
    elif labels:
        if before not in picked:
            picked[before] = pick(labels)
        part = page.locator(f'#board [data-part="{picked[before]}"]').first
        point = await part.evaluate(REACH, timeout=CLICK_MS)
        if point is None:
            raise TooLateError(f"no pointer reaches {picked[before]}")
        # At this very point: a click on the part counts from a box that has the lines' widths in it, some pixels off.
        await page.mouse.click(point["x"], point["y"])
    else:
        return
    await page.wait_for_function(f"(before) => ({OFFER})() !== before", arg=before, timeout=CLICK_MS)
