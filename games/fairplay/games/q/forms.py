"""How test data of the Q game writes maps, states and requests (q.md section 8), and how they are read.

The readers raise ValueError, with one sentence, if a value is not of its form.
"""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps

from fairplay.games.kit.testdata import Json, read_int, read_list, read_settings, read_text
from fairplay.games.q import rules
from fairplay.games.q.rules.board import COLORS, FARTHEST, SHAPES, Board, Coordinate, Placement, tile_of
from fairplay.games.q.rules.state import (
    PASS,
    REPLACE,
    Action,
    Extension,
    FitRule,
    Settings,
    State,
    View,
    settings_problem,
)

FIT_RULES: Sequence[FitRule] = ("q", "qwirkle")


def read_chosen(value: Json) -> Settings:
    """Return the settings in an object with those that differ from the defaults."""
    return read_settings(value, Settings, settings_problem)


def read_tile(value: Json) -> int:
    """Return the tile of a JTile."""
    shape, color = _read_fields(value, "JTile", "shape", "color")
    if shape not in SHAPES or color not in COLORS:
        raise ValueError(f"There is no tile of the shape {dumps(shape)} and the color {dumps(color)}.")
    return tile_of(shape, color)


def read_placement(value: Json) -> Placement:
    """Return the placement of a 1Placement; its coordinate may be out of range."""
    coordinate, tile = _read_fields(value, "1Placement", "coordinate", "1tile")
    row, column = _read_fields(coordinate, "JCoordinate", "row", "column")
    return Placement(read_int(row, "row"), read_int(column, "column"), read_tile(tile))


def read_request(value: Json) -> Action:
    """Return the answer to take-turn; an extension may be empty."""
    if isinstance(value, list):
        return Extension(tuple(map(read_placement, value)))
    words = {word.value: word for word in (PASS, REPLACE)}
    if not isinstance(value, str) or value not in words:
        raise ValueError(f"{dumps(value)} is not one of pass, replace and a list of placements.")
    return words[value]


def read_map(value: Json, fit_rule: Json = "q") -> Board:
    """Return the map of a JMap: rows not empty and without gaps, each column once in a row."""
    tiles: dict[Coordinate, int] = {}
    rows = set()
    for given in _read_filled(value, "JMap"):
        first, *cells = _read_filled(given, "row of a JMap")
        row = _read_number(first, "row", -FARTHEST)
        tiles.update(_read_cell(row, cell) for cell in cells)
        rows.add(row)
        if not cells or sum(at[0] == row for at in tiles) != len(cells):
            raise ValueError(f"Row {row} of a map must hold tiles, each column once.")
    if max(rows) - min(rows) >= len(rows):
        raise ValueError("The rows of a map must follow each other without a gap.")
    return Board(tiles, read_text(fit_rule, "fit_rule", FIT_RULES) == "qwirkle")


def _read_cell(row: int, value: Json) -> tuple[Coordinate, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"{dumps(value)} is not a column and a JTile.")
    return (row, _read_number(value[0], "column", -FARTHEST)), read_tile(value[1])


def read_public(value: Json, fit_rule: Json = "q") -> View:
    """Return what the first of the players of a JPub sees."""
    tiles, pile_left, players = _read_fields(value, "JPub", "map", "tile*", "players")
    me, *others = _read_filled(players, "list of players")
    hand, points = _read_hand_and_score(me)
    scores = tuple(_read_number(other, "score", 0) for other in others)
    return View(read_map(tiles, fit_rule), hand, points, scores, _read_number(pile_left, "tile*", 0), 0)


def read_state(value: Json, settings: Settings) -> State:
    """Return the state of a JState, at the beginning of a round; the names in it are ignored."""
    tiles, pile, players = _read_fields(value, "JState", "map", "tile*", "players")
    known = [_read_hand_and_score(player) for player in _read_filled(players, "list of players")]
    hands, points = [hand for hand, _ in known], [score for _, score in known]
    return rules.resumed(settings, read_map(tiles).tiles, hands, points, list(map(read_tile, read_list(pile, "tile*"))))


def _read_hand_and_score(value: Json) -> tuple[tuple[int, ...], int]:
    tiles, points = _read_fields(value, "JPlayer", "tile*", "score")
    return tuple(map(read_tile, read_list(tiles, "tile*"))), _read_number(points, "score", 0)


def _read_fields(value: Json, form: str, *names: str) -> list[Json]:
    if not isinstance(value, dict) or any(name not in value for name in names):
        raise ValueError(f"{dumps(value)} is not a {form}: it must be an object with {', '.join(names)}.")
    return [value[name] for name in names]


def _read_filled(value: Json, form: str) -> list[Json]:
    if not isinstance(value, list) or not value:
        raise ValueError(f"{dumps(value)} is not a {form}.")
    return value


def _read_number(value: Json, where: str, smallest: int) -> int:
    return read_int(value, where, smallest, FARTHEST)


# Writing


def write_tile(tile: int) -> Json:
    """Return a tile as JTile."""
    return {"color": COLORS[tile % 6], "shape": SHAPES[tile // 6]}


def write_map(board: Board) -> Json:
    """Return a map as JMap, rows and columns in order."""
    rows: dict[int, Json] = {}
    for (row, column), tile in sorted(board.tiles.items()):
        rows.setdefault(row, [row]).append([column, write_tile(tile)])
    return list(rows.values())


def write_placement(placement: Placement) -> Json:
    """Return a placement as 1Placement."""
    row, column, tile = placement
    return {"coordinate": {"row": row, "column": column}, "1tile": write_tile(tile)}


def write_request(action: Action) -> Json:
    """Return an answer to take-turn."""
    return list(map(write_placement, action.placements)) if isinstance(action, Extension) else action.value


def write_state(state: State, names: Sequence[str]) -> Json:
    """Return a state at the beginning of a round as JState, its players with these names."""
    players = [
        {"score": score, "name": name, "tile*": list(map(write_tile, hand))}
        for score, name, hand in zip(state.points, names, state.hands, strict=True)
    ]
    return {"map": write_map(state.board), "tile*": list(map(write_tile, state.pile)), "players": players}


def write_public(view: View, name: str) -> Json:
    """Return what a player of this name sees as JPub."""
    me = {"score": view.score, "name": name, "tile*": list(map(write_tile, view.hand))}
    return {"map": write_map(view.board), "tile*": view.pile_left, "players": [me, *view.others]}
