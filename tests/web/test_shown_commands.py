"""The commands that the pages show, typed as they are shown, by somebody who has what the page names."""

from __future__ import annotations

import asyncio
import html
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from tests.slow import SLOW
from tests.web.harness import LIMIT_S, Pages, wait_for
from tests.web.test_organising import FORM

SHOWN = re.compile(r'<(?:code|pre class="command")>(.+?)</(?:code|pre)>')


async def shown(browser: httpx.AsyncClient, page: str, command: str, **form: str) -> str:
    """Return the command of a page that holds some words. `form`: what is sent to the page; nothing: it is opened."""
    answer = await (browser.post(page, data=form) if form else browser.get(page))
    assert answer.is_success, answer.text
    [line] = [html.unescape(each) for each in SHOWN.findall(answer.text) if command in each]
    return line


async def typed(line: str, folder: Path) -> asyncio.subprocess.Process:
    """Start what somebody types in a folder; it prints into a pipe."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return await asyncio.create_subprocess_exec(
        *("bash", "-c", f"exec env {line}"),
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "200"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )


async def printed(line: str, folder: Path) -> str:
    """Return what a command prints that does what it was asked."""
    process = await typed(line, folder)
    async with asyncio.timeout(LIMIT_S):
        said, _ = await process.communicate()
    assert process.returncode == 0, f"$ {line}\n{said.decode()}"
    return said.decode()


@asynccontextmanager
async def running(line: str, folder: Path) -> AsyncIterator[None]:
    """Have a command run that is ended when the context ends."""
    process = await typed(line, folder)
    try:
        yield
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()


@SLOW
async def test_players_sign_up_and_records_are_verified_by_the_commands_of_the_pages(
    pages: Pages, tmp_path: Path
) -> None:
    async with pages.person("ora") as organiser, pages.person() as author:
        await organiser.post("/tournaments", data={**FORM, "id": "cup"})
        sign_up = "/tournaments/cup/sign-up"
        started = await shown(author, sign_up, "FAIRPLAY_CONNECT", name="alice")
        player = await shown(author, sign_up, "fairplay player", name="alice")
        signup = (await shown(author, sign_up, "fairplay signup")).replace("NAME", "bob")
        given = dict(word.split("=", 1) for word in started.split() if "=" in word)
        alice = {"name": "alice", "token": given["FAIRPLAY_TOKEN"]}
        bob = f"{player} --connect {pages.server.address} --name bob"
        async with running(started.replace("python my_player.py", player), tmp_path), running(bob, tmp_path):
            assert "bob is in cup" in await printed(signup, tmp_path)
            async with asyncio.timeout(LIMIT_S):
                while "alice is here and has signed up" not in (await author.post(sign_up, data=alice)).text:
                    pass
            await organiser.post("/tournaments/cup/start")
            await wait_for(organiser, "/live/tournament/cup", "state", "Won by")
        game = re.findall(r'href="/watch/([^"]+)"', (await author.get("/tournaments/cup")).text)[0]
        (tmp_path / "FILE").write_bytes((await author.get(f"/download/{game}")).content)
        verify, ask = [await shown(author, f"/records/{game}", each) for each in ("records verify", "records ask")]
        assert "wrong" not in await printed(verify, tmp_path)
        assert "reply" in await printed(ask.replace(" N ", " 1 ").replace("LINK", "bot:greedy"), tmp_path)
