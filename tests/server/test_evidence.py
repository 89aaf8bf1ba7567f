"""The evidence that is kept with a misconduct has a largest size; the record has all of it."""

from __future__ import annotations

import asyncio

import grpc

from fairplay.fish.v1 import fish_player_pb2
from fairplay.server.records.chain import parsed
from fairplay.server.records.verify import verify
from fairplay.server.transcript import MAX_EVIDENCE_BYTES
from fairplay.v1 import referee_pb2 as pb
from fairplay.v1.connection_pb2 import Call, Reply
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from tests.server.harness import ByHand, plan, serving, sound

UNKNOWN_FIELD = b"\xfa\x3f"
"""The tag of field 1023, length-delimited."""


async def test_a_large_reply_is_in_the_record_only() -> None:
    answer = sound()
    response = fish_player_pb2.SetupResponse(place=24_000).SerializeToString()
    large = response + UNKNOWN_FIELD + b"\x80\x80\x04" + bytes(MAX_EVIDENCE_BYTES * 4)

    def reply(call: Call) -> list[Reply]:
        return [Reply(id=call.id, response=large) if call.method_name.endswith("/Setup") else answer(call)]

    async with serving() as server, ByHand(server, "x", "y", "z") as by_hand:
        await by_hand.say_hello()
        playing = asyncio.create_task(by_hand.play(reply))
        await server.referee.play(plan("dial-in:x", "dial-in:y", "dial-in:z", "bot:first"), "g")
        playing.cancel()
        async with grpc.aio.insecure_channel(server.address) as channel:
            game = (await RefereeServiceStub(channel).GetGame(pb.GetGameRequest(game_id="g"))).game
        record = server.store.read("g")
    assert len(game.result.misconducts) == 3
    for misconduct in game.result.misconducts:
        assert misconduct.HasField("request")
        assert not misconduct.HasField("reply")
        calls = [entry.call for entry in parsed(record) if entry.call.number == misconduct.call_number]
        assert calls[0].reply == large
    assert game.ByteSize() < 100_000
    assert verify(record) == []
