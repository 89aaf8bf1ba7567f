"""Fish: the rules, pure (fish.md sections 1 to 6, and the settings of section 9 that concern a game).

Seats are numbered in turn order. Every value here is immutable, and nothing is checked twice: `violation` says whether
an action is legal, `apply` carries out one that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from operator import mul
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from fairplay.games.fish.rules.board import (
    FISH_LIMIT,
    MAX_SIDE,
    Action,
    Board,
    Move,
    Place,
    board_of,
    board_of_rows,
    open_moves,
    outside,
    set_of,
)
from fairplay.games.kit.settings import MAX_COUNT, MAX_REVISION, choice, find_problem, flag, number, other

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


# Settings (section 9)

PenguinCountBasis: TypeAlias = Literal["at_start", "survivors"]
AnnounceOrder: TypeAlias = Literal["phases", "per_player"]
LoneSurvivor: TypeAlias = Literal["play_on", "stop"]
ActionList: TypeAlias = Literal["none", "moves", "moves_and_skips"]

MIN_SEATS, MAX_SEATS = 2, 4


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a game. The first five have no effect if there is a `board`."""

    rows: int = number(5, 1, MAX_SIDE, "How many rows the board has.")
    columns: int = number(5, 1, MAX_SIDE, "How many columns the board has.")
    fish: int = number(2, 1, FISH_LIMIT, "How many fish every tile has, at most max_fish.")
    random_fish: bool = flag(False, "Whether each tile has a random number of fish, from 1 to max_fish.")
    holes: int = number(0, 0, MAX_SIDE**2 - 1, "How many tiles are removed at random; at least one tile stays.")
    board: tuple[tuple[int, ...], ...] | None = other(
        None, "rows of numbers", "How many fish each tile has, 0 for a hole; replaces rows, columns, fish and holes."
    )
    max_fish: int = number(5, 1, FISH_LIMIT, "How many fish a tile has at most.")
    penguin_base: int = number(6, MAX_SEATS + 1, 10, "Each of N players owns this number of penguins, less N.")
    penguin_count_basis: PenguinCountBasis = choice(
        "at_start", PenguinCountBasis, "Whether N counts the players at the start, or those left when penguins come."
    )
    announce_order: AnnounceOrder = choice(
        "phases", AnnounceOrder, "Whether all players hear their own colour first, or one hears everything at a time."
    )
    lone_survivor: LoneSurvivor = choice(
        "play_on", LoneSurvivor, "Whether the last player left after eliminations goes on alone, or the game stops."
    )
    action_list: ActionList = choice(
        "none", ActionList, "What a player hears of the others' actions when it is its turn."
    )


def settings_problem(settings: Settings) -> tuple[str, str] | None:
    """Return the first field that is wrong and one sentence that says what is allowed; None if all are right."""
    if settings.board is not None:
        free = Settings()
        effective = replace(settings, rows=free.rows, columns=free.columns, fish=free.fish, holes=free.holes)
        return find_problem(effective) or _board_problem(settings.board, settings.max_fish)
    if problem := find_problem(settings):
        return problem
    if settings.fish > settings.max_fish:
        return "fish", f"fish is {settings.fish}: it must be between 1 and {settings.max_fish}."
    if settings.holes >= (size := settings.rows * settings.columns):
        return "holes", f"holes is {settings.holes}: it must be between 0 and {size - 1}."
    return None


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


# States

COLORS = ("red", "white", "brown", "black")  # of seats 0, 1, 2, 3 (section 1)

# for each number of seats and each seat: all seats in turn order, beginning with that one
ROUNDS = tuple(
    tuple(tuple((first + step) % count for step in range(count)) for first in range(count))
    for count in range(MAX_SEATS + 1)
)


class State(NamedTuple):
    """All there is to know about a game of Fish; nothing of it is hidden from anybody.

    Eliminated seats stay in all lists by seat: without penguins, with the score they had.
    """

    board: Board
    taken: int  # the set of cells that are holes or carry a penguin
    scores: tuple[int, ...]  # by seat: fish collected
    places: tuple[tuple[int, ...], ...]  # by seat: cells of its penguins, in order of placement
    alive: tuple[bool, ...]  # by seat: not eliminated
    penguins: int  # how many each player places
    seat: int  # whose turn it is; in a game that is over, from whom on it would continue
    over: bool
    lone_survivor: LoneSurvivor
    revision: int  # 0 at first, one more with every change


def turn(state: State) -> int | None:
    """Return the seat to place or to move next; None once the game is over."""
    return None if state.over else state.seat


def placing(state: State) -> bool:
    """Return whether the seat whose turn it is has to place a penguin rather than to move one."""
    return not state.over and len(state.places[state.seat]) < state.penguins


