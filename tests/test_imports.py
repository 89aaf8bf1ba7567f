"""No module needs another in a circle, and code for every game asks for none by its name.

Who may import whom is in pyproject.toml, and `make check` holds the code to it.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import grimp
import pytest
import rustworkx as rx

ROOT = Path(__file__).resolve().parent.parent
GAMES = "games/fairplay/games"
NAMES = frozenset(path.parent.name for path in (ROOT / GAMES).glob("*/rules"))
TEMPLATES = ROOT / "terminal" / "fairplay" / "terminal" / "templates" / "python"
"""What `fairplay new` copies: players of a project of its own, no modules of ours."""
SOURCES = [
    path
    for source in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["dev-mode-dirs"]
    if source != "generated/python"
    for path in (ROOT / source).rglob("*.py")
    if TEMPLATES not in path.parents
]


def test_no_modules_import_each_other_in_a_circle() -> None:
    packages = {".".join(path.parent.parts[-2:]) for path in SOURCES if path.parent.parent.name == "fairplay"}
    found = grimp.build_graph(*sorted(packages), cache_dir=None)
    # What a command does is imported when it runs.
    edges = [
        (name, needed)
        for name in found.modules
        if not name.startswith("fairplay.terminal.commands.")
        for needed in found.find_modules_directly_imported_by(name)
    ]
    graph = rx.PyDiGraph[str, None]()
    nodes = {name: graph.add_node(name) for name in found.modules}
    graph.add_edges_from_no_data([(nodes[name], nodes[needed]) for name, needed in edges])
    assert len(edges) > len(packages)
    assert [[graph[each] for each in group] for group in rx.strongly_connected_components(graph) if group[1:]] == []


def named_games(source: str) -> Iterator[tuple[int, str]]:
    """Find where code asks for a game by its name: the line, and the game."""
    for node in ast.walk(ast.parse(source)):
        asked: list[ast.expr | None] = []
        if isinstance(node, ast.Compare):
            asked = [node.left, *node.comparators]
        elif isinstance(node, ast.MatchValue):
            asked = [node.value]
        elif isinstance(node, ast.Dict):
            asked = list(node.keys)
        parts = [part for each in asked for part in getattr(each, "elts", [each])]
        yield from ((part.lineno, part.value) for part in parts if getattr(part, "value", None) in NAMES)


def test_code_for_every_game_asks_for_none_by_its_name() -> None:
    assert len(NAMES) == 5
    shared = [path for path in SOURCES if not NAMES.intersection(path.relative_to(ROOT).parts[3:4])]
    quoting = [path for path in shared if any(f'"{name}"' in path.read_text("utf-8") for name in NAMES)]
    found = [(path, *each) for path in quoting for each in named_games(path.read_text("utf-8"))]
    assert found == [], "what differs between games belongs into fairplay.games.game"


@pytest.mark.parametrize(
    "source",
    [
        'ok = game == "fish"',
        'ok = "fish" != game',
        'ok = game in ("go", "fish")',
        'TABLE = {"fish": 1}',
        'match game:\n    case "fish":\n        pass',
    ],
)
def test_a_game_that_is_asked_for_is_found(source: str) -> None:
    assert [name for _, name in named_games(source)] == ["fish"]


def test_every_package_says_that_it_has_types() -> None:
    packages = {path.parent for path in SOURCES if path.parent.parent.name == "fairplay"}
    assert [package for package in packages if not (package / "py.typed").is_file()] == []
