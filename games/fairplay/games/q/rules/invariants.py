"""What every state of the Q game fulfils, so that one from outside can be refused with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from fairplay.games.kit.settings import MAX_COUNT, MAX_REVISION
from fairplay.games.q.rules.board import FARTHEST, KINDS, Board, Coordinate, fitting, sides, tile_name
from fairplay.games.q.rules.rulebook import RULES
from fairplay.games.q.rules.settings import MAX_SEATS, MIN_SEATS, settings_problem
from fairplay.games.q.rules.state import State, remaining


def invariant(state: State) -> str | None:
    """Return one sentence that names what no game can lead to; None if there is nothing. Never raises on a State."""
    if problem := settings_problem(state.settings):
        return problem[1]
    for broken in (_seats_problem, _tiles_problem, _map_problem, _phase_problem):
        if sentence := broken(state):
            return sentence
    return None


def _seats_problem(state: State) -> str | None:
    count = len(state.hands)
    if not MIN_SEATS <= count <= MAX_SEATS:
        return f"Q is played by {MIN_SEATS} to {MAX_SEATS} players, not by {count}."
    if len(state.points) != count:
        return f"There are {count} hands and {len(state.points)} scores."
    if not 0 <= state.revision <= MAX_REVISION or not 0 <= min(state.points) <= max(state.points) <= MAX_COUNT:
        return f"The revision is 0 to {MAX_REVISION:,}, and a score 0 to {MAX_COUNT:,}."
    if len(set(state.eliminated)) < len(state.eliminated) or not set(state.eliminated) <= set(range(count)):
        return "Each eliminated seat must be one of the game, and named once."
    if any(state.hands[seat] for seat in state.eliminated):
        return "An eliminated player holds no tiles."
    return None


def _tiles_problem(state: State) -> str | None:
    on_map, held = state.board.tiles.values(), [tile for hand in state.hands for tile in hand]
    used = Counter([*on_map, *held, *state.pile, *state.lost])
    for tile, count in sorted(used.items()):
        if not 0 <= tile < KINDS:
            return f"There is no tile {tile}."
        if count > state.settings.copies_per_kind:
            return f"There are {count} {tile_name(tile)} tiles of {state.settings.copies_per_kind}."
    return None


def _map_problem(state: State) -> str | None:
    tiles = state.board.tiles
    if state.board.whole_lines != (state.settings.fit_rule == "qwirkle"):
        return "The map must have the fit rule of the settings."
    if not tiles:
        return "At least one tile must be on the map."
    for row, column in tiles:
        if abs(row) > FARTHEST or abs(column) > FARTHEST:
            return RULES["q.coordinate.range"]
    if len(_connected(tiles)) < len(tiles):
        return "All tiles on the map must hang together."
    for (row, column), tile in sorted(tiles.items()):
        if not _lies_well(state.board, row, column, tile):
            return f"The {tile_name(tile)} at ({row}, {column}) matches its neighbours neither by color nor by shape."
    return None


def _connected(tiles: Mapping[Coordinate, int]) -> set[Coordinate]:
    """Return the coordinates that are connected with the first one."""
    first = next(iter(tiles))
    reached, edge = {first}, [first]
    while edge:
        near = [side for side in sides(*edge.pop()) if side in tiles and side not in reached]
        reached.update(near)
        edge.extend(near)
    return reached


def _lies_well(board: Board, row: int, column: int, tile: int) -> bool:
    if board.whole_lines:
        return bool(fitting(board.tiles, row, column, whole_lines=True) >> tile & 1)
    near = [board.tiles[side] for side in sides(row, column) if side in board.tiles]
    return all(tile % 6 == other % 6 or tile // 6 == other // 6 for other in near)


def _phase_problem(state: State) -> str | None:
    left = remaining(state)
    if state.mover is None:
        return _end_problem(state) or _delivery_problem(state)
    if state.mover not in left:
        return f"Seat {state.mover} is not in the game and cannot have a turn."
    if state.finisher is not None or state.top is not None:
        return "Only a game that is over has a finisher and a best score."
    if len(left) == 1 and state.settings.lone_survivor == "stop":
        return "The game is over once a single player is left."
    return _delivery_problem(state)


def _end_problem(state: State) -> str | None:
    for seat in remaining(state):
        if state.top is None:
            return "A game that is over must say its best score."
        if state.points[seat] > state.top:
            return f"A remaining player has {state.points[seat]} points, more than the best score {state.top}."
    if state.finisher is None:
        return None
    if not 0 <= state.finisher < len(state.hands) or state.hands[state.finisher]:
        return "The player that ended the game has placed all its tiles."
    return None


def _delivery_problem(state: State) -> str | None:
    if state.delivery is None:
        return None
    seat, tiles = state.delivery
    if seat not in remaining(state):
        return "Tiles cannot be delivered to a player that is not in the game."
    if state.hands[seat][: len(tiles)] != tiles:
        return "The tiles that are to be delivered must be at the front of the player's hand."
    return None
