"""The processes of a program, as /proc shows them: what they use, and how all of them are ended."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from fairplay.sandbox.limits import Limits, excess

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
REAP_EVERY_S = 0.005

FILES_EVERY = 8
"""Open files are counted in every so many looks: that takes longest."""
MAX_TEMP_FILES = 100_000
"""A file without content takes memory of the kernel, too."""


class Usage(NamedTuple):
    """What a process uses. Times are seconds of processors."""

    started: int
    """When it was started, in ticks of the kernel: with its id, this names a process that is gone, too."""
    cpu_s: float
    children_cpu_s: float
    """The time of those of its descendants that have ended and were waited for."""
    threads: int
    memory: int
    """The memory that it has in use, in bytes; what it shares with others counts in full."""


class Processes(Protocol):
    """The processes of a program."""

    def ids(self) -> list[int]:
        """Return the ids of all processes."""

    def folder(self, pid: int) -> str:
        """Return the folder in which /proc describes a process."""

    def socket_count(self) -> int:
        """Return how many sockets there are in a network of their own; 0 if they share the network of others."""


class Descendants:
    """The processes that descend from one process, which adopts those whose parents are gone."""

    def __init__(self, ancestor: int) -> None:
        self._ancestor = ancestor

    def folder(self, pid: int) -> str:
        """Return the folder in which /proc describes a process."""
        return f"/proc/{pid}"

    def socket_count(self) -> int:
        """Return 0: the network is that of the whole machine."""
        return 0

    def ids(self) -> list[int]:
        """Return the ids of all processes, without the ancestor."""
        found: list[int] = []
        waiting = [self._ancestor]
        while waiting:
            children = list(_children(waiting.pop()))
            found += children
            waiting += children
        return found


class Namespace:
    """The processes of a namespace, as the /proc inside it shows them: ids are those inside."""

    def __init__(self, init: int) -> None:
        self._init = init
        self._proc = f"/proc/{init}/root/proc"

    def folder(self, pid: int) -> str:
        """Return the folder in which /proc describes a process."""
        return f"{self._proc}/{pid}"

    def socket_count(self) -> int:
        """Return how many sockets there are in the network of the namespace."""
        try:
            with open(f"/proc/{self._init}/net/sockstat", encoding="ascii") as file:  # noqa: PTH123 - few imports
                return int(file.readline().split()[2])
        except OSError:  # the namespace is gone
            return 0

    def ids(self) -> list[int]:
        """Return the ids of all processes but the first, which belongs to the sandbox."""
        try:
            return [int(name) for name in os.listdir(self._proc) if name.isdecimal() and name != "1"]  # noqa: PTH208
        except OSError:  # the namespace is gone
            return []


def read_usage(folder: str) -> Usage | None:
    """Return what a process uses, or None if it is gone."""
    try:
        with open(f"{folder}/stat", encoding="ascii", errors="replace") as file:  # noqa: PTH123 - few imports
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    ticks = [int(fields[index]) for index in (11, 12, 13, 14)]
    return Usage(
        started=int(fields[19]),
        cpu_s=(ticks[0] + ticks[1]) / TICKS,
        children_cpu_s=(ticks[2] + ticks[3]) / TICKS,
        threads=int(fields[17]),
        memory=int(fields[21]) * PAGE,
    )


def read_own_memory(folder: str) -> int | None:
    """Return the memory of a process in bytes, of what is shared only its part; None if that is not known.

    This takes the kernel a while where a process is large.
    """
    try:
        with open(f"{folder}/smaps_rollup", encoding="ascii") as file:  # noqa: PTH123 - few imports
            for line in file:
                if line.startswith("Pss:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        return None
    return None


def read_socket_size() -> int:
    """Return how many bytes a socket holds for others to read, in memory that no process shows."""
    with open("/proc/sys/net/core/wmem_default", encoding="ascii") as file:  # noqa: PTH123 - few imports
        return int(file.read())


def count_open_files(folder: str) -> int:
    """Return how many files a process has open; 0 if it is gone."""
    try:
        return len(os.listdir(f"{folder}/fd"))  # noqa: PTH208
    except OSError:
        return 0


def kill(pid: int, sent: signal.Signals = signal.SIGKILL) -> None:
    """Send a signal to a process, unless it is gone."""
    try:
        os.kill(pid, sent)
    except ProcessLookupError:
        return


def end_descendants() -> None:
    """Kill everything that descends from this process, and wait until it is gone.

    All of it is stopped first, so that nothing is started faster than it can be killed.
    """
    tree = Descendants(os.getpid())
    stopped: set[int] = set()
    while new := set(tree.ids()) - stopped:
        for pid in new:
            kill(pid, signal.SIGSTOP)
        stopped |= new
    while _has_children():
        for pid in tree.ids():
            kill(pid)
        time.sleep(REAP_EVERY_S)


def _has_children() -> bool:
    """Take note of all children that have ended, and return whether there are others."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def read_threads(pid: int, name: str) -> Iterator[tuple[str, str]]:
    """Yield the id of each thread of a process, and what its file `name` in /proc says; nothing of what is gone."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208
    except OSError:  # the process is gone, or there is no /proc
        return
    for thread in threads:
        try:
            with open(f"/proc/{pid}/task/{thread}/{name}", encoding="ascii") as file:  # noqa: PTH123
                yield thread, file.read()
        except OSError:  # the thread is gone
            continue


def _children(pid: int) -> Iterator[int]:
    return (int(child) for _, children in read_threads(pid, "children") for child in children.split())


class Watch:
    """Looks at all processes of a program, and at its temporary folders, again and again.

    `folders` are file descriptors of the folders: what they hold can be seen even when the sandbox is gone. One that it
    shares is in a file system of others: what had been in there before does not count.
    """

    def __init__(self, limits: Limits, processes: Processes, folders: Sequence[int] = ()) -> None:
        self._limits = limits
        self._processes = processes
        self._folders = folders
        self._cpu: dict[tuple[int, int], float] = {}
        self._looks = 0
        self._threads = 0
        self.grows = False
        """Whether there were more threads at the last look than at the one before."""
        self._socket_size = read_socket_size()
        self._before = self._held()

    def look(self) -> str | None:
        """Return the sentence about the limit that the program exceeds; None if it keeps all of them."""
        self._looks += 1
        limits, pids = self._limits, self._processes.ids()
        if len(pids) > limits.processes:  # before anything that takes long where there are many
            return excess("processes", len(pids), limits.processes)
        read = {pid: read_usage(self._processes.folder(pid)) for pid in pids}
        found = {pid: usage for pid, usage in read.items() if usage is not None}
        threads = sum(usage.threads for usage in found.values())
        self.grows, self._threads = threads > self._threads, threads
        if threads > limits.threads:
            return excess("threads", threads, limits.threads)
        if (cpu := self._total_cpu(found)) > limits.cpu:
            return excess("cpu", cpu, limits.cpu)
        sockets = self._processes.socket_count() * self._socket_size
        if (
            sockets + sum(usage.memory for usage in found.values()) > limits.memory
            and (memory := sockets + self._memory(found)) > limits.memory
        ):
            return excess("memory", memory, limits.memory)
        return self.look_at_folders() or self._look_at_files(list(found))

    def _total_cpu(self, found: dict[int, Usage]) -> float:
        """Return the time of all processes that there have been.

        Those that are gone count as they were seen last, or as those who waited for them know, whichever is more.
        """
        for pid, usage in found.items():
            self._cpu[pid, usage.started] = usage.cpu_s
        alive = sum(usage.cpu_s + usage.children_cpu_s for usage in found.values())
        return max(alive, sum(self._cpu.values()))

    def _memory(self, found: dict[int, Usage]) -> int:
        """Return the memory of all processes, where what they share counts once."""
        own = ((read_own_memory(self._processes.folder(pid)), usage.memory) for pid, usage in found.items())
        return sum(whole if part is None else part for part, whole in own)

    def look_at_folders(self) -> str | None:
        """Return the sentence about temporary folders that hold too much, if they do."""
        used, files = (now - before for now, before in zip(self._held(), self._before, strict=True))
        if used > self._limits.temp:
            return excess("temp", used, self._limits.temp)
        if files > MAX_TEMP_FILES:
            return f"the program went over its limit temp: it made {files:,} files, {MAX_TEMP_FILES:,} is allowed"
        return None

    def _held(self) -> tuple[int, int]:
        """Return how many bytes and files the file systems of the temporary folders hold."""
        systems = [os.fstatvfs(folder) for folder in self._folders]
        used = sum((system.f_blocks - system.f_bfree) * system.f_frsize for system in systems)
        return used, sum(system.f_files - system.f_ffree for system in systems)

    def _look_at_files(self, pids: Sequence[int]) -> str | None:
        for pid in pids if self._looks % FILES_EVERY == 0 else ():
            count = count_open_files(self._processes.folder(pid))
            if count > self._limits.open_files:
                return excess("open_files", count, self._limits.open_files)
        return None
