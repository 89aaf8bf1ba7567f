"""Many people behind one page, and a lobby with many tables."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import Sequence
from contextlib import AsyncExitStack, aclosing

import httpx
import pytest

from fairplay.server.server import Config
from tests.server.harness import own_address
from tests.server.lobby.harness import guests
from tests.web.harness import LIMIT_S, Pages, events_of, pages_of, text_of, wait_for

CLASS_SIZE, TABLE_SIZE = 60, 4
CHOICE = re.compile(r'name="part" value="([^"]+)"')


@pytest.mark.slow
async def test_a_class_behind_one_page_sits_down_plays_and_watches() -> None:
    """The pages call from an address that others have, too: all their connections count as those of one host."""
    usual = Config(listen=f"{own_address()}:0", insecure=True)
    async with pages_of(usual) as pages, AsyncExitStack() as stack:
        names = [f"pupil{number}" for number in range(CLASS_SIZE)]
        pupils = await asyncio.gather(*(stack.enter_async_context(pages.person(name)) for name in names))
        tables = [pupils[at : at + TABLE_SIZE] for at in range(0, CLASS_SIZE, TABLE_SIZE)]
        await asyncio.gather(*(sit_down(f"table{number}", table) for number, table in enumerate(tables)))
        await asyncio.gather(*(place_penguin(table) for table in tables))
        await asyncio.gather(*(watch(pages, pupil) for pupil in pupils))


async def sit_down(name: str, table: Sequence[httpx.AsyncClient]) -> None:
    """Make a table for four and take all its seats, whereupon its game starts."""
    first, *others = table
    made = {"game": "fish", "name": name, "limit": "10m", "seats": str(TABLE_SIZE), "set-rows": "6", "set-columns": "6"}
    assert (await first.post("/tables", data=made)).url.path == "/table"
    for person in others:
        await wait_for(person, "/live/lobby", "tables", name)
        assert (await person.post("/table/watch", data={"table": name})).url.path == "/table"
    for person in table:
        assert "(you)" in text_of((await person.post("/table/join")).text)


async def place_penguin(table: Sequence[httpx.AsyncClient]) -> None:
    """Have whoever is asked first place its penguin, and wait until another one is asked."""
    asked = {asyncio.create_task(until_asked(person)) for person in table}
    try:
        done, asked = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        person = await done.pop()
        sent = await person.post("/table/send")
        assert "refusal" not in sent.text, text_of(sent.text)
        done, asked = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        assert await done.pop() is not person
    finally:
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)


async def until_asked(person: httpx.AsyncClient) -> httpx.AsyncClient:
    """Choose a place as soon as one may be chosen, and return who has done so."""
    async with asyncio.timeout(2 * LIMIT_S), aclosing(events_of(person, "/live/table")) as events:
        async for name, part in events:
            if name == "offer" and (found := CHOICE.search(part)):
                chosen = await person.post("/table/choose", data={"part": html.unescape(found[1])})
                assert ">Send<" in chosen.text, text_of(chosen.text)
                return person
    raise AssertionError("the stream ended before the person was asked")


async def watch(pages: Pages, person: httpx.AsyncClient) -> None:
    """Look at a game that runs, from its list on the page of records."""
    listed = (await person.get("/records", params={"status": "running"})).text
    addresses = re.findall(r'href="(/watch/[^"]+)"', listed)
    assert len(addresses) == CLASS_SIZE // TABLE_SIZE
    live = addresses[hash(person) % len(addresses)].replace("/watch/", "/live/game/")
    async with asyncio.timeout(LIMIT_S), aclosing(events_of(person, live)) as events:
        async for name, part in events:
            if name == "board" and "<svg" in part:
                return


async def test_a_lobby_with_200_tables_is_one_page_of_bounded_size() -> None:
    """Count what a browser fetches and builds: `make bench` says how long that takes."""
    async with pages_of() as pages, guests(pages.server, *(f"host{number}" for number in range(20))) as hosts:
        for number in range(200):
            await hosts[number // 10].ask("CreateTable", name=f"table{number}", game="fish")
        async with pages.person("ann") as ann:
            await wait_for(ann, "/live/lobby", "tables", "table199")
            text = (await ann.get("/")).text
            assert text.count('name="table"') == 200
            assert len(re.findall(r"<[a-z]", text)) < 200 * 13 + 200
            assert len(text.encode()) < 200 * 500 + 10_000
            assert len(re.findall(r'(?:src|rel="[a-z]+" href)="', text)) == 5
