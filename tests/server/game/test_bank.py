"""What players that have dialled in are told of their bank."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

import pytest

from fairplay.games.game import find
from fairplay.player import CallInfo, current_call
from fairplay.player.handlers import Handlers
from fairplay.player.serving import start_server
from tests.server.harness import dialled_in, plan, seconds, serving


def banked(*links: str, limit_s: float, bank_s: float) -> Any:
    made = plan(*links, limit_s=limit_s)
    made.time_control.bank.CopyFrom(seconds(bank_s))
    return made


class Asking:
    """A player of Fish that notes what it is told of its calls, here or in a thread."""

    game = "fish"

    def __init__(self) -> None:
        self.known: list[CallInfo] = []
        self._sound = find("fish").player("first")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sound, name)

    def setup(self, request: Any) -> Any:
        self.known.append(current_call())
        return self._sound.setup(request)

    async def take_turn(self, request: Any) -> Any:
        self.known.append(current_call())
        return self._sound.take_turn(request)


@pytest.mark.parametrize("way", ["dials in", "serves"])
async def test_a_player_of_the_kit_knows_limit_and_bank_of_its_calls_whichever_way_they_come(way: str) -> None:
    player = Asking()
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(serving())
        link = "dial-in:x"
        if way == "serves":
            served, port = await start_server(Handlers(player), "127.0.0.1:0")
            stack.push_async_callback(served.stop, 0)
            link = f"grpc://127.0.0.1:{port}"
        else:
            await stack.enter_async_context(dialled_in(server, ("x", player)))
        game = await server.referee.play(banked(link, "bot:first", limit_s=30, bank_s=7.5), "g")
    assert not game.result.misconducts
    assert len(player.known) > 4
    assert {each.bank_s for each in player.known} == {7.5}
    for each in player.known:
        assert each.limit_s == pytest.approx(37.5, abs=5.0)
        assert not [key for key in each.metadata if key in ("fairplay-secret", "traceparent")]
