"""How busy this machine is, measured by what the suite's own process gets of it, and how long others wait for it."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from fairplay.sandbox.processes import read_threads

WANTED_S = 0.03
BUSY_SHARE = 0.8
"""A process that gets less than this share of a processor, all the time that it wants one, shares it with others."""


def is_busy() -> bool:
    """Work for a moment, and return whether this thread had to wait for a processor meanwhile.

    One other program that never rests is enough on a machine with one processor, on larger ones it takes as many as
    there are processors: then a player gets about half of what it would get otherwise.
    """
    began, had = time.monotonic(), time.thread_time()
    while time.thread_time() - had < WANTED_S:
        pass
    return WANTED_S / (time.monotonic() - began) < BUSY_SHARE


def is_here(host: str) -> bool:
    """Return whether a host, an address of IPv4 or one of IPv6 in brackets, is one of this machine."""
    try:
        with socket.socket(socket.AF_INET6 if host.startswith("[") else socket.AF_INET) as probe:
            probe.bind((host.strip("[]"), 0))
    except OSError:
        return False
    return True


class Scheduled(NamedTuple):
    """How long a thread has run, and waited for a processor, in seconds."""

    ran_s: float
    waited_s: float


def scheduled(process_ids: Iterable[int]) -> Mapping[str, Scheduled]:
    """Return how long each thread of some processes has run and waited; nothing where the system does not say so."""
    found = dict[str, Scheduled]()
    for process_id in process_ids:
        for thread, line in read_threads(process_id, "schedstat"):
            ran, waited, _ = line.split()
            found[thread] = Scheduled(int(ran) / 1e9, int(waited) / 1e9)
    return found


PAUSE_S = 0.25


def wait_until_quiet(limit_s: float) -> float:
    """Wait until no other programs want this machine, for so many seconds at most; return how many it took."""
    began = time.monotonic()
    while (waited_s := time.monotonic() - began) < limit_s and is_busy():
        time.sleep(min(PAUSE_S, limit_s - waited_s))
    return time.monotonic() - began
