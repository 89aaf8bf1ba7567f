"""The reference player of Eriantys: strategies behind the methods of the service."""

from __future__ import annotations

from random import Random
from typing import Any

from fairplay.games.eriantys.game import GAME
from fairplay.games.steps import Call, CallAll
from tests.games.eriantys.playing import game, messages, sound


def test_strategies_use_the_settings_that_come_with_each_question() -> None:
    played = game(
        sound("random"), 3, mode="EXPERT", island_address="GROUP", allow_zero_swaps=True, explicit_end_turn=True
    )
    assert not played.eliminated()


def test_a_player_that_was_restarted_before_every_call_plays_the_same() -> None:
    def forgetful(call: Call) -> Any:
        return sound("greedy")(call)

    assert game(forgetful, 3, mode="EXPERT").outcome == game(sound("greedy"), 3, mode="EXPERT").outcome


def test_a_player_in_two_games_at_once_keeps_them_apart() -> None:
    answer = sound("random")
    alone = [game(sound("random"), 2, seed).outcome for seed in (1, 2)]
    together = [GAME.play(name, messages(), ["a", "b"], Random(seed), None) for name, seed in (("g", 1), ("h", 2))]
    sent: list[Any] = [None, None]
    found: dict[int, Any] = {}
    while len(found) < 2:
        for place, talk in enumerate(together):
            if place in found:
                continue
            try:
                step = talk.send(sent[place])
                sent[place] = None
                if isinstance(step, Call):
                    sent[place] = answer(step)
                elif isinstance(step, CallAll):
                    sent[place] = {call.seat: answer(call) for call in step.calls}
            except StopIteration as stop:
                found[place] = stop.value
    assert [found[0], found[1]] == alone
