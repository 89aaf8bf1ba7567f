from __future__ import annotations

from pathlib import Path

import pytest

from fairplay.server.records.errors import RecordsError
from fairplay.server.records.place import Place, parse_place
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
