"""Texts that people have written, with whatever editor, and files that programs write, wherever they lie."""

from __future__ import annotations

import codecs
import os
import re
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import NamedTemporaryFile

BYTE_ORDER_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
DESCRIPTOR = re.compile(r"/dev/(?:stdin|stdout|stderr|fd/(\d+))|/proc/self/fd/(\d+)")
STANDARD = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
MAX_BYTES = 64 << 20
READER_LIMIT_S = 5.0
PAUSE_S = 0.01


class TextError(ValueError):
    """A file holds no text; one sentence."""


def read_text(file: Path) -> str:
    """Return the text of a file, or of standard input for "-", without a byte order mark and with plain line ends.

    Raises OSError if it cannot be read, TextError if it is not text in UTF-8, nor in UTF-16 with a byte order mark, or
    has no end in sight.
    """
    with nullcontext(sys.stdin.buffer) if str(file) == "-" else file.open("rb") as opened:
        data = opened.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise TextError(f"{file} cannot be read: it is longer than {MAX_BYTES >> 20} MiB")
    encoding = next((name for mark, name in BYTE_ORDER_MARKS.items() if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        found = f"the byte 0x{data[error.start]:02x}, which is not text in UTF-8"
        raise TextError(f"{file} cannot be read: line {line} holds {found}") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


class Output:
    """Where something is written once: a file, a pipe, a device, or standard output for "-".

    Files are written whole or not at all: who reads one meanwhile sees the old one. What is no file is opened at once.
    """

    def __init__(self, where: Path | str) -> None:
        """Check that it can be written to. Raises OSError, with one sentence, if it cannot be."""
        self._where = str(where)
        try:
            self._descriptor = None if self._where == "-" else _open(self._where)
        except OSError as error:
            raise self._failure(error) from None

    def write(self, data: bytes | str) -> None:
        """Write all that there is to write. Raises OSError, with one sentence, if it cannot be written."""
        encoded = data if isinstance(data, bytes) else data.encode("utf-8", "replace")
        try:
            if self._where == "-":
                sys.stdout.write(encoded.decode())
            elif self._descriptor is None:
                write_whole(Path(self._where), encoded)
            else:
                descriptor, self._descriptor = self._descriptor, None
                sys.stdout.flush()
                with os.fdopen(descriptor, "wb") as file:
                    file.write(encoded)
        except OSError as error:
            raise self._failure(error) from None

    def _failure(self, error: OSError) -> OSError:
        return OSError(f"cannot write {self._where}: {error.strerror or error}")


def descriptor_of(where: str) -> int | None:
    """Return the number of the open file that a path such as /dev/stdout stands for; None: it is another path."""
    if (found := DESCRIPTOR.fullmatch(where)) is None:
        return None
    return STANDARD[where] if where in STANDARD else int(found[1] or found[2])


def _open(where: str) -> int | None:
    """Return a descriptor of what is no regular file; None for a file that can be written. Raises OSError."""
    if (number := descriptor_of(where)) is not None:
        return os.dup(number)
    try:
        mode = os.stat(where).st_mode  # noqa: PTH116 - Path.stat has no advantage
    except FileNotFoundError:
        os.close(os.open(where, os.O_WRONLY | os.O_CREAT, 0o666))
        Path(where).resolve().unlink()
        return None
    if stat.S_ISFIFO(mode):
        return _open_fifo(where)
    descriptor = os.open(where, os.O_WRONLY | getattr(os, "O_NOCTTY", 0))
    if not stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    return None


def _open_fifo(where: str) -> int:
    """Return a descriptor of a FIFO as soon as somebody reads it. Raises OSError if nobody does."""
    until = time.monotonic() + READER_LIMIT_S
    while True:
        try:
            descriptor = os.open(where, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if not isinstance(error, PermissionError) and time.monotonic() < until:
                time.sleep(PAUSE_S)
                continue
            raise OSError(f"nobody reads it: {error.strerror}") from None
        os.set_blocking(descriptor, True)
        return descriptor


def write_whole(file: Path, data: bytes) -> None:
    """Write a file, whole or not at all, or in place where its folder takes no other file. Raises OSError."""
    with whole_file(file) as path:
        path.write_bytes(data)


@contextmanager
def whole_file(file: Path) -> Iterator[Path]:
    """Yield the path of a new file, which takes the place of `file` once it is written: whole or not at all.

    Where the folder takes no other file, that is `file` itself. Raises OSError.
    """
    target = file.resolve()
    try:
        new = NamedTemporaryFile(dir=target.parent, prefix=f".{target.name[:100]}.", delete=False)  # noqa: SIM115
    except OSError:
        yield target
        return
    new.close()
    temporary = Path(new.name)
    try:
        yield temporary
        with temporary.open("rb+") as written:
            os.fsync(written.fileno())
        temporary.chmod(_mode(target))
        _replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _replace(temporary: Path, target: Path) -> None:
    try:
        temporary.replace(target)
    except OSError:  # it is mounted by itself, as containers do
        target.write_bytes(temporary.read_bytes())
        temporary.unlink()


def _mode(file: Path) -> int:
    """Return the permissions of a file, or those that a new one gets."""
    if file.exists():
        return stat.S_IMODE(file.stat().st_mode)
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask
