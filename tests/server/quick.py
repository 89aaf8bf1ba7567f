"""Simulated time: an event loop that never sleeps, and what the server needs in it."""

from __future__ import annotations

import asyncio
import math
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import ExitStack
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from fairplay.server.links.link import Clock
from fairplay.server.records.database import Database
from fairplay.server.records.place import at
from fairplay.server.records.store import Store
from fairplay.server.records.writer import Writer

Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")


class _Selector(selectors.DefaultSelector):
    """A selector that never sleeps until the loop's next timer: the simulated time moves on to it at once.

    While another thread works on something that the loop waits for, the selector waits for that thread, and the
    simulated time stands still: otherwise how far it moves would depend on how busy the machine is.
    """

    def __init__(self) -> None:
        super().__init__()
        self.passed_s = 0.0
        self.outside_count = 0

    def select(self, timeout: float | None = None) -> Any:
        if self.outside_count and timeout != 0:
            return super().select(None)
        events = super().select(0 if timeout else timeout)
        if timeout and timeout > 0 and not events:
            self.passed_s += timeout
        return events


class QuickLoop(asyncio.SelectorEventLoop):
    """An event loop whose time passes only while all that it waits for is a timer."""

    def __init__(self) -> None:
        self.passing = _Selector()
        super().__init__(self.passing)

    def time(self) -> float:
        return self.passing.passed_s

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:  # type: ignore[override]
        running = super().run_in_executor(executor, func, *args)
        self.passing.outside_count += 1
        running.add_done_callback(lambda _: self._pass_again())
        return running

    async def shutdown_default_executor(self, *args: Any, **kwargs: Any) -> None:
        self.passing.outside_count += 1  # threads that end are waited for, in real time
        try:
            await super().shutdown_default_executor(*args, **kwargs)
        finally:
            self._pass_again()

    def standing_still(self, future: Future[None]) -> Future[None]:
        """Return a future that another thread settles like this one; until it is settled no time passes."""
        self.passing.outside_count += 1
        settled = Future[None]()
        settled.set_running_or_notify_cancel()  # who waits no longer changes nothing

        def settle(_: Future[None]) -> None:
            if (error := future.exception()) is not None:
                settled.set_exception(error)
            else:
                settled.set_result(None)
            # Those who wait for it have been called by now. If time passed again before, it might run out for them.
            self.call_soon_threadsafe(self._pass_again)

        future.add_done_callback(settle)
        return settled

    def _pass_again(self) -> None:
        self.passing.outside_count -= 1


class _StillWriter(Writer):
    """A writer of records for whose disk a QuickLoop lets no time pass."""

    def saved(self, *, hurry: bool = False) -> Future[None]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, QuickLoop)
        return loop.standing_still(super().saved(hurry=hurry))


def quick_store(directory: Path) -> Store:
    """Return a new store for a QuickLoop."""
    with ExitStack() as closing:
        database = closing.enter_context(Database.writable(at(directory)))
        return Store(database, _StillWriter(database.save, 1, behind_s=math.inf), 1, closing.pop_all())


def in_no_time(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine in a QuickLoop of its own, and return its result."""
    with asyncio.Runner(loop_factory=QuickLoop) as runner:
        return runner.run(work)


def in_simulated_time(
    test: Callable[Parameters, Coroutine[Any, Any, None]],
) -> Callable[Parameters, None]:
    """Return a test that runs in an event loop of its own, whose time passes when nothing else happens."""

    @wraps(test)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
        in_no_time(test(*args, **kwargs))

    return run


def quick_clock() -> Clock:
    """Return the server's clock in a QuickLoop."""
    return Clock(asyncio.get_running_loop().time)
