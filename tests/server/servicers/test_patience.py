"""Callers who open calls and send nothing, or ask for streams and do not read them, are not waited for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from h2.connection import H2Connection
from h2.settings import SettingCodes

from benchmarks.half_open import call_head
from fairplay.server.net.errors import Refusal, reason_of
from fairplay.server.server import Config
from fairplay.server.servicers.interceptor import MAX_ALL_SILENT, MAX_SILENT, FirstMessages
from fairplay.v1 import manager_pb2 as pb
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.tournament_pb2 import TournamentPlan
from tests.server.harness import serving
from tests.server.lobby.harness import SMALL_WINDOW

GET_GAME = "/fairplay.v1.RefereeService/GetGame"
WATCH_GAME = "/fairplay.v1.RefereeService/WatchGame"
WITHIN_S = 30.0


@asynccontextmanager
async def channel_to(config: Config) -> AsyncIterator[tuple[Any, grpc.aio.Channel]]:
    async with serving(config) as server, grpc.aio.insecure_channel(server.address) as channel:
        yield server, channel


@pytest.mark.parametrize("path", [GET_GAME, WATCH_GAME])
async def test_a_call_whose_request_does_not_come_is_ended(path: str) -> None:
    async with channel_to(Config(handshake_limit_s=0.05)) as (_, channel), asyncio.timeout(WITHIN_S):
        call: Any = channel.stream_stream(path)()  # on the wire as the method's own kind, but nothing is sent
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await call.read()
    assert (error.value.code(), reason_of(error.value)) == (grpc.StatusCode.DEADLINE_EXCEEDED, "REQUEST_MISSING")


async def test_a_call_that_ends_without_a_request_is_refused() -> None:
    async with channel_to(Config()) as (_, channel), asyncio.timeout(WITHIN_S):
        call: Any = channel.stream_stream(GET_GAME)()
        await call.done_writing()
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await call.read()
    assert reason_of(error.value) == "PROTOCOL_BROKEN"


class Silent:
    """A call of a host that sends something when a test says so."""

    def __init__(self, host: str) -> None:
        self._host = host
        self.sent = asyncio.Event()

    def peer(self) -> str:
        return f"ipv4:{self._host}:1"

    async def read(self) -> str:
        await self.sent.wait()
        return "request"


async def test_silent_calls_of_one_host_are_few_and_leave_room_for_others() -> None:
    messages = FirstMessages(WITHIN_S, "REQUEST_MISSING", "request", at_once_s=0.0)
    silent = [Silent("10.0.0.1") for _ in range(MAX_SILENT)]
    waiting = [asyncio.create_task(messages.read(each)) for each in silent]
    for _ in range(10):
        await asyncio.sleep(0)
    with pytest.raises(Refusal) as refusal:
        await messages.read(Silent("10.0.0.1"))
    assert (refusal.value.reason, refusal.value.retry_s > 0) == ("TOO_MANY_REQUESTS", True)
    other = Silent("10.0.0.2")
    other.sent.set()
    assert await messages.read(other) == "request"
    for each in silent:
        each.sent.set()
    assert await asyncio.gather(*waiting) == ["request"] * MAX_SILENT
    again = Silent("10.0.0.1")
    again.sent.set()
    assert await messages.read(again) == "request"


async def test_of_silent_calls_few_are_kept_and_the_oldest_makes_room() -> None:
    messages = FirstMessages(WITHIN_S, "REQUEST_MISSING", "request", at_once_s=0.0)
    silent = [Silent(f"10.0.{number // 256}.{number % 256}") for number in range(MAX_ALL_SILENT + 7)]
    waiting = [asyncio.create_task(messages.read(each)) for each in silent]
    async with asyncio.timeout(WITHIN_S):
        for each in waiting[:7]:
            with pytest.raises(Refusal, match="4,000 calls to this server have sent no request yet") as refusal:
                await each
            assert (refusal.value.reason, refusal.value.retry_s > 0) == ("TOO_MANY_REQUESTS", True)
            assert messages.silent_count <= MAX_ALL_SILENT
        for call in silent:
            call.sent.set()
        assert await asyncio.gather(*waiting[7:]) == ["request"] * MAX_ALL_SILENT
    assert messages.silent_count == 0


async def test_a_stream_of_another_service_that_sends_nothing_is_ended() -> None:
    reflection = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
    async with channel_to(Config(handshake_limit_s=0.05)) as (_, channel), asyncio.timeout(WITHIN_S):
        call: Any = channel.stream_stream(reflection)()
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await call.read()
    assert (error.value.code(), reason_of(error.value)) == (grpc.StatusCode.DEADLINE_EXCEEDED, "REQUEST_MISSING")


@pytest.mark.slow  # the server waits ten seconds until it ends a connection that acknowledges nothing
async def test_a_first_message_that_nobody_reads_is_logged_by_nobody(caplog: pytest.LogCaptureFixture) -> None:
    async with serving(Config(unread_limit_s=0.1)) as server, asyncio.timeout(WITHIN_S):
        await server.manager.create("t", TournamentPlan(game="fish"))
        host, port = server.address.rsplit(":", 1)
        reader, writer = await asyncio.open_connection(host, int(port))
        request = pb.WatchTournamentRequest(tournament_id="t").SerializeToString()
        connection = H2Connection()
        connection.initiate_connection()
        connection.update_settings({SettingCodes.INITIAL_WINDOW_SIZE: 0})
        connection.send_headers(1, call_head("/fairplay.v1.ManagerService/WatchTournament"))
        connection.send_data(1, b"\0" + len(request).to_bytes(4, "big") + request, end_stream=True)
        writer.write(connection.data_to_send())
        while await reader.read(65_536):
            pass
        writer.close()
    assert [record.getMessage() for record in caplog.records] == []


async def test_a_watcher_who_does_not_read_is_forgotten_by_its_tournament() -> None:
    plan = TournamentPlan(game="fish")
    plan.sign_up.waiting_period.SetInParent()
    plan.sign_up.max_entrant_count = 10_000
    plan.sign_up.name_pattern = "[0-9a-z]{1,64}"
    async with (
        serving(Config(unread_limit_s=0.2)) as server,
        grpc.aio.insecure_channel(server.address, options=SMALL_WINDOW) as channel,
        asyncio.timeout(WITHIN_S),
    ):
        manager = ManagerServiceStub(channel)
        for number in range(3):
            plan.entrants.add(name=f"p{number}", link="bot:first")
        await manager.CreateTournament(pb.CreateTournamentRequest(tournament_id="t", plan=plan))
        stream: Any = manager.WatchTournament(pb.WatchTournamentRequest(tournament_id="t"))
        assert (await stream.read()).tournament.tournament_id == "t"
        for number in range(250):
            await server.manager.sign_up("t", Player(name=f"{number}{'x' * 50}", link="bot:first"), "")
        with pytest.raises(grpc.aio.AioRpcError) as error:  # what was sent before can still be read
            while await stream.read() is not grpc.aio.EOF:
                pass
    assert (error.value.code(), reason_of(error.value)) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "STREAM_NOT_READ")


async def test_nothing_is_logged_of_watchers_who_leave_while_they_are_told(caplog: pytest.LogCaptureFixture) -> None:
    plan = TournamentPlan(game="fish")
    plan.entrants.extend(Player(name=f"{number}{'x' * 50}", link="bot:first") for number in range(2_000))
    async with serving(Config()) as server, asyncio.timeout(WITHIN_S):
        await server.manager.create("t", plan)
        for number in range(10):
            options = [*SMALL_WINDOW, ("fairplay.channel", number)]  # a connection of its own
            async with grpc.aio.insecure_channel(server.address, options=options) as channel:
                call = ManagerServiceStub(channel).WatchTournament(pb.WatchTournamentRequest(tournament_id="t"))
                await call.initial_metadata()
                await asyncio.sleep(0.05)  # so that the message is under way
                call.cancel()
    assert [record.getMessage() for record in caplog.records] == []
