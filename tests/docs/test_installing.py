"""Every `pip install` that is shown works as typed, in an environment in which nothing is installed. Needs an index.

Nothing of ours is taken from the index: it has no distribution of this name.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.slow import SLOW

PIP = re.compile(r"pip install ([^`\n<>…{}]*[^`\n<>…{}\s,.:;])")
ROW = re.compile(r"^\| (`'?\.\S*`.*?) \|", re.MULTILINE)
SHOWN = {".html", ".in", ".md", ".yml", "", ".service", ".py", ".sh"}
ASKED_FOR = re.compile(r"""(?<![\w./@-])fairplay([-_]protocol)?(\[[\w,]+\])?(?=['"\s<>=~!]|$)""")
"""Fairplay by its name, or the placeholder: a requirement that an index would answer."""
FROM_CLONE = re.compile(r"""(?<=['" ])\.\[([\w,]+)\]""")
MADE = re.compile(r"\..*|__pycache__|node_modules|target|build|bin|dist|gen")
"""Folders that no clone has."""

SHORT = "--only 'contract.*' --level must"
"""A part of the suite: other tests run all of it."""


class Environment:
    """An environment of its own, in which there is nothing; its programs are first on the PATH."""

    def __init__(self, folder: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        quickly = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_PREFER_BINARY": "1"}
        self._variables = {**kept, **quickly, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}

    def run(self, line: str, folder: Path, code: int = 0) -> str:
        """Run what somebody types, and return what is printed."""
        shell = ["bash", "-ec", line]
        ran = subprocess.run(shell, cwd=folder, env=self._variables, capture_output=True, text=True, check=False)
        assert ran.returncode == code, f"{line}\n{ran.stdout}{ran.stderr}"
        return ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What somebody has who cloned the repository."""
    folder = tmp_path_factory.mktemp("clone") / "fairplay"
    return Path(shutil.copytree(ROOT, folder, ignore=lambda _, names: [name for name in names if MADE.fullmatch(name)]))


def shown() -> Iterator[str]:
    """Yield what pages, templates and files of deployment have pip install: in commands, and in the table of README."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if not MADE.fullmatch(name) and name != "tests"]
        for path in (Path(folder, name) for name in names if name != "CHANGELOG.md"):
            if path.suffix in SHOWN and not path.name.startswith("."):
                text = path.read_text("utf-8")
                yield from (found[1].partition("  #")[0].strip() for found in PIP.finditer(text))
                if path.suffix == ".in":
                    yield from re.findall(r"""['"](fairplay[\w-]*[^'"]*)['"],?$""", text, re.MULTILINE)
    for row in ROW.findall((ROOT / "README.md").read_text()):
        yield from re.findall(r"`(\S+)`", row)


def test_what_is_shown_installs_from_the_clone_with_extras_that_there_are() -> None:
    lines = list(shown())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    from_clone = [found for line in lines for found in FROM_CLONE.findall(line)]
    extras = {extra for found in from_clone for extra in found.split(",")}
    assert extras == project["optional-dependencies"].keys() - {"dev"}
    assert not [line for line in lines if ASKED_FOR.search(line)], "nobody's index has it, or has somebody else's"


@SLOW
def test_an_index_without_fairplay_has_all_that_is_shown(clone: Path, tmp_path: Path) -> None:
    environment = Environment(tmp_path / "empty")
    lines = set(shown())
    extras = {found for line in lines for found in FROM_CLONE.findall(line) if found}
    environment.run(f"pip install --quiet --dry-run '.[{','.join(sorted(extras))}]'", clone)
    # What a template has in the place of the requirement is filled in by `fairplay new`.
    others = [line for line in lines if not re.search(r"^--editable|^\.|^'$|[\[@$]", line)]
    assert others
    environment.run(f"pip install --quiet --dry-run {' '.join(others)}", clone)


def commands_of_the_game_page(clone: Path, game: str) -> list[str]:
    """Return what the pages for browsers say about writing a player of a game."""
    template = (clone / "web" / "fairplay" / "web" / "templates" / "game.html").read_text()
    shown = template.partition("<code>pip install")[2].partition("</code>")[0]
    return shown.replace("{{ game.name }}", game).splitlines()


@SLOW
def test_what_is_missing_is_brought_by_what_the_message_says_and_games_and_players_come_beside(
    clone: Path, tmp_path: Path
) -> None:
    environment = Environment(tmp_path / "first")
    environment.run("pip install --quiet .", clone)
    missing = environment.run("fairplay certify fish bot:first", tmp_path, code=2)
    environment.run(missing.partition(": ")[2].partition(": ")[2], tmp_path)
    for line in commands_of_the_game_page(clone, "fish")[1:]:
        environment.run(line.replace("my-player", "mine").replace("certify fish", f"certify fish {SHORT}"), tmp_path)
    environment.run("pip install --quiet ./examples/nim", clone)
    assert "heaps" in environment.run("fairplay games nim", tmp_path)

    for written in ("new fish in-python", "new fish in-lines --lines", "new-game oware in-oware"):
        environment.run(f"fairplay {written}", tmp_path)
        project = tmp_path / written.split()[2]
        typed = re.findall("^    (.+)$", (project / "README.md").read_text(), re.MULTILINE)
        here = [re.sub(r"(?<=certify )(fish|oware)", rf"\1 {SHORT}", line) for line in typed if "CONNECT" not in line]
        assert here[0].startswith(("pip install ", "python3 -m venv "))
        Environment(tmp_path / f"{project.name}-alone").run("\n".join(here), project)
    environment.run("fairplay new fish in-go --language go", tmp_path)
    [install] = re.findall(r"^    (pip install .+)$", (tmp_path / "in-go" / "README.md").read_text(), re.MULTILINE)
    environment.run(f"{install} --quiet --dry-run", tmp_path / "in-go")


@SLOW
def test_what_the_hand_out_of_a_class_says_works_where_there_is_nothing_else(tmp_path: Path) -> None:
    new_class = ["class", "new", "spring", "--game", "fish", "--languages", "python,sh"]
    subprocess.run([sys.executable, "-m", "fairplay.terminal", *new_class], cwd=tmp_path, check=True)
    shutil.unpack_archive(tmp_path / "spring" / "hand-out.zip", tmp_path)
    handed_out = tmp_path / "fish-hand-out"
    shown = re.findall(r"^    (.+)$", (handed_out / "README.md").read_text(), re.MULTILINE)
    *set_up, certify, certify_lines, play, play_lines = shown
    typed = "\n".join([*set_up, "cd python", certify, play, "cd ../sh", certify_lines, play_lines])
    Environment(tmp_path / "own").run(typed.replace("certify fish", f"certify fish {SHORT}"), handed_out)


@SLOW
def test_make_removes_the_distribution_by_its_old_name(clone: Path, tmp_path: Path) -> None:
    environment = Environment(clone / ".venv")
    old = tmp_path / "old"
    old.mkdir()
    (old / "pyproject.toml").write_text(
        '[project]\nname = "fairplay"\nversion = "0.1.0"\n[tool.setuptools]\npackages = []\n'
        '[project.entry-points."fairplay.games"]\nfish = "fairplay.games.fish.game:GAME"\n'
    )
    environment.run("pip install --quiet .", old)
    environment.run("make .venv/.ready", clone)
    listed = environment.run("pip list --format freeze", clone)
    assert re.findall(r"(?m)^fairplay.*?(?==|$)", listed) == ["fairplay-protocol"], listed
    environment.run("fairplay games fish", tmp_path)
