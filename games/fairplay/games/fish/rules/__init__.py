"""Fish: the rules, pure (fish.md sections 1 to 6, and the knobs of section 9 that concern a game).

A cell is numbered ``row * columns + column``; a set of cells is an int with one bit a cell. Seats are numbered in
turn order. Every value here is immutable, and nothing is checked twice: `violation` says whether an action is
legal, `apply` carries out one that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from operator import mul
from random import Random
from typing import Literal, NamedTuple, TypeAlias, get_args

PenguinCountBasis: TypeAlias = Literal["at_start", "survivors"]
AnnounceOrder: TypeAlias = Literal["phases", "per_player"]
SoloSurvivor: TypeAlias = Literal["play_on", "stop"]
ActionList: TypeAlias = Literal["none", "moves", "moves_and_skips"]

COLORS = ("red", "white", "brown", "black")  # of seats 0, 1, 2, 3 (section 1)
MIN_SEATS, MAX_SEATS = 2, 4
MAX_SIDE = 25  # rows and columns of the largest board
FISH_LIMIT = 5  # the largest `max_fish`

RULES: Mapping[str, str] = {
    "fish.action.game-over": "Nobody may place or move a penguin once the game is over.",
    "fish.action.required": "The answer to take-turn must hold a complete action: the penguin's place and its target.",
    "fish.move.clear-path": "A penguin cannot pass over a hole or pass over or stop on another penguin.",
    "fish.move.mandatory": "A player that can move a penguin must move one: there is no voluntary skip.",
    "fish.move.not-stay": "A penguin must move at least one step: its target cannot be the place it stands on.",
    "fish.move.on-board": "A move's place and target must both be positions on the board.",
    "fish.move.own-penguin": "A move must start where one of the player's own penguins stands.",
    "fish.move.straight-line": "A penguin moves along one of the six directions, without turning.",
    "fish.move.tile": "A move must end on a tile, not on a hole.",
    "fish.place.before-moving": "All penguins are placed before the first one moves: while placing the answer is a "
    "place, afterwards it is a move.",
    "fish.place.free": "A penguin must be placed on a tile without a penguin.",
    "fish.place.on-board": "A penguin must be placed at a position on the board.",
    "fish.place.required": "The answer to setup must hold a place for the next penguin.",
    "fish.place.tile": "A penguin must be placed on a tile, not on a hole.",
}


class Place(NamedTuple):
    """Put the next penguin on a cell."""

    cell: int


class Move(NamedTuple):
    """Move the penguin on one cell to another."""

    source: int
    target: int


Action: TypeAlias = Place | Move


# Settings


@dataclass(frozen=True, slots=True)
class Settings:
    """What can be chosen about a game (section 9). `board`, row by row, overrides the five fields above it."""

    rows: int = 5
    columns: int = 5
    fish: int = 2  # on every tile, unless `random_fish`
    random_fish: bool = False  # each tile 1..max_fish
    holes: int = 0  # tiles removed at random
    board: tuple[tuple[int, ...], ...] | None = None  # fish of each tile, 0 = hole; short rows end in holes
    max_fish: int = 5
    penguin_base: int = 6  # each of N players owns penguin_base - N penguins
    penguin_count_basis: PenguinCountBasis = "at_start"  # which N: see `fix_penguins`
    announce_order: AnnounceOrder = "phases"
    solo_survivor: SoloSurvivor = "play_on"  # stop: the game is over once elimination leaves one player
    action_list: ActionList = "none"  # what take-turn tells of the others' actions


_CHOICES = {
    "penguin_count_basis": get_args(PenguinCountBasis),
    "announce_order": get_args(AnnounceOrder),
    "solo_survivor": get_args(SoloSurvivor),
    "action_list": get_args(ActionList),
}


def settings_problem(settings: Settings) -> tuple[str, str] | None:
    """The first field that is wrong and one sentence saying what is allowed; None where all is well."""
    for name, low, high in _ranges(settings):
        if not low <= (value := getattr(settings, name)) <= high:
            return name, f"{name} is {value}: it must be between {low} and {high}."
    for name, allowed in _CHOICES.items():
        if (value := getattr(settings, name)) not in allowed:
            return name, f"{name} is {value!r}: it must be one of {', '.join(allowed)}."
    return None if settings.board is None else _board_problem(settings.board, settings.max_fish)


def _ranges(settings: Settings) -> Iterable[tuple[str, int, int]]:
    yield "max_fish", 1, FISH_LIMIT
    yield "penguin_base", MAX_SEATS + 1, 10  # four players still own a penguin each
    if settings.board is None:
        yield "rows", 1, MAX_SIDE
        yield "columns", 1, MAX_SIDE
        yield "fish", 1, settings.max_fish
        yield "holes", 0, settings.rows * settings.columns - 1


def _board_problem(board: Sequence[Sequence[int]], max_fish: int) -> tuple[str, str] | None:
    if not 1 <= len(board) <= MAX_SIDE:
        return "board", f"board has {len(board)} rows: it must have between 1 and {MAX_SIDE}."
    if not 1 <= (columns := max(map(len, board))) <= MAX_SIDE:
        return "board", f"board's longest row has {columns} tiles: it must have between 1 and {MAX_SIDE}."
    for row, tiles in enumerate(board):
        for column, fish in enumerate(tiles):
            if not 0 <= fish <= max_fish:
                return "board", f"board has {fish} fish at [{row}, {column}]: it must be between 0 and {max_fish}."
    return None


# Boards

# (rows, columns) to the next tile N, NE, SE, S, SW, NW of a tile in an even and in an odd row (section 2)
_STEPS = (
    ((-2, 0), (-1, 0), (+1, 0), (+2, 0), (+1, -1), (-1, -1)),
    ((-2, 0), (-1, +1), (+1, +1), (+2, 0), (+1, 0), (-1, 0)),
)
_KNOWN_LIMIT = 20_000  # remembered answers of one board size: all of 8 x 8, and some 5 MB

_Known: TypeAlias = dict[int, tuple[Move, ...]]


class Geometry:
    """What depends on a board's size alone: who neighbours whom, and the lines through each cell.

    `near` holds the set of neighbours of each cell; `rays` the moves from each cell over an empty board in each of the
    six directions (N, NE, SE, S, SW, NW; nearest first). `lines` holds for each cell and each of the three axes: the
    set of the other cells of that line, the open moves by those of these cells that are taken (filled as they come up),
    and the axis.
    """

    __slots__ = ("_known_count", "columns", "lines", "near", "placements", "rays", "rows", "size")

    def __init__(self, rows: int, columns: int) -> None:
        self.rows = rows
        self.columns = columns
        self.size = rows * columns
        self.rays = tuple(
            tuple(_ray(rows, columns, cell, direction) for direction in range(6)) for cell in range(self.size)
        )
        self.near = tuple(_cells(ray[0].target for ray in rays if ray) for rays in self.rays)
        self.lines: tuple[tuple[tuple[int, _Known, int], ...], ...] = tuple(
            tuple((_cells(move.target for move in rays[axis] + rays[axis + 3]), {}, axis) for axis in range(3))
            for rays in self.rays
        )
        self.placements = tuple(map(Place, range(self.size)))
        self._known_count = 0

    def learn(self, cell: int, axis: int, taken: int) -> tuple[Move, ...]:
        """The moves from a cell along an axis, remembered under the taken cells of that line."""
        if self._known_count >= _KNOWN_LIMIT:
            self._forget()
        rays = self.rays[cell]
        moves = _open(rays[axis], taken) + _open(rays[axis + 3], taken)
        self.lines[cell][axis][1][taken] = moves
        self._known_count += 1
        return moves

    def _forget(self) -> None:
        for lines in self.lines:
            for _, known, _ in lines:
                known.clear()
        self._known_count = 0

    def __eq__(self, other: object) -> bool:
        """Two of the same size are alike, however much each remembers."""
        return isinstance(other, Geometry) and (self.rows, self.columns) == (other.rows, other.columns)

    def __hash__(self) -> int:
        """Of the size."""
        return hash((self.rows, self.columns))

    def __repr__(self) -> str:
        """The call that gives it."""
        return f"geometry({self.rows}, {self.columns})"

    def __reduce__(self) -> tuple[object, tuple[int, int]]:
        """Copied and pickled as its size."""
        return geometry, (self.rows, self.columns)


@lru_cache(maxsize=32)
def geometry(rows: int, columns: int) -> Geometry:
    """The geometry of a board size, shared by all boards of that size."""
    return Geometry(rows, columns)


def _ray(rows: int, columns: int, cell: int, direction: int) -> tuple[Move, ...]:
    row, column = divmod(cell, columns)
    ray: list[Move] = []
    while True:
        down, right = _STEPS[row % 2][direction]
        row, column = row + down, column + right
        if not (0 <= row < rows and 0 <= column < columns):
            return tuple(ray)
        ray.append(Move(cell, row * columns + column))


def _open(ray: tuple[Move, ...], taken: int) -> tuple[Move, ...]:
    """The moves of a ray that end before its first taken cell."""
    for steps, (_, target) in enumerate(ray):
        if taken >> target & 1:
            return ray[:steps]
    return ray


def _cells(cells: Iterable[int]) -> int:
    """The set of some cells."""
    found = 0
    for cell in cells:
        found |= 1 << cell
    return found


_OUTSIDE = bytes.maketrans(b"01", b"\x01\x00")
_HOLES = b"1" + b"0" * 255  # the binary digit for each number of fish


def _outside(cells: int, size: int) -> bytes:
    """One byte for each cell of a board: 0 for those in a set, 1 for the others."""
    return bin(cells | 1 << size)[:2:-1].encode().translate(_OUTSIDE)  # without "0b" and the bit put in front


class Board(NamedTuple):
    """A board as the game began: the number of fish on each tile, row by row, 0 for a hole."""

    geometry: Geometry
    fish: tuple[int, ...]

    @property
    def rows(self) -> int:
        """The number of rows, 1 to 25."""
        return self.geometry.rows

    @property
    def columns(self) -> int:
        """The number of columns, 1 to 25."""
        return self.geometry.columns


def board_of(columns: int, fish: Sequence[int]) -> Board:
    """The board with these numbers of fish, row by row. ValueError where there is no such board."""
    fish = tuple(fish)
    rows, rest = divmod(len(fish), columns) if columns > 0 else (0, 0)
    if rest or not (1 <= rows <= MAX_SIDE and columns <= MAX_SIDE):
        raise ValueError(f"{len(fish)} tiles in rows of {columns} make no board of 1 to {MAX_SIDE} rows and columns.")
    if min(fish) < 0 or max(fish) > FISH_LIMIT:
        raise ValueError(f"A tile carries 0 to {FISH_LIMIT} fish, not {min(fish) if min(fish) < 0 else max(fish)}.")
    return Board(geometry(rows, columns), fish)


def board_of_rows(rows: Sequence[Sequence[int]]) -> Board:
    """The board with these rows; short ones are filled up with holes on the right (section 2)."""
    columns = max(map(len, rows))
    return board_of(columns, [fish for row in rows for fish in (*row, *[0] * (columns - len(row)))])


# States


class State(NamedTuple):
    """All there is to know about a game of fish; nothing of it is hidden from anybody.

    What is listed by seat goes on listing eliminated seats: without penguins, with the score they had.
    """

    board: Board
    taken: int  # the set of cells that are holes or carry a penguin
    scores: tuple[int, ...]  # by seat: fish collected
    places: tuple[tuple[int, ...], ...]  # by seat: cells of its penguins, in order of placement
    alive: tuple[bool, ...]  # by seat: not eliminated
    penguins: int  # how many each player places
    seat: int  # whose turn it is; in a game that is over, from whom on it would continue
    over: bool
    solo_survivor: SoloSurvivor
    revision: int  # 0 at first, one more with every change


def initial(settings: Settings, seat_count: int, rng: Random) -> State:
    """A fresh game; the fish are drawn first, then the holes. ValueError where there can be no such game."""
    if problem := settings_problem(settings):
        raise ValueError(problem[1])
    if not MIN_SEATS <= seat_count <= MAX_SEATS:
        raise ValueError(f"A game of fish has {MIN_SEATS} to {MAX_SEATS} players, not {seat_count}.")
    board = _drawn(settings, rng) if settings.board is None else board_of_rows(settings.board)
    penguins = settings.penguin_base - seat_count
    if (tiles := len(board.fish) - board.fish.count(0)) < (needed := seat_count * penguins):
        raise ValueError(
            f"The board has {tiles} tiles: {seat_count} players with {penguins} penguins each need {needed}."
        )
    return state_of(board, [()] * seat_count, penguins=penguins, solo_survivor=settings.solo_survivor)


def _drawn(settings: Settings, rng: Random) -> Board:
    size = settings.rows * settings.columns
    fish = [settings.fish] * size
    if settings.random_fish:
        fish = rng.choices(range(1, settings.max_fish + 1), k=size)
    for cell in rng.sample(range(size), settings.holes):
        fish[cell] = 0
    return board_of(settings.columns, fish)


def state_of(
    board: Board,
    places: Sequence[Sequence[int]],
    *,
    penguins: int,
    scores: Sequence[int] | None = None,
    alive: Sequence[bool] | None = None,
    seat: int = 0,
    solo_survivor: SoloSurvivor = "play_on",
    revision: int = 0,
) -> State:
    """The state with these facts, each listed by seat; `board` with all its holes, those of removed tiles too.

    The turn is the given seat's if it can place or move, else that of the next one that can. ValueError where the lists
    do not fit together or a penguin's cell is not on the board; `invariant` finds whatever else may be wrong.
    """
    scores = (0,) * len(places) if scores is None else scores
    alive = (True,) * len(places) if alive is None else alive
    if not 1 <= len(scores) == len(places) == len(alive) <= MAX_SEATS or not 0 <= seat < len(places):
        raise ValueError(
            f"{len(places)} seats with {len(scores)} scores, {len(alive)} survivors' marks and the turn of seat {seat} "
            f"make no state of 1 to {MAX_SEATS} seats."
        )
    size = board.geometry.size
    taken = int(bytes(board.fish)[::-1].translate(_HOLES), 2)
    for own in places:
        for cell in own:
            if not 0 <= cell < size:
                raise ValueError(f"A penguin stands on cell {cell}: the board's cells are 0 to {size - 1}.")
            taken |= 1 << cell
    every_place = tuple(map(tuple, places))
    fields = board, taken, tuple(scores), every_place, tuple(alive), penguins, seat, False, solo_survivor, revision
    return _with_turn(State(*fields), seat)


def fix_penguins(state: State, settings: Settings) -> State:
    """The state once every player has been told its colour: to be called then, before the first is asked to place.

    With `penguin_count_basis` "survivors" it is the players left by now that decide how many penguins each owns;
    otherwise, or where nobody is left or penguins stand already, nothing changes (section 1).
    """
    survivors = state.alive.count(True)
    penguins = settings.penguin_base - survivors
    fixed = settings.penguin_count_basis == "at_start" or any(state.places) or not survivors
    if fixed or penguins == state.penguins:
        return state
    return _with_turn(state._replace(penguins=penguins, revision=state.revision + 1), state.seat)


# Turns

# for each number of seats and each seat: all seats in turn order, beginning with that one
_ROUNDS = tuple(
    tuple(tuple((first + step) % count for step in range(count)) for first in range(count))
    for count in range(MAX_SEATS + 1)
)


def turn(state: State) -> int | None:
    """The seat to place or to move next; None once the game is over (section 4)."""
    return None if state.over else state.seat


def placing(state: State) -> bool:
    """Whether the seat whose turn it is has to place a penguin rather than to move one."""
    return not state.over and len(state.places[state.seat]) < state.penguins


def skipped(before: State, after: State) -> tuple[int, ...]:
    """The surviving seats that were passed over because they are stuck, in turn order.

    `after` is what `apply` made of `before`; where that ended the game, nobody was passed over.
    """
    around = _ROUNDS[len(after.places)][(before.seat + 1) % len(after.places)]
    return tuple(seat for seat in around[: around.index(after.seat)] if after.alive[seat])


def _with_turn(state: State, first: int) -> State:
    """The state with the turn given to the first seat, from `first` on, that has to place or is able to move."""
    if not any(state.alive) or (state.solo_survivor == "stop" and state.alive.count(True) == 1 < len(state.alive)):
        return state._replace(seat=first, over=True)
    for seat in _ROUNDS[len(state.places)][first]:
        if state.alive[seat] and len(state.places[seat]) < state.penguins:
            return state._replace(seat=seat, over=False)
    mover = _mover(state.board.geometry.near, state.taken, state.places, first)
    return state._replace(seat=first if mover is None else mover, over=mover is None)


def _mover(near: Sequence[int], taken: int, places: Sequence[Sequence[int]], first: int) -> int | None:
    free = ~taken
    for seat in _ROUNDS[len(places)][first]:
        for cell in places[seat]:
            if near[cell] & free:
                return seat
    return None


# Actions


def legal(state: State) -> Sequence[Action]:
    """All that the seat whose turn it is may do; in order of cells, or of penguins and directions. Empty once over."""
    if state.over:
        return ()
    if len(state.places[state.seat]) < state.penguins:
        chart = state.board.geometry
        return tuple(compress(chart.placements, _outside(state.taken, chart.size)))
    return moves(state, state.seat)


def moves(state: State, seat: int) -> list[Move]:
    """All moves open to a seat as if it were its turn: penguin by penguin, each along N and S, NE and SW, SE and NW."""
    taken = state.taken
    chart = state.board.geometry
    found: list[Move] = []
    for cell in state.places[seat]:
        for line, known, axis in chart.lines[cell]:
            try:
                found += known[taken & line]
            except KeyError:
                found += chart.learn(cell, axis, taken & line)
    return found


def violation(state: State, action: Action | None) -> str | None:
    """The id of the rule that an answer of the seat whose turn it is breaks (None as answer: a skip), or None."""
    if state.over:
        return "fish.action.game-over"
    if len(state.places[state.seat]) < state.penguins:
        return _place_violation(state, action)
    return _move_violation(state, action)


def _place_violation(state: State, action: Action | None) -> str | None:
    if action is None:
        return "fish.place.required"
    if not isinstance(action, Place):
        return "fish.place.before-moving"
    if not 0 <= action.cell < state.board.geometry.size:
        return "fish.place.on-board"
    if not state.taken >> action.cell & 1:
        return None
    return "fish.place.free" if any(action.cell in own for own in state.places) else "fish.place.tile"


def _move_violation(state: State, action: Action | None) -> str | None:
    if action is None:
        return "fish.move.mandatory"
    if not isinstance(action, Move):
        return "fish.place.before-moving"
    source, target = action
    size = state.board.geometry.size
    if not (0 <= source < size and 0 <= target < size):
        return "fish.move.on-board"
    if source not in state.places[state.seat]:
        return "fish.move.own-penguin"
    return "fish.move.not-stay" if source == target else _path_violation(state, action)


def _path_violation(state: State, move: Move) -> str | None:
    if state.taken >> move.target & 1 and not any(move.target in own for own in state.places):
        return "fish.move.tile"
    for ray in state.board.geometry.rays[move.source]:
        if move in ray:
            return None if move in _open(ray, state.taken) else "fish.move.clear-path"
    return "fish.move.straight-line"


def apply(state: State, action: Action) -> State:
    """The state after a legal action of the seat whose turn it is; the action is not checked again."""
    return _moved(state, action) if isinstance(action, Move) else _placed(state, action.cell)


# The two below run for every action of every game: lists and tuple.__new__ take half the time of what reads better.


def _placed(state: State, cell: int) -> State:
    board, taken, scores, places, alive, penguins, seat, over, solo_survivor, revision = state
    all_places = list(places)
    all_places[seat] = (*places[seat], cell)
    places = tuple(all_places)
    taken |= 1 << cell
    after = seat + 1 if seat + 1 < len(places) else 0
    fields = board, taken, scores, places, alive, penguins, after, over, solo_survivor, revision + 1
    placed = tuple.__new__(State, fields)
    return placed if alive[after] and len(places[after]) < penguins else _with_turn(placed, after)


def _moved(state: State, move: Move) -> State:
    """The tile left becomes a hole, so its cell stays taken; the target becomes taken (section 4)."""
    board, taken, scores, places, alive, penguins, seat, over, solo_survivor, revision = state
    source, target = move
    own = list(places[seat])
    own[own.index(source)] = target
    all_places = list(places)
    all_places[seat] = tuple(own)
    places = tuple(all_places)
    all_scores = list(scores)
    all_scores[seat] += board.fish[source]
    taken |= 1 << target
    after = seat + 1 if seat + 1 < len(places) else 0
    mover = _mover(board.geometry.near, taken, places, after)
    if mover is None:
        mover, over = after, True
    scores = tuple(all_scores)
    fields = board, taken, scores, places, alive, penguins, mover, over, solo_survivor, revision + 1
    return tuple.__new__(State, fields)


def eliminate(state: State, seat: int) -> State:
    """The state without a seat's penguins: their tiles stay, the order of the others too (section 6).

    Any seat, at any time, whoever's turn it is; a seat eliminated before changes nothing.
    """
    if not state.alive[seat]:
        return state
    places = state.places
    gone = state._replace(
        taken=state.taken & ~_cells(places[seat]),
        places=(*places[:seat], (), *places[seat + 1 :]),
        alive=(*state.alive[:seat], False, *state.alive[seat + 1 :]),
        revision=state.revision + 1,
    )
    return _with_turn(gone, state.seat)


# Views


def neighbours(board: Board, cell: int) -> tuple[int, ...]:
    """The cells next to a cell, holes too, in the order N, NE, SE, S, SW, NW."""
    return tuple(ray[0].target for ray in board.geometry.rays[cell] if ray)


def reach(state: State, cell: int) -> tuple[int, ...]:
    """The cells that a penguin on a cell could move to, in the order N, NE, SE, S, SW, NW, nearest first."""
    return tuple(move.target for ray in state.board.geometry.rays[cell] for move in _open(ray, state.taken))


def holes(state: State) -> int:
    """The set of cells without a tile."""
    found = state.taken
    for own in state.places:
        for cell in own:
            found ^= 1 << cell
    return found


def tiles(state: State) -> tuple[int, ...]:
    """The fish on each tile as they are now, row by row, under penguins too; 0 for a hole."""
    return tuple(map(mul, state.board.fish, _outside(holes(state), state.board.geometry.size)))


def scores(state: State) -> tuple[int, ...]:
    """The fish collected, by seat; what an eliminated seat had collected no longer counts in the ranking."""
    return state.scores


def ranking(state: State) -> tuple[tuple[int, ...], ...]:
    """The surviving seats, best first; those with the same score share a group (section 5)."""
    survivors = [seat for seat, alive in enumerate(state.alive) if alive]
    best_first = sorted({state.scores[seat] for seat in survivors}, reverse=True)
    return tuple(tuple(seat for seat in survivors if state.scores[seat] == score) for score in best_first)


# States from outside


def invariant(state: State) -> str | None:
    """One sentence naming what no game of fish can lead to in a state made by `state_of`; None where all is well."""
    for problem in (_penguin_problem, _tile_problem, _count_problem, _turn_problem):
        if sentence := problem(state):
            return sentence
    return None


def _penguin_problem(state: State) -> str | None:
    cells = [cell for own in state.places for cell in own]
    if len(set(cells)) < len(cells):
        return "Two penguins stand on the same tile."
    if not all(state.board.fish[cell] for cell in cells):
        return "A penguin stands on a hole."
    if any(own and not alive for own, alive in zip(state.places, state.alive, strict=True)):
        return "An eliminated player still has penguins."
    return None


def _tile_problem(state: State) -> str | None:
    if min(state.revision, *state.scores) < 0:
        return "A score or the revision is negative."
    left = sum(tiles(state))
    if sum(state.scores) < sum(state.board.fish) - left:
        return "Tiles are gone whose fish are in nobody's score."
    return None


def _count_problem(state: State) -> str | None:
    """Rounds of placement: who comes later in this one has a penguin less, from the seat whose turn it is on."""
    around = _ROUNDS[len(state.places)][state.seat]
    counts = [len(state.places[seat]) for seat in around if state.alive[seat]]
    if counts and max(counts) > state.penguins:
        return f"A player has {max(counts)} penguins: each owns {state.penguins}."
    if counts and (counts != sorted(counts) or counts[-1] - counts[0] > 1):
        return "Players have placed different numbers of penguins, other than by one in an unfinished round."
    return None


def _turn_problem(state: State) -> str | None:
    if _with_turn(state, state.seat) != state:
        return "It is the turn of a player that cannot act, or the game is called over while somebody can."
    return None
