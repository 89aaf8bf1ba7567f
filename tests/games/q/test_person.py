"""The Q game by hand: what may be chosen, what is drawn, and that a reply is what was chosen."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from itertools import product
from typing import Any

import pytest
from rich.cells import cell_len

from fairplay.games.frontends import IllegalChoiceError
from fairplay.games.q import rules
from fairplay.games.q.person import FRONTEND, Turn, turn
from fairplay.games.q.protocol import codec
from fairplay.games.q.rules import RULES
from fairplay.games.q.rules.board import COLORS, Board, Coordinate, Placement, tile_of
from fairplay.games.q.rules.state import PASS, REPLACE, Action, Extension, State, View
from fairplay.q.v1 import q_pb2
from fairplay.q.v1.q_player_pb2 import NewTilesRequest, SetupRequest, TakeTurnRequest
from tests.games.at_table import AtTable, asking
from tests.games.pointing import pieces
from tests.games.q.playing import table

NAMES = ("ann", "[bob]")
RED_STAR, BLUE_STAR = tile_of("star", "red"), tile_of("star", "blue")
RED_CIRCLE, GREEN_CLOVER = tile_of("circle", "red"), tile_of("clover", "green")
HAND = (BLUE_STAR, RED_CIRCLE, GREEN_CLOVER)


def view(tiles: dict[Coordinate, int] | None = None, hand: Sequence[int] = HAND, pile_left: int = 9) -> View:
    return View(Board(tiles or {(0, 0): RED_STAR}), tuple(hand), 0, (0,), pile_left, 0)


def draft(hand: Sequence[int] = HAND, pile_left: int = 9) -> Turn:
    return turn(view(hand=hand, pile_left=pile_left))


def action(turn: Turn) -> Action:
    assert turn.reply is not None
    return codec.read_reply(turn.reply)


# --- drafts ---


def test_another_tile_may_be_taken_in_place_of_the_one_that_is_held() -> None:
    instead, alone = draft().choose("hand_0").choose("hand_1"), draft().choose("hand_1")
    assert (instead.prompt, instead.choices, instead.chosen) == (alone.prompt, alone.choices, alone.chosen)


def found(turn: Turn) -> list[Action]:
    """Return the actions of all complete drafts to which choices lead."""
    complete = [action(turn)] if turn.reply is not None else []
    return complete + [end for choice in turn.choices for end in found(turn.choose(choice.part))]


def all_legal(state: State, hand: Sequence[int]) -> list[Action]:
    """Return what is legal with a hand of two different tiles, tried out near the tiles of the map."""
    first = [[Placement(row, column, tile) for row in range(-3, 4) for column in range(-3, 4)] for tile in hand]
    extensions: list[tuple[Placement, ...]] = [
        *((placement,) for each in first for placement in each),
        *(pair for ordered in (first, first[::-1]) for pair in product(*ordered)),
    ]
    tried: list[Action] = [*map(Extension, extensions), REPLACE, PASS]
    return [action for action in tried if rules.violation(state, action) is None]


@pytest.mark.parametrize("hand", ["red star, blue circle", "green star, red star"])
def test_every_legal_turn_is_found_and_no_other(hand: str) -> None:
    state = table(hand, "red star", on_map={(0, 0): "red star", (0, 1): "red square"}, pile="blue star, blue star")
    shown = rules.view(state, 0)
    turns = found(turn(shown))
    assert len(turns) == len(set(turns))
    assert set(turns) == set(all_legal(state, shown.hand))


@pytest.mark.parametrize(
    ("before", "part", "sentence"),
    [
        (["hand_0"], "cell_5_5", RULES["q.extension.adjacent"]),
        (["hand_2"], "cell_0_1", RULES["q.extension.fit"]),
        (["hand_0", "cell_0_1"], "hand_0", RULES["q.extension.own-tiles"]),
        (["hand_0", "cell_0_1", "hand_1"], "cell_1_0", RULES["q.extension.one-line"]),
        (["hand_0", "cell_0_1"], "pass", "A turn places tiles, replaces the hand or passes"),
        ([], "cell_0_1", "Choose a tile of your hand first"),
        (["hand_0"], "hand_9", "Choose a free place"),
    ],
)
def test_what_is_illegal_is_refused_with_a_sentence(before: Sequence[str], part: str, sentence: str) -> None:
    turn = draft()
    for chosen in before:
        turn = turn.choose(chosen)
    with pytest.raises(IllegalChoiceError) as refused:
        turn.choose(part)
    assert str(refused.value).startswith(sentence)


def test_a_hand_cannot_be_replaced_from_a_small_pile() -> None:
    with pytest.raises(IllegalChoiceError) as refused:
        draft(pile_left=2).choose("replace")
    assert str(refused.value) == RULES["q.replace.pile"]


# --- a person ---


class Table(AtTable):
    def __init__(self) -> None:
        super().__init__(FRONTEND, NAMES)

    def asked(self, state: q_pb2.State) -> AbstractAsyncContextManager[asyncio.Task[Any]]:
        return asking(self.person.take_turn(TakeTurnRequest(game_id="game", state=state)))


def shown(revision: int = 1, hand: Sequence[int] = HAND) -> q_pb2.State:
    state = codec.map_message(view().board)
    state.revision, state.pile_left, state.turn = revision, 9, 0
    state.players.add(seat=0, score=4, hand=codec.tile_numbers(hand))
    state.players.add(seat=1, score=7)
    return state


async def test_replaced_tiles_leave_the_hand_until_others_come() -> None:
    table = Table()
    async with table.asked(shown()) as reply:
        table.person.choose("replace")
        table.person.send()
        await reply
    assert "hand" not in table.board
    await table.person.new_tiles(NewTilesRequest(tiles=codec.tile_numbers([RED_STAR])))
    assert "hand   ✦r" in table.board


async def test_what_spectators_see_is_shown_with_the_own_hand_and_fits() -> None:
    table = Table()
    await table.person.setup(SetupRequest(game_id="game", state=shown(), tiles=codec.tile_numbers(HAND)))
    seen = shown(2, ())
    seen.last_turn.CopyFrom(q_pb2.Turn(seat=1, action=codec.build_action(PASS)))
    table.person.update(seen)
    assert table.lines == ["[bob] passed"]
    assert "hand   ✦b  ●r  ♣g" in table.board
    assert "[bob]" in table.side
    assert max(cell_len(line) for line in table.side.splitlines()) <= 22


async def test_of_a_wide_map_the_part_around_the_cursor_is_shown() -> None:
    table = Table()
    wide = {(0, column): tile_of("star", COLORS[column % 6]) for column in range(40)}
    state = shown()
    state.MergeFrom(q_pb2.State())
    for field in ("rows", "columns", "tiles"):
        state.ClearField(field)
    state.MergeFrom(codec.map_message(Board(wide)))
    async with table.asked(state):
        table.person.press("enter")
        assert "►◄" in table.board
        for _ in range(60):
            table.person.press("right")
        assert "►◄" in table.board
        assert table.person.marks.cursor == "cell_0_40"
        assert max(cell_len(line) for line in table.board.splitlines()) <= 76


async def test_places_where_a_tile_does_not_fit_can_be_pointed_at_and_refuse_with_the_rule() -> None:
    table = Table()
    async with table.asked(shown()):
        assert pieces(table.person.svg()).keys() == {"cell_0_0", "hand_0", "hand_1", "hand_2", "replace", "pass"}
        table.person.choose("hand_2")
        free = {"cell_-1_0", "cell_0_-1", "cell_0_1", "cell_1_0"}
        assert free <= pieces(table.person.svg()).keys()
        assert table.person.offer().choices == []
        for part in free:
            with pytest.raises(IllegalChoiceError) as refused:
                table.person.choose(part)
            assert str(refused.value) == RULES["q.extension.fit"]
        table.person.undo()
        assert table.person.offer().chosen == frozenset()
    with pytest.raises(IllegalChoiceError, match="Wait for the others"):
        table.person.choose("hand_0")


async def test_the_turn_before_is_told_also_when_the_question_comes_first() -> None:
    table = Table()
    await table.person.setup(SetupRequest(game_id="game", state=shown(), tiles=codec.tile_numbers(HAND)))
    seen = shown(2, ())
    seen.last_turn.CopyFrom(q_pb2.Turn(seat=1, action=codec.build_action(PASS)))
    async with table.asked(shown(2)):
        table.person.update(seen)
        table.person.update(seen)
        table.person.update(shown(1, ()))
        assert table.lines == ["[bob] passed"]
        assert pieces(table.person.svg()).keys() > {"hand_0", "pass"}


async def test_the_players_keep_their_order_in_the_own_turn_and_who_is_out_stays() -> None:
    table = Table()
    seen = shown(1, ())
    seen.players[0].elimination_number = 1
    table.person.update(seen)
    turn = shown(2)
    del turn.players[0]
    turn.players[0].hand.extend(codec.tile_numbers(HAND))
    async with table.asked(turn):
        assert [line.split()[-2:] for line in table.side.splitlines()[:2]] == [["ann", "4"], ["[bob]", "7"]]
