"""TableGames at tables, and users who go while they play."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from google.protobuf.duration_pb2 import Duration

from fairplay.server.lobby.users import LobbyLimits
from fairplay.server.server import Server
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.misconduct_pb2 import CallErrorReason, MisconductKind
from fairplay.v1.result_pb2 import GameResult
from tests.server.lobby.harness import OVER, PATIENT, Guest, Waiting, guests, lobby, mute

LONG = TimeControl(decision_limit=Duration(seconds=60), first_decision_limit=Duration(seconds=60))
SHORT = LobbyLimits(grace_s=0.1, requests_per_second=10_000, burst=10_000, enter_burst=10_000)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with lobby(PATIENT) as running:
        yield running


async def begun(table: str, mute_one: Guest, *others: Guest) -> str:
    """Start a game between a player that answers nothing and reference players, and return its id."""
    await mute_one.ask("CreateTable", name=table, game="fish", time_control=LONG)
    await mute_one.ask("JoinTable")
    for other in others:
        await other.ask("JoinTable", table=table, link="bot:first")
    game_id: str = (await mute_one.ask("StartTable")).table.game_id
    return game_id


def check_disconnected(server: Server, game_id: str, name: str, others: list[str]) -> None:
    result: GameResult = server.referee.get(game_id).result
    [misconduct] = result.misconducts
    assert (misconduct.player, misconduct.kind) == (name, MisconductKind.MISCONDUCT_KIND_EXCEPTION)
    assert misconduct.call_error.reason == CallErrorReason.CALL_ERROR_REASON_DISCONNECTED
    assert "left the table" in misconduct.call_error.message
    assert sorted(player.name for group in result.ranking for player in group.players) == others


async def test_a_user_who_is_lost_is_out_of_the_game_and_the_others_play_on() -> None:
    async with lobby(SHORT) as server, guests(server, "ann", "bob", "cy") as [ann, bob, cy]:
        async with mute(server, ann) as [player]:
            game_id = await begun("t", ann, bob, cy)
            await player.next_call()
            ann.stream.cancel()
            gone = await bob.until(lambda event: event.HasField("user_gone"))
            assert (gone.user_gone.name, gone.user_gone.lost) == ("ann", True)
            await bob.sees(lambda known: known.table("t").status == OVER)
        check_disconnected(server, game_id, "ann", ["bob", "cy"])
        assert bob.mirror.seats("t") == ["bob", "cy"]


async def test_a_user_who_comes_back_in_time_plays_on(server: Server) -> None:
    waiting = Waiting("TakeTurn")
    async with guests(server, "ann", "bob") as [ann, bob], mute(server, ann) as [player], player.answering(waiting):
        game_id = await begun("t", ann, bob)
        await waiting.until_asked()
        ann.stream.cancel()
        await ann.enter()
        await ann.attend(after=ann.mirror.sequence).ask("Say", text="back again")
        await player.reply(*waiting.let_go())
        await ann.sees(lambda known: known.table("t").status == OVER)
        assert not server.referee.get(game_id).result.misconducts
