"""Programs in a sandbox: sound ones notice nothing, others reach nothing, and nothing of either is left."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from fairplay.conformance.run.engine import run_plan
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.plan import make_plan
from fairplay.conformance.writers.files import CertificateWriter
from fairplay.sandbox.bubblewrap import Sandbox
from fairplay.sandbox.limits import DEFAULT_LIMITS, Limits, parse_limits
from fairplay.sandbox.paths import Visibility, view
from fairplay.server.links.program import ProgramOptions
from fairplay.server.server import Config, Server
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import CallErrorReason, Misconduct
from fairplay.v1.tournament_pb2 import TournamentStatus
from tests.sandbox import hostile
from tests.server.harness import plan, serving
from tests.server.manager.harness import plan as tournament_plan

pytestmark = pytest.mark.sandbox

SOUND = f"exec:{shlex.join([sys.executable, '-m', 'fairplay.terminal', 'player', 'fish'])}"
LIMITS = parse_limits("memory=500MiB,processes=60,threads=300,cpu=12s,temp=50MiB,output=20MiB")
LIMIT_S = 300.0
"""For each call: far more than anything takes, so that only what the guard does counts."""


@asynccontextmanager
async def server_of(sandbox: Sandbox, records: Path, limits: Limits = LIMITS) -> AsyncIterator[Server]:
    """Run a server whose programs are in sandboxes, and check that it leaves nothing behind."""
    before = left()
    programs = ProgramOptions(sandbox, limits)
    async with serving(Config(allow_exec=True, records=records, start_limit_s=120.0, programs=programs)) as server:
        yield server
    assert left() == before


def left() -> tuple[Sequence[psutil.Process], set[str]]:
    """Return the processes and the temporary folders that there are of this process."""
    folders = {file.name for file in Path(tempfile.gettempdir()).glob(f"fairplay-program-{os.getpid()}-*")}
    return psutil.Process().children(recursive=True), folders


@pytest.mark.parametrize("way", ["", " --serve"], ids=["dials in", "serves"])
async def test_a_sound_player_notices_nothing(sandbox: Sandbox, way: str, tmp_path: Path) -> None:
    async with server_of(sandbox, tmp_path) as server:
        game = await server.referee.play(plan(f"{SOUND}{way}", "bot:first", limit_s=LIMIT_S))
    assert not game.result.misconducts


def test_a_program_that_the_system_reaches_through_a_link_in_etc_is_found(sandbox: Sandbox) -> None:
    linked = [
        path for path in Path("/usr/bin").iterdir() if path.is_symlink() and path.readlink().is_relative_to("/etc")
    ]
    program = next((path for path in linked if os.access(path, os.X_OK)), None)
    if program is None:
        pytest.skip("this system has no alternatives")
    visibility = Visibility(Path("/"), os.defpath, Path("/nobody"))
    command = sandbox.command(visibility, view(visibility, [program.name]).paths, Limits())
    done = subprocess.run([*command, "--", "test", "-x", program], capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


async def test_a_program_sees_its_own_folder_and_not_the_records_in_it(sandbox: Sandbox, tmp_path: Path) -> None:
    folder, records = tmp_path / "own", tmp_path / "own" / "records"
    folder.mkdir()
    script = folder / "program.sh"
    script.write_text(
        "cd $(dirname $0); echo *; echo records/*; (echo x > y) 2>&1; ls -A .. ; ls -A ../other; exit 3\n"
    )
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "secret").touch()
    async with server_of(sandbox, records) as server:
        game = await server.referee.play(plan(f"exec:sh {script}", "bot:first"))
    [misconduct] = game.result.misconducts
    lines = misconduct.call_error.output.splitlines()
    assert misconduct.call_error.message == "the player's process ended with exit code 3"
    assert lines[:2] == ["program.sh records", "records/*"]
    assert "Read-only file system" in lines[2]
    assert lines[3] == "own"
    assert "No such file" in lines[4]


async def test_six_programs_that_mean_harm_spoil_nothing_for_six_sound_ones(sandbox: Sandbox, tmp_path: Path) -> None:
    records = tmp_path / "records"
    private = tmp_path / "private"
    private.write_text("the token of somebody else")
    async with server_of(sandbox, records) as server:
        paths, files = [str(private), str(records), str(Path.home() / ".ssh")], []
        if not Path.cwd().is_relative_to(tempfile.gettempdir()):  # below that all is the program's own, and empty
            paths.append(str(Path.cwd() / "tests"))
            files.append(str(Path.cwd() / "x"))
        targets = json.dumps({"addresses": [server.address], "paths": paths, "files": files})
        prober = f"env {shlex.quote(f'TARGETS={targets}')} {own(hostile.PROBER)}"
        attackers = {
            "bomb": own(hostile.FORK_BOMB),
            "hog": own(hostile.MEMORY_HOG),
            "filler": own(hostile.DISK_FILLER),
            "burner": own(hostile.CPU_BURNER),
            "ignorer": own(hostile.IGNORER + hostile.RAISE),
            "prober": prober,
        }
        links = {name: f"exec:{command}" for name, command in attackers.items()}
        links |= {f"sound{number}": f"{SOUND}{' --serve' if number % 2 else ''}" for number in range(6)}
        made = tournament_plan("ab", limit_s=LIMIT_S)
        del made.entrants[:]
        made.entrants.extend(Player(name=name, link=link) for name, link in sorted(links.items()))
        made.sign_up.max_entrant_count = len(links)
        before = psutil.Process().memory_info().rss
        await server.manager.create("cup", made)
        await server.manager.start("cup")
        async for _ in server.manager.watch("cup"):
            pass
        over = server.manager.get("cup")
        grown = psutil.Process().memory_info().rss - before
    assert over.status == TournamentStatus.TOURNAMENT_STATUS_FINISHED
    assert grown < 200 * 2**20
    assert sum(file.stat().st_size for file in records.iterdir()) < 50 * 2**20
    found = {failure.misconduct.player: failure.misconduct for failure in over.result.failures}
    assert found.keys() == attackers.keys(), found
    limits = {"bomb": "processes", "hog": "memory", "filler": "temp", "burner": "cpu"}
    if "its limit threads" in found["bomb"].call_error.message:  # each process of the bomb has one, or more
        limits["bomb"] = "threads"
    for name, limit in limits.items():
        assert_over(found[name], limit)
    assert "still here" in found["ignorer"].call_error.message
    assert "reached: []" in found["prober"].call_error.message


async def test_an_endless_fork_bomb_ends_by_the_default_limits_beside_a_game(sandbox: Sandbox, tmp_path: Path) -> None:
    async with server_of(sandbox, tmp_path, DEFAULT_LIMITS) as server:
        bomb = plan(hostile.link(hostile.ENDLESS_FORK_BOMB), "bot:first", limit_s=LIMIT_S)
        bots = plan("bot:minimax", "bot:first", limit_s=LIMIT_S)
        over, beside = await asyncio.gather(server.referee.play(bomb), server.referee.play(bots))
    [misconduct] = over.result.misconducts
    assert_over(misconduct, "processes")
    assert not beside.result.misconducts


def own(code: str) -> str:
    """Return the command of a player that runs this code in its first decision."""
    return hostile.hostile(hostile.in_first_decision(code))


def assert_over(misconduct: Misconduct, limit: str) -> None:
    """Check that a player is out because of a limit, and that the evidence says so."""
    assert misconduct.call_error.reason == CallErrorReason.CALL_ERROR_REASON_LIMIT_EXCEEDED, misconduct
    assert misconduct.call_error.message.startswith(f"the program went over its limit {limit}: it ")
    assert misconduct.call_error.message.endswith("is allowed")


@pytest.mark.parametrize(
    ("code", "limit"),
    [
        (hostile.FORK_BOMB, "processes"),
        (hostile.MEMORY_HOG, "memory"),
        (hostile.MANY_HOGS, "memory"),
        (hostile.SOCKET_HOG, "memory"),
        (hostile.DISK_FILLER, "temp"),
        (hostile.CPU_BURNER, "cpu"),
        (hostile.IGNORER + hostile.RAISE, ""),
        (hostile.THREADS, "threads"),
    ],
    ids=[
        "fork bomb",
        "memory hog",
        "many hogs",
        "socket hog",
        "disk filler",
        "CPU burner",
        "signal ignorer",
        "threads",
    ],
)
def test_a_program_that_means_harm_is_not_certified_and_the_certificate_says_why(
    sandbox: Sandbox, code: str, limit: str, tmp_path: Path
) -> None:
    before = left()
    limits = "memory=300MiB,processes=60,threads=80,cpu=3s,temp=50MiB"
    options = Options(
        "fish",
        f"exec:{hostile.hostile(code)}",
        only="contract",
        start_limit_s=60.0,
        sandbox="require",
        program_limits=limits,
    )
    report = run_plan(make_plan(options), [CertificateWriter(tmp_path / "certificate.json")])
    assert report.exit_code == 1
    written = (tmp_path / "certificate.json").read_text()
    assert (f"over its limit {limit}" if limit else "ended with exit code 1") in written
    assert left() == before
