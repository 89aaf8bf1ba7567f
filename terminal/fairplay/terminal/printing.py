"""How commands print and write. What players sent was chosen by strangers: it is shown, and steers no terminal."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile

from rich.console import Console
from rich.text import Text

from fairplay.games.kit.printable import UNPRINTABLE
from fairplay.terminal.outcomes import FailedError

SHORT_LIST = re.compile(r"\[\n([-\d.,\s]+)\n *\]")
"""A list of numbers, as json.dumps indents it. In strings there are no line ends, so that they stay as they are."""
FILE_NAME = re.compile(r"[^A-Za-z0-9_.-]")


def say(console: Console, markup: str, *, cut: bool = False) -> None:
    """Print rich's markup, lines as long as they are; or `cut` to the width of a terminal."""
    if cut and console.is_terminal:
        console.print(harmless(markup), no_wrap=True, overflow="ellipsis")
    else:
        console.print(harmless(markup), soft_wrap=True)


def harmless(markup: str) -> Text:
    """Return the text of rich's markup without what could steer a terminal."""
    text = Text.from_markup(markup, emoji=False)
    text.plain = text.plain.translate(UNPRINTABLE)
    return text


def counted(count: int, noun: str) -> str:
    """Return a number of things, e.g. "1 entry" or "1,200 entries"."""
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun[:-1]}ies" if noun.endswith("y") else f"{count:,} {noun}s"


# --- JSON ---


def print_json(value: object) -> None:
    """Print plain JSON, lists of numbers in one line."""
    text = SHORT_LIST.sub(lambda found: f"[{' '.join(found[1].split())}]", json.dumps(value, indent=2))
    Console(highlight=False).out(text)


def check_json(where: str | None) -> None:
    """Raise FailedError, before anything is played, if a result could not be written to the file `where`."""
    if where is None or where == "-":
        return
    is_new = not Path(where).exists()
    try:
        with Path(where).open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise FailedError(f"cannot write {where}: {error.strerror}") from None
    if is_new:
        Path(where).unlink()


def write_json(value: Mapping[str, object], where: str) -> None:
    """Write plain JSON to a file, or to standard output for "-"."""
    text = json.dumps(value, indent=2) + "\n"
    if where == "-":
        sys.stdout.write(text)
    else:
        write_whole(Path(where), text)


# --- files ---


def write_whole(file: Path, text: str) -> None:
    """Write a text to a file, whole or not at all: who reads it meanwhile sees the old one. Raises OSError."""
    target = file.resolve()
    if target.exists() and not target.is_file():  # a terminal, a pipe: there is nothing to put in its place
        target.write_text(text, encoding="utf-8")
        return
    with NamedTemporaryFile(
        "w", dir=target.parent, prefix=f".{target.name[:100]}.", encoding="utf-8", delete=False
    ) as new:
        temporary = Path(new.name)
        try:
            new.write(text)
            new.flush()
            os.fsync(new.fileno())
            temporary.chmod(_mode(target))
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _mode(file: Path) -> int:
    """Return the permissions of a file, or those that a new one gets."""
    if file.exists():
        return stat.S_IMODE(file.stat().st_mode)
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def file_name(record_id: str, suffix: str) -> str:
    """Return a name for a file of a record, without '/': ids may have it."""
    return f"{FILE_NAME.sub('+', record_id) or 'record'}{suffix}"


def make_directory(directory: Path) -> None:
    """Make a directory where there is none. Raises FailedError if it cannot be made."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FailedError(f"cannot make the directory {directory}: {error.strerror}") from None
