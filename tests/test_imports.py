"""Who may import whom, and who may know which game it is: read from the syntax tree of every file."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent

MAY_IMPORT: Mapping[str, frozenset[str]] = {
    "games": frozenset({"games"}),
    "reference_player": frozenset({"reference_player", "games"}),
    "reference_server": frozenset({"reference_server", "reference_player", "games"}),
    "lobby_client": frozenset({"lobby_client", "reference_server", "reference_player", "games"}),
    "conformance": frozenset({"conformance", "reference_server", "reference_player", "games"}),
}
"""Each package of the house, and those it may import."""

HOUSE = {*MAY_IMPORT, "tests", "benchmarks", "examples", "tools"}
STUBS = "fairplay"
CONTRACT = "games.game"
FRONTS = "games.fronts"
SHARED = (CONTRACT, FRONTS, "games.settings", "games.lettering", "games.trials", "games.specs")
ROOMS = {"codec", "conversation", "strategies", "player", "picture", "harness", "probes", "faults", "slips"}
IMPURE = {"google", "grpc", "asyncio", "concurrent", "threading", "socket", "subprocess", "time", "datetime"}
DATABASE = "sqlalchemy"
DATABASE_HOME = "reference_server/records/"


class Import(NamedTuple):
    """One import: where it stands, and the dotted name of the module that it gets."""

    path: str
    line: int
    module: str

    def problem(self, why: str) -> str:
        return f"{self.path}:{self.line}: imports {self.module}, but {why}"


class House(NamedTuple):
    """The sources by path, as POSIX paths from the root of the tree."""

    sources: Mapping[str, str]

    def modules(self) -> set[str]:
        """The dotted names of all modules, and of the packages that hold them."""
        names = {dotted(path) for path in self.sources}
        return names | {parent for name in names for parent in parents(name)}

    def games(self) -> set[str]:
        """The names of the games: the folders in games/."""
        return {parts[1] for path in self.sources if len(parts := path.split("/")) > 2 and parts[0] == "games"}


def dotted(path: str) -> str:
    parts = PurePosixPath(path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts))]


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def imports(path: str, source: str, modules: set[str]) -> Iterator[Import]:
    """All imports of a file, inside functions and type-checking blocks and by name too."""
    for node in ast.walk(ast.parse(source, path)):
        if isinstance(node, ast.Import):
            yield from (Import(path, node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = origin(path, node)
            for alias in node.names:
                named = f"{base}.{alias.name}"
                yield Import(path, node.lineno, named if named in modules else base)
        elif isinstance(node, ast.Call) and (name := imported_by_name(node)):
            yield Import(path, node.lineno, name)


def origin(path: str, node: ast.ImportFrom) -> str:
    """What stands between `from` and `import`, with leading dots resolved."""
    if not node.level:
        return node.module or ""
    folder = PurePosixPath(path).parent.parts
    return ".".join([*folder[: len(folder) - node.level + 1], *filter(None, [node.module])])


def imported_by_name(call: ast.Call) -> str | None:
    """The module that `import_module("...")` or `__import__("...")` gets."""
    function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)
    argument = call.args[0] if call.args else None
    if function in {"import_module", "__import__"} and isinstance(argument, ast.Constant):
        return str(argument.value)
    return None


def direction(found: Import, games: set[str]) -> str | None:
    """What is wrong with an import, wherever it stands."""
    home, target = found.path.split("/")[0], found.module.split(".")[0]
    if target in HOUSE and target not in MAY_IMPORT[home]:
        return found.problem(f"{home} may import only {', '.join(sorted(MAY_IMPORT[home]))}")
    if target == DATABASE and not found.path.startswith(DATABASE_HOME):
        return found.problem(f"only {DATABASE_HOME} knows which database there is")
    return in_game(found, games) if home == "games" else outside_games(found, games)


def outside_games(found: Import, games: set[str]) -> str | None:
    contracts = (CONTRACT, FRONTS)
    if within(found.module, "games") and not any(within(found.module, name) for name in contracts):
        return found.problem(f"games are known here only through {' and '.join(contracts)}")
    if any(within(found.module, f"{STUBS}.{game}") for game in games):
        return found.problem("the messages of a game are known only to the game's own folder")
    return None


def in_game(found: Import, games: set[str]) -> str | None:
    """What is wrong with an import of a file in games/: a game knows itself and the contract of all games."""
    parts = found.path.split("/")
    own = {parts[1]} if len(parts) > 2 else set()
    allowed = [*SHARED, *(f"games.{game}" for game in own)]
    if within(found.module, "games") and not any(within(found.module, name) for name in allowed):
        return found.problem(f"{found.path} may import only {' and '.join(allowed)} of games/")
    if any(within(found.module, f"{STUBS}.{game}") for game in games - own):
        return found.problem("the messages of a game are known only to the game's own folder")
    return None


def impure(found: Import, game: str) -> str | None:
    """What is wrong with an import of a module that the rules are made of."""
    target, here = found.module.split("."), f"games.{game}"
    rules = f"{found.path} belongs to the pure rules of {game}"
    if within(found.module, here):
        if found.module == here or target[2] in ROOMS:
            return found.problem(f"{rules}, which may import only pure modules of their own folder")
    elif target[0] in HOUSE | {STUBS}:
        return found.problem(f"{rules}, which import nothing else of ours")
    elif target[0] in IMPURE:
        return found.problem(f"{rules}, which know no protobuf, no clock and nothing that waits")
    return None


def rules_problems(house: House, game: str) -> Iterator[str]:
    """Follows the imports of a game's rules through the modules of its folder."""
    modules = house.modules()
    waiting = [f"games/{game}/rules.py"]
    seen = set(waiting)
    while waiting:
        path = waiting.pop()
        for found in imports(path, house.sources.get(path, ""), modules):
            problem = impure(found, game)
            next_path = found.module.replace(".", "/") + ".py"
            if problem:
                yield problem
            elif next_path in house.sources and next_path not in seen:
                seen.add(next_path)
                waiting.append(next_path)


