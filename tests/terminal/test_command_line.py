"""The command line itself: its commands, how fast it shows help, what it lacks, and completion in shells."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairplay.games.distribution import DISTRIBUTION, lacks_extra
from fairplay.games.game import registered
from fairplay.terminal.commands.app import ORDER
from fairplay.terminal.commands.extras import commands, missing_extra, package_of
from tests.slow import all_but_first_slow
from tests.terminal.running import Run, done

COMMAND = [sys.executable, "-m", "fairplay.terminal"]
SHELLS = ["bash", "zsh", "fish"]


# --- commands ---


def test_help_lists_every_command_that_is_installed(fairplay: Run) -> None:
    listed = done(fairplay("--help")).partition("Commands:\n")[2].partition("\n\n")[0]
    names = [line.split()[0] for line in listed.splitlines() if line[2:3].strip()]
    assert sorted(names) == sorted(commands())
    assert names[:3] == ["demo", "game", "tournament"]
    assert set(names[len(ORDER) :]) == {name for name, entry in commands().items() if package_of(entry) != DISTRIBUTION}


def test_every_command_has_help_with_an_example(fairplay: Run) -> None:
    for name in sorted(commands()):
        shown = done(fairplay(name, "--help"))
        assert shown.startswith(f"Usage: fairplay {name} ")
        assert f"fairplay {name}" in shown.partition("Example")[2]


def test_help_loads_nothing_slow() -> None:
    code = "import sys\nfrom fairplay.terminal import main\ntry:\n    main()\nfinally:\n    print(sorted(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True)
    for module in ("grpc", "google.protobuf", "sqlalchemy", "asyncio", "rich.console"):
        assert f"'{module}'" not in ran.stdout


def test_a_player_loads_no_server() -> None:
    """Players are started again and again, many of them at the same time."""
    code = "import sys\nfrom fairplay.terminal import main\ntry:\n    main()\nfinally:\n    print(sorted(sys.modules))"
    absent = ["player", "fish", "--connect", "127.0.0.1:1", "--name", "x", "--patience", "0s"]
    ran = subprocess.run([sys.executable, "-c", code, *absent], capture_output=True, text=True, check=False)
    assert "was not reached" in ran.stderr
    for module in ("fairplay.server.links.ways", "fairplay.server.records.store", "sqlalchemy", "numpy"):
        assert f"'{module}'" not in ran.stdout


def test_a_server_loads_at_its_start_what_it_may_need_later_and_no_extra_that_it_was_not_asked_for() -> None:
    """A machine that has run out of descriptors loads nothing more."""
    code = "import sys\nfrom fairplay.terminal import main\ntry:\n    main()\nfinally:\n    print(sorted(sys.modules))"
    command = [sys.executable, "-c", code, "serve", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        started = server.stdout.readline()
        server.terminate()
        out, _ = server.communicate(timeout=60)
    assert started.startswith("fairplay serves on")
    assert "'fairplay.server.manager.course'" in out
    for module in ("numpy", "cryptography", "rustworkx"):
        assert f"'{module}'" in out
    for module in ("prometheus_client", "psycopg"):
        assert f"'{module}'" not in out


@pytest.fixture
def brought(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package of somebody else that brings commands; one of them bears the name of ours, one lacks a module."""
    (tmp_path / "club.py").write_text('def ladder() -> None:\n    """Show the ladder."""\n    print("the ladder")\n')
    (tmp_path / "unready.py").write_text("import nowhere_to_be_found\n")
    metadata = tmp_path / "club-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: club\nVersion: 1.0\n")
    names = {"ladder": "club:ladder", "serve": "club:ladder", "unready": "unready:main [web]"}
    lines = [f"{name} = {value}" for name, value in names.items()]
    (metadata / "entry_points.txt").write_text("\n".join(["[fairplay.commands]", *lines]) + "\n")
    monkeypatch.syspath_prepend(tmp_path)
    commands.cache_clear()
    yield
    commands.cache_clear()


def test_commands_of_others_are_found_likewise_and_cannot_take_our_names(brought: None, tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False, env=environment)

    assert run("ladder").stdout == "the ladder\n"
    assert "Run the reference server" in run("serve", "--help").stdout
    unready = run("unready")
    assert (unready.returncode, unready.stdout) == (2, "")
    assert unready.stderr == f"fairplay: {lacks_extra('fairplay unready', 'web', 'club')}\n"
    shown = run("--help").stdout
    assert "ladder" in shown
    assert "unready" in shown
    assert "Cannot be loaded: No module named 'nowhere_to_be_found'." in run("unready", "--help").stdout


