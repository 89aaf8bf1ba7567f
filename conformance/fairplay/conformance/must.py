"""The MUST cases of a protocol revision, frozen: python -m fairplay.conformance.must REVISION [GAME ...]

Writes the lists of a revision that has none yet. What a published revision demands never changes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from fairplay.conformance.cases import cases
from fairplay.games.conformance import Level, find_conformance
from fairplay.games.game import Game, find, registered


def must_ids(game: Game) -> list[str]:
    """The ids of the MUST cases of a game as they are now, sorted."""
    return sorted(case.id for case in cases(game) if case.level is Level.MUST)


def freeze(game: Game, revision: int, directory: Path | None = None) -> Path:
    """Writes the list of a game. FileExistsError: it is frozen already."""
    package = find_conformance(game.name).package
    file = (directory or Path(str(files(package)))) / f"must-{revision}.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("x", encoding="utf-8") as lines:
        lines.write("".join(f"{case_id}\n" for case_id in must_ids(game)))
    return file


def main(arguments: Sequence[str]) -> int:
    """Freezes the lists of a revision, of all games or of those named."""
    if not arguments or not arguments[0].isdigit():
        sys.stderr.write(f"{__doc__}")
        return 2
    for name in arguments[1:] or registered():
        try:
            file = freeze(find(name), int(arguments[0]))
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
