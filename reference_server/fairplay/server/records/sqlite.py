"""All that is special about SQLite: a directory of databases, how to open and lock them, and what to watch for.

A write-ahead log lets others read while the server writes. `synchronous=NORMAL` hands every committed batch to
the operating system, so that nothing committed is lost with the server; only a loss of power can take the
last batches, and it takes them whole.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from sqlite3 import Connection as SqliteConnection
from sqlite3 import Error as SqliteError
from typing import TextIO
from urllib.parse import quote

from sqlalchemy import URL, BigInteger, Connection, Engine, Integer, create_engine, event, text

from fairplay.server.records.errors import RecordsError, StoreInUse

LOCK_NAME = "lock"

FILE_NAME = "records.sqlite"
BUSY_TIMEOUT_S = 5.0
NUMBER = BigInteger().with_variant(Integer(), "sqlite")
"""The type of numbers that are primary keys: SQLite keeps an INTEGER key, and no other, as the row's own address."""


@contextmanager
def hold(directory: Path) -> Iterator[None]:
    """Lock a directory, made if there is none, until the context is left or the process ends.

    The directory itself is locked as well as the file that says by whom: somebody may remove that file.
    Raises StoreInUse if another server has locked it, RecordsError if it cannot be made or written to.
    """
    with ExitStack() as closing:
        try:
            directory.mkdir(parents=True, exist_ok=True)
            file = closing.enter_context((directory / LOCK_NAME).open("a+", encoding="ascii"))
            descriptor = os.open(directory, os.O_RDONLY)
            closing.callback(os.close, descriptor)
        except OSError as error:
            problem = "it is a file, not a directory" if isinstance(error, FileExistsError) else error.strerror
            raise RecordsError(f"cannot keep records in {directory}: {problem}") from None
        _lock(file.fileno(), file, directory)
        _lock(descriptor, file, directory)
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def held(directory: Path) -> bool:
    """Return whether a server holds the lock of a directory."""
    try:
        with (directory / LOCK_NAME).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _lock(descriptor: int, file: TextIO, directory: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise StoreInUse(
            f"the records in {directory} are in use by another server (process {_holder(file)}): "
            "stop it, or name another directory"
        ) from None
    except OSError as error:
        raise RecordsError(f"cannot lock the records in {directory}: {error.strerror}") from None


def _holder(file: TextIO) -> str:
    file.seek(0)
    return file.read(20) or "unknown"


class Directory:
    """A directory with one file for the records, and one for each small database."""

    errors = (SqliteError, UnicodeDecodeError)  # the latter where a schema is damaged
    keep_s: float | None = None

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        """Return its path."""
        return str(self.path)

    @property
    def folders(self) -> Sequence[Path]:
        """Return the directory itself."""
        return [self.path]

    @property
    def in_use(self) -> bool:
        """Return whether a server holds the lock of the directory."""
        return held(self.path)

    @contextmanager
    def writing(self) -> Iterator[Engine]:
        """Lock the directory, made if there is none, and yield the database of its records."""
        with hold(self.path):
            engine = _engine(self.path / FILE_NAME, mode="rwc")
            event.listen(engine, "connect", _prepare)
            watch = _Watch(self.path / FILE_NAME)
            event.listen(engine, "checkout", watch.check)
            try:
                yield engine
            finally:
                engine.dispose()

    def keep(self, connection: Connection) -> None:
        """Do nothing: the system keeps the lock."""

    def reading(self) -> Engine:
        """Return the database of the records. Raises RecordsError if there is none."""
        path = self.path / FILE_NAME
        if not path.is_file():
            raise RecordsError(f"there are no records in {self}: it has no file {FILE_NAME}")
        # Beside a database that nobody has open SQLite makes files of its own, unless it may take it for unchangeable.
        apart = not any(path.with_name(f"{FILE_NAME}{suffix}").exists() for suffix in ("-wal", "-shm"))
        return _engine(path, mode="ro", unchanging=apart and not os.access(self.path, os.W_OK))

    def has(self, part: str) -> bool:
        """Return whether there is a file of this small database."""
        return self._file(part).exists()

    def small(self, part: str) -> Engine:
        """Return a small database; what is removed from it is overwritten in its file."""
        path = self._file(part)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise RecordsError(f"{part} cannot be kept in {self}: {error.strerror}") from None
        engine = _engine(path, mode="rwc")
        event.listen(engine, "connect", _overwrite)
        return engine

    def damage(self, connection: Connection) -> Sequence[str]:
        """Return what SQLite finds wrong; it compares its indexes with its tables too."""
        found = connection.execute(text("PRAGMA integrity_check(10)")).scalars().all()
        return [] if found == ["ok"] else [f"the database is damaged: {each}" for each in found]

    def _file(self, part: str) -> Path:
        return self.path / f"{part}.sqlite"


def _engine(path: Path, mode: str, *, unchanging: bool = False) -> Engine:
    query = {"mode": mode, "uri": "true", **({"immutable": "1"} if unchanging else {})}
    url = URL.create("sqlite", database=f"file:{quote(str(path.absolute()))}", query=query)
    connect_args = {"timeout": BUSY_TIMEOUT_S, "check_same_thread": False}
    return create_engine(url, connect_args=connect_args, paramstyle="named")


def _prepare(connection: SqliteConnection, _: object) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")


def _overwrite(connection: SqliteConnection, _: object) -> None:
    connection.execute("PRAGMA secure_delete = ON")


class _Watch:
    """A check that the file is still there: SQLite goes on writing to a file that was removed, without an error."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._identity: tuple[int, int] | None = None

    def check(self, *_: object) -> None:
        """Check the file before each batch. Raises RecordsError if it is not the one that was opened."""
        found = self._stat()
        if found != (self._identity or found):
            raise RecordsError(f"{self._path} was replaced by another file while the server wrote to it")
        self._identity = found

    def _stat(self) -> tuple[int, int]:
        try:
            found = os.stat(self._path)  # noqa: PTH116 - once a batch, and Path.stat costs three times as much
        except OSError as error:
            raise RecordsError(f"{self._path} is gone while the server writes to it: {error.strerror}") from None
        return found.st_dev, found.st_ino
