"""Judging several players side by side, each in a worker process of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass

from fairplay.conformance.run.engine import run_apart
from fairplay.conformance.run.events import Event, Writer
from fairplay.conformance.run.plan import Plan
from fairplay.conformance.run.pool import Interruption
from fairplay.conformance.run.report import Report


@dataclass(frozen=True, slots=True)
class PlayerEvent:
    """An event of the run of one of the players."""

    name: str
    event: Event


def run_several(
    plans: Mapping[str, Plan],
    at_once: int,
    writers: Callable[[str], Sequence[Writer]],
    take: Callable[[PlayerEvent], None],
) -> dict[str, Report]:
    """Judge the players of the plans, `at_once` at a time, and return their reports by name.

    The writers of a player, and `take` for all, are told the events in the threads of the runs, one at a time. Raises
    KeyboardInterrupt if it is interrupted; by then all have been told the end of what was judged so far.
    """
    interruption, lock = Interruption(), threading.Lock()

    def judge(name: str) -> Report:
        return run_apart(plans[name], [_Locked(name, lock, [*writers(name)], take)], interruption)

    with ThreadPoolExecutor(at_once) as pool:
        running = {name: pool.submit(judge, name) for name in plans}
        try:
            for future in wait(running.values(), return_when=FIRST_EXCEPTION).done:
                future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            interruption.interrupt()
            raise
    return {name: future.result() for name, future in running.items()}


class _Locked:
    """Hands events on to the writers of a player and to the one of all, never two at a time."""

    def __init__(
        self, name: str, lock: threading.Lock, writers: Sequence[Writer], take: Callable[[PlayerEvent], None]
    ) -> None:
        self._name = name
        self._lock = lock
        self._writers = writers
        self._take = take

    def take(self, event: Event) -> None:
        """Hand an event on."""
        with self._lock:
            for writer in self._writers:
                writer.take(event)
            self._take(PlayerEvent(self._name, event))
