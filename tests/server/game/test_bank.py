"""What players that have dialled in are told of their bank."""

from __future__ import annotations

from typing import Any

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
        async with by_hand.answering(reply):
            await server.referee.play(banked("dial-in:x", "bot:first", limit_s=5, bank_s=7.5), "g")
            await server.referee.play(plan("dial-in:x", "bot:first"), "h")
    assert {each for each in reported if each[0] in ("PlayAs", "PlayWith")} == {
        ("PlayAs", False, 0),
        ("PlayWith", False, 0),
    }
    assert {each for each in reported if each[0] == "TakeTurn"} == {("TakeTurn", True, 7_500), ("TakeTurn", False, 0)}
