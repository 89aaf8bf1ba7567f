"""RulesService: questions about the rules of games, few at once, each for a limited time."""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import Callable
from threading import Thread
from typing import Any, TypeVar

from fairplay.server.game.rules import apply_reply, check_reply, list_legal_replies, read_position, simulate_game
from fairplay.server.net.errors import Refusal
from fairplay.v1 import rules_pb2 as pb
from fairplay.v1.rules_pb2_grpc import RulesServiceServicer

Replied = TypeVar("Replied")

MAX_QUESTIONS = 2
"""How many are answered at once: each thread that computes delays the event loop by some milliseconds."""
LIMIT_S = 5.0
RETRY_S = 1.0

MAX_QUESTION_BYTES = 256 * 1024
Request = TypeVar(
    "Request",
    pb.ListLegalRepliesRequest,
    pb.CheckReplyRequest,
    pb.ApplyReplyRequest,
    pb.SimulateGameRequest,
)
Answer = TypeVar("Answer")


class TookTooLongError(BaseException):
    """Raised in the thread of a question whose time is over. No `except Exception` of a game's rules catches it."""


class Questions:
    """The questions that are answered now."""

    def __init__(self, *, most: int = MAX_QUESTIONS, limit_s: float = LIMIT_S) -> None:
        self._most = most
        self._limit_s = limit_s
        self._answering: set[Thread] = set()

    async def ask(self, work: Callable[[], Replied]) -> Replied:
        """Return what `work` returns, called in a thread, and raise what it raises.

        Raises Refusal if too many questions are answered already, or this one takes too long: then it is interrupted.
        """
        self._answering = {thread for thread in self._answering if thread.is_alive()}
        if len(self._answering) >= self._most:
            message = f"the server answers {self._most} such questions at once: ask again"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=RETRY_S, limit=self._most)
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Replied] = loop.create_future()
        thread = Thread(target=_answer, args=(work, answered, loop), name="fairplay-question", daemon=True)
        self._answering.add(thread)
        thread.start()
        try:
            async with asyncio.timeout(self._limit_s):
                answer = await answered
        except TimeoutError:
            _interrupt(thread)
            message = f"the answer takes longer than {self._limit_s:g} s: ask for less"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=RETRY_S, limit=f"{self._limit_s:g} s") from None
        except asyncio.CancelledError:
            _interrupt(thread)
            raise
        finally:
            if not answered.cancelled():  # an interrupted thread counts until it has ended
                self._answering.discard(thread)
        return answer


def _answer(work: Callable[[], Replied], answered: asyncio.Future[Replied], loop: asyncio.AbstractEventLoop) -> None:
    try:
        try:
            answer = work()
        except Exception as error:
            loop.call_soon_threadsafe(_fail, answered, error)
        else:
            loop.call_soon_threadsafe(_succeed, answered, answer)
    except (TookTooLongError, RuntimeError):  # nobody waits any more; RuntimeError: the loop is closed
        return


def _succeed(answered: asyncio.Future[Replied], answer: Replied) -> None:
    if not answered.done():
        answered.set_result(answer)


def _fail(answered: asyncio.Future[Replied], error: Exception) -> None:
    if not answered.done():
        answered.set_exception(error)


def _interrupt(thread: Thread) -> None:
    """Raise TookTooLongError in a thread, at its next step of Python."""
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(TookTooLongError))


class RulesServicer(RulesServiceServicer):
    """The service that answers from the rules alone; it knows nothing of the games of this server."""

    def __init__(self, questions: Questions) -> None:
        self._questions = questions

    async def ListLegalReplies(  # noqa: N802
        self, request: pb.ListLegalRepliesRequest, context: Any
    ) -> pb.ListLegalRepliesResponse:
        """List the legal replies of a seat in a state."""
        return await self._ask(request, lambda asked: list_legal_replies(read_position(asked.position)))

    async def CheckReply(self, request: pb.CheckReplyRequest, context: Any) -> pb.CheckReplyResponse:  # noqa: N802
        """Say whether a reply is legal."""
        return await self._ask(request, lambda asked: check_reply(read_position(asked.position), asked.reply))

    async def ApplyReply(self, request: pb.ApplyReplyRequest, context: Any) -> pb.ApplyReplyResponse:  # noqa: N802
        """Return the state that a legal reply leads to."""
        return await self._ask(request, lambda asked: apply_reply(read_position(asked.position), asked.reply))

    async def SimulateGame(  # noqa: N802
        self, request: pb.SimulateGameRequest, context: Any
    ) -> pb.SimulateGameResponse:
        """Play a game between reference strategies."""
        return await self._ask(request, simulate_game)

    async def _ask(self, request: Request, answer: Callable[[Request], Answer]) -> Answer:
        size = request.ByteSize()
        if size > MAX_QUESTION_BYTES:
            message = f"the question has {size:,} bytes; at most {MAX_QUESTION_BYTES:,} are read"
            if isinstance(request, pb.SimulateGameRequest):
                raise Refusal("INVALID_SETTINGS", message, "settings", given=size, limit=MAX_QUESTION_BYTES)
            raise Refusal("INVALID_STATE", message, "position", given=size, limit=MAX_QUESTION_BYTES)
        return await self._questions.ask(lambda: answer(request))
