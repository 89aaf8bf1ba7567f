"""Finding things about a game that take seconds, and no call, in another process while cases are judged.

python -P -m fairplay.conformance.games.beforehand: pickled objects come in, what makes a context and then functions.
Pickled pairs go out, in this order: the function, and what it has found.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeAlias, TypeVar

from fairplay.conformance.games.context import Context, open_context
from fairplay.conformance.games.rivals import rival_names
from fairplay.conformance.player.transports import make_transport
from fairplay.games.game import find

COMMAND = (sys.executable, "-P", "-m", "fairplay.conformance.games.beforehand")
NICENESS = 5
"""The process gives way to the player, whose time is measured."""
FEW_EXAMPLES = 40
"""For so few states a process takes longer to start than what it is to find."""
Found = TypeVar("Found")
Search: TypeAlias = Callable[[Context], Found]
"""A function of a module that finds the same wherever it is called with the same seed."""
NAME = "searcher"


def prepare(search: Search[object]) -> Callable[[Context], None]:
    """Return a preparation of a case: another process is to find something, as far as there can be one."""

    def begin(context: Context) -> None:
        with suppress(OSError):
            if context.examples > FEW_EXAMPLES:
                context.once(NAME, lambda: Searcher(context)).begin(search)

    return begin


def found_beforehand(context: Context, search: Search[Found]) -> Found | None:
    """Return what another process has found, if it was to; None if not, or if it has failed."""
    searcher: Searcher | None = context.kept(NAME)
    return None if searcher is None else searcher.finish(search)


class Searcher:
    """A process that finds what it is to find, one after the other. It ends with a context."""

    def __init__(self, context: Context) -> None:
        """Start the process. Raises OSError if there can be none."""
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        self._process = subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=quiet, start_new_session=True)
        context.at_end.callback(self._end)
        self._wanted: list[Search[Any]] = []
        self._found: dict[Search[Any], Any] = {}
        self._send((context.game.name, context.seed, context.limits, context.examples, context.scope.name))

    def begin(self, search: Search[object]) -> None:
        """Have something found, after all that was to be found before."""
        self._wanted.append(search)
        self._send(search)

    def finish(self, search: Search[Found]) -> Found | None:
        """Return what was found, or None if that was not begun, or the process has failed.

        It fails for example if the game is known to this process alone.
        """
        assert self._process.stdout is not None
        while search in self._wanted and search not in self._found:
            try:
                self._found.update([pickle.load(self._process.stdout)])
            except (EOFError, pickle.UnpicklingError):
                self._wanted.clear()
        return self._found.get(search)

    def _send(self, order: object) -> None:
        assert self._process.stdin is not None
        pickle.dump(order, self._process.stdin)
        self._process.stdin.flush()

    def _end(self) -> None:
        self._process.kill()
        with suppress(BrokenPipeError):
            self._process.__exit__(None, None, None)


def main() -> None:
    """Find what is wanted, until nothing more is."""
    os.nice(NICENESS)
    name, seed, limits, examples, profile = pickle.load(sys.stdin.buffer)
    game = find(name)
    transport = make_transport(game, f"bot:{rival_names(game)[0]}", "", 0.0)
    with open_context(game, transport, seed, limits, examples, profile=profile) as context, suppress(EOFError):
        while True:
            search = pickle.load(sys.stdin.buffer)
            pickle.dump((search, search(context)), sys.stdout.buffer)
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
