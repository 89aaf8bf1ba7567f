"""Links to started players: how calls fail while a process runs, and when it has ended. Time is simulated."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from fairplay.games.game import find
from fairplay.games.steps import Failure
from fairplay.player.handlers import Handlers
from fairplay.player.serving import start_server
from fairplay.server.links.dial_in import DialInLink, Hub
from fairplay.server.links.dial_out import dial_out_link
from fairplay.server.links.link import Clock, Done, OpenCall, call_error, disconnected, overrun
from fairplay.server.links.process import ProcessLink
from fairplay.server.links.program import Program
from fairplay.v1.connection_pb2 import DialInResponse, GoodbyeReason, Hello, HostedPlayer
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason
from tests.server.quick import in_simulated_time, quick_clock

LOST = disconnected("the connection was lost")
STATUS = call_error(CallErrorReason.CALL_ERROR_REASON_STATUS, "it raised", code=2)


class Way:
    """The way to a player, whose calls a test settles."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.calls: list[tuple[OpenCall, str, bytes, float]] = []
        self.cancelled = 0
        self.closed = False

    def call(self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0) -> OpenCall:
        call = OpenCall(self._clock, limit_s, done, self._cancel)
        self.calls.append((call, method, request, bank_s))
        return call

    def _cancel(self, _: OpenCall) -> None:
        self.cancelled += 1

    async def close(self) -> None:
        self.closed = True


class Started:
    """A link to a process that sleeps, and what became of its calls: each outcome, and when."""

    def __init__(self) -> None:
        self.clock = quick_clock()
        self.hub = Hub(self.clock)
        self.way = Way(self.clock)
        self.program = Program.start(["sleep", "600"], os.environ)
        self.released = False
        self.link = ProcessLink(self.clock, self.hub, "ann", self.program, self.way, self._release)
        self.outcomes: list[tuple[bytes | Failure, float]] = []

    async def _release(self) -> None:
        self.released = True

    def call(self, limit_s: float = 60.0, **more: Any) -> OpenCall:
        return self.link.call("/a.B/C", b"request", limit_s, self._done, **more)

    def _done(self, outcome: bytes | Failure, _: float) -> None:
        self.outcomes.append((outcome, round(self.clock.time(), 5)))

    async def end(self) -> None:
        """End the process. Simulated time stands still meanwhile."""
        ending = asyncio.create_task(self.program.end())
        await asyncio.sleep(0)
        await asyncio.to_thread(until_ended, self.program.guard_id)
        await ending


def until_ended(pid: int) -> None:
    """Wait until a process has ended, and leave it to its parent to take note of that."""
    with contextlib.suppress(ChildProcessError):  # which it has done already
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


@asynccontextmanager
async def started() -> AsyncIterator[Started]:
    found = Started()
    try:
        yield found
    finally:
        if not found.program.ended.is_set():
            await found.end()
        await found.link.close()


@in_simulated_time
async def test_calls_go_the_way_of_the_player_and_replies_come_at_once() -> None:
    async with started() as it:
        it.call(7.0)
        it.call(7.0, bank_s=2.0)
        calls = [(method, request, bank_s, call.limit_s) for call, method, request, bank_s in it.way.calls]
        assert calls == [("/a.B/C", b"request", 0.0, 7.0), ("/a.B/C", b"request", 2.0, 7.0)]
        it.way.calls[0][0].settle(b"reply")
        assert it.outcomes == [(b"reply", 0.0)]
        it.way.calls[1][0].fail(overrun(7.0, 7.0))
        assert it.outcomes[1:] == [(overrun(7.0, 7.0), 0.0)]


@in_simulated_time
async def test_a_call_that_is_cancelled_is_cancelled_on_its_way() -> None:
    async with started() as it:
        it.call().cancel()
        assert it.way.cancelled == 1
        it.call().cancel()
        assert it.way.cancelled == 2
        assert it.outcomes == []


