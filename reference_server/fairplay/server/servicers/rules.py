"""RulesService: questions about the rules of games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from fairplay.server.game.rules import apply_reply, check_reply, list_legal_replies, read_position, simulate_game
from fairplay.server.net.errors import Refusal
from fairplay.server.servicers.questions import Questions
from fairplay.v1 import rules_pb2 as pb
from fairplay.v1.rules_pb2_grpc import RulesServiceServicer

MAX_QUESTION_BYTES = 256 * 1024

Request = TypeVar(
    "Request",
    pb.ListLegalRepliesRequest,
    pb.CheckReplyRequest,
    pb.ApplyReplyRequest,
    pb.SimulateGameRequest,
)
Answer = TypeVar("Answer")


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
                raise Refusal("INVALID_SETTINGS", message, "settings")
            raise Refusal("INVALID_STATE", message, "position")
        return await self._questions.ask(lambda: answer(request))
