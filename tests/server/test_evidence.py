"""The evidence that is kept of a reply has a largest size."""

from __future__ import annotations

import asyncio
from hashlib import sha256
from typing import Any

import grpc
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.wrappers_pb2 import StringValue

from fairplay.fish.v1 import fish_player_pb2
from fairplay.server.evidence import (
    MAX_EVIDENCE_BYTES,
    MAX_UNPARSABLE_BYTES,
    add_evidence,
    recorded,
    result_with_evidence,
    result_without_evidence,
    with_evidence,
    without_evidence,
)
from fairplay.server.records.chain import parsed
from fairplay.server.records.verify import verify
from fairplay.v1 import referee_pb2 as pb
from fairplay.v1.connection_pb2 import Call, Reply
from fairplay.v1.misconduct_pb2 import CallError, Misconduct, Overrun, RuleBreak
from fairplay.v1.record_pb2 import RecordedCall, RecordEntry
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.result_pb2 import GameResult, RankGroup
from tests.server.harness import ByHand, plan, serving, sound
from tests.server.snap import SAY

UNKNOWN_FIELD = b"\xfa\x3f"
"""The tag of field 1023, length-delimited."""


async def test_unknown_fields_of_a_large_reply_are_not_kept() -> None:
    answer = sound()
    response = fish_player_pb2.SetupResponse(place=24_000).SerializeToString()
    large = response + UNKNOWN_FIELD + b"\x80\x80\x04" + bytes(MAX_EVIDENCE_BYTES * 4)

    def reply(call: Call) -> list[Reply]:
        return [Reply(id=call.id, response=large) if call.method_name.endswith("/Setup") else answer(call)]

    async with serving() as server, ByHand(server, "x", "y", "z") as by_hand:
        await by_hand.say_hello()
        playing = asyncio.create_task(by_hand.play(reply))
        played = await server.referee.play(plan("dial-in:x", "dial-in:y", "dial-in:z", "bot:first"), "g")
        playing.cancel()
        async with grpc.aio.insecure_channel(server.address) as channel:
            game = (await RefereeServiceStub(channel).GetGame(pb.GetGameRequest(game_id="g"))).game
        record = server.store.read("g")
        summary = server.store.find("g")
    assert summary is not None
    assert len(game.result.misconducts) == 3
    assert game.result == played.result
    for entry in parsed(record):  # the evidence is in the calls, and nowhere else
        for misconduct in (entry.misconduct, *entry.result.result.misconducts):
            assert not (misconduct.HasField("request") or misconduct.HasField("reply") or misconduct.unparsable_reply)
    assert response not in summary.summary
    for misconduct in game.result.misconducts:
        assert misconduct.HasField("request")
        assert misconduct.reply.value == response
        calls = [entry.call for entry in parsed(record) if entry.call.number == misconduct.call_number]
        assert (calls[0].reply, calls[0].reply_digest) == (response, sha256(large).digest())
    assert game.ByteSize() < 100_000
    assert record.ByteSize() < 100_000
    assert verify(record) == []


async def test_of_a_large_reply_that_cannot_be_parsed_the_beginning_is_kept() -> None:
    answer, large = sound(), b"\xff" * 500_000

    def reply(call: Call) -> list[Reply]:
        return [Reply(id=call.id, response=large) if call.method_name.endswith("/Setup") else answer(call)]

    async with serving() as server, ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        playing = asyncio.create_task(by_hand.play(reply))
        game = await server.referee.play(plan("dial-in:x", "bot:first"), "g")
        playing.cancel()
        record = server.store.read("g")
    (misconduct,) = game.result.misconducts
    assert misconduct.unparsable_reply == large[:MAX_UNPARSABLE_BYTES]
    assert record.ByteSize() < 100_000
    assert verify(record) == []


@pytest.mark.parametrize(("size", "kept"), [(16 * 1024, True), (16 * 1024 + 1, False)])
def test_what_was_asked_and_answered_is_kept_up_to_16_kib(size: int, kept: bool) -> None:
    text = StringValue(value="x" * (size - 3))  # behind a tag and a length of two bytes
    assert text.ByteSize() == size
    misconduct = Misconduct()
    add_evidence(misconduct, text, text.SerializeToString(), StringValue)
    assert (misconduct.HasField("request"), misconduct.HasField("reply")) == (kept, kept)
    assert misconduct.unparsable_reply == b""


