"""Started programs are ended with everything that they started, whatever is cancelled meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import psutil
import pytest

from fairplay.sandbox.bubblewrap import Sandbox
from fairplay.sandbox.gate import CONNECT_PORT, LISTEN_PORT
from fairplay.sandbox.limits import Limits
from fairplay.server.links.link import DeadLink, Link
from fairplay.server.links.program import Program, ProgramOptions, read_program_options
from fairplay.server.server import Config
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason
from tests.server.harness import serving

LIMIT_S = 60.0
SLEEPER = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(600)"]
PLAYER = shlex.join([sys.executable, "-m", "fairplay.terminal", "player", "fish"])


def processes(program: Program) -> list[psutil.Process]:
    """Return the processes of a program: its guard, and the command once it has been started."""
    guard = psutil.Process(program.guard_id)
    return [guard, *guard.children(recursive=True)]


async def up(program: Program) -> None:
    """Wait until the command of a program has written something."""
    async with asyncio.timeout(LIMIT_S):
        while not program.output:
            await asyncio.sleep(0.01)


async def gone(started: list[psutil.Process]) -> None:
    """Wait until processes have ended, and have been waited for."""
    async with asyncio.timeout(LIMIT_S):
        while any(process.is_running() for process in started):
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("turns", [1, 2])
async def test_a_program_whose_end_is_cancelled_ends_nevertheless(turns: int) -> None:
    program = Program.start(SLEEPER, os.environ)
    await up(program)
    started = processes(program)
    assert len(started) > 1
    ending = asyncio.create_task(program.end())
    for _ in range(turns):
        await asyncio.sleep(0)
    ending.cancel()
    await asyncio.gather(ending, return_exceptions=True)
    assert ending.cancelled()
    assert program.exit_code is not None
    await gone(started)


@pytest.mark.slow  # a guard has some seconds to end its program
async def test_a_guard_that_is_stuck_is_killed_though_the_wait_is_cancelled() -> None:
    program = Program.start(SLEEPER, os.environ)
    await up(program)
    [guard, sleeper] = processes(program)
    guard.suspend()
    ending = asyncio.create_task(program.end())
    await asyncio.sleep(0)
    try:
        while not ending.done():
            ending.cancel()
            await asyncio.sleep(0.01)
    finally:
        for process in (guard, sleeper):  # only its guard would have ended the sleeper
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
    assert ending.cancelled()
    assert program.ended.is_set()
    assert program.exit_code == -signal.SIGKILL


async def test_a_program_that_is_ended_before_it_runs_leaves_nothing() -> None:
    program = Program.start(SLEEPER, os.environ)
    started = processes(program)
    await program.end()
    await gone(started)
    assert not psutil.Process().children(recursive=True)


LEFT = """
import asyncio, gc, os, sys
from fairplay.server.links.program import Program

async def interrupted():
    program = Program.start(["sleep", "600"], os.environ)
    ending = asyncio.create_task(program.end())
    for _ in range(int(sys.argv[1])):
        await asyncio.sleep(0)

