"""Started players ahead of need: spares, and processes that can only serve or only dial in."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import psutil

from fairplay.server.links.link import Clock, DeadLink, Link, disconnected
from fairplay.server.links.programs import ProcessLink

MAX_SPARES = 2
MEMORY_SHARE = 0.25
"""The share of the free memory that spares may take."""


class Spares:
    """Links to started players that nobody has called yet.

    The first player is started when it is asked for, by `start`. From the second on, more are expected to be asked for:
    they are started ahead, by `start_ahead`, at most MAX_SPARES, and fewer if a player needs much memory.
    """

    def __init__(self, start: Callable[[], Awaitable[Link]], start_ahead: Callable[[], Awaitable[Link]]) -> None:
        self._start = start
        self._start_ahead = start_ahead
        self._begun: deque[asyncio.Task[Link]] = deque()
        self._taken_count = 0
        self._limit = MAX_SPARES
        self._paused = False

    async def take(self) -> Link:
        """Return the link to a player that nobody has called, or a DeadLink if none comes up."""
        self._taken_count += 1
        while self._begun:
            ahead = self._begun.popleft()
            self._fill()
            link = await ahead
            if not (isinstance(link, DeadLink) or _has_ended(link)):
                return link
            await link.close()  # it has ended by itself, or had too little of the machine to come up: begin anew
        new = asyncio.ensure_future(self._start())
        self._fill()
        link = await new
        self._limit = min(self._limit, _affordable(link))
        return link

    def _fill(self) -> None:
        while self._taken_count > 1 and not self._paused and len(self._begun) < self._limit:
            self._begun.append(asyncio.ensure_future(self._start_ahead()))

    async def pause(self) -> None:
        """Wait until all spares are up, and start no more of them: for cases that need the whole machine."""
        self._paused = True
        await asyncio.gather(*self._begun, return_exceptions=True)

    def resume(self) -> None:
        """Start spares again."""
        self._paused = False

    async def close(self) -> None:
        """End all spares. New ones are started from the second player on that is asked for after that."""
        self._taken_count = 0
        await close_all(self._begun)
        self._begun.clear()


async def close_all(begun: Iterable[asyncio.Task[Link]]) -> None:
    """Close links that are open, or are being opened."""
    tasks = list(begun)
    for task in tasks:
        task.cancel()
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if not isinstance(outcome, BaseException):
            await outcome.close()


async def renewed(link: Link, start: Callable[[], Awaitable[Link]]) -> Link:
    """Return a link that waited to be called, or that of a new start if its process has ended meanwhile.

    On a busy machine a process that waits may lose its connection, which says nothing about how it answers.
    """
    if not _has_ended(link):
        return link
    await link.close()
    return await start()


def _has_ended(link: Link) -> bool:
    return isinstance(link, ProcessLink) and link.ended


def _affordable(link: Link) -> int:
    """Return how many more players like this one fit into the free memory."""
    if not isinstance(link, ProcessLink):
        return 0
    try:
        processes = psutil.Process(link.guard_id).children(recursive=True)
        size = sum(process.memory_info().rss for process in processes)
    except psutil.Error:
        return 0
    return int(MEMORY_SHARE * psutil.virtual_memory().available / max(size, 1))


SERVING, DIALLING = "serving", "dialling in"
SECOND = ("sh", "-c", 'true & "$@"; exit $?', "sh")
"""Runs a command as a process with another number than usual: in a sandbox each start has the same one otherwise."""
WITHOUT: Mapping[str, Sequence[str]] = {
    SERVING: ("env", "-u", "FAIRPLAY_CONNECT", "-u", "FAIRPLAY_NAME", "-u", "FAIRPLAY_TOKEN"),
    DIALLING: ("env", "-u", "FAIRPLAY_LISTEN"),
}
"""Runs a command without the variables that it needs to be reached in the other way."""
BESIDE_ANOTHER = """
import glob, os, socket, subprocess, sys, time
port, command = sys.argv[1], sys.argv[2:]
nobody = socket.create_server(("127.0.0.1", 0))
nobody.set_inheritable(True)
told = {"FAIRPLAY_CONNECT": "127.0.0.1:%d" % nobody.getsockname()[1], "FAIRPLAY_LISTEN": "127.0.0.1:50052"}
subprocess.Popen(command, env={**os.environ, **told})
end = time.monotonic() + 2
while not any(f":{port} " in open(each).read() for each in glob.glob("/proc/net/tcp*")) and time.monotonic() < end:
    time.sleep(0.02)
os.execvp(command[0], command)
"""
"""Runs a command where it runs already, by its own doing, and listens on a port, or does not within 2 s."""
LISTENS = "0A"
"""How the kernel lists a socket that listens."""
GRACE_S = 2.0
GRACE_FACTOR = 3.0
"""A player that is reached in one way after some seconds has so many times these, and GRACE_S, for the other way.

Most players support only one way: waiting for the whole start limit would take longer than everything else.
"""


def beside_another(port: str) -> Sequence[str]:
    """Return words that run a command in a sandbox in which it runs already, and listens on a port."""
    return os.path.realpath(sys.executable), "-I", "-S", "-c", BESIDE_ANOTHER, port


def digits(port: int) -> str:
    """Return a port as the kernel writes it."""
    return f"{port:04X}"


def ports_of(link: ProcessLink) -> set[str]:
    """Return the ports on which anything in the sandbox of a process listens, as the kernel writes them."""
    with suppress(psutil.Error, OSError):  # it has ended
        for last in psutil.Process(link.guard_id).children(recursive=True)[-1:]:
            tables = [file.read_text().splitlines() for file in Path(f"/proc/{last.pid}/net").glob("tcp*")]
            sockets = [line.split() for table in tables for line in table]
            return {words[1].rpartition(":")[2] for words in sockets if words[3] == LISTENS}
    return set()


class Ways:
    """The links to two processes of a command, each for one way of being reached; `start` starts one for a way."""

    def __init__(self, start: Callable[[str], Awaitable[Link]]) -> None:
        self._began = asyncio.get_running_loop().time()
        self._starts = {way: partial(start, way) for way in WITHOUT}
        self._begun = {way: asyncio.ensure_future(begin()) for way, begin in self._starts.items()}
        for task in self._begun.values():
            task.add_done_callback(self._note)
        self._reached_s: float | None = None

    def _note(self, task: asyncio.Task[Link]) -> None:
        if not task.cancelled() and not isinstance(task.result(), DeadLink):
            self._reached_s = asyncio.get_running_loop().time() - self._began

    async def wait(self) -> dict[str, Link]:
        """Return the link for each way: a DeadLink if the player cannot be reached so."""
        tasks = self._begun.values()
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if self._reached_s is None:
            await asyncio.wait(tasks)
        else:
            due_s = GRACE_S + GRACE_FACTOR * self._reached_s
            elapsed_s = asyncio.get_running_loop().time() - self._began
            await asyncio.wait(tasks, timeout=max(0.0, due_s - elapsed_s))
        late = [task for task in tasks if not task.done()]
        await close_all(late)
        dead = DeadLink(Clock(), disconnected("the player was reached in the other way long before"))
        reached = {way: dead if task in late else task.result() for way, task in self._begun.items()}
        return {way: await renewed(link, self._starts[way]) for way, link in reached.items()}

    async def close(self) -> None:
        """Close the links that `wait` has not returned."""
        await close_all(self._begun.values())
