"""The database of the secrets of players that serve, beside that of the records, which must not hold them.

Who shows a secret to a player counts as its server, so a secret cannot be kept as a hash. It is kept for as long as the
game or tournament of its player, so that a server that was started again can call the player.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from fairplay.server.records import formats
from fairplay.server.records.errors import RecordsUnavailable, first_line
from fairplay.server.records.place import Place

PART = "secrets"

TABLES = sa.MetaData()
SECRETS = sa.Table(
    "secrets",
    TABLES,
    sa.Column("record_id", sa.String(128), primary_key=True),
    sa.Column("player", sa.String(64), primary_key=True),
    sa.Column("secret", sa.String(256), nullable=False),
)

THIS_ONE = sa.delete(SECRETS).where(SECRETS.c.record_id == sa.bindparam("of"), SECRETS.c.player == sa.bindparam("name"))
"""Remove the secret of a player, `name`, for a game or tournament, `of`."""


class SecretsDatabase:
    """The database of one place; it is made with the first secret, and only its owner may read it.

    Its methods raise RecordsError if it cannot be read or written.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._engine: sa.Engine | None = None

    def all(self) -> dict[tuple[str, str], str]:
        """Return all secrets, by the id of the game or tournament and the name of the player."""
        if not self._place.has(PART):
            return {}
        with self._transaction() as connection:
            rows = connection.execute(sa.select(SECRETS)).all()
        return {(row.record_id, row.player): row.secret for row in rows}

    def add(self, record_id: str, secrets: Mapping[str, str]) -> None:
        """Add secrets of players of a game or tournament, by their names."""
        rows = [{"record_id": record_id, "player": name, "secret": secret} for name, secret in secrets.items()]
        with self._transaction() as connection:
            connection.execute(THIS_ONE, [{"of": record_id, "name": name} for name in secrets])
            connection.execute(sa.insert(SECRETS), rows)

    def remove(self, keys: Sequence[tuple[str, str]]) -> None:
        """Remove the secrets of these players."""
        rows = [{"of": record_id, "name": player} for record_id, player in keys]
        with self._transaction() as connection:
            connection.execute(THIS_ONE, rows)

    def close(self) -> None:
        """Close the database."""
        if self._engine is not None:
            self._engine.dispose()

    @contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        try:
            with self._opened().begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            # The statement in SQLAlchemy's own text would hold the secrets.
            raise RecordsUnavailable(f"the secrets in {self._place} cannot be used: {first_line(error)}") from None

    def _opened(self) -> sa.Engine:
        if self._engine is None:
            self._engine = formats.open_small(self._place, PART, TABLES)
        return self._engine
