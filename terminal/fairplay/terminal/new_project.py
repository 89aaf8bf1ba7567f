"""Projects with a player, in several languages: what they are made of, and how they are written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from importlib.metadata import distribution
from pathlib import Path
from typing import NamedTuple

from fairplay.client.errors import UsageError
from fairplay.games.distribution import DISTRIBUTION
from fairplay.terminal.protos_folder import check_empty, find_data, write_protos

PYTHON = Path(__file__).with_name("templates") / "python"
PROTOS = "../../proto"
"""Where the examples of the repository find the protos."""
MADE = ("bin", "build", "dist", "gen", "node_modules", "src/gen", "target")
"""The folders that are built in an example, and not copied."""


class Example(NamedTuple):
    """How a player of an example of the repository is started, and where one changes its moves."""

    command: str
    source: str


EXAMPLES: Mapping[str, Example] = {
    "go": Example("bin/@GAME@", "@GAME@/main.go"),
    "java": Example("java -Xmx64m -jar target/players.jar @GAME@", "src"),
    "rust": Example("target/release/@GAME@", "src/bin"),
    "cpp": Example("build/@GAME@", "src"),
    "typescript": Example("node dist/@GAME@.js", "src/@GAME@.ts"),
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
