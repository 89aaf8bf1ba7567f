"""Finding something about a game that takes seconds, and no call, in another process while cases are judged.

python -P -m fairplay.conformance.games.beforehand: a pickled order comes in, and what was found goes out.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from fairplay.conformance.games.context import Context, open_context
from fairplay.conformance.games.rivals import rival_names
from fairplay.conformance.player.transports import make_transport
from fairplay.games.game import find

COMMAND = (sys.executable, "-P", "-m", "fairplay.conformance.games.beforehand")
NICENESS = 5
"""The process gives way to the player, whose time is measured."""
Found = TypeVar("Found")


class Search(Generic[Found]):
    """A process that finds what a function of a module finds with a context; it ends with the context."""

    def __init__(self, context: Context, search: Callable[[Context], Found]) -> None:
        """Start the process. Raises OSError if there can be none."""
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        process = subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=quiet, start_new_session=True)
        context.at_end.push(process)
        context.at_end.callback(process.kill)
        assert process.stdin is not None and process.stdout is not None
        self._found = process.stdout
        order = search, context.game.name, context.seed, context.limits, context.examples, context.scope.name
        with suppress(BrokenPipeError), process.stdin as orders:
            pickle.dump(order, orders)

    def finish(self) -> Found | None:
        """Return what was found; None if the process has failed, as where another one knows nothing of the game."""
        try:
            found: Found = pickle.load(self._found)
        except (EOFError, pickle.UnpicklingError):
            return None
        return found


def main() -> None:
    """Find what is wanted."""
    os.nice(NICENESS)
    search, name, seed, limits, examples, profile = pickle.load(sys.stdin.buffer)
    game = find(name)
    transport = make_transport(game, f"bot:{rival_names(game)[0]}", "", 0.0)
    with open_context(game, transport, seed, limits, examples, profile=profile) as context:
        pickle.dump(search(context), sys.stdout.buffer)


if __name__ == "__main__":
    main()
