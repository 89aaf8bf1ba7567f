"""Tables: who may make, watch, join, leave, delete and start them, and what is said there."""

from __future__ import annotations

from typing import Any

from google.protobuf.duration_pb2 import Duration

from fairplay.games.game import find
from fairplay.server.lobby.users import LobbyLimits
from fairplay.server.server import Server
from fairplay.v1.game_pb2 import GameSettings, TimeControl
from fairplay.v1.table_pb2 import Part
from tests.server.harness import ByHand
from tests.server.lobby.harness import OPEN, OVER, RUNNING, Guest, guests, lobby, mute

INVALID = "INVALID_ARGUMENT"
NOT_NOW = "FAILED_PRECONDITION"
NO_TABLE = ("NOT_FOUND", "TABLE_NOT_FOUND")


async def seated(table: str, *players: Guest, link: str = "bot:first") -> None:
    """Let the first make a table, and all take seats there."""
    await players[0].ask("CreateTable", name=table, game="fish", time_control=long())
    for player in players:
        await player.ask("JoinTable", table=table, link=link)


def long() -> TimeControl:
    return TimeControl(decision_limit=Duration(seconds=60), first_decision_limit=Duration(seconds=60))


# --- making ---


async def test_a_table_is_made_watched_by_its_owner_and_told_to_all(server: Server) -> None:
    async with guests(server, "ann", "bob") as [ann, bob]:
        settings = GameSettings()
        settings.fish.rows = 6
        made = (await ann.ask("CreateTable", name="my table-1", game="fish", settings=settings)).table
        assert (made.owner, made.status, list(made.watchers), list(made.seats)) == ("ann", OPEN, ["ann"], [])
        assert (made.min_seat_count, made.max_seat_count) == (find("fish").seats.start, find("fish").seats.stop - 1)
        assert made.settings == settings
        assert not made.HasField("time_control")
        assert made.create_time.seconds > 0
        for guest in (ann, bob):
            await guest.sees(lambda known: known.table("my table-1") == made)
            assert guest.mirror.user("ann").table == "my table-1"
            assert guest.mirror.users["ann"].part == Part.PART_WATCHER


def wrong(**settings: int) -> GameSettings:
    made = GameSettings()
    for name, value in settings.items():
        setattr(made.fish, name, value)
    return made


async def test_the_name_of_a_table_is_the_same_in_other_letters(server: Server) -> None:
    async with guests(server, "ann", "bob") as [ann, bob]:
        await ann.ask("CreateTable", name="First table of them", game="fish")
        taken = ("ALREADY_EXISTS", "NAME_TAKEN")
        assert await bob.refused("CreateTable", name="FIRST TABLE OF THEM", game="q") == taken
        assert (await bob.ask("WatchTable", table="first table of them")).table.name == "First table of them"
        await ann.ask("DeleteTable", table="first table of THEM")
        await ann.ask("CreateTable", name="t" * 20, game="fish")


async def test_a_lobby_takes_so_many_tables_and_no_more() -> None:
    limits = LobbyLimits(max_table_count=3, max_owned_count=2)
    async with lobby(limits) as server, guests(server, "ann", "bob") as [ann, bob]:
        full = ("RESOURCE_EXHAUSTED", "LOBBY_FULL")
        await ann.ask("CreateTable", name="a", game="fish")
        await ann.ask("CreateTable", name="b", game="fish")
        assert await ann.refused("CreateTable", name="c", game="fish") == full
        await bob.ask("CreateTable", name="c", game="fish")
        assert await bob.refused("CreateTable", name="d", game="fish") == full


async def test_tables_are_listed_newest_first_a_page_at_a_time(server: Server) -> None:
    async with guests(server, "ann") as [ann]:
        for name, game in (("a", "fish"), ("b", "q"), ("c", "fish"), ("d", "fish")):
            await ann.ask("CreateTable", name=name, game=game)

        async def names(**fields: Any) -> tuple[list[str], str]:
            page = await ann.ask("ListTables", **fields)
            return [table.name for table in page.tables], page.next_page_token

        assert await names() == (["d", "c", "b", "a"], "")
        assert await names(game="q") == (["b"], "")
        first, token = await names(game="fish", page_size=2)
        assert first == ["d", "c"]
        assert await names(game="fish", page_size=2, page_token=token) == (["a"], "")
        assert await ann.refused("ListTables", page_token="x") == (INVALID, "INVALID_PAGE_TOKEN")


# --- going from table to table ---


async def test_a_repeat_changes_nothing(server: Server) -> None:
    async with guests(server, "ann", "bob") as [ann, bob]:
        await bob.ask("CreateTable", name="t", game="fish")
        for method in ("WatchTable", "JoinTable"):
            fields = {"link": "bot:first"} if method == "JoinTable" else {}
            first = await ann.ask(method, table="t", **fields)
            assert await ann.ask(method, table="t", **fields) == first


async def test_seats_are_taken_in_order_until_the_table_is_full(server: Server) -> None:
    async with guests(server, "d", "b", "c", "a", "eve") as made:
        await seated("t", *made[:4])
        assert await made[4].refused("JoinTable", table="t", link="bot:first") == (NOT_NOW, "TABLE_FULL")
        await made[4].sees(lambda known: known.seats("t") == ["d", "b", "c", "a"])


# --- links ---


async def test_commands_are_for_servers_that_allow_them() -> None:
    async with lobby(allow_exec=True) as server, guests(server, "ann") as [ann]:
        await ann.ask("CreateTable", name="t", game="fish")
        await ann.ask("JoinTable", link="exec:true")


