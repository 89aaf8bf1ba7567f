"""Webset on a real server: races over the wire, players that wait, and questions that are cancelled."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from fairplay.games.game import find
from fairplay.server.game.referee import Referee
from fairplay.server.links.bot import BotLink
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.ways import Links
from fairplay.server.server import Server
from fairplay.v1.game_pb2 import GameSettings, Player
from fairplay.v1.referee_pb2 import GamePlan, GameStatus, PlayGameRequest, WatchGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.result_pb2 import GameResult
from fairplay.webset.v1 import webset_pb2
from fairplay.webset.v1.webset_player_pb2 import (
    ACTION_CALL_SET,
    ActRequest,
    ActResponse,
    DealRequest,
    GameOverRequest,
    PickCardsRequest,
    PickCardsResponse,
    ReportRequest,
)
from tests.games.webset.tables import message
from tests.server.harness import dialled_in, serving
from tests.server.quick import in_no_time, quick_clock, quick_store

Table = tuple[Server, Any]


@pytest.fixture
async def table() -> AsyncIterator[Table]:
    async with serving() as server, grpc.aio.insecure_channel(server.address) as channel:
        yield server, RefereeServiceStub(channel)


def plan(settings: webset_pb2.Settings, *links: str) -> GamePlan:
    players = [Player(name=name, link=link) for name, link in zip("abcd", links, strict=False)]
    return GamePlan(game="webset", settings=GameSettings(webset=settings), players=players, seed=3)


async def result(referee: Any, settings: webset_pb2.Settings, *links: str) -> GameResult:
    async with asyncio.timeout(30):
        played = await referee.PlayGame(PlayGameRequest(game_id="g", plan=plan(settings, *links)))
    assert played.game.status == GameStatus.GAME_STATUS_FINISHED
    found: GameResult = played.game.result
    return found


def scores(found: GameResult) -> dict[str, int]:
    return {player.name: player.score for group in found.ranking for player in group.players}


@pytest.mark.parametrize("rounds", ["off", "lot"])
async def test_players_as_fast_as_each_other_share_the_sets_by_lot(table: Table, rounds: str) -> None:
    found = scores(await result(table[1], message(rounds=rounds), "bot:first", "bot:first", "bot:solver", "bot:solver"))
    assert sum(found.values()) >= 20
    assert max(found.values()) < 18
    assert min(found.values()) > 0


async def raced(settings: webset_pb2.Settings, directory: Path, *strategies: str) -> dict[str, int]:
    """Return the scores of a game in simulated time, in which players are exactly as fast as they say."""
    clock, store = quick_clock(), quick_store(directory)
    try:
        links = [BotLink(clock, find("webset").player(strategy)) for strategy in strategies]
        played = plan(settings, *(f"bot:{strategy}" for strategy in strategies))
        game = await Referee(Links(Hub(clock), clock), store).play(played, "g", links=links)
    finally:
        await store.close()
    assert game.status == GameStatus.GAME_STATUS_FINISHED
    return scores(game.result)


def test_a_player_with_a_handicap_loses_to_one_that_is_a_little_slower(tmp_path: Path) -> None:
    settings = message(aspects=3, handicaps_ms=(60,))
    found = in_no_time(raced(settings, tmp_path, "first", "solver:reaction=0.005"))
    assert found["b"] > 3 >= found["a"]


def test_a_held_table_gives_the_slower_player_its_share(tmp_path: Path) -> None:
    found = in_no_time(raced(message(min_reaction_ms=40), tmp_path, "first", "solver:reaction=0.01,spread=0"))
    assert min(found.values()) > 3


async def test_players_that_dial_in_wait_and_are_cancelled_and_all_are_told_the_end(table: Table) -> None:
    server, referee = table
    make = find("webset").player
    players = ("a", make("first")), ("b", Witness()), ("c", make("solver:reaction=0.002,error=0.2"))
    async with dialled_in(server, *players):
        found = await result(referee, message(aspects=3), "dial-in:a", "dial-in:b", "dial-in:c")
    assert not found.misconducts
    witness = players[1][1]
    assert witness.called["deal"] == witness.called["game_over"] == 1
    assert witness.cancelled > 3
    assert witness.called["report"] > 3


class Witness:
    """Thinks for a minute about every table, and counts what it is asked."""

    game = "webset"
    quick = True

    def __init__(self) -> None:
        self.called: Counter[str] = Counter()
        self.cancelled = 0

    def deal(self, request: DealRequest) -> None:
        self.called["deal"] += 1

    async def act(self, request: ActRequest) -> ActResponse:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return ActResponse()

    def pick_cards(self, request: PickCardsRequest) -> PickCardsResponse:
        raise AssertionError("it never calls")

    def report(self, request: ReportRequest) -> None:
        self.called["report"] += 1

    def game_over(self, request: GameOverRequest) -> None:
        self.called["game_over"] += 1


class Late(Witness):
    """Calls at once, and never picks a card."""

    async def act(self, request: ActRequest) -> ActResponse:
        self.called["act"] += 1
        return ActResponse(action=ACTION_CALL_SET)

    async def pick_cards(self, request: PickCardsRequest) -> PickCardsResponse:  # type: ignore[override]
        await asyncio.sleep(60)
        return PickCardsResponse()


async def test_a_call_that_expires_costs_its_window_and_no_place_in_the_game(table: Table) -> None:
    server, referee = table
    late = Late()
    settings = message(aspects=3, window_ms=100, act_cap=10, locked_until_change=True)
    async with dialled_in(server, ("a", late)):
        found = await result(referee, settings, "dial-in:a", "bot:solver:reaction=0.15,spread=0")
    assert not found.misconducts
    assert scores(found)["a"] < 0
    assert scores(found)["b"] > 0
    assert late.called["game_over"] == 1


async def test_spectators_of_a_game_that_is_over_see_how_it_ended(table: Table) -> None:
    referee = table[1]
    await result(referee, message(aspects=3), "bot:first", "bot:random")
    states = [
        event.state.webset
        async for event in referee.WatchGame(WatchGameRequest(game_id="g"))
        if event.WhichOneof("event") == "state"
    ]
    assert states
    assert states[-1].phase == webset_pb2.PHASE_OVER