asyncio.run(interrupted())
gc.collect()
"""


@pytest.mark.parametrize("turns", ["0", "1"])
def test_nothing_is_said_about_a_program_that_outlasts_its_event_loop(turns: str) -> None:
    strictly = ["-W", "error"] if turns == "1" else []  # before its first turn nothing has waited for the program
    command = [sys.executable, *strictly, "-c", LEFT, turns]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


async def ended(program: Program) -> None:
    """Wait until a program has ended by itself."""
    async with asyncio.timeout(LIMIT_S):
        await program.ended.wait()
    await program.end()


@pytest.mark.parametrize(("size", "too_much"), [(100, False), (101, True)])
async def test_a_program_may_write_to_its_limit_and_no_more(size: int, too_much: bool) -> None:
    program = Program.start(["printf", "x" * size], os.environ, Limits(output=100))
    await ended(program)
    limit_exceeded = CallErrorReason.CALL_ERROR_REASON_LIMIT_EXCEEDED
    assert (program.failure.reason == limit_exceeded) is too_much
    assert (program.output, program.output_bytes) == ("x" * size, size)
    assert program.failure.output == program.output


async def test_the_last_8192_characters_of_a_program_are_kept() -> None:
    code = "for n in range(1000): print(f'{n:03} ä', flush=True)"
    program = Program.start([sys.executable, "-c", code], {**os.environ, "PYTHONIOENCODING": "utf-8"})
    await ended(program)
    written = "".join(f"{number:03} ä\n" for number in range(1_000))
    assert program.output_bytes == len(written.encode()) == 7_000
    assert program.output == written
    program = Program.start([sys.executable, "-c", f"{code}; print('x' * 5000)"], dict(os.environ))
    await ended(program)
    assert len(program.output) == 8_192
    assert program.output.endswith("999 ä\n" + "x" * 5_000 + "\n")
    assert program.exit_code == 0
    assert program.failure.message == "the player's process ended with exit code 0"


async def test_what_a_program_writes_in_its_last_moment_is_kept() -> None:
    room = 2**20
    larger = f"import fcntl, os; fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, {room})"
    code = f"{larger}; os.write(1, b'.' * {room - 5} + b' over'); os._exit(1)"
    program = Program.start([sys.executable, "-c", code], os.environ)
    os.waitid(os.P_PID, program.guard_id, os.WEXITED | os.WNOWAIT)  # noqa: ASYNC222 - so that all of it is unread
    await ended(program)
    assert program.output_bytes == room
    assert program.failure.message == "the player's process ended with exit code 1"
    assert program.failure.output.endswith(" over")


async def test_a_program_that_writes_too_much_is_ended_and_that_is_why_its_calls_fail() -> None:
    flood = [sys.executable, "-c", "import sys\nwhile True: sys.stdout.write('x' * 1000)"]
    program = Program.start(flood, os.environ, Limits(output=100_000))
    async with asyncio.timeout(LIMIT_S):
        await program.ended.wait()
    assert program.failure.reason == CallErrorReason.CALL_ERROR_REASON_LIMIT_EXCEEDED
    assert "output" in program.failure.message
    assert program.exit_code is not None


async def test_each_call_that_a_program_answers_lets_it_write_as_much_more_as_a_game_may() -> None:
    program = Program.start([sys.executable, "-c", "print('x' * 1_000_000)"], os.environ, Limits(output=100_000))
    program.allow_output()
    await ended(program)
    assert program.exit_code == 0
    assert program.output_bytes == 1_000_001


@pytest.mark.parametrize("command", ["'", f"true {'x' * 300_000}"], ids=["a quote that is open", "too long"])
async def test_a_command_that_cannot_be_started_is_the_players_failure(command: str) -> None:
    async with serving(Config(allow_exec=True)) as server:
        link = await server.programs.link("a", command)
        failed: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        link.call("Start", b"", 1.0, lambda outcome, _: failed.set_result(outcome))
        assert (await failed).message.startswith("the command cannot be started: ")


PRINT_ENVIRONMENT = shlex.join([sys.executable, "-c", "import json, os; print(json.dumps(dict(os.environ)))"])


async def failure_of(link: Link) -> CallError:
    failed: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    link.call("/a.B/C", b"", 1.0, lambda outcome, _: failed.set_result(outcome))
    failure = await failed
    assert isinstance(failure, CallError)
    return failure


async def test_a_program_has_a_name_and_an_address_of_its_own_and_nothing_of_the_servers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = ("FAIRPLAY_CA", "FAIRPLAY_CERT", "FAIRPLAY_KEY", "RAY_ADDRESS")
    for name in (*own, "MY_RAY_ADDRESS"):
        monkeypatch.setenv(name, "x")
    async with serving(Config(allow_exec=True, start_limit_s=LIMIT_S)) as server:
        link = await server.programs.link("n" * 60, PRINT_ENVIRONMENT)
        environment = json.loads((await failure_of(link)).output)
        assert not server.hub.guards(environment["FAIRPLAY_NAME"])
    assert [environment.get(name) for name in (*own, "MY_RAY_ADDRESS")] == [None, None, None, None, "x"]
    assert re.fullmatch(rf"{'n' * 50}\.[0-9a-f]{{8}}", environment["FAIRPLAY_NAME"])
    assert re.fullmatch(r"[0-9a-f]{32}", environment["FAIRPLAY_TOKEN"])
    assert re.fullmatch(r"[0-9a-f]{32}", environment["FAIRPLAY_SECRET"])
    assert environment["FAIRPLAY_SECRET"] != environment["FAIRPLAY_TOKEN"]
    host, _, port = environment["FAIRPLAY_LISTEN"].rpartition(":")
    assert host == "127.0.0.1"
    assert 15_000 <= int(port) < 32_000


BUILDS_NO_WALLS = """#!/bin/sh
ls -d {folder}/fairplay-program-{pid}-*/server
env
{last}
exit 7
"""
"""A program in the place of bubblewrap that shows what it is given, and runs nothing."""


@pytest.mark.parametrize(("length", "is_short"), [(63, True), (64, False)])
@pytest.mark.parametrize("last", ["true", "rm -r {folder}/fairplay-program-{pid}-*"], ids=["leaves", "removes"])
async def test_a_program_in_a_sandbox_finds_the_server_in_a_folder_that_is_gone_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int, is_short: bool, last: str
) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as outer:
        usual = Path(outer) / ("x" * (length - len(outer) - 1))
        usual.mkdir()
        folder, pid = (usual if is_short else Path("/tmp")), os.getpid()
        program = tmp_path / "bwrap"
        last = last.format(folder=folder, pid=pid)
        program.write_text(BUILDS_NO_WALLS.format(folder=folder, pid=pid, last=last), encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setattr(tempfile, "tempdir", str(usual))
        monkeypatch.setenv("FAIRPLAY_OF_OURS", "x")
        config = Config(allow_exec=True, programs=ProgramOptions(Sandbox(str(program))))
        async with serving(config) as server:
            failure = await failure_of(await server.programs.link("a", "true"))
        said = failure.output.splitlines()
        assert failure.message == "the player's process ended with exit code 7"
        assert said[0].startswith(f"{folder}/fairplay-program-{pid}-")
        assert not list(folder.glob(f"fairplay-program-{pid}-*"))
        environment = dict(line.split("=", 1) for line in said[1:] if "=" in line)
        assert environment["FAIRPLAY_CONNECT"] == f"127.0.0.1:{CONNECT_PORT}"
        assert environment["FAIRPLAY_LISTEN"] == f"127.0.0.1:{LISTEN_PORT}"
        assert "FAIRPLAY_OF_OURS" not in environment


def test_a_folder_that_programs_may_read_has_to_be_there(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folders = f"{tmp_path}{os.pathsep}{os.pathsep}/"
    options, _ = read_program_options("off", "", folders, {})
    assert (list(options.folders), options.confined) == ([tmp_path, Path("/")], False)
    for wrong in ("file", "missing"):
        with pytest.raises(ValueError, match=f"{wrong} is not a folder that programs could read"):
            read_program_options("off", "", f"{tmp_path}{os.pathsep}{tmp_path / wrong}", {})


def test_a_server_tells_its_children_what_their_programs_may_not_see() -> None:
    environ = {"FAIRPLAY_PROGRAMS_HIDDEN": f"/a{os.pathsep}/b", "FAIRPLAY_PROGRAMS_CONFINED": "yes"}
    options, _ = read_program_options("off", "", "", environ)
    assert (list(options.hidden), options.confined) == ([Path("/a"), Path("/b")], True)
    assert list(read_program_options("off", "", "", {})[0].hidden) == []
    assert read_program_options("off", "", "", {}, confined=True)[0].confined


REFUSED_ONCE = """
import os
import grpc
from fairplay.v1.connection_pb2 import DialInRequest, Hello, HostedPlayer, Reply
from fairplay.v1.connection_pb2_grpc import ConnectionServiceStub

