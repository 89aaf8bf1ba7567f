"""What these tests share: commands in processes of their own, conditions to wait for, and what lies in a store."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import psutil

from fairplay.server.manager.history import check_tournament
from fairplay.server.records.database import Listing
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.place import Place
from fairplay.server.records.store import Store
from fairplay.server.records.verify import CHECKS, Finding, verify
from tests.interrupts import heeding_ctrl_c

FAIRPLAY = (sys.executable, "-m", "fairplay.terminal")
LIMIT_S = 60.0
"""More than anything here may take on a machine that is busy with something else."""
POLL_S = 0.005
PAUSE_FACTOR = 3.0
"""A condition that costs much is looked at less often: what is waited for needs the processor."""
MARK = "FAIRPLAY_TEST_MARK"
ALL_CHECKS = {**CHECKS, "tournament": check_tournament}


class Ran(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str
    took_s: float


def until(condition: Callable[[], bool], what: str, limit_s: float = LIMIT_S) -> None:
    """Wait for a condition. Raises AssertionError if it does not come within the limit."""
    give_up, used_s = time.monotonic() + limit_s, time.thread_time()
    while not condition():
        assert time.monotonic() < give_up, f"this did not happen within {limit_s:g} s: {what}"
        before_s, used_s = used_s, time.thread_time()
        time.sleep(max(POLL_S, PAUSE_FACTOR * (used_s - before_s)))


class Command:
    """A command in a process group of its own, as a terminal starts one. What is left of it at the end is killed.

    Whatever it starts, and whatever that starts, bears a mark in its environment.
    """

    def __init__(self, directory: Path, *arguments: str, program: Sequence[str] = FAIRPLAY) -> None:
        self._mark = uuid.uuid4().hex
        self._out, self._err = directory / f"{self._mark}.out", directory / f"{self._mark}.err"
        self._began = time.monotonic()
        with self._out.open("wb") as out, self._err.open("wb") as err, heeding_ctrl_c():
            self.process = subprocess.Popen(
                [*program, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env={**os.environ, MARK: self._mark, "COLUMNS": "200"},
                start_new_session=True,
            )

    def __enter__(self) -> Command:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.kill()
        for process in self.left():
            with contextlib.suppress(psutil.NoSuchProcess):  # it may end by itself meanwhile
                process.kill()

    @property
    def out(self) -> str:
        return self._out.read_text()

    @property
    def err(self) -> str:
        return self._err.read_text()

    @property
    def over(self) -> bool:
        return self.process.poll() is not None

    def says(self, words: str) -> None:
        """Wait until it has printed these words."""
        until(lambda: words in self.out or self.over, f"{words!r} in {self.out!r} {self.err!r}")
        assert words in self.out, (self.out, self.err)

    def left(self) -> list[psutil.Process]:
        """Return its processes that still run: one that has ended has no environment any more."""
        found, mark = list[psutil.Process](), f"{MARK}={self._mark}".encode()
        for pid in psutil.pids():
            with contextlib.suppress(OSError, psutil.Error):  # it is gone, or somebody else's
                if mark in Path(f"/proc/{pid}/environ").read_bytes():
                    found.append(psutil.Process(pid))
        return found

    def interrupt(self) -> None:
        """Send Ctrl-C, a signal to the whole process group."""
        os.killpg(self.process.pid, signal.SIGINT)

    def kill(self) -> None:
        """Kill the process as a power cut would, and return when it has ended."""
        self.process.kill()
        self.process.wait()

    def end(self, limit_s: float = LIMIT_S) -> Ran:
        """Wait for the end of the process, and return how it ended."""
        code = self.process.wait(limit_s)
        return Ran(code, self.out, self.err, time.monotonic() - self._began)


def workers(command: Command, *among: psutil.Process) -> list[psutil.Process]:
    """Return the processes that do the work of a command, with `--jobs`: all that it has started, or some of them."""
    return [each for each in among or command.left() if "fairplay.server.cluster.worker" in line(each)]


def line(process: psutil.Process) -> str:
    """Return how a process was started, or what it calls itself; empty if it is gone."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def run(directory: Path, *arguments: str, program: Sequence[str] = FAIRPLAY) -> Ran:
    """Run a command to its end, and check that it leaves no process behind."""
    with Command(directory, *arguments, program=program) as command:
        ran = command.end()
        until(lambda: not command.left(), f"the end of everything that {arguments} started")
        return ran


def exec_player(*options: str) -> str:
    """Return the link of a reference player in a process of its own."""
    return " ".join(["exec:" + sys.executable, *FAIRPLAY[1:], "player", "fish", *options])


def zoo_player(*arguments: str) -> str:
    """Return the link of a mutant in a process of its own, from its id and options."""
    return " ".join(["exec:" + sys.executable, "-m", "fairplay.conformance.zoo", "fish", *arguments])


def specs(*players: str) -> list[str]:
    """Return the options that name these players."""
    return [word for player in players for word in ("--player", player)]


def free_address() -> str:
    """Return an address on which no program listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


# --- stores ---


def listings(place: Place | Path) -> list[Listing]:
    """Return all listings of a store, oldest first; none if there is no store yet."""
    try:
        with Store.read_only(place) as store:
            found = [*store.list("game", limit=10**6)[0], *store.list("tournament", limit=10**6)[0]]
    except RecordsError:
        return []
    return sorted(found, key=lambda listing: listing.number)


def entry_count(place: Place | Path) -> int:
    """Return how many entries of all records are on disk."""
    try:
        with Store.read_only(place) as store:
            found = [*store.list("game", limit=10**6)[0], *store.list("tournament", limit=10**6)[0]]
            return sum(len(store.read(listing.record_id).entries) for listing in found)
    except RecordsError:
        return 0


def findings(place: Place | Path) -> Iterator[tuple[str, Finding]]:
    """Yield the defects of the records of a store."""
    with Store.read_only(place) as store:
        for listing in [*store.list("game", limit=10**6)[0], *store.list("tournament", limit=10**6)[0]]:
            record = store.read(listing.record_id)
            for finding in verify(record, finished=listing.finished, checks=ALL_CHECKS):
                yield listing.record_id, finding
