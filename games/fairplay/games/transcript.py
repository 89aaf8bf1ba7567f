"""The entries of the record of a game or a tournament, from what is asked and answered; live, or read from a record.

The referee, the manager and replays share this: the same calls and outcomes give the same entries, answers, evidence
and results, whether a player has just said them or a record did.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from random import Random
from typing import NamedTuple, TypeAlias

from google.protobuf.message import DecodeError, Message

from fairplay.games.evidence import MAX_EVIDENCE_BYTES, MAX_UNPARSABLE_BYTES, add_evidence, recorded
from fairplay.games.steps import Call, Cause, Eliminate, Failure, Outcome
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason, Misconduct, MisconductKind, Overrun, RuleBreak
from fairplay.v1.record_pb2 import RecordedCall, RecordedJoin, RecordEntry
from fairplay.v1.result_pb2 import GameResult, RankedPlayer, RankGroup

Answer: TypeAlias = Message | Failure


def game_rng(seed: int) -> Random:
    """Return the source of all randomness of a game with this seed."""
    return Random(seed)


def game_lot(seed: int) -> Random:
    """Return what orders the answers that come at one instant in a game with this seed."""
    return Random(f"{seed}/lot")


class Asked(NamedTuple):
    """A call as it was made, and its number in the record, from 1."""

    call: Call
    number: int


class Transcript:
    """The calls of one record so far; `players` are the names by seat.

    `append` takes the serialised entries; None: nothing is recorded.
    """

    def __init__(self, players: Sequence[str], append: Callable[[bytes], None] | None = None) -> None:
        self.misconducts: list[Misconduct] = []
        self.call_count = 0
        self.players = list(players)
        self.append = append
        self._last: dict[int, tuple[Asked, bytes | Answer]] = {}

    def ask(self, call: Call) -> Asked:
        """Number a call."""
        self.call_count += 1
        return Asked(call, self.call_count)

    def record_outcome(
        self, asked: Asked, outcome: bytes | Answer, elapsed_s: float, *, more_follow: bool = False
    ) -> Answer:
        """Record the outcome of a call, and return the parsed answer.

        `more_follow`: the outcome that is recorded next came at the same instant. It may be a parsed answer where
        nothing is recorded.
        """
        if self.append is None:
            return self.parse_outcome(asked, outcome)
        entry = RecordEntry()
        call = entry.call  # filled in place, which costs half of what copying costs
        call.number = asked.number
        call.seat = asked.call.seat
        call.method_name = asked.call.method.path
        call.request = asked.call.data
        if isinstance(outcome, bytes):
            kept = _shorten(outcome, asked.call) if len(outcome) > MAX_EVIDENCE_BYTES else outcome
            if kept is not outcome:
                call.reply_digest = sha256(outcome).digest()
                outcome = kept
            call.reply = outcome
        elif isinstance(outcome, CallError):
            call.error.CopyFrom(outcome)
        elif isinstance(outcome, Overrun):
            call.overrun.CopyFrom(outcome)
        else:
            raise TypeError("what is recorded is not parsed")
        call.elapsed.seconds = int(elapsed_s)
        call.elapsed.nanos = int(elapsed_s % 1 * 1e9)
        if more_follow:
            call.more_follow = True
        self.append(entry.SerializeToString())
        return self.parse_outcome(asked, outcome)

    def parse_outcome(self, asked: Asked, outcome: bytes | Answer) -> Answer:
        """Return the answer that an outcome is for the conversation; nothing is recorded."""
        self._last[asked.call.seat] = (asked, outcome)
        if not isinstance(outcome, bytes):
            return outcome
        try:
            return asked.call.method.response.FromString(outcome)
        except DecodeError:
            return _unparsable(asked.call)

    def record_join(self, player: Player, elapsed_s: float, *, more_follow: bool) -> int:
        """Record that a player joins, and return its seat; `more_follow` as for an outcome."""
        seat = len(self.players)
        self.players.append(player.name)
        if self.append is not None:
            entry = RecordEntry(joined=RecordedJoin(seat=seat, player=player, more_follow=more_follow))
            entry.joined.elapsed.seconds = int(elapsed_s)
            entry.joined.elapsed.nanos = int(elapsed_s % 1 * 1e9)
            self.append(entry.SerializeToString())
        return seat

    def record_misconduct(self, step: Eliminate) -> Misconduct:
        """Record an elimination, and return the misconduct with its evidence, which the record has in the call."""
        misconduct = self.build_misconduct(step)
        self.misconducts.append(misconduct)
        if self.append is not None:
            self.append(RecordEntry(misconduct=recorded(misconduct)).SerializeToString())
        return misconduct

    def build_misconduct(self, step: Eliminate) -> Misconduct:
        """Return the misconduct of an elimination, with the last call to the seat as evidence."""
        asked, outcome = self._last[step.seat]
        misconduct = Misconduct(
            seat=step.seat,
            player=self.players[step.seat],
            kind=_kind(step.cause),
            method_name=asked.call.method.path,
            call_number=asked.number,
        )
        _set_cause(misconduct, step.cause)
        reply = outcome if isinstance(outcome, bytes) else None
        add_evidence(misconduct, asked.call.request, reply, asked.call.method.response)
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


def _shorten(reply: bytes, call: Call) -> bytes:
    """Return what is recorded of a long reply, and judged in its place: a replay comes to the same answer."""
    response = call.method.response
    try:
        message = response.FromString(reply)
    except DecodeError:
        return reply if _parses(reply[:MAX_UNPARSABLE_BYTES], response) else reply[:MAX_UNPARSABLE_BYTES]
    message.DiscardUnknownFields()
    known: bytes = message.SerializeToString()
    return known if len(known) < len(reply) else reply


def _parses(data: bytes, kind: type[Message]) -> bool:
    try:
        kind.FromString(data)
    except DecodeError:
        return False
    return True


def _unparsable(call: Call) -> CallError:
    message = f"the reply is not a {call.method.response.DESCRIPTOR.full_name}"
    return CallError(reason=CallErrorReason.CALL_ERROR_REASON_UNPARSABLE, message=message)


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
