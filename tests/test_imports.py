"""Who may import whom, and who may know which game it is: read from the syntax tree of every file."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = ROOT / "terminal" / "fairplay" / "terminal" / "templates" / "python"
"""What `fairplay new` copies: players of a project of its own, no modules of ours."""

NAMESPACE = "fairplay"
SOURCES: Mapping[str, Sequence[str]] = {
    "games": ["fairplay.games"],
    "reference_player": ["fairplay.player"],
    "reference_server": ["fairplay.formats", "fairplay.sandbox", "fairplay.server", "fairplay.standings"],
    "conformance": ["fairplay.certificate", "fairplay.conformance"],
    "research": ["fairplay.pettingzoo", "fairplay.playouts"],
    "bridge": ["fairplay.bridge"],
    "client": ["fairplay.api", "fairplay.client"],
    "terminal": ["fairplay.terminal"],
    "web": ["fairplay.web"],
}
"""Each source root of the namespace, and the packages in it."""

MAY_IMPORT: Mapping[str, Set[str]] = {
    "fairplay.games": {"fairplay.games"},
    "fairplay.player": {"fairplay.player", "fairplay.games"},
    "fairplay.certificate": {"fairplay.certificate", "fairplay.games"},
    "fairplay.pettingzoo": {"fairplay.pettingzoo", "fairplay.games"},
    "fairplay.playouts": {"fairplay.playouts", "fairplay.player", "fairplay.games"},
    "fairplay.sandbox": {"fairplay.sandbox"},
    "fairplay.standings": {"fairplay.standings", "fairplay.games"},
    "fairplay.formats": {"fairplay.formats", "fairplay.standings", "fairplay.games"},
    "fairplay.server": {
        "fairplay.server",
        "fairplay.certificate",
        "fairplay.formats",
        "fairplay.sandbox",
        "fairplay.player",
        "fairplay.games",
        "fairplay.standings",
    },
    "fairplay.conformance": {
        "fairplay.conformance",
        "fairplay.certificate",
        "fairplay.formats",
        "fairplay.sandbox",
        "fairplay.standings",
        "fairplay.server",
        "fairplay.player",
        "fairplay.games",
    },
    "fairplay.bridge": {
        "fairplay.bridge",
        "fairplay.certificate",
        "fairplay.formats",
        "fairplay.sandbox",
        "fairplay.server",
        "fairplay.player",
        "fairplay.games",
        "fairplay.standings",
    },
    "fairplay.client": {
        "fairplay.client",
        "fairplay.formats",
        "fairplay.server",
        "fairplay.player",
        "fairplay.games",
        "fairplay.standings",
    },
    "fairplay.api": {
        "fairplay.api",
        "fairplay.client",
        "fairplay.conformance",
        "fairplay.formats",
        "fairplay.server",
        "fairplay.player",
        "fairplay.games",
        "fairplay.standings",
    },
    "fairplay.terminal": set(chain.from_iterable(SOURCES.values())),
    "fairplay.web": {"fairplay.web", "fairplay.client", "fairplay.player", "fairplay.games"},
}
"""Each package, and those it may import."""

OUTSIDE = {"tests", "benchmarks", "examples", "tools"}
GAMES = "fairplay.games"
CONTRACTS = tuple(
    f"{GAMES}.{name}"
    for name in (
        "game",
        "distribution",
        "steps",
        "race",
        "machine",
        "transcript",
        "evidence",
        "envelopes",
        "conformance",
        "frontends",
        "research",
        "kit",
    )
)
"""What every package may know of games."""
PURE_KIT = tuple(f"{GAMES}.kit.{name}" for name in ("draws", "settings", "strategies"))
"""What rules may import of the kit."""
IMPURE = {"google", "grpc", "asyncio", "concurrent", "threading", "socket", "subprocess", "time", "datetime"}
DATABASE = "sqlalchemy"
DATABASE_HOME = "fairplay.server.records"


class Import(NamedTuple):
    """One import: where it stands, and the dotted name of the module that it gets."""

    path: str
    line: int
    module: str

    def problem(self, why: str) -> str:
        return f"{self.path}:{self.line}: imports {self.module}, but {why}"


class Tree(NamedTuple):
    """The sources by path, as POSIX paths from the root of the repository."""

    sources: Mapping[str, str]

    def modules(self) -> set[str]:
        """Return the dotted names of all modules, and of the packages that hold them."""
        names = {dotted(path) for path in self.sources}
        return names | {parent for name in names for parent in parents(name)}

    def games(self) -> set[str]:
        """Return the names of the games: the folders of fairplay.games with rules."""
        named = (name.split(".") for name in map(dotted, self.sources) if within(name, GAMES))
        return {parts[2] for parts in named if parts[3:4] == ["rules"]}


def dotted(path: str) -> str:
    """Return the name under which the file is imported."""
    parts = PurePosixPath(path).with_suffix("").parts
    if parts[0] in SOURCES:
        parts = parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_of(module: str) -> str | None:
    """Return the package of ours that holds a module; None if it is none of ours."""
    return next((package for package in MAY_IMPORT if within(module, package)), None)


def parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts))]


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def imports(path: str, source: str, modules: set[str], *, loading: bool = False) -> Iterator[Import]:
    """Find the imports of a file: all of them, by name too, or only those that are made while it is loaded."""
    for node in nodes(ast.parse(source, path), loading=loading):
        if isinstance(node, ast.Import):
            yield from (Import(path, node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = origin(path, node)
            for alias in node.names:
                named = f"{base}.{alias.name}"
                yield Import(path, node.lineno, named if named in modules else base)
        elif isinstance(node, ast.Call) and (name := imported_by_name(node)):
            yield Import(path, node.lineno, name)


def nodes(tree: ast.AST, *, loading: bool) -> Iterator[ast.AST]:
    """Walk a syntax tree; with `loading` without what runs later. What only type checkers read counts."""
    for child in ast.iter_child_nodes(tree):
        if loading and isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        yield child
        yield from nodes(child, loading=loading)


def origin(path: str, node: ast.ImportFrom) -> str:
    """Return what stands between `from` and `import`, with leading dots resolved."""
    if not node.level:
        return node.module or ""
    folder = dotted(str(PurePosixPath(path).parent / "x")).split(".")[:-1]
    return ".".join([*folder[: len(folder) - node.level + 1], *filter(None, [node.module])])


def imported_by_name(call: ast.Call) -> str | None:
    """The module that `import_module("...")` or `__import__("...")` gets."""
    function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)
    argument = call.args[0] if call.args else None
    if function in {"import_module", "__import__"} and isinstance(argument, ast.Constant):
        return str(argument.value)
    return None


def direction(found: Import, games: set[str]) -> str | None:
    """Return what is wrong with an import, wherever it stands."""
    here, target = dotted(found.path), package_of(found.module)
    home = package_of(here)
    if home is None:
        return found.problem(f"{here} belongs to no package of ours")
    allowed = MAY_IMPORT[home]
    if (target is not None and target not in allowed) or found.module.split(".")[0] in OUTSIDE:
        return found.problem(f"{home} may import only {', '.join(sorted(allowed))}")
    if found.module.split(".")[0] == DATABASE and not within(here, DATABASE_HOME):
        return found.problem(f"only {DATABASE_HOME} knows which database there is")
    return in_game(found, here, games) if home == GAMES else outside_games(found, games)


def outside_games(found: Import, games: set[str]) -> str | None:
    """Return what is wrong with an import of a package that serves every game."""
    if within(found.module, GAMES) and not any(within(found.module, name) for name in CONTRACTS):
        return found.problem(f"games are known here only through {', '.join(CONTRACTS)}")
    if any(within(found.module, f"{NAMESPACE}.{game}") for game in games):
        return found.problem("the messages of a game are known only to the game's own folder")
    return None


def in_game(found: Import, here: str, games: set[str]) -> str | None:
    """Return what is wrong with an import in fairplay.games: a game knows itself and what serves every game."""
    own = {here.split(".")[2]} & games if here.count(".") > 1 else set()
    allowed = [*CONTRACTS, *(f"{GAMES}.{game}" for game in own)]
    if within(found.module, GAMES) and not any(within(found.module, name) for name in allowed):
        return found.problem(f"{here} may import only {', '.join(allowed)}")
    if any(within(found.module, f"{NAMESPACE}.{game}") for game in games - own):
        return found.problem("the messages of a game are known only to the game's own folder")
    return None


def impure(found: Import, rules: str) -> str | None:
    """Return what is wrong with an import of a module that must be pure: one of rules, or of the pure kit."""
    here = f"{dotted(found.path)} is pure"
    if within(found.module, NAMESPACE):
        if not any(within(found.module, name) for name in (rules, *PURE_KIT)):
            return found.problem(f"{here}: it may import only {rules} and {', '.join(PURE_KIT)} of ours")
    elif found.module.split(".")[0] in IMPURE:
        return found.problem(f"{here}: it knows no protobuf, no clock and nothing that waits")
    return None


def purity_problems(tree: Tree, games: set[str]) -> Iterator[str]:
    """Find the imports that make rules, or the kit that they use, impure."""
    modules = tree.modules()
    for path, source in tree.sources.items():
        here = dotted(path)
        rules = next((name for game in games if within(here, name := f"{GAMES}.{game}.rules")), None)
        if rules is None and any(within(here, name) for name in PURE_KIT):
            rules = here
        if rules is not None:
            yield from filter(None, (impure(found, rules) for found in imports(path, source, modules)))


def circles(tree: Tree) -> list[str]:
    """Find groups of modules that import each other in a circle when they are loaded, each as one sentence."""
    modules = tree.modules()
    graph = {
        dotted(path): {
            found.module
            for found in imports(path, source, modules, loading=True)
            if found.module in modules and found.module != dotted(path)
        }
        for path, source in tree.sources.items()
    }
    found = []
    while graph:
        free = {name for name, needed in graph.items() if not needed & graph.keys()}
        if not free:
            found.append(f"these modules import each other in a circle: {', '.join(in_circle(graph))}")
            break
        graph = {name: needed for name, needed in graph.items() if name not in free}
    return found


def in_circle(graph: Mapping[str, Set[str]]) -> list[str]:
    """Return one circle of a graph in which every module needs another one."""
    path = [min(graph)]
    while True:
        following = min(graph[path[-1]] & graph.keys())
        if following in path:
            return path[path.index(following) :]
        path.append(following)


def named_games(path: str, source: str, games: set[str]) -> Iterator[str]:
    """Places where code that serves every game asks for one of them by its name."""
    for node in ast.walk(ast.parse(source, path)):
        for name in sorted(games & strings(asked(node))):
            where = f"{path}:{getattr(node, 'lineno', 0)}"
            yield f'{where}: asks for the game "{name}"; what differs between games belongs into {GAMES}.game'


def asked(node: ast.AST) -> list[ast.expr | None]:
    """The values that a comparison, a `case` or a table distinguishes."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.MatchValue):
        return [node.value]
    return list(node.keys) if isinstance(node, ast.Dict) else []


