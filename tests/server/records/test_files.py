from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairplay.server.records.chain import chained
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.files import SUFFIX, check_size, load, save
from fairplay.server.records.verify import verify
from fairplay.v1.record_pb2 import Record, RecordEntry, Resumed, TournamentHeader
from fairplay.v1.referee_pb2 import Game
from tests.server.records.nim import header, players, recorded
from tests.server.records.test_verify import CHECKS

RECORD = recorded(header(), players({101: "garbage"}))
DATA = RECORD.SerializeToString()


def problem(path: Path) -> str:
    with pytest.raises(RecordsError) as caught:
        load(path)
    return str(caught.value)


def test_a_record_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / f"game{SUFFIX}"
    save(RECORD, path)
    assert load(path) == RECORD
    assert Record.FromString(path.read_bytes()) == RECORD
    assert verify(load(path), checks=CHECKS) == []
    assert list(tmp_path.iterdir()) == [path]


def test_entries_of_any_length_come_back_as_they_were(tmp_path: Path) -> None:
    header = RecordEntry(tournament=TournamentHeader(tournament_id="t")).SerializeToString()
    record = chained([header, *(b"x" * length for length in (*range(300), 16_300, 16_400, 2_100_000))])
    save(record, tmp_path / "t")
    assert load(tmp_path / "t") == record


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "r"
    path.write_bytes(b"x" * 10**6)
    save(RECORD, path)
    assert path.read_bytes() == DATA


@pytest.mark.parametrize("where", ["nowhere/r", "."])
def test_a_file_that_cannot_be_written_is_told(tmp_path: Path, where: str) -> None:
    (tmp_path / "directory").mkdir()
    path = tmp_path / "directory" / where
    with pytest.raises(RecordsError, match=f"cannot write {path}: "):
        save(RECORD, path)
    assert list((tmp_path / "directory").iterdir()) == []
    assert list(tmp_path.iterdir()) == [tmp_path / "directory"]


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    assert problem(tmp_path / "r") == f"cannot read {tmp_path / 'r'}: No such file or directory"
    assert problem(tmp_path) == f"cannot read {tmp_path}: Is a directory"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\nhello, this is text\n",
        Game(game_id="not a record").SerializeToString(),
        chained([RecordEntry(resumed=Resumed()).SerializeToString()]).SerializeToString(),
    ],
)
def test_a_file_that_is_no_record_is_told(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "r"
    path.write_bytes(data)
    assert problem(path) == f"{path} is not a Fairplay record"


def test_a_hash_of_the_wrong_length_is_told(tmp_path: Path) -> None:
    record = Record.FromString(DATA)
    record.entries[2].chain_hash = b"short"
    save(record, tmp_path / "r")
    assert problem(tmp_path / "r") == f"{tmp_path / 'r'} is damaged: entry 3 has no proper hash"


def test_a_file_with_something_behind_its_end_is_told(tmp_path: Path) -> None:
    (tmp_path / "r").write_bytes(DATA + b"more")
    assert "is cut off or damaged after entry" in problem(tmp_path / "r")


def test_a_file_of_2_gib_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "r"
    check_size(path, 2_147_483_647)
    with pytest.raises(RecordsError, match=f"{path} is too large for a Fairplay record: more than 2 GiB"):
        check_size(path, 2_147_483_648)
    path.touch()
    os.truncate(path, 2_147_483_648)
    assert problem(path) == f"{path} is too large for a Fairplay record: more than 2 GiB"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, len(DATA) - 1))
def test_a_file_that_was_cut_anywhere_is_found(tmp_path: Path, length: int) -> None:
    path = tmp_path / "r"
    path.write_bytes(DATA[:length])
    try:
        record = load(path)
    except RecordsError as error:
        assert "cut off or damaged after entry" in str(error) or "is not a Fairplay record" in str(error)
    else:
        assert verify(record, checks=CHECKS)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, len(DATA) - 1), st.integers(1, 255))
def test_a_changed_byte_anywhere_in_a_file_is_found(tmp_path: Path, at: int, by: int) -> None:
    path = tmp_path / "r"
    data = bytearray(DATA)
    data[at] ^= by
    path.write_bytes(data)
    try:
        record = load(path)
    except RecordsError:
        return
    assert verify(record, checks=CHECKS)
