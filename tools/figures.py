"""Count how big the house is: lines, files, private functions used once, and arrows between the rooms of a package."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLANS = {
    "suite": "conformance/fairplay/conformance",
    "server": "reference_server/fairplay/server",
    "terminal": "terminal/fairplay/terminal",
}
"""The packages whose rooms are drawn: a room is a file or a folder directly in them."""


def tracked(*patterns: str) -> list[Path]:
    """Return the tracked files that match any of git's patterns, without generated ones."""
    names = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in names.splitlines() if not name.startswith("generated/") and (ROOT / name).is_file()]


def count_lines(paths: Sequence[Path]) -> int:
    """Return the number of lines of all files together."""
    return sum(len(path.read_text().splitlines()) for path in paths)


def import_lines(path: Path) -> int:
    """Return how many lines of a file are imports."""
    nodes = ast.walk(ast.parse(path.read_text()))
    return sum((n.end_lineno or n.lineno) - n.lineno + 1 for n in nodes if isinstance(n, ast.Import | ast.ImportFrom))


def uses_of_private_functions(path: Path) -> list[int]:
    """Return, for each private function that a file defines, how often the file names it elsewhere."""
    text = path.read_text()
    nodes = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    names = {n.name for n in nodes if n.name.startswith("_") and not n.name.endswith("__")}
    words = Counter(re.findall(r"\w+", text))
    return [words[name] - 1 for name in names]


def arrows(folder: str) -> set[tuple[str, str]]:
    """Return the pairs of rooms of a package of which the first imports the second."""
    package = ROOT / folder
    prefix = f"fairplay.{package.name}."
    files = tracked(f"{folder}/*.py")
    rooms = {path: path.relative_to(package).parts[0].removesuffix(".py") for path in files}
    found = {(rooms[path], room_of(name, prefix)) for path in files for name in imported(path)}
    return {(room, other) for room, other in found if room != other and other in rooms.values()}


def room_of(module: str, prefix: str) -> str:
    """Return the room of a package that holds a module; "" if it is outside the package."""
    return module.removeprefix(prefix).split(".")[0] if module.startswith(prefix) else ""


def imported(path: Path) -> Iterator[str]:
    """Find the dotted names that a file imports, those it imports from a package included."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def main() -> None:
    """Print the figures, and each plan as the rooms that each room imports."""
    product = [path for path in tracked("*.py") if path.relative_to(ROOT).parts[0] != "tests"]
    python, uses = count_lines(product), [count for path in product for count in uses_of_private_functions(path)]
    fish = tracked("games/fairplay/games/fish/*.py")
    print(f"product and protos, lines     {python + count_lines(tracked('proto/*.proto')):7,}")
    print(f"tests, lines                  {count_lines(tracked('tests/*.py')):7,}")
    print(f"Python files outside tests    {len(product):7,}")
    print(f"lines of a file, mean         {python / len(product):7.0f}")
    print(f"imports, share of lines       {sum(map(import_lines, product)) / python:7.0%}")
    print(f"private functions used once   {uses.count(1) / len(uses):7.0%}")
    print(f"a Fish                        {count_lines(fish):7,} lines in {len(fish)} files")
    for name, folder in PLANS.items():
        pairs = arrows(folder)
        print(f"\n{name}: {len(pairs)} arrows")
        for room in sorted({room for room, _ in pairs}):
            print(f"  {room}: {', '.join(sorted(other for first, other in pairs if first == room))}")


if __name__ == "__main__":
    main()