def named_games(path: str, source: str, games: set[str]) -> Iterator[str]:
    """Places where code that serves every game asks for one of them by its name."""
    for node in ast.walk(ast.parse(source, path)):
        for name in sorted(games & strings(asked(node))):
            where = f"{path}:{getattr(node, 'lineno', 0)}"
            yield f'{where}: asks for the game "{name}"; what differs between games belongs into {CONTRACT}'


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


def problems(house: House) -> list[str]:
    """Everything that is wrong in a house, one sentence each."""
    modules, games, found = house.modules(), house.games(), []
    for path, source in house.sources.items():
        found += [problem for each in imports(path, source, modules) if (problem := direction(each, games))]
        if not path.startswith("games/") or dotted(path) == CONTRACT:
            found += named_games(path, source, games)
    for game in games:
        found += rules_problems(house, game)
    return sorted(found)


@pytest.fixture(scope="module")
def this_house() -> House:
    paths = (path for package in MAY_IMPORT for path in (ROOT / package).rglob("*.py"))
    return House({path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths})


def test_this_house_keeps_its_directions(this_house: House) -> None:
    found = problems(this_house)
    assert not found, "\n".join(["the import directions are broken:", *found])


def test_this_house_was_read(this_house: House) -> None:
    assert "games/game.py" in this_house.sources
    assert "fish" in this_house.games()


BASE = {
    "games/game.py": "from fairplay.v1.game_pb2 import GameSettings\n",
    "games/fish/__init__.py": "from games.fish.codec import encode\n",
    "games/fish/codec.py": "from fairplay.fish.v1 import fish_pb2\nfrom games import game\nfrom . import rules\n",
    "games/fish/rules.py": "from dataclasses import dataclass\nfrom random import Random\n",
    "games/q/rules.py": "from games.q.board import Board\nfrom . import board\n",
    "games/q/board.py": "import math\n",
    "reference_player/sdk.py": "import grpc\nfrom fairplay.v1 import player_pb2\nfrom games.game import find\n",
    "reference_server/links/bot.py": "from reference_player.sdk import serve\nfrom games import game\n",
    "reference_server/records/store.py": "import sqlalchemy as sa\n",
    "reference_server/cli.py": 'DEFAULT = "fish"\n',
    "conformance/suite.py": "import reference_player.sdk\nfrom reference_server import cli\n",
}


