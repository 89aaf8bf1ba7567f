"""How commands print and write. What players sent was chosen by strangers: it is shown, and steers no terminal."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from fairplay.client.errors import FailedError
from fairplay.client.text import harmless
from fairplay.games.kit.files import Output

SHORT_LIST = re.compile(r"\[\n([-\d.,\s]+)\n *\]")
"""A list of numbers, as json.dumps indents it. In strings there are no line ends, so that they stay as they are."""


def make_console(*, errors: bool = False) -> Console:
    """Return a console for standard output, or for standard error.

    Where that is no terminal, the cursor is not moved, whatever the environment says; it may ask for colours.
    """
    stream = sys.stderr if errors else sys.stdout
    if stream.isatty():
        return Console(stderr=errors, highlight=False)
    wanted = any(os.environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "TTY_COMPATIBLE"))
    colours = wanted and not os.environ.get("NO_COLOR")
    return Console(
        stderr=errors,
        highlight=False,
        force_terminal=False,
        force_interactive=False,
        color_system="standard" if colours else None,
    )


def say(console: Console, markup: str, *, cut: bool = False) -> None:
    """Print rich's markup, lines as long as they are; or `cut` to the width of a terminal."""
    if cut and console.is_terminal:
        console.print(harmless(markup), no_wrap=True, overflow="ellipsis")
    else:
        console.print(harmless(markup), soft_wrap=True)


# --- JSON ---


def print_json(value: object) -> None:
    """Print plain JSON, lists of numbers in one line."""
    text = SHORT_LIST.sub(lambda found: f"[{' '.join(found[1].split())}]", json.dumps(value, indent=2))
    make_console().out(text)


def write_json(value: Mapping[str, object], output: Output | None) -> None:
    """Write plain JSON, if it is wanted. Raises OSError, with one sentence, if it cannot be written."""
    if output is not None:
        output.write(json.dumps(value, indent=2) + "\n")


# --- files ---


def open_output(where: Path | str | None) -> Output | None:
    """Return where a result is to be written, if it is. Raises OSError, before anything is played, if it cannot be."""
    return Output(where) if where is not None else None


def make_directory(directory: Path) -> None:
    """Make a directory where there is none. Raises FailedError if it cannot be made, or not be written to."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FailedError(f"cannot make the directory {directory}: {error.strerror}") from None
    if not os.access(directory, os.W_OK | os.X_OK):
        raise FailedError(f"cannot write to the directory {directory}")
