"""Which processes are started ahead of need, and how long each way of being reached is tried; in simulated time."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Coroutine
from types import SimpleNamespace
from typing import Any, TypeAlias

import psutil
import pytest

from fairplay.conformance.spares import Spares, close_all, count_affordable, renewed
from fairplay.conformance.ways import DIALLING, SERVING, Ways
from fairplay.server.links.link import Clock, DeadLink, Link, disconnected
from tests.conformance.opened import StartedLink
from tests.server.quick import in_no_time


def dead() -> DeadLink:
    return DeadLink(Clock(), disconnected("it did not come up"))


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run a test in simulated time; it fails where something goes wrong behind its back."""
    wrong: list[Any] = []

    async def watched() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: wrong.append(context))
        await work
        await turns()

    in_no_time(watched())
    assert wrong == []


async def turns() -> None:
    for _ in range(6):
        await asyncio.sleep(0)


# Spares


class Starts:
    """Starts players that come up after a second; those with some numbers, from 1, do not."""

    def __init__(self, *failing: int, link: type[StartedLink] = StartedLink) -> None:
        self.links: list[Any] = []
        self.begun = 0
        self._failing = failing
        self._link = link

    async def start(self) -> Link:
        self.begun += 1
        fails = self.begun in self._failing
        await asyncio.sleep(1)
        self.links.append(dead() if fails else self._link())
        return self.links[-1]  # type: ignore[no-any-return]


def test_from_the_second_player_on_two_are_started_ahead() -> None:
    async def test() -> None:
        starts = Starts()
        spares = Spares(starts.start)
        first = await spares.take()
        await turns()
        assert starts.begun == 1
        second = await spares.take()
        await turns()
        assert starts.begun == 4
        third = await spares.take()
        await turns()
        assert starts.begun == 5
        assert [first, second] == starts.links[:2]
        assert third is starts.links[2]
        await spares.close()
        assert [link.closed for link in starts.links[:4]] == [False, False, False, True]

    run(test())


def test_a_player_that_was_started_ahead_is_there_at_once() -> None:
    async def test() -> None:
        clock = asyncio.get_running_loop().time
        spares = Spares(Starts().start)
        for number, taken_s in enumerate((1, 1, 0, 0, 1)):
            began = clock()
            await spares.take()
            assert clock() - began == taken_s
            if number == 1:
                await asyncio.sleep(1)
        await spares.close()

    run(test())


def test_no_player_is_started_ahead_in_a_pause_which_begins_when_all_are_up() -> None:
    async def test() -> None:
        starts = Starts()
        spares = Spares(starts.start)
        await spares.take()
        await spares.take()
        await spares.pause()
        assert (starts.begun, len(starts.links)) == (4, 4)
        for _ in range(3):
            await spares.take()
            await turns()
        assert starts.begun == 5
        spares.resume()
        await spares.take()
        await turns()
        assert starts.begun == 8
        await spares.close()

    run(test())


def test_a_pause_waits_for_a_player_that_was_just_begun() -> None:
    async def test() -> None:
        starts = Starts()
        spares = Spares(starts.start)
        for _ in range(3):
            await spares.take()
        assert len(starts.links) == 4
        await spares.pause()
        assert (starts.begun, len(starts.links)) == (5, 5)
        await spares.close()

    run(test())


def test_a_pause_begins_even_if_a_player_that_is_started_ahead_cannot_be_started() -> None:
    async def test() -> None:
        starts = Starts()

        async def start() -> Link:
            if starts.begun == 2:
                raise OSError("there are too many processes")
            return await starts.start()

        spares = Spares(start)
        await spares.take()
        await spares.take()
        await spares.pause()
        await spares.close()

    run(test())


def test_spares_that_did_not_come_up_or_have_ended_are_closed_and_the_next_one_is_taken() -> None:
    async def test() -> None:
        starts = Starts(3)
        spares = Spares(starts.start)
        await spares.take()
        await spares.take()
        await spares.pause()
        assert await spares.take() is starts.links[3]
        spares.resume()
        await spares.take()
        await spares.pause()
        starts.links[5].has_ended = True
        assert await spares.take() is starts.links[6]
        assert starts.links[5].closed
        await spares.close()

    run(test())


def test_of_a_player_that_does_not_come_up_no_more_are_started_ahead() -> None:
    async def test() -> None:
        starts = Starts(*range(2, 20))
        spares = Spares(starts.start)
        await spares.take()
        for begun in (4, 5, 6):
            assert isinstance(await spares.take(), DeadLink)
            await turns()
            assert starts.begun == begun

    run(test())


def test_after_the_end_the_first_player_is_started_alone_again() -> None:
    async def test() -> None:
        starts = Starts()
        spares = Spares(starts.start)
        await spares.take()
        await spares.take()
        await spares.close()
        begun = starts.begun
        await spares.take()
        await turns()
        assert starts.begun == begun + 1
        await spares.take()
        await turns()
        assert starts.begun == begun + 4
        await spares.close()

    run(test())


def test_no_player_is_started_ahead_whose_process_is_not_there() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()

    class Gone(StartedLink):
        def __init__(self) -> None:
            super().__init__(gone.pid)

    async def test() -> None:
        starts = Starts(link=Gone)
        spares = Spares(starts.start)
        for number in range(3):
            await spares.take()
            await turns()
            assert starts.begun == number + 1

    run(test())


FAMILY = "sh -c 'sh -c \"echo up; read line\"; :'; :"
"""A command whose child has a child; all of them end with their input."""


