"""The lock on a directory of records: one server writes there at a time."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import TextIO

from fairplay.server.records.errors import RecordsError, StoreInUse

FILE_NAME = "lock"


def hold(directory: Path) -> TextIO:
    """Lock a directory, made if there is none, until the file that this returns is closed or the process ends.

    Raises StoreInUse if another server has locked it, RecordsError if it cannot be made or written to.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        file = (directory / FILE_NAME).open("a+", encoding="ascii")
    except OSError as error:
        problem = "it is a file, not a directory" if isinstance(error, FileExistsError) else error.strerror
        raise RecordsError(f"cannot keep records in {directory}: {problem}") from None
    try:
        _lock(file, directory)
    except RecordsError:
        file.close()
        raise
    return file


def _lock(file: TextIO, directory: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise StoreInUse(
            f"the records in {directory} are in use by another server (process {_holder(file)}): "
            "stop it, or name another directory"
        ) from None
    except OSError as error:
        raise RecordsError(f"cannot lock the records in {directory}: {error.strerror}") from None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()


def _holder(file: TextIO) -> str:
    file.seek(0)
    return file.read(20) or "unknown"
