"""The states in which games of Fish begin, and states from outside (fish.md sections 1 to 3)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from fairplay.games.fish.rules.board import Board, board_of, board_of_rows
from fairplay.games.fish.rules.settings import MAX_SEATS, MIN_SEATS, LoneSurvivor, Settings, settings_problem
from fairplay.games.fish.rules.state import State, with_turn

_HOLES = b"1" + b"0" * 255  # the binary digit for each number of fish


def initial(settings: Settings, seat_count: int, rng: Random) -> State:
    """Return a fresh game; the fish are drawn first, then the holes. Raises ValueError if there is no such game."""
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
    return state_of(board, [()] * seat_count, penguins=penguins, lone_survivor=settings.lone_survivor)


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
