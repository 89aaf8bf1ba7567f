"""What outlives a process: visitors the one of the pages, visitors and their games the one of the server.

Slow is what starts servers or pages anew.
"""

from __future__ import annotations

import asyncio
import html
import json
import stat
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from fairplay.server.server import Server
from fairplay.web.app import Options
from fairplay.web.visitors import KeptVisitor, VisitorFiles
from tests.web.harness import LIMIT_S, SERVER, events_of, pages_before, text_of, wait_for
from tests.web.test_table import CHOICE, make_table

ANN = KeptVisitor("127.0.0.1:1", "ann", "")


@asynccontextmanager
async def running(records: Path, listen: str = SERVER.listen) -> AsyncIterator[Server]:
    """Yield a server that goes on with what its records say."""
    server = await Server.start(replace(SERVER, records=records, listen=listen))
    try:
        yield server
    finally:
        await server.stop()


async def begin_game(ann: httpx.AsyncClient) -> None:
    """Have ann begin a game of Fish with a bot, and place her first penguin."""
    await make_table(ann, "fish", seats="2", **{"set-rows": "4", "set-columns": "4", "set-holes": "0"})
    await ann.post("/table/join")
    await ann.post("/table/bots", data={"count": "1", "strategy": "greedy"})
    await place(ann, "Place a penguin, 4 to go:")
    await wait_for(ann, "/live/table", "offer", "Place a penguin, 3 to go:")


async def place(ann: httpx.AsyncClient, prompt: str) -> None:
    """Place a penguin when this is asked."""
    part = CHOICE.search(await wait_for(ann, "/live/table", "offer", prompt))
    assert part is not None
    await ann.post("/table/choose", data={"part": html.unescape(part[1])})
    await ann.post("/table/send")


@pytest.mark.slow
async def test_a_new_start_of_the_pages_brings_a_person_back_to_its_question(tmp_path: Path) -> None:
    async with running(tmp_path / "records") as server:
        options = Options(server.address, state=tmp_path / "state")
        async with pages_before(server, options) as pages, pages.person("ann") as ann:
            await begin_game(ann)
            cookies = ann.cookies
        async with pages_before(server, options) as pages, pages.person() as ann:
            ann.cookies = cookies
            assert "You are ann" in text_of((await ann.get("/table")).text)
            await place(ann, "Place a penguin, 3 to go:")
            await wait_for(ann, "/live/table", "offer", "Place a penguin, 2 to go:")
            assert "out of the game" not in (await ann.get("/table")).text


@pytest.mark.slow
async def test_who_has_left_is_not_brought_back_and_its_cookie_opens_nothing(tmp_path: Path) -> None:
    async with running(tmp_path / "records") as server:
        options = Options(server.address, state=tmp_path / "state")
        async with pages_before(server, options) as pages, pages.person("ann") as ann:
            cookies = dict(ann.cookies)
            await ann.post("/leave")
        async with pages_before(server, options) as pages, pages.person() as other:
            other.cookies.update(cookies)
            assert "Enter the lobby" in (await other.get("/")).text
    assert [path.name for path in (tmp_path / "state").iterdir()] == ["lock"]


@pytest.mark.slow
async def test_a_visitor_is_brought_back_when_the_server_is_there_again(tmp_path: Path) -> None:
    state = tmp_path / "state"
    async with running(tmp_path / "records") as server:
        address = server.address
        async with pages_before(server, Options(address, state=state)) as pages, pages.person("ann") as ann:
            cookies = ann.cookies
    async with pages_before(server, Options(address, state=state)) as pages, pages.person() as ann:
        ann.cookies = cookies
        assert (await ann.get("/")).status_code == 503
        async with running(tmp_path / "records", address), asyncio.timeout(LIMIT_S):
            while "You are ann" not in text_of((await ann.get("/")).text):
                await asyncio.sleep(0.1)


@pytest.mark.slow
async def test_a_server_that_ends_under_a_page_is_said_and_comes_back_with_nothing_lost(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        async with running(tmp_path) as server:
            pages = await stack.enter_async_context(pages_before(server, Options(server.address)))
            ann = await stack.enter_async_context(pages.person("ann"))
            await begin_game(ann)
        await wait_for(ann, "/live/table", "news", "the connection is lost")
        await stack.enter_async_context(running(tmp_path, server.address))
        await comes_back(ann)
        await place(ann, "Place a penguin, 3 to go:")
        await wait_for(ann, "/live/table", "offer", "Place a penguin, 2 to go:")
        assert "out of the game" not in (await ann.get("/table")).text


async def comes_back(ann: httpx.AsyncClient) -> None:
    """Wait until the table says nothing of a lost connection."""
    async with asyncio.timeout(LIMIT_S), aclosing(events_of(ann, "/live/table")) as events:
        async for name, data in events:
            if name == "news" and not text_of(data):
                return


def test_a_visitor_is_written_for_nobody_else_and_read_again(tmp_path: Path) -> None:
    files = VisitorFiles(tmp_path)
    files.keep("one", ANN)
    files.keep("two", ANN._replace(address="127.0.0.1:2"))
    assert stat.S_IMODE((tmp_path / "one" / "visitor.json").stat().st_mode) == 0o600
    files.close()
    again = VisitorFiles(tmp_path)
    assert again.load("127.0.0.1:1") == {"one": ANN}
    again.forget("one")
    assert again.load("127.0.0.1:1") == {}
    again.close()


def test_what_cannot_be_read_is_forgotten(tmp_path: Path) -> None:
    for name, text in (("one", "{"), ("two", "[]"), ("three", json.dumps({"name": "ann"}))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "visitor.json").write_text(text)
    files = VisitorFiles(tmp_path)
    assert files.load("127.0.0.1:1") == {}
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]
    files.close()


def test_pages_that_share_a_directory_with_others_keep_nothing(tmp_path: Path) -> None:
    first, second = VisitorFiles(tmp_path), VisitorFiles(tmp_path)
    first.keep("one", ANN)
    second.keep("two", ANN)
    assert second.load("127.0.0.1:1") == {}
    second.forget("one")
    assert first.load("127.0.0.1:1") == {"one": ANN}
    first.close()
    (tmp_path / "file").write_text("")
    nowhere = VisitorFiles(tmp_path / "file")
    nowhere.keep("one", ANN)
    assert nowhere.load("127.0.0.1:1") == {}
