"""Who is woken by the news: a few at once, many in slices, all in rounds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from fairplay.server.lobby.broadcaster import Broadcaster
from fairplay.server.lobby.event_stream import EventStream
from tests.server.quick import in_no_time


class Counted(EventStream):
    """A stream that counts how often it is woken."""

    def __init__(self) -> None:
        super().__init__(0, lambda seen: (seen, ()))
        self.count = 0

    def wake(self) -> None:
        self.count += 1


class Room:
    """As many streams as a test wants, and what wakes them."""

    def __init__(self, count: int) -> None:
        self.streams = [Counted() for _ in range(count)]
        self.broadcaster = Broadcaster(lambda: self.streams)

    @property
    def counts(self) -> list[int]:
        return [stream.count for stream in self.streams]

    async def until_all(self, count: int) -> None:
        """Wait until each stream was woken so often."""
        async with asyncio.timeout(30):
            while min(self.counts) < count:
                await asyncio.sleep(0.001)


@pytest.fixture
async def room(request: pytest.FixtureRequest) -> AsyncIterator[Room]:
    made = Room(request.param)
    yield made
    await made.broadcaster.stop()


@pytest.mark.parametrize("room", [1, 50, 51, 130], indirect=True)
async def test_all_are_woken_once_in_each_round(room: Room) -> None:
    for number in (1, 2):
        room.broadcaster.wake_all()
        assert max(room.counts) == number - 1
        await room.until_all(number)
        assert max(room.counts) == number


@pytest.mark.parametrize("room", [3], indirect=True)
async def test_a_few_are_woken_at_once_and_no_others(room: Room) -> None:
    room.broadcaster.wake_some(room.streams[:2])
    assert room.counts == [1, 1, 0]
    await asyncio.sleep(0)
    assert room.counts == [1, 1, 0]


@pytest.mark.parametrize("room", [60], indirect=True)
async def test_many_are_woken_in_the_next_round(room: Room) -> None:
    room.broadcaster.wake_some(room.streams)
    assert room.counts == [0] * 60
    await room.until_all(1)
    assert room.counts == [1] * 60


@pytest.mark.parametrize("room", [120], indirect=True)
async def test_others_get_their_turn_between_the_slices_of_a_round(room: Room) -> None:
    seen = set()
    room.broadcaster.wake_all()
    while sum(room.counts) < 120:
        await asyncio.sleep(0)
        seen.add(sum(room.counts))
    assert {50, 100, 120} <= seen


@pytest.mark.parametrize("room", [1], indirect=True)
async def test_nobody_is_woken_after_the_end(room: Room) -> None:
    await room.broadcaster.stop()
    room.broadcaster.wake_all()
    for _ in range(5):
        await asyncio.sleep(0)
    assert room.counts == [0]


def test_a_round_is_not_repeated_by_itself() -> None:
    async def rounds() -> list[int]:
        room = Room(2)
        room.broadcaster.wake_all()
        await asyncio.sleep(60)
        counts = room.counts
        await room.broadcaster.stop()
        return counts

    assert in_no_time(rounds()) == [1, 1]


def test_after_a_round_there_is_a_rest_in_which_news_gather() -> None:
    async def rounds() -> list[list[int]]:
        room = Room(2)
        room.broadcaster.wake_all()
        found = []
        for _ in range(3):  # no time passes in these turns of the loop
            for _ in range(10):
                await asyncio.sleep(0)
            found.append(room.counts)
            room.broadcaster.wake_all()
        await asyncio.sleep(60)
        found.append(room.counts)
        await room.broadcaster.stop()
        return found

    assert in_no_time(rounds()) == [[1, 1]] * 3 + [[2, 2]]