def strings(values: list[ast.expr | None]) -> set[str]:
    """The string constants among the values, and in the tuples, lists and sets among them."""
    found: set[str] = set()
    for value in values:
        parts = value.elts if isinstance(value, ast.Tuple | ast.List | ast.Set) else [value]
        found.update(part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str))
    return found


def problems(tree: Tree) -> list[str]:
    """Return everything that is wrong in a tree, one sentence each."""
    modules, games, found = tree.modules(), tree.games(), []
    for path, source in tree.sources.items():
        found += [problem for each in imports(path, source, modules) if (problem := direction(each, games))]
        if not any(within(dotted(path), f"{GAMES}.{game}") for game in games):
            found += named_games(path, source, games)
    return sorted([*found, *purity_problems(tree, games), *circles(tree)])


@pytest.fixture(scope="module")
def this_tree() -> Tree:
    paths = (path for root in SOURCES for path in (ROOT / root).rglob("*.py") if TEMPLATES not in path.parents)
    return Tree({path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths})


def test_this_tree_keeps_its_directions(this_tree: Tree) -> None:
    found = problems(this_tree)
    assert not found, "\n".join(["the import directions are broken:", *found])


def test_this_tree_was_read(this_tree: Tree) -> None:
    assert "games/fairplay/games/game.py" in this_tree.sources
    assert this_tree.games() >= {"fish", "q", "bazaar", "eriantys", "webset"}


