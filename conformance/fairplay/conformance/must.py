"""Freeze the MUST cases of a protocol revision: python -m fairplay.conformance.must REVISION [GAME ...]

Writes must-REVISION.txt into the conformance package of each game. What a published revision demands never changes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path

from fairplay.conformance.cases import cases
from fairplay.games.conformance import Level, find_conformance
from fairplay.games.game import Game, find, registered


def must_ids(game: Game) -> list[str]:
    """Return the ids of the MUST cases of a game as they are now, sorted."""
    return sorted(case.id for case in cases(game) if case.level is Level.MUST)


def must_file(game: Game, revision: int) -> Path:
    """Return the file of a game's list in a revision. Raises ValueError if the game names no package for it."""
    package = find_conformance(game.name).package
    if not package:
        raise ValueError(f"{game.title} names no package for its lists: set Conformance.package")
    return Path(str(files(package).joinpath(f"must-{revision}.txt")))


def freeze(game: Game, file: Path) -> None:
    """Write the list of a game to a new file. Raises FileExistsError if it is there: the revision is frozen."""
    with file.open("x", encoding="utf-8") as lines:
        lines.write("".join(f"{case_id}\n" for case_id in must_ids(game)))


def main(arguments: Sequence[str], find_file: Callable[[Game, int], Path] = must_file) -> int:
    """Freeze the lists of a revision, of all games or of those named, and return the exit code.

    `find_file` returns the file of a game's list in a revision.
    """
    if not arguments or not arguments[0].isdigit():
        sys.stderr.write(f"{__doc__}")
        return 2
    for name in arguments[1:] or registered():
        try:
            game = find(name)
            file = find_file(game, int(arguments[0]))
            freeze(game, file)
        except ValueError as error:
            sys.stderr.write(f"{error}\n")
            return 2
        except FileExistsError:
            sys.stderr.write(f"{name} is frozen in revision {arguments[0]}: a change needs a new revision\n")
            return 1
        sys.stdout.write(f"{file}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
