"""Cancelled calls: a slow player is asked for few decisions at the same moment, since it has to finish all of them."""

from __future__ import annotations

import threading
from typing import Any

from fairplay.conformance.cancelling import BURST, QUICK_S, ROUNDS
from fairplay.conformance.verdicts import Verdict
from tests.conformance.harness import Method, judged, player


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
    others = 2  # the game whose beginning is repeated, and the one that is played afterwards
    assert (len(games) - others) % BURST == 0
    assert BURST <= len(games) - others <= ROUNDS * BURST
