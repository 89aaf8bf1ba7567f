"""All that is special about PostgreSQL: a database by its URL, with a schema for each of our own databases.

The one connection that writes records holds an advisory lock. Whoever loses that connection loses the lock with it: a
batch is saved by the server that has the lock, or not at all. A server that goes on gives a sign of life over it every
few seconds; without any PostgreSQL ends the connection, so that the records of a machine that hangs, or is cut off, are
not locked for hours.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError

from fairplay.server.records.errors import RecordsError, StoreInUse, first_line

CONNECT_LIMIT_S = 5
LOCK = (0x46616972, 1)
"""The key of the advisory lock: two numbers of 32 bits."""

LOCK_LIMIT_MS = 2_000
"""How long to wait for the lock: it is free a moment after the server that had it has ended."""

KEEP_S = 5.0
LEASE_S = 20
"""How long a server may stand still, or be out of reach, until another one may have its records."""

KEEP = f"""
SELECT set_config(name, value, false) FROM pg_settings AS known JOIN (VALUES
    ('idle_session_timeout', '{LEASE_S}s'), ('idle_in_transaction_session_timeout', '{LEASE_S}s'),
    ('tcp_keepalives_idle', '5'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3')
) AS wanted (name, value) USING (name)
"""
"""A sign of life, which says at once how long to wait for the next one: PostgreSQL before 14 cannot, and skips that."""

HOLDER = """
SELECT activity.application_name FROM pg_locks LEFT JOIN pg_stat_activity AS activity USING (pid)
WHERE locktype = 'advisory' AND granted AND classid = %s AND objid = %s
AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


class Postgresql:
    """A database of PostgreSQL."""

    errors = (psycopg.Error,)
    folders: Sequence[Path] = ()
    keep_s: float | None = KEEP_S

    def __init__(self, url: URL) -> None:
        self._url = url.set(drivername="postgresql+psycopg")
        self._name = url.render_as_string()

    @classmethod
    def parse(cls, text: str) -> Postgresql:
        """Return the database of a URL. Raises RecordsError if the URL is invalid, or holds a password."""
        try:
            url = make_url(text)
        except (ArgumentError, ValueError):
            url = None
        if url is None or not url.database:
            raise RecordsError("a database of PostgreSQL is named as in postgresql://USER@HOST:5432/DATABASE")
        if url.password is not None or "password" in url.query:
            raise RecordsError(
                "a password in a URL can be read by everybody on this machine: "
                "put it into ~/.pgpass or PGPASSWORD instead"
            )
        return cls(url)

    def __str__(self) -> str:
        """Return its URL."""
        return self._name

    @property
    def in_use(self) -> bool:
        """Return whether a server holds the lock."""
        with self._connected() as connection:
            return connection.execute(HOLDER, LOCK).fetchone() is not None

    @contextmanager
    def writing(self) -> Iterator[Engine]:
        """Lock the records, and yield an engine of the one connection that holds the lock."""
        self._make_schema("records")
        engine = self._engine("records", pool_size=1, max_overflow=0)
        event.listen(engine, "connect", self._lock)
        try:
            engine.connect().close()
            yield engine
        finally:
            engine.dispose()

    def keep(self, connection: Connection) -> None:
        """Give a sign of life."""
        connection.execute(text(KEEP))

    def reading(self) -> Engine:
        """Return the database of the records, for reading only. Raises RecordsError if there is none."""
        if not self.has("records"):
            raise RecordsError(f"there are no records in {self}")
        # Each query is by itself: a transaction would take two more messages there and back.
        return self._engine("records", "-c default_transaction_read_only=on", isolation_level="AUTOCOMMIT")

    def has(self, part: str) -> bool:
        """Return whether there is a schema of this small database."""
        with self._connected() as connection:
            found = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (_schema(part),))
            return found.fetchone() is not None

    def small(self, part: str) -> Engine:
        """Return a small database: a schema that only its owner may look into."""
        self._make_schema(part)
        return self._engine(part)

    def damage(self, _: Connection) -> Sequence[str]:
        """Return nothing: where its checksums are on, PostgreSQL refuses to read a damaged page."""
        return ()

    def _make_schema(self, part: str) -> None:
        if self.has(part):
            return  # whoever may only use it may not say CREATE, even IF NOT EXISTS
        with self._connected() as connection:
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {_schema(part)}")

    def _engine(self, part: str, options: str = "", **more: Any) -> Engine:
        arguments = _arguments(f"-c search_path={_schema(part)} {options}")
        return create_engine(self._url, connect_args=arguments, pool_pre_ping=True, **more)

    def _lock(self, connection: psycopg.Connection[tuple[Any, ...]], _: object) -> None:
        """Take the lock when the connection is made, for as long as it lasts."""
        try:
            connection.execute(f"SET LOCAL lock_timeout = {LOCK_LIMIT_MS}")
            connection.execute("SELECT pg_advisory_lock(%s, %s)", LOCK)
        except psycopg.errors.LockNotAvailable:
            connection.rollback()
            holder = connection.execute(HOLDER, LOCK).fetchone()
            connection.close()
            raise StoreInUse(
                f"the records in {self} are in use by another server ({_described(holder)}): "
                "stop it, or name another database"
            ) from None
        connection.rollback()

    @contextmanager
    def _connected(self) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        """Yield a connection of its own that commits each statement. Raises RecordsError, in one sentence."""
        where = self._url.set(drivername="postgresql").render_as_string(hide_password=False)
        try:
            with closing(psycopg.connect(where, autocommit=True, **_arguments(""))) as connection:
                yield connection
        except psycopg.Error as error:
            raise RecordsError(f"cannot use the records in {self}: {first_line(error)}") from None


def _schema(part: str) -> str:
    """Return the name of the schema of a database of ours. Each has its own: what may be read is granted by schema."""
    return f"fairplay_{part}"


def _arguments(options: str) -> dict[str, Any]:
    """Return the arguments of a connection. Its name says whose it is: other servers show it to people."""
    name = f"fairplay {os.getpid()} {socket.gethostname()}"
    return {"connect_timeout": CONNECT_LIMIT_S, "application_name": name, "options": options}


def _described(holder: tuple[Any, ...] | None) -> str:
    match str(holder[0] if holder else "").split(" "):
        case ["fairplay", process, host]:
            return f"process {process} on {host}"
        case _:
            return "unknown"
