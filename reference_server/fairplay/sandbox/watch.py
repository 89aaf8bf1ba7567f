"""Compare what a program uses with what it may use."""

from __future__ import annotations

import os
from collections.abc import Sequence

from fairplay.sandbox.limits import Limits, excess
from fairplay.sandbox.processes import Processes, Usage, count_open_files, read_own_memory, read_socket_size, read_usage

FILES_EVERY = 8
"""Open files are counted in every so many looks: that takes longest."""
MAX_TEMP_FILES = 100_000
"""A file without content takes memory of the kernel, too."""


class Watch:
    """Looks at all processes of a program, and at its temporary folders, again and again.

    `folders` are file descriptors of the folders: what they hold can be seen even when the sandbox is gone.
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
        systems = [os.fstatvfs(folder) for folder in self._folders]
        used = sum((system.f_blocks - system.f_bfree) * system.f_frsize for system in systems)
        files = sum(system.f_files - system.f_ffree for system in systems)
        if used > self._limits.temp:
            return excess("temp", used, self._limits.temp)
        if files > MAX_TEMP_FILES:
            return f"the program went over its limit temp: it made {files:,} files, {MAX_TEMP_FILES:,} is allowed"
        return None

    def _look_at_files(self, pids: Sequence[int]) -> str | None:
        for pid in pids if self._looks % FILES_EVERY == 0 else ():
            count = count_open_files(self._processes.folder(pid))
            if count > self._limits.open_files:
                return excess("open_files", count, self._limits.open_files)
        return None
