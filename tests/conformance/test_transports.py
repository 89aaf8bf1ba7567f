"""The transports: which one reaches a player, what it starts ahead, and what it ends."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from fairplay.conformance.objects import ObjectLink
from fairplay.conformance.transports import (
    DialInTransport,
    ExecTransport,
    GrpcTransport,
    ObjectTransport,
    PlayerServer,
    Transport,
    gets_new_players,
    make_transport,
    output_of,
)
from fairplay.conformance.ways import DIALLING, SERVING, WITHOUT
from fairplay.games.game import find
from fairplay.player.exposure import ExposedError
from fairplay.player.handlers import Handlers
from fairplay.player.serving import start_server
from fairplay.server.links.bot import BotLink
from fairplay.server.links.link import Clock, DeadLink, Link, disconnected
from fairplay.v1.connection_pb2 import GoodbyeReason
from fairplay.v1.referee_pb2 import ListGamesRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from tests.conformance.opened import NAME, StartedLink, under_test
from tests.conformance.test_ahead import run, turns

FISH = find("fish")


def made(player: Any, seed: int = 1) -> Transport:
    return make_transport(FISH, player, "127.0.0.1:0", 2.0, seed)


@pytest.mark.parametrize(
    ("player", "kind", "of", "cheap", "new"),
    [
        (lambda: FISH.player("first"), "object", ObjectTransport, True, True),
        ("bot:first", "bot", ObjectTransport, True, True),
        ("grpc://127.0.0.1:9", "grpc", GrpcTransport, False, False),
        ("dial-in:me", "dial-in", DialInTransport, False, False),
        ("exec:me", "exec", ExecTransport, False, True),
    ],
)
def test_each_link_has_its_transport(player: Any, kind: str, of: type, cheap: bool, new: bool) -> None:
    transport = made(player)
    assert isinstance(transport, of)
    assert (transport.kind, transport.cheap) == (kind, cheap)
    assert gets_new_players(transport) is new


def test_a_player_has_a_name_that_follows_from_the_seed_unless_it_brings_its_own() -> None:
    names = [made("bot:first", seed).player_name for seed in range(20)]
    assert names == [made("exec:me", seed).player_name for seed in range(20)]
    assert len(set(names)) > 15
    assert made("dial-in:me").player_name == "me"
    assert make_transport(FISH, "bot:first", "127.0.0.1:0", 2.0).player_name == names[0], "without a seed it is 0"


def test_a_strategy_that_is_not_there_is_refused_before_anything_is_opened() -> None:
    with pytest.raises(ValueError, match="nobody"):
        made("bot:nobody")


async def test_objects_and_bots_are_made_anew_for_each_link() -> None:
    objects: list[object] = []

    def make() -> object:
        objects.append(FISH.player("first"))
        return objects[-1]

    transport = made(make)
    assert objects == []
    links = [await transport.open() for _ in range(2)]
    assert len(objects) == 2
    assert all(isinstance(link, ObjectLink) for link in links)
    assert isinstance(await made("bot:first").open(), BotLink)
    assert output_of(links[0]) == ""
    for link in links:
        await link.close()
    await transport.close()


async def test_each_link_to_a_player_that_serves_is_a_new_channel() -> None:
    server, port = await start_server(Handlers(FISH.player("first")), "127.0.0.1:0")
    transport = made(f"grpc://127.0.0.1:{port}")
    links = [await transport.open() for _ in range(2)]
    assert links[0] is not links[1]
    await links[0].close()
    answered = asyncio.get_running_loop().create_future()
    links[1].call("/fairplay.v1.PlayerService/Describe", b"", 30.0, lambda outcome, _: answered.set_result(outcome))
    assert isinstance(await answered, bytes)
    await links[1].close()
    await transport.close()
    await server.stop(0)


async def test_the_server_that_players_dial_in_to_does_nothing_else() -> None:
    server = PlayerServer("127.0.0.1:0", 1.0)
    assert server.late_reply_count == 0
    await server.close()
    running = await server.server()
    assert await server.server() is running
    assert (await server.stray_reply_count(), server.late_reply_count) == (0, 0)
    async with grpc.aio.insecure_channel(running.address) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await RefereeServiceStub(channel).ListGames(ListGamesRequest(), timeout=30)
    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
    await server.close()
    host, _, port = running.address.rpartition(":")
    with pytest.raises(OSError, match="Connect call failed"):
        await asyncio.open_connection(host, int(port))


async def test_a_server_that_other_machines_reach_without_tls_is_started_only_if_that_is_said() -> None:
    made_here = make_transport(FISH, "dial-in:me", "0.0.0.0:0", 0.05)
    for transport in (DialInTransport("me", PlayerServer("0.0.0.0:0", 0.05)), made_here):
        with pytest.raises(ExposedError):
            await transport.open()
    insecure = make_transport(FISH, "dial-in:me", "0.0.0.0:0", 0.05, insecure=True)
    assert isinstance(await insecure.open(), DeadLink)
    await insecure.close()


async def test_a_player_that_does_not_dial_in_is_waited_for_to_the_start_limit() -> None:
    transport = make_transport(FISH, "dial-in:me", "127.0.0.1:0", 0.05)
    assert isinstance(await transport.open(), DeadLink)
    await transport.close()


# Processes


class StandIn(PlayerServer):
    """A server that says it has started what it is asked for."""

    def __init__(self, *, serves: bool = True) -> None:
        super().__init__("127.0.0.1:0", 1.0)
        self.commands: list[str] = []
        self.links: list[StartedLink] = []
        self.goodbyes: list[tuple[Any, str]] = []
        self.stopped = 0
        self._serves = serves

    async def server(self) -> Any:
        hub = SimpleNamespace(goodbye=lambda reason, text: self.goodbyes.append((reason, text)))
        return SimpleNamespace(programs=self, hub=hub)

    async def link(self, player: str, command: str) -> Link:
        assert player == NAME
        self.commands.append(command)
        if command.startswith(WITHOUT[SERVING]) and not self._serves:
            return DeadLink(Clock(), disconnected("it only dials in"))
        self.links.append(StartedLink())
        return self.links[-1]

    async def close(self) -> None:
        self.stopped += 1


def started(*, serves: bool = True) -> tuple[ExecTransport, StandIn]:
    server = StandIn(serves=serves)
    return ExecTransport("me --fast", NAME, server), server


async def test_a_player_that_dials_in_hears_goodbye_and_its_server_is_stopped() -> None:
    server = StandIn()
    transport = DialInTransport("me", server)
    await transport.hang_up()
    said = (GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN, "the server says goodbye and stays")
    assert (server.goodbyes, server.stopped) == ([said], 0)
    await transport.close()
    assert server.stopped == 1


SERVES, DIALS = f"{WITHOUT[SERVING]} me --fast", f"{WITHOUT[DIALLING]} me --fast"


def test_a_process_is_started_with_the_command_as_it_is() -> None:
    async def test() -> None:
        transport, server = started()
        assert await transport.open() is server.links[0]
        await turns()
        assert server.commands == ["me --fast"]
        await transport.close()
        assert server.stopped == 1

    run(test())


def test_processes_for_the_ways_of_being_reached_are_started_once_and_may_be_started_ahead() -> None:
    async def test() -> None:
        transport, server = started()
        transport.begin_ways()
        transport.begin_ways()
        await turns()
        assert server.commands == [SERVES, DIALS]
        links = await transport.open_ways()
        assert list(links.values()) == server.links
        assert len(server.commands) == 2
        assert await transport.open_ways() != links
        assert server.commands == [SERVES, DIALS] * 2
        await transport.close()
        assert [link.closed for link in server.links] == [False] * 4, "who opened them closes them"

    run(test())


def test_a_process_that_serves_may_be_started_ahead() -> None:
    async def test() -> None:
        transport, server = started()
        transport.begin_serving()
        transport.begin_serving()
        await turns()
        assert server.commands == [SERVES]
        assert await transport.open_serving() is server.links[0]
        assert await transport.open_serving() is server.links[1]
        transport.begin_serving()
        await turns()
        server.links[2].has_ended = True
        assert await transport.open_serving() is server.links[3]
        assert server.links[2].closed
        assert server.commands == [SERVES] * 4
        await transport.close()

    run(test())


def test_a_player_that_is_known_not_to_serve_is_not_tried_again() -> None:
    async def test() -> None:
        transport, server = started(serves=False)
        assert isinstance(await transport.open_serving(), DeadLink), "it is not known yet"
        await transport.open_ways()
        count = len(server.commands)
        assert await transport.open_serving() is None
        assert len(server.commands) == count
        await transport.close()

    run(test())


@pytest.mark.parametrize("hang_up", [True, False])
def test_what_was_started_ahead_is_ended_with_the_transport_or_when_the_server_hangs_up(hang_up: bool) -> None:
    async def test() -> None:
        transport, server = started()
        await transport.open()
        await transport.open()
        transport.begin_ways()
        transport.begin_serving()
        await turns()
        assert len(server.links) == 7
        await (transport.hang_up() if hang_up else transport.close())
        assert [link.closed for link in server.links] == [False, False, *[True] * 5]
        assert server.stopped == (not hang_up)
        said = [(GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN, "the server says goodbye and stays")]
        assert server.goodbyes == (said if hang_up else [])
        transport.begin_ways()
        transport.begin_serving()
        await turns()
        assert len(server.links) == 10, "they are begun anew"
        await transport.close()

    run(test())


OFFERING_A_STREAM = """
import asyncio, os
from fairplay.games.game import find
from fairplay.player.handlers import Handlers
from fairplay.player.serving import start_server
async def take_calls(requests, context):
    print("a stream was opened", flush=True)
    await context.write(b"")
    await context.read()
