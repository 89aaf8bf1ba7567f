"""Which records a listing has, from memory and from the disk, and how its pages follow on each other."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import pytest

from fairplay.server.records.database import Listing, Selection
from fairplay.server.records.sqlite import FILE_NAME
from fairplay.server.records.store import Store

KINDS, PARENTS, GAMES, STARTS = ("game", "tournament"), ("", "t1", "t2"), ("nim", "q"), (5, 6, 7)
SELECTIONS: list[tuple[Selection, set[tuple[object, ...]]]] = [
    (Selection("game"), {("game",)}),
    (Selection("table"), set()),
    (Selection("tournament"), {("tournament",)}),
    (Selection("game", parent="t1"), {("game", "t1")}),
    (Selection("game", game="q"), {("game", "", "q"), ("game", "t1", "q"), ("game", "t2", "q")}),
    (Selection("game", from_ns=6), {("game", *more, at) for more in product(PARENTS, GAMES) for at in (6, 7)}),
    (Selection("game", to_ns=6), {("game", *more, 5) for more in product(PARENTS, GAMES)}),
    (Selection("game", from_ns=6, to_ns=7, game="nim"), {("game", parent, "nim", 6) for parent in PARENTS}),
    (Selection("game", from_ns=0, to_ns=0), set()),
    (Selection("game", finished=True), {("game", *more, True) for more in product(PARENTS, GAMES, STARTS)}),
    (Selection("game", finished=False), {("game", *more, False) for more in product(PARENTS, GAMES, STARTS)}),
    (Selection("tournament", "t2", "q", 7, 8, finished=True), {("tournament", "t2", "q", 7, True)}),
]
"""What is wanted, and how the descriptions of such records begin."""


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with a record of each description: kind, parent, game, start, and whether it is finished."""
    directory = tmp_path_factory.mktemp("records")
    Store.open(directory).__exit__(None, None, None)
    rows = [
        (number, str(number), kind, game, parent, start, 9 if finished else None, b"", b"", 1, b"")
        for number, (kind, parent, game, start, finished) in enumerate(product(*DESCRIPTIONS), start=1)
    ]
    insert(directory, rows)
    return directory


DESCRIPTIONS = (KINDS, PARENTS, GAMES, STARTS, (True, False))


def insert(directory: Path, rows: Sequence[tuple[object, ...]]) -> None:
    with sqlite3.connect(directory / FILE_NAME) as database:
        database.executemany(f"INSERT INTO records VALUES ({', '.join('?' * 11)})", rows)
    database.close()


def describe(listing: Listing) -> tuple[object, ...]:
    return listing.kind, listing.parent, listing.game, listing.start_time_ns, listing.finished


def expected(starts: set[tuple[object, ...]]) -> set[tuple[object, ...]]:
    return {each for each in product(*DESCRIPTIONS) if any(each[: len(start)] == start for start in starts)}


def test_a_listing_has_the_records_that_fulfil_all_conditions(directory: Path) -> None:
    with Store.read_only(directory) as store:
        everything = [each for kind in KINDS for each in store.list(kind, limit=100)[0]]
        for wanted, starts in SELECTIONS:
            found, _ = store.select(wanted, limit=100)
            assert {describe(each) for each in found} == expected(starts), wanted
            assert {describe(each) for each in everything if wanted.fits(each)} == expected(starts), wanted


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with 20,001 records, of which the first and the last are tournaments."""
    directory = tmp_path_factory.mktemp("large")
    Store.open(directory).__exit__(None, None, None)
    kinds = ["tournament", *["game"] * 19_999, "tournament"]
    insert(
        directory,
        [(number, str(number), kind, "nim", "", 1, 9, b"", b"", 1, b"") for number, kind in enumerate(kinds, start=1)],
    )
    with Store.read_only(directory) as store:
        yield store


def test_one_page_looks_at_20_000_records_and_the_next_goes_on_there(large: Store) -> None:
    page = large.select(Selection("tournament"), limit=5)
    assert ([each.number for each in page[0]], page[1]) == ([20_001], 2)
    page = large.select(Selection("tournament"), limit=5, cursor=2)
    assert ([each.number for each in page[0]], page[1]) == ([1], None)


def test_one_page_of_the_oldest_first_looks_at_20_000_records_too(large: Store) -> None:
    page = large.select(Selection("tournament"), limit=5, oldest_first=True)
    assert ([each.number for each in page[0]], page[1]) == ([1], 20_000)
    page = large.select(Selection("tournament"), limit=5, cursor=20_000, oldest_first=True)
    assert ([each.number for each in page[0]], page[1]) == ([20_001], None)


def test_a_page_of_more_records_looks_at_as_many(large: Store) -> None:
    page, cursor = large.select(Selection("game"), limit=20_001)
    assert (len(page), cursor) == (19_999, None)
