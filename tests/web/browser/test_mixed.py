"""One table of all kinds of players: people before browsers, a person before a terminal, and a program."""

from __future__ import annotations

import asyncio
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.server.lobby.harness import guests
from tests.terminal.lobby.terminals import Terminal, terminal
from tests.web.browser.people import LIMIT_MS, OVER, enter, make_table, play, sit
from tests.web.browser.test_people import FAILED, GAME_S
from tests.web.harness import SERVER, Pages, pages_of

pytestmark = pytest.mark.web
PROGRAM = shlex.join([sys.executable, "-m", "fairplay.terminal", "player", "fish", "--strategy", "greedy"])


async def play_by_keys(person: Terminal) -> None:
    """Choose what the cursor is on, and send it, whenever the terminal shows something new."""
    while True:
        await person.printed_more()
        person.type("\r")


async def join_from_browsers(browser: Browser, pages: Pages) -> list[Page]:
    """Have two people make a table of Fish for four, and sit down."""
    ann = await enter(browser, pages, "ann")
    await make_table(ann, pages, "fish", 4)
    bob = await enter(browser, pages, "bob")
    await bob.get_by_role("button", name="Go to blue").click()
    await sit(bob)
    return [ann, bob]


async def test_two_browsers_a_terminal_and_a_program_play_one_table_to_its_end(
    browser: Browser, tmp_path: Path
) -> None:
    async with pages_of(replace(SERVER, allow_exec=True)) as pages, guests(pages.server, "dan") as [dan]:
        people = await join_from_browsers(browser, pages)
        await dan.ask("JoinTable", table="blue", link=f"exec:{PROGRAM}")
        async with terminal(tmp_path, "--server", pages.server.address, "--name", "cy") as cy:
            await cy.sees("go there")
            cy.type("j")
            await cy.sees("leave the line empty")
            cy.type("\r")
            async with asyncio.timeout(GAME_S), asyncio.TaskGroup() as group:
                keys = group.create_task(play_by_keys(cy))
                await play(*people)
                keys.cancel()
            await cy.sees("The game is over, won by")
        await dan.sees(lambda lobby: lobby.table("blue").HasField("result"))
        result = dan.mirror.table("blue").result
        assert sorted(one.name for group in result.ranking for one in group.players) == ["ann", "bob", "cy", "dan"]
        for person in people:
            await expect(person.get_by_text(OVER)).to_be_visible(timeout=LIMIT_MS)
            assert not await person.get_by_text(FAILED).count(), await person.locator("main").inner_text()