async def serve():
    handlers = Handlers(find("fish").player("first"))
    server, _ = await start_server(handlers, os.environ["FAIRPLAY_LISTEN"], stream=lambda _: take_calls)
    await server.wait_for_termination()
asyncio.run(serve())
"""


async def test_a_process_that_serves_is_called_by_unary_calls_even_if_it_offers_a_stream(tmp_path: Path) -> None:
    (tmp_path / "player.py").write_text(OFFERING_A_STREAM)
    command = f"{sys.executable} {tmp_path / 'player.py'}"
    transport = ExecTransport(command, NAME, PlayerServer("127.0.0.1:0", 60.0))
    link = await transport.open_serving()
    assert link is not None
    answered = asyncio.get_running_loop().create_future()
    link.call("/fairplay.v1.PlayerService/Describe", b"", 60.0, lambda outcome, _: answered.set_result(outcome))
    assert isinstance(await answered, bytes)
    assert output_of(link) == ""
    await link.close()
    await transport.close()


def test_the_player_under_test_is_begun_before_its_ways() -> None:
    transport, server = started()
    with under_test(transport) as tested:
        transport.spares = SimpleNamespace(take=object_link, close=nothing, pause=nothing, resume=lambda: None)  # type: ignore[assignment]
        tested.begin_serving()
        assert tested.reach_count == 1
        tested.begin_ways()
        tested.loop.run(turns())
        assert sorted(server.commands) == sorted([SERVES, DIALS, SERVES])
        found = tested.open_ways()
        assert found.keys() == {SERVING, DIALLING}
        assert [connection.repeatable for connection in found.values()] == [False, False]
        assert {connection.breaker for connection in found.values()} == {tested.breaker}
        with tested.serving() as connection:
            assert connection is not None
            assert not connection.repeatable
            assert not server.links[-1].closed
        assert [link.closed for link in server.links].count(True) == 1
        assert len(server.commands) == 3


def test_the_player_under_test_is_reached_before_its_ways_are_begun() -> None:
    transport, server = started()
    with under_test(transport) as tested:
        transport.spares = SimpleNamespace(take=object_link, close=nothing)  # type: ignore[assignment]
        tested.begin_ways()
        assert tested.reach_count == 1
        tested.loop.run(turns())
        assert server.commands == [SERVES, DIALS]


def test_the_ways_of_a_player_that_is_not_there_are_not_tried() -> None:
    transport, server = started()
    with under_test(transport) as tested:
        transport.spares = SimpleNamespace(take=dead_link, close=nothing)  # type: ignore[assignment]
        tested.begin_ways()
        tested.begin_serving()
        assert server.commands == []


def test_a_player_that_does_not_serve_yields_no_connection() -> None:
    transport, _ = started(serves=False)
    with under_test(transport) as tested:
        transport.spares = SimpleNamespace(take=object_link, close=nothing)  # type: ignore[assignment]
        with tested.serving() as connection:
            assert connection is None
        tested.open_ways()
        with tested.serving() as connection:
            assert connection is None


async def object_link() -> Link:
    return ObjectLink(Clock(), FISH.player("first"))


async def dead_link() -> Link:
    return DeadLink(Clock(), disconnected("nobody is there"))


async def nothing() -> None:
    """Do nothing."""
