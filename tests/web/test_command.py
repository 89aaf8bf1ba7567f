"""`fairplay web` and `fairplay serve --web` as processes."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from tests.interrupts import heeding_ctrl_c
from tests.web.harness import LIMIT_S, Pages

SHOWN = re.compile(rb"on (http://127\.0\.0\.1:\d+/)")


@asynccontextmanager
async def running(*arguments: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """Yield a command, and the address of the pages that it prints; it is told to end when the context ends."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "fairplay.terminal", *arguments, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(LIMIT_S):
            while (found := SHOWN.search(await process.stdout.readline())) is None:
                assert not process.stdout.at_eof()
        yield process, found[1].decode()
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def test_the_command_shows_a_server_and_ends_with_open_streams(pages: Pages) -> None:
    address = pages.server.address
    async with running("web", "--server", address, "--listen", "127.0.0.1:0") as (process, shown):
        async with httpx.AsyncClient(base_url=shown, timeout=LIMIT_S, follow_redirects=True) as browser:
            async with asyncio.timeout(LIMIT_S):  # the pages go after all others where processors are short
                while (await browser.get("/")).status_code == 503:
                    pass
            entered = await browser.post("/enter", data={"name": "ann"})
            assert "You are" in entered.text, entered.text
            async with browser.stream("GET", "/live/lobby") as stream:
                lines = stream.aiter_lines()
                await anext(lines)
                process.terminate()
                async for _ in lines:
                    pass
        assert await process.wait() == 0


async def test_a_file_of_authorities_that_is_not_there_is_named_in_one_sentence() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "fairplay.terminal", "web", "--listen", "127.0.0.1:0", "--ca", "nowhere.pem"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, problem = await process.communicate()
    assert (process.returncode, said) == (1, b"")
    assert problem == b"fairplay: nowhere.pem cannot be read: No such file or directory\n"


@pytest.mark.slow
async def test_a_server_shows_itself_and_ends_its_pages_with_it() -> None:
    async with (
        running("serve", "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0") as (process, shown),
        httpx.AsyncClient(base_url=shown, timeout=LIMIT_S) as browser,
    ):
        assert "Enter the lobby" in (await browser.get("/")).text
        process.terminate()
        assert await process.wait() == 0
        with pytest.raises(httpx.TransportError):
            await browser.get("/")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "words"),
    [(signal.SIGINT, 130, b"fairplay: stopped\n"), (signal.SIGKILL, -signal.SIGKILL, b"")],
)
async def test_however_a_server_ends_its_pages_end_and_say_nothing(number: int, code: int, words: bytes) -> None:
    with heeding_ctrl_c():
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "fairplay.terminal", "serve", "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    assert process.stdout is not None
    async with asyncio.timeout(LIMIT_S):
        while SHOWN.search(await process.stdout.readline()) is None:
            assert not process.stdout.at_eof()
        os.killpg(process.pid, number)
        # The pages write to the same output and error: these end with the last process that has them.
        _, said = await process.communicate()
    assert (process.returncode, said) == (code, words)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("web", "--listen", "nowhere"), b"--listen"),
        (("web", "--root-path", "no path"), b"--root-path"),
        (("serve", "--web", "127.0.0.1:0", "--tls", "a.pem", "b.pem"), b"--web goes without --tls"),
    ],
)
async def test_options_that_make_no_sense_are_refused_with_a_sentence(arguments: tuple[str, ...], words: bytes) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "fairplay.terminal", *arguments, stderr=asyncio.subprocess.PIPE
    )
    _, said = await process.communicate()
    assert (process.returncode, words in said) == (2, True)
