"""Cancelled calls: a slow player is asked for few decisions at the same moment, since it has to finish all of them."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance.cases.memory import BURST, QUICK_S, ROUNDS
from fairplay.games.game import find
from tests.conformance.harness import Method, judged, player
from tests.conformance.player.test_links import served


@pytest.mark.slow
def test_a_slow_player_has_few_games_begun_whose_decisions_are_cancelled() -> None:
    games: set[str] = set()

    def begins(sound: Method, request: Any) -> Any:
        games.add(request.game_id)
        return sound(request)

    def decides(sound: Method, request: Any) -> Any:
        threading.Event().wait(2 * QUICK_S)
        return sound(request)

    made = player(play_as=begins, setup=decides, take_turn=decides)
    report = judged(lambda: made, "memory.cancelled-call")
    assert report.counts[Verdict.PASS] == 1
    others = 3  # an ordinary game, the one whose beginning is repeated, and the one that is played afterwards
    assert (len(games) - others) % BURST == 0
    assert BURST <= len(games) - others <= (1 + ROUNDS) * BURST


STUCK_LIMIT_S = 2.0
"""A limit that a player which is stuck may cost a test several times."""


class Thinker:
    """A player that answers all that it is asked at the same moment a while later, at the same moment."""

    game = "fish"
    name, version = "Thinker", "1"

    def __init__(self, *, is_stuck_when_cancelled: bool) -> None:
        self._sound: Any = find("fish").player("first")
        self._is_stuck_when_cancelled = is_stuck_when_cancelled
        self._is_stuck = False
        self._thinks: asyncio.Event | None = None
        for method in ("play_as", "play_with", "take_turn"):
            setattr(self, method, getattr(self._sound, method))

    def _thought(self) -> asyncio.Event:
        """Return what all wait for that are asked at the same moment."""
        if self._thinks is None or self._thinks.is_set():
            self._thinks = asyncio.Event()
            asyncio.get_running_loop().call_later(4 * QUICK_S, self._thinks.set)
        return self._thinks

    async def setup(self, request: Any) -> Any:
        try:
            await (asyncio.Event() if self._is_stuck else self._thought()).wait()
        except asyncio.CancelledError:
            self._is_stuck = self._is_stuck_when_cancelled
            raise
        return self._sound.setup(request)


def test_a_sound_served_player_passes_whose_calls_are_cancelled_while_it_thinks() -> None:
    with served(Thinker(is_stuck_when_cancelled=False)) as link:
        assert judged(link, "memory.cancelled-call").counts[Verdict.PASS] == 1


@pytest.mark.slow
def test_a_served_player_that_is_stuck_once_it_is_cancelled_while_it_thinks_is_found_out() -> None:
    with served(Thinker(is_stuck_when_cancelled=True)) as link:
        report = judged(link, "memory.cancelled-call", limit_s=STUCK_LIMIT_S, first_limit_s=STUCK_LIMIT_S)
    assert report.counts[Verdict.FAIL] == 1
