"""What `fairplay class new` does: the zip that students get, and the file of the class."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from importlib.metadata import distribution
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote, urlparse

from fairplay.client.errors import UsageError
from fairplay.client.inputs import find_game
from fairplay.games.distribution import DISTRIBUTION
from fairplay.games.game import Game
from fairplay.games.kit.files import whole_file
from fairplay.terminal.authors.catalog import describe_game
from fairplay.terminal.authors.project import PYTHON, requirement, write_lines, write_project
from fairplay.terminal.authors.protos import CHECKOUT, check_empty, write_protos
from fairplay.terminal.classroom.archive import MAX_BYTES, MAX_FILES
from fairplay.terminal.classroom.settings import SETTINGS, Start, class_text, offered_languages, start_of

TEMPLATE = PYTHON.with_name("classroom") / "README.md.in"
EXTRAS = "certify,terminal"
HAND_OUT = "hand-out.zip"


def new_class(folder: Path, game: str, languages: str, package: Path | None) -> str:
    """Write the hand-out and the file of a class into a new or empty folder. Return how students get Fairplay.

    `package`: the wheel of Fairplay for the hand-out; None: the one from which it is installed here, or one that is
    built of its sources. Raises UsageError if there is no such game, language or wheel, or something is in the folder.
    """
    played, offered = find_game(game), offered_languages(game)
    starts = [start_of(_known(word.strip(), offered, game), game) for word in languages.split(",")]
    check_empty(folder)
    with TemporaryDirectory() as temporary:
        root = Path(temporary) / f"{game}-hand-out"
        root.mkdir()
        wheel = _find_wheel(package, Path(temporary))
        if wheel is not None:
            (root / wheel.name).write_bytes(wheel.read_bytes())
        needed = f"./{wheel.name}[{EXTRAS}]" if wheel is not None else _indexed()
        for start in starts:
            _write_start(start, game, root / start.language, needed)
        write_protos(root / "proto")
        (root / "rules.md").write_text(rules_page(played), "utf-8")
        (root / "README.md").write_text(_readme(played, starts, needed), "utf-8")
        folder.mkdir(parents=True, exist_ok=True)
        with whole_file(folder / HAND_OUT) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(root.rglob("*")):
                archive.write(path, path.relative_to(root.parent))
    (folder / SETTINGS).write_text(class_text(game, starts), "utf-8")
    return needed


def _known(language: str, offered: Sequence[str], game: str) -> str:
    if language not in offered:
        raise UsageError(f"there is no player of {game} in {language!r} to begin with: choose of {', '.join(offered)}")
    return language


def _write_start(start: Start, game: str, folder: Path, needed: str) -> None:
    """Write the player that students of a language begin with; `needed`: what pip installs beside its folder."""
    if start.command.startswith("fairplay bridge"):
        write_lines(game, start.language, folder)
    else:
        write_project(game, start.language, folder)
    here = requirement(EXTRAS).encode()  # which may be a path of this machine
    for path in folder.rglob("*"):
        if path.is_file() and here in (content := path.read_bytes()):
            there = needed.replace("./", "../", 1) if path.suffix == ".md" else _indexed()
            path.write_bytes(content.replace(here, there.encode()))


def _indexed() -> str:
    return f"{DISTRIBUTION}[{EXTRAS}]"


def _find_wheel(package: Path | None, folder: Path) -> Path | None:
    """Return a wheel of Fairplay, built in a folder if need be; None if it comes from an index, or cannot be built.

    Raises UsageError if the one that was named is none.
    """
    if package is not None:
        if package.suffix != ".whl" or not package.is_file():
            raise UsageError(f"--package: {package} is no file that ends with .whl")
        return package
    origin = json.loads(distribution(DISTRIBUTION).read_text("direct_url.json") or "{}")  # PEP 610
    path = Path(unquote(urlparse(origin.get("url", "")).path))
    if path.suffix == ".whl" and path.is_file():
        return path
    if (CHECKOUT / "pyproject.toml").is_file():
        build = [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--wheel-dir",
            str(folder),
            str(CHECKOUT),
        ]
        if subprocess.run(build, capture_output=True, check=False).returncode:  # as without hatchling, or a network
            subprocess.run([*build, "--no-build-isolation"], capture_output=True, check=False)
    return next(folder.glob("*.whl"), None)


def _readme(game: Game, starts: Sequence[Start], needed: str) -> str:
    commands = [start.command.replace("{path}/", "") for start in starts]
    parts = {
        "@TITLE@": game.title,
        "@PACKAGE@": needed,
        "@STARTS@": "\n".join(
            f"- `{start.language}/`: its README says which file, and how it is built" for start in starts
        ),
        "@CERTIFY@": "\n".join(f'    fairplay certify {game.name} exec:"{each}" --report report' for each in commands),
        "@PLAY@": "\n".join(
            f'    fairplay game {game.name} --player me=exec:"{each}" --player bot:{next(iter(game.strategies))}'
            for each in commands
        ),
        "@FILES@": "\n".join(f"- `{start.file}` ({start.language})" for start in starts),
        "@MIB@": str(MAX_BYTES >> 20),
        "@COUNT@": f"{MAX_FILES:,}",
    }
    text = TEMPLATE.read_text("utf-8")
    for mark, value in parts.items():
        text = text.replace(mark, value)
    return text


def rules_page(game: Game) -> str:
    """Return a page about a game as the referee sees it: times, settings, strategies, and what breaks a rule."""
    described = describe_game(game)
    limit = game.time_control.decision_limit.ToTimedelta().total_seconds()
    first = game.time_control.first_decision_limit.ToTimedelta().total_seconds() or limit
    seats = described["players"]
    values = described["tournamentSettings"]
    settings = [
        (f"`{each.name}`", values.get(each.name), f"{each.meaning.rstrip('.')}: {each.allowed}.")
        for each in game.settings
    ]
    parts = [
        f"# The rules of {game.title}\n",
        f"{seats['min']} to {seats['max']} players. A call has to be answered within {limit:g} s, the first decision "
        f"of a game within {first:g} s.\n",
        "## What a referee refuses\n",
        "Who breaks one of these is out of the game, and is told which.\n",
        _table(("rule", "what it asks"), [(f"`{rule}`", sentence) for rule, sentence in described["rules"].items()]),
        "## What can be chosen\n",
        _table(("setting", "in tournaments", "meaning"), settings),
        "## Whom you can practise against\n",
        "`bot:NAME` is a player in every command that plays.\n",
        _table(("name", "what it does"), [(f"`{name}`", does) for name, does in described["strategies"].items()]),
    ]
    return "\n".join(parts)


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    cells = [head, ["---"] * len(head), *([str(each).replace("|", "\\|") for each in row] for row in rows)]
    return "".join(f"| {' | '.join(row)} |\n" for row in cells)
