"""A game in a distribution of its own, installed with pip beside Fairplay: every command works with it."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.docs.pages import ROOT, blocks
from tests.slow import SLOW

pytestmark = SLOW
NIM = ROOT / "examples" / "nim"
PAGE = ROOT / "docs" / "add-a-game.md"
LIMIT_S = 600.0
"""Enough for all mutants on a busy machine."""
MOST_LINES = 350
LINES = """
import json, sys
for line in sys.stdin:
    call = json.loads(line)
    answer, request = {}, call["request"]
    if call["method"] == "Take":
        heap = next(heap for heap, matches in enumerate(request["state"]["heaps"]) if matches)
        answer = {"heap": heap, "match_count": 1}
    print(json.dumps({"response": answer}), flush=True)
"""


class Installed:
    """An environment in which Nim is installed, and a folder to work in."""

    def __init__(self, site: Path, folder: Path) -> None:
        paths = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
        self._environment = {**os.environ, "PYTHONPATH": str(site), "PATH": os.pathsep.join(paths), "COLUMNS": "200"}
        self.folder = folder

    def run(self, *command: str | Path, code: int = 0) -> str:
        """Run a command; return what it prints."""
        done = subprocess.run(
            list(map(str, command)),
            cwd=self.folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        assert done.returncode == code, done.stdout
        return done.stdout

    @contextmanager
    def served(self) -> Iterator[str]:
        """Yield the URL of the pages of a server, which runs meanwhile."""
        command = [
            sys.executable,
            "-m",
            "fairplay.terminal",
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--web",
            "127.0.0.1:0",
        ]
        with subprocess.Popen(command, env=self._environment, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            try:
                yield next(found[0] for line in server.stdout if (found := re.search(r"http://\S+(?=/)", line)))
            finally:
                server.terminate()

    def python(self, *arguments: str | Path, code: int = 0) -> str:
        return self.run(sys.executable, *arguments, code=code)

    def fairplay(self, *arguments: str, code: int = 0) -> str:
        return self.python("-m", "fairplay.terminal", *arguments, code=code)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with Nim in it, as pip installs it; no network is needed."""
    folder = tmp_path_factory.mktemp("site")
    quiet = ("--quiet", "--disable-pip-version-check")
    offline = ("--no-deps", "--no-build-isolation")
    command = [sys.executable, "-m", "pip", "install", *quiet, *offline, "--target", str(folder), str(NIM)]
    subprocess.run(command, check=True, timeout=LIMIT_S)
    return folder


@pytest.fixture
def nim(site: Path, tmp_path: Path) -> Installed:
    return Installed(site, tmp_path)


def test_the_game_shows_its_settings_strategies_and_rules(nim: Installed) -> None:
    shown = nim.fairplay("games", "nim")
    for wanted in ("fairplay_nim.v1.NimPlayerService", "heaps", "largest", "best", "nim.take.heap"):
        assert wanted in shown


def test_a_game_is_played_and_its_record_shown_verified_replayed_and_drawn(nim: Installed) -> None:
    players = ("-p", "ann=bot:best", "-p", "bob=bot:random")
    nim.fairplay(
        "game", "nim", *players, "--seed", "3", "--set", "heaps=4", "--records", "kept", "--json", "result.json"
    )
    result = json.loads((nim.folder / "result.json").read_text())
    assert "ann" in json.dumps(result)
    [game_id] = set(re.findall(r"nim-[0-9a-f]+", nim.fairplay("records", "list", "kept")))
    assert "ok" in nim.fairplay("records", "verify", "kept")
    assert "Take" in nim.fairplay("records", "show", "kept", game_id)
    assert "has won" in nim.fairplay("records", "replay", "kept", game_id)
    nim.fairplay("records", "picture", "kept", game_id, "--output", "last.svg")
    assert (nim.folder / "last.svg").read_text().startswith("<svg")


def test_the_page_for_browsers_shows_commands_that_there_are(nim: Installed) -> None:
    with nim.served() as url, urlopen(f"{url}/games/nim") as answer:
        [shown] = re.findall(r"<pre[^>]*><code>(pip install .*?)</code>", answer.read().decode(), re.DOTALL)
    lines = [shlex.split(line)[1:] for line in shown.splitlines() if line.startswith("fairplay ")]
    assert lines[0] == ["games", "nim"]
    nim.fairplay(*lines[0])
    assert "nim.take" in nim.fairplay(*lines[1], "--list")


def test_a_tournament_is_played(nim: Installed) -> None:
    players = [word for name in "abcde" for word in ("-p", f"{name}=bot:random")]
    assert "winner" in nim.fairplay("tournament", "nim", *players, "-p", "champion=bot:best", "--seed", "1")


def test_the_demo_shows_the_broken_players_that_are_out(nim: Installed) -> None:
    shown = nim.fairplay("demo", "--game", "nim", "--seed", "1")
    for name in ("Cheater", "Raiser", "Sleeper"):
        assert re.search(rf"out\W+{name}", shown), shown
    assert "nim.take.required" in shown


