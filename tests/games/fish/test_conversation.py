"""The sequence diagram of Fish: who is called, when, with what; and what happens to those that fail."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from fairplay.fish.v1 import fish_pb2
from fairplay.games.fish import protocol
from fairplay.games.fish.game import GAME
from fairplay.games.machine import drive
from fairplay.games.steps import Call, Eliminate, Outcome, Show
from fairplay.v1.misconduct_pb2 import CallError
from tests.games.playing import Answer, failing_player, play_steps, sound_players

Settings = fish_pb2.Settings


def sound(strategy: str = "first") -> Answer:
    return sound_players(GAME, strategy)


def failing(seat: int, method: str, failure: Any, after: int = 0) -> Answer:
    """A sound player in every seat; one fails in one method from its call number `after` on."""
    return failing_player(sound(), seat, method, failure, after)


def log_of(settings: Settings, seat_count: int, answer: Answer, seed: int = 1) -> tuple[list[Any], Outcome]:
    """All steps of a game, and its outcome."""
    played = play_steps(GAME.play("g", settings, list("abcd"[:seat_count]), Random(seed), None), answer)
    return played.steps, played.outcome


def calls(steps: list[Any]) -> list[tuple[int, str]]:
    return [(step.seat, step.method.name) for step in steps if isinstance(step, Call)]


@pytest.mark.parametrize(("basis", "penguins"), [("AT_START", 3), ("SURVIVORS", 4)])
def test_the_number_of_penguins_follows_from_the_start_or_from_the_survivors(basis: str, penguins: int) -> None:
    settings = Settings(penguin_count_basis=fish_pb2.PenguinCountBasis.Value(f"PENGUIN_COUNT_BASIS_{basis}"))
    steps, _ = log_of(settings, 3, failing(2, "PlayWith", CallError()))
    assert sum(method == "Setup" and seat == 0 for seat, method in calls(steps)) == penguins


def actions_told(settings: Settings, answer: Answer) -> list[tuple[int, list[fish_pb2.Action]]]:
    steps, _ = log_of(settings, 3, answer)
    return [
        (step.seat, list(step.request.actions))
        for step in steps
        if isinstance(step, Call) and step.method.name == "TakeTurn"
    ]


def test_the_others_moves_since_the_last_turn_are_told_on_demand() -> None:
    settings = Settings(action_list=fish_pb2.ActionList.ACTION_LIST_MOVES)
    turns = actions_told(settings, sound())
    seen: set[int] = set()
    for index, (seat, actions) in enumerate(turns):
        if seat not in seen:
            assert actions == []
        else:
            since = max(back for back in range(index) if turns[back][0] == seat)
            assert len(actions) == index - since - 1
        seen.add(seat)


def test_nothing_is_told_of_what_was_before_an_elimination() -> None:
    settings = Settings(action_list=fish_pb2.ActionList.ACTION_LIST_MOVES)
    steps, _ = log_of(settings, 3, failing(2, "TakeTurn", CallError(), after=1))
    out = next(index for index, step in enumerate(steps) if isinstance(step, Eliminate))
    following = next(step for step in steps[out:] if isinstance(step, Call))
    assert list(following.request.actions) == []


@pytest.mark.parametrize(("kind", "skips"), [("MOVES", 0), ("MOVES_AND_SKIPS", 1)])
def test_players_that_are_passed_over_are_told_on_demand(kind: str, skips: int) -> None:
    settings = Settings(action_list=fish_pb2.ActionList.Value(f"ACTION_LIST_{kind}"))
    fish = [1] * 12  # in a column every second tile is the next one
    fish[3] = 0
    players = [fish_pb2.Player(color=seat + 1, places=[place]) for seat, place in enumerate((0, 1, 11))]  # type: ignore[arg-type]
    start = fish_pb2.State(columns=1, fish=fish, players=players, penguin_count=1)
    healthy, reported = sound(), []

    def answer(call: Call) -> Any:
        if call.method.name == "TakeTurn":
            reported.append((call.seat, list(call.request.actions)))
        return healthy(call)

    drive(GAME.play("g", settings, list("abc"), Random(1), start), answer)
    skip = [fish_pb2.Action(skip=True)] * skips
    assert reported[:4] == [
        (0, []),
        (2, []),  # its first turn
        (0, [*skip, fish_pb2.Action(source=11, target=9)]),
        (2, [fish_pb2.Action(source=2, target=4), *skip]),
    ]


def some_state(**fields: Any) -> fish_pb2.State:
    players = [fish_pb2.Player(color=color, places=[color]) for color in (4, 1, 2, 3)]  # type: ignore[arg-type]
    return fish_pb2.State(columns=3, fish=[1] * 9, players=players, penguin_count=1, **fields)


def test_a_state_that_a_game_goes_on_from_is_shown_with_the_move_that_led_to_it() -> None:
    last = fish_pb2.Action(source=7, target=4)
    for state, expected in ((some_state(), None), (some_state(last_action=last), last)):
        first = next(GAME.play("g", Settings(), list("abcd"), Random(1), state))
        assert isinstance(first, Show)
        shown: Any = GAME.public_state(first.state)
        assert (shown.last_action if shown.HasField("last_action") else None) == expected


@pytest.mark.parametrize(("columns", "fish"), [(0, [1, 1]), (2, [1, 1, 1])])
def test_a_board_without_whole_rows_is_refused(columns: int, fish: list[int]) -> None:
    settings = Settings(board=fish_pb2.Board(columns=columns, fish=fish))
    with pytest.raises(ValueError, match=f"board has {len(fish)} tiles in rows of {columns}"):
        protocol.read_settings(settings)


def test_a_state_in_which_nobody_is_left_can_be_drawn() -> None:
    nobody = fish_pb2.State(columns=2, fish=[1, 2, 3, 4], penguin_count=4)
    assert GAME.svg(nobody, ["a", "b"]).startswith("<svg")
    assert GAME.text(nobody, ["a", "b"])
    assert protocol.read_shown(nobody).state.alive == (False,)
