"""Players inside the server."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from fairplay.games.game import find
from fairplay.server.links.bot import BotLink
from fairplay.server.links.link import Clock, OpenCall

TAKE_TURN = find("fish").turn.path


class Thinker:
    """A player that thinks in the event loop, and notes how that ends."""

    game = "fish"

    def __init__(self) -> None:
        self.thinks = asyncio.Event()
        self.woken = asyncio.Event()

    async def take_turn(self, request: Any) -> None:
        self.thinks.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.woken.set()


def ask(link: BotLink, limit_s: float, told: list[Any]) -> OpenCall:
    return link.call(TAKE_TURN, b"", limit_s, lambda outcome, _: told.append(outcome))


async def test_a_thought_that_nobody_wants_any_more_ends() -> None:
    thinker, told = Thinker(), list[Any]()
    link = BotLink(Clock(), thinker)
    call = ask(link, 60, told)
    async with asyncio.timeout(30):
        await thinker.thinks.wait()
        call.cancel()
        await thinker.woken.wait()
    await link.close()
    assert told == []


class Quick(Thinker):
    """A player that answers at once."""

    quick = True

    def take_turn(self, request: Any) -> None:  # type: ignore[override]
        """Return an empty reply."""


async def test_a_loop_that_stalls_is_late_itself_and_blames_nobody() -> None:
    told = list[Any]()
    link = BotLink(Clock(), Quick())
    ask(link, 0.1, told)
    time.sleep(0.3)  # noqa: ASYNC251 - what the test is about
    async with asyncio.timeout(30):
        while not told:
            await asyncio.sleep(0)
    await link.close()
    assert told == [b""]


async def test_a_thought_ends_with_its_time() -> None:
    thinker, told = Thinker(), list[Any]()
    link = BotLink(Clock(), thinker)
    ask(link, 0.02, told)
    async with asyncio.timeout(30):
        await thinker.woken.wait()
    await link.close()
    assert [type(outcome).__name__ for outcome in told] == ["Overrun"]


async def test_a_thought_ends_with_the_link() -> None:
    thinker, told = Thinker(), list[Any]()
    link = BotLink(Clock(), thinker)
    ask(link, 60, told)
    async with asyncio.timeout(30):
        await thinker.thinks.wait()
        await link.close()
        await thinker.woken.wait()
    assert told == []
