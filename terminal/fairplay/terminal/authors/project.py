"""Projects with a player, in several languages, and with a game: what they are made of, and how they are written."""

from __future__ import annotations

import ast
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, NamedTuple

from google.protobuf import text_format
from google.protobuf.descriptor_pb2 import FileDescriptorProto

from fairplay.client.errors import UsageError
from fairplay.games.distribution import DISTRIBUTION
from fairplay.games.game import registered
from fairplay.terminal.authors.protos import check_empty, find_data, write_protos

PYTHON = Path(__file__).parents[1] / "templates" / "python"
LINES = PYTHON.with_name("lines")
LINES_COMMANDS: Mapping[str, str] = {"python": "python player.py", "sh": "sh player.sh", "javascript": "node player.js"}
"""How players in lines of JSON are started, by their language."""
PROTOS = "../../proto"
"""Where the examples of the repository find the protos."""
MADE = ("bin", "build", "dist", "gen", "node_modules", "src/gen", "target")
"""The folders that are built in an example, and not copied."""


class Example(NamedTuple):
    """How a player of an example of the repository is started, and where one changes its moves."""

    command: str
    source: str


EXAMPLES: Mapping[str, Example] = {
    "go": Example("bin/@GAME@", "@GAME@"),
    "java": Example("java -Xmx64m -jar target/players.jar @GAME@", "src"),
    "rust": Example("target/release/@GAME@", "src/bin"),
    "cpp": Example("build/@GAME@", "src"),
    "typescript": Example("node dist/@GAME@.js", "src"),
}
GAMES_OF_EXAMPLES = ("fish", "q")
TEST = """#!/bin/sh
# Builds the players and plays a game against a built-in one, in which nobody may be blamed.
set -eu
cd "$(dirname "$0")"
sh build.sh
fairplay game @GAME@ --player me=exec:"@COMMAND@" --player bot:random --seed 1 --json result.json
tr -d ' \\n' < result.json | grep -q '"failures":\\[\\]'
"""
README = """# My player of @GAME@

`@SOURCE@` holds a whole player: a method for each call, and every answer is legal. Change what it chooses.
The folder has players of Fish and of the Q game; delete what you do not need. `proto/` has the protos, with a README
that says what each message means.

    sh build.sh        # says what to install, or builds the players
    sh test.sh         # plays a game against a built-in player

The test, games and certificates need Fairplay:

    pip install '@FAIRPLAY@'

See it play, and see whether it is certified:

    fairplay game @GAME@ --player me=exec:"@COMMAND@" --player bot:random
    fairplay certify @GAME@ exec:"@COMMAND@" --report report

Take part in a tournament elsewhere:

    @COMMAND@ --connect host:50050 --name me --token "a secret of your own"

A reply that is illegal, late or missing puts the player out of the game; the report says which rule it has broken.
"""

MODEL = "nim"
"""The example of the repository that new games are made of."""
GAME_NAME = re.compile(r"[a-z][a-z0-9]{1,19}")
STUBS = "_pb2.py"
GAME_README = """# {title}, a game for Fairplay

It is Nim, under the name of your game, and works as it is:

    pip install --editable . '{fairplay}'
    fairplay games {name}
    fairplay certify {name} bot:best

Change it from the inside out: `rules.py` and `v1/{name}.proto`, then `protocol.py`, `players.py` and `views.py`, then
the situations of `probes.py` and the wrong answers of `mutations.py`. After a change of the proto make its stubs anew:

    pip install grpcio-tools
    python -m grpc_tools.protoc -I. --python_out=. --pyi_out=. fairplay_{name}/v1/{name}.proto

When the probes are done, freeze what a certificate demands (delete the list of Nim first):

    rm fairplay_{name}/must-1.txt
    python -m fairplay.conformance.must 1 {name}
"""