def test_a_house_in_order_has_no_problems() -> None:
    assert problems(House(BASE)) == []


@pytest.mark.parametrize(
    ("path", "source", "complaint"),
    [
        ("games/fish/rules.py", "import games.game", "import nothing else of ours"),
        ("games/fish/rules.py", "from fairplay.fish.v1 import fish_pb2", "import nothing else of ours"),
        ("games/fish/rules.py", "import reference_server.cli", "import nothing else of ours"),
        ("games/fish/rules.py", "from games.fish import codec", "only pure modules"),
        ("games/fish/rules.py", "from . import codec", "only pure modules"),
        ("games/fish/rules.py", "import games.fish", "only pure modules"),
        ("games/fish/rules.py", "from google.protobuf import any_pb2", "no protobuf"),
        ("games/fish/rules.py", "def f():\n    import time", "no protobuf, no clock"),
        ("games/fish/rules.py", "from asyncio import sleep", "nothing that waits"),
        ("games/q/board.py", "from games.game import Call", "import nothing else of ours"),
        ("games/q/board.py", "from ..fish import rules", "import nothing else of ours"),
        ("games/q/board.py", "import time", "games/q/board.py belongs to the pure rules of q"),
        ("games/fish/codec.py", "from games.q import rules", "may import only games.game and games.fronts"),
        ("games/fish/codec.py", "from fairplay.q.v1 import q_pb2", "only to the game's own folder"),
        ("games/fish/picture.py", "import reference_player.sdk", "games may import only games"),
        ("games/game.py", "from games.fish import rules", "games.specs of games/"),
        ("games/game.py", 'ok = name == "fish"', 'asks for the game "fish"'),
        ("reference_player/sdk.py", "from reference_server import cli", "reference_player may import only"),
        ("reference_player/sdk.py", "from ..reference_server import cli", "reference_player may import only"),
        ("reference_player/sdk.py", "import conformance.suite", "reference_player may import only"),
        ("reference_player/sdk.py", "from games import fish", "only through games.game"),
        ("reference_player/sdk.py", "import games", "only through games.game"),
        ("reference_server/cli.py", "from games.fish.rules import Settings", "only through games.game"),
        ("reference_server/cli.py", 'import_module("games.fish")', "only through games.game"),
        ("reference_server/cli.py", 'importlib.import_module("games.fish")', "only through games.game"),
        ("reference_server/cli.py", "from fairplay.fish.v1 import fish_pb2", "only to the game's own folder"),
        ("reference_server/cli.py", "import conformance", "reference_server may import only"),
        ("reference_server/cli.py", "from tests import helpers", "reference_server may import only"),
        ("reference_server/cli.py", "if TYPE_CHECKING:\n    import sqlalchemy", "knows which database"),
        ("reference_server/records.py", "from sqlalchemy import Table", "knows which database"),
        ("reference_server/cli.py", 'ok = game == "fish"', 'asks for the game "fish"'),
        ("reference_server/cli.py", 'ok = "fish" != game', 'asks for the game "fish"'),
        ("reference_server/cli.py", 'ok = game in ("go", "q")', 'asks for the game "q"'),
        ("reference_server/cli.py", 'TABLE = {"fish": 1}', 'asks for the game "fish"'),
        ("lobby_client/desk.py", "from games.webset.person import FRONT", "only through games.game"),
        ("lobby_client/desk.py", 'ok = game == "fish"', 'asks for the game "fish"'),
        ("reference_server/cli.py", "import lobby_client", "reference_server may import only"),
        ("conformance/suite.py", 'match game:\n    case "q":\n        pass', 'asks for the game "q"'),
        ("conformance/suite.py", "from games.q import rules", "only through games.game"),
    ],
)
def test_a_wrong_direction_is_named_with_its_place(path: str, source: str, complaint: str) -> None:
    found = problems(House({**BASE, path: source}))
    assert found, f"nothing was found wrong with {source!r} in {path}"
    assert all(each.startswith(f"{path}:") for each in found)
    assert any(complaint in each for each in found), found
