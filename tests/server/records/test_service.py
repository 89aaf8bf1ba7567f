"""RecordService over a real channel."""

from __future__ import annotations

from typing import Any

import grpc
import pytest

from fairplay.server.manager.history import check_tournament
from fairplay.server.net.errors import reason_of
from fairplay.server.records.chain import parsed
from fairplay.server.records.verify import verify
from fairplay.server.server import Server
from fairplay.v1.record_pb2 import Record
from fairplay.v1.record_service_pb2 import GetRecordRequest, GetRecordResponse
from fairplay.v1.record_service_pb2_grpc import RecordServiceStub
from fairplay.v1.referee_pb2 import GameStatus
from tests.server.harness import ByHand, plan, serving
from tests.server.manager.harness import plan as tournament_plan


async def parts(server: Server, record_id: str) -> list[GetRecordResponse]:
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub: Any = RecordServiceStub(channel)
        return [part async for part in stub.GetRecord(GetRecordRequest(record_id=record_id))]


async def reason(server: Server, record_id: str) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await parts(server, record_id)
    return reason_of(error.value)


def joined(found: list[GetRecordResponse]) -> Record:
    return Record(entries=[entry for part in found for entry in part.entries])


async def test_a_record_that_is_handed_out_is_sound_and_names_no_links() -> None:
    async with serving() as server:
        await server.referee.play(plan("bot:first", "bot:random:seed=7"), "g")
        found = await parts(server, "g")
        whole = server.store.read("g")
    record = joined(found)
    assert verify(record) == []
    assert b"bot:" not in record.SerializeToString()
    assert [entry.call for entry in parsed(record)] == [entry.call for entry in parsed(whole)]


async def test_the_record_of_a_tournament_is_sound_and_names_no_links() -> None:
    async with serving() as server:
        await server.manager.create("cup", tournament_plan([f"p{number}" for number in range(5)]))
        await server.manager.start("cup")
        async for event in server.manager.watch("cup"):
            if event.HasField("finished"):
                break
        record = joined(await parts(server, "cup"))
    assert verify(record, checks={"tournament": check_tournament}) == []
    assert b"bot:" not in record.SerializeToString()


async def test_a_record_is_closed_while_its_game_runs() -> None:
    async with serving() as server, ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        server.referee.create(plan("dial-in:x", "bot:first"), "g")
        await by_hand.next_call()
        assert await reason(server, "g") == "RECORD_OPEN"
        assert await reason(server, "h") == "RECORD_NOT_FOUND"
        assert (await server.referee.stop("g", "enough")).status == GameStatus.GAME_STATUS_ABORTED
        assert verify(joined(await parts(server, "g"))) == []