def test_a_game_is_played_at_a_table(nim: Installed) -> None:
    assert nim.python(ROOT / "tests" / "examples" / "table.py").strip() in {"ann", "bob", "cy"}


@pytest.mark.parametrize("link", ["bot:best", f"exec:{sys.executable} -m fairplay.terminal player nim --strategy best"])
def test_a_player_gets_a_certificate_that_is_accepted(nim: Installed, link: str) -> None:
    nim.fairplay("certify", "nim", link, "--report", "report")
    assert "certified" in nim.fairplay("certificate", "verify", "report/certificate.json")


def test_a_program_without_grpc_gets_a_certificate(nim: Installed) -> None:
    (nim.folder / "player.py").write_text(LINES)
    program = f"exec:fairplay bridge nim --lines -- '{sys.executable}' player.py"
    assert "Certified" in nim.fairplay("certify", "nim", program, "--level", "must", "--start-limit", "60s")


def test_a_game_has_the_standard_profile_without_a_word_about_it(nim: Installed) -> None:
    judged = nim.fairplay("certify", "nim", "bot:best", "--profile", "standard", "--level", "must", "--json", "it.json")
    assert "within the profile standard" in judged
    assert re.search("NOT APPLICABLE +nim.take.one-at-a-time", judged)
    assert "standard" in nim.fairplay("games", "nim")


def test_a_mutant_gets_no_certificate(nim: Installed) -> None:
    link = f"exec:{sys.executable} -m fairplay.conformance.zoo nim takes-two"
    assert "nim.take.one-at-a-time" in nim.fairplay("certify", "nim", link, "--only", "nim", code=1)


def test_every_mutant_is_caught_by_the_cases_that_name_it_and_by_no_other(nim: Installed) -> None:
    nim.folder = ROOT
    ran = nim.python("-m", "tools.zoo", "nim")
    for name in ("takes-two", "names-no-heap-for-zero", "raises-in-play-as", "remembers-the-last-game"):
        assert f"nim {name}: as it should be\n" in ran


def test_test_data_is_checked(nim: Installed) -> None:
    data = nim.folder / "data"
    data.mkdir()
    (data / "1-in.json").write_text('{"heaps": [1, 0, 2], "most": 1, "players": [0, 1]}')
    (data / "1-out.json").write_text('[{"heap": 0, "match_count": 1}, {"heap": 2, "match_count": 1}]')
    (data / "2-in.json").write_text('{"heaps": [1, -1]}')
    (data / "2-out.json").write_text('{"error": "out of range"}')
    assert "all agree" in nim.fairplay("check", "nim", "legal", "data")
    (data / "1-out.json").write_text("[]")
    assert "1-in.json" in nim.fairplay("check", "nim", "legal", "data", code=1)


def test_the_frozen_cases_are_the_must_cases_that_there_are(nim: Installed) -> None:
    source = "from fairplay.conformance.must import must_ids; from fairplay.games.game import find\n"
    ids = nim.python("-c", f"{source}print(*must_ids(find('nim')), sep='\\n')")
    assert ids == (NIM / "fairplay_nim" / "must-1.txt").read_text()


def test_the_stubs_are_those_of_the_proto(nim: Installed) -> None:
    command = ("build", NIM, "--as-file-descriptor-set", "--exclude-source-info", "--output")
    nim.run(Path(sys.executable).with_name("buf"), *command, nim.folder / "nim.binpb")
    source = (
        "from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet as Set\n"
        "from fairplay_nim.v1.nim_pb2 import DESCRIPTOR\n"
        "compiled = FileDescriptorProto.FromString(DESCRIPTOR.serialized_pb)\n"
        "[proto] = Set.FromString(open('nim.binpb', 'rb').read()).file\n"
        "for message in proto.message_type:\n"
        "    for field in message.field: field.ClearField('json_name')\n"
        "assert proto == compiled, (proto, compiled)\n"
    )
    nim.python("-c", source)


def test_a_game_is_played_without_a_server_as_the_page_says(nim: Installed) -> None:
    text = PAGE.read_text()
    [code] = [
        block.text for block in blocks(text) if block.language == "python" and block.text.startswith("from random")
    ]
    assert nim.python("-c", code).strip() in {"[[(0, 1)], [(1, 0)]]", "[[(1, 1)], [(0, 0)]]"}


def test_a_small_game_is_a_small_package() -> None:
    sources = [*NIM.glob("fairplay_nim/*.py")]
    assert sum(len(source.read_text().splitlines()) for source in sources) <= MOST_LINES


def test_a_game_is_learned_and_played_by_hand(nim: Installed) -> None:
    code = (
        "from fairplay.games.frontends import find_frontend\n"
        "from fairplay.pettingzoo import env\n"
        "learned = env('nim', settings={'heaps': 2, 'most': 2})\n"
        "learned.reset(seed=1)\n"
        "for agent in learned.agent_iter():\n"
        "    seen, _, over, _, _ = learned.last()\n"
        "    learned.step(None if over else int(seen['action_mask'].argmax()))\n"
        "print(find_frontend('nim').bot)\n"
    )
    assert nim.python("-c", code).strip() == "random"
