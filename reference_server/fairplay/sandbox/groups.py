"""Control groups: what the kernel itself limits for all processes of a program together, where groups can be made.

Both versions are used. What the guard sees and reports comes first: the limits of a group are a little higher.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Sequence

from fairplay.sandbox.limits import MIB, Limits, excess

CONTROLLERS = ("pids", "memory", "cpu")
"""Those of a group, which shares the processors with others as if it were one process, whatever is in it."""
SHARES = {"cpu.weight": 100, "cpu.shares": 1024}
"""The share of processors that a group has, in version 2 and 1."""
HASTE = 10
FILES = ("pids.max", "memory.max", "memory.limit_in_bytes", *SHARES)
"""Those by which a group limits something, in version 2 and 1."""
PREFIX = "fairplay-program-"
STARTED = 19
"""The place of the start of a process behind its name, in /proc/PID/stat."""
SPARE_TASKS = 2
"""The processes of bubblewrap."""
MAX_TASKS = 2**22
SPARE_MEMORY = 64 * MIB
END_LIMIT_S = 1.0
PAUSE_S = 0.005


class ControlGroup:
    """The control group of one program. Where none can be made, it limits and knows nothing."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.folders = [folder for parent in _places() if (folder := _make(parent))]
        """Where the kernel shows the group, one folder for each hierarchy; none where no group can be made."""
        tasks = min(limits.tasks + SPARE_TASKS, MAX_TASKS)
        self._memory = limits.memory + limits.temp + limits.temp // 8 + SPARE_MEMORY
        values = {"pids.max": tasks, "memory.max": self._memory, "memory.limit_in_bytes": self._memory}
        for folder in self.folders:
            for name, value in values.items():
                _write(f"{folder}/{name}", value)

    def enter(self) -> None:
        """Bring this process into the group, and with it what it starts."""
        for folder in self.folders:
            _write(f"{folder}/cgroup.procs", 0)

    def excess(self) -> str | None:
        """Return the sentence about the limit at which the kernel has stopped the program; None if it has not.

        That somebody else's limit, or that of a group above, has stopped it is not held against it.
        """
        limits, tasks = self._limits, self._read("pids.peak") - SPARE_TASKS
        if tasks >= limits.tasks and self._count("pids.events", "max"):
            processes = max(len(_lines(f"{folder}/cgroup.procs")) for folder in self.folders) - SPARE_TASKS
            if processes > limits.processes:
                return excess("processes", processes, limits.processes)
            return excess("threads", tasks, limits.threads)
        memory = self._read("memory.peak") + self._read("memory.max_usage_in_bytes")
        kills = self._count("memory.events", "oom_kill") + self._count("memory.oom_control", "oom_kill")
        if kills and memory > self._memory - MIB:
            return excess("memory", memory, limits.memory)
        return None

    def hasten(self) -> None:
        """Let processes that have been killed end before what others compute: until then they hold what they used."""
        for folder in self.folders:
            for name, usual in SHARES.items():
                _write(f"{folder}/{name}", HASTE * usual)

    def end(self) -> None:
        """Remove the group, all processes of which have been ended."""
        until = time.monotonic() + END_LIMIT_S
        while self.folders and time.monotonic() < until:
            self.folders = [folder for folder in self.folders if not _remove(folder)]
            time.sleep(PAUSE_S if self.folders else 0)

    def _count(self, name: str, event: str) -> int:
        """Return how often an event has happened in the group itself."""
        read = (_lines(f"{folder}/{name}.local") or _lines(f"{folder}/{name}") for folder in self.folders)
        return sum(int(line.split()[1]) for lines in read for line in lines if line.split()[0] == event)

    def _read(self, name: str) -> int:
        return sum(int(line) for folder in self.folders for line in _lines(f"{folder}/{name}"))


def _places() -> Iterator[str]:
    """Return the folders in which groups of programs belong, one for each hierarchy with a controller for us.

    In version 1 that is the group of this process; in version 2 the one above, as a group with processes has no others.
    """
    mounts: dict[str, tuple[str, str]] = {}
    for line in _lines("/proc/self/mountinfo"):
        left, _, right = line.partition(" - ")
        root, place = left.split()[3:5]
        kind, _, options = right.split()[:3]
        for name in options.split(",") if kind == "cgroup" else [""] if kind == "cgroup2" else []:
            mounts.setdefault(name, (root.rstrip("/"), place))
    for line in _lines("/proc/self/cgroup"):
        _, controllers, path = line.rstrip("\n").split(":", 2)
        if controllers and not set(CONTROLLERS) & set(controllers.split(",")):
            continue
        root, place = mounts.get(controllers.partition(",")[0], ("", ""))
        if place and f"{path}/".startswith(f"{root}/"):
            own = path.removeprefix(root).rstrip("/")
            above = os.path.dirname(own).rstrip("/")  # noqa: PTH120 - few imports
            found = place + (own if controllers else above)
            # In version 2, processes of others may be beside groups in the first one of the machine only.
            may = controllers or not os.path.exists(f"{found}/cgroup.type")  # noqa: PTH110 - few imports
            if may or not _lines(f"{found}/cgroup.procs"):
                yield found


def _make(parent: str) -> str:
    """Return the folder of a new group that limits something, or "" if there can be none."""
    folder = f"{parent}/{group_name(os.getpid())}"
    try:
        _remove_left(parent)
        for name in CONTROLLERS:  # of version 2
            _write(f"{parent}/cgroup.subtree_control", f"+{name}")
        os.mkdir(folder)  # noqa: PTH102 - few imports
        if set(FILES).intersection(os.listdir(folder)):  # noqa: PTH208 - few imports
            return folder
        _remove(folder)
    except OSError:  # groups are not ours to make
        return ""
    return ""


def group_name(guard_id: int | str) -> str:
    """Return the name of the group of a guard, by its process and when that began: numbers of processes come again."""
    stat = "".join(_lines(f"/proc/{guard_id}/stat")).rpartition(")")[2].split()
    return f"{PREFIX}{guard_id}-{stat[STARTED] if stat else ''}"


def _remove_left(parent: str) -> None:
    """Remove the groups of guards that were killed."""
    for name in os.listdir(parent):  # noqa: PTH208 - few imports
        if name.startswith(PREFIX) and name != group_name(name.removeprefix(PREFIX).partition("-")[0]):
            _remove(f"{parent}/{name}")


def _remove(folder: str) -> bool:
    """Remove a group with those that guards have left in it, and return whether it is gone."""
    try:
        for name in os.listdir(folder):  # noqa: PTH208 - few imports
            if name.startswith(PREFIX):
                _remove(f"{folder}/{name}")
        os.rmdir(folder)  # noqa: PTH106 - few imports
    except FileNotFoundError:
        return True
    except OSError:  # something is still in it
        return False
    return True


def _write(path: str, value: object) -> None:
    """Write to a file of a group, where there is one and it may be written to; what it does is a help and no more."""
    with contextlib.suppress(OSError):
        file = os.open(path, os.O_WRONLY)
        try:
            os.write(file, f"{value}\n".encode())
        finally:
            os.close(file)


def _lines(path: str) -> Sequence[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - few imports
            return file.readlines()
    except OSError:
        return []