def test_what_a_player_has_started_itself_takes_memory_too(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(["sh", "-c", FAMILY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as guard:
        assert guard.stdout is not None
        assert guard.stdout.readline() == "up\n"
        [first] = psutil.Process(guard.pid).children()
        child, grandchild = (each.memory_info().rss for each in (first, *first.children()))
        free = SimpleNamespace(available=4 * (child + grandchild // 2))  # a quarter of it would do for the child
        monkeypatch.setattr(psutil, "virtual_memory", lambda: free)

        class Large(StartedLink):
            def __init__(self) -> None:
                super().__init__(guard.pid)

        async def test() -> None:
            starts = Starts(link=Large)
            spares = Spares(starts.start)
            for _ in range(2):
                await spares.take()
                await turns()
            assert starts.begun == 2

        run(test())


@pytest.mark.parametrize(
    ("size", "available", "count"), [(100, 800, 2), (100, 799, 1), (100, 399, 0), (1, 8, 2), (0, 8, 2)]
)
def test_spares_take_a_quarter_of_the_free_memory_at_most(size: int, available: int, count: int) -> None:
    assert count_affordable(size, available) == count


def test_links_that_are_being_opened_are_closed_too() -> None:
    async def test() -> None:
        starts = Starts()

        async def fails() -> Link:
            raise OSError

        done = asyncio.ensure_future(starts.start())
        await asyncio.sleep(2)
        tasks = [asyncio.ensure_future(fails()), asyncio.ensure_future(starts.start()), done]
        await turns()
        await close_all(tasks)
        assert [link.closed for link in starts.links] == [True]
        assert tasks[1].cancelled()

    run(test())


def test_only_a_process_that_has_ended_is_started_again() -> None:
    async def test() -> None:
        starts = Starts()
        link, without_process = StartedLink(), dead()
        assert await renewed(link, starts.start) is link
        assert await renewed(without_process, starts.start) is without_process
        assert (starts.begun, link.closed) == (0, False)

    run(test())


# Ways


Comes: TypeAlias = tuple[float, bool]
"""After how many seconds a start has an outcome, and whether the player is reached then."""


class Way:
    """Starts commands; what comes of each depends on the way in which it can be reached."""

    def __init__(self, serving: Comes, dialling: Comes) -> None:
        self.commands: list[str] = []
        self.links: dict[str, Link] = {}
        self.cancelled: list[str] = []
        self._comes = {SERVING: serving, DIALLING: dialling}

    async def start(self, command: str) -> Link:
        self.commands.append(command)
        way = SERVING if "FAIRPLAY_CONNECT" in command else DIALLING
        after_s, is_reached = self._comes[way]
        try:
            await asyncio.sleep(after_s)
        except asyncio.CancelledError:
            self.cancelled.append(way)
            raise
        self.links[way] = StartedLink() if is_reached else dead()
        return self.links[way]


@pytest.mark.parametrize(
    ("serving", "dialling", "lost", "takes_s"),
    [
        ((1, True), (1.5, True), [], 1.5),
        ((1, True), (4.9, True), [], 4.9),
        ((1, True), (5.1, True), [DIALLING], 5.0),
        ((5.1, True), (1, True), [SERVING], 5.0),
        ((2, True), (7.9, True), [], 7.9),
        ((2, True), (8.1, True), [DIALLING], 8.0),
        ((1, False), (30, True), [SERVING], 30),
        ((30, True), (1, False), [DIALLING], 30),
        ((1, False), (30, False), [SERVING, DIALLING], 30),
        ((1, True), (2, False), [DIALLING], 2),
    ],
)
def test_a_player_that_is_reached_in_one_way_has_some_time_for_the_other(
    serving: Comes, dialling: Comes, lost: list[str], takes_s: float
) -> None:
    async def test() -> None:
        await asyncio.sleep(100)
        began = asyncio.get_running_loop().time()
        way = Way(serving, dialling)
        ways = Ways("me --fast", way.start)
        links = await ways.wait()
        assert asyncio.get_running_loop().time() - began == pytest.approx(takes_s)
        assert [each for each, link in links.items() if isinstance(link, DeadLink)] == lost
        assert all(links[each] is link for each, link in way.links.items())
        assert set(way.cancelled) == {SERVING, DIALLING} - way.links.keys()
        assert way.commands == [
            "env -u FAIRPLAY_CONNECT -u FAIRPLAY_NAME -u FAIRPLAY_TOKEN me --fast",
            "env -u FAIRPLAY_LISTEN me --fast",
        ]

    run(test())


@pytest.mark.parametrize(("after_s", "takes_s"), [(4, 1), (5, 0), (9, 0)])
def test_time_in_which_nobody_waits_counts_too(after_s: float, takes_s: float) -> None:
    async def test() -> None:
        ways = Ways("me", Way((1, True), (60, True)).start)
        await asyncio.sleep(after_s)
        began = asyncio.get_running_loop().time()
        links = await ways.wait()
        assert asyncio.get_running_loop().time() - began == takes_s
        assert isinstance(links[DIALLING], DeadLink)

    run(test())


def test_a_process_that_ended_while_the_other_was_waited_for_is_started_again() -> None:
    async def test() -> None:
        way = Way((1, True), (3, True))
        ways = Ways("me", way.start)
        await asyncio.sleep(2)
        first: Any = way.links[SERVING]
        first.has_ended = True
        links = await ways.wait()
        assert first.closed
        assert links[SERVING] is way.links[SERVING] is not first
        assert way.commands[2] == way.commands[0]

    run(test())


def test_ways_that_nobody_waits_for_are_closed(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        way = Way((1, True), (3, True))
        ways = Ways("me", way.start)
        await asyncio.sleep(2)
        await ways.close()
        first: Any = way.links[SERVING]
        assert first.closed
        assert way.cancelled == [DIALLING]

    run(test())
    assert caplog.text == "", "nothing is asked of a start that was cancelled"
