"""Tables: who may make, watch, join, leave, delete and start them, and what is said there."""

from __future__ import annotations

from google.protobuf.duration_pb2 import Duration

from fairplay.server.server import Server
from fairplay.v1.game_pb2 import GameSettings, TimeControl
from tests.server.harness import ByHand
from tests.server.lobby.harness import OVER, Guest, guests, lobby

INVALID = "INVALID_ARGUMENT"
NOT_NOW = "FAILED_PRECONDITION"


async def seated(table: str, *players: Guest, link: str = "bot:first") -> None:
    """Let the first make a table, and all take seats there."""
    await players[0].ask("CreateTable", name=table, game="fish", time_control=long())
    for player in players:
        await player.ask("JoinTable", table=table, link=link)


def long() -> TimeControl:
    return TimeControl(decision_limit=Duration(seconds=60), first_decision_limit=Duration(seconds=60))


# --- making ---


def wrong(**settings: int) -> GameSettings:
    made = GameSettings()
    for name, value in settings.items():
        setattr(made.fish, name, value)
    return made


# --- links ---


async def test_commands_are_for_servers_that_allow_them() -> None:
    async with lobby(allow_exec=True) as server, guests(server, "ann") as [ann]:
        await ann.ask("CreateTable", name="t", game="fish")
        await ann.ask("JoinTable", link="exec:true")


async def test_a_player_under_another_name_must_have_dialled_in_with_the_user_s_token(server: Server) -> None:
    async with (
        guests(server, "ann", "bob") as [ann, _],
        ByHand(server, "helper", token=ann.token) as mine,
        ByHand(server, "other", token="secret") as other,
    ):
        await mine.say_hello()
        await other.say_hello()
        await ann.ask("CreateTable", name="t", game="fish")
        assert await ann.refused("JoinTable", link="dial-in:other") == ("PERMISSION_DENIED", "WRONG_TOKEN")
        await ann.ask("JoinTable", link="dial-in:helper")


async def test_nothing_secret_is_told_to_others() -> None:
    async with lobby(start_limit_s=0.1) as server, guests(server, "ann", "bob") as [ann, bob]:
        await seated("t", ann, link="grpc://127.0.0.1:59999")
        await bob.ask("JoinTable", table="t", link="bot:first")
        await ann.ask("StartTable")
        await bob.sees(lambda known: known.table("t").status == OVER)
        reported = b"".join(event.SerializeToString() for event in bob.events)
        listed = (await bob.ask("ListTables")).SerializeToString()
        assert bob.mirror.table("t").result.misconducts[0].player == "ann"
        for secret in (ann.token, bob.token, "59999", "grpc:", "bot:first"):
            assert secret.encode() not in reported + listed


# --- deleting ---


# --- starting ---


async def test_a_player_that_went_away_must_come_back_before_the_start(server: Server) -> None:
    async with guests(server, "ann", "bob") as [ann, bob]:
        async with ByHand(server, "ann", token=ann.token) as player:
            await player.say_hello()
            await ann.ask("CreateTable", name="t", game="fish")
            await ann.ask("JoinTable")
            await bob.ask("JoinTable", table="t", link="bot:first")
        while server.hub.here("ann"):
            await bob.ask("ListTables")
        assert await bob.refused("StartTable") == (NOT_NOW, "NOT_DIALLED_IN")


async def test_settings_that_do_not_fit_the_players_are_refused_at_the_start(server: Server) -> None:
    async with guests(server, "a", "b", "c", "d") as made:
        settings = wrong(rows=2, columns=4, holes=2)
        await made[0].ask("CreateTable", name="t", game="fish", settings=settings)
        for guest in made:
            await guest.ask("JoinTable", table="t", link="bot:first")
        before = (await made[0].ask("ListTables")).tables[0]
        assert await made[0].refused("StartTable") == (INVALID, "INVALID_SETTINGS")
        assert (await made[0].ask("ListTables")).tables[0] == before


# --- talking ---
