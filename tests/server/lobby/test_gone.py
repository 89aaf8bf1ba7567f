"""What is gone: games that nobody has installed any more, tables deleted while their games go on, and left seats."""

from __future__ import annotations

import asyncio
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path

import pytest

from fairplay.server.lobby.table_records import KIND
from fairplay.server.lobby.users import LobbyLimits
from fairplay.server.records.chain import parsed
from fairplay.server.server import Server
from fairplay.v1.record_pb2 import RecordedTable, RecordEntry
from fairplay.v1.table_pb2 import Table
from tests.server.lobby.harness import OPEN, PATIENT, guests, lobby, mute
from tests.server.lobby.test_games import begun

USER = """
import asyncio, sys
import grpc
from fairplay.v1.lobby_pb2 import AttendRequest, EnterRequest
from fairplay.v1.lobby_pb2_grpc import LobbyServiceStub

async def main():
    async with grpc.aio.insecure_channel(sys.argv[1]) as channel:
        lobby = LobbyServiceStub(channel)
        entered = await lobby.Enter(EnterRequest(name="frozen"))
        async for _ in lobby.Attend(AttendRequest(token=entered.token)):
            print("here", flush=True)

asyncio.run(main())
"""
"""A user in a process of its own."""


def record_table(server: Server, name: str, game: str) -> None:
    """Write the record of a table, as a server with this game would have left it."""
    recorded = RecordedTable(
        table=Table(name=name, owner="ann", game=game, status=OPEN, min_seat_count=2, max_seat_count=4),
        table_id=f"table-{name}",
        owner_key=b"key",
    )
    entry = RecordEntry(table=recorded).SerializeToString()
    server.store.begin(KIND, recorded.table_id, entry, game=game, start_time_ns=1)


async def test_a_table_whose_game_is_not_there_any_more_waits_and_the_others_are_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with lobby(PATIENT, records=tmp_path) as server:
        record_table(server, "before", "fish")
        record_table(server, "lost", "backgammon")
        record_table(server, "after", "q")
    async with lobby(PATIENT, records=tmp_path) as server, guests(server, "cy") as [cy]:
        [said] = [each for each in caplog.messages if "cannot go on" in each]
        assert said.startswith("the table of record table-lost cannot go on: ")
        assert list(cy.mirror.tables) == ["after", "before"]
        assert [table.name for table in (await cy.ask("ListTables")).tables] == ["after", "before"]
        await cy.ask("CreateTable", name="lost", game="fish")
        assert [each.record_id for each in server.store.unfinished() if each.game == "backgammon"] == ["table-lost"]


async def test_a_table_that_was_deleted_in_a_game_stays_deleted_when_the_game_is_over(tmp_path: Path) -> None:
    async with lobby(PATIENT, records=tmp_path) as server, guests(server, "ann", "bob") as [ann, bob]:
        async with mute(server, ann) as [player]:
            game_id = await begun("t", ann, bob)
            await player.next_call()
            await bob.ask("LeaveTable")
            await ann.ask("DeleteTable", table="t")
            await bob.until(lambda event: event.table_deleted == "t")
            while not server.referee.get(game_id).HasField("result"):
                await ann.ask("ListTables")
        assert "deleted" in server.referee.get(game_id).result.aborted
        await ann.ask("CreateTable", name="u", game="fish")
        await bob.sees(lambda known: "u" in known.tables)
        assert list(bob.mirror.tables) == ["u"]
        ends = [
            [*parsed(server.store.read(each.record_id))][-1].table
            for each in server.store.list(KIND, limit=10)[0]
            if each.finished
        ]
        assert [(each.table.name, each.deleted) for each in ends] == [("t", True)]


async def test_a_seat_that_was_left_to_watch_is_not_kept_over_a_new_start(tmp_path: Path) -> None:
    async with lobby(PATIENT, records=tmp_path) as server, guests(server, "ann", "bob") as made:
        await made[0].ask("CreateTable", name="t", game="fish")
        for guest in made:
            await guest.ask("JoinTable", table="t", link="bot:first")
        await made[1].ask("WatchTable", table="t")
    async with lobby(PATIENT, records=tmp_path) as server, guests(server, "cy") as [cy]:
        assert cy.mirror.seats("t") == ["ann"]


@pytest.mark.slow
async def test_a_user_whose_process_is_frozen_is_lost_soon_where_the_operator_wants_it() -> None:
    limits = LobbyLimits(grace_s=0.1)
    async with lobby(limits, heartbeat_s=2.0) as server, guests(server, "ann") as [ann]:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", USER, server.address, stdout=PIPE, stderr=DEVNULL
        )
        try:
            assert process.stdout is not None
            assert await process.stdout.readline() == b"here\n"
            process.send_signal(signal.SIGSTOP)
            gone = await ann.until(lambda event: event.user_gone.name == "frozen")
            assert gone.user_gone.lost
        finally:
            process.kill()
            await process.wait()