hello = Hello(players=[HostedPlayer(name=os.environ["FAIRPLAY_NAME"], token=os.environ["FAIRPLAY_TOKEN"])])
with grpc.insecure_channel(os.environ["FAIRPLAY_CONNECT"]) as channel:
    try:
        list(ConnectionServiceStub(channel).DialIn(iter([DialInRequest(hello=hello, replies=[Reply(id=1)])])))
    except grpc.RpcError as error:
        assert "no replies" in error.details()
    def frames():
        yield DialInRequest(hello=hello)
        __import__("threading").Event().wait()
    for frame in ConnectionServiceStub(channel).DialIn(frames()):
        if frame.calls:
            os._exit(3)
"""


async def test_a_program_that_came_back_after_a_refusal_is_lost_for_what_it_did_then() -> None:
    async with serving(Config(allow_exec=True, start_limit_s=LIMIT_S)) as server:
        link = await server.programs.link("a", shlex.join([sys.executable, "-c", REFUSED_ONCE]))
        assert (await failure_of(link)).message == "the player's process ended with exit code 3"
        await link.close()


async def test_who_has_left_and_a_program_that_has_ended_are_lost() -> None:
    async with serving(Config(allow_exec=True, start_limit_s=LIMIT_S)) as server:
        link = await server.programs.link("a", PLAYER)
        assert not server.links.lost(link)
        for process in psutil.Process().children(recursive=True)[1:]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        async with asyncio.timeout(LIMIT_S):
            while not server.links.lost(link):
                await asyncio.sleep(0.01)
        await link.close()
        gone_link = server.links.gone("it has left")
        assert server.links.lost(gone_link)
        failed: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        gone_link.call("Start", b"", 1.0, lambda outcome, _: failed.set_result(outcome))
        assert (await failed).message == "it has left"


async def test_players_whose_links_nobody_closes_end_with_the_server() -> None:
    async with serving(Config(allow_exec=True, start_limit_s=LIMIT_S)) as server:
        links = await asyncio.gather(*(server.programs.link("a", PLAYER) for _ in range(2)))
        assert not any(isinstance(link, DeadLink) for link in links)
        started = psutil.Process().children(recursive=True)
        assert len(started) >= 4
    await gone(started)


async def test_a_start_that_is_cancelled_leaves_no_process() -> None:
    async with serving(Config(allow_exec=True, start_limit_s=LIMIT_S)) as server:
        starting = asyncio.create_task(server.programs.link("a", shlex.join(SLEEPER)))
        async with asyncio.timeout(LIMIT_S):
            while not (started := psutil.Process().children(recursive=True)):
                await asyncio.sleep(0)
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
        assert starting.cancelled()
        await gone(started)
        assert not psutil.Process().children(recursive=True)
