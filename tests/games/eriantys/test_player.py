"""The reference player of Eriantys: strategies behind the methods of the service."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from google.protobuf.message import Message

from fairplay.games.eriantys.game import GAME
from fairplay.games.game import find
from fairplay.games.steps import Call, CallAll
from fairplay.player.handlers import Handlers, snake_case
from tests.games.eriantys.playing import game, messages, sound


def test_the_game_is_found_by_its_name_and_its_player_has_every_method() -> None:
    assert find("eriantys").service == GAME.service
    player = GAME.player("first")
    assert all(callable(getattr(player, snake_case(method.name))) for method in GAME.methods)
    assert GAME.turn in GAME.methods
    assert {method.path.rpartition("/")[0] for method in GAME.methods} == {f"/{GAME.service}"}


@pytest.mark.parametrize("seat_count", [2, 3, 4])
@pytest.mark.parametrize("strategy", list(GAME.strategies))
def test_every_strategy_plays_by_the_rules_to_the_end(strategy: str, seat_count: int) -> None:
    spec = "best:width=1" if strategy == "best" else strategy
    played = game(sound(spec, "first"), seat_count, mode="EXPERT")
    assert not played.eliminated()
    assert sorted(seat for group in played.groups() for seat in group) == list(range(seat_count))
    assert all(said.call.request.first_request for said in played.of("AskAssistantCard", "AskAction"))


@pytest.mark.parametrize("address", ["TILE", "GROUP"])
def test_strategies_use_the_settings_that_come_with_each_question(address: str) -> None:
    played = game(
        sound("random"), 3, mode="EXPERT", island_address=address, allow_zero_swaps=True, explicit_end_turn=True
    )
    assert not played.eliminated()


def test_some_reference_players_are_quick_and_the_others_say_that_they_are_not() -> None:
    quick = {name: GAME.player(name).quick for name in GAME.strategies}
    assert quick == {"first": True, "random": True, "greedy": False, "best": False}
    assert GAME.player("random:seed=3").quick
    with pytest.raises(ValueError, match="no strategy 'worst' for Eriantys"):
        GAME.player("worst")


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


def test_the_same_answers_come_from_bytes() -> None:
    handlers = Handlers(GAME.player("greedy"))
    played = game(sound("greedy"), 2, mode="EXPERT")
    for said in played.said:
        reply = handlers.call_now(said.call.method.path, said.call.request.SerializeToString())
        assert isinstance(said.answer, Message)
        assert reply == said.answer.SerializeToString()
