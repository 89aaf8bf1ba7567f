"""The rooms whose code is mutated, and the tests that have to notice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SERVER = "reference_server/fairplay/server"
SERVER_TESTS = "tests/server"
LIMITS = f"{SERVER_TESTS}/test_documented_limits.py"
SETTINGS_TESTS = "tests/games/test_settings.py"
GAMES = ("bazaar", "eriantys", "fish", "q", "webset")


@dataclass(frozen=True, slots=True)
class Room:
    """Source files, and the test files that cover them: patterns of paths. Folders stand for all files in them."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]
    nearest: tuple[str, ...] = ()
    """Names of test files that run first, beside the one that is named like the source file."""
    without: tuple[str, ...] = ()
    """Names of source files that only longer tests try."""

    def find_sources(self, root: Path) -> Iterator[str]:
        """Yield the paths of the Python files that are mutated, relative to the root of the tree."""
        return (path for path in _find_files(root, self.sources, "*.py") if Path(path).name not in self.without)

    def find_tests(self, root: Path) -> Iterator[str]:
        """Yield the paths of the test files, relative to the root of the tree."""
        return _find_files(root, self.tests, "test_*.py")

    def is_nearest(self, test: str, source: str) -> bool:
        """Return whether a test file is the one to run first for a source file."""
        name = Path(test).name
        return name == f"test_{Path(source).stem}.py" or name in self.nearest


def _find_files(root: Path, places: tuple[str, ...], pattern: str) -> Iterator[str]:
    for path in (path for place in places for path in sorted(root.glob(place))):
        files = [path] if path.is_file() else sorted(path.rglob(pattern))
        yield from (file.relative_to(root).as_posix() for file in files)


def _build_game_rooms(folder: str, nearest: tuple[str, ...], *shared: str) -> tuple[Room, ...]:
    return tuple(
        Room((f"games/fairplay/games/{game}/{folder}",), (f"tests/games/{game}", *shared), nearest) for game in GAMES
    )


ROOMS: dict[str, tuple[Room, ...]] = {
    "rules": (
        *_build_game_rooms("rules", ("test_rules.py",), SETTINGS_TESTS),
        Room(
            tuple(f"games/fairplay/games/kit/{name}.py" for name in ("draws", "knockout", "settings", "strategies")),
            ("tests/games/kit", SETTINGS_TESTS, "tests/games/q"),
        ),
    ),
    "conversations": (
        *_build_game_rooms("protocol", ("test_conversation.py", "test_codec.py")),
        Room(
            tuple(f"games/fairplay/games/kit/{name}.py" for name in ("judging", "messages")),
            ("tests/games/kit", "tests/games/q", "tests/games/eriantys"),
        ),
    ),
    "referee": (
        Room(
            (f"{SERVER}/*.py",),
            (
                f"{SERVER_TESTS}/test_*.py",
                f"{SERVER_TESTS}/lobby/test_late_join.py",
                "tests/games/q/test_server.py",
                "tests/terminal/test_dataset.py",
            ),
            ("test_referee.py", "test_racing.py", "test_late_join.py"),
        ),
        Room(("games/fairplay/games/race.py",), ("tests/games/test_race.py", f"{SERVER_TESTS}/test_racing.py")),
    ),
    "links": (
        Room(
            (f"{SERVER}/links", f"{SERVER}/http2"),
            (f"{SERVER_TESTS}/test_*.py", f"{SERVER_TESTS}/http2"),
            ("test_calls.py", "test_hub.py", "test_links.py", "test_listener.py"),
        ),
    ),
    "records": (
        Room(
            (f"{SERVER}/records",),
            (f"{SERVER_TESTS}/records", f"{SERVER_TESTS}/access", f"{SERVER_TESTS}/test_health.py", LIMITS),
            without=("postgresql.py",),
        ),
    ),
    "manager": (
        Room(
            (f"{SERVER}/manager",),
            (f"{SERVER_TESTS}/manager", f"{SERVER_TESTS}/test_secrets.py", LIMITS),
            without=("suite.py",),
        ),
    ),
    "lobby": (Room((f"{SERVER}/lobby",), (f"{SERVER_TESTS}/lobby", LIMITS)),),
    "suite": (
        # Not the zoo: its players are mutants themselves.
        Room(
            tuple(f"conformance/fairplay/conformance/{place}" for place in ("*.py", "cases", "writers")),
            ("tests/conformance",),
            tuple(f"test_{name}.py" for name in ("attribution", "games", "verdicts", "writers")),
        ),
        Room(("conformance/fairplay/certificate",), ("tests/conformance/test_certificates.py",)),
    ),
}
"""Name of a room -> its parts, each with tests of its own."""
