"""The Q game's reference players: strategies, and the player that answers calls with one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from heapq import nlargest
from itertools import chain
from random import Random
from typing import NamedTuple, TypeAlias
from zlib import crc32

from fairplay.games.kit.players import build_players
from fairplay.games.kit.strategies import StrategyKind, make_strategy
from fairplay.games.q.protocol import codec
from fairplay.games.q.protocol.conversation import METHODS, TAKE_TURN
from fairplay.games.q.rules import choices, one_line, open_spots
from fairplay.games.q.rules.board import (
    FARTHEST,
    Board,
    Coordinate,
    Placement,
    fitting,
    placements,
    points,
    sides,
    tile_set,
    tiles_in,
)
from fairplay.games.q.rules.state import PASS, REPLACE, Action, Extension, View, Word
from fairplay.q.v1.q_player_pb2 import TakeTurnRequest, TakeTurnResponse

Strategy: TypeAlias = Callable[[View], Action]


def strategy(spec: str) -> Strategy:
    """Return the strategy that a text names, e.g. "ldasg", "random:seed=7" or "best:width=4,q_bonus=6".

    Raises ValueError, with a sentence that says what is allowed, if there is no such strategy, key or value.
    """
    return make_strategy(spec, STRATEGIES, "Q")


def _without_extension(view: View) -> Word:
    """Return the answer of a strategy that finds nothing to place."""
    return REPLACE if view.pile_left >= len(view.hand) else PASS


def _first(view: View) -> Action:
    """Return a placement below the last tile of the map or to its right, in turns, so that lines stay short.

    If nothing fits there, it is on the nearest spot to that tile.

    Beside the last tile there is nearly always room, so that an index of all spots would not pay.
    """
    tiles, owned = view.board.tiles, tile_set(view.hand)
    row, column = max(tiles)
    step = (row + 1, column) if len(tiles) % 2 else (row, column + 1)
    for row, column in chain([step], _free_from_the_end(tiles)):
        fit = fitting(tiles, row, column, view.board.whole_lines) & owned
        if fit and abs(row) <= FARTHEST and abs(column) <= FARTHEST:
            return Extension((Placement(row, column, tiles_in(fit)[0]),))
    return _without_extension(view)


def _free_from_the_end(tiles: Mapping[Coordinate, int]) -> Iterator[Coordinate]:
    for cell in sorted(tiles, reverse=True):  # costs nothing where it is not asked for
        yield from (spot for spot in sides(*cell) if spot not in tiles)


def _random(view: View, *, seed: int) -> Action:
    """Return one of the legal actions; an extension is made longer as long as a coin says so."""
    tiles = view.board.tiles
    # neither the revision nor the process counts, so that games can be repeated
    seen = (seed, view.hand, view.score, view.others, view.pile_left, len(tiles), sum(tiles.values()))
    rng = Random(crc32(repr(seen).encode()))
    action = rng.choice(choices(view.board, view.hand, view.pile_left))
    if isinstance(action, Word):
        return action
    placed, hand, board = action.placements, list(view.hand), view.board
    while rng.random() < 0.5:
        board = board.put(placed[-1:])
        hand.remove(placed[-1].tile)
        owned = tile_set(hand)
        longer = [
            Placement(row, column, tile)
            for (row, column), kinds in open_spots(board, placed)
            for tile in tiles_in(kinds & owned)
        ]
        if not longer:
            break
        placed = (*placed, rng.choice(sorted(longer)))
    return Extension(placed)


# dag and ldasg, the house strategies (section 9)

Step: TypeAlias = Callable[[Board, Sequence[int]], Placement | None]


def dag_step(board: Board, hand: Sequence[int]) -> Placement | None:
    """Place the smallest tile of a sorted hand that fits anywhere, on its first spot in row-column order."""
    for tile in hand:
        spot = min((spot for spot, kinds in board.spots.items() if kinds >> tile & 1), default=None)
        if spot is not None:
            return Placement(*spot, tile)
    return None


def ldasg_step(board: Board, hand: Sequence[int]) -> Placement | None:
    """Place the smallest tile that fits anywhere on its spot with most neighbours, then first in row-column order."""
    for tile in hand:
        if spots := placements(board, tile):
            return Placement(*max(spots, key=lambda spot: sum(side in board.tiles for side in sides(*spot))), tile)
    return None


STEPS: Mapping[str, Step] = {"dag": dag_step, "ldasg": ldasg_step}


def one_step(name: str, view: View) -> Action:
    """Return the first step of one of `STEPS`: an extension by one tile, replace or pass."""
    placement = STEPS[name](view.board, sorted(view.hand))
    return _without_extension(view) if placement is None else Extension((placement,))


def _iterated(view: View, step: Step) -> Action:
    """Take one step after the other, until one places nothing or does not fit into the extension.

    Such a placement is left out and no other is tried in its place.
    """
    board, hand = view.board, sorted(view.hand)
    placed: tuple[Placement, ...] = ()
    while (placement := step(board, hand)) is not None and one_line((*placed, placement)):
        placed = (*placed, placement)
        hand.remove(placement.tile)
        board = board.put([placement])
    return Extension(placed) if placed else _without_extension(view)


# best

_MOST_ON_LINE = 40  # coordinates of one line that are looked at: bounds the time on maps with very long lines


class _Line(NamedTuple):
    """An extension found so far, with its points and the tiles that are left in hand."""

    points: int
    placed: tuple[Placement, ...]
    rest: tuple[int, ...]


class _Search:
    """Looks for extensions on a private copy of the map, on which tiles are put and taken away again."""

    def __init__(self, board: Board, q_bonus: int) -> None:
        self._tiles = dict(board.tiles)
        self._whole_lines = board.whole_lines
        self._spots = board.spots
        self._q_bonus = q_bonus
        self._rows: dict[int, list[Coordinate]] = {}
        self._columns: dict[int, list[Coordinate]] = {}
        for spot in board.spots:
            self._rows.setdefault(spot[0], []).append(spot)
            self._columns.setdefault(spot[1], []).append(spot)

    def lines(self, hand: Sequence[int], width: int) -> list[_Line]:
        """Return extensions of one tile, of two and so on, the `width` best of each length, each made from the last."""
        layer = nlargest(width, self._singles(hand))
        found = list(layer)
        while layer:
            longer = {frozenset(line.placed): line for shorter in layer for line in self._longer(shorter)}
            layer = nlargest(width, longer.values())
            found.extend(layer)
        return found

    def _singles(self, hand: Sequence[int]) -> list[_Line]:
        owned, start = tile_set(hand), _Line(0, (), tuple(hand))
        fitting_spots = ((spot, kinds & owned) for spot, kinds in self._spots.items() if kinds & owned)
        return [self._with(start, spot, tile) for spot, kinds in fitting_spots for tile in tiles_in(kinds)]

    def _longer(self, line: _Line) -> list[_Line]:
        tiles, owned = self._tiles, tile_set(line.rest)
        if not owned:
            return []
        for row, column, tile in line.placed:
            tiles[row, column] = tile
        found = [
            self._with(line, spot, tile)
            for spot in self._free_on_line(line.placed)
            for tile in tiles_in(fitting(tiles, *spot, self._whole_lines) & owned)
        ]
        for row, column, _ in line.placed:
            del tiles[row, column]
        return found

    def _with(self, line: _Line, spot: Coordinate, tile: int) -> _Line:
        placed = (*line.placed, Placement(*spot, tile))
        at = line.rest.index(tile)
        self._tiles[spot] = tile
        gain = points(self._tiles, placed, self._q_bonus)
        del self._tiles[spot]
        return _Line(gain, placed, line.rest[:at] + line.rest[at + 1 :])

    def _free_on_line(self, placed: Sequence[Placement]) -> list[Coordinate]:
        """Return the coordinates beside tiles on the line of the placements; on both lines of a single one."""
        row, column, _ = placed[0]
        free: set[Coordinate] = set()
        if all(other.row == row for other in placed):
            free.update(self._rows.get(row, ()))
            free.update((row, other.column + step) for other in placed for step in (-1, 1))
        if all(other.column == column for other in placed):
            free.update(self._columns.get(column, ()))
            free.update((other.row + step, column) for other in placed for step in (-1, 1))
        cells = sorted(cell for cell in free if cell not in self._tiles and max(map(abs, cell)) <= FARTHEST)
        if len(cells) > _MOST_ON_LINE:
            cells.sort(key=lambda cell: abs(cell[0] - row) + abs(cell[1] - column))
        return cells[:_MOST_ON_LINE]


_WON, _LOST = 10_000_000, -10_000_000


def _best(view: View, *, width: int, q_bonus: int, finish_bonus: int) -> Action:
    shared_width = max(1, width * 6 // max(6, len(view.hand)))  # a large hand takes no longer than one of six
    lines = _Search(view.board, q_bonus).lines(view.hand, shared_width)
    worth, line = max(((_worth(view, line, finish_bonus), line) for line in lines), default=(_LOST, None))
    return Extension(line.placed) if line and worth > _LOST else _without_extension(view)


def _worth(view: View, line: _Line, finish_bonus: int) -> int:
    """Return the worth of an extension: its points, and what it means to end the game with it."""
    if line.rest:
        return line.points
    lead = view.score + line.points + finish_bonus - max(view.others, default=0)
    return _LOST if lead < 0 else line.points + finish_bonus + (_WON if lead > 0 else 0)


STRATEGIES: Mapping[str, StrategyKind[Strategy]] = {
    "first": StrategyKind(
        lambda: _first, "The first legal placement that it comes upon, from the end of the map; very fast."
    ),
    "random": StrategyKind(
        lambda **keys: partial(_random, **keys),
        "A legal action by chance, the same one whenever it sees the same.",
        {"seed": (0, 0, 2**31 - 1)},
    ),
    "dag": StrategyKind(
        lambda: partial(_iterated, step=dag_step), "The smallest tiles on the first spots in row-column order."
    ),
    "ldasg": StrategyKind(
        lambda: partial(_iterated, step=ldasg_step), "The smallest tiles on the spots with the most neighbours."
    ),
    "best": StrategyKind(
        lambda **keys: partial(_best, **keys),
        "The extension with the most points that a search over whole lines finds.",
        {"width": (32, 1, 64), "q_bonus": (8, 0, 10), "finish_bonus": (4, 0, 10)},
        is_quick=False,
    ),
}


def _take_turn(strategy: Strategy, request: TakeTurnRequest) -> TakeTurnResponse:
    return codec.build_reply(strategy(codec.read_view(request.state)))


player = build_players("q", "Q", METHODS.values(), STRATEGIES, {TAKE_TURN: _take_turn})
"""Text that names a strategy -> a reference player. Raises ValueError like `strategy`."""