def test_every_module_is_in_the_namespace(this_tree: Tree) -> None:
    outside = [path for path in this_tree.sources if package_of(dotted(path)) is None]
    assert not outside


def test_every_package_says_that_it_has_types() -> None:
    packages = [(ROOT / root).joinpath(*name.split(".")) for root, names in SOURCES.items() for name in names]
    assert [package for package in packages if not (package / "py.typed").is_file()] == []


SERVER, GAME, PLAYER = "reference_server/fairplay/server", "games/fairplay/games", "reference_player/fairplay/player"
SUITE, TERMINAL, WEB = "conformance/fairplay/conformance", "terminal/fairplay/terminal", "web/fairplay/web"
CLIENT = "client/fairplay/client"
BASE = {
    f"{GAME}/game.py": "from fairplay.v1.game_pb2 import GameSettings\n",
    f"{GAME}/kit/strategies.py": "from random import Random\n",
    f"{GAME}/fish/game.py": "from fairplay.games.fish.protocol.codec import encode\n",
    f"{GAME}/fish/protocol/codec.py": "from fairplay.fish.v1 import fish_pb2\nfrom fairplay.games import game\n"
    "from .. import rules\n",
    f"{GAME}/fish/rules/__init__.py": "from random import Random\nfrom fairplay.games.kit import strategies\n",
    f"{GAME}/q/rules/__init__.py": "from fairplay.games.q.rules.board import Board\nfrom . import board\n",
    f"{GAME}/q/rules/board.py": "import math\n",
    f"{PLAYER}/sdk.py": "import grpc\nfrom fairplay.v1 import player_pb2\nfrom fairplay.games.game import find\n",
    "conformance/fairplay/certificate/__init__.py": "from fairplay.games.conformance import Level\n",
    f"{SERVER}/links/bot.py": "from fairplay.player.sdk import serve\nfrom fairplay.games import game\n",
    f"{SERVER}/records/store.py": "import sqlalchemy as sa\n",
    f"{SERVER}/server.py": "import fairplay.certificate\n",
    f"{TERMINAL}/cli.py": 'DEFAULT = "fish"\nfrom fairplay.server import server\n',
    f"{SUITE}/suite.py": "import fairplay.player.sdk\nfrom fairplay.server import server\n",
}


