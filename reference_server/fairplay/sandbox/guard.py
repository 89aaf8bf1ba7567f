"""Run one command so that nothing of it outlives the server, and so that it uses no more than it may.

The guard ends with the command, and kills all of it, wherever it has gone, when the command goes over a limit or when
the guard's standard input is closed: when the server closes it, or dies in whatever way. The guard itself is outside
the sandbox, where the command cannot reach it.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence

from fairplay.sandbox.gate import GATE, TEMP_FOLDERS
from fairplay.sandbox.groups import SPARE_TASKS, ControlGroup
from fairplay.sandbox.limits import Limits, Spec, Walls, excess, read_spec, size_text
from fairplay.sandbox.processes import Descendants, Namespace, Processes, Watch, end_descendants, kill
from fairplay.sandbox.relay import Relay
from fairplay.sandbox.seccomp import own_filter

SET_PARENT_DEATH_SIGNAL, SET_CHILD_SUBREAPER = 1, 36
SPARE_SOCKETS = 64
"""How often the server may connect to a player that serves in a sandbox."""
LOOK_EVERY_S = 0.05
LOOK_SOON_S = 0.005
"""How soon the guard looks again at a program that has started processes or threads since the last look."""
WAIT_S = 1.0
GIVE_WAY = 5
"""How much lower the priority of programs is than that of their guards and the server."""
SLACK_S = 5
"""The kernel ends a process that has used so much more time than it may, even if the guard should not."""


class Guard:
    """A command, and all that it starts."""

    def __init__(self, spec: Spec, command: Sequence[str], group: ControlGroup) -> None:
        self._spec = spec
        self._command = command
        self._selector = selectors.PollSelector()
        self._relay: Relay | None = None
        self._watch: Watch | None = None
        self._group = group
        self._init = 0
        self._over = False
        self._reported = False

    def run(self) -> int:
        """Run the command to its end, or to the end of standard input, and return its exit code."""
        self._listen_to_signals()
        try:
            child = self._start_in_walls(self._spec.walls) if self._spec.walls else self._start(self._command)
        except OSError as error:
            sys.stderr.write(f"cannot start {self._command[0]}: {error.strerror}\n")
            return 127
        self._selector.register(0, selectors.EVENT_READ, self._stop)
        if not self._spec.walls:
            self._begin_watch(Descendants(os.getpid()))
        try:
            self._wait(child)
            self._report_afterwards(child.returncode)  # the kernel takes a while to end what else is left
        finally:
            self._end(child)
        self._report_afterwards(child.returncode)
        return child.returncode if child.returncode >= 0 else 128 - child.returncode

    def _listen_to_signals(self) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, [])  # workers of Ray block Ctrl-C, which a program would inherit
        wake, wakened = os.pipe()
        os.set_blocking(wakened, False)
        signal.set_wakeup_fd(wakened)
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        self._selector.register(wake, selectors.EVENT_READ, lambda _: self._take_signals(wake))

    def _take_signals(self, wake: int) -> None:
        if signal.SIGTERM in os.read(wake, 64):
            self._over = True

    def _stop(self, _: int) -> None:
        self._over = True

    # --- starting ---

    def _start(self, command: Sequence[str], pass_fds: Sequence[int] = ()) -> subprocess.Popen[bytes]:
        def prepare() -> None:
            if sys.platform == "linux":  # should somebody kill the guard itself
                ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
            self._group.enter()
            os.nice(max(0, GIVE_WAY - os.nice(0)))  # a guard under guard gives way already
            _set_kernel_limits(self._spec.limits)

        # There are no threads here: what is done between fork and exec can wait for nobody.
        stdin = self._spec.stdin if self._spec.stdin >= 0 else subprocess.DEVNULL
        child = subprocess.Popen(command, stdin=stdin, pass_fds=pass_fds, preexec_fn=prepare)  # noqa: PLW1509
        if self._spec.stdin >= 0:
            os.close(self._spec.stdin)  # whoever writes to a command that has ended is to know it
        return child

    def _start_in_walls(self, walls: Walls) -> subprocess.Popen[bytes]:
        guard_side, gate_side = socket.socketpair()
        info, info_side = os.pipe()
        passed = [gate_side.fileno(), info_side]
        command = [*walls.bubblewrap, "--info-fd", str(info_side)]
        if (code := own_filter()) is not None:
            filter_side, filling = os.pipe()
            os.write(filling, code)
            os.close(filling)
            passed.append(filter_side)
            command += ["--seccomp", str(filter_side)]
        tasks = self._spec.limits.tasks + SPARE_TASKS if _counts_by_namespace() else 0
        gate = [GATE, str(gate_side.fileno()), str(SPARE_SOCKETS), str(tasks)]
        python = os.path.realpath(sys.executable)
        child = self._start([*command, "--", python, "-I", "-S", *gate, *self._command], passed)
        gate_side.close()
        for each in passed[1:]:
            os.close(each)
        address = walls.player_host, walls.player_port
        self._relay = Relay(self._selector, walls.server_socket, walls.player_socket, address)
        self._selector.register(guard_side, selectors.EVENT_READ, lambda _: self._open(guard_side, info))
        return child

    def _open(self, guard_side: socket.socket, info: int) -> None:
        """Take the sockets that the gate hands out: from now on the sandbox is there, and the command runs."""
        assert self._relay is not None
        self._selector.unregister(guard_side)
        with guard_side:
            _, received, _, _ = socket.recv_fds(guard_side, 16, SPARE_SOCKETS + 1)
        if not received:  # the sandbox could not be built
            return
        inside, *spare = (socket.socket(fileno=each) for each in received)
        self._init = int(json.loads(os.read(info, 65_536))["child-pid"])
        self._relay.open(inside, spare)
        root = f"/proc/{self._init}/root"
        self._begin_watch(Namespace(self._init), [os.open(f"{root}{each}", os.O_RDONLY) for each in TEMP_FOLDERS])

    def _begin_watch(self, processes: Processes, folders: Sequence[int] = ()) -> None:
        if sys.platform == "linux":  # what is used is known from /proc
            self._watch = Watch(self._spec.limits, processes, folders)

    # --- running ---

    def _wait(self, child: subprocess.Popen[bytes]) -> None:
        """Wait until the command has ended, is to be ended, or has gone over a limit."""
        due = 0.0
        while child.poll() is None and not self._over:
            retry_s = self._relay.turn() if self._relay is not None else None
            wait_s = WAIT_S if self._watch is None else max(0.0, due - time.monotonic())
            for key, events in self._selector.select(wait_s if retry_s is None else min(wait_s, retry_s)):
                key.data(events)
            if self._watch is not None and time.monotonic() >= due:
                if (sentence := self._watch.look() or self._group.excess()) is not None:
                    self._report(sentence)  # before what may take long: who waits for the end may kill the guard
                    self._kill(child)
                    return
                due = time.monotonic() + (LOOK_SOON_S if self._watch.grows else LOOK_EVERY_S)

    def _report(self, sentence: str) -> None:
        self._reported = True
        if self._spec.report >= 0:
            os.write(self._spec.report, sentence.encode())

    def _report_afterwards(self, code: int | None) -> None:
        """Report the limit that a command which has ended by itself had reached: the kernel let it go no further."""
        if code is None or self._reported:
            return
        number, limits = -code if code < 0 else code - 128, self._spec.limits
        if number == signal.SIGXCPU:
            self._report(excess("cpu", limits.cpu + SLACK_S, limits.cpu))
        elif number == signal.SIGXFSZ:
            size = size_text(limits.file_size)
            self._report(
                f"the program went over its limit file-size: it wrote more than {size} to a file, {size} is allowed"
            )
        elif (sentence := self._group.excess() or self._look_at_folders()) is not None:
            self._report(sentence)

    def _look_at_folders(self) -> str | None:
        return self._watch.look_at_folders() if self._watch is not None else None

    # --- ending ---

    def _kill(self, child: subprocess.Popen[bytes]) -> None:
        if self._init:  # with the first process of a namespace the kernel ends all others
            for pid in (self._init, *Descendants(self._init).ids()):  # but among many it has to wait for its turn
                kill(pid)
        child.kill()
        self._group.hasten()

    def _end(self, child: subprocess.Popen[bytes]) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if child.poll() is None:
            self._kill(child)
            child.wait()
        end_descendants()
        if self._relay is not None:
            self._relay.close()


def main(words: Sequence[str]) -> int:
    """Run the command of `SPEC COMMAND...` under guard, and return its exit code."""
    if sys.platform == "linux":  # orphans of the command become the guard's children, wherever they went
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    spec = read_spec(words[0])
    if spec.report >= 0:
        os.set_inheritable(spec.report, False)
    group = ControlGroup(spec.limits)
    try:
        return Guard(spec, words[1:], group).run()
    finally:
        group.end()


def _set_kernel_limits(limits: Limits) -> None:
    """Set what the kernel itself can limit, for this process and those that it starts.

    What the guard sees and reports comes first: the kernel's limits are a little higher.
    """
    for kind, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, limits.cpu + SLACK_S),
        (resource.RLIMIT_FSIZE, limits.file_size + limits.file_size // 16 + 2**20),
        (resource.RLIMIT_NOFILE, limits.open_files + 64),
    ):
        _, hard = resource.getrlimit(kind)
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (value, value))
    if sys.platform == "linux":  # where memory is short, the kernel ends players before the server
        # In the sandbox of another guard, which has done it, nobody may write there.
        with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:  # noqa: PTH123
            file.write("1000")


def _counts_by_namespace() -> bool:
    """Return whether the kernel counts the tasks of a user in each user namespace on its own: from 5.14 on."""
    major, minor = os.uname().release.split(".")[:2]
    return (int(major), int("".join(filter(str.isdigit, minor)) or 0)) >= (5, 14)
