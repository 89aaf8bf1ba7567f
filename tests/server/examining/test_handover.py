"""Players that dial in and are handed over: to another server, in the place of the suite's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest

from fairplay.games.game import find
from fairplay.games.kit.player_service import DESCRIBE
from fairplay.server.links.dial_in import DialInLink
from fairplay.server.links.link import outcome_of
from fairplay.server.links.stream import LOSS_S
from fairplay.server.net.errors import reason_of
from fairplay.server.server import Config, Server
from fairplay.v1.connection_pb2 import DialInRequest
from fairplay.v1.player_pb2 import DescribeRequest, DescribeResponse
from tests.server.harness import ByHand, dialled_in, serving


@asynccontextmanager
async def suite(folder: Path) -> AsyncIterator[Server]:
    """Serve on a Unix socket, for players alone, as the suite does."""
    async with serving(Config(listen=f"unix:{folder / 'socket'}", only_connections=True)) as server:
        yield server


async def here(server: Server, name: str) -> None:
    async with asyncio.timeout(30):
        await server.hub.arrived(name)


async def name_of(server: Server, name: str) -> str:
    """Return what a player that has dialled in says that it is called."""
    link = DialInLink(server.hub, name)
    try:
        outcome = await outcome_of(link, DESCRIBE.path, DescribeRequest().SerializeToString(), 10.0)
    finally:
        await link.close()
    assert isinstance(outcome, bytes), outcome
    return DescribeResponse.FromString(outcome).description.display_name


async def test_a_player_is_handed_over_and_comes_back(tmp_path: Path) -> None:
    async with serving() as server, dialled_in(server, ("ann", find("fish").player("random"))):
        async with suite(tmp_path) as other:
            with server.handover.begun("ann", other.address):
                await here(other, "ann")
                assert await name_of(other, "ann") == "random"
                assert not server.hub.here("ann")
                other.hub.lose("ann", LOSS_S, breaks=True)  # it dials in again, and is handed over again
                async with asyncio.timeout(30):
                    while other.hub.here("ann"):
                        await asyncio.sleep(0)
                await here(other, "ann")
                assert await name_of(other, "ann") == "random"
        await here(server, "ann")
        assert await name_of(server, "ann") == "random"


async def test_a_suite_that_is_gone_costs_the_player_nothing(tmp_path: Path) -> None:
    async with serving() as server, dialled_in(server, ("ann", find("fish").player("first"))):
        with server.handover.begun("ann", f"unix:{tmp_path / 'nobody-listens'}"):
            async with asyncio.timeout(30):
                while server.hub.here("ann"):
                    await asyncio.sleep(0)
        await here(server, "ann")


async def refusal_of(caller: ByHand) -> tuple[str, str]:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await caller.say_hello()
    return reason_of(caught.value), str(caught.value.details())


async def test_nobody_else_gets_the_name_of_a_player_that_is_handed_over(tmp_path: Path) -> None:
    player = find("fish").player("first")
    async with serving() as server, dialled_in(server, ("ann", player)), suite(tmp_path) as other:
        with server.handover.begun("ann", other.address):
            await here(other, "ann")
            async with ByHand(server, "ann", token="guess") as mallory:
                reason, said = await refusal_of(mallory)
                assert reason == "NAME_TAKEN"
                assert "the name ann is taken" in said
            async with ByHand(server, "ann", "bob") as both:
                reason, said = await refusal_of(both)
                assert reason == "NAME_TAKEN"
                assert "dials in alone" in said
            async with ByHand(server, "bob") as bob:
                await bob.say_hello()
            assert await name_of(other, "ann") == "first"


async def test_what_the_suite_refuses_the_player_is_told(tmp_path: Path) -> None:
    async with serving() as server, suite(tmp_path) as other, ByHand(server, "ann") as ann:
        await ann.say_hello()
        with server.handover.begun("ann", other.address):
            assert (await ann.frame()).HasField("goodbye")
            async with ByHand(server, "ann") as again:
                await again.say_hello()
                await again.stream.write(DialInRequest(hello=again.hello))
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await again.frame()
                assert reason_of(caught.value) == "PROTOCOL_BROKEN"


async def test_who_cannot_be_handed_over_is_told_why() -> None:
    first = find("fish").player("first")
    async with serving() as server:
        assert server.handover.problem("ann", "fish") == "ann has left: have it dial in, and ask again"
        async with dialled_in(server, ("ann", first), ("bob", first)):
            assert "shares its stream with other players" in server.handover.problem("ann", "fish")
        async with ByHand(server, "cat", token="") as cat:
            await cat.say_hello()
            assert "dial in with a token" in server.handover.problem("cat", "fish")
        async with dialled_in(server, ("dan", first)):
            server.hub.pin("dan")
            assert "plays, or is entered in a tournament" in server.handover.problem("dan", "fish")
            server.hub.unpin("dan")
            assert server.handover.problem("dan", "fish") == ""