def write_project(game: str, language: str, folder: Path) -> None:
    """Write a project with a player into a new or empty folder.

    Raises UsageError if something is in the folder, or if there is no player of the game in the language.
    """
    offered = languages(game)
    if language not in offered:
        known = f"choose {' or '.join(offered)}" if offered else "see the page about players in any language"
        raise UsageError(f"there is no project with a player of {game} in {language!r}: {known}")
    check_empty(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if language == "python":
        _write_python(game, folder)
    else:
        _write_example(game, language, folder)


def write_lines(game: str, language: str | None, folder: Path) -> None:
    """Write a player in lines of JSON into a new or empty folder, or without a language one in each.

    Raises UsageError if something is in the folder, or if there is no such player of the game in the language.
    """
    if language is not None and language not in LINES_COMMANDS:
        known = " or ".join(LINES_COMMANDS)
        raise UsageError(f"there is no player in lines of JSON in {language!r}: choose {known}, or write your own")
    commands = [LINES_COMMANDS[language]] if language is not None else list(LINES_COMMANDS.values())
    files = [command.split()[1] for command in commands]
    if not (LINES / f"{game}.py.in").exists():
        raise UsageError(f"there is no player of {game} in lines of JSON to begin with: see fairplay bridge")
    check_empty(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        template = LINES / f"{game}{Path(file).suffix}.in"
        (folder / file).write_text(template.read_text("utf-8"), "utf-8")
    readme = (LINES / "README.md.in").read_text("utf-8").replace("@COMMAND@", commands[0])
    (folder / "README.md").write_text(_fill(readme.replace("@FILES@", _either(files)), game), "utf-8")


def languages(game: str) -> list[str]:
    """Return the languages in which there is a project with a player of a game."""
    examples = [name for name in EXAMPLES if game in GAMES_OF_EXAMPLES and (find_data("examples") / name).is_dir()]
    return [*(["python"] if (PYTHON / f"{game}.py").exists() else []), *examples]


def _write_python(game: str, folder: Path) -> None:
    shutil.copyfile(PYTHON / f"{game}.py", folder / "player.py")
    for template in PYTHON.glob("*.in"):
        (folder / template.stem).write_text(_fill(template.read_text("utf-8"), game), "utf-8")


def _write_example(game: str, language: str, folder: Path) -> None:
    source, example = find_data("examples") / language, EXAMPLES[language]
    for path in source.rglob("*"):
        part = path.relative_to(source)
        if path.is_file() and not any(part.is_relative_to(made) for made in MADE):
            (folder / part).parent.mkdir(parents=True, exist_ok=True)
            (folder / part).write_text(path.read_text("utf-8").replace(PROTOS, "proto"), "utf-8")
    (folder / "test.sh").write_text(_fill(TEST, game, example), "utf-8")
    (folder / "README.md").write_text(_fill(README, game, example), "utf-8")
    write_protos(folder / "proto")


def _either(files: Sequence[str]) -> str:
    named = [f"`{file}`" for file in files]
    if len(named) == 1:
        return f"{named[0]} is a whole player without gRPC: change what it chooses."
    return f"{', '.join(named[:-1])} and {named[-1]} are whole players without gRPC: keep one, and change it."


def write_game(name: str, folder: Path) -> None:
    """Write a package with a game into a new or empty folder: it is the model under another name.

    Raises UsageError if something is in the folder, or if no new game can have the name.
    """
    if not GAME_NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot name a game: take 2 to 20 small letters and digits, a letter first")
    if name in {*registered(), MODEL}:
        raise UsageError(f"there is a game {name} already: take another name")
    check_empty(folder)
    source = find_data("examples") / MODEL
    for path in sorted(source.rglob("*")):
        part = path.relative_to(source)
        if path.is_file() and not {"__pycache__", "build", "dist"} & set(part.parts):
            target = folder / _renamed(str(part), name)
            target.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text("utf-8")
            target.write_text(_rename_stubs(text, name) if path.name.endswith(STUBS) else _renamed(text, name), "utf-8")
    readme = GAME_README.format(name=name, title=name.capitalize(), fairplay=requirement("certify,terminal"))
    (folder / "README.md").write_text(readme, "utf-8")


def _renamed(text: str, name: str) -> str:
    """Return a text of the model in which the game has another name."""
    for change in (str.lower, str.capitalize, str.upper):
        text = text.replace(change(MODEL), change(name))
    return text


def _rename_stubs(source: str, name: str) -> str:
    """Return the stubs of the model's proto as protoc would make them under another name.

    The name is in the serialised descriptor, too, where its length counts, and so do the places of the messages.
    """
    constants = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    described = FileDescriptorProto.FromString(max((each for each in constants if isinstance(each, bytes)), key=len))
    proto = text_format.Parse(_renamed(text_format.MessageToString(described), name), FileDescriptorProto())
    data = proto.SerializeToString(deterministic=True)
    places = {}
    parts: list[Any] = [*proto.message_type, *proto.service]
    for part in parts:
        written = part.SerializeToString(deterministic=True)
        places[part.name.upper(), "start"] = data.index(written)
        places[part.name.upper(), "end"] = data.index(written) + len(written)
    text = re.sub(r"AddSerializedFile\(.*\)", lambda _: f"AddSerializedFile({data!r})", _renamed(source, name))
    options = proto.options.SerializeToString(deterministic=True)
    text = re.sub(r"(?<=_serialized_options = ).*", lambda _: repr(options), text)
    place = r"(?<=_globals\['_)(\w+)('\]\._serialized_)(start|end)=\d+"
    return re.sub(place, lambda found: f"{found[1]}{found[2]}{found[3]}={places[found[1], found[3]]}", text)


def _fill(text: str, game: str, example: Example | None = None) -> str:
    if example is not None:
        text = text.replace("@COMMAND@", example.command).replace("@SOURCE@", example.source)
    return text.replace("@GAME@", game).replace("@FAIRPLAY@", requirement("certify,terminal"))


def requirement(extras: str) -> str:
    """Return what pip is to install for a project that needs Fairplay: what is installed here, with other extras.

    It is named by where pip found it, a folder, a file or a repository, and only by its name if that was an index.
    """
    named = f"{DISTRIBUTION}[{extras}]"
    found = distribution(DISTRIBUTION).read_text("direct_url.json")  # PEP 610
    if found is None:
        return named
    origin = json.loads(found)
    url, repository = origin["url"], origin.get("vcs_info")
    return f"{named} @ {repository['vcs']}+{url}@{repository['commit_id']}" if repository else f"{named} @ {url}"
