"""Players of the zoo behind links of their own, without threads and processes, in simulated time.

A player that hangs never answers, one that is late answers later. No player is late because the machine is busy, and
one that hangs costs a test no time, so that hundreds of games cost seconds.
"""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf.message import DecodeError, Message

from fairplay.conformance.case_ids import DRAWN_STATES, WHOLE_GAMES
from fairplay.conformance.player.objects import Gone
from fairplay.conformance.zoo.mutants import Mutant, Symptom
from fairplay.conformance.zoo.player import WAIT_S, Environment, MutantPlayer
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game
from fairplay.games.steps import Call, Failure, Method
from fairplay.games.steps import CallKind as Limit
from fairplay.player.handlers import snake_case
from fairplay.server.links.link import (
    MAX_REPLY_BYTES,
    NO_EXTRA,
    Clock,
    Done,
    Metadata,
    OpenCall,
    call_error,
    disconnected,
    too_large,
)
from fairplay.v1.misconduct_pb2 import CallErrorReason, Misconduct, MisconductKind, Overrun

STATUS = CallErrorReason.CALL_ERROR_REASON_STATUS
REASONS = {
    CallErrorReason.CALL_ERROR_REASON_STATUS: Symptom.STATUS,
    CallErrorReason.CALL_ERROR_REASON_UNPARSABLE: Symptom.UNREADABLE,
    CallErrorReason.CALL_ERROR_REASON_TOO_LARGE: Symptom.TOO_LARGE,
    CallErrorReason.CALL_ERROR_REASON_DISCONNECTED: Symptom.GONE,
}


class WaitsError(Exception):
    """A player wants to wait; its link waits for it."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def _gone() -> None:
    raise Gone


def _waits(_: threading.Event, seconds: float) -> None:
    raise WaitsError(seconds)


def on_stage(limit_s: float) -> Environment:
    """Return the environment of players that are behind a StageLink."""
    return Environment(limit_s, limit_s, _gone, _waits)


@dataclass(slots=True)
class ReceivedCall:
    """A call in one game, and what was wrong with the answer, which the referee may find."""

    method: str
    request: Any
    traces: frozenset[Symptom]
    """Empty: nothing was wrong."""
    forgiven: bool
    """Whether what was wrong need not be misconduct in this game."""
    cancelled: bool = False
    """Nobody wanted the answer any more."""

    @property
    def surely_wrong(self) -> bool:
        """Whether the referee must find something."""
        return bool(self.traces) and Symptom.NOTHING not in self.traces and not self.cancelled


class StageLink:
    """The link to a player of the zoo. `received` has its calls by the id of the game."""

    def __init__(self, clock: Clock, game: Game, settings: Message, kind: Mutant, player: MutantPlayer) -> None:
        self.kind = kind
        self._game = game
        self._settings = settings
        self.received: dict[str, list[ReceivedCall]] = {}
        self._clock = clock
        self._player = player
        self._loop = asyncio.get_running_loop()
        self._sound = game.player(next(iter(game.strategies)))
        self._methods = {method.path: method for method in game.methods}
        self._traces = kind.symptoms | {Symptom.NOTHING} if _is_special(kind) else kind.symptoms
        self._dead = False

    def call(
        self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0, extra: Metadata = NO_EXTRA
    ) -> OpenCall:
        """Call the player as soon as the event loop turns."""
        received: list[ReceivedCall] = []
        open_call = OpenCall(self._clock, limit_s, done, lambda call: self._let_go(call, received))
        self._loop.call_soon(self._answer, self._methods[method], request, open_call, received)
        return open_call

    def _let_go(self, call: OpenCall, received: list[ReceivedCall]) -> None:
        """Handle a call that is over without an answer; it was cancelled if its outcome is not reported."""
        for each in received:
            each.cancelled = call.done is None

    def _answer(self, method: Method, data: bytes, open_call: OpenCall, received: list[ReceivedCall]) -> None:
        if open_call.done is None:  # cancelled before the player could hear of it
            return
        request: Any = method.request.FromString(data)
        shown = len(self._player.occurrences)
        try:
            outcome, wait_s = self._outcome(method, request), 0.0
        except WaitsError as waits:
            outcome, wait_s = _encoded(getattr(self._sound, snake_case(method.name), _void)(request)), waits.seconds
        traces = self._traces if len(self._player.occurrences) > shown else frozenset[Symptom]()
        if self._dead:
            traces = frozenset({Symptom.GONE})
        elif method.name in self.lacking:
            traces = frozenset({Symptom.STATUS})
        received.append(ReceivedCall(method.path, request, traces, self._forgiven(method, request, outcome, wait_s)))
        self.received.setdefault(request.game_id, []).extend(received)
        if not wait_s:
            open_call.settle(outcome)
        elif wait_s < WAIT_S:
            self._loop.call_later(wait_s, open_call.settle, outcome)

    def _forgiven(self, method: Method, request: Any, outcome: bytes | Failure, wait_s: float) -> bool:
        """Return whether the game forgives an answer, or that there is none."""
        answer: Any = Overrun() if wait_s else outcome
        if isinstance(answer, bytes):
            try:
                answer = method.response.FromString(answer)
            except DecodeError:
                return False
        return (
            find_conformance(self._game.name).find_infraction(
                self._settings, Call(0, method, request, Limit.DECISION), answer
            )
            is not None
        )

    @property
    def lacking(self) -> set[str]:
        """The names of the methods that the player does not have."""
        return {method.name for method in self._methods.values() if snake_case(method.name) in self.kind.lacks}

    def _outcome(self, method: Method, request: Any) -> bytes | Failure:
        if self._dead:
            return disconnected("the player has died")
        function = getattr(self._player, snake_case(method.name), None)
        if function is None:
            return call_error(STATUS, "no such method", code=grpc.StatusCode.UNIMPLEMENTED.value[0])
        try:
            reply = function(request)
        except WaitsError:
            raise
        except Gone:
            self._dead = True
            return disconnected("the player has died")
        except Exception as error:
            return call_error(STATUS, str(error), code=grpc.StatusCode.UNKNOWN.value[0])
        return _encoded(reply)

    async def close(self) -> None:
        """Do nothing: the link holds nothing."""


def _void(_: object) -> None:
    """Return the answer of a method that has none."""


def _encoded(reply: Any) -> bytes | Failure:
    response: bytes = reply if isinstance(reply, bytes) else b"" if reply is None else reply.SerializeToString()
    return response if len(response) <= MAX_REPLY_BYTES else too_large(len(response))


def _is_special(kind: Mutant) -> bool:
    """Return whether the defect shows only in special situations: under other settings it may be none."""
    return bool(kind.rule) and not {WHOLE_GAMES, DRAWN_STATES} & set(kind.cases)


def trace(misconduct: Misconduct) -> Symptom:
    """Return what the referee has found."""
    if misconduct.kind == MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION:
        return Symptom.RULE
    if misconduct.kind == MisconductKind.MISCONDUCT_KIND_TIMEOUT:
        return Symptom.TIMEOUT
    return REASONS[misconduct.call_error.reason]
