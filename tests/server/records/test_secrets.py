"""The database of the secrets of players."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from fairplay.server.records.accounts import AccountsDatabase
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.formats import opened
from fairplay.server.records.place import Place, at
from fairplay.server.records.secrets import SecretsDatabase


@pytest.fixture
def secrets(place: Place) -> Iterator[SecretsDatabase]:
    secrets = SecretsDatabase(place)
    yield secrets
    secrets.close()


def test_the_database_is_made_with_the_first_secret(place: Place, secrets: SecretsDatabase) -> None:
    assert secrets.all() == {}
    assert not place.has("secrets")
    secrets.add("g1", {"ann": "s3cret"})
    assert place.has("secrets")


def test_secrets_are_kept_replaced_and_removed_by_record_and_player(place: Place, secrets: SecretsDatabase) -> None:
    secrets.add("g1", {"ann": "a", "bob": "b"})
    secrets.add("g2", {"ann": "c"})
    secrets.add("g1", {"ann": "new"})
    kept = {("g1", "ann"): "new", ("g1", "bob"): "b", ("g2", "ann"): "c"}
    assert secrets.all() == kept
    again = SecretsDatabase(place)
    assert again.all() == kept
    again.remove([("g1", "ann"), ("g2", "bob")])
    again.close()
    assert secrets.all() == {("g1", "bob"): "b", ("g2", "ann"): "c"}


def test_what_is_removed_is_overwritten_whatever_sqlite_does_by_default(tmp_path: Path) -> None:
    def leave(connection: object, _: object) -> None:
        connection.execute("PRAGMA secure_delete = OFF")  # type: ignore[attr-defined]

    sa.event.listen(sa.Engine, "connect", leave)
    try:
        secrets = SecretsDatabase(at(tmp_path))
        secrets.add("g1", {"ann": "correct-horse-battery"})
        path = tmp_path / "secrets.sqlite"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert b"correct-horse-battery" in path.read_bytes()
        secrets.remove([("g1", "ann")])
        secrets.close()
    finally:
        sa.event.remove(sa.Engine, "connect", leave)
    assert b"correct-horse-battery" not in path.read_bytes()


def test_an_error_does_not_repeat_the_secrets(place: Place, secrets: SecretsDatabase) -> None:
    secrets.add("g1", {"ann": "s3cret"})
    with opened(place, "secrets") as connection:
        connection.execute(sa.text("DROP TABLE secrets"))
    for use in (secrets.all, lambda: secrets.add("g2", {"ann": "s3cret"}), lambda: secrets.remove([("g1", "ann")])):
        with pytest.raises(RecordsError, match=r"^the secrets in .* cannot be used: ") as refused:
            use()
        assert "s3cret" not in str(refused.value)


def test_a_database_of_something_else_is_refused_each_time(place: Place, secrets: SecretsDatabase) -> None:
    with opened(place, "secrets") as connection:
        connection.execute(sa.text("CREATE TABLE invoices (number INTEGER)"))
    for _ in range(2):
        with pytest.raises(RecordsError, match="there is something else than Fairplay secrets in"):
            secrets.add("g1", {"ann": "s3cret"})


def test_folders_are_made_for_small_databases_and_a_file_in_their_place_is_told(tmp_path: Path) -> None:
    AccountsDatabase(at(tmp_path / "a" / "b")).close()
    assert at(tmp_path / "a" / "b").has("accounts")
    (tmp_path / "file").touch()
    with pytest.raises(RecordsError, match=f"accounts cannot be kept in {tmp_path / 'file'}: File exists"):
        AccountsDatabase(at(tmp_path / "file"))
