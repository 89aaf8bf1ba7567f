"""The lock on a directory of records: one server writes there at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TextIO

from fairplay.server.records.errors import RecordsError, StoreInUse

FILE_NAME = "lock"


@contextmanager
def hold(directory: Path) -> Iterator[None]:
    """Lock a directory, made if there is none, until the context is left or the process ends.

    The directory itself is locked as well as the file that says by whom: somebody may remove that file.
    Raises StoreInUse if another server has locked it, RecordsError if it cannot be made or written to.
    """
    with ExitStack() as closing:
        try:
            directory.mkdir(parents=True, exist_ok=True)
            file = closing.enter_context((directory / FILE_NAME).open("a+", encoding="ascii"))
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
        with (directory / FILE_NAME).open("rb") as file:
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
