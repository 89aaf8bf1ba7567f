"""How games come to start: a table is full, all are ready, or somebody starts one; and bots on the free seats."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest

from fairplay.server.server import Server
from fairplay.v1.game_pb2 import GameSettings
from tests.server.harness import ByHand
from tests.server.lobby.harness import OPEN, OVER, PATIENT, Guest, Mirror, guests, lobby, mute

INVALID = "INVALID_ARGUMENT"


def over(known: Mirror) -> bool:
    return known.table("t").status == OVER


async def sentence(guest: Guest, method: str) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await guest.ask(method)
    return caught.value.details() or ""


# --- a number of players ---


async def test_a_full_table_that_cannot_start_says_why_to_everybody_there(server: Server) -> None:
    async with guests(server, "ann", "bob") as [ann, bob]:
        async with ByHand(server, "ann", token=ann.token) as player:
            await player.say_hello()
            await ann.ask("CreateTable", name="t", game="fish", seat_count=2)
            await ann.ask("JoinTable")
        while server.hub.here("ann"):
            await bob.ask("ListTables")
        assert (await bob.ask("JoinTable", table="t", link="bot:first")).table.status == OPEN
        for guest in (ann, bob):
            spoken = (await guest.until(lambda event: event.HasField("spoken"))).spoken
            assert spoken.speaker == ""
            assert spoken.text.startswith("The game does not start: no player has dialled in under the name ann")


# --- alone ---


async def test_where_the_settings_allow_it_one_plays_alone(server: Server) -> None:
    settings = GameSettings()
    settings.webset.aspects = 3
    async with guests(server, "ann") as [ann]:
        refused = await ann.refused("CreateTable", name="t", game="webset", settings=settings, seat_count=1)
        assert refused == (INVALID, "INVALID_PLAYERS")
        settings.webset.min_players = 1
        table = (await ann.ask("CreateTable", name="t", game="webset", settings=settings)).table
        assert (table.min_seat_count, table.max_seat_count) == (1, 8)
        missing = "this table of Webset needs at least 1 players, and nobody has joined: 1 more must join"
        assert await sentence(ann, "StartTable") == missing
        await ann.ask("JoinTable", link="bot:first")
        await ann.ask("SetReady", ready=True)
        await ann.sees(over)
        [group] = ann.mirror.table("t").result.ranking
        assert group.players[0].score > 3
        await ann.ask("CreateTable", name="u", game="webset", settings=settings, seat_count=1)
        await ann.ask("JoinTable", link="bot:first")
        await ann.sees(lambda known: known.table("u").status == OVER)


# --- ready ---


# --- bots ---


async def test_a_table_where_only_bots_are_left_can_be_deleted_while_it_runs(server: Server) -> None:
    async with guests(server, "ann") as [ann], mute(server, ann):
        await ann.ask("CreateTable", name="t", game="fish", seat_count=2)
        await ann.ask("JoinTable")
        await ann.ask("SetBots", count=1)
        await ann.ask("DeleteTable", table="t")
        await ann.sees(lambda known: "t" not in known.tables)


async def test_bots_are_there_again_after_a_new_start_of_the_server(tmp_path: Path) -> None:
    settings = GameSettings()
    settings.fish.rows = 6
    async with lobby(PATIENT, records=tmp_path) as server, guests(server, "ann") as [ann]:
        await ann.ask("CreateTable", name="t", game="fish", settings=settings, seat_count=4)
        await ann.ask("JoinTable", link="bot:first")
        await ann.ask("SetReady", ready=True)
        await ann.ask("SetBots", count=2, link="bot:greedy")
    async with lobby(PATIENT, records=tmp_path) as server, guests(server, "bob") as [bob]:
        table = bob.mirror.table("t")
        assert [(seat.name, seat.present, seat.bot) for seat in table.seats] == [
            ("ann", False, ""),
            ("bot-1", True, "bot:greedy"),
            ("bot-2", True, "bot:greedy"),
        ]
        assert not table.seats[0].ready
        assert table.seat_count == 4
