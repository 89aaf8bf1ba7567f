"""A wheel, built and installed in empty environments: what each of them brings. Needs a package index and some minutes.

FAIRPLAY_TEST_WHEEL names the Python of the environments; 1: the one that runs the tests.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from fairplay.terminal.authors.project import EXAMPLES
from fairplay.terminal.authors.protos import BESIDE
from tests.robustness.harness import Command, Ran, free_address, run

ROOT = Path(__file__).resolve().parents[2]
ASKED = os.environ.get("FAIRPLAY_TEST_WHEEL", "")
PYTHON = sys.executable if ASKED == "1" else ASKED
EXAMPLE = ROOT / "examples" / "python" / "my_player.py"
INSTALL = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet"]

pytestmark = pytest.mark.skipif(not ASKED, reason="FAIRPLAY_TEST_WHEEL=1 builds and installs a wheel")

EXTRAS = {
    "check": "terminal",
    "certificate": "terminal",
    "certify": "certify",
    "demo": "server",
    "game": "server",
    "games": "terminal",
    "lobby": "terminal",
    "player": "terminal",
    "records": "server",
    "serve": "server",
    "tournament": "server",
}

GOOD = """
from fairplay.games.game import find
from fairplay.fish.v1.fish_player_pb2 import TakeTurnRequest
from fairplay.player import dial_in, serve

def turn(request: TakeTurnRequest) -> str:
    return request.game_id

serve(find("fish").player("first"), "127.0.0.1:0")
"""
BAD = """
from fairplay.fish.v1.fish_player_pb2 import TakeTurnRequest
from fairplay.games.game import find
from fairplay.player import serve

serve(find("fish"), 50051)
TakeTurnRequest(game_id=5)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--outdir", str(directory), str(ROOT)]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    [found] = directory.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def bin_of(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Returns the programs of an environment that holds nothing but the wheel, with an extra, and what they need."""

    @cache
    def install(extra: str) -> Path:
        environment = tmp_path_factory.mktemp(extra or "base")
        subprocess.run([PYTHON, "-m", "venv", str(environment)], check=True)
        wanted = f"{wheel}[{extra}]" if extra else str(wheel)
        subprocess.run([str(environment / "bin" / "python"), *INSTALL, wanted], check=True)
        return environment / "bin"

    return install


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory in which nothing of the repository is found."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return tmp_path


def fairplay(bin_: Path, *arguments: str) -> Ran:
    return run(Path.cwd(), *arguments, program=[str(bin_ / "fairplay")])


def done(ran: Ran) -> str:
    assert (ran.code, ran.err) == (0, "")
    return ran.out


# --- the wheel ---


def test_nothing_is_installed_outside_the_namespace_and_every_package_in_it_is_typed(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if not name.startswith("fairplay_protocol-")} == {"fairplay"}
    assert {name.split(".dist-info/")[0].partition("-")[0] for name in names if ".dist-info/" in name} == {
        "fairplay_protocol"
    }
    assert "fairplay/__init__.py" not in names
    packages = {"/".join(name.split("/")[:3]) for name in names if "/v1/" in name}
    packages |= {"/".join(name.split("/")[:2]) for name in names if name.endswith("__init__.py")}
    assert {"fairplay/player", "fairplay/games", "fairplay/server", "fairplay/fish/v1"} <= packages
    assert [package for package in packages if f"{package}/py.typed" not in names and "/v1" not in package] == []
    assert "fairplay/fish/v1/py.typed" in names
    assert "fairplay/v1/player.proto" in names
    assert {f"fairplay/terminal/data/proto/{name}" for name in BESIDE} <= set(names)
    assert {f"fairplay/terminal/data/examples/{name}/build.sh" for name in EXAMPLES} <= set(names)


# --- without an extra ---


def test_without_an_extra_there_is_grpc_and_protobuf_and_nothing_else(bin_of: Callable[[str], Path]) -> None:
    listed = subprocess.check_output([bin_of("") / "python", "-m", "pip", "list", "--format", "json"], text=True)
    names = {package["name"] for package in json.loads(listed)} - {"pip", "setuptools"}
    assert names == {"fairplay-protocol", "grpcio", "protobuf", "typing_extensions"}


def test_a_player_is_served_and_dialled_in_without_an_extra(bin_of: Callable[[str], Path], elsewhere: Path) -> None:
    shutil.copy(EXAMPLE, elsewhere)
    here = [str(bin_of("") / "python"), EXAMPLE.name]
    address, server = free_address(), free_address()
    with (
        Command(elsewhere, "serve", "--listen", server) as hub,
        Command(elsewhere, address, program=here) as serving,
    ):
        hub.says("serves on")
        with Command(elsewhere, server, "ann", program=here) as dialling:
            players = ["-p", f"served=grpc://{address}", "-p", "dial-in:ann"]
            game = run(elsewhere, "game", "fish", *players, "--server", server, "--json")
            result = json.loads(game.out)
            assert (game.code, result["failures"]) == (0, []), (game, serving.err, dialling.err)
            assert [player["name"] for player in result["players"]] == ["served", "ann"]


