"""What a store says beside the entries of its records: whatever of it was changed is found."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fairplay.server.filing import check_filing
from fairplay.server.manager.history import check_tournament
from fairplay.server.records.chain import START, link
from fairplay.server.records.chunks import Item, Trail, join, record_numbers, split
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.sqlite import FILE_NAME
from fairplay.server.records.store import Store
from fairplay.server.records.verify import CHECKS, verify
from fairplay.v1.record_pb2 import RecordEntry
from tests.server import harness
from tests.server.manager.harness import environment, plan

CHANGES: dict[str, str] = {
    "a game is missing": "DELETE FROM records WHERE record_id = 't/r1g1'",
    "the game of another tournament": "UPDATE records SET parent = 'u' WHERE record_id = 't/r1g1'",
    "the name of the game": "UPDATE records SET game = 'q' WHERE record_id = 't/r1g1'",
    "when a game began": "UPDATE records SET start_time_ns = start_time_ns + 1 WHERE record_id = 't/r1g1'",
    "when a game ended": "UPDATE records SET end_time_ns = end_time_ns - 1 WHERE record_id = 't/r1g1'",
    "when a tournament ended": "UPDATE records SET end_time_ns = end_time_ns - 1 WHERE record_id = 't'",
    "another id": "UPDATE records SET record_id = 't/r1g9' WHERE record_id = 't/r1g1'",
    "another kind": "UPDATE records SET kind = 'table' WHERE record_id = 't/r1g1'",
    "another header": "UPDATE records SET header = (SELECT header FROM records WHERE record_id = 't') "
    "WHERE record_id = 't/r1g1'",
    "another summary": "UPDATE records SET summary = (SELECT summary FROM records WHERE record_id = 't/r1g2') "
    "WHERE record_id = 't/r1g1'",
    "no summary": "UPDATE records SET summary = x'' WHERE record_id = 't'",
    "a game that goes on": "UPDATE records SET end_time_ns = NULL WHERE record_id = 't/r1g1'",
    "a game of no tournament is missing": "DELETE FROM records WHERE record_id = 'single'",
    "a tournament is missing": "DELETE FROM records WHERE record_id = 't'",
    "the last record is missing": "DELETE FROM records WHERE number = (SELECT max(number) FROM records)",
    "an unknown kind": "UPDATE records SET kind = 'gamf' WHERE record_id = 'single'",
    "a damaged header": "UPDATE records SET header = x'ff' WHERE record_id = 'single'",
    "chunks of another record": "UPDATE records SET chunks = (SELECT chunks FROM records WHERE record_id = 't') "
    "WHERE record_id = 'single'",
    "chunks of nobody": "UPDATE records SET chunks = x'' WHERE record_id = 't/r1g1'",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with a tournament."""
    directory = tmp_path_factory.mktemp("records")

    async def play() -> None:
        async with environment(directory) as here:
            here.stage.act("x", take_turn="raise")
            await here.play("t", plan([*"abcde", "x"]))
            await here.referee.play(harness.plan("bot:first", "bot:first"), "single")

    asyncio.run(play())
    return directory


def findings(place: Path) -> Iterator[str]:
    """Yield all that is wrong with a store."""
    checks = {**CHECKS, "tournament": check_tournament}
    with Store.read_only(place) as store:
        yield from store.defects()
        for kind in ("game", "tournament", "table"):
            for listing in store.list(kind, limit=1_000)[0]:
                try:
                    record = store.read(listing.record_id)
                    found = verify(record, finished=listing.finished, checks=checks)
                    found = found or check_filing(listing, record, store)
                except RecordsError as error:
                    yield str(error)
                else:
                    yield from (f"{listing.record_id}: {finding}" for finding in found)


def rewritten(connection: sqlite3.Connection, record_id: str) -> None:
    """Write another record in the place of one: every call took a second longer, and its chain is intact."""
    (number,) = connection.execute("SELECT number FROM records WHERE record_id = ?", [record_id]).fetchone()
    previous = START
    for chunk, data in connection.execute("SELECT number, data FROM chunks ORDER BY number").fetchall():
        items: list[Item] = []
        for each in sorted(record_numbers(data)):
            trail = Trail(each)
            for found in split(data, each):
                if each != number:
                    items.append((trail, found.hash, found.entry))
                    continue
                entry = RecordEntry.FromString(found.entry)
                if entry.HasField("call"):
                    entry.call.elapsed.seconds += 1
                previous = link(previous, entry.SerializeToString())
                items.append((trail, previous, entry.SerializeToString()))
        connection.execute("UPDATE chunks SET data = ? WHERE number = ?", [join(items), chunk])


def changed(place: Path, tmp_path: Path, change: Callable[[sqlite3.Connection], Any]) -> list[str]:
    copy = Path(shutil.copytree(place, tmp_path / "copy", dirs_exist_ok=True))
    connection = sqlite3.connect(copy / FILE_NAME)
    with connection:
        change(connection)
    connection.close()
    return [*findings(copy)]


def test_nothing_is_wrong_with_a_sound_store(place: Path) -> None:
    assert [*findings(place)] == []


@pytest.mark.parametrize("statement", CHANGES.values(), ids=CHANGES)
def test_whatever_the_store_says_beside_the_entries_is_compared_with_them(
    place: Path, tmp_path: Path, statement: str
) -> None:
    assert changed(place, tmp_path, lambda connection: connection.execute(statement))


def test_a_game_whose_whole_record_was_written_anew_is_not_the_one_that_its_tournament_names(
    place: Path, tmp_path: Path
) -> None:
    (found,) = changed(place, tmp_path, lambda connection: rewritten(connection, "t/r1g1"))
    assert found.endswith("the record of its game t/r1g1 does not end with the hash that is named here")
