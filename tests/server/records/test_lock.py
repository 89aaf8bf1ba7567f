"""One server at a time has a directory of records."""

from __future__ import annotations

import errno
import fcntl
from pathlib import Path

import pytest

from fairplay.server.records.errors import RecordsError, StoreInUse
from fairplay.server.records.sqlite import LOCK_NAME, hold


def test_a_directory_is_locked_also_when_the_file_that_says_so_was_removed(tmp_path: Path) -> None:
    with hold(tmp_path):
        with pytest.raises(StoreInUse), hold(tmp_path):
            pass
        (tmp_path / LOCK_NAME).unlink()
        with pytest.raises(StoreInUse), hold(tmp_path):
            pass
    with hold(tmp_path):
        pass


def refusal(directory: Path) -> str:
    with pytest.raises(RecordsError) as refused, hold(directory):
        pass
    return str(refused.value)


def test_a_lock_that_does_not_say_whose_it_is_is_one_all_the_same(tmp_path: Path) -> None:
    with (tmp_path / LOCK_NAME).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert "in use by another server (process unknown): stop it" in refusal(tmp_path)


def test_a_directory_that_cannot_be_made_or_locked_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    below = tmp_path / "file" / "records"
    assert refusal(below) == f"cannot keep records in {below}: Not a directory"

    def fail(_: object, __: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", fail)
    assert refusal(tmp_path) == f"cannot lock the records in {tmp_path}: No locks available"
