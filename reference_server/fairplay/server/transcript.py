"""The entries of the record of a game or a tournament, from what is asked and answered; live, or read from a record.

The referee, the manager and replays share this: the same calls and outcomes give the same entries, answers, evidence
and results, whether a player has just said them or a record did.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple, TypeAlias

from google.protobuf.any_pb2 import Any
from google.protobuf.message import DecodeError, Message

from fairplay.games.envelopes import pack
from fairplay.games.steps import Call, Cause, Eliminate, Failure, Outcome
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason, Misconduct, MisconductKind, Overrun, RuleBreak
from fairplay.v1.record_pb2 import RecordedCall, RecordEntry
from fairplay.v1.result_pb2 import GameResult, RankedPlayer, RankGroup

MAX_UNPARSABLE_BYTES = 4_096
MAX_EVIDENCE_BYTES = 16 * 1024

Answer: TypeAlias = Message | Failure


def game_rng(seed: int) -> Random:
    """Return the source of all randomness of a game with this seed."""
    return Random(seed)


class Asked(NamedTuple):
    """A call as it was made: its number in the record, from 1, and its serialised request."""

    call: Call
    number: int
    request: bytes


class Transcript:
    """The calls of one record so far. `append` takes the serialised entries; `players` are the names by seat."""

    def __init__(self, players: Sequence[str], append: Callable[[bytes], None]) -> None:
        self.misconducts: list[Misconduct] = []
        self.call_count = 0
        self._players = players
        self.append = append
        self._last: dict[int, tuple[Asked, bytes | Failure]] = {}

    def ask(self, call: Call, like: Asked | None = None) -> Asked:
        """Number a call. `like` is another call of the same step, which may have the very same request."""
        self.call_count += 1
        if like is not None and call.request is like.call.request:
            return Asked(call, self.call_count, like.request)
        return Asked(call, self.call_count, call.request.SerializeToString())

    def record_outcome(
        self, asked: Asked, outcome: bytes | Failure, elapsed_s: float, *, more_follow: bool = False
    ) -> Answer:
        """Record the outcome of a call, and return the parsed answer.

        `more_follow`: the outcome that is recorded next came at the same instant.
        """
        entry = RecordEntry()
        call = entry.call  # filled in place, which costs half of what copying costs
        call.number = asked.number
        call.seat = asked.call.seat
        call.method_name = asked.call.method.path
        call.request = asked.request
        if isinstance(outcome, bytes):
            call.reply = outcome
        elif isinstance(outcome, CallError):
            call.error.CopyFrom(outcome)
        else:
            call.overrun.CopyFrom(outcome)
        call.elapsed.seconds = int(elapsed_s)
        call.elapsed.nanos = int(elapsed_s % 1 * 1e9)
        if more_follow:
            call.more_follow = True
        self.append(entry.SerializeToString())
        return self.parse_outcome(asked, outcome)

    def parse_outcome(self, asked: Asked, outcome: bytes | Failure) -> Answer:
        """Return the answer that an outcome is for the conversation; nothing is recorded."""
        self._last[asked.call.seat] = (asked, outcome)
        if not isinstance(outcome, bytes):
            return outcome
        try:
            return asked.call.method.response.FromString(outcome)
        except DecodeError:
            return _unparsable(asked.call)

    def record_misconduct(self, step: Eliminate) -> Misconduct:
        """Record an elimination, and return the misconduct with its evidence."""
        misconduct = self.build_misconduct(step)
        self.append(RecordEntry(misconduct=misconduct).SerializeToString())
        return misconduct

    def build_misconduct(self, step: Eliminate) -> Misconduct:
        """Return the misconduct of an elimination, with the last call to the seat as evidence; nothing is recorded."""
        asked, outcome = self._last[step.seat]
        misconduct = Misconduct(
            seat=step.seat,
            player=self._players[step.seat],
            kind=_kind(step.cause),
            method_name=asked.call.method.path,
            call_number=asked.number,
            request=_pack_evidence(asked.call.request),
        )
        _set_cause(misconduct, step.cause)
        if isinstance(outcome, bytes):
            answer = self.parse_outcome(asked, outcome)
            if isinstance(answer, CallError):
                misconduct.unparsable_reply = outcome[:MAX_UNPARSABLE_BYTES]
            elif (reply := _pack_evidence(answer)) is not None:
                misconduct.reply.CopyFrom(reply)
        self.misconducts.append(misconduct)
        return misconduct


def recorded_s(elapsed_s: float) -> float:
    """Return the seconds that a record has of a call that took so many: whole nanoseconds."""
    return int(elapsed_s) + int(elapsed_s % 1 * 1e9) / 1e9


def read_outcome(call: RecordedCall) -> bytes | Failure:
    """Return the outcome of a recorded call."""
    match call.WhichOneof("outcome"):
        case "error":
            return call.error
        case "overrun":
            return call.overrun
        case _:
            return call.reply


def _unparsable(call: Call) -> CallError:
    message = f"the reply is not a {call.method.response.DESCRIPTOR.full_name}"
    return CallError(reason=CallErrorReason.CALL_ERROR_REASON_UNPARSABLE, message=message)


def _pack_evidence(message: Message) -> Any | None:
    """Return a request or reply as it is kept with a misconduct; None if it is too large, and only the call has it."""
    packed = pack(message)
    return packed if len(packed.value) <= MAX_EVIDENCE_BYTES else None


def _kind(cause: Cause) -> MisconductKind.ValueType:
    if isinstance(cause, RuleBreak):
        return MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION
    if isinstance(cause, Overrun):
        return MisconductKind.MISCONDUCT_KIND_TIMEOUT
    return MisconductKind.MISCONDUCT_KIND_EXCEPTION


def _set_cause(misconduct: Misconduct, cause: Cause) -> None:
    if isinstance(cause, RuleBreak):
        misconduct.rule_break.CopyFrom(cause)
    elif isinstance(cause, Overrun):
        misconduct.overrun.CopyFrom(cause)
    else:
        misconduct.call_error.CopyFrom(cause)


def game_result(outcome: Outcome, players: Sequence[str], misconducts: Sequence[Misconduct]) -> GameResult:
    """Return the result of a game from what its conversation returned."""
    groups = [
        RankGroup(players=[RankedPlayer(seat=seat, name=players[seat], score=score) for seat, score in group])
        for group in outcome.ranking
    ]
    return GameResult(ranking=groups, misconducts=misconducts)
