"""Calls and the clock that settles them, in simulated time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random

import pytest

from fairplay.games.steps import Failure
from fairplay.server.links.link import (
    CROWDED_S,
    Clock,
    OpenCall,
    call_error,
    duration,
)
from fairplay.v1.misconduct_pb2 import CallErrorReason, Overrun
from tests.server.quick import QuickLoop, in_no_time, quick_clock

REPLY = b"reply"
STATUS = call_error(CallErrorReason.CALL_ERROR_REASON_STATUS, "it raised", code=2)


class Calls:
    """Calls on a clock of simulated time, and what became of each: outcome and seconds."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.outcomes: dict[int, tuple[bytes | Failure, float]] = {}
        self.settled_at: dict[int, float] = {}
        self.cancelled: list[int] = []

    def open(self, limit_s: float) -> OpenCall:
        def done(outcome: bytes | Failure, elapsed_s: float) -> None:
            assert call.id not in self.outcomes
            self.outcomes[call.id] = outcome, elapsed_s
            self.settled_at[call.id] = self.clock.time()

        call = OpenCall(self.clock, limit_s, done, lambda each: self.cancelled.append(each.id))
        return call


def stall(seconds: float) -> None:
    """Let time pass in which the event loop does nothing, as when it is blocked."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, QuickLoop)
    loop.passing.passed_s += seconds


def run(test: Callable[[Calls], None], wait_s: float = 0.0) -> Calls:
    """Run a test on calls in simulated time, and then that time for a while."""

    async def work() -> Calls:
        failures: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, failure: failures.append(failure))
        calls = Calls(quick_clock())
        test(calls)
        await asyncio.sleep(wait_s)
        assert failures == []
        return calls

    return in_no_time(work())


def kind(calls: Calls, number: int = 1) -> type[object]:
    return type(calls.outcomes[number][0])


@pytest.mark.parametrize(
    ("limit_s", "after_s", "expected"),
    [
        (1.0, 0.5, bytes),
        (1.0, 1.0, bytes),
        (1.0, 1.01, Overrun),
        (CROWDED_S, 2 * CROWDED_S, Overrun),
        (1.0, 1.03, bytes),
    ],
    ids=["in time", "just in time", "too late", "the loop is nearly late", "the loop is late itself"],
)
def test_a_reply_counts_up_to_its_limit_and_later_where_the_loop_is_late_itself(
    limit_s: float, after_s: float, expected: type[object]
) -> None:
    def test(calls: Calls) -> None:
        call = calls.open(limit_s)
        stall(after_s)
        assert call.elapsed_s == after_s
        call.settle(REPLY)

    calls = run(test)
    assert kind(calls) is expected
    assert calls.outcomes[1][1] == after_s
    assert calls.cancelled == []
    if expected is Overrun:
        assert calls.outcomes[1][0] == Overrun(limit=duration(limit_s), elapsed=duration(after_s))


def test_a_failure_stays_what_it_is_however_late() -> None:
    def test(calls: Calls) -> None:
        call = calls.open(1.0)
        stall(1.01)
        call.settle(STATUS)

    assert run(test).outcomes == {1: (STATUS, 1.01)}


def test_the_first_outcome_counts_and_the_player_is_told_of_calls_it_need_not_go_on_with() -> None:
    def test(calls: Calls) -> None:
        answered, failed, dropped = (calls.open(1.0) for _ in range(3))
        answered.settle(REPLY)
        answered.settle(STATUS)
        failed.fail(STATUS)
        dropped.cancel()
        for call in (answered, failed, dropped):
            call.settle(REPLY)
            call.fail(STATUS)
            call.cancel()

    calls = run(test, wait_s=2.0)
    assert calls.outcomes == {1: (REPLY, 0.0), 2: (STATUS, 0.0)}
    assert calls.cancelled == [2, 3]


@pytest.mark.parametrize("seed", range(2))
def test_every_call_that_is_not_answered_ends_at_its_limit(seed: int) -> None:
    rng = Random(seed)
    limits = [rng.choice([1.0, 2.0, 2.0, 3.5, 0.25]) for _ in range(30)]
    answered = set(rng.sample(range(1, 31), 12))

    def test(calls: Calls) -> None:
        opened = [calls.open(limit_s) for limit_s in limits]
        assert [call.id for call in opened] == list(range(1, 31))
        for call in opened:
            if call.id in answered:
                asyncio.get_running_loop().call_at(0.125, call.settle, REPLY)

    calls = run(test, wait_s=10.0)
    for number, limit_s in enumerate(limits, start=1):
        expected = (REPLY, 0.125) if number in answered else (
            Overrun(limit=duration(limit_s), elapsed=duration(limit_s)), limit_s
        )  # fmt: skip
        assert calls.outcomes[number] == expected
        assert (number in calls.cancelled) is (number not in answered)


def test_a_call_that_is_sent_while_others_wait_ends_at_its_own_limit() -> None:
    def test(calls: Calls) -> None:
        loop = asyncio.get_running_loop()
        calls.open(4.0)
        loop.call_at(1.0, calls.open, 1.0)
        loop.call_at(1.5, calls.open, 8.0)
        loop.call_at(6.0, calls.open, 0.5)

    assert run(test, wait_s=20.0).settled_at == {1: 4.0, 2: 2.0, 3: 9.5, 4: 6.5}


def test_a_call_that_is_sent_when_another_is_over_holds_up_none_that_ends_before_it() -> None:
    calls: list[Calls] = []

    def done(_: bytes | Failure, elapsed_s: float) -> None:
        assert elapsed_s == 1.0
        calls[0].open(9.0)

    def test(found: Calls) -> None:
        calls.append(found)
        OpenCall(found.clock, 1.0, done, lambda _: None)
        found.open(2.0)

    assert run(test, wait_s=20.0).settled_at == {2: 2.0, 3: 10.0}


def test_a_timer_that_is_no_longer_needed_never_rings() -> None:
    def test(calls: Calls) -> None:
        first, second = calls.open(4.0), calls.open(1.0)
        asyncio.get_running_loop().call_at(0.5, first.settle, REPLY)
        asyncio.get_running_loop().call_at(0.5, second.settle, REPLY)

    assert run(test, wait_s=8.0).settled_at == {1: 0.5, 2: 0.5}


def test_a_call_knows_what_is_left_of_its_time_which_is_a_millisecond_at_least() -> None:
    def test(calls: Calls) -> None:
        call = calls.open(1.5)
        left.append(call.left_s)
        stall(1.25)
        left.append(call.left_s)
        stall(0.25)
        left.append(call.left_s)
        stall(9.0)
        left.append(call.left_s)
        assert call.elapsed_s == 10.5

    left: list[float] = []
    run(test)
    assert left == [1.5, 0.25, 0.001, 0.001]


def test_the_time_of_a_call_begins_when_it_is_sent() -> None:
    def test(calls: Calls) -> None:
        asyncio.get_running_loop().call_at(3.0, send, calls)

    def send(calls: Calls) -> None:
        call = calls.open(5.0)
        asyncio.get_running_loop().call_at(4.5, lambda: passed_s.append(call.elapsed_s))
        asyncio.get_running_loop().call_at(7.0, call.settle, REPLY)
        calls.open(6.0)

    passed_s: list[float] = []
    calls = run(test, wait_s=20.0)
    assert passed_s == [1.5]
    assert calls.outcomes == {1: (REPLY, 4.0), 2: (Overrun(limit=duration(6.0), elapsed=duration(6.0)), 6.0)}


def test_after_a_stall_what_has_arrived_meanwhile_counts_and_the_rest_is_over_a_little_later() -> None:
    def test(calls: Calls) -> None:
        loop = asyncio.get_running_loop()
        read, _ = calls.open(1.0), calls.open(1.0)
        stall(1.5)
        loop.call_later(CROWDED_S / 2, read.settle, REPLY)
        loop.call_at(3.0, calls.open, 1.0)

    calls = run(test, wait_s=8.0)
    assert calls.outcomes[1] == (REPLY, 1.5 + CROWDED_S / 2)
    assert kind(calls, 2) is Overrun
    assert calls.settled_at[2] == pytest.approx(1.5 + 0.5)  # the time for which the loop stood still is given back
    assert calls.settled_at[3] == 4.0


def test_no_more_than_a_second_is_given_back() -> None:
    def test(calls: Calls) -> None:
        calls.open(1.0)
        stall(9.0)

    assert run(test, wait_s=20.0).settled_at[1] == pytest.approx(10.0)


def test_a_stall_is_forgotten_when_it_is_over() -> None:
    def test(calls: Calls) -> None:
        calls.open(1.0)
        stall(1.5)
        asyncio.get_running_loop().call_at(3.0, reply_late, calls)

    def reply_late(calls: Calls) -> None:
        assert calls.clock.slack_s == 0.0
        call = calls.open(1.0)
        stall(1.01)
        call.settle(REPLY)

    assert kind(run(test, wait_s=5.0), 2) is Overrun
