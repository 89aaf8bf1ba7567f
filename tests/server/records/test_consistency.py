"""What a store says beside the entries of its records: whatever of it was changed is found."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from fairplay.server.manager.course import OpenGame
from fairplay.server.manager.history import check_tournament
from fairplay.server.records.chain import START, link, parsed
from fairplay.server.records.chunks import Item, Trail, join, record_numbers, split
from fairplay.server.records.consistency import check_filing
from fairplay.server.records.database import Listing
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.sqlite import FILE_NAME
from fairplay.server.records.store import Store
from fairplay.server.records.verify import CHECKS, verify
from fairplay.server.records.writer import Journal
from fairplay.v1.record_pb2 import RecordedTable, RecordEntry
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.table_pb2 import Table
from tests.server import harness
from tests.server.manager import test_history as history
from tests.server.manager.harness import environment, plan

OTHER = "the store has another {}, which its entries do not say"
GOES_ON = "the store has it as one that goes on, but its entries say that it is over"
MISSING = "t: entry {entry}: the record of its game t/r1g1 is missing"
ANOTHER = "t: entry {entry}: the record of its game t/r1g1 is that of another game, or of another result"
HASH = "t: entry {entry}: the record of its game t/r1g1 does not end with the hash that is named here"
SET, GAME, SINGLE = "UPDATE records SET", "WHERE record_id = 't/r1g1'", "WHERE record_id = 'single'"

CHANGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "a game is missing": (f"DELETE FROM records {GAME}", ("record number 2 is missing: after 1 comes 3", MISSING)),
    "the game of another tournament": (
        f"{SET} parent = 'u' {GAME}",
        (f"t/r1g1: {OTHER.format('parent')}", ANOTHER),
    ),
    "the name of the game": (f"{SET} game = 'q' {GAME}", (f"t/r1g1: {OTHER.format('game')}",)),
    "when a game began": (
        f"{SET} start_time_ns = start_time_ns + 1 {GAME}",
        (f"t/r1g1: {OTHER.format('start time')}",),
    ),
    "when a game ended": (f"{SET} end_time_ns = end_time_ns - 1 {GAME}", (f"t/r1g1: {OTHER.format('end time')}",)),
    "when a tournament ended": (
        f"{SET} end_time_ns = end_time_ns - 1 WHERE record_id = 't'",
        (f"t: {OTHER.format('end time')}",),
    ),
    "where a game begins": (
        f"{SET} first_chunk = first_chunk + 1 {GAME}",
        ("the record 't/r1g1' begins in another chunk than the store says",),
    ),
    "another id": (f"{SET} record_id = 't/r1g9' {GAME}", (MISSING,)),
    "another kind": (f"{SET} kind = 'table' {GAME}", (f"t/r1g1: {OTHER.format('kind')}",)),
    "another header": (
        f"{SET} header = (SELECT header FROM records WHERE record_id = 't') {GAME}",
        (f"t/r1g1: {OTHER.format('header')}",),
    ),
    "another summary": (
        f"{SET} summary = (SELECT summary FROM records WHERE record_id = 't/r1g2') {GAME}",
        (f"t/r1g1: {OTHER.format('summary')}", ANOTHER),
    ),
    "a damaged summary": (f"{SET} summary = x'ff' {GAME}", (f"t/r1g1: {OTHER.format('summary')}", ANOTHER)),
    "no summary": (f"{SET} summary = x'' WHERE record_id = 't'", (f"t: {OTHER.format('summary')}",)),
    "a game that goes on": (f"{SET} end_time_ns = NULL {GAME}", (f"t/r1g1: {GOES_ON}",)),
    "a tournament that goes on": (f"{SET} end_time_ns = NULL WHERE record_id = 't'", (f"t: {GOES_ON}",)),
    "a game of no tournament is missing": (f"DELETE FROM records {SINGLE}", ()),
    "a tournament is missing": (
        "DELETE FROM records WHERE record_id = 't'",
        ("record number 1 is missing: after 0 comes 2",),
    ),
    "the last record is missing": ("DELETE FROM records WHERE number = (SELECT max(number) FROM records)", ()),
    "an unknown kind": (f"{SET} kind = 'gamf' {SINGLE}", ("the record 'single' is of the unknown kind 'gamf'",)),
    "a damaged header": (f"{SET} header = x'ff' {SINGLE}", (f"single: {OTHER.format('header')}",)),
    "chunks of another record": (
        f"{SET} chunks = (SELECT chunks FROM records WHERE record_id = 't') {SINGLE}",
        ("the record 'single' has entries in other chunks than the store says", "single: the record is empty"),
    ),
    "chunks of nobody": (
        f"{SET} chunks = x'' {GAME}",
        (
            "the record 't/r1g1' has entries in other chunks than the store says",
            "t/r1g1: the record is empty",
            HASH,
        ),
    ),
    "chunks that cannot be read": (
        f"{SET} chunks = x'80' {GAME}",
        (
            "the record 't/r1g1' has entries in other chunks than the store says",
            "the records in {place} are damaged: the list of chunks is damaged",
            HASH,
        ),
    ),
}
"""What is changed, by which statement, and what is found. Chunks are left out: where they end is a matter of time."""


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


def longer(entry: RecordEntry) -> None:
    if entry.HasField("call"):
        entry.call.elapsed.seconds += 1


def drawn_otherwise(entry: RecordEntry) -> None:
    if entry.HasField("tournament"):
        entry.tournament.plan.ClearField("seed")
        entry.tournament.secret = b"another"


def rewritten(connection: sqlite3.Connection, record_id: str, change: Callable[[RecordEntry], None]) -> None:
    """Write another record in the place of one: its entries are changed, and its chain is intact."""
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
                change(entry)
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


def played_at(place: Path) -> int:
    """Return the number of the entry with the result of the game t/r1g1."""
    with Store.read_only(place) as store:
        entries = enumerate(parsed(store.read("t")), 1)
        return next(number for number, each in entries if each.played.game_id == "t/r1g1")


@pytest.mark.parametrize(("statement", "due"), CHANGES.values(), ids=CHANGES)
def test_whatever_the_store_says_beside_the_entries_is_compared_with_them(
    place: Path, tmp_path: Path, statement: str, due: tuple[str, ...]
) -> None:
    found = changed(place, tmp_path, lambda connection: connection.execute(statement))
    assert found
    names = {"entry": played_at(place), "place": tmp_path / "copy"}
    assert [each for each in found if not each.startswith("chunk ")] == [each.format(**names) for each in due]


def test_a_game_whose_whole_record_was_written_anew_is_not_the_one_that_its_tournament_names(
    place: Path, tmp_path: Path
) -> None:
    (found,) = changed(place, tmp_path, lambda connection: rewritten(connection, "t/r1g1", longer))
    assert found.endswith("the record of its game t/r1g1 does not end with the hash that is named here")


def test_the_secret_of_a_tournament_is_the_one_from_which_the_seeds_of_its_games_follow(
    place: Path, tmp_path: Path
) -> None:
    def change(connection: sqlite3.Connection) -> None:
        rewritten(connection, "t", drawn_otherwise)

    found = changed(place, tmp_path, change)
    assert any("has another seed than follows from the secret of the tournament" in each for each in found)


# --- records that no referee has written ---


@asynccontextmanager
async def filed(kind: str, entries: Sequence[RecordEntry], **columns: Any) -> AsyncIterator[tuple[Store, Journal]]:
    """Make a store with a record "r" of these entries, whose columns are as they should be unless said otherwise."""
    store = Store.open(None)
    first, *rest = [entry.SerializeToString() for entry in entries]
    journal = store.begin(kind, "r", first, **{"game": "fish", "start_time_ns": 1_000_000_000, **columns})
    for entry in rest:
        journal.append(entry)
    yield store, journal
    await store.close()


def check(store: Store, listing: Listing | None = None) -> list[str]:
    listing = listing or store.find("r")
    assert listing is not None
    return [str(finding) for finding in check_filing(listing, store.read("r"), store)]


def table(name: str = "t", **fields: Any) -> RecordEntry:
    return RecordEntry(table=RecordedTable(table=Table(name=name, game="fish"), table_id="r", **fields))


@pytest.mark.parametrize(
    ("columns", "due"),
    [
        ({}, []),
        ({"start_time_ns": 7}, []),  # a table has no time of its own
        ({"game": "q"}, [OTHER.format("game")]),
        ({"kind": "game"}, [OTHER.format("kind")]),
    ],
)
async def test_the_columns_of_a_table_are_those_of_its_header(columns: dict[str, Any], due: list[str]) -> None:
    async with filed(columns.pop("kind", "table"), [table()], **columns) as (store, _):
        assert check(store) == due


@pytest.mark.parametrize("summary", ["third", "last"])
async def test_the_summary_of_a_table_is_its_last_state(summary: str) -> None:
    async with filed("table", [table(), table(deleted=True)]) as (store, journal):
        assert check(store) == [GOES_ON]
    async with filed("table", [table("first"), table("second"), table("third")]) as (store, journal):
        last, kept = table("last", deleted=True), Table(name=summary, game="fish")
        journal.finish(last.SerializeToString(), kept.SerializeToString(), 2)
        assert check(store) == ([] if summary == "last" else [OTHER.format("summary")])


async def test_a_record_that_ended_after_it_was_listed_is_sound() -> None:
    async with filed("table", [table()]) as (store, journal):
        listed = store.find("r")
        last = table(deleted=True)
        journal.finish(last.SerializeToString(), last.table.table.SerializeToString(), 2)
        assert listed is not None
        assert check(store, listed) == []
        assert check(store, listed._replace(record_id="gone")) == [GOES_ON]
        ended = store.find("r")
        assert ended is not None
        assert check(store, ended._replace(record_id="gone")) == []


def tournament(*, aborted: str = "", chain_hash: bytes = b"") -> list[RecordEntry]:
    """Return the record of a tournament of one game that has no record itself."""

    def ended(game_id: str, game: OpenGame) -> GameResult:
        return history.result(game, aborted=aborted) if aborted else history.first_wins(game_id, game)

    entries = history.parsed(history.whole(history.World(lambda method, seat: b"", ended), "ab"))
    for entry in entries:
        if entry.HasField("played"):
            entry.played.chain_hash = chain_hash
    return entries


@pytest.mark.parametrize(
    ("aborted", "chain_hash", "missing"), [("", b"", True), ("x", b"", False), ("x", b"h", True), ("", b"h", True)]
)
async def test_only_the_record_of_a_game_that_may_never_have_begun_can_be_missing(
    aborted: str, chain_hash: bytes, missing: bool
) -> None:
    *entries, _ = tournament(aborted=aborted, chain_hash=chain_hash)
    async with filed("tournament", entries) as (store, _):
        found = check(store)
    numbers = [number for number, each in enumerate(entries, 1) if each.HasField("played")]
    played = [entries[number - 1].played.game_id for number in numbers]
    due = [f"entry {at}: the record of its game {name} is missing" for at, name in zip(numbers, played, strict=True)]
    assert due
    assert found == (due if missing else [])


@pytest.mark.parametrize(("chain_hash", "sound"), [(b"", True), (b"h", False)])
async def test_the_hash_of_a_game_that_goes_on_is_compared_too(chain_hash: bytes, sound: bool) -> None:
    *entries, _ = tournament(chain_hash=chain_hash)
    async with filed("tournament", entries) as (store, _):
        for each in entries:
            if each.HasField("played"):
                store.begin("game", each.played.game_id, b"", game="fish", parent="r", start_time_ns=1)
        found = check(store)
    assert (found == []) is sound
    assert all("does not end with the hash that is named here" in each for each in found)


async def test_a_tournament_that_is_being_cancelled_goes_on_until_its_players_are_told() -> None:
    begun = tournament()[:2]
    cancelled = [history.change(cancelled="rain")]
    async with filed("tournament", [*begun, *cancelled]) as (store, _):
        assert check(store) == []
    async with filed("tournament", [*begun, *cancelled, *cancelled], game="q") as (store, _):
        assert check(store) == [OTHER.format("game"), GOES_ON]
    async with filed("tournament", begun, parent="x", start_time_ns=2) as (store, _):
        assert check(store) == [OTHER.format("parent"), OTHER.format("start time")]