@pytest.mark.parametrize(("limit_s", "known_s"), [(60.0, 1.0), (1.0, 0.5), (2.0, 1.0), (1.5, 0.75)])
@in_simulated_time
async def test_a_lost_connection_waits_for_the_end_of_the_process_a_second_or_half_its_time(
    limit_s: float, known_s: float
) -> None:
    async with started() as it:
        for turn in range(2):
            began_s = it.clock.time()
            it.call(limit_s)
            it.way.calls[-1][0].settle(LOST)
            assert len(it.outcomes) == turn
            await asyncio.sleep(2.0)
            failure, ended_s = it.outcomes[-1]
            assert failure == LOST
            assert ended_s - began_s == pytest.approx(known_s, abs=1e-4)


@in_simulated_time
async def test_only_the_first_failure_that_is_no_lost_connection_waits_and_only_a_fifth_of_a_second() -> None:
    async with started() as it:
        waited_s: list[float] = []
        for failure in (LOST, STATUS, STATUS, LOST, STATUS):
            began_s = it.clock.time()
            it.call()
            it.way.calls[-1][0].settle(failure)
            await asyncio.sleep(2.0)
            waited_s.append(round(it.outcomes[-1][1] - began_s, 4))
        assert waited_s == [1.0, 0.2, 0.0, 1.0, 0.0]


@in_simulated_time
async def test_half_of_what_is_left_is_half_of_what_is_left() -> None:
    async with started() as it:
        it.call(1.0)
        await asyncio.sleep(0.8)
        it.way.calls[0][0].settle(STATUS)
        await asyncio.sleep(2.0)
        assert it.outcomes == [(STATUS, 0.9)]


@in_simulated_time
async def test_a_process_that_ends_fails_its_calls_with_how_it_ended() -> None:
    async with started() as it:
        it.call()
        it.call()
        it.way.calls[1][0].settle(LOST)
        assert not it.link.ended
        await it.end()
        await asyncio.sleep(0.1)
        assert it.link.ended
        it.call()
        await asyncio.sleep(0.1)
        failures = [outcome for outcome, _ in it.outcomes]
        assert len(failures) == 3
        for failure in failures:
            assert isinstance(failure, CallError)
            assert failure.reason == CallErrorReason.CALL_ERROR_REASON_DISCONNECTED
            assert failure.message.startswith("the player's process ended with exit code ")
        assert it.way.cancelled == 1
        assert len(it.way.calls) == 2


@in_simulated_time
async def test_a_link_that_is_closed_closes_its_way_and_releases_all() -> None:
    async with started() as it:
        it.hub.expect("ann", "token")
        await it.link.close()
        assert (it.way.closed, it.released, it.hub.guards("ann")) == (True, True, False)


@in_simulated_time
async def test_a_player_that_has_dialled_in_is_described_and_dismissed() -> None:
    frames: list[DialInResponse] = []

    async def write(frame: DialInResponse) -> None:
        frames.append(frame)

    async with started() as it:
        assert (it.link.description, it.link.connected, it.link.output, it.link.output_bytes) == (None, False, "", 0)
        assert it.link.guard_id == it.program.guard_id
        assert await it.link.open_stream() is None
        it.link.dismiss(GoodbyeReason.GOODBYE_REASON_FINISHED, "nobody is there")
        hello = Hello(players=[HostedPlayer(name="ann")])
        hello.players[0].description.display_name = "Ann"
        it.hub.admit(hello, write, lambda: None)
        assert it.link.connected
        assert it.link.description is None
        dialled_in = ProcessLink(it.clock, it.hub, "ann", it.program, DialInLink(it.hub, "ann"), it._release)
        assert dialled_in.description is not None
        assert dialled_in.description.display_name == "Ann"
        dialled_in.dismiss(GoodbyeReason.GOODBYE_REASON_FINISHED, "thank you")
        await asyncio.sleep(0.1)
        assert frames[-1].goodbye.message == "thank you"
        await dialled_in.close()


async def test_a_player_that_serves_may_be_called_through_a_stream() -> None:
    served, port = await start_server(Handlers(find("fish").player("first")), "127.0.0.1:0")
    clock = Clock()
    way = await dial_out_link(clock, f"127.0.0.1:{port}", 30.0, stream=False)
    program = Program.start(["sleep", "600"], os.environ)

    async def release() -> None:
        await program.end()

    link = ProcessLink(clock, Hub(clock), "ann", program, way, release)
    stream = await link.open_stream()
    assert stream is not None
    assert stream.is_open
    await link.close()
    await served.stop(0)
