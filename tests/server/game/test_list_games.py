"""ListGames: what it finds, in both orders, page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from fairplay.server.server import Server
from fairplay.v1 import referee_pb2 as pb
from fairplay.v1.game_pb2 import Player
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from tests.server.harness import ByHand, plan, serving

FINISHED, RUNNING = pb.GameStatus.GAME_STATUS_FINISHED, pb.GameStatus.GAME_STATUS_RUNNING


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    """A server with games of Fish, g0 to g6, of which g5 was stopped and g6 runs, and a game of Q."""
    async with serving() as server, ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        for number in range(5):
            made = plan("bot:first", "bot:first")
            made.players[0].name = "odd" if number % 2 else "even"
            await server.referee.play(made, f"g{number}")
        for name in ("g5", "g6"):
            server.referee.create(plan("dial-in:x", "bot:first", limit_s=600), name)
        await server.referee.stop("g5", "enough")
        bots = [Player(name=name, link="bot:first") for name in ("even", "b")]
        await server.referee.play(pb.GamePlan(game="q", players=bots), "q")
        yield server


@pytest.fixture
async def stub(server: Server) -> AsyncIterator[Any]:
    async with grpc.aio.insecure_channel(server.address) as channel:
        yield RefereeServiceStub(channel)


async def pages(stub: Any, **conditions: Any) -> list[list[str]]:
    """Return the ids of the games on each page."""
    found, token = [], ""
    while True:
        page = await stub.ListGames(pb.ListGamesRequest(page_token=token, **conditions))
        found.append([game.game_id for game in page.games])
        token = page.next_page_token
        if not token:
            return found


async def ids(stub: Any, **conditions: Any) -> list[str]:
    return [game_id for page in await pages(stub, **conditions) for game_id in page]


async def test_pages_are_full_also_where_only_some_games_are_wanted(stub: Any) -> None:
    assert await pages(stub, page_size=2, player="even") == [["q", "g4"], ["g2", "g0"]]
    assert await pages(stub, page_size=2, status=FINISHED) == [["q", "g4"], ["g3", "g2"], ["g1", "g0"]]
    assert await pages(stub, page_size=1, status=RUNNING) == [["g6"]]
    assert await pages(stub, page_size=2, status=RUNNING, player="a") == [["g6"]]


async def test_a_page_stays_what_it_was_when_games_begin(stub: Any, server: Server) -> None:
    first = await stub.ListGames(pb.ListGamesRequest(page_size=2, game="fish", status=FINISHED))
    made = plan("bot:first", "bot:first")
    await server.referee.play(made, "later")
    token = first.next_page_token
    second = await stub.ListGames(pb.ListGamesRequest(page_size=2, game="fish", status=FINISHED, page_token=token))
    assert [game.game_id for game in second.games] == ["g2", "g1"]
