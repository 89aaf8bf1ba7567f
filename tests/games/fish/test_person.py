"""Fish by hand: what may be chosen, what is drawn, and that a reply is what was chosen."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from fairplay.fish.v1 import fish_pb2
from fairplay.fish.v1.fish_player_pb2 import PlayAsRequest, SetupRequest, TakeTurnRequest
from fairplay.games.fish import protocol, rules
from fairplay.games.fish.person import FRONTEND, moving, placing
from fairplay.games.fish.protocol import Shown, build_state, colors
from fairplay.games.fish.rules.board import Move, board_of_rows
from fairplay.games.frontends import IllegalChoiceError
from fairplay.games.kit.person import Draft
from tests.games.at_table import LIMIT_S, AtTable, asking

NAMES = ("ann", "bob")


def standing(rows: list[list[int]], *places: list[int]) -> rules.State:
    return rules.state_of(board_of_rows(rows), places, penguins=len(places[0]))


COLUMN = standing([[1], [2], [3], [0], [4]], [0], [2])
"""The penguin of seat 0 can move to cell 1 only."""


class Table(AtTable):
    def __init__(self) -> None:
        super().__init__(FRONTEND, NAMES)


def message(state: rules.State, last: Move | None = None) -> fish_pb2.State:
    return build_state(Shown(state, colors(len(state.places)), last))


def asked(table: Table, request: SetupRequest | TakeTurnRequest) -> AbstractAsyncContextManager[asyncio.Task[Any]]:
    """Ask the person, who has the question when this is entered."""
    if isinstance(request, SetupRequest):
        return asking(table.person.setup(request))
    return asking(table.person.take_turn(request))


def turn(state: rules.State, game: str = "game") -> TakeTurnRequest:
    return TakeTurnRequest(game_id=game, state=message(state))


# --- drafts ---


@given(st.integers(0, 2**32), st.integers(0, 30))
def test_what_may_be_chosen_is_what_is_legal_and_leads_to_it(seed: int, steps: int) -> None:
    rng = Random(seed)
    state = rules.initial(rules.Settings(rows=4, columns=3, random_fish=True), 2, rng)
    for _ in range(steps):
        if rules.turn(state) is None:
            return
        state = rules.apply(state, rng.choice(rules.legal(state)))
    if rules.turn(state) is None:
        return
    drafts: list[Draft] = [placing(state) if rules.placing(state) else moving(state)]
    for _ in range(1 if rules.placing(state) else 2):
        assert all(draft.reply is None for draft in drafts)
        drafts = [draft.choose(choice.part) for draft in drafts for choice in draft.choices]
    assert not any(draft.choices for draft in drafts)
    replies = [draft.reply for draft in drafts]
    assert len(replies) == len(rules.legal(state))
    assert all(reply in replies for reply in protocol.legal_replies(state))


@pytest.mark.parametrize(
    ("draft", "part", "sentence"),
    [
        (moving(COLUMN), "cell-2", rules.RULES["fish.move.own-penguin"]),
        (moving(COLUMN, 0), "cell-4", rules.RULES["fish.move.clear-path"]),
        (moving(COLUMN, 0), "cell-²", rules.RULES["fish.move.on-board"]),
        (placing(COLUMN._replace(penguins=2)), "cell-3", rules.RULES["fish.place.tile"]),
        (
            moving(standing([[1], [2], [1], [0], [4], [1]], [0, 4], [1, 2])),
            "cell-0",
            "This penguin cannot move: there is no free tile beside it.",
        ),
    ],
)
def test_what_is_illegal_is_refused_with_the_rule(draft: Draft, part: str, sentence: str) -> None:
    with pytest.raises(IllegalChoiceError) as refused:
        draft.choose(part)
    assert str(refused.value) == sentence


def test_another_penguin_may_be_chosen_in_place_of_the_first() -> None:
    state = standing([[1], [2], [1], [4], [5], [1]], [0, 3], [5, 2])
    for draft in (moving(state, 0), moving(state, 0, 1)):
        again = draft.choose("cell-3")
        assert (again.chosen, again.choices) == (moving(state, 3).chosen, moving(state, 3).choices)


# --- a person ---


async def test_arrow_keys_go_to_the_nearest_choice_in_their_direction() -> None:
    table = Table()
    state = rules.state_of(board_of_rows([[1, 1, 1], [1, 1, 1], [1, 1, 1]]), [[], []], penguins=2)
    async with asked(table, SetupRequest(game_id="game", state=message(state))):
        seen = [table.person.marks.cursor]
        for key in ("right", "right", "right", "down", "left", "up"):
            table.person.press(key)
            seen.append(table.person.marks.cursor)
    assert seen == ["cell-0", "cell-1", "cell-2", "cell-5", "cell-8", "cell-7", "cell-1"]


async def test_a_question_that_comes_again_goes_on_with_what_was_chosen_and_the_time_that_was_left() -> None:
    table = Table()
    async with asked(table, turn(COLUMN)):
        table.person.press("enter")
    table.now = 10.0
    async with asked(table, turn(COLUMN)):
        assert table.status == "Move it where? [1, 0], 2 fish. 20 s left."
    async with asked(table, turn(COLUMN, "another")):
        assert table.status == "Choose a penguin: [0, 0], 1 fish. 30 s left."


async def test_when_the_time_is_over_it_says_so() -> None:
    table = Table()
    async with asked(table, turn(COLUMN)):
        table.now = LIMIT_S
        assert table.status == "Your time is over."


def test_what_others_do_is_seen_and_told() -> None:
    table = Table()
    moved = rules.apply(COLUMN, Move(0, 1))
    table.person.update(message(COLUMN))
    table.person.update(message(moved, Move(0, 1)))
    table.person.update(message(COLUMN))  # older: it comes late
    assert table.lines == ["ann moves from [0, 0] to [1, 0]."]
    assert "R•2" in table.board
    side = Text.from_markup(table.person.view().side, emoji=False).plain
    assert "R  ann            1" in side


async def test_moves_are_told_once_and_in_order_also_when_the_question_overtakes_them() -> None:
    table = Table()
    first = rules.apply(COLUMN, Move(0, 1))
    second = rules.apply(first, Move(2, 4)) if rules.turn(first) == 1 else first
    table.person.update(message(COLUMN))
    async with asked(table, TakeTurnRequest(game_id="game", state=message(second, Move(2, 4)))):
        for state, move in ((first, Move(0, 1)), (second, Move(2, 4)), (first, Move(0, 1))):
            table.person.update(message(state, move))
        assert table.lines == ["ann moves from [0, 0] to [1, 0].", "bob moves from [2, 0] to [4, 0]."]
        assert table.person.state == message(second, Move(2, 4))


async def test_a_new_game_begins_with_an_older_revision() -> None:
    table = Table()
    table.person.update(message(rules.apply(COLUMN, Move(0, 1))))
    await table.person.play_as(PlayAsRequest(game_id="next"))
    table.person.update(message(COLUMN))
    assert "R 1" in table.board
