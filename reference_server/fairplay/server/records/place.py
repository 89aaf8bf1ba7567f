"""Places: where a server keeps its records, its accounts and the secrets of players.

A place is a directory with databases of SQLite (sqlite.py), or a database of PostgreSQL (postgresql.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # commands parse their arguments before they need a database
    from sqlalchemy import Connection, Engine

POSTGRESQL = ("postgresql://", "postgres://")


class Place(Protocol):
    """A place. Its name, str(place), is what was typed, and holds no password."""

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """Return what its driver raises."""

    @property
    def folders(self) -> Sequence[Path]:
        """Return the folders of this machine that belong to it: nobody else may look into them."""

    @property
    def in_use(self) -> bool:
        """Return whether a server writes its records here at the moment."""

    def writing(self) -> AbstractContextManager[Engine]:
        """Lock the records until the context is left or the process ends, and give their database, made if need be.

        Raises StoreInUse if another server has locked them, RecordsError if nothing can be kept here.
        """

    @property
    def keep_s(self) -> float | None:
        """Return after how many seconds without a batch `keep` is due; None: a lock stays as long as its process."""

    def keep(self, connection: Connection) -> None:
        """Keep the lock, over the connection that has it: who stands still for longer loses it to another server."""

    def reading(self) -> Engine:
        """Return the database of the records, for reading only. Raises RecordsError if there is none."""

    def has(self, part: str) -> bool:
        """Return whether there is a small database of this name."""

    def small(self, part: str) -> Engine:
        """Return a small database that several processes write to now and then, made if there is none.

        Only its owner may read it. Raises RecordsError if it cannot be made.
        """

    def damage(self, connection: Connection) -> Sequence[str]:
        """Return what the database itself finds wrong with the records."""


def parse_place(text: str) -> Place:
    """Return the place of this name: a URL of PostgreSQL, else a directory. Raises RecordsError for a bad URL."""
    if text.startswith(POSTGRESQL):
        from fairplay.server.records.postgresql import Postgresql  # noqa: PLC0415 - brings psycopg

        return Postgresql.parse(text)
    return at(Path(text))


def at(place: Place | Path) -> Place:
    """Return a place as it is, and a path as the directory there."""
    if isinstance(place, Path):
        from fairplay.server.records.sqlite import Directory  # noqa: PLC0415 - brings SQLAlchemy

        return Directory(place)
    return place
