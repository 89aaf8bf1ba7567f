"""The database of accounts, tokens, invitations and owners, beside that of the records.

Commands write to it while the server runs: each change counts `version` up, by which the server sees that it must read
the tables again. Tokens and invitations are kept as their SHA-256: they are long and random, so that nobody finds one
from its hash.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from fairplay.server.records import formats, sqlite
from fairplay.server.records.errors import RecordExists, RecordsError, RecordsUnavailable, first_line
from fairplay.server.records.place import Place

PART = "accounts"

TABLES = sa.MetaData()
VERSION = sa.Table("version", TABLES, sa.Column("number", sqlite.NUMBER, primary_key=True, autoincrement=False))
ACCOUNTS = sa.Table(
    "accounts",
    TABLES,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("role", sa.String(16), nullable=False),
    sa.Column("subject", sa.String(256), nullable=False),
)
TOKENS = sa.Table(
    "tokens",
    TABLES,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("digest", sa.LargeBinary, nullable=False),
    sa.Column("account", sa.String(64), nullable=False),
    sa.Column("expires_s", sa.BigInteger),
)
INVITATIONS = sa.Table(
    "invitations",
    TABLES,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("digest", sa.LargeBinary, nullable=False),
    sa.Column("role", sa.String(16), nullable=False),
    sa.Column("left_count", sa.Integer, nullable=False),
    sa.Column("expires_s", sa.BigInteger),
)
OWNERS = sa.Table(
    "owners",
    TABLES,
    sa.Column("kind", sa.String(16), primary_key=True),
    sa.Column("id", sa.String(128), primary_key=True),
    sa.Column("account", sa.String(64), nullable=False),
)


@dataclass(frozen=True, slots=True)
class AccountRow:
    """An account. `key` is its name in small letters; `subject` the common name of its certificates, if it has any."""

    key: str
    name: str
    role: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token of an account. `expires_s`: seconds since 1970; None: never."""

    id: str
    digest: bytes
    account: str
    expires_s: int | None


@dataclass(frozen=True, slots=True)
class InvitationRow:
    """An invitation, which serves for `left_count` more accounts."""

    id: str
    digest: bytes
    role: str
    left_count: int
    expires_s: int | None