def with_turn(state: State, first: int) -> State:
    """Return the state with the turn given to the first seat, from `first` on, that has to place or can move."""
    if state.lone_survivor == "stop" and state.alive.count(True) == 1 < len(state.alive):
        return state._replace(seat=first, over=True)
    for seat in ROUNDS[len(state.places)][first]:
        if state.alive[seat] and len(state.places[seat]) < state.penguins:
            return state._replace(seat=seat, over=False)
    mover = find_mover(state.board.geometry.near, state.taken, state.places, first)
    return state._replace(seat=first if mover is None else mover, over=mover is None)


def find_mover(near: Sequence[int], taken: int, places: Sequence[Sequence[int]], first: int) -> int | None:
    """Return the first seat, from `first` on, that can move a penguin; None if all are stuck."""
    free = ~taken
    for seat in ROUNDS[len(places)][first]:
        for cell in places[seat]:
            if near[cell] & free:
                return seat
    return None


def holes(state: State) -> int:
    """Return the set of cells without a tile."""
    found = state.taken
    for own in state.places:
        for cell in own:
            found ^= 1 << cell
    return found


def tiles(state: State) -> tuple[int, ...]:
    """Return the fish on each tile as they are now, row by row, under penguins too; 0 for a hole."""
    return tuple(map(mul, state.board.fish, outside(holes(state), state.board.geometry.size)))


# The states in which games begin, and states from outside (sections 1 to 3)

_HOLES = b"1" + b"0" * 255  # the binary digit for each number of fish


def initial(settings: Settings, seat_count: int, rng: Random) -> State:
    """Return a fresh game; the fish are drawn first, then the holes. Raises ValueError if there is no such game."""
    if problem := settings_problem(settings):
        raise ValueError(problem[1])
    if not MIN_SEATS <= seat_count <= MAX_SEATS:
        raise ValueError(f"A game of fish has {MIN_SEATS} to {MAX_SEATS} players, not {seat_count}.")
    if settings.board is not None:
        board = board_of_rows(settings.board)
    else:
        size = settings.rows * settings.columns
        choices = range(1, settings.max_fish + 1)
        fish = rng.choices(choices, k=size) if settings.random_fish else [settings.fish] * size
        for cell in rng.sample(range(size), settings.holes):
            fish[cell] = 0
        board = board_of(settings.columns, fish)
    penguins = settings.penguin_base - seat_count
    if (tiles := len(board.fish) - board.fish.count(0)) < (needed := seat_count * penguins):
        raise ValueError(
            f"The board has {tiles} tiles: {seat_count} players with {penguins} penguins each need {needed}."
        )
    return state_of(board, [()] * seat_count, penguins=penguins, lone_survivor=settings.lone_survivor)


