"""Connections to a player: what is cancelled, and when."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairplay.server.links.link import OpenCall
from tests.conformance.test_ahead import run
from tests.conformance.test_interrupting import METHODS, Slow, connected


class Noted:
    """An open call that notes when it is cancelled."""

    def __init__(self, call: OpenCall, note: Callable[[], None]) -> None:
        self._call = call
        self._note = note

    def cancel(self) -> None:
        self._note()
        self._call.cancel()


def test_a_call_that_is_over_is_forgotten() -> None:
    async def test() -> None:
        cancelled: list[str] = []

        class Noting(Slow):
            def call(self, method: str, *arguments: Any, **more: Any) -> Any:
                return Noted(super().call(method, *arguments, **more), lambda: cancelled.append(method))

        connection = connected(Noting(lambda name, number: (1.0, b"")))
        await connection.ask(METHODS["Setup"], b"", 60.0)
        cancelled.clear()
        await connection.close()
        assert cancelled == []

    run(test())
