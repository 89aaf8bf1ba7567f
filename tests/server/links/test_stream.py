"""Streams of players that dialled in: how long a lost one is kept."""

from __future__ import annotations

import asyncio

from fairplay.server.links.stream import Stream
from fairplay.v1.connection_pb2 import DialInResponse
from tests.server.quick import in_no_time, quick_clock

WINDOW_S = 10.0


class Connection:
    """A connection that takes all frames."""

    async def write(self, frame: DialInResponse) -> None:
        """Do nothing with the frame."""


def test_a_stream_that_is_lost_again_is_kept_for_its_whole_window_again() -> None:
    async def scenario() -> None:
        closed: list[Stream] = []
        stream = Stream(quick_clock(), ["x"], lambda: True, closed.append, lambda: None, lambda: None)
        for _ in range(3):
            write = Connection().write
            stream.attach(write, lambda: None, WINDOW_S)
            stream.detach(write)
            await asyncio.sleep(0.6 * WINDOW_S)
            assert closed == []
        await asyncio.sleep(0.5 * WINDOW_S)
        assert closed == [stream]

    in_no_time(scenario())


def test_the_end_of_a_connection_that_was_replaced_does_not_touch_the_stream() -> None:
    async def scenario() -> None:
        closed: list[Stream] = []
        ended: list[str] = []
        stream = Stream(quick_clock(), ["x"], lambda: True, closed.append, lambda: None, lambda: None)
        first, second = Connection().write, Connection().write
        stream.attach(first, lambda: ended.append("first"), 0.0)
        stream.attach(second, lambda: ended.append("second"), 0.0)
        stream.detach(first)
        assert (ended, closed) == (["first"], [])
        stream.detach(second)
        assert closed == [stream]

    in_no_time(scenario())
