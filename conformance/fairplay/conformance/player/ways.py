"""A player that is started may serve or dial in: processes that can do only one of it, side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from fairplay.conformance.player.spares import close_all, renewed
from fairplay.server.links.link import Clock, DeadLink, Link, disconnected

SERVING, DIALLING = "serving", "dialling in"
WITHOUT: Mapping[str, str] = {
    SERVING: "env -u FAIRPLAY_CONNECT -u FAIRPLAY_NAME -u FAIRPLAY_TOKEN",
    DIALLING: "env -u FAIRPLAY_LISTEN",
}
"""Runs a command without the variables that it needs to be reached in the other way."""
GRACE_S = 2.0
GRACE_FACTOR = 3.0
"""A player that is reached in one way after some seconds has so many times these, and GRACE_S, for the other way.

Most players support only one way: waiting for the whole start limit would take longer than everything else.
"""


class Ways:
    """The links to two processes of a command, each for one way of being reached."""

    def __init__(self, command: str, start: Callable[[str], Awaitable[Link]]) -> None:
        self._began = asyncio.get_running_loop().time()
        self._starts = {way: partial(start, f"{prefix} {command}") for way, prefix in WITHOUT.items()}
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
