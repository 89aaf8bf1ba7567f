"""The referee as its callers see it: over a real channel, with reference players in the server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from fairplay.fish.v1 import fish_pb2
from fairplay.games.game import find
from fairplay.server.net.errors import Refusal, reason_of
from fairplay.server.records.chain import parsed
from fairplay.server.server import Config, Server
from fairplay.v1 import referee_pb2 as pb
from fairplay.v1.game_pb2 import Player, TimeControl
from tests.server.harness import ONE_MOVE, ByHand, dialled_in, plan, seconds, serving


async def play(referee: Any, made: pb.GamePlan, game_id: str = "") -> pb.Game:
    game: pb.Game = (await referee.PlayGame(pb.PlayGameRequest(game_id=game_id, plan=made))).game
    return game


async def test_a_game_is_played_and_known_afterwards(referee: Any) -> None:
    game = await play(referee, plan("bot:first", "bot:greedy"), "g/1")
    assert game.status == pb.GameStatus.GAME_STATUS_FINISHED
    assert (await referee.GetGame(pb.GetGameRequest(game_id="g/1"))).game == game
    assert not any(player.link for player in (*game.plan.players, *game.players))
    assert game.plan.settings.fish.rows == 5  # defaults are filled in


async def failed(call: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call
    return error.value


def field_of(error: grpc.aio.AioRpcError) -> str:
    status = rpc_status.from_call(error)
    assert status is not None
    for detail in status.details:
        bad = error_details_pb2.BadRequest()
        if detail.Unpack(bad):
            return str(bad.field_violations[0].field)
    return ""


def change(mutate: Callable[[pb.GamePlan], object]) -> pb.GamePlan:
    made = plan("bot:first", "bot:first")
    mutate(made)
    return made


def names(made: pb.GamePlan, *names: str) -> None:
    del made.players[:]
    made.players.extend(Player(name=name, link="bot:first") for name in names)


def three_players(made: pb.GamePlan) -> None:
    names(made, "a", "b", "c")


def one_move(made: pb.GamePlan) -> None:
    made.initial_state.fish.CopyFrom(ONE_MOVE)


@pytest.mark.parametrize(
    ("mutate", "reason", "field", "sentence"),
    [
        (lambda p: setattr(p, "game", "chess"), "UNKNOWN_GAME", "plan.game", "there is no game 'chess'"),
        (lambda p: setattr(p.settings.fish, "rows", 99), "INVALID_SETTINGS", "plan.settings", "between 1 and 25"),
        (lambda p: setattr(p.settings.fish, "rows", 1), "INVALID_SETTINGS", "plan.settings", "5 tiles"),
        (lambda p: p.settings.other.Pack(Player()), "INVALID_SETTINGS", "plan.settings", "expected fairplay.fish"),
        (lambda p: names(p, "a"), "INVALID_PLAYERS", "plan.players", "2 to 4 players, not by 1"),
        (lambda p: names(p, *"abcde"), "INVALID_PLAYERS", "plan.players", "2 to 4 players, not by 5"),
        (lambda p: names(p, "a", "a"), "INVALID_PLAYERS", "plan.players[1]", "two players are called a"),
        (lambda p: names(p, "a", "b c"), "NAME_INVALID", "plan.players[1].name", "is not a name"),
        (lambda p: setattr(p.players[0], "link", "x"), "INVALID_LINK", "plan.players[0].link", "not a way to reach"),
        (lambda p: setattr(p.players[1], "link", "bot:x"), "INVALID_LINK", "plan.players[1].link", "no strategy 'x'"),
        (
            lambda p: p.time_control.CopyFrom(TimeControl(decision_limit=seconds(3_601))),
            "INVALID_TIME_CONTROL",
            "plan.time_control.decision_limit",
            "it must be",
        ),
        (
            lambda p: p.initial_state.fish.CopyFrom(fish_pb2.State(columns=3, fish=[1] * 9)),
            "INVALID_STATE",
            "plan.initial_state",
            "",
        ),
        (lambda p: p.initial_state.SetInParent(), "INVALID_STATE", "plan.initial_state", ""),
        (
            lambda p: [fill(p) for fill in (three_players, one_move)],
            "INVALID_PLAYERS",
            "plan.players",
            "the state has 2 players, but 3 are named",
        ),
    ],
)
async def test_a_plan_that_cannot_be_played_is_refused_with_the_field_and_a_sentence(
    referee: Any, mutate: Callable[[pb.GamePlan], object], reason: str, field: str, sentence: str
) -> None:
    error = await failed(referee.PlayGame(pb.PlayGameRequest(plan=change(mutate))))
    assert (error.code(), reason_of(error), field_of(error)) == (grpc.StatusCode.INVALID_ARGUMENT, reason, field)
    assert sentence in (error.details() or "")


async def test_ids_are_checked_and_not_reused_for_another_game(referee: Any) -> None:
    await play(referee, plan("bot:first", "bot:first"), "taken")
    request = pb.PlayGameRequest(game_id="taken", plan=plan("bot:first", "bot:first", seed=2))
    error = await failed(referee.PlayGame(request))
    assert (error.code(), reason_of(error)) == (grpc.StatusCode.ALREADY_EXISTS, "ID_REUSED")
    request = pb.PlayGameRequest(game_id="no blanks", plan=plan("bot:first", "bot:first"))
    assert reason_of(await failed(referee.PlayGame(request))) == "INVALID_ID"


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


@pytest.mark.parametrize("method", ["PlayGame", "CreateGame"])
async def test_the_ids_of_games_of_tournaments_are_for_these_alone(referee: Any, method: str) -> None:
    request = getattr(pb, f"{method}Request")
    for taken in ("cup/r2g1", "cup/r10g200"):
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await getattr(referee, method)(request(game_id=taken, plan=plan("bot:first", "bot:first")))
        assert error.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        assert "of a tournament" in (error.value.details() or "")
    for free in ("cup/r2", "cup/final/r2g1", "r2g1"):
        await getattr(referee, method)(request(game_id=free, plan=plan("bot:first", "bot:first")))


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


async def test_a_game_starts_from_a_given_state(referee: Any) -> None:
    made = plan("bot:minimax", "bot:minimax")
    made.initial_state.fish.CopyFrom(ONE_MOVE)
    game = await play(referee, made)
    assert [[(p.name, p.score) for p in group.players] for group in game.result.ranking] == [[("a", 3)], [("b", 0)]]


async def test_a_referee_that_has_suspended_its_games_begins_none(server: Server) -> None:
    await server.referee.suspend_all()
    with pytest.raises(Refusal) as refusal:
        await server.referee.play(plan("bot:first", "bot:first"))
    assert refusal.value.reason == "SHUTTING_DOWN"
    assert server.store.list("game", limit=1) == ([], None)


async def test_what_hidden_things_follow_from_is_not_told_while_the_game_runs(referee: Any, server: Server) -> None:
    made = plan("dial-in:x", "bot:first", seed=77)
    red = fish_pb2.Player(color=fish_pb2.Color.COLOR_RED, places=[0])
    white = fish_pb2.Player(color=fish_pb2.Color.COLOR_WHITE, places=[1])
    made.initial_state.fish.CopyFrom(fish_pb2.State(columns=3, fish=[3] * 9, players=[red, white], penguin_count=1))
    async with ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        playing = asyncio.create_task(play(referee, made, "g"))
        await by_hand.next_call()
        listed = (await referee.ListGames(pb.ListGamesRequest())).games[0]
        game = (await referee.GetGame(pb.GetGameRequest(game_id="g"))).game
        assert (game.plan.seed, game.plan.HasField("initial_state")) == (0, False)
        assert not {"plan", "seed", "initial_state"} & set(listed.DESCRIPTOR.fields_by_name)
        await referee.StopGame(pb.StopGameRequest(game_id="g"))
        over = await playing
    assert (over.plan.seed, over.plan.HasField("initial_state")) == (77, True)