async def test_without_a_link_it_is_the_player_that_dialled_in_under_the_name(server: Server) -> None:
    async with guests(server, "ann") as [ann], ByHand(server, "ann", token=ann.token) as player:
        await player.say_hello()
        await ann.ask("CreateTable", name="t", game="fish")
        table = (await ann.ask("JoinTable")).table
        assert [(seat.name, seat.present) for seat in table.seats] == [("ann", True)]


async def test_who_joins_again_with_another_link_plays_with_that_one(server: Server) -> None:
    async with guests(server, "ann", "bob") as [ann, bob]:
        await ann.ask("CreateTable", name="t", game="fish")
        for guest, link in ((ann, "bot:first"), (bob, "bot:first"), (ann, "bot:greedy"), (bob, "bot:first")):
            await guest.ask("JoinTable", table="t", link=link)
        game_id = (await ann.ask("StartTable")).table.game_id
        assert [player.link for player in server.referee.get(game_id).plan.players] == ["bot:greedy", "bot:first"]


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


async def test_only_its_owner_deletes_a_table(server: Server) -> None:
    async with guests(server, "ann", "bob") as [ann, bob]:
        await seated("t", ann, bob)
        assert await bob.refused("DeleteTable", table="t") == ("PERMISSION_DENIED", "NOT_OWNER")
        await ann.ask("LeaveTable")
        await ann.ask("DeleteTable", table="t")
        deleted = await bob.until(lambda event: event.HasField("table_deleted"))
        assert deleted.table_deleted == "t"
        assert bob.mirror.users["bob"].table == ""
        assert await bob.refused("Say", text="?") == (NOT_NOW, "NOT_AT_TABLE")
        assert await ann.refused("DeleteTable", table="t") == NO_TABLE


async def test_a_table_is_not_deleted_under_the_players_of_its_game(server: Server) -> None:
    async with guests(server, "ann", "bob") as [ann, bob], mute(server, ann, bob):
        await seated("t", ann, bob, link="")
        await ann.ask("StartTable")
        assert await ann.refused("DeleteTable", table="t") == (NOT_NOW, "TABLE_RUNNING")
        await bob.ask("LeaveTable")
        game_id = (await ann.ask("ListTables")).tables[0].game_id
        await ann.ask("DeleteTable", table="t")
        await ann.sees(lambda known: known.user("ann").table == "" and "t" not in known.tables)
        stopped = await server.referee.stop(game_id, "")  # which waits for the end
        assert stopped.result.aborted == "the table was deleted"


# --- starting ---


async def test_a_game_is_started_by_one_who_sits_there_with_enough_others(server: Server) -> None:
    async with guests(server, "ann", "bob", "cy") as [ann, bob, cy], mute(server, bob):
        await seated("t", ann)
        await cy.ask("WatchTable", table="t")
        assert await ann.refused("StartTable") == (NOT_NOW, "TOO_FEW_SEATS")
        await bob.ask("JoinTable", table="t")
        assert await cy.refused("StartTable") == (NOT_NOW, "NOT_SEATED")
        table = (await bob.ask("StartTable")).table
        assert table.status == RUNNING
        assert table.game_id
        assert await ann.refused("StartTable") == (NOT_NOW, "TABLE_RUNNING")
        assert await cy.refused("JoinTable", table="t", link="bot:first") == (NOT_NOW, "TABLE_RUNNING")
        for method, fields in (
            ("WatchTable", {"table": "t"}),
            ("CreateTable", {"name": "u", "game": "fish"}),
        ):
            assert await ann.refused(method, **fields) == (NOT_NOW, "SEATED")
        await cy.ask("CreateTable", name="u", game="fish")
        for method in ("WatchTable", "JoinTable"):
            assert await ann.refused(method, table="u") == (NOT_NOW, "SEATED")
        assert server.referee.get(table.game_id).plan.players[1].name == "bob"


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


async def test_a_game_that_is_over_is_started_anew_with_another_seed(server: Server) -> None:
    async with guests(server, "ann", "bob") as [ann, bob]:
        await seated("t", ann, bob)
        ids = []
        for _ in range(2):
            ids.append((await ann.ask("StartTable")).table.game_id)
            await ann.sees(lambda known: (known.table("t").status, known.table("t").game_id) == (OVER, ids[-1]))
            assert ann.mirror.table("t").result.ranking
            assert ann.mirror.seats("t") == ["ann", "bob"]
        first, second = (server.referee.get(game_id).plan for game_id in ids)
        assert first.seed != second.seed
        assert first.players == second.players


# --- talking ---


async def test_what_is_said_is_heard_at_the_table_and_nowhere_else(server: Server) -> None:
    async with guests(server, "ann", "bob", "cy") as [ann, bob, cy]:
        await seated("t", ann)
        await bob.ask("WatchTable", table="t")
        await cy.ask("CreateTable", name="u", game="fish")
        await bob.ask("Say", text="héllo \u4e16\u754c \U0001f600")
        for guest in (ann, bob):
            spoken = (await guest.until(lambda event: event.HasField("spoken"))).spoken
            assert (spoken.table, spoken.speaker, spoken.text) == ("t", "bob", "héllo 世界 😀")
        await ann.ask("Leave")
        await cy.until(lambda event: event.HasField("user_gone"))
        assert not any(event.HasField("spoken") for event in cy.events)


async def test_what_was_said_before_a_user_came_is_not_told(server: Server) -> None:
    async with guests(server, "ann", "bob") as [ann, bob]:
        await ann.ask("CreateTable", name="t", game="fish")
        await ann.ask("Say", text="before")
        await bob.ask("WatchTable", table="t")
        await ann.ask("Say", text="after")
        assert (await bob.until(lambda event: event.HasField("spoken"))).spoken.text == "after"
