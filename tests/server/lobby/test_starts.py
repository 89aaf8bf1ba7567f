"""How games come to start: a table is full, all are ready, or somebody starts one; and bots on the free seats."""

from __future__ import annotations

import asyncio
from pathlib import Path

import grpc
import pytest

from fairplay.server.net.errors import Refusal
from fairplay.server.server import Server
from fairplay.v1.game_pb2 import GameSettings
from tests.server.harness import ByHand
from tests.server.lobby.harness import OPEN, OVER, PATIENT, Guest, Mirror, guests, lobby, mute

INVALID = "INVALID_ARGUMENT"
NOT_NOW = "FAILED_PRECONDITION"


def over(known: Mirror) -> bool:
    return known.table("t").status == OVER


async def sentence(guest: Guest, method: str) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await guest.ask(method)
    return caught.value.details() or ""


# --- a number of players ---


async def test_a_table_that_fills_again_after_a_game_starts_again(server: Server) -> None:
    async with guests(server, "ann", "bob", "cy") as [ann, bob, cy]:
        await ann.ask("CreateTable", name="t", game="fish", seat_count=2)
        for guest in (ann, bob):
            await guest.ask("JoinTable", table="t", link="bot:first")
        await cy.sees(over)
        first = cy.mirror.table("t").game_id
        await bob.ask("LeaveTable")
        await cy.ask("JoinTable", table="t", link="bot:first")
        await cy.sees(lambda known: over(known) and known.table("t").game_id != first)
        assert cy.mirror.seats("t") == ["ann", "cy"]


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


async def test_of_two_starts_at_once_one_game_comes(server: Server) -> None:
    async with guests(server, "ann", "bob") as [ann, bob], mute(server, ann):
        await ann.ask("CreateTable", name="t", game="fish")
        await ann.ask("JoinTable")
        await bob.ask("JoinTable", table="t", link="bot:first")
        users = [server.lobby.user(guest.token, "") for guest in (ann, bob)]
        results = await asyncio.gather(*map(server.lobby.starts.start, users), return_exceptions=True)
        refused = [each for each in results if isinstance(each, Refusal)]
        assert [each.reason for each in refused] == ["TABLE_RUNNING"]


async def test_bots_fill_all_free_seats_in_one_step(server: Server) -> None:
    async with guests(server, "ann", "bob") as [ann, bob], mute(server, ann):
        await ann.ask("CreateTable", name="t", game="fish")
        await ann.ask("JoinTable")
        table = (await ann.ask("SetBots", count=99, link="bot:greedy")).table
        assert [(seat.name, seat.bot, seat.ready) for seat in table.seats] == [
            ("ann", "", False),
            *((f"bot-{number}", "bot:greedy", True) for number in (1, 2, 3)),
        ]
        assert await bob.refused("JoinTable", table="t", link="bot:first") == (NOT_NOW, "TABLE_FULL")
        assert (await ann.ask("SetBots", count=4, link="bot:greedy")).table == table
        await ann.ask("SetBots", count=1)
        await bob.ask("JoinTable", table="t", link="bot:first")
        table = (await bob.ask("StartTable")).table
        assert [seat.name for seat in table.seats] == ["ann", "bob", "bot-1"]
        links = [player.link for player in server.referee.get(table.game_id).plan.players]
        assert links == ["dial-in:ann", "bot:first", "bot:first"]
        assert await ann.refused("SetBots", count=0) == (NOT_NOW, "TABLE_RUNNING")


# --- bots ---


async def test_bots_complete_a_table_and_the_game_starts(server: Server) -> None:
    async with guests(server, "ann", "bob") as [ann, bob]:
        await ann.ask("CreateTable", name="t", game="fish", seat_count=3)
        await bob.ask("WatchTable", table="t")
        assert await bob.refused("SetBots", count=3) == (NOT_NOW, "NOT_SEATED")
        await ann.ask("SetBots", count=3)  # the owner may watch
        await bob.sees(over)
        assert bob.mirror.watchers("t") == ["ann", "bob"]
        assert len(bob.mirror.table("t").result.ranking) > 0


async def test_bots_and_one_who_is_ready_start(server: Server) -> None:
    async with guests(server, "ann") as [ann]:
        await ann.ask("CreateTable", name="t", game="fish")
        await ann.ask("JoinTable", link="bot:first")
        await ann.ask("SetReady", ready=True)
        await ann.ask("SetBots", count=1)
        await ann.sees(over)
        await ann.ask("SetBots", count=0)
        assert (await ann.ask("SetReady", ready=True)).table.status == OVER
        assert await ann.refused("StartTable") == (NOT_NOW, "TOO_FEW_SEATS")


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
