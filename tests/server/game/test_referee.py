"""The referee as its callers see it: over a real channel, with reference players in the server."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from fairplay.games.game import find
from fairplay.server.net.errors import Refusal
from fairplay.server.records.chain import parsed
from fairplay.server.server import Config, Server
from fairplay.v1 import referee_pb2 as pb
from tests.server.harness import ByHand, dialled_in, plan, serving


async def play(referee: Any, made: pb.GamePlan, game_id: str = "") -> pb.Game:
    game: pb.Game = (await referee.PlayGame(pb.PlayGameRequest(game_id=game_id, plan=made))).game
    return game


async def left_unfinished(records: Path, made: pb.GamePlan) -> None:
    """Begin the game "g" with the player "x", which stays silent, and stop the server."""
    async with serving(Config(records=records)) as server, ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        left = asyncio.create_task(server.referee.play(made, "g"))
        await by_hand.next_call()
        with pytest.raises(Refusal) as refusal:
            await server.referee.play(plan("dial-in:x", "bot:first", limit_s=60, seed=2), "g")
        assert refusal.value.reason == "ID_REUSED"
        await server.stop()
    with pytest.raises(Refusal, match="shuts down"):
        await left


async def test_a_game_that_a_server_left_is_resumed_once_and_for_its_own_plan_only(tmp_path: Path) -> None:
    made = plan("dial-in:x", "bot:first", limit_s=60)
    await left_unfinished(tmp_path, made)
    async with serving(Config(records=tmp_path, resume=None)) as server:
        with pytest.raises(Refusal) as refusal:
            await server.referee.play(plan("dial-in:x", "bot:first", limit_s=60, seed=2), "g")
        assert refusal.value.reason == "ID_REUSED"
        assert not server.referee.running_ids
        playing = asyncio.create_task(server.referee.play(made, "g"))
        await asyncio.sleep(0)
        server.referee.resume_all()
        async with dialled_in(server, ("x", find("fish").player("first"))):
            game = await playing
        entries = list(parsed(server.store.read("g")))
    assert not game.result.misconducts
    assert [entry.WhichOneof("entry") for entry in entries].count("resumed") == 1


async def test_a_referee_that_has_suspended_its_games_begins_none(server: Server) -> None:
    await server.referee.suspend_all()
    with pytest.raises(Refusal) as refusal:
        await server.referee.play(plan("bot:first", "bot:first"))
    assert refusal.value.reason == "SHUTTING_DOWN"
    assert server.store.list("game", limit=1) == ([], None)
