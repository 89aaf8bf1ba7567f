"""Users who read slowly or not at all, or ask without end: they cost others nothing."""

from __future__ import annotations

import asyncio
import time

import grpc
import pytest

from fairplay.server.lobby.events import REMEMBERED
from fairplay.server.lobby.lobby import MAX_STREAMS
from fairplay.server.lobby.users import LobbyLimits
from fairplay.server.net.errors import reason_of
from fairplay.v1 import lobby_pb2 as pb
from tests.server.lobby.harness import SMALL_WINDOW, Guest, guests, lobby

TEXT = "x" * 490
FLOODERS = 40
UNREAD_S = 600.0
"""For how long a stream may be left unread on a machine that is busy with something else."""
LEAST_DELAY_S = 0.05
"""How much later whoever asks too often is answered, at least."""


@pytest.mark.slow
async def test_a_slow_reader_gets_the_whole_again_and_holds_up_nobody() -> None:
    async with lobby(unread_limit_s=UNREAD_S) as server, guests(server, "ann", "bob") as [ann, bob]:
        await ann.ask("CreateTable", name="t", game="fish")
        await bob.ask("WatchTable", table="t")
        slow = await Guest(server, "slow", options=SMALL_WINDOW).enter()
        await slow.ask("WatchTable", table="t")
        await slow.attend().event()  # and from now on it does not read
        for number in range(2 * REMEMBERED + 50):
            await ann.ask("Say", text=f"{number} {TEXT}")
            received = await bob.until(lambda event: event.HasField("spoken"))
            assert received.spoken.text == f"{number} {TEXT}"
        await ann.ask("LeaveTable")
        await slow.sees(lambda known: "ann" in known.users and not known.user("ann").table)
        assert sum(event.HasField("lobby") for event in slow.events) == 2
        assert sum(event.HasField("spoken") for event in slow.events) < REMEMBERED
        await slow.close()


async def attends(guest: Guest) -> bool:
    """Open a stream of a guest, and return whether the guest may have one more."""
    guest.attend()
    try:
        first = await guest.stream.read()
    except grpc.aio.AioRpcError as error:
        assert reason_of(error) == "TOO_MANY_REQUESTS"
        return False
    assert first is not grpc.aio.EOF
    return True


async def test_streams_that_are_replaced_and_not_read_to_their_ends_are_limited() -> None:
    async with lobby(unread_limit_s=UNREAD_S) as server, guests(server, "ann") as [ann]:
        await ann.ask("CreateTable", name="t", game="fish")
        slow = await Guest(server, "slow", options=SMALL_WINDOW).enter()
        await slow.ask("WatchTable", table="t")
        streams = []
        while await attends(slow):  # some of them end all the same
            streams.append(slow.stream)
            assert len(streams) < 10 * MAX_STREAMS
            for number in range(20):
                await ann.ask("Say", text=f"{number} {TEXT}")
        assert len(streams) >= MAX_STREAMS
        for stream in streams:
            stream.cancel()
        while not await attends(slow):
            await ann.ask("LeaveTable")
        await slow.close()


async def test_beside_a_flood_of_one_user_another_is_heard() -> None:
    async with lobby(LobbyLimits()) as server, guests(server, "ann", "bob", "eve") as [ann, bob, eve]:
        await ann.ask("CreateTable", name="t", game="fish")
        for guest in (bob, eve):
            await guest.ask("WatchTable", table="t")
        counts = {"granted": 0, "TOO_MANY_REQUESTS": 0}

        async def flood() -> None:
            while True:
                try:
                    await eve.stub.Say(pb.SayRequest(token=eve.token, text="flood"))
                    counts["granted"] += 1
                except grpc.aio.AioRpcError as error:
                    assert error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
                    counts["TOO_MANY_REQUESTS"] += 1

        flooding = [asyncio.create_task(flood()) for _ in range(FLOODERS)]
        began = time.monotonic()
        for number in range(25):
            await ann.ask("Say", text=str(number))
            await bob.until(lambda event: event.spoken.speaker == "ann")
        elapsed = time.monotonic() - began
        for task in flooding:
            task.cancel()
        await asyncio.gather(*flooding, return_exceptions=True)
        assert counts["granted"] <= 40 + 20 * elapsed + 1


async def test_who_asks_too_often_is_answered_late() -> None:
    async with (
        lobby(LobbyLimits(requests_per_second=1, burst=1)) as server,
        guests(server, "ann", attend=False) as [ann],
    ):
        await ann.ask("LeaveTable")  # and again, before a second is over
        asked = time.monotonic()
        assert await ann.refused("LeaveTable") == ("RESOURCE_EXHAUSTED", "TOO_MANY_REQUESTS")
        assert time.monotonic() - asked >= LEAST_DELAY_S
