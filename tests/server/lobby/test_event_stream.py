"""One stream of events: what is written, and how it ends."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Sequence

import pytest

from fairplay.server.errors import Refusal
from fairplay.server.lobby.event_stream import EventStream


class Reader:
    """A caller that has read what was written; `due` are the numbers of the events so far."""

    def __init__(self, seen: int = 0) -> None:
        self.last = 0
        self.asked: list[int] = []
        self.written: list[bytes] = []
        self.stream = EventStream(seen, self.after)

    def after(self, seen: int) -> tuple[int, Sequence[bytes]]:
        self.asked.append(seen)
        return self.last, [b"%d" % number for number in range(seen + 1, self.last + 1)]

    async def write(self, data: bytes) -> None:
        self.written.append(data)

    async def add(self, count: int) -> None:
        """Let events happen, and the stream write."""
        self.last += count
        self.stream.wake()
        await turned()


async def turned() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_each_event_is_written_once_as_soon_as_the_stream_is_woken() -> None:
    reader = Reader()
    reader.last = 2
    running = asyncio.create_task(reader.stream.run(reader.write))
    await turned()
    assert reader.written == [b"1", b"2"]
    reader.last = 3
    await turned()
    assert reader.written == [b"1", b"2"], "it sleeps"
    await reader.add(1)
    await reader.add(2)
    assert reader.written == [b"1", b"2", b"3", b"4", b"5", b"6"]
    assert reader.asked == [0, 2, 4]
    reader.stream.end()
    await running


async def test_a_stream_begins_after_what_its_user_has_seen() -> None:
    reader = Reader(2)
    reader.last = 3
    running = asyncio.create_task(reader.stream.run(reader.write))
    await turned()
    assert reader.written == [b"3"]
    reader.stream.end()
    await running


async def test_a_stream_that_has_ended_writes_nothing_more_and_the_first_end_counts() -> None:
    reader = Reader()
    running = asyncio.create_task(reader.stream.run(reader.write))
    await turned()
    reader.stream.end()
    reader.stream.end(Refusal("STREAM_REPLACED", "too late"))
    await running
    await reader.add(1)
    assert reader.written == []


async def test_a_stream_that_is_ended_with_a_refusal_tells_it() -> None:
    reader = Reader()
    running = asyncio.create_task(reader.stream.run(reader.write))
    reader.stream.end(Refusal("STREAM_REPLACED", "the user has opened another stream"))
    with pytest.raises(Refusal, match="another stream"):
        await running


async def test_a_caller_that_cannot_be_written_to_ends_the_stream() -> None:
    reader = Reader()
    reader.last = 1

    async def fail(_: bytes) -> None:
        raise ConnectionError("the caller is gone")

    with pytest.raises(ConnectionError, match="the caller is gone"):
        await reader.stream.run(fail)
    reader.stream.end()


async def test_a_caller_that_goes_ends_the_stream_without_an_error() -> None:
    reader = Reader()
    errors: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context))
    running = asyncio.create_task(reader.stream.run(reader.write))
    await turned()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await reader.add(1)
    assert (reader.written, errors) == ([], [])


async def test_a_caller_that_fails_when_the_stream_has_ended_is_no_error() -> None:
    reader = Reader()
    reader.last = 1
    errors: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context))

    async def fail(_: bytes) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise ConnectionError("the caller is gone") from None

    running = asyncio.create_task(reader.stream.run(fail))
    await turned()
    reader.stream.end()
    await running
    await turned()
    gc.collect()
    assert errors == []