def test_a_tree_in_order_has_no_problems() -> None:
    assert problems(Tree(BASE)) == []


def test_a_circle_is_named() -> None:
    wrong = {f"{SERVER}/a.py": "from fairplay.server import b", f"{SERVER}/b.py": "from fairplay.server.a import x"}
    assert circles(Tree({**BASE, **wrong})) == [
        "these modules import each other in a circle: fairplay.server.a, fairplay.server.b"
    ]
    later = {**wrong, f"{SERVER}/b.py": "def f() -> None:\n    from fairplay.server.a import x"}
    assert circles(Tree({**BASE, **later})) == []
    typing = {**wrong, f"{SERVER}/b.py": "if TYPE_CHECKING:\n    from fairplay.server.a import x"}
    assert circles(Tree({**BASE, **typing})) != []


def test_a_wrong_direction_is_named_with_its_place() -> None:
    for path, source, complaint in [
        (f"{GAME}/fish/rules/__init__.py", "import fairplay.games.game", "may import only fairplay.games.fish.rules"),
        (f"{GAME}/fish/rules/__init__.py", "from fairplay.fish.v1 import fish_pb2", "may import only fairplay.games"),
        (f"{GAME}/fish/rules/__init__.py", "from fairplay.games.fish.protocol import codec", "may import only"),
        (f"{GAME}/fish/rules/__init__.py", "from ..protocol import codec", "may import only"),
        (f"{GAME}/fish/rules/__init__.py", "import fairplay.games.fish.game", "may import only"),
        (f"{GAME}/fish/rules/__init__.py", "from google.protobuf import any_pb2", "no protobuf"),
        (f"{GAME}/fish/rules/__init__.py", "def f():\n    import time", "no protobuf, no clock"),
        (f"{GAME}/fish/rules/__init__.py", "from asyncio import sleep", "nothing that waits"),
        (f"{GAME}/kit/strategies.py", "from google.protobuf import any_pb2", "no protobuf"),
        (f"{GAME}/q/rules/board.py", "from fairplay.games.steps import Call", "may import only fairplay.games.q.rules"),
        (f"{GAME}/q/rules/board.py", "import time", "fairplay.games.q.rules.board is pure"),
        (f"{GAME}/fish/protocol/codec.py", "from fairplay.games.q import rules", "may import only fairplay.games.game"),
        (f"{GAME}/fish/protocol/codec.py", "from fairplay.q.v1 import q_pb2", "only to the game's own folder"),
        (f"{GAME}/fish/views/picture.py", "import fairplay.player.sdk", "fairplay.games may import only"),
        (f"{GAME}/game.py", "from fairplay.games.fish import rules", "fairplay.games.game may import only"),
        (f"{GAME}/game.py", 'ok = name == "fish"', 'asks for the game "fish"'),
        (f"{PLAYER}/sdk.py", "from fairplay.server import server", "fairplay.player may import only"),
        (f"{PLAYER}/sdk.py", "from ..server import server", "fairplay.player may import only"),
        (f"{PLAYER}/sdk.py", "import fairplay.conformance.suite", "fairplay.player may import only"),
        (f"{PLAYER}/sdk.py", "from fairplay.games import fish", "only through fairplay.games.game"),
        (f"{SERVER}/server.py", "from fairplay.games.fish.rules import Settings", "only through fairplay.games.game"),
        (f"{SERVER}/server.py", 'import_module("fairplay.games.fish")', "only through fairplay.games.game"),
        (f"{SERVER}/server.py", 'importlib.import_module("fairplay.games.fish")', "only through fairplay.games.game"),
        (f"{SERVER}/server.py", "from fairplay.fish.v1 import fish_pb2", "only to the game's own folder"),
        (f"{SERVER}/server.py", "import fairplay.conformance", "fairplay.server may import only"),
        (f"{SERVER}/server.py", "import fairplay.terminal", "fairplay.server may import only"),
        (f"{SERVER}/server.py", "from tests import helpers", "fairplay.server may import only"),
        (f"{SERVER}/server.py", "if TYPE_CHECKING:\n    import sqlalchemy", "knows which database"),
        (f"{SERVER}/recorder.py", "from sqlalchemy import Table", "knows which database"),
        (f"{SERVER}/server.py", 'ok = game == "fish"', 'asks for the game "fish"'),
        (f"{SERVER}/server.py", 'ok = "fish" != game', 'asks for the game "fish"'),
        (f"{SERVER}/server.py", 'ok = game in ("go", "q")', 'asks for the game "q"'),
        (f"{SERVER}/server.py", 'TABLE = {"fish": 1}', 'asks for the game "fish"'),
        (f"{TERMINAL}/cli.py", "from fairplay.games.fish import rules", "only through fairplay.games.game"),
        (f"{TERMINAL}/cli.py", 'ok = game == "fish"', 'asks for the game "fish"'),
        (f"{CLIENT}/lobby/client.py", "from fairplay.terminal import printing", "fairplay.client may import only"),
        (f"{WEB}/app.py", "from fairplay.server import server", "fairplay.web may import only"),
        (f"{WEB}/app.py", "from fairplay.terminal import printing", "fairplay.web may import only"),
        ("conformance/fairplay/certificate/__init__.py", "import fairplay.server", "fairplay.certificate may import"),
        (f"{SUITE}/suite.py", 'match game:\n    case "q":\n        pass', 'asks for the game "q"'),
        (f"{SUITE}/suite.py", "from fairplay.games.q import rules", "only through fairplay.games.game"),
        (f"{SUITE}/suite.py", "import fairplay.terminal", "fairplay.conformance may import only"),
    ]:
        found = problems(Tree({**BASE, path: source}))
        assert found, f"nothing was found wrong with {source!r} in {path}"
        assert all(each.startswith((f"{path}:", "these modules import each other")) for each in found)
        assert any(complaint in each for each in found), found
