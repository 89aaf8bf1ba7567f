"""What a program may use, how it is told to the guard, and the sentence that says that it used more."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

KIB, MIB, GIB = 2**10, 2**20, 2**30
SIZES = {"": 1, "KiB": KIB, "MiB": MIB, "GiB": GIB, "TiB": 2**40}
TIMES = {"": 1, "s": 1, "m": 60, "h": 3600}
MAX_NUMBER = 2**50
GAME_OUTPUT = MIB
"""Bytes of output that a player may write a game [PROG-7]: however many games it plays, that never ends it."""


class Limits(NamedTuple):
    """What one program may use, with all that it starts."""

    memory: int = 2 * GIB
    """Bytes of memory of all its processes together."""
    processes: int = 128
    threads: int = 512
    """Threads of all its processes together."""
    cpu: int = 3_600
    """Seconds of all processors together."""
    open_files: int = 4_096
    """Files and connections that one process has open."""
    file_size: int = 256 * MIB
    """Bytes of one file."""
    temp: int = 256 * MIB
    """Bytes in its temporary folder; without a sandbox it has none of its own, and this is not watched."""
    output: int = GIB
    """Bytes that it writes to its standard output and error, besides GAME_OUTPUT for each call that it answers."""

    @property
    def tasks(self) -> int:
        """Return how many tasks, as the kernel counts processes and threads alike, it can have at the most.

        There is room above each of the two limits, for the guard to see which one is exceeded.
        """
        return self.processes + self.threads


DEFAULT_LIMITS = Limits()
NO_LIMITS = Limits(*[MAX_NUMBER] * len(DEFAULT_LIMITS))
"""For programs of our own, such as the servers of benchmarks."""


def size_text(count: float) -> str:
    """Return a number of bytes as people read it, e.g. "1.5 GiB"."""
    unit = max((each for each in SIZES.values() if each <= count), default=1)
    name = next(name for name, value in SIZES.items() if value == unit) or "bytes"
    return f"{int(100 * count / unit) / 100:,g} {name}"


def time_text(seconds: float) -> str:
    """Return a time as people read it, e.g. "90 s"."""
    return f"{round(seconds, 2):,} s"


def count_text(count: float) -> str:
    """Return a number as people read it."""
    return f"{count:,}"


KINDS: dict[str, tuple[dict[str, int], Callable[[float], str]]] = {
    "memory": (SIZES, size_text),
    "processes": ({"": 1}, count_text),
    "threads": ({"": 1}, count_text),
    "cpu": (TIMES, time_text),
    "open_files": ({"": 1}, count_text),
    "file_size": (SIZES, size_text),
    "temp": (SIZES, size_text),
    "output": (SIZES, size_text),
}
"""The units in which each limit is given, and how a number of it is shown."""


def limit_name(field: str) -> str:
    """Return the name under which users set a limit, e.g. "open-files"."""
    return field.replace("_", "-")


def excess(field: str, used: float, allowed: float) -> str:
    """Return the sentence that says that a program went over a limit: which one, what it used, what was allowed."""
    show = KINDS[field][1]
    return f"the program went over its limit {limit_name(field)}: it used {show(used)}, {show(allowed)} is allowed"


def parse_limits(text: str) -> Limits:
    """Return the default limits with the changes that a text names, e.g. "memory=1GiB,processes=64,cpu=10m".

    Raises ValueError, with a sentence that says what to give instead, if the text cannot be read.
    """
    found: dict[str, int] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, equals, value = part.partition("=")
        field = name.strip().replace("-", "_")
        if not equals or field not in KINDS or field != name.strip().lower().replace("-", "_"):
            known = ", ".join(map(limit_name, Limits._fields))
            raise ValueError(f"{part!r} is not a limit: give NAME=NUMBER, where NAME is one of {known}")
        found[field] = _number(part, value.strip(), KINDS[field][0])
    return DEFAULT_LIMITS._replace(**found)


def limits_text(limits: Limits) -> str:
    """Return limits as `parse_limits` reads them."""
    return ",".join(f"{limit_name(name)}={value}" for name, value in zip(Limits._fields, limits, strict=True))


def _number(part: str, text: str, units: dict[str, int]) -> int:
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,6})?)\s*([A-Za-z]*)", text)
    unit = next((size for name, size in units.items() if match and name.lower() == match[2].lower()), None)
    number = int(float(match[1]) * unit) if match and unit else 0
    if not 0 < number <= MAX_NUMBER:
        names = [name for name in units if name]
        how = f" with one of the units {', '.join(names)}" if names else ""
        raise ValueError(f"{part!r} is not a limit: give a number above 0{how}")
    return number


class Walls(NamedTuple):
    """A sandbox as the guard builds it, and the Unix sockets outside by which its program is reached."""

    bubblewrap: Sequence[str]
    """The command of bubblewrap with the options that say what is seen inside."""
    server_socket: str
    """Where the server waits for the player."""
    player_socket: str
    """Where the guard waits for the server, to reach a player that serves."""
    player_host: str
    """Where in the sandbox the player serves, an address of IPv4."""
    player_port: int


class Spec(NamedTuple):
    """What a guard has to know besides the command."""

    limits: Limits
    report: int = -1
    """The file descriptor to which the guard writes which limit was exceeded; below 0: it does not say."""
    walls: Walls | None = None
    stdin: int = -1
    """The file descriptor that is the command's standard input; below 0: it has none."""


def write_spec(spec: Spec) -> str:
    """Return a spec as text."""
    return json.dumps([list(spec.limits), spec.report, spec.walls and list(spec.walls), spec.stdin])


def read_spec(text: str) -> Spec:
    """Return the spec that a text holds."""
    limits, report, walls, stdin = json.loads(text)
    return Spec(Limits(*limits), report, walls and Walls(*walls), stdin)
