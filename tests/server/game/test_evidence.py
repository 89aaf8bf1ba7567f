"""The evidence that is kept of a reply has a largest size."""

from __future__ import annotations

from hashlib import sha256

import grpc
import pytest
from google.protobuf.wrappers_pb2 import StringValue

from fairplay.fish.v1 import fish_player_pb2
from fairplay.games.evidence import (
    MAX_EVIDENCE_BYTES,
    add_evidence,
)
from fairplay.server.records.chain import parsed
from fairplay.server.records.verify import verify
from fairplay.v1 import referee_pb2 as pb
from fairplay.v1.connection_pb2 import Call, Reply
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from tests.server.harness import ByHand, plan, serving, sound

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
        async with by_hand.answering(reply):
            played = await server.referee.play(plan("dial-in:x", "dial-in:y", "dial-in:z", "bot:first"), "g")
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


@pytest.mark.parametrize(("size", "kept"), [(16 * 1024, True), (16 * 1024 + 1, False)])
def test_what_was_asked_and_answered_is_kept_up_to_16_kib(size: int, kept: bool) -> None:
    text = StringValue(value="x" * (size - 3))  # behind a tag and a length of two bytes
    assert text.ByteSize() == size
    misconduct = Misconduct()
    add_evidence(misconduct, text, text.SerializeToString(), StringValue)
    assert (misconduct.HasField("request"), misconduct.HasField("reply")) == (kept, kept)
    assert misconduct.unparsable_reply == b""
