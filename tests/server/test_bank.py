"""What players are told of their bank: by the call, or by the metadata of a served call."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc

from fairplay.fish.v1 import fish_player_pb2, fish_player_pb2_grpc
from fairplay.v1.connection_pb2 import Call, Reply
from tests.server.harness import ByHand, plan, seconds, serving, sound


def banked(*links: str, limit_s: float, bank_s: float) -> Any:
    made = plan(*links, limit_s=limit_s)
    made.time_control.bank.CopyFrom(seconds(bank_s))
    return made


async def test_a_dialled_in_player_is_told_how_much_of_its_time_is_bank() -> None:
    answer, reported = sound(), []

    def reply(call: Call) -> list[Reply]:
        name = call.method_name.rpartition("/")[2]
        reported.append((name, call.HasField("bank_time"), call.bank_time.ToMilliseconds()))
        assert call.time_limit.ToMilliseconds() >= call.bank_time.ToMilliseconds()
        return [answer(call)]

    async with serving() as server, ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        playing = asyncio.create_task(by_hand.play(reply))
        await server.referee.play(banked("dial-in:x", "bot:first", limit_s=5, bank_s=7.5), "g")
        await server.referee.play(plan("dial-in:x", "bot:first"), "h")
        playing.cancel()
    assert {each for each in reported if each[0] in ("PlayAs", "PlayWith")} == {
        ("PlayAs", False, 0),
        ("PlayWith", False, 0),
    }
    assert {each for each in reported if each[0] == "TakeTurn"} == {("TakeTurn", True, 7_500), ("TakeTurn", False, 0)}


class Served(fish_player_pb2_grpc.FishPlayerServiceServicer):
    """A player that breaks the rules in its first turn, and keeps what the metadata said."""

    def __init__(self) -> None:
        self.bank: list[str] = []

    async def PlayAs(self, request: Any, context: Any) -> Any:  # noqa: N802
        assert "fairplay-bank-ms" not in dict(context.invocation_metadata())
        return fish_player_pb2.PlayAsResponse()

    async def PlayWith(self, request: Any, context: Any) -> Any:  # noqa: N802
        return fish_player_pb2.PlayWithResponse()

    async def TakeTurn(self, request: Any, context: Any) -> Any:  # noqa: N802
        raise AssertionError("it is out by then")

    async def Setup(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.bank.append(dict(context.invocation_metadata())["fairplay-bank-ms"])
        return fish_player_pb2.SetupResponse()


async def test_a_served_player_finds_its_bank_in_the_metadata() -> None:
    player, served = grpc.aio.server(), Served()
    fish_player_pb2_grpc.add_FishPlayerServiceServicer_to_server(served, player)
    port = player.add_insecure_port("127.0.0.1:0")
    await player.start()
    async with serving() as server:
        await server.referee.play(banked(f"grpc://127.0.0.1:{port}", "bot:first", limit_s=5, bank_s=2.5), "g")
    await player.stop(0)
    assert served.bank == ["2500"]