class AccountsDatabase:
    """The database of one place. Its methods raise RecordsError if it cannot be read or written."""

    def __init__(self, place: Place) -> None:
        """Open the database of a place, made if there is none; only its owner may read it."""
        self._place = place
        self._engine = place.small(PART)
        try:
            with self._writing() as connection:
                formats.prepare(connection, PART, TABLES, place)
        except RecordsError:
            self.close()
            raise

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def version(self) -> int:
        """Return a number that grows with each change."""
        with self._reading() as connection:
            number: int = connection.scalars(sa.select(VERSION.c.number)).one()
        return number

    def accounts(self) -> list[AccountRow]:
        """Return all accounts that were not removed, by their keys."""
        return [row for values in self._all(ACCOUNTS) if (row := AccountRow(*values)).role]

    def tokens(self) -> list[TokenRow]:
        """Return all tokens, by their ids."""
        return [TokenRow(*row) for row in self._all(TOKENS)]

    def invitations(self) -> list[InvitationRow]:
        """Return all invitations, by their ids."""
        return [InvitationRow(*row) for row in self._all(INVITATIONS)]

    def owners(self) -> dict[tuple[str, str], str]:
        """Return whose everything is: (kind, id) -> the key of an account."""
        return {(kind, id_): account for kind, id_, account in self._all(OWNERS)}

    def add_account(self, row: AccountRow) -> None:
        """Add an account. Raises RecordExists if there is one of this key."""
        self._insert(ACCOUNTS, [asdict(row)], f"the name {row.name} is that of an account, or was")

    def add_invited(self, row: AccountRow, invitation: str) -> bool:
        """Add an account and use up an invitation, both or neither. Return whether the invitation had some left.

        Raises RecordExists if there is an account of this key.
        """
        used = (
            sa.update(INVITATIONS)
            .where(INVITATIONS.c.id == invitation, INVITATIONS.c.left_count > 0)
            .values(left_count=INVITATIONS.c.left_count - 1)
        )
        try:
            with self._writing() as connection:
                if not connection.execute(used).rowcount:
                    return False
                connection.execute(sa.insert(ACCOUNTS), [asdict(row)])
        except IntegrityError:
            raise RecordExists(f"the name {row.name} is that of an account, or was") from None
        return True

    def change_account(self, key: str, **values: str) -> bool:
        """Change an account, and return whether there is one."""
        with self._writing() as connection:
            changed = sa.update(ACCOUNTS).where(ACCOUNTS.c.key == key, ACCOUNTS.c.role != "").values(**values)
            return bool(connection.execute(changed).rowcount)

    def remove_account(self, key: str) -> bool:
        """Remove an account and its tokens, and return whether there was one.

        Its row stays, without a role: the name must not be given to somebody who would own what it owned.
        """
        removed = sa.update(ACCOUNTS).where(ACCOUNTS.c.key == key, ACCOUNTS.c.role != "").values(role="", subject="")
        with self._writing() as connection:
            connection.execute(sa.delete(TOKENS).where(TOKENS.c.account == key))
            return bool(connection.execute(removed).rowcount)

    def add_token(self, row: TokenRow) -> None:
        """Add a token."""
        self._insert(TOKENS, [asdict(row)], f"there is a token {row.id} already")

    def remove_token(self, id_: str) -> bool:
        """Remove a token or an invitation, and return whether there was one."""
        with self._writing() as connection:
            removed = [connection.execute(sa.delete(table).where(table.c.id == id_)) for table in (TOKENS, INVITATIONS)]
            return any(result.rowcount for result in removed)

    def add_invitation(self, row: InvitationRow) -> None:
        """Add an invitation."""
        self._insert(INVITATIONS, [asdict(row)], f"there is an invitation {row.id} already")

    def set_owner(self, kind: str, ids: Sequence[str], account: str) -> None:
        """Keep whose some things are. Raises RecordExists if one of them is somebody's already."""
        values = [{"kind": kind, "id": id_, "account": account} for id_ in ids]
        self._insert(OWNERS, values, f"the {kind} {ids[0]} has an owner already")

    def remove_owner(self, kind: str, id_: str) -> None:
        """Let something be nobody's again."""
        with self._writing() as connection:
            connection.execute(sa.delete(OWNERS).where(OWNERS.c.kind == kind, OWNERS.c.id == id_))

    def _all(self, table: sa.Table) -> list[tuple[Any, ...]]:
        """Return the rows of a table by their keys: a changed row has another place in PostgreSQL, not in SQLite."""
        with self._reading() as connection:
            return sorted(tuple(row) for row in connection.execute(sa.select(table)))

    def _insert(self, table: sa.Table, values: Sequence[dict[str, Any]], taken: str) -> None:
        try:
            with self._writing() as connection:
                connection.execute(sa.insert(table), values)
        except IntegrityError:
            raise RecordExists(taken) from None

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        try:
            with self._engine.connect() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise self._failed(error) from None

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        """Yield a connection within a transaction that counts the version up, where there is one yet."""
        try:
            with self._engine.begin() as connection:
                yield connection
                changed = connection.execute(sa.update(VERSION).values(number=VERSION.c.number + 1)).rowcount
                if not changed:
                    connection.execute(sa.insert(VERSION), [{"number": 1}])
        except IntegrityError:
            raise
        except SQLAlchemyError as error:
            raise self._failed(error) from None

    def _failed(self, error: SQLAlchemyError) -> RecordsError:
        return RecordsUnavailable(f"the accounts in {self._place} cannot be used: {first_line(error)}")
