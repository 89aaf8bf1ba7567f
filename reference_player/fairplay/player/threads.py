"""Threads for players that take their time. They end with the process, even in the middle of a call."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import Any, TypeVar

Result = TypeVar("Result")


class DaemonThreads(Executor):
    """As many threads as there is work at one time; those that are idle are used again.

    The standard library's pools wait for their threads when the process ends.
    """

    def __init__(self) -> None:
        self._work: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._idle = Semaphore(0)
        self._thread_count = 0

    def submit(self, function: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        """Call a function in a thread."""
        future: Future[Result] = Future()
        self._work.put((future, lambda: function(*args, **kwargs)))
        if not self._idle.acquire(blocking=False):
            self._thread_count += 1
            Thread(target=self._serve, name="fairplay-player", daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End each thread after the call that it works on; never wait for one."""
        for _ in range(self._thread_count):
            self._work.put(None)

    def _serve(self) -> None:
        while (work := self._work.get()) is not None:
            future, call = work
            if future.set_running_or_notify_cancel():
                _settle(future, call)
            del work, future, call
            self._idle.release()


def _settle(future: Future[Any], call: Callable[[], Any]) -> None:
    try:
        result = _call(call)
    except BaseException as error:  # whoever waits is told, the thread goes on
        future.set_exception(error)
    else:
        future.set_result(result)


def _call(call: Callable[[], Result]) -> Result:
    """Call a function. What it raises is raised, but StopIteration: asyncio would leave whoever waits to wait."""
    try:
        return call()
    except StopIteration as error:
        raise RuntimeError("the function raised StopIteration") from error
