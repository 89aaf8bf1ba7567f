"""The rooms whose code is mutated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

GAMES = "games/fairplay/games"
SERVER = "reference_server/fairplay/server"
SUITE = "conformance/fairplay"


@dataclass(frozen=True, slots=True)
class Room:
    """Source files: patterns of paths, of which folders stand for all files in them."""

    sources: tuple[str, ...]
    without: tuple[str, ...] = ()
    """Names of source files that only longer tests try."""

    def find_sources(self, root: Path) -> Iterator[str]:
        """Yield the paths of the Python files that are mutated, relative to the root of the tree."""
        for path in (path for pattern in self.sources for path in sorted(root.glob(pattern))):
            files = [path] if path.is_file() else sorted(path.rglob("*.py"))
            yield from (file.relative_to(root).as_posix() for file in files if file.name not in self.without)


ROOMS = {
    "rules": Room(
        (f"{GAMES}/*/rules", *(f"{GAMES}/kit/{name}.py" for name in ("draws", "knockout", "settings", "strategies")))
    ),
    "conversations": Room((f"{GAMES}/*/protocol", f"{GAMES}/kit/judging.py", f"{GAMES}/kit/messages.py")),
    "referee": Room((f"{SERVER}/*.py", f"{GAMES}/race.py")),
    "links": Room((f"{SERVER}/links", f"{SERVER}/http2")),
    "records": Room((f"{SERVER}/records",), without=("postgresql.py",)),
    "manager": Room((f"{SERVER}/manager",), without=("suite.py",)),
    "lobby": Room((f"{SERVER}/lobby",)),
    # Not the zoo: its players are mutants themselves.
    "suite": Room(
        (*(f"{SUITE}/conformance/{place}" for place in ("*.py", "cases", "writers")), f"{SUITE}/certificate")
    ),
}
