from __future__ import annotations

import errno
import fcntl
from pathlib import Path

import pytest

from fairplay.server.records.errors import RecordsError, StoreInUse
from fairplay.server.records.place import Place, parse_place
from fairplay.server.records.sqlite import LOCK_NAME, hold
from fairplay.server.records.store import Store


def test_what_is_no_url_is_a_directory(tmp_path: Path) -> None:
    assert str(parse_place("records")) == "records"
    assert parse_place(str(tmp_path)).folders == [tmp_path]


@pytest.mark.parametrize(
    "url",
    ["postgresql://ann:s3cret@db/fairplay", "postgresql://db/fairplay?password=s3cret"],
)
def test_a_url_with_a_password_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(RecordsError, match=r"put it into ~/\.pgpass or PGPASSWORD instead") as refused:
        parse_place(url)
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize("url", ["postgresql://db", "postgresql://db:port/fairplay"])
def test_a_url_without_a_database_is_refused(url: str) -> None:
    with pytest.raises(RecordsError, match="is named as in postgresql://USER@HOST:5432/DATABASE"):
        parse_place(url)


def test_a_database_that_cannot_be_reached_is_told_in_one_line(tmp_path: Path) -> None:
    place = parse_place(f"postgresql://ann@/fairplay?host={tmp_path}")
    with pytest.raises(RecordsError, match=r"cannot use the records in postgresql://ann@/fairplay") as refused:
        Store.open(place)
    assert "\n" not in str(refused.value)


async def test_a_place_is_in_use_for_as_long_as_a_server_has_it(place: Place) -> None:
    store = Store.open(place)
    assert place.in_use is True
    with Store.read_only(place):
        assert place.in_use is True
    await store.close()
    assert place.in_use is False


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
