"""Pictures of Q: they show what a state holds and no more, fit where they shall fit, and survive any name or map."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from fairplay.games.q import rules
from fairplay.games.q.game import GAME
from fairplay.games.q.protocol import codec
from fairplay.games.q.rules.board import SHAPES, tile_name
from fairplay.games.q.rules.state import Action, Settings, State
from fairplay.q.v1 import q_pb2
from tests.games.drawing import SVG, Drawing
from tests.games.q.playing import extension, randomly_played, table, tiles

NAMES = ("Ann", "Bob", "Cleo", "Dan")
GLYPHS = "✦✸■●♣◆"

shown_states = st.builds(
    lambda copies, count, steps, seed: randomly_played(Settings(copies_per_kind=copies), count, steps, Random(seed)),
    st.integers(1, 3),
    st.integers(2, 4),
    st.integers(0, 60),
    st.integers(0, 2**32),
)


def drawn(state: q_pb2.State, players: tuple[str, ...] = NAMES) -> Drawing:
    return Drawing(GAME.svg(state, players))


def public(state: State, *done: tuple[int, Action, int]) -> q_pb2.State:
    return codec.build_public(codec.Shown(state, codec.Turn(*done[0]) if done else None))


def full(state: State) -> q_pb2.State:
    return codec.build_state(codec.Shown(state))


def lines(state: q_pb2.State, players: tuple[str, ...] = NAMES) -> list[str]:
    """The lines of a text as a terminal shows them."""
    return Text.from_markup(GAME.text(state, players)).plain.split("\n")


# SVG


@settings(max_examples=60, deadline=None)
@given(shown_states)
def test_every_tile_is_drawn_once_where_it_lies(shown: codec.Shown) -> None:
    drawing, laid = drawn(codec.build_public(shown)), shown.state.board.tiles
    assert sorted(drawing.titles("tile")) == sorted(
        f"[{row}, {column}]: {tile_name(kind)}" for (row, column), kind in laid.items()
    )
    (row, column), (x, y) = min(laid), drawing.at(min(laid), "tile")
    for other_row, other_column in laid:
        assert drawing.at((other_row, other_column), "tile") == (
            x + 44 * (other_column - column),
            y + 44 * (other_row - row),
        )
    assert drawing.texts("row") == [str(row) for row in sorted({row for row, _ in laid})]
    assert drawing.texts("column") == [str(column) for column in sorted({column for _, column in laid})]


@settings(max_examples=60, deadline=None)
@given(shown_states)
def test_hands_and_pile_are_drawn_only_where_the_state_has_them(shown: codec.Shown) -> None:
    spectators, referee = drawn(codec.build_public(shown)), drawn(codec.build_state(shown))
    assert spectators.of("hand") == spectators.of("next") == []
    held = [tile_name(kind) for hand in shown.state.hands for kind in hand]
    assert referee.titles("hand") == held
    assert referee.titles("next") == [tile_name(kind) for kind in shown.state.pile[:12]]
    for drawing in (spectators, referee):
        assert drawing.texts("score") == [str(points) for points in shown.state.points]
        assert drawing.texts("name") == list(NAMES[: len(shown.state.points)])
        assert drawing.texts("pile-count") == [f"{len(shown.state.pile)} in the pile"]


def test_the_36_tiles_look_different() -> None:
    looks = set()
    for kind in range(36):
        drawing = drawn(public(table("red star", "red star", on_map={(0, 0): tile_name(kind)})))
        (laid,) = drawing.of("tile")
        looks.add(tuple((use.get("href"), use.get("fill")) for use in laid.iter(f"{SVG}use")))
    assert len(looks) == 36
    assert {href for look in looks for href, _ in look} == {"#q-back", *(f"#q-{shape}" for shape in SHAPES)}


@pytest.mark.parametrize("seat_count", [2, 4])
def test_any_map_and_all_cards_lie_within_the_picture(seat_count: int) -> None:
    hands = ["red star, blue star, " * 9] * seat_count
    state = table(
        *hands,
        on_map=dict.fromkeys([(row, 0) for row in range(300)], "red star"),
        settings=Settings(copies_per_kind=100),
    )
    drawing = drawn(full(state._replace(points=(10**9,) * seat_count)))
    _, _, width, height = map(float, drawing.root.get("viewBox", "").split())
    assert max(drawing.width, drawing.height) <= 2400
    right, bottom = drawing.at((299, 0), "tile")
    assert right + 44 < width
    assert bottom + 44 < height
    assert len(drawing.of("player")) == seat_count


# Names, and states that no referee shows

states_of_all_kinds = st.builds(
    lambda rows, columns, tiles, seats, counts, turn: q_pb2.State(
        rows=rows,
        columns=columns,
        tiles=tiles,
        pile=tiles,
        players=[
            q_pb2.Player(seat=seat, hand=tiles, elimination_number=count)
            for seat, count in zip(seats, counts, strict=False)
        ],
        turn=turn,
        last_turn=q_pb2.Turn(seat=turn or 0, action=q_pb2.Action(extension=q_pb2.Extension())),
    ),
    st.lists(st.integers(-(2**31), 2**31 - 1), max_size=9),
    st.lists(st.integers(-(2**31), 2**31 - 1), max_size=9),
    st.lists(st.integers(-3, 50), max_size=9),
    st.lists(st.integers(0, 2**32 - 1), max_size=5),
    st.lists(st.integers(0, 3), max_size=5),
    st.none() | st.integers(0, 2**32 - 1),
)


@settings(max_examples=100, deadline=None)
@given(states_of_all_kinds)
def test_any_state_message_can_be_drawn(state: q_pb2.State) -> None:
    assert len(drawn(state).of("player")) == len(state.players)
    assert len(lines(state)) >= 2


def test_a_map_without_players_is_drawn() -> None:
    state = codec.map_message(table("red square", "blue star").board)
    assert drawn(state).root.findtext(f"{SVG}title") == "Q: 1 on the map"
    assert lines(state)[:2] == ["   0", "0 ✦r"]


# Text


@settings(max_examples=60, deadline=None)
@given(shown_states)
def test_text_has_a_line_for_each_row_and_player_and_bounded_size(shown: codec.Shown) -> None:
    state = codec.build_public(shown)
    found = lines(state)
    rows, columns = ({cell[part] for cell in shown.state.board.tiles} for part in (0, 1))
    high, wide = (max(numbers) - min(numbers) + 1 for numbers in (rows, columns))
    cut = high > 24 or wide > 24
    assert len(found) == 1 + min(high, 24) + cut + 1 + len(state.players) + 1 + (shown.last is not None)
    assert max(map(cell_len, found)) <= 80
    drawn = sum(found[line].count(glyph) for line in range(min(high, 24) + 1) for glyph in GLYPHS)
    assert drawn == len(shown.state.board.tiles) or cut
    assert not any(glyph in line for line in found[min(high, 24) + 2 + cut :] for glyph in GLYPHS)


def test_text_shows_the_part_of_a_large_map_around_the_last_turn() -> None:
    on_map = {(row, 0): "red star" for row in range(-50, 50)} | {(-50, column): "red star" for column in range(1, 60)}
    state = table("red star", "red star", on_map=on_map, settings=Settings(copies_per_kind=100), pile="red star")
    action = extension((50, 0, "red star"))
    after = rules.apply(state._replace(hands=(tiles("red star, blue star"), ())), action)
    found = lines(public(after, (0, action, 1)))
    assert found[0].split() == [str(column) for column in range(24)]
    assert [line.split()[0] for line in found[1:25]] == [str(row) for row in range(27, 51)]
    assert found[25] == "a part of the rows -50 to 50, columns 0 to 59"
