"""The calls of a stream: what is sent on its connections, one after the other, and what replies do."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration

from fairplay.server.links.stream import OpenCalls, Stream
from fairplay.server.net.errors import Refusal
from fairplay.v1.connection_pb2 import Call, DialInResponse, Failure, GoodbyeReason, Reply
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason
from tests.server.quick import in_simulated_time, quick_clock


class Carried:
    """Calls, the frames in which they went, and what became of them."""

    def __init__(self) -> None:
        self.counted: list[str] = []
        self.calls = OpenCalls(quick_clock(), lambda: self.counted.append("stray"), lambda: self.counted.append("late"))
        self.frames: list[tuple[list[int], list[int]]] = []
        self.sent: list[Call] = []
        self.outcomes: dict[int, Any] = {}

    def carry(self) -> None:
        async def send(calls: list[Call], cancelled: list[int]) -> None:
            copies = [Call.FromString(call.SerializeToString()) for call in calls]
            self.sent += copies
            self.frames.append(([call.id for call in copies], cancelled))

        self.calls.carry(send, lambda: self.counted.append("failed"))

    def call(self, limit_s: float = 60.0, **more: Any) -> Any:
        call = self.calls.call(
            7, "/a.B/C", b"request", limit_s, lambda *outcome: self.outcomes.update({call.id: outcome}), **more
        )
        return call


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


@in_simulated_time
async def test_a_frame_names_what_was_cancelled_and_sends_nothing_of_it() -> None:
    carried = Carried()
    carried.carry()
    await turn()
    carried.frames.clear()
    first, second = carried.call(), carried.call()
    await turn()
    third = carried.call()
    for call in (first, third):
        call.cancel()
        call.cancel()
    await turn()
    assert carried.frames == [([1, 2], []), ([], [1, 3])]
    second.cancel()
    await turn()
    assert carried.frames[-1] == ([], [2])


@in_simulated_time
async def test_a_reply_is_that_of_the_call_with_its_id_even_if_it_is_empty() -> None:
    carried = Carried()
    carried.carry()
    for _ in range(5):
        carried.call()
    largest = bytes(1_048_576)
    carried.calls.take(
        [
            Reply(id=2, response=b"two"),
            Reply(id=1, response=b""),
            Reply(id=3, failure=Failure(code=5, message="no")),
            Reply(id=4, response=largest),
            Reply(id=5, response=largest + b"x"),
        ]
    )
    reasons = CallErrorReason
    too_large = "the reply has 1,048,577 bytes; at most 1,048,576 are accepted"
    assert {number: outcome for number, (outcome, _) in carried.outcomes.items()} == {
        1: b"",
        2: b"two",
        3: CallError(reason=reasons.CALL_ERROR_REASON_STATUS, message="no", status_code=5),
        4: largest,
        5: CallError(reason=reasons.CALL_ERROR_REASON_TOO_LARGE, message=too_large),
    }
    assert carried.counted == []
    assert carried.calls.end() == []


@in_simulated_time
async def test_what_nobody_asked_for_is_stray_and_what_was_cancelled_is_late_once() -> None:
    carried = Carried()
    carried.call().cancel()
    carried.calls.take([Reply(id=1), Reply(id=1), Reply(id=2)])
    assert carried.counted == ["late", "stray", "stray"]
    for _ in range(998):
        carried.calls.count_stray()
    with pytest.raises(Refusal, match="more than 1,000 replies") as refused:
        carried.calls.count_stray()
    assert refused.value.reason == "REPLY_FLOOD"
    assert carried.counted == ["late", *["stray"] * 1_001]


class Connection:
    """A connection of a stream, and the frames that it got; it is slow, and ends when it is told to."""

    def __init__(self) -> None:
        self.frames: list[DialInResponse] = []
        self.ended = 0
        self.write = self._write  # the same object each time: the stream compares it

    async def _write(self, frame: DialInResponse) -> None:
        self.frames.append(frame)

    def end(self) -> None:
        self.ended += 1


def new_stream(*names: str) -> tuple[Stream, list[Stream]]:
    """Return a stream, and those that are over."""
    closed: list[Stream] = []
    return Stream(quick_clock(), names, lambda: True, closed.append, lambda: None, lambda: None), closed


@in_simulated_time
async def test_a_goodbye_comes_behind_what_is_due_and_ends_the_connection() -> None:
    stream, closed = new_stream("ann")
    connection = Connection()
    stream.attach(connection.write, connection.end, 60.0)
    stream.calls.call(0, "/a.B/C", b"", 60.0, lambda *_: None)
    stream.goodbye(GoodbyeReason.GOODBYE_REASON_FINISHED, "that was it")
    assert connection.ended == 0
    await turn()
    assert [frame.HasField("goodbye") for frame in connection.frames] == [False, True]
    assert connection.frames[-1].goodbye.message == "that was it"
    assert [len(frame.calls) for frame in connection.frames] == [0, 1]
    assert connection.ended == 1
    stream.detach(connection.write)
    assert closed == [stream]


@in_simulated_time
async def test_a_lost_stream_fails_its_calls_when_its_window_is_over() -> None:
    stream, closed = new_stream("ann")
    outcomes: list[Any] = []
    connection = Connection()
    stream.attach(connection.write, connection.end, 5.0)
    stream.calls.call(0, "/a.B/C", b"", 60.0, lambda *outcome: outcomes.append(outcome))
    stream.detach(connection.write)
    stream.detach(connection.write)
    await asyncio.sleep(4.9)
    assert (closed, outcomes) == ([], [])
    await asyncio.sleep(0.2)
    assert closed == [stream]
    ((error, elapsed_s),) = outcomes
    assert error.message == "the connection of the player ended during the call"
    assert error.reason == CallErrorReason.CALL_ERROR_REASON_DISCONNECTED
    assert elapsed_s == pytest.approx(5.0)
    assert connection.ended == 0