def test_a_mistyped_command_is_answered_with_those_that_are_close(fairplay: Run) -> None:
    for typed, words in [
        ("gaem", "No such command 'gaem'. Did you mean game or games?"),
        ("torunament", "Did you mean tournament?"),
        ("frobnicate", "No such command 'frobnicate'.\n"),
    ]:
        ran = fairplay(typed, "fish")
        assert (ran.code, ran.out) == (2, "")
        assert words in ran.err


# --- extras ---


def test_a_missing_module_of_others_means_that_an_extra_is_missing() -> None:
    for arguments, sentence in [
        (["serve"], lacks_extra("fairplay serve", "server")),
        (["lobby", "--name", "a"], lacks_extra("fairplay lobby", "terminal")),
        (["certify", "fish"], lacks_extra("fairplay certify", "certify")),
        ([], lacks_extra("fairplay", "terminal")),
        (["--help"], lacks_extra("fairplay", "terminal")),
        (["frobnicate"], lacks_extra("fairplay", "terminal")),
    ]:
        assert missing_extra(ModuleNotFoundError(name="sqlalchemy.orm"), arguments) == sentence


def test_a_missing_module_of_ours_is_a_mistake() -> None:
    assert missing_extra(ModuleNotFoundError(name="fairplay.server.gone"), ["serve"]) is None


@pytest.mark.parametrize(
    ("command", "lacking", "extra"), [("serve", "sqlalchemy", "server"), ("", "typer", "terminal")]
)
def test_a_command_that_lacks_its_extra_says_so_in_one_sentence(command: str, lacking: str, extra: str) -> None:
    code = f"import sys; sys.modules['{lacking}'] = None\nfrom fairplay.terminal import main\nmain()"
    arguments = [command, "--listen", "127.0.0.1:0"] if command else []
    ran = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == f"fairplay: {lacks_extra(f'fairplay {command}'.strip(), extra)}\n"


# --- completion ---


def completed(shell: str, *words: str) -> list[str]:
    """What a shell offers after these words, the last of which is not finished."""
    line = " ".join(["fairplay", *words])
    asked = {
        "bash": {"COMP_WORDS": line, "COMP_CWORD": str(len(words))},
        "zsh": {"_TYPER_COMPLETE_ARGS": line},
        "fish": {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }[shell]
    environment = {**os.environ, **asked, "_FAIRPLAY_COMPLETE": f"complete_{shell}"}
    script = Path(sys.executable).with_name("fairplay")
    ran = subprocess.run([script], capture_output=True, text=True, check=False, env=environment)
    assert ran.stderr == ""
    return ran.stdout.split()


@pytest.mark.parametrize("shell", all_but_first_slow(SHELLS))
def test_names_of_commands_and_games_are_completed(shell: str) -> None:
    assert "tournament" in " ".join(completed(shell, "tourn"))
    for command in ("game", "tournament", "games", "player", "check", "certify"):
        assert "webset" in " ".join(completed(shell, command, "web"))
    offered = " ".join(completed(shell, "games", ""))
    assert all(name in offered for name in registered())
    assert "verify" in " ".join(completed(shell, "records", "ver"))


@pytest.mark.parametrize("shell", all_but_first_slow(SHELLS))
def test_after_a_command_that_there_is_not_the_commands_are_offered(shell: str) -> None:
    assert "tournament" in " ".join(completed(shell, "tuornament", ""))
    assert "verify" in " ".join(completed(shell, "records", "verfiy", ""))


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_for_a_shell_is_shown(shell: str) -> None:
    environment = {**os.environ, "_FAIRPLAY_COMPLETE": f"source_{shell}"}
    script = Path(sys.executable).with_name("fairplay")
    shown = subprocess.run([script], capture_output=True, text=True, check=False, env=environment)
    assert "_FAIRPLAY_COMPLETE" in shown.stdout
    if found := shutil.which(shell):
        parsed = subprocess.run([found, "-n"], input=shown.stdout, text=True, capture_output=True, check=False)
        assert (parsed.returncode, parsed.stderr) == (0, "")
