"""Calls of a library other than gRPC's, to players that serve."""

from __future__ import annotations

import asyncio
import socket
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
LARGE = varint(99 << 3 | 2) + varint(2**19) + bytes(2**19)
"""A field of no message, longer than there is room for at once in HTTP/2."""


def called(link: str, path: str, request: bytes = b"", limit_s: float = 30.0, **headers: str) -> Any:
    """Return what comes of a call."""
    shown = {"user-agent": "other/1.0", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return asyncio.run(http2.call(link.removeprefix("grpc://"), path, request, shown, limit_s))


def test_a_call_is_answered_refused_or_late_as_any_other() -> None:
    released = threading.Event()
    made = player(setup=lambda _, __: SetupResponse.FromString(LARGE), take_turn=lambda _, __: released.wait(30))
    large_path, late_path = ("/fairplay.fish.v1.FishPlayerService/" + name for name in ("Setup", "TakeTurn"))
    with served(made, SECRET) as link:
        said = called(link, DESCRIBE.path, fairplay_secret=SECRET)
        large = called(link, large_path, LARGE, fairplay_secret=SECRET)
        refused = called(link, DESCRIBE.path, fairplay_secret="x" * 200)
        late = called(link, late_path, limit_s=0.2, fairplay_secret=SECRET)
        released.set()
    assert DescribeResponse.FromString(said).description.services[0].name == find("fish").service
    assert large == LARGE
    assert isinstance(late, Overrun)
    assert isinstance(refused, CallError)
    assert refused.reason == CallErrorReason.CALL_ERROR_REASON_STATUS
    gone = called(f"grpc://{free_address()}", DESCRIBE.path)
    assert gone.reason == CallErrorReason.CALL_ERROR_REASON_DISCONNECTED


def test_a_player_that_does_not_speak_http_2_is_disconnected() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def answer() -> None:
            with listener.accept()[0] as connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                connection.recv(1)

        answering = threading.Thread(target=answer)
        answering.start()
        failure = called(f"grpc://127.0.0.1:{port}", DESCRIBE.path)
        answering.join()
    assert failure.reason == CallErrorReason.CALL_ERROR_REASON_DISCONNECTED
