"""The database of accounts: what each change changes, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from fairplay.server.records.accounts import AccountRow, AccountsDatabase, InvitationRow, TokenRow
from fairplay.server.records.errors import RecordExists, RecordsError
from fairplay.server.records.formats import opened
from fairplay.server.records.place import Place, at

ANN, BOB = AccountRow("ann", "Ann", "operator", "ann's laptop"), AccountRow("bob", "Bob", "player")
TOKENS = [TokenRow("t1", b"1", "ann", None), TokenRow("t2", b"2", "bob", 60), TokenRow("t3", b"3", "ann", 70)]
INVITATIONS = [InvitationRow("i1", b"1", "player", 2, None), InvitationRow("i2", b"2", "organiser", 1, 80)]


@pytest.fixture
def database(place: Place) -> Iterator[AccountsDatabase]:
    """A database with two accounts, their tokens, and two invitations."""
    database = AccountsDatabase(place)
    for account in (ANN, BOB):
        database.add_account(account)
    for token in TOKENS:
        database.add_token(token)
    for invitation in INVITATIONS:
        database.add_invitation(invitation)
    yield database
    database.close()


def test_what_was_added_is_there_when_it_is_opened_again(place: Place, database: AccountsDatabase) -> None:
    again = AccountsDatabase(place)
    assert again.accounts() == [ANN, BOB]
    assert sorted(again.tokens(), key=lambda row: row.id) == TOKENS
    assert sorted(again.invitations(), key=lambda row: row.id) == INVITATIONS
    again.close()


def test_the_version_grows_with_each_change(database: AccountsDatabase) -> None:
    changes: list[Callable[[], object]] = [
        lambda: database.add_account(AccountRow("cy", "Cy", "player")),
        lambda: database.add_invited(AccountRow("dee", "Dee", "player"), "i1"),
        lambda: database.change_account("ann", role="player"),
        lambda: database.remove_account("bob"),
        lambda: database.add_token(TokenRow("t4", b"4", "ann", None)),
        lambda: database.remove_token("t1"),
        lambda: database.add_invitation(InvitationRow("i3", b"3", "player", 1, None)),
        lambda: database.set_owner("game", ["g"], "ann"),
        lambda: database.remove_owner("game", "g"),
    ]
    for change in changes:
        before = database.version()
        assert database.version() == before
        change()
        assert database.version() > before


def test_a_name_a_token_an_invitation_or_an_owner_is_given_once(database: AccountsDatabase) -> None:
    database.set_owner("game", ["g1"], "ann")
    refused: list[tuple[Callable[[], object], str]] = [
        (
            lambda: database.add_account(AccountRow("ann", "ANN", "player")),
            "the name ANN is that of an account, or was",
        ),
        (lambda: database.add_invited(AccountRow("bob", "bob", "player"), "i1"), "the name bob is that of an account"),
        (lambda: database.add_token(TokenRow("t1", b"9", "bob", None)), "there is a token t1 already"),
        (lambda: database.add_invitation(INVITATIONS[0]), "there is an invitation i1 already"),
        (lambda: database.set_owner("game", ["g0", "g1"], "bob"), "the game g0 has an owner already"),
    ]
    for change, said in refused:
        with pytest.raises(RecordExists, match=said):
            change()
    assert database.accounts() == [ANN, BOB]
    assert database.invitations() == INVITATIONS, "an invitation is used up only by an account that is made"
    assert database.owners() == {("game", "g1"): "ann"}


def test_a_database_that_is_no_longer_what_it_was_is_told_in_one_sentence(
    place: Place, database: AccountsDatabase
) -> None:
    with opened(place, "accounts") as connection:
        for table in ("accounts", "version"):
            connection.execute(sa.text(f"DROP TABLE {table}"))
    uses: list[Callable[[], object]] = [database.accounts, lambda: database.add_account(ANN), database.version]
    for use in uses:
        with pytest.raises(RecordsError, match=r"^the accounts in .* cannot be used: ") as refused:
            use()
        assert "\n" not in str(refused.value)


def test_a_file_that_is_no_database_of_accounts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "accounts.sqlite").write_bytes(b"this is no database " * 100)
    with pytest.raises(RecordsError, match=f"the accounts in {tmp_path} cannot be used: file is not a database"):
        AccountsDatabase(at(tmp_path))
