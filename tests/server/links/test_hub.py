"""Names under which players dial in: who gets them, who keeps them, and when they are free again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from fairplay.server.links.dial_in import Hub, KeptNames, dial_in_link
from fairplay.server.links.link import Clock, OpenCall
from fairplay.server.links.stream import Stream
from fairplay.server.net.errors import Refusal
from fairplay.v1.connection_pb2 import DialInResponse, GoodbyeReason, Hello, HostedPlayer
from tests.server.quick import in_simulated_time, quick_clock


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
        account: str = "",
    ) -> None:
        self.frames: list[DialInResponse] = []
        self.ended = False
        hello = Hello(players=[HostedPlayer(name=name, token=token) for name in names], resume_token=resume_token)
        hello.resume_window.seconds = resume_s
        self.write = self._write  # the same object each time: the stream compares it
        self.stream: Stream = hub.admit(hello, self.write, self._end, host, account)

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


async def test_a_player_that_is_lost_is_over_at_once_where_the_server_says_goodbye(hub: Hub) -> None:
    hub.pin("ann")
    program = Program(hub, "ann", token="token", resume_s=60)
    calls = Outcomes(hub, "ann")
    calls.call()
    program.leave()
    assert calls.outcomes == []
    hub.dismiss("ann", GoodbyeReason.GOODBYE_REASON_FINISHED, "thank you")
    assert len(calls.outcomes) == 1
    assert not hub.here("ann")


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


async def test_a_player_that_is_dismissed_is_told_why_and_keeps_its_name(hub: Hub) -> None:
    ann, bob = Program(hub, "ann", token="token"), Program(hub, "bob", token="token")
    bob.leave()
    for name in ("ann", "bob", "nobody"):
        hub.dismiss(name, GoodbyeReason.GOODBYE_REASON_FINISHED, "thank you")
    assert await ann.goodbye() == GoodbyeReason.GOODBYE_REASON_FINISHED
    assert ann.frames[-1].goodbye.message == "thank you"
    assert not bob.ended
    ann.leave()
    assert (hub.here("ann"), hub.holds("ann", "token")) == (False, True)


async def test_hellos_of_one_host_forget_only_its_own_names_and_none_that_plays(hub: Hub) -> None:
    Program(hub, "victim", token="token", host="here").leave()
    Program(hub, "entrant", token="token", host="there").leave()
    hub.pin("entrant")
    for number in range(11):
        names = [f"thief-{number}-{each}" for each in range(1_000)]
        Program(hub, *names, token="token", host="there").leave()
    names = ["victim", "entrant", "thief-0-0", "thief-10-999"]
    assert [name for name in names if hub.guards(name)] == ["victim", "entrant", "thief-10-999"]
    hub.unpin("entrant")


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


async def test_a_name_is_pinned_only_if_its_player_comes_in_time(hub: Hub) -> None:
    link: Any = await dial_in_link(hub, Clock(), "ann", 0.01)
    outcomes: list[Any] = []
    link.call("/x/Y", b"", 1.0, lambda outcome, _: outcomes.append(outcome))
    await asyncio.sleep(0)
    assert [outcome.message for outcome in outcomes] == ["ann did not dial in within 0.01 s"]
    Program(hub, "ann").leave()
    assert not taken(hub, "ann", token="token")  # it was free again
    link = await dial_in_link(hub, Clock(), "ann", 30.0)
    assert link.description is not None
    await link.close()


@in_simulated_time
async def test_a_resume_window_is_five_minutes_at_most() -> None:
    for resume_s, window_s in ((10**9, 300.0), (2**62, 300.0), (7, 7.0)):
        hub = Hub(quick_clock())
        hub.pin("ann")
        program = Program(hub, "ann", resume_s=resume_s)
        calls = Outcomes(hub, "ann")
        calls.call(3_600.0)
        program.leave()
        await asyncio.sleep(window_s - 1.0)
        assert calls.outcomes == []
        await asyncio.sleep(2.0)
        assert len(calls.outcomes) == 1


class Outcomes:
    """What became of calls through a hub."""

    def __init__(self, hub: Hub, name: str) -> None:
        self._hub = hub
        self._name = name
        self.outcomes: list[Any] = []

    def call(self, limit_s: float = 60.0) -> OpenCall:
        return self._hub.call(self._name, "/x/Y", b"request", limit_s, lambda outcome, _: self.outcomes.append(outcome))


async def test_names_that_are_kept_have_limits_for_a_host_and_for_all() -> None:
    kept = KeptNames()
    for host in range(10):
        for number in range(10_000):
            assert kept.add(f"{host}.{number}", f"10.0.0.{host}") == []
    assert kept.add("0.10000", "10.0.0.0") == ["0.0"]
    assert kept.add("0.10000", "10.0.0.0") == []
    assert kept.add("10.0", "10.0.0.10") == ["0.1"]
    assert kept.add("5.8", "10.0.0.5") == []
    kept.discard("5.7")
    kept.discard("5.7")
    assert kept.add("10.1", "10.0.0.10") == []
    assert kept.add("0.2", "10.0.0.0") == []  # it comes last from now on
    assert kept.add("0.10001", "10.0.0.0") == ["0.3"]


async def test_a_name_that_moves_to_another_host_counts_there() -> None:
    kept = KeptNames()
    for number in range(10_000):
        kept.add(str(number), "here")
    assert kept.add("7", "there") == []
    assert kept.add("more", "here") == []
    assert kept.add("still more", "here") == ["0"]
