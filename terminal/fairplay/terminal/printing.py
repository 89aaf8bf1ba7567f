"""How commands print and write. What players sent was chosen by strangers: it is shown, and steers no terminal."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from google.protobuf.message import Message
from rich.console import Console, RenderableType
from rich.panel import Panel
from rich.text import Text

from fairplay.client.errors import FailedError
from fairplay.client.wording import harmless
from fairplay.games.game import Game
from fairplay.games.kit.files import Output

SHORT_LIST = re.compile(r"\[\n([-\d.,\s]+)\n *\]")
"""A list of numbers, as json.dumps indents it. In strings there are no line ends, so that they stay as they are."""
CASES_NEEDED = 5
"""So many cases say something about those that follow."""
LINE_EVERY_S = 30.0


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


def timestamp(time: datetime | None) -> str | None:
    """Return a time in UTC for programs, as RFC 3339; None: there is none."""
    return time.isoformat().replace("+00:00", "Z") if time is not None else None


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


def draw_board(game: Game, state: Message, players: Sequence[str], title: str) -> RenderableType:
    """Return a state, full or public, as a framed picture with a title."""
    return Panel(Text.from_markup(game.text(state, players)), title=title, expand=False)


# --- how long something takes ---


class Estimate:
    """An estimate from the cases so far, for a run of so many cases in a budget."""

    def __init__(self, case_count: int, budget_s: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.case_count = case_count
        self.before_count = 0
        """How many were over before: they say nothing of how long others take."""
        self._budget_s = budget_s
        self._clock = clock
        self._began = self._printed = clock()
        self._judged_count = 0

    def count(self, count: int = 1) -> None:
        """Count cases, or other steps of the run, as done."""
        self._judged_count += count

    @property
    def text(self) -> str:
        """Return how long the run is still going to take, e.g. "about 3 min left"; "" if nothing is known yet."""
        left_count = self.case_count - self.before_count - self._judged_count
        if self._judged_count < CASES_NEEDED or left_count <= 0:
            return ""
        elapsed_s = self._clock() - self._began
        left_s = elapsed_s / self._judged_count * left_count
        if self._budget_s is not None:
            left_s = min(left_s, max(0.0, self._budget_s - elapsed_s))
        return f"about {left_s:.0f} s left" if left_s < 100 else f"about {left_s / 60:.0f} min left"

    def line(self, noun: str = "cases") -> str | None:
        """Return a line about the progress where the last one is long ago, or None."""
        now = self._clock()
        if now - self._printed < LINE_EVERY_S or not (self.text or not self.case_count):
            return None
        self._printed = now
        if not self.case_count:  # nobody knows how many there are
            return f"{self.before_count + self._judged_count} {noun}"
        return f"{self.before_count + self._judged_count} of {self.case_count} {noun}, {self.text}"