def state_of(
    board: Board,
    places: Sequence[Sequence[int]],
    *,
    penguins: int,
    scores: Sequence[int] | None = None,
    alive: Sequence[bool] | None = None,
    seat: int = 0,
    lone_survivor: LoneSurvivor = "play_on",
    revision: int = 0,
) -> State:
    """Return the state with these facts, each listed by seat; `board` with all its holes, removed tiles too.

    The turn is the given seat's if it can place or move, else that of the next one that can. Raises ValueError if the
    lists do not fit together or a penguin's cell is not on the board; `invariant` finds whatever else may be wrong.
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
    fields = board, taken, tuple(scores), every_place, tuple(alive), penguins, seat, False, lone_survivor, revision
    return with_turn(State(*fields), seat)


def fix_penguins(state: State, settings: Settings) -> State:
    """Return the state with the number of penguins fixed: to be called once every player has been told its colour.

    If `penguin_count_basis` is "survivors", the players left by now decide how many penguins each owns. Otherwise, or
    if nobody is left or penguins stand already, nothing changes (section 1).
    """
    survivors = state.alive.count(True)
    penguins = settings.penguin_base - survivors
    fixed = settings.penguin_count_basis == "at_start" or any(state.places) or not survivors
    if fixed or penguins == state.penguins:
        return state
    return with_turn(state._replace(penguins=penguins, revision=state.revision + 1), state.seat)


# Legal actions, and the rule that a wrong one breaks (sections 3 and 4)


def legal(state: State) -> Sequence[Action]:
    """Return all that the seat whose turn it is may do, in order of cells, or of penguins and directions.

    Once the game is over there is nothing.
    """
    if state.over:
        return ()
    if len(state.places[state.seat]) < state.penguins:
        chart = state.board.geometry
        return tuple(compress(chart.placements, outside(state.taken, chart.size)))
    return moves(state, state.seat)


def moves(state: State, seat: int) -> list[Move]:
    """Return all moves open to a seat as if it were its turn.

    They come penguin by penguin, each along N and S, NE and SW, SE and NW.
    """
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


def reach(state: State, cell: int) -> tuple[int, ...]:
    """Return the cells that a penguin on a cell could move to, in the order N, NE, SE, S, SW, NW, nearest first."""
    return tuple(move.target for ray in state.board.geometry.rays[cell] for move in open_moves(ray, state.taken))


def violation(state: State, action: Action | None) -> str | None:
    """Return the id of the rule that an action of the seat to act breaks, or None. The action None is a skip."""
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
            return None if move in open_moves(ray, state.taken) else "fish.move.clear-path"
    return "fish.move.straight-line"


# How actions and eliminations change a state (sections 3, 4 and 6)


def apply(state: State, action: Action) -> State:
    """Return the state after a legal action of the seat whose turn it is; the action is not checked again."""
    return _moved(state, action) if isinstance(action, Move) else _placed(state, action.cell)


# The two below run for every action of every game: lists and tuple.__new__ take half the time of what reads better.


def _placed(state: State, cell: int) -> State:
    board, taken, scores, places, alive, penguins, seat, over, lone_survivor, revision = state
    all_places = list(places)
    all_places[seat] = (*places[seat], cell)
    places = tuple(all_places)
    taken |= 1 << cell
    after = seat + 1 if seat + 1 < len(places) else 0
    fields = board, taken, scores, places, alive, penguins, after, over, lone_survivor, revision + 1
    placed = tuple.__new__(State, fields)
    return placed if alive[after] and len(places[after]) < penguins else with_turn(placed, after)


def _moved(state: State, move: Move) -> State:
    """Return the state after a move: the tile left becomes a hole, so that its cell stays taken (section 4)."""
    board, taken, scores, places, alive, penguins, seat, over, lone_survivor, revision = state
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
    mover = find_mover(board.geometry.near, taken, places, after)
    if mover is None:
        mover, over = after, True
    scores = tuple(all_scores)
    fields = board, taken, scores, places, alive, penguins, mover, over, lone_survivor, revision + 1
    return tuple.__new__(State, fields)


def skipped(before: State, after: State) -> tuple[int, ...]:
    """Return the surviving seats that an action passed over because they are stuck, in turn order.

    `after` is what `apply` made of `before`; if that ended the game, nobody was passed over.
    """
    around = ROUNDS[len(after.places)][(before.seat + 1) % len(after.places)]
    return tuple(seat for seat in around[: around.index(after.seat)] if after.alive[seat])


def eliminate(state: State, seat: int) -> State:
    """Return the state without a seat's penguins: their tiles stay, and so does the order of the others (section 6).

    Any seat may be eliminated at any time; a seat eliminated before changes nothing.
    """
    if not state.alive[seat]:
        return state
    places = state.places
    gone = state._replace(
        taken=state.taken & ~set_of(places[seat]),
        places=(*places[:seat], (), *places[seat + 1 :]),
        alive=(*state.alive[:seat], False, *state.alive[seat + 1 :]),
        revision=state.revision + 1,
    )
    return with_turn(gone, state.seat)


# Results (section 5)


def scores(state: State) -> tuple[int, ...]:
    """Return the fish collected, by seat; those of eliminated seats do not count in the ranking."""
    return state.scores


def ranking(state: State) -> tuple[tuple[int, ...], ...]:
    """Return the surviving seats, best first; those with the same score share a group."""
    survivors = [seat for seat, alive in enumerate(state.alive) if alive]
    best_first = sorted({state.scores[seat] for seat in survivors}, reverse=True)
    return tuple(tuple(seat for seat in survivors if state.scores[seat] == score) for score in best_first)


# What every state fulfils, so that one from outside can be refused with the reason


def invariant(state: State) -> str | None:
    """Return one sentence that names what no game can lead to in a state made by `state_of`; None if there is none."""
    return next(_problems(state), None)


def _problems(state: State) -> Iterator[str]:
    cells = [cell for own in state.places for cell in own]
    if len(set(cells)) < len(cells):
        yield "Two penguins stand on the same tile."
    if not all(state.board.fish[cell] for cell in cells):
        yield "A penguin stands on a hole."
    if any(own and not alive for own, alive in zip(state.places, state.alive, strict=True)):
        yield "An eliminated player still has penguins."
    if min(state.revision, *state.scores) < 0:
        yield "A score or the revision is negative."
    if state.revision > MAX_REVISION or max(state.scores) > MAX_COUNT:
        yield f"The revision is at most {MAX_REVISION:,}, and a score at most {MAX_COUNT:,}."
    if sum(state.scores) < sum(state.board.fish) - sum(tiles(state)):
        yield "Tiles are gone whose fish are in nobody's score."
    # who comes later in a round of placement has one penguin less at most (section 3)
    counts = [len(state.places[seat]) for seat in ROUNDS[len(state.places)][state.seat] if state.alive[seat]]
    if counts and max(counts) > state.penguins:
        yield f"A player has {max(counts)} penguins: each owns {state.penguins}."
    if counts and (counts != sorted(counts) or counts[-1] - counts[0] > 1):
        yield "Players have placed different numbers of penguins, other than by one in an unfinished round."
    if with_turn(state, state.seat) != state:
        yield "It is the turn of a player that cannot act, or the game is called over while somebody can."
