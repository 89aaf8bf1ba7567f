"""Streams of players that dialled in: what is sent on their connections, and how long a lost one is kept."""

from __future__ import annotations

import asyncio

import pytest
from google.protobuf.duration_pb2 import Duration

from fairplay.server.links.link import OpenCall
from fairplay.server.links.stream import OpenCalls, Stream
from fairplay.server.net.errors import Refusal
from fairplay.v1.connection_pb2 import Call, DialInResponse, GoodbyeReason, Reply
from tests.server.quick import in_simulated_time, quick_clock

WINDOW_S = 10.0


class Carried:
    """Calls, and the frames in which they went: the ids of what was sent and of what was cancelled."""

    def __init__(self) -> None:
        self.late_count = self.stray_count = 0
        self.calls = OpenCalls(quick_clock(), self._stray, self._late)
        self.frames: list[tuple[list[int], list[int]]] = []
        self.sent: list[Call] = []

    def _stray(self) -> None:
        self.stray_count += 1

    def _late(self) -> None:
        self.late_count += 1

    def carry(self) -> None:
        async def send(calls: list[Call], cancelled: list[int]) -> None:
            self.sent += [Call.FromString(call.SerializeToString()) for call in calls]
            self.frames.append(([call.id for call in calls], cancelled))

        self.calls.carry(send, lambda: None)

    def call(self, limit_s: float = 60.0) -> OpenCall:
        return self.calls.call(7, "/a.B/C", b"request", limit_s, lambda *_: None)


async def turn() -> None:
    """Let what is due be sent."""
    await asyncio.sleep(1e-3)


@in_simulated_time
async def test_calls_that_no_connection_carries_wait_for_the_next_one() -> None:
    carried = Carried()
    carried.call(10.0)
    carried.calls.nudge()
    await asyncio.sleep(2.5)
    carried.carry()
    await turn()
    assert carried.frames == [([1], [])]
    assert carried.sent[0].time_limit == Duration(seconds=7, nanos=500_000_000)
    carried.calls.halt()
    carried.call(10.0)
    await asyncio.sleep(1.0)
    assert carried.frames == [([1], [])]
    carried.carry()
    await turn()
    assert carried.frames == [([1], []), ([1, 2], [])]


def answers(calls: list[OpenCall]) -> list[Reply]:
    return [Reply(id=call.id, response=b"") for call in calls]


@in_simulated_time
async def test_one_late_reply_to_each_cancelled_call_never_ends_a_stream() -> None:
    carried = Carried()
    carried.carry()
    for _ in range(20):
        calls = [carried.call() for _ in range(1_000)]
        for call in calls:
            call.cancel()
        carried.calls.take(answers(calls))
    assert (carried.late_count, carried.stray_count) == (20_000, 0)


@in_simulated_time
@pytest.mark.parametrize("unwanted", ["unknown", "answered", "cancelled"])
async def test_a_thousand_replies_that_nobody_asked_for_are_endured_at_once_and_so_many_a_minute(unwanted: str) -> None:
    carried = Carried()
    carried.carry()
    call = carried.call()
    if unwanted == "cancelled":
        call.cancel()
    if unwanted != "unknown":
        carried.calls.take(answers([call]))
    reply = Reply(id=10**12 if unwanted == "unknown" else call.id, response=b"")
    for _ in range(5):
        carried.calls.take([reply] * 1_000)
        await asyncio.sleep(61.0)
    with pytest.raises(Refusal) as refused:
        carried.calls.take([reply] * 1_001)
    assert refused.value.reason == "REPLY_FLOOD"


class Connection:
    """A connection that takes all frames, each of which takes its time."""

    def __init__(self, write_s: float = 0.0) -> None:
        self.frames: list[DialInResponse] = []
        self._write_s = write_s

    async def write(self, frame: DialInResponse) -> None:
        """Keep the frame."""
        self.frames.append(frame)
        await asyncio.sleep(self._write_s)


def new_stream() -> tuple[Stream, list[Stream]]:
    """Return a stream, and those that are over."""
    closed: list[Stream] = []
    return Stream(quick_clock(), ["x"], lambda _: True, closed.append, lambda: None, lambda: None), closed


@in_simulated_time
async def test_a_stream_that_is_lost_again_is_kept_for_its_whole_window_again() -> None:
    stream, closed = new_stream()
    for _ in range(3):
        write = Connection().write
        stream.attach(["x"], write, lambda: None, WINDOW_S)
        stream.detach(write)
        await asyncio.sleep(0.6 * WINDOW_S)
        assert closed == []
    await asyncio.sleep(0.5 * WINDOW_S)
    assert closed == [stream]


@in_simulated_time
async def test_the_end_of_a_connection_that_was_replaced_does_not_touch_the_stream() -> None:
    stream, closed = new_stream()
    ended: list[str] = []
    first, second = Connection().write, Connection().write
    stream.attach(["x"], first, lambda: ended.append("first"), 0.0)
    stream.attach(["x"], second, lambda: ended.append("second"), 0.0)
    await turn()
    stream.detach(first)
    assert (ended, closed) == (["first"], [])
    stream.detach(second)
    assert closed == [stream]


@in_simulated_time
async def test_the_goodbye_is_the_last_frame_and_the_connection_ends_after_it() -> None:
    stream, _ = new_stream()
    connection = Connection(write_s=1.0)
    frames_at_end: list[int] = []
    stream.attach(["x"], connection.write, lambda: frames_at_end.append(len(connection.frames)), 0.0)
    for when in ("the welcome", "a call", "the goodbye"):
        stream.calls.call(0, "/a.B/C", b"request", 60.0, lambda *_: None)
        if when == "a call":
            stream.goodbye(GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN, "the server shuts down")
        await asyncio.sleep(1.2)  # the frame of what was said before is under way
    await asyncio.sleep(5.0)
    assert [frame.HasField("goodbye") for frame in connection.frames] == [False, False, True]
    assert frames_at_end == [3]
