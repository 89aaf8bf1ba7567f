"""What is missing between the records and chunks of a store, and what belongs to none."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fairplay.server.records.chunks import Trail, join, pack_numbers
from fairplay.server.records.soundness import Contents, Row


def chunk(*records: int) -> bytes:
    return join([(Trail(number), bytes(32), b"entry") for number in records])


def row(number: int, chunks: Sequence[int] | None, kind: str = "game", first: int = 0) -> Row:
    return Row(number, f"r{number}", kind, first or BEGUN_IN[number], None if chunks is None else pack_numbers(chunks))


BEGUN_IN = {1: 1, 2: 1, 3: 3, 4: 4}
SOUND = {1: chunk(1, 2), 2: chunk(2), 3: chunk(1, 3)}


def problems(chunks: dict[int, bytes], *rows: Row) -> list[str]:
    contents = Contents()
    for number, data in chunks.items():
        contents.take(number, data)
    return [*contents.problems, *contents.compare(rows)]


def test_a_store_with_all_its_chunks_and_records_is_sound() -> None:
    assert problems({}) == []
    assert problems(SOUND, row(1, [1, 3]), row(2, [1, 2], "tournament"), row(3, None, "table")) == []


def test_a_server_may_add_chunks_and_records_meanwhile() -> None:
    assert problems(SOUND, row(1, [1, 3, 4]), row(2, [1, 2]), row(3, [3, 5]), row(4, [4])) == []


@pytest.mark.parametrize(
    ("chunks", "rows", "said"),
    [
        (
            {2: SOUND[2], 3: SOUND[3]},
            [row(1, None, first=3), row(2, None, first=2), row(3, None)],
            "chunk number 1 is missing: after 0 comes 2",
        ),
        (
            {1: SOUND[1], 3: SOUND[3]},
            [row(1, [1, 3]), row(2, [1]), row(3, [3])],
            "chunk number 2 is missing: after 1 comes 3",
        ),
        (
            SOUND,
            [row(1, [1, 3]), row(2, [1, 2]), row(3, [2, 3])],
            "the record 'r3' has entries in other chunks than the store says",
        ),
        (
            SOUND,
            [row(1, [1]), row(2, None), row(3, None)],
            "the record 'r1' has entries in other chunks than the store says",
        ),
        (
            SOUND,
            [Row(1, "r1", "game", 1, b"123"), row(2, None), row(3, None)],
            "the record 'r1' has entries in other chunks than the store says",
        ),
        (SOUND, [row(1, None), row(2, None, "gamf"), row(3, None)], "the record 'r2' is of the unknown kind 'gamf'"),
        (
            SOUND,
            [row(1, None), row(2, None)],
            "chunk 3 has entries of record number 3, which is missing",
        ),
        (
            {**SOUND, 4: b"short"},
            [row(1, None), row(2, None), row(3, None)],
            "chunk 4 cannot be read: it ends within the head of an item",
        ),
    ],
)
def test_what_is_wrong_is_said(chunks: dict[int, bytes], rows: list[Row], said: str) -> None:
    assert problems(chunks, *rows) == [said]


def test_a_record_that_is_missing_is_said_with_the_first_chunk_that_has_it() -> None:
    assert problems(SOUND, row(3, [3])) == [
        "record number 1 is missing: after 0 comes 3",
        "chunk 1 has entries of record number 1, which is missing",
        "chunk 1 has entries of record number 2, which is missing",
    ]
