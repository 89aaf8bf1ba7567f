"""A bridge that is killed: nothing that it started goes on, its port is free, and what was finished is kept."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from fairplay.server.records.place import at
from fairplay.server.records.verify import verify
from fairplay.terminal.records.sources import open_source
from tests.bridge.playing import CLIENT
from tests.slow import all_but_first_slow

HOST = "127.0.0.1"
LISTENS = "rograms sign up on port "


@contextmanager
def bridge(*words: str) -> Iterator[subprocess.Popen[str]]:
    """Yield a bridge that was started; it ends at the end at the latest."""
    command = [sys.executable, "-m", "fairplay.terminal", "bridge", *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True) as started:
        try:
            yield started
        finally:
            started.kill()


def port_of(started: subprocess.Popen[str]) -> int:
    """Return the port on which a bridge says that programs sign up."""
    assert started.stdout is not None
    line = started.stdout.readline()
    assert LISTENS in line, line
    return int(line.split()[-1].strip("."))


def wait_until(holds: Callable[[], bool]) -> None:
    ends_s = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < ends_s
        time.sleep(0.05)


def started_by(process: subprocess.Popen[str], script: str = "") -> list[psutil.Process]:
    """Return all that a process has started, once a script is among what runs."""
    found = list[psutil.Process]()

    def runs() -> bool:
        found[:] = psutil.Process(process.pid).children(recursive=True)
        return any(script in " ".join(each.cmdline()) for each in found)

    wait_until(runs)
    return found


def wait_until_gone(processes: Sequence[psutil.Process]) -> None:
    _, alive = psutil.wait_procs(processes, timeout=60)
    assert not alive


def sign_up(port: int, name: str) -> socket.socket:
    connection = socket.create_connection((HOST, port), 60)
    connection.sendall(json.dumps(name).encode())
    return connection


def wait_until_closed(connection: socket.socket) -> None:
    with connection:
        try:
            while connection.recv(4096):
                pass
        except ConnectionResetError:
            pass


SILENT = "import time; time.sleep(600)"


@pytest.mark.parametrize("number", all_but_first_slow([signal.SIGKILL, signal.SIGTERM]))
@pytest.mark.parametrize("who", ["bridge", "guard"])
@pytest.mark.parametrize(
    ("words", "script"),
    [
        (["--", sys.executable, CLIENT, "q", "{port}", "ann"], CLIENT),
        (["--lines", "--", sys.executable, "-c", SILENT], SILENT),
    ],
    ids=["course", "lines"],
)
def test_no_program_outlives_a_bridge_or_a_guard_that_is_killed(
    words: Sequence[str], script: str, number: int, who: str
) -> None:
    with bridge("q", "--connect", f"{HOST}:9", "--name", "x", *words) as started:
        programs = started_by(started, script)
        guard = next(each for each in programs if each.ppid() == started.pid)
        os.kill(started.pid if who == "bridge" else guard.pid, number)
        wait_until_gone(programs)


@pytest.mark.slow
def test_no_player_outlives_a_bridge_that_is_killed_in_the_server_of_a_course() -> None:
    with socket.create_server((HOST, 0)) as server:
        player = f"{sys.executable} -m fairplay.terminal player q"
        where = f"{HOST}:{server.getsockname()[1]}"
        with bridge("q", "--join", where, "--player", f"ann=exec:{player}") as started:
            server.settimeout(60)
            connection, _ = server.accept()
            programs = started_by(started, "player q")
            started.kill()
            wait_until_gone(programs)
            wait_until_closed(connection)


def test_who_signed_up_is_let_go_and_the_port_is_free_when_a_bridge_is_killed_that_listens() -> None:
    with bridge("q", "--listen", f"{HOST}:0", "--connect", f"{HOST}:9") as started:
        port = port_of(started)
        connection = sign_up(port, "ann")
        with pytest.raises(OSError, match="in use"):
            socket.create_server((HOST, port)).close()
        started.kill()
        wait_until_closed(connection)
    socket.create_server((HOST, port)).close()


@pytest.mark.slow
def test_a_killed_server_of_a_course_leaves_its_port_and_all_that_was_finished(tmp_path: Path) -> None:
    words = ["q", "--stdin", "-", "--records", str(tmp_path)]
    tile = {"color": "red", "shape": "star"}
    players = [{"score": 0, "name": name, "tile*": [tile]} for name in ("a", "b")]
    state = {"map": [[0, [0, tile]]], "tile*": [tile], "players": players}
    config = json.dumps({"server-tries": 1, "ref-spec": {"state0": state, "per-turn": 6}})
    with bridge(*words, "--serve", "0") as started:
        assert started.stdin is not None
        started.stdin.write(config)
        started.stdin.close()
        port = port_of(started)
        programs = [subprocess.Popen([sys.executable, CLIENT, "q", str(port), name]) for name in ("ann", "bob")]
        assert [each.wait(60) for each in programs] == [0, 0]
        assert started.wait(60) == 0
    with bridge(*words, "--serve", str(port)) as started:
        assert started.stdin is not None
        started.stdin.write(config)
        started.stdin.close()
        assert port_of(started) == port
        ann, bob = (sign_up(port, name) for name in ("ann", "bob"))
        assert ann.recv(1) == b"["  # the game has begun
        started.kill()
        wait_until_closed(ann)
        wait_until_closed(bob)
    socket.create_server((HOST, port)).close()
    with open_source(at(tmp_path)) as source:
        finished = [each for each in source.listings(["game"]) if each.finished]
        assert [verify(source.read(each)) for each in finished] == [[]]
