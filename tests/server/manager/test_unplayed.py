"""Entrants that never play: they have no rating, and come after all who do."""

from __future__ import annotations

import pytest

from fairplay.v1.tournament_pb2 import WithdrawnGames
from tests.server.manager.harness import environment
from tests.server.manager.test_withdrawing import event


@pytest.mark.parametrize(
    "format_",
    [
        "knockout",
        "round-robin",
        "gauntlet challengers=b",
        "ladder game-limit=20",
        "swiss rounds=2 top=2, knockout",
    ],
)
async def test_who_has_failed_and_finished_no_game_is_not_rated_and_comes_last(format_: str) -> None:
    async with environment() as here:
        here.stage.act("a", play_as="raise")  # before b fails, who wins from it without a decision
        here.stage.act("b", start="raise", take_turn="raise", setup="raise")
        made = event(format_, names="abcdef")
        made.withdrawn_games = WithdrawnGames.WITHDRAWN_GAMES_COUNTED
        await here.play("t", made)
        lines = (await here.manager.standings("t", 10, 0))[0].standings
        assert {line.name for line in lines if line.unplayed} == {line.name for line in lines[-2:]} == {"a", "b"}
        assert not any(line.band or line.HasField("rating") for line in lines[-2:])
        rated = {line.name for line in lines if line.HasField("rating")}
        assert rated <= {*"cdef"}
        assert rated or format_ in ("knockout", "double-elimination")
        assert here.findings() == []


async def test_who_has_failed_once_and_wins_otherwise_has_played() -> None:
    async with environment() as here:
        here.stage.act("a", start="raise")
        here.stage.act("b", play_as="raise")
        await here.play("t", event("round-robin", names="abc"))
        lines = (await here.manager.standings("t", 10, 0))[0].standings
        assert {line.name: line.unplayed for line in lines} == {"a": False, "b": True, "c": False}


async def test_who_has_not_played_enters_no_further_stage() -> None:
    async with environment() as here:
        for name in "abc":
            here.stage.act(name, take_turn="raise")
        tournament = await here.play("t", event("swiss rounds=2 top=4, knockout", names="abcde"))
        final = [game for round_ in tournament.rounds if round_.stage == 2 for game in round_.games]
        assert {name for game in final for name in game.players} == {"d", "e"}
        assert here.findings() == []
