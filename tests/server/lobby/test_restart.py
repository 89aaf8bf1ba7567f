"""A server that is started again has its tables, their seats and their games."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from fairplay.server.lobby.table_records import KIND
from fairplay.server.records.chain import parsed
from fairplay.server.records.store import Store
from fairplay.server.records.verify import verify
from fairplay.server.server import Server
from fairplay.v1.record_pb2 import RecordEntry
from tests.server.lobby.harness import OPEN, OVER, PATIENT, RUNNING, Guest, Waiting, guests, lobby, mute, refusal
from tests.server.lobby.test_games import begun


@asynccontextmanager
async def again(server: Server, *old: Guest) -> AsyncIterator[list[Guest]]:
    """Let the same users enter another server with their tokens."""
    async with AsyncExitStack() as stack:
        made = []
        for guest in old:
            new = Guest(server, guest.name, guest.token)
            stack.push_async_callback(new.close)
            await new.enter()
            await new.attend().event()
            made.append(new)
        yield made


async def crash(server: Server, records: Path) -> Path:
    """Copy what would be on the disk after a crash now."""
    await server.store.flush()
    left = records.with_name(f"{records.name}-left")
    shutil.copytree(records, left)
    return left


def tables_of(server: Server, *, finished: bool) -> list[str]:
    """Return the last entry of each record of a table, finished or not, as "name status"."""
    listings = server.store.list(KIND, limit=1_000)[0]
    last = [[*parsed(server.store.read(each.record_id))][-1].table for each in listings if each.finished is finished]
    return sorted(f"{each.table.name} {each.table.status}" for each in last)


@pytest.mark.parametrize("orderly", [True, False])
async def test_a_game_goes_on_and_its_players_are_at_their_seats_again(tmp_path: Path, orderly: bool) -> None:
    records = tmp_path / "records"
    waiting = Waiting("TakeTurn")
    async with (
        lobby(PATIENT, records=records) as server,
        guests(server, "ann", "bob") as before,
        mute(server, before[0]) as [player],
        player.answering(waiting),
    ):
        game_id = await begun("t", *before)
        await waiting.until_asked()
        if not orderly:
            records = await crash(server, records)
        await server.stop()
    async with lobby(PATIENT, records=records) as server, guests(server, "cy") as [cy]:
        table = cy.mirror.table("t")
        assert (table.status, table.game_id) == (RUNNING, game_id)
        assert [(seat.name, seat.present) for seat in table.seats] == [("ann", False), ("bob", False)]
        assert await refusal(Guest(server, "ann").enter()) == ("ALREADY_EXISTS", "NAME_TAKEN")
        assert await refusal(Guest(server, "ann", "guess").enter()) == ("PERMISSION_DENIED", "WRONG_TOKEN")
        async with again(server, *before) as [ann, bob], mute(server, ann) as [player]:
            assert ann.token == before[0].token
            await cy.sees(lambda known: all(seat.present for seat in known.table("t").seats))
            assert cy.mirror.user("ann").table == "t"
            async with player.answering(Waiting("nothing")):
                await cy.sees(lambda known: known.table("t").status == OVER)
                assert not server.referee.get(game_id).result.misconducts
                assert cy.mirror.seats("t") == ["ann", "bob"]
                await bob.ask("StartTable")
                await cy.sees(lambda known: known.table("t").status == OVER and known.table("t").game_id != game_id)


async def test_a_table_is_as_it_was_with_its_owner_its_result_and_its_links(tmp_path: Path) -> None:
    async with lobby(PATIENT, records=tmp_path) as server, guests(server, "ann", "bob", "cy") as before:
        ann, bob, cy = before
        await ann.ask("CreateTable", name="old", game="q")
        await ann.ask("CreateTable", name="t", game="fish")
        for guest in (ann, bob):
            await guest.ask("JoinTable", table="t", link="bot:greedy")
        await ann.ask("StartTable")
        await cy.sees(lambda known: known.table("t").status == OVER)
        await cy.ask("WatchTable", table="t")
        old = (await cy.ask("ListTables")).tables
    async with lobby(PATIENT, records=tmp_path) as server, again(server, *before) as [ann, bob, cy]:
        assert cy.mirror.user("cy").table == ""  # who only watched has to come again
        await cy.ask("WatchTable", table="t")
        new = (await cy.ask("ListTables")).tables
        assert [table.name for table in new] == ["t", "old"]
        assert new[0] == old[0]
        await bob.ask("StartTable")
        plan = server.referee.get((await cy.ask("ListTables")).tables[0].game_id).plan
        assert {player.link for player in plan.players} == {"bot:greedy"}
        await ann.ask("DeleteTable", table="old")
        await cy.sees(lambda known: known.table("t").status == OVER)


async def test_records_of_tables_are_sound_and_hold_no_token(tmp_path: Path) -> None:
    async with lobby(PATIENT, records=tmp_path) as server, guests(server, "ann", "bob") as [ann, bob]:
        for name in ("t", "u"):
            await ann.ask("CreateTable", name=name, game="fish")
            for guest in (ann, bob):
                await guest.ask("JoinTable", table=name, link="bot:first")
            await ann.ask("StartTable")
            await ann.sees(lambda known: known.table(name).status == OVER)  # noqa: B023 - waited for at once
        await ann.ask("DeleteTable", table="t")
        assert tables_of(server, finished=True) == [f"t {OVER}", f"t {OVER}", f"u {OVER}"]
        assert tables_of(server, finished=False) == [f"u {OVER}"]
        for listing in server.store.list(KIND, limit=100)[0]:
            assert verify(server.store.read(listing.record_id), finished=listing.finished) == []
    written = b"".join(path.read_bytes() for path in sorted(tmp_path.iterdir()))  # noqa: ASYNC240 - all has ended
    assert b"bot:first" in written
    for guest in (ann, bob):
        assert guest.token.encode() not in written


async def test_a_crash_between_two_records_of_a_table_loses_and_doubles_nothing(tmp_path: Path) -> None:
    async with lobby(PATIENT, records=tmp_path) as server, guests(server, "ann") as [ann]:
        await ann.ask("CreateTable", name="t", game="fish")
    store = Store.open(tmp_path)
    [listing], _ = store.list(KIND, limit=1)
    entry = RecordEntry.FromString(store.read(listing.record_id).entries[-1].entry)
    entry.table.table_id = "table-2"  # the one that goes on; the end of the one before is lost
    store.begin(KIND, "table-2", entry.SerializeToString(), game="fish", start_time_ns=listing.start_time_ns + 1)
    await store.close()
    async with lobby(PATIENT, records=tmp_path) as server, guests(server, "bob") as [bob]:
        assert list(bob.mirror.tables) == ["t"]
        assert tables_of(server, finished=True) == [f"t {OPEN}"]
        assert tables_of(server, finished=False) == [f"t {OPEN}"]


async def test_a_crash_before_the_game_leaves_a_table_that_can_be_started(tmp_path: Path) -> None:
    async with lobby(PATIENT, records=tmp_path) as server, guests(server, "ann", "bob") as before:
        ann, bob = before
        await ann.ask("CreateTable", name="t", game="fish")
        for guest in before:
            await guest.ask("JoinTable", table="t", link="bot:first")
    store = Store.open(tmp_path)
    [listing], _ = store.list(KIND, limit=1)
    entry = RecordEntry.FromString(store.read(listing.record_id).entries[-1].entry)
    entry.table.table.status, entry.table.table.game_id = RUNNING, "lost/game"
    store.reopen(listing.record_id).append(entry.SerializeToString())
    await store.close()
    async with lobby(PATIENT, records=tmp_path) as server, again(server, *before) as [ann, bob]:
        assert bob.mirror.table("t").status == OVER
        assert bob.mirror.table("t").result.aborted
        await ann.ask("StartTable")
        await bob.sees(lambda known: bool(known.table("t").result.ranking))
