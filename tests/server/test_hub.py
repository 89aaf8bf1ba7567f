"""Names under which players dial in: who gets them, who keeps them, and when they are free again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from fairplay.server.errors import Refusal
from fairplay.server.links.dial_in import Hub, dial_in_link
from fairplay.server.links.link import Clock, OpenCall
from fairplay.server.links.stream import Stream
from fairplay.v1.connection_pb2 import DialInResponse, GoodbyeReason, Hello, HostedPlayer, Reply


class Program:
    """A program that is connected to a hub, and the frames that it got."""

    def __init__(
        self,
        hub: Hub,
        *names: str,
        token: str = "",
        resume_token: bytes = b"",
        resume_s: int = 0,
        host: str = "",
    ) -> None:
        self.frames: list[DialInResponse] = []
        self.ended = False
        hello = Hello(players=[HostedPlayer(name=name, token=token) for name in names], resume_token=resume_token)
        hello.resume_window.seconds = resume_s
        self.write = self._write  # the same object each time: the stream compares it
        self.stream: Stream = hub.admit(hello, self.write, self._end, host)

    async def _write(self, frame: DialInResponse) -> None:
        self.frames.append(frame)

    def _end(self) -> None:
        self.ended = True

    def leave(self) -> None:
        self.stream.detach(self.write)

    async def goodbye(self) -> GoodbyeReason.ValueType:
        """Wait for the goodbye, and return its reason."""
        async with asyncio.timeout(30):
            while not self.ended:
                await asyncio.sleep(0)
        return self.frames[-1].goodbye.reason


@pytest.fixture
async def hub() -> Hub:
    return Hub(Clock())


def taken(hub: Hub, *names: str, token: str = "", resume_token: bytes = b"") -> bool:
    """Return whether the names are refused."""
    try:
        Program(hub, *names, token=token, resume_token=resume_token)
    except Refusal as refusal:
        assert refusal.reason == "NAME_TAKEN"
        return True
    return False


async def test_a_name_without_a_token_belongs_to_its_stream_and_is_free_when_that_is_over(hub: Hub) -> None:
    first = Program(hub, "ann")
    assert hub.here("ann")
    assert not hub.guards("ann")
    assert taken(hub, "ann")
    assert taken(hub, "ann", token="token")
    first.leave()
    assert not hub.here("ann")
    assert not taken(hub, "ann", token="token")


async def test_a_name_with_a_token_is_kept_for_the_token(hub: Hub) -> None:
    Program(hub, "ann", token="token").leave()
    assert not hub.here("ann")
    assert hub.guards("ann")
    assert (hub.holds("ann", "token"), hub.holds("ann", "other"), hub.holds("bob", "token")) == (True, False, False)
    assert taken(hub, "ann", token="other")
    assert taken(hub, "ann")
    assert not taken(hub, "ann", token="token")


async def test_a_hello_gets_all_its_names_or_none(hub: Hub) -> None:
    Program(hub, "ann", token="token")
    assert taken(hub, "bob", "ann")
    assert not hub.here("bob")


async def test_the_same_token_takes_a_name_over_and_the_old_stream_is_told(hub: Hub) -> None:
    first = Program(hub, "ann", token="token")
    second = Program(hub, "ann", token="token")
    assert await first.goodbye() == GoodbyeReason.GOODBYE_REASON_REPLACED
    first.leave()
    assert hub.here("ann")
    assert not second.ended


async def test_a_resume_token_carries_a_stream_on_for_the_same_names_only(hub: Hub) -> None:
    first = Program(hub, "ann", "bob", resume_s=60)
    token = first.stream.resume_token
    assert taken(hub, "bob", "ann", resume_token=token)
    assert taken(hub, "ann", "bob", resume_token=b"another")
    again = Program(hub, "ann", "bob", resume_token=token, resume_s=60)
    assert again.stream is first.stream
    assert first.ended
    first.leave()
    assert hub.here("ann")
    again.leave()
    hub.goodbye(GoodbyeReason.GOODBYE_REASON_FINISHED, "the test is over")


async def test_a_resume_token_does_not_get_a_name_back_that_another_stream_has_taken_over(hub: Hub) -> None:
    first = Program(hub, "ann", token="token", resume_s=60)
    Program(hub, "ann", token="token")
    assert taken(hub, "ann", token="other", resume_token=first.stream.resume_token)


async def test_a_claim_keeps_a_name_for_its_token_until_it_is_released(hub: Hub) -> None:
    hub.claim("ann", "claimed")
    assert taken(hub, "ann")
    assert taken(hub, "ann", token="other")
    Program(hub, "ann", token="claimed")
    assert hub.holds("ann", "claimed")
    hub.release("ann")
    hub.release("nobody")
    assert taken(hub, "ann", token="other")


async def test_a_claim_takes_a_name_from_whoever_has_it(hub: Hub) -> None:
    before = Program(hub, "ann", token="before")
    hub.claim("ann", "claimed")
    assert not taken(hub, "ann", token="claimed")
    assert await before.goodbye() == GoodbyeReason.GOODBYE_REASON_REPLACED
    assert (hub.holds("ann", "claimed"), hub.holds("ann", "before")) == (True, False)


async def test_an_expected_name_is_had_with_its_token_and_forgotten_with_a_goodbye(hub: Hub) -> None:
    hub.expect("ann", "token")
    assert hub.guards("ann")
    assert not hub.here("ann")
    assert taken(hub, "ann")
    program = Program(hub, "ann", token="token")
    hub.forget("ann")
    hub.forget("nobody")
    assert await program.goodbye() == GoodbyeReason.GOODBYE_REASON_FINISHED
    assert not hub.here("ann")
    assert not hub.guards("ann")


async def test_a_goodbye_to_all_ends_every_stream(hub: Hub) -> None:
    programs = [Program(hub, name) for name in ("ann", "bob")]
    hub.goodbye(GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN, "the server shuts down")
    for program in programs:
        assert await program.goodbye() == GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN


async def test_names_that_have_been_away_longest_are_forgotten_first(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairplay.server.links.kept_names.MAX_NAMES", 2)
    here = Program(hub, "here", token="token")
    for name in ("a", "b", "c"):
        Program(hub, name, token="token").leave()
    assert [name for name in ("here", "a", "b", "c") if hub.guards(name)] == ["here", "b", "c"]
    Program(hub, "b", token="token").leave()
    Program(hub, "d", token="token").leave()
    assert [name for name in ("here", "b", "c", "d") if hub.guards(name)] == ["here", "b", "d"]
    here.leave()


async def test_hellos_of_one_host_forget_only_its_own_names(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairplay.server.links.kept_names.MAX_HOST_NAMES", 2)
    Program(hub, "victim", token="token", host="here").leave()
    for number in range(5):
        Program(hub, f"thief-{number}", token="token", host="there").leave()
    names = ["victim", *(f"thief-{number}" for number in range(5))]
    assert [name for name in names if hub.guards(name)] == ["victim", "thief-3", "thief-4"]


async def test_names_that_play_are_never_forgotten(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairplay.server.links.kept_names.MAX_NAMES", 2)
    Program(hub, "entrant", token="token").leave()
    hub.pin("entrant")
    hub.pin("entrant")
    for number in range(5):
        Program(hub, f"thief-{number}", token="token").leave()
    hub.unpin("entrant")
    Program(hub, "thief-5", token="token").leave()
    assert hub.holds("entrant", "token")
    hub.unpin("entrant")  # the game is over: as one that is away only now
    Program(hub, "thief-6", token="token").leave()
    assert hub.holds("entrant", "token")
    for number in range(7, 9):
        Program(hub, f"thief-{number}", token="token").leave()
    assert not hub.guards("entrant")


async def test_a_name_without_a_token_that_plays_is_kept_for_the_resume_token_of_its_stream(hub: Hub) -> None:
    player = Program(hub, "ann", "bob")
    hub.pin("ann")
    player.leave()
    assert taken(hub, "ann")
    assert taken(hub, "ann", token="token")
    assert taken(hub, "ann", resume_token=b"another")
    assert not taken(hub, "bob")
    again = Program(hub, "ann", resume_token=player.stream.resume_token)
    assert hub.here("ann")
    again.leave()
    assert taken(hub, "ann", resume_token=player.stream.resume_token)
    hub.unpin("ann")
    assert not taken(hub, "ann")


async def test_a_name_is_pinned_for_as_long_as_its_link_is_open(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairplay.server.links.kept_names.MAX_NAMES", 1)
    player = Program(hub, "ann", token="token")
    link = await dial_in_link(hub, Clock(), "ann", 1.0)
    player.leave()
    Program(hub, "x", token="token").leave()
    Program(hub, "y", token="token").leave()
    assert hub.guards("ann")
    await link.close()
    await link.close()
    Program(hub, "z", token="token").leave()
    assert not hub.guards("ann")


async def test_a_resume_window_is_minutes_at_most(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    windows: list[float] = []
    loop = asyncio.get_running_loop()
    later = loop.call_later

    def noted(after: float, *rest: Any) -> asyncio.TimerHandle:
        windows.append(after)
        return later(after, *rest)

    monkeypatch.setattr(loop, "call_later", noted)
    for resume_s in (10**9, 2**62, 7):
        program = Program(hub, "ann", token="token", resume_s=resume_s)
        program.leave()
        hub.goodbye(GoodbyeReason.GOODBYE_REASON_FINISHED, "the next one comes")
    assert [after for after in windows if after >= 1] == [300, 300, 7]


class Outcomes:
    """What became of calls through a hub."""

    def __init__(self, hub: Hub, name: str) -> None:
        self._hub = hub
        self._name = name
        self.outcomes: list[Any] = []

    def call(self, limit_s: float = 60.0) -> OpenCall:
        return self._hub.call(self._name, "/x/Y", b"request", limit_s, lambda outcome, _: self.outcomes.append(outcome))


async def drained(program: Program, frame_count: int) -> Sequence[DialInResponse]:
    """Wait until a program got so many frames."""
    async with asyncio.timeout(30):
        while len(program.frames) < frame_count:
            await asyncio.sleep(0)
    return program.frames


async def test_a_call_to_a_name_that_is_not_connected_fails_at_once(hub: Hub) -> None:
    Program(hub, "ann", token="token").leave()
    for name in ("ann", "nobody"):
        calls = Outcomes(hub, name)
        calls.call()
        await asyncio.sleep(0)
        (outcome,) = calls.outcomes
        assert outcome.message == "the player is not connected"


async def test_a_call_goes_to_the_right_player_of_a_stream_with_its_limit(hub: Hub) -> None:
    program = Program(hub, "ann", "bob")
    calls = Outcomes(hub, "bob")
    calls.call(1.5)
    (call,) = (await drained(program, 2))[1].calls
    assert (call.player, call.method_name, call.request) == (1, "/x/Y", b"request")
    assert (call.time_limit.seconds, call.time_limit.nanos) == (1, 500_000_000)
    program.stream.calls.take([Reply(id=call.id, response=b"reply")])
    assert calls.outcomes == [b"reply"]


async def test_the_answer_to_a_cancelled_call_is_not_stray_once(hub: Hub) -> None:
    program = Program(hub, "ann")
    open_call = Outcomes(hub, "ann").call()
    await drained(program, 2)
    open_call.cancel()
    assert list((await drained(program, 3))[2].cancelled) == [open_call.id]
    program.stream.calls.take([Reply(id=open_call.id, response=b"late")])
    assert hub.stray_reply_count == 0
    program.stream.calls.take([Reply(id=open_call.id, response=b"again")])
    assert hub.stray_reply_count == 1


async def test_a_call_that_is_cancelled_before_it_is_sent_is_never_sent(hub: Hub) -> None:
    program = Program(hub, "ann")
    await drained(program, 1)
    calls = Outcomes(hub, "ann")
    dropped, kept = calls.call(), calls.call()
    dropped.cancel()
    frame = (await drained(program, 2))[1]
    assert ([call.id for call in frame.calls], list(frame.cancelled)) == ([kept.id], [dropped.id])
    kept.cancel()


async def test_a_stream_that_is_over_fails_its_open_calls(hub: Hub) -> None:
    program = Program(hub, "ann")
    calls = Outcomes(hub, "ann")
    calls.call()
    program.leave()
    (outcome,) = calls.outcomes
    assert outcome.message == "the connection of the player ended during the call"


async def test_a_goodbye_does_not_wait_for_the_resume_window(hub: Hub) -> None:
    program = Program(hub, "ann", resume_s=3_600)
    hub.goodbye(GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN, "the server shuts down")
    await program.goodbye()
    program.leave()
    assert not hub.here("ann")


async def test_many_different_limits_are_all_sent_as_they_are(hub: Hub) -> None:
    program = Program(hub, "ann")
    calls = Outcomes(hub, "ann")
    limits = [1.0 + number / 8 for number in range(200)] * 2
    opened = [calls.call(limit_s) for limit_s in limits]
    async with asyncio.timeout(30):
        while sum(len(frame.calls) for frame in program.frames) < len(limits):
            await asyncio.sleep(0)
    sent = {call.id: call.time_limit.seconds + call.time_limit.nanos / 1e9 for f in program.frames for call in f.calls}
    assert [sent[call.id] for call in opened] == limits
    for call in opened:
        call.cancel()
