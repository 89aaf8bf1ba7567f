"""Players inside the server."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import grpc
import pytest

from fairplay.games.game import find
from fairplay.player.handlers import CallFailed
from fairplay.server.links.bot import BotLink
from fairplay.server.links.link import Clock, OpenCall
from fairplay.v1.misconduct_pb2 import CallErrorReason

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


def ask(link: BotLink, limit_s: float, reported: list[Any]) -> OpenCall:
    return link.call(TAKE_TURN, b"", limit_s, lambda outcome, _: reported.append(outcome))


async def test_a_thought_that_nobody_wants_any_more_ends() -> None:
    thinker, reported = Thinker(), list[Any]()
    link = BotLink(Clock(), thinker)
    call = ask(link, 60, reported)
    async with asyncio.timeout(30):
        await thinker.thinks.wait()
        call.cancel()
        await thinker.woken.wait()
    await link.close()
    assert reported == []


class Quick(Thinker):
    """A player that answers at once."""

    quick = True

    def take_turn(self, request: Any) -> None:  # type: ignore[override]
        """Return an empty reply."""


async def test_a_loop_that_stalls_is_late_itself_and_blames_nobody() -> None:
    reported = list[Any]()
    link = BotLink(Clock(), Quick())
    ask(link, 0.1, reported)
    time.sleep(0.3)  # noqa: ASYNC251 - what the test is about
    async with asyncio.timeout(30):
        while not reported:
            await asyncio.sleep(0)
    await link.close()
    assert reported == [b""]


async def test_a_thought_ends_with_its_time() -> None:
    thinker, reported = Thinker(), list[Any]()
    link = BotLink(Clock(), thinker)
    ask(link, 0.02, reported)
    async with asyncio.timeout(30):
        await thinker.woken.wait()
    await link.close()
    assert [type(outcome).__name__ for outcome in reported] == ["Overrun"]


async def test_a_thought_ends_with_the_link() -> None:
    thinker, reported = Thinker(), list[Any]()
    link = BotLink(Clock(), thinker)
    ask(link, 60, reported)
    async with asyncio.timeout(30):
        await thinker.thinks.wait()
        await link.close()
        await thinker.woken.wait()
    assert reported == []


class Fails(Quick):
    """A player that fails, at once or in a thread."""

    def __init__(self, error: Exception, *, quick: bool) -> None:
        super().__init__()
        self.error = error
        self.quick = quick

    def take_turn(self, request: Any) -> None:  # type: ignore[override]
        raise self.error


@pytest.mark.parametrize(
    ("error", "code", "message", "quick"),
    [
        (ValueError("no idea"), grpc.StatusCode.UNKNOWN, "ValueError: no idea", True),
        (CallFailed(grpc.StatusCode.NOT_FOUND, "no such thing"), grpc.StatusCode.NOT_FOUND, "no such thing", False),
    ],
)
async def test_what_a_player_raises_is_the_failure_of_its_call(
    error: Exception, code: grpc.StatusCode, message: str, quick: bool
) -> None:
    reported, spent = list[Any](), list[float]()
    link = BotLink(Clock(), Fails(error, quick=quick), spent.append)
    call = ask(link, 60, reported)
    assert reported == []
    async with asyncio.timeout(30):
        while not reported:
            await asyncio.sleep(0.001)
    call.cancel()
    await link.close()
    assert [(each.reason, each.status_code, each.message) for each in reported] == [
        (CallErrorReason.CALL_ERROR_REASON_STATUS, code.value[0], message)
    ]
    assert len(spent) == (0 if quick else 1)
    assert all(0 <= each < 30 for each in spent)


async def test_the_threads_of_a_player_end_with_its_link() -> None:
    before, reported = set(threading.enumerate()), list[Any]()
    link = BotLink(Clock(), Fails(ValueError(), quick=False))
    ask(link, 60, reported)
    async with asyncio.timeout(30):
        while not reported:
            await asyncio.sleep(0.001)
    started = set(threading.enumerate()) - before
    await link.close()
    for thread in started:
        thread.join(30)
    assert [thread.is_alive() for thread in started] == [False] * len(started)
    assert started


async def test_a_quick_answer_that_nobody_wants_any_more_is_dropped() -> None:
    reported = list[Any]()
    link = BotLink(Clock(), Quick())
    ask(link, 60, reported).cancel()
    ask(link, 60, reported)
    await asyncio.sleep(0)
    await link.close()
    assert reported == [b""]


async def test_the_time_of_a_thought_is_spent_even_if_it_is_given_up() -> None:
    thinker, spent = Thinker(), list[float]()
    link = BotLink(Clock(), thinker, spent.append)
    call = ask(link, 60, [])
    async with asyncio.timeout(30):
        await thinker.thinks.wait()
        call.cancel()
        await thinker.woken.wait()
        while not spent:
            await asyncio.sleep(0)
    await link.close()
    assert 0 < spent[0] < 30
