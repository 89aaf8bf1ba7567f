"""All that is special about SQLite: how to open the database, and what to watch for.

A write-ahead log lets others read while the server writes. `synchronous=NORMAL` hands every committed batch to
the operating system, so that nothing committed is lost with the server; only a loss of power can take the
last batches, and it takes them whole.
"""

from __future__ import annotations

import os
from pathlib import Path
from sqlite3 import Connection as SqliteConnection
from sqlite3 import Error as SqliteError
from urllib.parse import quote

from sqlalchemy import URL, BigInteger, Connection, Engine, Integer, create_engine, event, text

from fairplay.server.records.errors import RecordsError

FILE_NAME = "records.sqlite"
BUSY_TIMEOUT_S = 5.0
ERRORS = (SqliteError, UnicodeDecodeError)
"""What the driver raises; the latter where a schema is damaged."""
NUMBER = BigInteger().with_variant(Integer(), "sqlite")
"""The type of numbers that are primary keys: SQLite keeps an INTEGER key, and no other, as the row's own address."""


def writable(directory: Path) -> Engine:
    """Return the database in a directory, made if there is none."""
    engine = _engine(directory / FILE_NAME, mode="rwc")
    event.listen(engine, "connect", _prepare)
    return engine


def readable(directory: Path) -> Engine:
    """Return the database in a directory, for reading only. Raises RecordsError if there is none."""
    path = directory / FILE_NAME
    if not path.is_file():
        raise RecordsError(f"there are no records in {directory}: it has no file {FILE_NAME}")
    return _engine(path, mode="ro")


def plain(path: Path) -> Engine:
    """Return the small database in a file, which several processes write to now and then."""
    return _engine(path, mode="rwc")


def damage(connection: Connection) -> list[str]:
    """Return what SQLite itself finds wrong with a database; its indexes are compared with its tables too."""
    found = connection.execute(text("PRAGMA integrity_check(10)")).scalars().all()
    return [] if found == ["ok"] else [f"the database is damaged: {each}" for each in found]


def _engine(path: Path, mode: str) -> Engine:
    query = {"mode": mode, "uri": "true"}
    url = URL.create("sqlite", database=f"file:{quote(str(path.absolute()))}", query=query)
    return create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S, "check_same_thread": False})


def _prepare(connection: SqliteConnection, _: object) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")


class Watch:
    """A check that the file is still there: SQLite goes on writing to a file that was removed, without an error."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / FILE_NAME
        self._identity = self._stat()

    def check(self) -> None:
        """Check the file. Raises RecordsError if it is not the one that was opened."""
        if self._stat() != self._identity:
            raise RecordsError(f"{self._path} was replaced by another file while the server wrote to it")

    def _stat(self) -> tuple[int, int]:
        try:
            found = os.stat(self._path)  # noqa: PTH116 - once a batch, and Path.stat costs three times as much
        except OSError as error:
            raise RecordsError(f"{self._path} is gone while the server writes to it: {error.strerror}") from None
        return found.st_dev, found.st_ino
