"""When a player whose stream has ended is said to be there again, in simulated time; and what is closed before."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from types import SimpleNamespace
from typing import Any

import pytest

from fairplay.conformance.cases import robustness
from fairplay.conformance.transports import DialInTransport, PlayerServer
from fairplay.games.kit.player_service import DESCRIBE
from fairplay.server.links.link import call_error, disconnected
from fairplay.v1.misconduct_pb2 import CallErrorReason
from tests.conformance.harness import player
from tests.conformance.opened import Opened, context_of
from tests.server.quick import in_no_time

BEGAN_S = 4_096.0
"""Times that are added to it are exact."""


class Away:
    """A player that is not connected from one time to another, in seconds after the goodbye."""

    def __init__(self, gone_s: float, back_s: float, takes_s: float = 0.0) -> None:
        self.asked_at_s: list[float] = []
        self._gone_s, self._back_s, self._takes_s = gone_s, back_s, takes_s

    async def ask(self, method: Any, request: bytes, limit_s: float) -> tuple[Any, float]:
        assert (method, request, limit_s) == (DESCRIBE, b"", 1.0)
        now_s = asyncio.get_running_loop().time() - BEGAN_S
        self.asked_at_s.append(now_s)
        assert len(self.asked_at_s) < 1_000, "it is asked without a pause"
        await asyncio.sleep(self._takes_s)
        return disconnected("it has gone") if self._gone_s <= now_s < self._back_s else b"", 0.0


def answers_again(away: Away) -> bool:
    def run(work: Coroutine[Any, Any, bool]) -> bool:
        async def later() -> bool:
            await asyncio.sleep(BEGAN_S)
            return await work

        return in_no_time(later())

    context: Any = SimpleNamespace(player=SimpleNamespace(loop=SimpleNamespace(run=run)))
    connection: Any = away
    return robustness._answers_again(context, connection)


@pytest.mark.parametrize(
    ("gone_s", "back_s", "comes", "until_s"),
    [
        (0.0, 0.1, True, 0.1),
        (0.2, 0.3, True, 0.3),
        (0.2, 2.0, True, 2.0),
        (99.0, 99.0, True, 0.5),  # it has not lost its stream
        (0.6, 0.9, True, 0.5),  # or not soon
        (0.0, 99.0, False, 10.0),
        (0.0, 9.9, True, 9.9),
    ],
)
def test_a_player_is_there_again_once_it_answers_after_its_stream_was_lost_or_half_a_second(
    gone_s: float, back_s: float, comes: bool, until_s: float
) -> None:
    away = Away(gone_s, back_s)
    assert answers_again(away) is comes
    assert away.asked_at_s[-1] == pytest.approx(until_s, abs=0.03)
    pauses = {later - sooner for sooner, later in zip(away.asked_at_s, away.asked_at_s[1:], strict=False)}
    assert all(pause == pytest.approx(0.02, abs=0.001) for pause in pauses)


@pytest.mark.parametrize(("pause_s", "back_s", "comes", "count"), [(0.5, 0.0, True, 3), (2.0, 99.0, False, 5)])
def test_half_a_second_has_to_be_over_and_ten_seconds_not(
    pause_s: float, back_s: float, comes: bool, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(robustness, "POLL_S", pause_s)
    away = Away(0.0, back_s)
    assert answers_again(away) is comes
    assert away.asked_at_s == [number * pause_s for number in range(count)]


def test_an_error_is_an_answer_too() -> None:
    async def ask(*_: Any) -> tuple[Any, float]:
        return call_error(CallErrorReason.CALL_ERROR_REASON_STATUS, "no"), 0.0

    away: Any = SimpleNamespace(ask=ask)
    assert answers_again(away) is True


def test_the_connections_to_a_player_that_serves_are_closed_before_the_next_one_is_made() -> None:
    open_counts: list[int] = []
    opened = Opened(player, lambda _: open_counts.append(opened.open_count))
    with context_of(opened.as_served()) as context:
        robustness.reconnect.run(context)
        played = [each.scenario for each in context.trials[:2]]
    assert open_counts[2] == 0
    assert [each.name for each in played] == ["seat-0-of-2"] * 2
    assert [each.situation.turn_count for each in played] == [1, 6]


def test_who_dials_in_is_told_goodbye_by_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    reached: list[Callable[[], Any]] = []
    monkeypatch.setattr(robustness, "_dial_in_again", lambda _, transport: reached.append(transport))
    dials = DialInTransport("me", PlayerServer("127.0.0.1:0", 1.0))
    for transport in (dials, Opened(player).as_started()):
        with context_of(transport) as context:
            robustness.reconnect.run(context)
    assert [type(each).__name__ for each in reached] == ["DialInTransport", "ExecTransport"]