@pytest.mark.parametrize("reply", [None, b"\xff"], ids=["none came", "none that can be read"])
def test_where_no_reply_can_be_shown_what_was_asked_is(reply: bytes | None) -> None:
    misconduct = Misconduct()
    add_evidence(misconduct, StringValue(value="x"), reply, StringValue)
    assert misconduct.HasField("request")
    assert not misconduct.HasField("reply")
    assert misconduct.unparsable_reply == (reply or b"")


def test_of_a_reply_that_cannot_be_read_the_first_4096_bytes_are_kept() -> None:
    misconduct, reply = Misconduct(), b"\xff" + bytes(range(200)) * 25
    add_evidence(misconduct, StringValue(value="x"), reply, StringValue)
    assert misconduct.unparsable_reply == reply[:4_096]


WORD = StringValue(value="word").SerializeToString()
METHODS = {SAY.path: SAY}


def broken(seat: int = 0, call_number: int = 1) -> Misconduct:
    """Return a misconduct as records have it."""
    broken = RuleBreak(rule_id="r", legal_replies=[AnyMessage()], legal_reply_count=1)
    return Misconduct(seat=seat, player="a", call_number=call_number, rule_break=broken)


def call(number: int = 1, **changes: Any) -> RecordedCall:
    return RecordedCall(**{"number": number, "method_name": SAY.path, "reply": WORD, **changes})


def test_what_was_asked_and_answered_is_found_in_the_call() -> None:
    whole = with_evidence(broken(), call(), METHODS)
    assert (whole.request.type_url, whole.reply.value) == ("type.googleapis.com/google.protobuf.Empty", WORD)
    assert recorded(whole) == broken()
    assert with_evidence(broken(), call(reply=b"\xff"), METHODS).unparsable_reply == b"\xff"


@pytest.mark.parametrize("failed", [{"error": CallError()}, {"overrun": Overrun()}])
def test_a_call_that_failed_has_no_reply(failed: dict[str, Any]) -> None:
    whole = with_evidence(broken(), RecordedCall(number=1, method_name=SAY.path, **failed), METHODS)
    assert whole.HasField("request")
    assert not whole.HasField("reply")


@pytest.mark.parametrize("changes", [{"method_name": "/snap.Player/Sing"}, {"request": b"\xff"}])
def test_of_a_call_that_is_not_known_nothing_is_shown(changes: dict[str, Any]) -> None:
    assert with_evidence(broken(), call(**changes), METHODS) == broken()


def test_evidence_that_is_recorded_with_a_misconduct_stays() -> None:
    older = broken()
    older.unparsable_reply = b"older"
    assert with_evidence(older, call(), METHODS) == older


def test_a_result_is_shown_with_the_evidence_of_each_misconduct_in_its_call() -> None:
    result = GameResult(ranking=[RankGroup()], misconducts=[broken(0, 2), broken(1, 1), broken(2, 9)])
    entries = [
        RecordEntry(call=call(1, reply=b"\xff")),
        RecordEntry(call=call(2)),
        *(RecordEntry(misconduct=each) for each in result.misconducts),
        RecordEntry(resumed={}),  # type: ignore[arg-type]
    ]
    shown = result_with_evidence(result, entries, METHODS)
    assert [each.reply.value for each in shown.misconducts] == [WORD, b"", b""]
    assert [each.unparsable_reply for each in shown.misconducts] == [b"", b"\xff", b""]
    assert [recorded(each) for each in shown.misconducts] == list(result.misconducts)
    assert shown.ranking == result.ranking
    assert result.misconducts[0] == broken(0, 2)


def test_spectators_see_which_rule_was_broken_and_not_what_would_have_been_legal() -> None:
    whole = with_evidence(broken(), call(), METHODS)
    public = without_evidence(whole)
    assert public == Misconduct(seat=0, player="a", call_number=1, rule_break=RuleBreak(rule_id="r"))
    failed = Misconduct(call_error=CallError(message="gone"))
    assert without_evidence(failed) == failed
    result = GameResult(ranking=[RankGroup()], misconducts=[whole, failed], aborted="x")
    assert result_without_evidence(result) == GameResult(
        ranking=[RankGroup()], misconducts=[public, failed], aborted="x"
    )
    assert result.misconducts[0] == whole
