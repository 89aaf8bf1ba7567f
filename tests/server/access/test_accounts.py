"""Accounts, tokens and invitations: who is known by them, for how long, and what is kept of them."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairplay.server.access.accounts import REFRESH_S, AccountError, Accounts, NameTakenError
from fairplay.server.records.accounts import AccountsDatabase
from fairplay.server.records.place import Place, at


class Clocks:
    """Two clocks that stand still until a test moves them."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.monotonic = 0.0


@pytest.fixture
def database(place: Place) -> Iterator[AccountsDatabase]:
    database = AccountsDatabase(place)
    yield database
    database.close()


def over(database: AccountsDatabase, clocks: Clocks) -> Accounts:
    return Accounts(database, lambda: clocks.now, lambda: clocks.monotonic)


def test_an_account_is_known_by_its_tokens(database: AccountsDatabase) -> None:
    accounts = over(database, Clocks())
    accounts.add("Alice", "player")
    first, _ = accounts.new_token("alice", None)
    second, _ = accounts.new_token("ALICE", 60.0)
    assert first != second
    for token in (first, second):
        caller = accounts.find(token)
        assert caller is not None
        assert (caller.account, caller.name) == ("alice", "Alice")


@pytest.mark.parametrize("change", [lambda t: t[:-1], lambda t: t.swapcase()])
def test_nobody_is_known_by_anything_else(database: AccountsDatabase, change: object) -> None:
    accounts = over(database, Clocks())
    accounts.add("alice", "player")
    token, _ = accounts.new_token("alice", None)
    invitation = accounts.invite("player", 1, None)
    assert callable(change)
    assert accounts.find(change(token)) is None
    assert accounts.find(invitation) is None
    assert accounts.find("fpt_" + "x" * 100_000) is None


def test_a_token_ends_when_it_expires_is_revoked_or_its_account_is_removed(database: AccountsDatabase) -> None:
    clocks = Clocks()
    accounts = over(database, clocks)
    accounts.add("alice", "player")
    tokens = [accounts.new_token("alice", lasts)[0] for lasts in (60.0, None, None)]
    clocks.now += 60
    assert [accounts.find(token) is not None for token in tokens] == [False, True, True]
    accounts.revoke(tokens[1].split("_")[1])
    assert [accounts.find(token) is not None for token in tokens] == [False, False, True]
    accounts.remove("alice")
    assert [accounts.find(token) is not None for token in tokens] == [False, False, False]


def test_the_name_of_a_removed_account_is_not_given_again(database: AccountsDatabase) -> None:
    accounts = over(database, Clocks())
    accounts.add("alice", "player")
    accounts.remove("alice")
    with pytest.raises(NameTakenError):
        accounts.add("Alice", "player")
    with pytest.raises(AccountError):
        accounts.new_token("alice", None)
    with pytest.raises(AccountError):
        accounts.change("alice", "operator")
    assert accounts.accounts == []


def test_what_commands_change_counts_soon_in_a_running_server(place: Place, database: AccountsDatabase) -> None:
    clocks = Clocks()
    running = over(database, clocks)
    assert running.find("fpt_00000000_x") is None
    other = AccountsDatabase(place)
    command = over(other, clocks)
    command.add("alice", "player")
    token, _ = command.new_token("alice", None)
    clocks.monotonic += REFRESH_S
    assert running.find(token) is not None
    command.change("alice", "operator")
    command.revoke(token.split("_")[1])
    clocks.monotonic += REFRESH_S
    assert running.find(token) is None
    other.close()


def test_an_invitation_serves_as_often_as_it_was_made_for(database: AccountsDatabase) -> None:
    clocks = Clocks()
    accounts = over(database, clocks)
    invitation = accounts.invite("player", 2, 60.0)
    assert accounts.redeem("a", invitation) is not None
    with pytest.raises(NameTakenError):
        accounts.redeem("A", invitation)
    with pytest.raises(AccountError, match="is not a name"):
        accounts.redeem("not a name", invitation)
    clocks.now += 59
    assert accounts.redeem("b", invitation) is not None
    assert accounts.redeem("c", invitation) is None
    late = accounts.invite("organiser", 1, 60.0)
    clocks.now += 60
    assert accounts.redeem("c", late) is None
    assert [(row.name, row.role) for row in accounts.accounts] == [("a", "player"), ("b", "player")]


def test_the_subject_of_a_certificate_belongs_to_one_account(database: AccountsDatabase) -> None:
    accounts = over(database, Clocks())
    accounts.add("alice", "player", "alice's laptop")
    with pytest.raises(AccountError, match="belongs to another account"):
        accounts.add("bob", "player", "alice's laptop")
    found = accounts.find_by_subject("alice's laptop")
    assert found is not None
    assert found.account == "alice"
    assert accounts.find_by_subject("") is None


def test_no_secret_is_kept_and_only_the_owner_reads_the_file(tmp_path: Path) -> None:
    database = AccountsDatabase(at(tmp_path))
    accounts = over(database, Clocks())
    accounts.add("alice", "player")
    secrets = [accounts.new_token("alice", None)[0], accounts.invite("player", 1, None)]
    path = tmp_path / "accounts.sqlite"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    data = path.read_bytes()
    for secret in secrets:
        _, id_, rest = secret.split("_", 2)
        assert len(rest) >= 43  # 256 bits
        assert id_.encode() in data
        assert rest.encode() not in data
    database.close()
