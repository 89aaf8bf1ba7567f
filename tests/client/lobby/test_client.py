"""A visit through everything that can go wrong with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from fairplay.client.lobby.client import ConnectionState, LobbyClient, LobbyGoneError
from fairplay.client.lobby.tokens import TokenStore
from fairplay.games.game import find
from fairplay.player.handlers import Handlers
from fairplay.player.serving import start_server
from tests.client.lobby.fake import FakeLobby, fake_lobby
from tests.server.lobby.harness import lobby as real_lobby

LIMIT_S = 60.0


class Visit:
    """A client, and a way to wait for what it comes to know."""

    def __init__(self, address: str, **options: Any) -> None:
        self._news = asyncio.Event()
        self.sentences: list[str] = []
        self.pauses: list[float] = []
        self.client = LobbyClient(address, self._changed, pause=self._pause, **options)

    def _changed(self) -> None:
        self.sentences.append(self.client.connection.sentence)
        self._news.set()

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await asyncio.sleep(0)

    async def until(self, is_so: Callable[[LobbyClient], bool]) -> None:
        async with asyncio.timeout(LIMIT_S):
            while not is_so(self.client):
                await self._news.wait()
                self._news.clear()


@asynccontextmanager
async def visiting(address: str, name: str = "ann", **options: Any) -> AsyncIterator[Visit]:
    visit = Visit(address, **options)
    assert await visit.client.enter(name) == ""
    attending = asyncio.create_task(visit.client.attend())
    try:
        yield visit
    finally:
        attending.cancel()
        await asyncio.gather(attending, return_exceptions=True)
        await visit.client.leave()


@pytest.fixture
async def fake() -> AsyncIterator[tuple[FakeLobby, str]]:
    async with fake_lobby() as started:
        yield started


async def test_a_client_that_was_ended_comes_back_under_its_new_name(tmp_path: Path) -> None:
    async with real_lobby() as server:
        before, after = (LobbyClient(server.address, lambda: None, tokens=TokenStore(tmp_path)) for _ in range(2))
        assert await before.enter("ann") == ""
        assert await before.rename("eve") == ""
        token = before.token
        await before.close()
        assert await after.enter("eve") == ""
        assert after.token == token
        await after.leave()


async def test_where_there_is_no_lobby_a_sentence_says_so() -> None:
    client = LobbyClient("127.0.0.1:1", lambda: None)
    with pytest.raises(LobbyGoneError, match="no lobby answers at"):
        await client.enter("ann")
    await client.leave()
    server, port = await start_server(Handlers(find("fish").player("first")), "127.0.0.1:0")
    client = LobbyClient(f"127.0.0.1:{port}", lambda: None)
    with pytest.raises(LobbyGoneError, match="has no lobby"):
        await client.enter("ann")
    await client.leave()
    await server.stop(0)


async def test_a_lost_connection_is_said_and_taken_up_where_it_was_lost(fake: tuple[FakeLobby, str]) -> None:
    lobby, address = fake
    async with visiting(address) as visit:
        await visit.until(lambda client: "ann" in client.lobby.users)
        seen = visit.client.lobby.sequence
        lobby.end_streams(grpc.StatusCode.UNAVAILABLE)
        await visit.until(lambda client: client.connection.state is ConnectionState.AWAY)
        await visit.until(lambda client: client.connection.state is ConnectionState.LIVE)
        assert lobby.attended == [0, seen]
        assert any("the connection is lost" in sentence and "trying again" in sentence for sentence in visit.sentences)


async def test_a_server_that_stays_away_ends_the_visit_with_a_sentence() -> None:
    async with fake_lobby() as (_, address):
        visit = Visit(address, patience_s=3.0)
        assert await visit.client.enter("ann") == ""
        attending = asyncio.create_task(visit.client.attend())
        await visit.until(lambda client: client.connection.state is ConnectionState.LIVE)
    await visit.until(lambda client: client.over)
    await attending
    assert visit.client.connection.sentence.startswith(f"the server at {address} has gone away: ")
    assert visit.pauses == [0.25, 0.5, 1.0, 2.0]
    await visit.client.leave()


async def test_a_user_who_is_not_known_any_more_enters_again_with_the_token(fake: tuple[FakeLobby, str]) -> None:
    lobby, address = fake
    async with visiting(address) as visit:
        await visit.until(lambda client: "ann" in client.lobby.users)
        lobby.names.clear()
        lobby.end_streams(grpc.StatusCode.UNAVAILABLE)
        await visit.until(lambda client: client.connection.state is ConnectionState.AWAY)
        await visit.until(lambda client: len(lobby.attended) == 2 and client.connection.sentence == "")
        assert lobby.entered == [("ann", ""), ("ann", "token of ann")]
        assert lobby.attended[-1] == 0, "it begins with the whole"


async def test_a_name_that_is_lost_to_somebody_else_ends_the_visit(fake: tuple[FakeLobby, str]) -> None:
    lobby, address = fake
    async with visiting(address) as visit:
        await visit.until(lambda client: "ann" in client.lobby.users)
        lobby.names.clear()
        lobby.refusals = [(grpc.StatusCode.PERMISSION_DENIED, "ann is somebody else")]
        lobby.end_streams(grpc.StatusCode.UNAVAILABLE)
        await visit.until(lambda client: client.over)
        assert visit.client.connection.sentence == "the lobby does not let ann in again: ann is somebody else"


async def test_a_stream_that_was_replaced_ends_the_visit(fake: tuple[FakeLobby, str]) -> None:
    lobby, address = fake
    async with visiting(address) as visit:
        await visit.until(lambda client: client.connection.state is ConnectionState.LIVE)
        lobby.end_streams(grpc.StatusCode.ABORTED)
        await visit.until(lambda client: client.over)
        assert "goes on elsewhere" in visit.client.connection.sentence


async def test_requests_that_nobody_answers_are_refused_with_a_sentence() -> None:
    async with fake_lobby() as (_, address):
        client = LobbyClient(address, lambda: None)
        assert await client.enter("ann") == ""
    assert await client.say("hello") == "the server cannot be reached"
    assert await client.join("blue", "bot:first") == "the server cannot be reached"
    await client.leave()


async def test_a_token_that_counts_no_more_is_not_insisted_on(fake: tuple[FakeLobby, str], tmp_path: Path) -> None:
    lobby, address = fake
    async with visiting(address, tokens=TokenStore(tmp_path)):
        pass
    lobby.refusals = [(grpc.StatusCode.PERMISSION_DENIED, "wrong token"), (grpc.StatusCode.ALREADY_EXISTS, "taken")]
    client = LobbyClient(address, lambda: None, tokens=TokenStore(tmp_path))
    assert await client.enter("ann") == "taken"
    assert lobby.entered[-1] == ("ann", "")
    await client.leave()
