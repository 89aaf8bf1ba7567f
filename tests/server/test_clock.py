"""Open calls and the clock that settles them, at the edges of their limits."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from fairplay.server.links.link import Clock, OpenCall, disconnected
from fairplay.v1.misconduct_pb2 import Overrun
from tests.server.quick import in_no_time, quick_clock

LIMIT_S = 1.0


class Call:
    """A call whose time a test sets, with what was reported of it."""

    def __init__(self) -> None:
        self.now = 100.0
        self.clock = Clock()
        self.clock.time = lambda: self.now
        self.outcomes: list[Any] = []
        self.cancelled: list[OpenCall] = []
        self.open = OpenCall(
            self.clock, LIMIT_S, lambda outcome, _: self.outcomes.append(outcome), self.cancelled.append
        )


@pytest.mark.parametrize("after_s", [0.0, LIMIT_S])
async def test_a_reply_within_the_limit_counts(after_s: float) -> None:
    call = Call()
    call.now += after_s
    call.open.settle(b"reply")
    assert call.outcomes == [b"reply"]


async def test_a_reply_after_the_limit_is_an_overrun_although_the_clock_has_not_rung_yet() -> None:
    call = Call()
    call.now += LIMIT_S + 0.015
    assert not call.clock.late
    call.open.settle(b"reply")
    (outcome,) = call.outcomes
    assert isinstance(outcome, Overrun)
    assert (outcome.limit.seconds, outcome.limit.nanos) == (1, 0)
    assert (outcome.elapsed.seconds, outcome.elapsed.nanos // 10**6) == (1, 15)


async def test_a_reply_counts_where_the_event_loop_is_late_to_its_timer() -> None:
    call = Call()
    call.now += LIMIT_S + 0.5
    assert call.clock.late
    call.open.settle(b"reply")
    assert call.outcomes == [b"reply"]


async def test_a_failure_after_the_limit_stays_that_failure() -> None:
    call, gone = Call(), disconnected("gone")
    call.now += LIMIT_S + 0.015
    call.open.settle(gone)
    assert call.outcomes == [gone]


async def test_a_clock_without_calls_is_never_late() -> None:
    assert not Clock().late


async def test_only_the_first_outcome_counts() -> None:
    call = Call()
    call.open.settle(b"first")
    call.open.settle(b"second")
    call.open.fail(disconnected("third"))
    call.open.cancel()
    assert (call.outcomes, call.cancelled) == ([b"first"], [])


async def test_a_cancelled_call_reports_nothing_and_tells_the_player_once() -> None:
    call = Call()
    call.open.cancel()
    call.open.cancel()
    call.open.settle(b"reply")
    assert (call.outcomes, call.cancelled) == ([], [call.open])


def test_each_call_is_settled_at_its_own_deadline() -> None:
    async def scenario() -> None:
        clock, loop = quick_clock(), asyncio.get_running_loop()
        ended: list[tuple[float, float]] = []

        def call(limit_s: float) -> OpenCall:
            return OpenCall(clock, limit_s, lambda _, took_s: ended.append((limit_s, took_s)), lambda _: None)

        calls = [call(limit_s) for limit_s in (3.0, 1.0, 2.0, 4.0, 0.5)]
        calls[2].cancel()
        await asyncio.sleep(10)
        assert ended == [(0.5, 0.5), (1.0, 1.0), (3.0, 3.0), (4.0, 4.0)]
        late = call(2.0)
        await asyncio.sleep(10)
        assert ended[4:] == [(2.0, 2.0)]
        assert late.done is None
        assert loop.time() == 20.0

    in_no_time(scenario())
