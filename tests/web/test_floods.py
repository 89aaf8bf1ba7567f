"""Browsers that send half a request and stay, and descriptors that run out: the pages stay up for everybody else."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from tests.web.harness import LIMIT_S, Pages

HALF = (
    b"",
    b"GET / HT",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n",
    b"POST /enter HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nna",
)


@contextmanager
def half_sent(port: int, count: int) -> Iterator[list[socket.socket]]:
    """Open connections that have sent a part of a request, and keep them."""
    with ExitStack() as closing:
        opened = [closing.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(count)]
        for number, each in enumerate(opened):
            each.sendall(HALF[number % len(HALF)])
        yield opened


async def test_half_sent_requests_shut_nobody_out_and_fill_no_log(pages: Pages) -> None:
    """With 100 descriptors, 150 of them."""
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100)); sys.argv[0] = 'fairplay'; "
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", f"{limited}from fairplay.terminal import main; main()"),
        *("web", "--server", pages.server.address, "--listen", "127.0.0.1:0"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    async with asyncio.timeout(LIMIT_S):
        url = (await process.stdout.readline()).decode().partition(" on ")[2].partition(";")[0]
        with half_sent(int(url.rstrip("/").rpartition(":")[2]), 150):
            async with httpx.AsyncClient(base_url=url, timeout=LIMIT_S) as browser:
                assert (await browser.get("/healthz")).text == "ok\n"
        process.terminate()
        _, said = await process.communicate()
    assert (process.returncode, said) == (0, b"")


@pytest.mark.slow
async def test_a_request_has_so_long_to_come(pages: Pages) -> None:
    port = int(pages.url.rpartition(":")[2])
    with half_sent(port, len(HALF)) as opened:
        for each in opened:
            each.setblocking(False)
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(LIMIT_S):
            answers = [await loop.sock_recv(each, 100) for each in opened]
        assert all(each == b"" or b" 408 " in each for each in answers)


@pytest.mark.slow
async def test_answers_that_nobody_reads_are_not_kept(pages: Pages) -> None:
    asking = b"GET /static/htmx-2.0.11.min.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 2_000
    loop = asyncio.get_running_loop()
    with socket.create_connection(("127.0.0.1", int(pages.url.rpartition(":")[2]))) as greedy:
        greedy.setblocking(False)
        await loop.sock_sendall(greedy, asking)
        async with asyncio.timeout(2 * LIMIT_S):
            with pytest.raises(ConnectionError):  # once it is not read, nothing is taken any more
                while True:
                    await loop.sock_sendall(greedy, b" ")
                    await asyncio.sleep(1)
