"""`fairplay new` and `new-game`: projects that play and certify as they are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fairplay.games.game import registered
from fairplay.terminal.authors.project import languages
from tests.slow import SLOW, all_but_first_slow
from tests.terminal.running import Run, done
from tools.language_players import LANGUAGES, Language, missing, version_of

GAMES = ("bazaar", "eriantys", "fish", "q", "webset")
EXAMPLES = [language for language in languages("fish") if language != "python"]


@pytest.mark.parametrize("game", all_but_first_slow(GAMES))
def test_a_project_in_python_passes_its_own_test(fairplay: Run, game: str) -> None:
    assert done(fairplay("new", game, "mine")) == f"mine holds a player of {game}: see mine/README.md\n"
    ran = subprocess.run([sys.executable, "-m", "unittest"], cwd="mine", capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("game", all_but_first_slow(GAMES))
def test_a_project_in_python_is_certified(fairplay: Run, game: str) -> None:
    done(fairplay("new", game, "mine"))
    short = ["--level", "must", "--only", f"{game}.*", "--start-limit", "60s"]
    ran = fairplay("certify", game, f"exec:'{sys.executable}' mine/player.py", *short)
    assert ran.code == 0, ran.out


@pytest.mark.parametrize("game", all_but_first_slow(GAMES))
def test_a_player_in_lines_of_json_is_certified(fairplay: Run, game: str) -> None:
    assert done(fairplay("new", game, "--lines", "mine")) == f"mine holds a player of {game}: see mine/README.md\n"
    assert {path.name for path in Path("mine").iterdir()} == {"player.py", "player.sh", "player.js", "README.md"}
    short = ["--level", "must", "--only", f"{game}.*", "--start-limit", "60s"]
    program = f"exec:'{sys.executable}' -m fairplay.terminal bridge {game} --lines -- '{sys.executable}' mine/player.py"
    ran = fairplay("certify", game, program, *short)
    assert ran.code == 0, ran.out


@pytest.mark.parametrize(
    ("language", "file", "command"),
    [
        ("python", "player.py", "python player.py"),
        ("sh", "player.sh", "sh player.sh"),
        ("javascript", "player.js", "node player.js"),
    ],
)
def test_a_player_in_lines_of_json_is_in_the_language_that_is_asked_for(
    fairplay: Run, language: str, file: str, command: str
) -> None:
    done(fairplay("new", "eriantys", "--lines", "--language", language, "mine"))
    assert {path.name for path in Path("mine").iterdir()} == {file, "README.md"}
    assert f'exec:"fairplay bridge eriantys --lines -- {command}"' in Path("mine/README.md").read_text()


@pytest.mark.parametrize("language", EXAMPLES)
@pytest.mark.parametrize("game", ["fish", "q"])
def test_a_project_in_another_language_needs_nothing_outside_its_folder(
    fairplay: Run, game: str, language: str
) -> None:
    done(fairplay("new", game, "mine", "--language", language))
    files = [path for path in Path("mine").rglob("*") if path.is_file()]
    assert {"build.sh", "test.sh", "README.md"} <= {path.name for path in files}
    assert Path("mine", "proto", "fairplay", game, "v1", f"{game}_player.proto").exists()
    for path in files:
        assert b"../../proto" not in path.read_bytes()
        assert b"@GAME@" not in path.read_bytes()


@SLOW
@pytest.mark.timeout(1800)  # for the first build of a language that compiles all that it depends on
@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.folder)
def test_a_project_in_another_language_does_what_its_page_says(fairplay: Run, language: Language) -> None:
    if (advice := missing(language, version_of(language))) is not None:
        pytest.skip(advice)
    done(fairplay("new", "fish", "mine", "--language", language.folder))
    lines = Path("mine", "README.md").read_text().splitlines()
    typed = [
        line for line in lines if line.startswith("    ") and "pip install" not in line and "--connect" not in line
    ]
    assert len(typed) == 4
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    script = "\n".join(typed).replace(" --report report", " --only contract.reachable --level must")
    ran = subprocess.run(
        ["bash", "-euc", script], cwd="mine", env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_there_are_projects_of_every_game() -> None:
    assert set(GAMES) <= set(registered())
    assert {"go", "typescript"} <= set(EXAMPLES)
    assert all(languages(game) == (["python", *EXAMPLES] if game in ("fish", "q") else ["python"]) for game in GAMES)


def test_what_cannot_be_written_is_refused_in_one_sentence(fairplay: Run) -> None:
    Path("mine.txt").touch()
    for arguments, sentence in [
        (["fsh", "mine"], "fsh"),
        (["fish", "mine", "--language", "cobol"], "no project with a player of fish in 'cobol': choose python or go"),
        (["webset", "mine", "--language", "go"], "no project with a player of webset in 'go': choose python"),
        (
            ["fish", "mine", "--lines", "-l", "go"],
            "no player in lines of JSON in 'go': choose python or sh or javascript",
        ),
        (["fish", "."], ". is not empty"),
    ]:
        ran = fairplay("new", *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert sentence in ran.err
        assert ran.err.count("\n") == 1
        assert not Path("mine").exists()


def test_a_new_game_is_certified_as_it_is(fairplay: Run) -> None:
    assert done(fairplay("new-game", "oware", "mine")) == "mine holds the game oware: see mine/README.md\n"
    for path in Path("mine").rglob("*.*"):
        assert not path.is_file() or path.name == "README.md" or "nim" not in path.read_text().lower()
    offline = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--target", "site")
    subprocess.run([sys.executable, "-m", "pip", "install", *offline, "./mine"], check=True)
    program = [sys.executable, "-m", "fairplay.terminal", "certify", "oware", "bot:best"]
    ran = subprocess.run(program, env={**os.environ, "PYTHONPATH": "site"}, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "Certified" in ran.stdout


def test_a_new_game_needs_a_name_of_its_own_and_an_empty_folder(fairplay: Run) -> None:
    Path("full").mkdir()
    Path("full", "file").touch()
    for name, folder, sentence in [
        ("fish", "mine", "there is a game fish already"),
        ("My-Game", "mine", "'My-Game' cannot name a game"),
        ("oware", "full", "full is not empty"),
    ]:
        ran = fairplay("new-game", name, folder)
        assert (ran.code, ran.out) == (2, "")
        assert sentence in ran.err
