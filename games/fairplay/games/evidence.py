"""Evidence of misconduct: what was asked and answered. A record has it once, in its calls, to which misconducts refer.

Who is shown a misconduct gets it whole or without its evidence; in memory and in answers it is whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from google.protobuf.any_pb2 import Any
from google.protobuf.message import DecodeError, Message

from fairplay.games.envelopes import pack
from fairplay.games.steps import Method
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.record_pb2 import RecordedCall, RecordEntry
from fairplay.v1.result_pb2 import GameResult

MAX_UNPARSABLE_BYTES = 4_096
MAX_EVIDENCE_BYTES = 16 * 1024


def add_evidence(misconduct: Misconduct, request: Message, reply: bytes | None, response: type[Message]) -> None:
    """Add what was asked and answered, `reply` as it came; None: no reply came."""
    if (packed := _pack(request)) is not None:
        misconduct.request.CopyFrom(packed)
    if reply is None:
        return
    try:
        parsed = response.FromString(reply)
    except DecodeError:
        misconduct.unparsable_reply = reply[:MAX_UNPARSABLE_BYTES]
        return
    if (packed := _pack(parsed)) is not None:
        misconduct.reply.CopyFrom(packed)


def _pack(message: Message) -> Any | None:
    """Return a request or reply as it is kept with a misconduct; None if it is too large, and only the call has it."""
    packed = pack(message)
    return packed if len(packed.value) <= MAX_EVIDENCE_BYTES else None


def recorded(misconduct: Misconduct) -> Misconduct:
    """Return a misconduct as records have it: what its call tells is left to that."""
    bare = Misconduct()
    bare.CopyFrom(misconduct)
    bare.ClearField("request")
    bare.ClearField("reply")
    bare.ClearField("unparsable_reply")
    return bare


def without_evidence(misconduct: Misconduct) -> Misconduct:
    """Return who failed, in which call and why, without what was asked and answered, which may hold hidden things."""
    public = recorded(misconduct)
    if public.HasField("rule_break"):
        del public.rule_break.legal_replies[:]
        public.rule_break.legal_reply_count = 0
    return public


def result_without_evidence(result: GameResult) -> GameResult:
    """Return a result without the evidence of its misconducts."""
    public = GameResult()
    public.CopyFrom(result)
    for misconduct in public.misconducts:
        misconduct.CopyFrom(without_evidence(misconduct))
    return public


def with_evidence(misconduct: Misconduct, call: RecordedCall, methods: Mapping[str, Method]) -> Misconduct:
    """Return a recorded misconduct with the evidence of its call. One that has evidence itself stays as it is.

    `methods` are known by their paths; of a call to another one, or that cannot be parsed, nothing is added.
    """
    whole = Misconduct()
    whole.CopyFrom(misconduct)
    method = methods.get(call.method_name)
    if method is None or misconduct != recorded(misconduct):
        return whole
    try:
        request = method.request.FromString(call.request)
    except DecodeError:
        return whole
    add_evidence(whole, request, call.reply if call.HasField("reply") else None, method.response)
    return whole


def idle_seats(result: GameResult, entries: Iterable[RecordEntry], methods: Mapping[str, Method]) -> list[int]:
    """Return the seats of those who did not fail in a game, and made no decision in it, from its record.

    A method whose reply has fields asks for a decision.
    """
    decided = {entry.call.seat for entry in entries if entry.call.HasField("reply") and _decides(entry.call, methods)}
    seats = sorted(player.seat for group in result.ranking for player in group.players)
    return [seat for seat in seats if seat not in decided]


def _decides(call: RecordedCall, methods: Mapping[str, Method]) -> bool:
    method = methods.get(call.method_name)
    return method is None or method.asks


def result_with_evidence(
    result: GameResult, entries: Iterable[RecordEntry], methods: Mapping[str, Method]
) -> GameResult:
    """Return the result of a game with the evidence of its misconducts, from the entries of its record."""
    calls: dict[int, RecordedCall] = {}
    misconducts: list[Misconduct] = []
    for entry in entries:
        if entry.HasField("call"):
            calls[entry.call.number] = entry.call
        elif entry.HasField("misconduct"):
            call = calls.get(entry.misconduct.call_number, RecordedCall())
            misconducts.append(with_evidence(entry.misconduct, call, methods))
    whole = GameResult()
    whole.CopyFrom(result)
    del whole.misconducts[:]
    whole.misconducts.extend(misconducts)
    return whole
