"""Pictures of fish: they show what there is, fit where they shall fit, and nothing in a name gets out of hand."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from fairplay.fish.v1 import fish_pb2
from fairplay.games.fish import rules
from fairplay.games.fish.protocol import Shown, colors
from fairplay.games.fish.rules.board import MAX_SIDE, Move, board_of, board_of_rows
from fairplay.games.fish.views import svg, text
from tests.games.drawing import SVG, Drawing, place, shown_lines

UNKNOWN: Any = 77
RED, WHITE, BROWN, BLACK = fish_pb2.COLOR_RED, fish_pb2.COLOR_WHITE, fish_pb2.COLOR_BROWN, fish_pb2.COLOR_BLACK
NAMES = ("Ann", "Bob", "Cleo", "Dan")


def played(settings: rules.Settings, seat_count: int, steps: int, rng: Random) -> Shown:
    """A game after that many random actions, or at its end."""
    state, last = rules.initial(settings, seat_count, rng), None
    for _ in range(steps):
        if rules.turn(state) is None:
            break
        action = rng.choice(rules.legal(state))
        state, last = rules.apply(state, action), action if isinstance(action, Move) else None
    return Shown(state, colors(seat_count), last)


def standing(rows: Sequence[Sequence[int]], *places: Sequence[int], scores: Sequence[int] | None = None) -> rules.State:
    """A state with penguins on these cells by seat, all of them placed."""
    return rules.state_of(board_of_rows(rows), places, penguins=len(places[0]), scores=scores)


@st.composite
def games(draw: st.DrawFn) -> Shown:
    seat_count = draw(st.integers(2, 4))
    rows, columns = draw(st.tuples(st.integers(1, 9), st.integers(1, 9)).filter(lambda size: size[0] * size[1] >= 10))
    chosen = rules.Settings(
        rows=rows, columns=columns, random_fish=True, holes=draw(st.integers(0, rows * columns - 10))
    )
    shown = played(chosen, seat_count, draw(st.integers(0, 40)), draw(st.randoms(use_true_random=False)))
    if draw(st.booleans()):
        return shown._replace(state=rules.eliminate(shown.state, draw(st.integers(0, seat_count - 1))), last=None)
    return shown


def uses(drawing: Drawing, name: str) -> int:
    """How often a drawing is put on a tile."""
    on_tiles = [use for tile in drawing.of("tile") for use in tile.iter(f"{SVG}use")]
    return sum(use.get("href") == f"#{name}" for use in on_tiles)


def at(drawing: Drawing, cell: tuple[int, int]) -> tuple[float, float]:
    """Where the centre of a tile or hole is."""
    return drawing.at(cell, "tile", "hole")


def drawn(state: rules.State, *own_colors: fish_pb2.Color.ValueType) -> Drawing:
    return Drawing(svg(Shown(state, own_colors or colors(len(state.places))), NAMES))


def lines(state: rules.State, last: Move | None = None, players: Sequence[str] = NAMES) -> list[str]:
    return shown_lines(text(Shown(state, colors(len(state.places)), last), players))


# SVG


@given(games())
@settings(max_examples=60, deadline=None)
def test_every_tile_hole_penguin_and_survivor_is_drawn_once(shown: Shown) -> None:
    drawing = Drawing(svg(shown, NAMES))
    state, fish = shown.state, rules.tiles(shown.state)
    tile_count = len(fish) - fish.count(0)
    assert len(drawing.of("tile")) == uses(drawing, "fish-ice") == tile_count
    assert len(drawing.of("hole")) == fish.count(0)
    assert len(drawing.of("penguin")) == sum(map(len, state.places))
    survivors = [seat for seat, alive in enumerate(state.alive) if alive]
    assert drawing.texts("score") == [str(state.scores[seat]) for seat in survivors]
    assert drawing.texts("name") == [NAMES[seat] for seat in survivors]


@given(games())
@settings(max_examples=60, deadline=None)
def test_the_last_move_is_marked_where_there_is_one(shown: Shown) -> None:
    drawing = Drawing(svg(shown, NAMES))
    marks = [place(outline) for last in drawing.of("last") for outline in last.iter(f"{SVG}polygon")]
    columns = shown.state.board.columns
    assert marks == [at(drawing, divmod(cell, columns)) for cell in shown.last or ()]
    assert len(drawing.of("arrow")) == (shown.last is not None)


@pytest.mark.parametrize("size", [1, 2, MAX_SIDE])
def test_every_size_is_drawn_within_its_frame(size: int) -> None:
    largest = MAX_SIDE
    for rows, columns in {(size, 1), (1, size), (size, 2), (2, size), (size, size), (size, largest + 1 - size)}:
        state = rules.state_of(board_of(columns, [1] * (rows * columns)), [(0,), (), (), ()], penguins=1)
        drawing = drawn(state)
        right, bottom = at(drawing, (rows - 1, columns - 1))
        assert right + 80 < drawing.width
        assert bottom + 80 < drawing.height
        assert len(drawing.of("tile")) == rows * columns
        assert len(drawing.of("player")) == 4
        assert len(lines(state)) == 1 + rows + 1 + 4


def test_a_colour_that_nobody_knows_is_grey() -> None:
    state = standing([[1, 1, 1]], (0,))
    assert Drawing(svg(Shown(state, [UNKNOWN]), NAMES)).texts("name") == ["grey"]
    assert "grey" in "\n".join(shown_lines(text(Shown(state, [UNKNOWN]), NAMES)))


# Text


@given(games())
@settings(max_examples=60, deadline=None)
def test_text_has_a_line_for_each_row_and_survivor_and_bounded_width(shown: Shown) -> None:
    state, markup = shown.state, text(shown, NAMES)
    found = Text.from_markup(markup).plain.split("\n")
    assert len(found) == 1 + state.board.rows + 1 + sum(state.alive) + (shown.last is not None)
    assert max(map(cell_len, found)) <= max(40, 6 * state.board.columns + 5)
    rows = found[1 : state.board.rows + 1]
    assert len({len(row) for row in rows}) == 1
    fish = sum(int(digit) for row in rows for digit in row[3:] if digit.isdigit())
    assert fish == sum(rules.tiles(state))
    for letter, own in zip("RWBK", state.places, strict=False):
        assert "".join(rows).count(letter) == len(own)
    assert ("last move" in found[-1]) == (shown.last is not None)