def test_the_players_kit_and_the_stubs_are_typed(bin_of: Callable[[str], Path], elsewhere: Path) -> None:
    def check(source: str) -> str:
        (elsewhere / "snippet.py").write_text(source)
        command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(bin_of("") / "python")]
        ran = subprocess.run([*command, "snippet.py"], capture_output=True, text=True, check=False)
        return ran.stdout

    assert check(GOOD).startswith("Success")
    complaints = check(BAD)
    for words in ('Argument 2 to "serve" has incompatible type "int"', 'Argument "game_id" to "TakeTurnRequest"'):
        assert words in complaints


# --- a missing extra ---


def test_a_command_without_its_extra_names_it(bin_of: Callable[[str], Path]) -> None:
    for command, extra in EXTRAS.items():
        ran = fairplay(bin_of(""), command)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"fairplay: fairplay {command} needs the extra {extra}: ")
        assert ran.err.endswith(f"pip install 'fairplay-protocol[{extra}]'\n")


def test_the_command_line_without_its_extra_names_it(bin_of: Callable[[str], Path]) -> None:
    for arguments in [[], ["--help"], ["--version"], ["frobnicate"]]:
        ran = fairplay(bin_of(""), *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.endswith("-m pip install 'fairplay-protocol[terminal]'\n")


def test_another_extra_does_not_do(bin_of: Callable[[str], Path]) -> None:
    for installed, arguments, missing in [
        ("server", ["lobby"], "terminal"),
        ("server", ["certify", "fish", "bot:first"], "certify"),
        ("terminal", ["serve", "--listen", "127.0.0.1:0"], "server"),
        ("terminal", ["game", "fish", "-p", "bot:first", "-p", "bot:first"], "server"),
        ("terminal", ["tournament", "fish", "-p", "bot:first", "-p", "bot:first"], "server"),
        ("terminal", ["demo"], "server"),
        ("terminal", ["records", "list", "."], "server"),
        ("terminal", ["certify", "fish", "bot:first"], "certify"),
    ]:
        ran = fairplay(bin_of(installed), *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.endswith(f"-m pip install 'fairplay-protocol[{missing}]'\n")


# --- with an extra ---


def test_help_shows_every_command_whatever_is_installed(bin_of: Callable[[str], Path]) -> None:
    for extra in ["server", "terminal", "certify"]:
        shown = done(fairplay(bin_of(extra), "--help"))
        assert {line.split()[0] for line in shown.partition("Commands:")[2].splitlines() if line[:3].strip()} >= set(
            EXTRAS
        )
        for command in EXTRAS:
            assert "Usage" in done(fairplay(bin_of(extra), command, "--help"))


def test_the_extra_server_plays(bin_of: Callable[[str], Path], elsewhere: Path) -> None:
    bin_ = bin_of("server")
    demo = done(fairplay(bin_, "demo", "--records", "records", "--json", "result.json"))
    assert "Cheater" in demo
    verified = done(fairplay(bin_, "records", "verify", "records")).splitlines()[-1]
    assert re.fullmatch(r"(\d+) records: \1 ok", verified), verified
    done(fairplay(bin_, "tournament", "q", "-p", "bot:first", "-p", "bot:random"))
    assert "fish" in done(fairplay(bin_, "games"))
    with Command(elsewhere, "serve", "--listen", "127.0.0.1:0", program=[str(bin_ / "fairplay")]) as server:
        server.says("serves on")


def test_the_extra_terminal_meets_people_and_runs_players(bin_of: Callable[[str], Path], elsewhere: Path) -> None:
    bin_ = bin_of("terminal")
    done(fairplay(bin_, "games", "fish"))
    lobby = fairplay(bin_, "lobby", "--server", "nowhere")
    assert (lobby.code, lobby.err.count("\n")) == (2, 1)
    address = free_address()
    with Command(elsewhere, "player", "fish", "--listen", address, program=[str(bin_ / "fairplay")]) as player:
        player.says("serves on port")
        done(run(elsewhere, "game", "fish", "-p", f"grpc://{address}", "-p", "bot:first"))


def test_the_extra_certify_certifies(bin_of: Callable[[str], Path]) -> None:
    ran = fairplay(bin_of("certify"), "certify", "fish", "bot:greedy", "--only", "contract.*", "--json", "out.json")
    assert (ran.code, ran.err) == (0, "")
    assert "only some of the cases were tried, and every MUST among them is met" in ran.out
    assert fairplay(bin_of("certify"), "certificate", "verify", "out.json").err == ""
