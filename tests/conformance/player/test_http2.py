"""Calls in HTTP/2 by hand, to players that serve."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from fairplay.conformance.player import http2
from fairplay.fish.v1.fish_player_pb2 import SetupResponse
from fairplay.games.game import find
from fairplay.games.kit.player_service import DESCRIBE
from fairplay.games.kit.wire import varint
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason, Overrun
from fairplay.v1.player_pb2 import DescribeResponse
from tests.conformance.harness import player
from tests.conformance.player.test_links import free_address, served

SECRET = "Sesame-1"
LARGE = 2**19


def called(link: str, path: str, limit_s: float = 30.0, **headers: str) -> Any:
    """Return what comes of a call."""
    shown = {"user-agent": "other/1.0", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return asyncio.run(http2.call(link.removeprefix("grpc://"), path, b"", shown, limit_s))


def test_a_call_is_answered_refused_or_late_as_any_other() -> None:
    def setup(_: Any, __: Any) -> SetupResponse:
        return SetupResponse.FromString(varint(99 << 3 | 2) + varint(LARGE) + bytes(LARGE))

    released = threading.Event()
    made = player(setup=setup, take_turn=lambda _, __: released.wait(30))
    large_path, late_path = ("/fairplay.fish.v1.FishPlayerService/" + name for name in ("Setup", "TakeTurn"))
    with served(made, SECRET) as link:
        said = called(link, DESCRIBE.path, fairplay_secret=SECRET)
        large = called(link, large_path, fairplay_secret=SECRET)
        refused = called(link, DESCRIBE.path, fairplay_secret="x" * 200)
        late = called(link, late_path, 0.2, fairplay_secret=SECRET)
        released.set()
    assert DescribeResponse.FromString(said).description.services[0].name == find("fish").service
    assert len(large) > LARGE
    assert isinstance(late, Overrun)
    assert isinstance(refused, CallError)
    assert refused.reason == CallErrorReason.CALL_ERROR_REASON_STATUS
    gone = called(f"grpc://{free_address()}", DESCRIBE.path)
    assert gone.reason == CallErrorReason.CALL_ERROR_REASON_DISCONNECTED
