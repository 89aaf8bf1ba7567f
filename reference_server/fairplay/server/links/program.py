"""Programs that the server starts: how they are run, a command under guard, and room for them to come up."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import fairplay.sandbox
from fairplay.games.kit.processors import processors
from fairplay.sandbox.bubblewrap import Sandbox, choose_mode, choose_sandbox
from fairplay.sandbox.limits import DEFAULT_LIMITS, GAME_OUTPUT, Limits, Spec, Walls, excess, parse_limits, write_spec
from fairplay.sandbox.processes import Descendants, read_threads
from fairplay.server.links.link import call_error, disconnected
from fairplay.server.net.limits import limit_of
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason

HIDDEN_VARIABLE, CONFINED_VARIABLE = "FAIRPLAY_PROGRAMS_HIDDEN", "FAIRPLAY_PROGRAMS_CONFINED"
"""What a server tells its children that start programs, too: the fields `hidden` and `confined` of ProgramOptions."""

LOOK_EVERY_S = 0.5
IDLE_SHARE = 0.1
"""A program that wants less of a processor than this while it comes up leaves its turn to another one."""
MOST_FACTOR = 6.0
"""How many start limits a program may take at the most, however long it has waited for a processor."""
GUARD = str(Path(fairplay.sandbox.__file__).parent)
MAX_OUTPUT_CHARS = limit_of("CallError.output").max_characters
MAX_TAIL_BYTES = 4 * MAX_OUTPUT_CHARS
"""So many bytes hold that many characters, whatever they are."""
MAX_REPORT_BYTES = 4_096
END_LIMIT_S = 5.0
CHUNK_BYTES = 64 * 1024
STANDARD_ERROR = 2


@dataclass(frozen=True, slots=True)
class ProgramOptions:
    """How programs of players are run.

    `sandbox` None: in no sandbox. `folders`: what all of them may read besides the system's and their own folder.
    `hidden`: what none of them may read. `confined`: they must lie in the current folder or in one of `folders`.
    """

    sandbox: Sandbox | None = None
    limits: Limits = DEFAULT_LIMITS
    folders: Sequence[Path] = ()
    hidden: Sequence[Path] = ()
    confined: bool = False


def read_program_options(
    sandbox: str, limits: str, folders: str, environ: Mapping[str, str], *, confined: bool = False
) -> tuple[ProgramOptions, str]:
    """Return the options of these texts, and a sentence to say if there is no sandbox though one was wished for.

    Raises ValueError, with a sentence that says what to give instead, if a text cannot be read; SandboxMissingError if
    a sandbox is required and there is none.
    """
    allowed = parse_limits(limits)
    added = [Path(folder) for folder in folders.split(os.pathsep) if folder]
    for folder in added:
        if not folder.is_dir():
            raise ValueError(f"{folder} is not a folder that programs could read")
    found, missing = choose_sandbox(choose_mode(sandbox, environ))
    hidden = [Path(path) for path in environ.get(HIDDEN_VARIABLE, "").split(os.pathsep) if path]
    confined = confined or bool(environ.get(CONFINED_VARIABLE))
    return ProgramOptions(found, allowed, added, hidden, confined), missing


class Wanted(NamedTuple):
    """The seconds of processors that the processes of a program have had, and for which their threads waited."""

    had_s: float
    waited_s: float


class Room:
    """Has programs come up by turns, of which at most `at_once` compute at a time; 0: one a processor.

    The start limit of a program counts from its turn, and does not count while it waits for a processor.
    """

    def __init__(self, limit_s: float, at_once: int = 0) -> None:
        self.limit_s = limit_s
        self._free = asyncio.Semaphore(at_once or processors())

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Turn]:
        """Wait for the turn of a program, and end it behind the block at the latest."""
        await self._free.acquire()
        turn = Turn(self.limit_s, self._free)
        try:
            yield turn
        finally:
            turn.end()


class Turn:
    """The turn of a program to come up."""

    def __init__(self, limit_s: float, free: asyncio.Semaphore) -> None:
        self._limit_s = limit_s
        self._free: asyncio.Semaphore | None = free

    def end(self) -> None:
        """Let the next program begin, once."""
        if self._free is not None:
            self._free.release()
            self._free = None

    async def wait(self, ways: Collection[asyncio.Task[Any]], ancestor: int) -> None:
        """Return when one of the ways is open, or the time of the program is over that descends from `ancestor`."""
        loop = asyncio.get_running_loop()
        began, had_s, waited_s = loop.time(), 0.0, 0.0
        while True:
            most_s = min(self._limit_s + waited_s, MOST_FACTOR * self._limit_s)
            left_s = began + most_s - loop.time()
            if left_s <= 0:
                return
            done, _ = await asyncio.wait(ways, timeout=min(left_s, LOOK_EVERY_S), return_when=asyncio.FIRST_COMPLETED)
            if done:
                return
            # In a thread, as a program may have hundreds of threads, each with a file.
            if (wanted := await asyncio.to_thread(read_wanted, ancestor)) is not None:
                if wanted.had_s + wanted.waited_s - had_s - waited_s < IDLE_SHARE * LOOK_EVERY_S:
                    self.end()
                had_s, waited_s = wanted.had_s, max(waited_s, wanted.waited_s)


def read_wanted(ancestor: int) -> Wanted | None:
    """Return what the descendants of a process want of the processors; None where the system does not say so.

    Of the threads of a process the one counts that has waited longest: they wait side by side.
    """
    had_s = waited_s = 0.0
    for pid in Descendants(ancestor).ids():
        threads = [[int(ns) / 1e9 for ns in line.split()[:2]] for _, line in read_threads(pid, "schedstat")]
        had_s += sum(had for had, _ in threads)
        waited_s += max((waited for _, waited in threads), default=0.0)
    return Wanted(had_s, waited_s) if had_s else None


def guard_command(spec: Spec, words: Sequence[str]) -> list[str]:
    """Return the command that runs a command under guard; it ends when its standard input is closed."""
    return [sys.executable, "-I", "-S", GUARD, write_spec(spec), *words]


class Program:
    """A command under guard.

    It needs no task of the event loop, and none of asyncio's transports: it is complete as soon as it is started, and
    nothing of it is left to the event loop when work is cancelled, once or again.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        output: int,
        report: int,
        limits: Limits,
        notes: str,
        *,
        echo: bool = False,
    ) -> None:
        self._process = process
        self._output = output
        self._report = report
        self._limits = limits
        self._echo = echo
        self._loop = asyncio.get_running_loop()
        self._unread = {self._output, report}
        self._tail = notes.encode(errors="replace")
        self._excess = ""
        self._reported = b""
        self.output_bytes = 0
        """How much the command has written to its standard output and error."""
        self._earned_bytes = 0
        self.ended = asyncio.Event()
        self._loop.add_reader(output, self._read_output)
        self._loop.add_reader(report, self._read_report)

    @classmethod
    def start(
        cls,
        words: Sequence[str],
        environment: Mapping[str, str],
        limits: Limits = DEFAULT_LIMITS,
        walls: Walls | None = None,
        notes: str = "",
        stdin: int = -1,
        stdout: int = -1,
        *,
        echo: bool = False,
    ) -> Program:
        """Start a command, in a sandbox if there are walls. Raises OSError or ValueError if it cannot be started.

        `notes`: lines that its author has to know, shown before what it writes. `stdin` and `stdout` are the file
        descriptors that it reads and writes; below 0: it has nothing to read, and what it writes is its output.
        `echo`: what it writes goes to our own standard error, too.
        """
        with ExitStack() as kept, ExitStack() as passed:
            output, command_side = _pipe(kept, passed)
            report, guard_side = _pipe(kept, passed)
            process = subprocess.Popen(
                guard_command(Spec(limits, guard_side, walls, stdin), words),
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=command_side if stdout < 0 else stdout,
                stderr=command_side,
                env=environment,
                pass_fds=(guard_side,) if stdin < 0 else (guard_side, stdin),
                start_new_session=True,
            )
            kept.pop_all()
        return cls(process, output, report, limits, notes, echo=echo)

    def allow_output(self) -> None:
        """Let the command write as much more as a game may, for a call that it has answered: games have many calls."""
        self._earned_bytes += GAME_OUTPUT

    def _read_output(self) -> None:
        """Read what the command has written since the last time, a chunk in each turn of the event loop."""
        # Without a pause: a player that writes what it may, in many games at once, would wait for it within its limits.
        # One that writes without end is sooner over its limit, and costs little until then: only the end is kept.
        chunk = os.read(self._output, CHUNK_BYTES)
        if not chunk:
            self._finish(self._output)
            return
        if self._echo:
            os.write(STANDARD_ERROR, chunk)
        self.output_bytes += len(chunk)
        self._tail = (self._tail + chunk)[-MAX_TAIL_BYTES:]
        allowed = self._limits.output + self._earned_bytes
        if self.output_bytes > allowed and not self._excess:
            self._excess = excess("output", self.output_bytes, allowed)
            self._tell_guard()

    def _read_report(self) -> None:
        """Read what the guard reports; its end is the end of the guard, which nobody shares it with."""
        chunk = os.read(self._report, MAX_REPORT_BYTES)
        self._reported += chunk
        if not chunk:
            self._finish(self._report)

    def _finish(self, source: int) -> None:
        """Close what has been read to its end; with both the program has ended."""
        self._close(source)
        if not self._unread:
            self._process.wait()
            self._excess = self._excess or self._reported.decode(errors="replace")
            self.ended.set()

    def _close(self, source: int) -> None:
        self._loop.remove_reader(source)
        self._unread.discard(source)
        os.close(source)

    def _tell_guard(self) -> None:
        """Have the guard end the command and everything that it started."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    @property
    def output(self) -> str:
        """Return the end of what the command wrote to its standard output and error, after what its author has to know.

        At most MAX_OUTPUT_CHARS characters; what is not UTF-8 is replaced.
        """
        return self._tail.decode(errors="replace")[-MAX_OUTPUT_CHARS:]

    @property
    def guard_id(self) -> int:
        """Return the id of the guard's process: everything that the command starts descends from it."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """Return the exit code of the command; None while it runs."""
        return self._process.returncode

    @property
    def failure(self) -> CallError:
        """Return the failure of calls to the player of a command that has ended: why, and its last output."""
        if self._excess:
            reason = CallErrorReason.CALL_ERROR_REASON_LIMIT_EXCEEDED
            return call_error(reason, self._excess, output=self.output)
        return disconnected(f"the player's process ended with exit code {self._process.returncode}", self.output)

    async def end(self) -> None:
        """End the command and everything that it started, and wait for that.

        If the wait is cancelled, once or again, it goes on to the end, and the cancellation is raised then: a program
        that is dropped before is never waited for.
        """
        self._tell_guard()
        cancelled: asyncio.CancelledError | None = None
        giving_up = self._loop.call_later(END_LIMIT_S, self._kill_guard)
        while not self.ended.is_set():
            try:
                await self.ended.wait()
            except asyncio.CancelledError as error:
                cancelled = error
        giving_up.cancel()
        if cancelled is not None:
            raise cancelled

    def _kill_guard(self) -> None:
        """End a guard that is itself stuck."""
        self._process.kill()
        self._process.wait()
        for source in list(self._unread):
            self._close(source)
        self.ended.set()


def _pipe(reading: ExitStack, writing: ExitStack) -> tuple[int, int]:
    """Return the ends of a new pipe, to be closed by these stacks."""
    read, written = os.pipe()
    reading.callback(os.close, read)
    writing.callback(os.close, written)
    return read, written
