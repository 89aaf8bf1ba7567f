"""What the author of a player reads where a method of it raises."""

from __future__ import annotations

import grpc
import pytest

from fairplay.player.handlers import Handlers
from fairplay.player.serving import start_server

TAKE_TURN = "/fairplay.fish.v1.FishPlayerService/TakeTurn"


def choose() -> None:
    raise KeyError("no such tile")


class Plain:
    game = "fish"

    def take_turn(self, request: object) -> None:
        choose()


class Async:
    game = "fish"

    async def take_turn(self, request: object) -> None:
        choose()


class Mistaken:
    game = "fish"

    def take_turn(self, request: object) -> str:
        return "a move"


async def logged(player: object, caplog: pytest.LogCaptureFixture) -> str:
    """Return what is logged where a player is asked for a turn and raises."""
    server, port = await start_server(Handlers(player), "127.0.0.1:0")
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            with pytest.raises(grpc.aio.AioRpcError):
                await channel.unary_unary(TAKE_TURN)(b"", timeout=60)
    finally:
        await server.stop(0)
    own = [each for each in caplog.records if each.name == "fairplay.player"]  # grpc.aio logs of loops of others, too
    return "".join(f"{caplog.handler.format(each)}\n" for each in own)


@pytest.mark.parametrize("player", [Plain(), Async()])
async def test_a_traceback_begins_in_the_code_of_the_author(player: object, caplog: pytest.LogCaptureFixture) -> None:
    text = await logged(player, caplog)
    frames = [line.rpartition(" in ")[2] for line in text.splitlines() if line.startswith("  File ")]
    assert frames == ["take_turn", "choose"]
    assert text.endswith("KeyError: 'no such tile'\n")


async def test_what_a_method_must_return_is_said_without_a_traceback(caplog: pytest.LogCaptureFixture) -> None:
    text = await logged(Mistaken(), caplog)
    assert "TypeError: take_turn must return fairplay.fish.v1.TakeTurnResponse, not str" in text
    assert "File" not in text
