"""Questions that are answered in threads: few at once, each for a limited time, so that games hardly notice them."""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import Callable
from threading import Thread
from typing import TypeVar

from fairplay.server.net.errors import Refusal

Answer = TypeVar("Answer")

MAX_QUESTIONS = 2
"""How many are answered at once: each thread that computes delays the event loop by some milliseconds."""
LIMIT_S = 5.0
RETRY_S = 1.0


class TookTooLongError(BaseException):
    """Raised in the thread of a question whose time is over. No `except Exception` of a game's rules catches it."""


class Questions:
    """The questions that are answered now."""

    def __init__(self, *, most: int = MAX_QUESTIONS, limit_s: float = LIMIT_S) -> None:
        self._most = most
        self._limit_s = limit_s
        self._answering: set[Thread] = set()

    async def ask(self, work: Callable[[], Answer]) -> Answer:
        """Return what `work` returns, called in a thread, and raise what it raises.

        Raises Refusal if too many questions are answered already, or this one takes too long: then it is interrupted.
        """
        self._answering = {thread for thread in self._answering if thread.is_alive()}
        if len(self._answering) >= self._most:
            message = f"the server answers {self._most} such questions at once: ask again"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=RETRY_S)
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Answer] = loop.create_future()
        thread = Thread(target=_answer, args=(work, answered, loop), name="fairplay-question", daemon=True)
        self._answering.add(thread)
        thread.start()
        try:
            async with asyncio.timeout(self._limit_s):
                answer = await answered
        except TimeoutError:
            _interrupt(thread)
            message = f"the answer takes longer than {self._limit_s:g} s: ask for less"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=RETRY_S) from None
        except asyncio.CancelledError:
            _interrupt(thread)
            raise
        finally:
            if not answered.cancelled():  # an interrupted thread counts until it has ended
                self._answering.discard(thread)
        return answer


def _answer(work: Callable[[], Answer], answered: asyncio.Future[Answer], loop: asyncio.AbstractEventLoop) -> None:
    try:
        try:
            answer = work()
        except Exception as error:
            loop.call_soon_threadsafe(_fail, answered, error)
        else:
            loop.call_soon_threadsafe(_succeed, answered, answer)
    except (TookTooLongError, RuntimeError):  # nobody waits any more; RuntimeError: the loop is closed
        return


def _succeed(answered: asyncio.Future[Answer], answer: Answer) -> None:
    if not answered.done():
        answered.set_result(answer)


def _fail(answered: asyncio.Future[Answer], error: Exception) -> None:
    if not answered.done():
        answered.set_exception(error)


def _interrupt(thread: Thread) -> None:
    """Raise TookTooLongError in a thread, at its next step of Python."""
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(TookTooLongError))
