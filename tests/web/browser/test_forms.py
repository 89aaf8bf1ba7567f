"""Every form with the keyboard alone on a small screen, and what is refused in it; axe looks at each page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page, Request, expect

from fairplay.games.game import find
from fairplay.player.channels import Credentials
from fairplay.server.server import Config
from fairplay.web.pages import PAGES
from tests.server.harness import dialled_in
from tests.web.browser.people import LIMIT_MS
from tests.web.browser.test_access import NARROW, SCREEN_HEIGHT, Scheme, faults
from tests.web.harness import Pages, pages_of
from tests.web.test_organising import invite

pytestmark = pytest.mark.web
MOST_STOPS = 120
FOCUSED = """() => {
    const active = document.activeElement;
    return active.getAttribute("aria-label") ?? (active.labels?.[0] ?? active).textContent.trim();
}"""


class Form(NamedTuple):
    """A form, and what is typed into it."""

    route: str
    """Where it is sent to."""
    page: str
    """Where it stands; "" if the form before has led there."""
    button: str
    """How the name of the button begins that sends it."""
    shows: str
    """What the page says then."""
    fields: Mapping[str, str] = {}
    """What is typed, by the labels."""
    refused: Mapping[str, str] = {}
    """What is typed first, and refused with a sentence."""


GUEST = (
    Form("/enter", "/", "Enter", "Leave the lobby", {"Your name": "bob"}, {"Your name": "ann"}),
    Form("/name", "/", "Change it", "rob", {"New name": "rob"}, {"New name": "ann"}),
    Form(
        "/certificates",
        "/certificates",
        "Certify my player",
        "waits for the player to dial in",
        {"Name of your player": "mine"},
        {"Name of your player": "hers"},
    ),
    Form("/certificates/{id}/cancel", "", "Cancel", "cancelled"),
    Form("/records", "/records", "Search", "one", {"Player": "p1"}),
    Form("/tables/new", "/", "Choose its settings", "Make the table"),
    Form(
        "/tables",
        "/tables/new?game=fish",
        "Make the table",
        "Take a seat",
        {"Time for a decision": "2m"},
        {"Name of the table": "blue", "Time for a decision": "soon"},
    ),
    Form("/table/join", "", "Take a seat", "(you)"),
    Form("/table/start", "", "Start the game", "at least 2"),
    Form("/table/say", "", "Say", "rob: hello", {"Say to everybody here": "hello"}),
    Form("/table/bots", "", "Set", "bot-1", {"Bots": "1"}),
    Form("/table/ready", "", "Ready", "Place a penguin, 4 to go:"),
    Form("/table/choose", "", "[", "Place the penguin on"),
    Form("/table/undo", "", "Undo", "Place a penguin, 4 to go:"),
    Form("/table/press", "", "The board.", "Place the penguin on"),
    Form("/table/send", "", "Send", "Place a penguin, 3 to go:"),
    Form("/table/leave", "", "Leave the table", "Leave the lobby"),
    Form("/table/watch", "/", "Go to blue", "Watching: rob"),
    Form("/table/delete", "/table/delete", "Delete it", "Leave the lobby"),
    Form("/play", "/games/fish", "Play against a bot", "Place a penguin, 4 to go:"),
    Form("/table/leave", "", "Leave the table", "Leave the lobby"),
    Form("/leave", "/", "Leave the lobby", "Enter the lobby"),
)
ORGANISER = (
    Form("/account", "", "Make the account", "You are ora now", {"Your name": "ora"}, {"Your name": "o r a"}),
    Form("/tournaments/new", "/tournaments/new", "Show its fields", "Most entrants"),
    Form(
        "/tournaments",
        "/tournaments/new?game=fish",
        "Preview",
        "With 60 entrants: 1,770 games",
        {"Id": "cup", "Most entrants": "60", "House bots": "1", "Time for a decision": ""},
        {"Time for a decision": "soon"},
    ),
    Form("/tournaments", "", "Make the tournament", "Sign-up is open: 1 of at most 60"),
    Form(
        "/tournaments/{id}/sign-up",
        "/tournaments/cup/sign-up",
        "Go on",
        "alice has not dialled in yet",
        {"Name of your player": "alice"},
        {"Name of your player": "a b"},
    ),
)
STARTED = (
    Form("/tournaments/{id}/start", "/tournaments/cup", "Start now", "Won by"),
    Form("/tournaments", "/tournaments/new?game=fish", "Make the tournament", "Sign-up is open", {"Id": "mug"}),
    Form(
        "/tournaments/{id}/cancel", "/tournaments/mug", "Cancel it for good", "cancelled", {"Cancel the tournament": ""}
    ),
)
"""What follows once alice has dialled in."""


def test_no_form_is_left_out() -> None:
    sent = {form.route for form in (*GUEST, *ORGANISER, *STARTED)}
    assert [route.path for route in PAGES if "POST" in (route.methods or ()) and route.path not in sent] == []


async def tab_to(page: Page, name: str) -> None:
    """Press Tab until the field or button has the focus whose name begins so."""
    seen = list[str]()
    for _ in range(MOST_STOPS):
        await page.keyboard.press("Tab")
        seen.append(await page.evaluate(FOCUSED))
        if seen[-1].startswith(name):
            return
    raise AssertionError(f"no key leads to {name} on {page.url}: {', '.join(seen)}")


async def fill_in(page: Page, fields: Mapping[str, str], button: str) -> None:
    """Type into the fields of a form, open what has no text, and send it."""
    for name, text in fields.items():
        await tab_to(page, name)
        if await page.evaluate("() => document.activeElement.matches('summary')"):
            await page.keyboard.press("Enter")
        else:
            await page.keyboard.press("Control+A")
            await page.keyboard.press("Delete")
            await page.keyboard.type(text)
    await tab_to(page, button)
    await page.keyboard.press("Enter")


async def send(page: Page, pages: Pages, forms: Sequence[Form]) -> list[str]:
    """Send forms, one after the other, and return what keeps people from their pages, or from sending them."""
    sent, errors = list[str](), list[str]()

    def note(request: Request) -> None:
        sent.append(urlsplit(request.url).path)

    page.on("request", note)
    for form in forms:
        if form.page:
            await page.goto(f"{pages.url}{form.page}")
        errors += await faults(page, form.route)
        if form.refused:
            await fill_in(page, form.refused, form.button)
            await expect(page.get_by_role("alert")).to_be_visible(timeout=LIMIT_MS)
            errors += await faults(page, f"{form.route}, refused")
        sent.clear()
        await fill_in(page, form.fields, form.button)
        await expect(page.locator("main").get_by_text(form.shows).first).to_be_visible(timeout=LIMIT_MS)
        if not any(re.fullmatch(re.sub(r"{\w+}", "[^/]+", form.route), path) for path in sent):
            errors.append(f"{form.button} is sent to {', '.join(sent)}, and not to {form.route}")
    page.remove_listener("request", note)
    return errors


async def open_narrow(browser: Browser, pages: Pages, scheme: Scheme) -> Page:
    """Return an empty page on a small screen."""
    context = await browser.new_context(
        base_url=pages.url,
        color_scheme=scheme,
        reduced_motion="reduce",
        viewport={"width": NARROW, "height": SCREEN_HEIGHT},
    )
    page = await context.new_page()
    page.set_default_timeout(LIMIT_MS)
    return page


async def test_a_guest_fills_in_all_forms_of_the_lobby_and_of_tables_by_keyboard(
    browser: Browser, pages: Pages
) -> None:
    await pages.play_game("fish", "one", "bot:greedy", "bot:greedy")
    async with pages.person("ann") as ann:
        await ann.post("/certificates", data={"game": "fish", "name": "hers"})
        page = await open_narrow(browser, pages, "light")
        assert await send(page, pages, GUEST) == []


async def test_from_the_invitation_to_the_end_of_a_tournament_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    config = Config(listen="127.0.0.1:0", records=tmp_path, accounts=True)
    async with pages_of(config) as pages:
        page = await open_narrow(browser, pages, "dark")
        await page.goto(f"{pages.url}/account#{invite(tmp_path, 'organiser')}")
        assert page.url == f"{pages.url}/account"
        errors = await send(page, pages, ORGANISER[:1])
        token = await page.get_by_label("The token of your account").input_value()
        errors += await send(page, pages, ORGANISER[1:])
        await expect(page.get_by_text("FAIRPLAY_NAME=alice")).to_be_visible()
        alice = ("alice", find("fish").player("greedy"))
        async with dialled_in(pages.server, alice, credentials=Credentials(token=token)):
            await expect(page.get_by_text(re.compile("alice is here and has signed up"))).to_be_visible(
                timeout=LIMIT_MS
            )
            errors += await faults(page, "a player that is here")
            errors += await send(page, pages, STARTED)
        assert errors == []
