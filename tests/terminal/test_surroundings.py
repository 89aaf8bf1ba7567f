"""What surrounds a command, as another platform or a proxy, is never the fault of a player."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.terminal.running import Run, done

FAIRPLAY = Path(sys.executable).with_name("fairplay")
BOTS = ("fish", "-p", "bot:first", "-p", "bot:random", "--seed", "1")
NOWHERE = "http://127.0.0.1:9"
ELSEWHERE = "192.0.2.1:50051"
WITHOUT_LINUX = """
import asyncio, os, selectors
for name in [name for name in vars(os) if name.startswith(("sched_", "pidfd_", "eventfd", "memfd_", "splice"))]:
    delattr(os, name)
os.process_cpu_count = os.cpu_count  # that of Python 3.13 asks one of them
"""


def test_what_only_linux_has_is_not_needed(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_LINUX)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ran = subprocess.run([FAIRPLAY, "game", *BOTS], env=environment, capture_output=True, check=False, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, b"")


# --- proxies ---


@contextmanager
def proxy(answer: bytes) -> Iterator[str]:
    """Run a proxy that answers one request in this way, and yield where it is."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        thread.join()


def test_a_proxy_does_not_concern_this_machine(fairplay: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("grpc_proxy", "https_proxy", "http_proxy"):
        monkeypatch.setenv(variable, NOWHERE)
    done(fairplay("game", *BOTS))


def test_a_started_program_is_told_that_a_proxy_does_not_concern_this_machine(
    fairplay: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("http_proxy", NOWHERE)
    monkeypatch.setenv("no_proxy", "example.org")
    player = """exec:sh -c 'echo "$no_proxy" > told'"""
    fairplay("game", "fish", "-p", player, "-p", "bot:first", "--sandbox", "off")
    assert (tmp_path / "told").read_text() == "example.org,127.0.0.1,localhost\n"


@pytest.mark.parametrize(
    "command",
    [
        ("certify", "fish", f"grpc://{ELSEWHERE}"),
        ("certify", "fish", f"grpc://{ELSEWHERE}", "--jobs", "2"),
        ("certify-server", ELSEWHERE),
        ("game", "fish", "-p", "bot:first", "-p", f"grpc://{ELSEWHERE}"),
        ("tournament", "fish", "-p", "bot:first", "-p", f"grpc://{ELSEWHERE}"),
        ("compare", "fish", "bot:first", f"grpc://{ELSEWHERE}"),
        ("game", *BOTS, "--server", ELSEWHERE),
    ],
)
def test_a_proxy_that_is_not_there_is_named_and_nobody_blamed(
    command: tuple[str, ...], fairplay: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "http://me:secret@127.0.0.1:9")
    ran = fairplay(*command)
    assert (ran.code, "FAIL" in ran.out) == (1, False)
    assert ran.err == (
        "fairplay: the proxy 127.0.0.1:9, which https_proxy names, cannot be reached: Connection refused; "
        f"to call {ELSEWHERE} directly, unset https_proxy or add 192.0.2.1 to no_proxy\n"
    )


def test_a_proxy_that_refuses_is_named(fairplay: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with proxy(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n") as address:
        monkeypatch.setenv("http_proxy", address)
        ran = fairplay("certify", "fish", f"grpc://{ELSEWHERE}")
    assert (ran.code, ran.out) == (1, "")
    assert f"which http_proxy names, refuses to connect to {ELSEWHERE}, with status 407; " in ran.err


def test_addresses_may_be_excepted_from_a_proxy(fairplay: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for exception in ["*", "192.0.2.1", "192.0.2.0/24", "x.org, 192.0.2.1"]:
        monkeypatch.setenv("http_proxy", NOWHERE)
        monkeypatch.setenv("no_proxy", exception)
        ran = fairplay("game", *BOTS[:3], "-p", f"grpc://{ELSEWHERE}", "--start-limit", "10ms")
        assert "proxy" not in ran.out + ran.err


# --- what listens, and what does not ---


@pytest.mark.slow
def test_a_server_that_is_not_there_is_said_once(fairplay: Run) -> None:
    ran = fairplay("certify-server", "127.0.0.1:1")
    assert ran == (1, "", "fairplay: no server answers on 127.0.0.1:1\n")


@pytest.mark.parametrize("spec", ["dial-in:x", "exec:true"])
def test_an_address_that_is_taken_is_said_once(spec: str, fairplay: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        ran = fairplay("certify", "fish", spec, "--listen", address, "--sandbox", "off")
    assert (ran.code, ran.err) == (
        1,
        f"fairplay: cannot listen on {address}: it is in use, or not an address of this machine; give another one\n",
    )


# --- where output goes to ---


@pytest.mark.parametrize("variable", ["FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"])
def test_the_cursor_is_moved_on_terminals_only(variable: str, fairplay: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "1")
    ran = fairplay("tournament", *BOTS)
    assert ran.code == 0
    assert not re.search(r"\x1b\[(?![\d;]*m)", ran.out + ran.err)
    assert ("\x1b[" in ran.out) == (variable != "TTY_INTERACTIVE")


def test_what_a_player_prints_is_no_command_for_a_ci_system(fairplay: Run) -> None:
    said = r"exec:sh -c 'printf \"::error::stolen\n##[error]stolen\n \e[2J\u202e\" >&2; exit 1'"
    for command in (
        ("certify", "fish", said, "--only", "contract.reachable"),
        ("game", "fish", "-p", said, *BOTS[1:3]),
    ):
        ran = fairplay(*command, "--sandbox", "off")
        assert "stolen" in ran.out + ran.err
        assert not re.search(r"(?m)^\s*::|##\[|\x1b|\u202e", ran.out + ran.err)


def test_a_name_that_is_not_allowed_is_called_so(fairplay: Run) -> None:
    ran = fairplay("game", "fish", "-p", "José=bot:first", "-p", "bot:random")
    sentence = "'José' is not a name for a player: give 1 to 64 letters from A to z, digits, '-', '_' or '.'"
    assert ran == (2, "", f"fairplay: {sentence}\n")


# --- places that cannot be written to ---


def test_records_are_read_where_nothing_can_be_written(fairplay: Run, tmp_path: Path) -> None:
    apart = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c")
    read_only = "mount --bind records records && mount -o remount,ro,bind records"
    fairplay("game", *BOTS, "--records", "records")
    if subprocess.run([*apart, read_only], check=False, capture_output=True, cwd=tmp_path).returncode:
        pytest.skip("namespaces are not allowed here")
    command = f"{read_only} && ! touch records/x && {FAIRPLAY} records verify records"
    ran = subprocess.run([*apart, command], check=False, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert ran.returncode == 0, ran.stderr
    assert "1 record" in ran.stdout


def test_standard_streams_may_be_closed() -> None:
    for closed in ["<&-", ">&-", "2>&-"]:
        words = f"{FAIRPLAY} games {closed}"
        ran = subprocess.run(["sh", "-c", words], check=False, capture_output=True, text=True, timeout=60)
        assert (ran.returncode, ran.stderr) == (0, "")


def test_a_current_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    words = f"mkdir gone && cd gone && rmdir ../gone && {FAIRPLAY} certify fish exec:true"
    ran = subprocess.run(["sh", "-c", words], check=False, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert (ran.returncode, ran.stderr) == (1, "fairplay: the current folder is gone: change to another one\n")
