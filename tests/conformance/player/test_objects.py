"""Player objects in this process, called as untrusted players are: whatever they do, their calls have an outcome."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from fairplay.conformance.player.objects import Gone, ObjectLink
from fairplay.fish.v1.fish_player_pb2 import SetupResponse
from fairplay.games.game import find
from fairplay.games.kit.player_service import DESCRIBE, END, START
from fairplay.games.steps import Failure, Method
from fairplay.server.links.link import Clock
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason, Overrun
from fairplay.v1.player_pb2 import DescribeResponse

FISH = find("fish")
METHODS = {method.name: method for method in FISH.methods}
SETUP = METHODS["Setup"]
LIMIT_S = 60.0


class Plain:
    """A player of Fish with the methods that a test gives it."""

    game = "fish"
    name, version = "Plain", "7"

    def __init__(self, **methods: Any) -> None:
        for name, method in methods.items():
            setattr(self, name, method)


async def asked(link: ObjectLink, method: Method | str, request: bytes = b"", limit_s: float = LIMIT_S) -> Any:
    path = method if isinstance(method, str) else method.path
    future: asyncio.Future[bytes | Failure] = asyncio.get_running_loop().create_future()
    link.call(path, request, limit_s, lambda outcome, _: future.set_result(outcome))
    return await future


async def outcome(method: Method | str, request: bytes = b"", **methods: Any) -> Any:
    """Return what becomes of one call of a new player."""
    link = ObjectLink(Clock(), Plain(**methods))
    try:
        return await asked(link, method, request)
    finally:
        await link.close()


def status(found: Any) -> tuple[int, str]:
    assert isinstance(found, CallError)
    assert found.reason == CallErrorReason.CALL_ERROR_REASON_STATUS
    return found.status_code, found.message


async def slow(request: Any) -> SetupResponse:
    await asyncio.sleep(0)
    return SetupResponse(place=9)


async def test_an_answer_is_a_message_or_nothing_or_bytes() -> None:
    for answer, wanted in [
        (lambda request: SetupResponse(place=9), SetupResponse(place=9).SerializeToString()),
        (slow, SetupResponse(place=9).SerializeToString()),
        (lambda request: None, b""),
        (lambda request: b"\xff\xff", b"\xff\xff"),
        (lambda request: bytes(1_048_576), bytes(1_048_576)),
    ]:
        assert await outcome(SETUP, setup=answer) == wanted


async def test_an_answer_of_more_than_a_mebibyte_is_too_large() -> None:
    found = await outcome(SETUP, setup=lambda request: bytes(1_048_577))
    assert isinstance(found, CallError)
    assert found.reason == CallErrorReason.CALL_ERROR_REASON_TOO_LARGE
    assert "1,048,577 bytes" in found.message


@pytest.mark.parametrize("error", [RuntimeError("it is broken"), SystemExit("it is broken"), KeyboardInterrupt()])
async def test_an_exception_fails_its_call_and_no_other_one(error: BaseException) -> None:
    def raises(request: Any) -> None:
        raise error

    link = ObjectLink(Clock(), Plain(setup=raises, take_turn=lambda request: None))
    code, message = status(await asked(link, SETUP))
    assert (code, message) == (2, f"{type(error).__name__}: {error}")
    assert await asked(link, FISH.turn) == b""
    await link.close()


async def test_a_player_that_has_died_answers_no_call_any_more() -> None:
    def dies(request: Any) -> None:
        raise Gone

    link = ObjectLink(Clock(), Plain(setup=dies, take_turn=lambda request: None))
    for method in (SETUP, FISH.turn, DESCRIBE):
        found = await asked(link, method)
        assert isinstance(found, CallError)
        assert (found.reason, found.message) == (
            CallErrorReason.CALL_ERROR_REASON_DISCONNECTED,
            "the player has died",
        )
    await link.close()


async def test_methods_that_are_not_there_are_not_implemented() -> None:
    for path in (SETUP.path, "/fairplay.q.v1.QPlayerService/Win", "/nonsense"):
        assert status(await outcome(path)) == (12, f"this player has no method {path}")


async def test_a_player_need_not_have_the_methods_of_any_player() -> None:
    assert await outcome(START) == await outcome(END) == b""
    described = DescribeResponse.FromString(await outcome(DESCRIBE)).description
    assert (described.display_name, described.software_version) == ("Plain", "7")
    assert len(described.services) == 1
    own = await outcome(DESCRIBE, describe=lambda request: DescribeResponse())
    assert own == b""


async def test_a_call_that_is_not_answered_in_time_is_an_overrun_and_holds_nothing_up() -> None:
    released = threading.Event()
    link = ObjectLink(Clock(), Plain(setup=lambda request: released.wait(60), take_turn=lambda request: None))
    assert isinstance(await asked(link, SETUP, limit_s=0.02), Overrun)
    assert await asked(link, FISH.turn) == b""
    await link.close()
    released.set()
