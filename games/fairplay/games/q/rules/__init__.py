"""How a Q game goes: its beginning, legal actions, turns, eliminations and end (q.md sections 1 to 6).

A turn is `apply`, which carries out a legal action and draws the tiles that go with it. `State.delivery` then names
the player that is still to be told of these tiles: after telling it, go on from `delivered(state)`; where that
player fails, from `eliminate(state, seat)`. Who does not care may apply the next action at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import TypeVar, overload

from fairplay.games.q.rules.board import (
    FARTHEST,
    KINDS,
    OUT_OF_RANGE,
    Board,
    Coordinate,
    Placement,
    fitting,
    is_adjacent,
    points,
    tile_set,
    tiles_in,
)
from fairplay.games.q.rules.state import (
    MAX_SEATS,
    MIN_SEATS,
    PASS,
    REPLACE,
    Action,
    Delivery,
    Extension,
    Settings,
    State,
    View,
    Word,
    remaining,
    settings_problem,
    too_few_tiles,
)

_T = TypeVar("_T")

RULES: Mapping[str, str] = {
    "q.action.game-over": "Nobody has a turn once the game is over.",
    "q.action.required": "The answer to take-turn must be one of pass, replace and an extension.",
    "q.coordinate.range": OUT_OF_RANGE,
    "q.coordinate.required": "Every placement must say the coordinate on which its tile is to lie.",
    "q.extension.adjacent": "Each tile must share a side with a tile that is on the map when it is placed: with one "
    "that lay there before the turn, or with one placed earlier in the extension.",
    "q.extension.fit": "Each tile must fit when it is placed: its left and right neighbours all have its color or all "
    "have its shape, and so do the neighbours above and below (if the fit rule is qwirkle: all tiles of the line it "
    "joins, and that line holds no two equal tiles).",
    "q.extension.free": "Each tile must be placed on a coordinate that is still free.",
    "q.extension.not-empty": "An extension must place at least one tile.",
    "q.extension.one-line": "All tiles of an extension must lie in one row or in one column.",
    "q.extension.own-tiles": "A player can place only tiles from its own hand, each as often as it holds it.",
    "q.replace.pile": "A player can replace its hand only if the pile holds at least as many tiles as the hand.",
    "q.tile.known": "A tile must have one of the six known shapes and one of the six known colors.",
    "q.tile.required": "Every placement must say which tile it places.",
}


# States


def initial(settings: Settings, seat_count: int, rng: Random) -> State:
    """Return a fresh game: shuffled tiles, a hand for each seat, one tile at (0, 0), the rest in the pile (section 1).

    Raises ValueError if the settings do not allow a game of so many seats.
    """
    if not MIN_SEATS <= seat_count <= MAX_SEATS:
        raise ValueError(f"Q is played by {MIN_SEATS} to {MAX_SEATS} players, not by {seat_count}.")
    if problem := settings_problem(settings) or too_few_tiles(settings, seat_count):
        raise ValueError(problem[1])
    tiles = [kind for kind in range(KINDS) for _ in range(settings.copies_per_kind)]
    rng.shuffle(tiles)
    size, dealt = settings.hand_size, seat_count * settings.hand_size
    hands = tuple(tuple(tiles[start : start + size]) for start in range(0, dealt, size))
    board = Board({(0, 0): tiles[dealt]}, settings.fit_rule == "qwirkle")
    return State(settings, board, tuple(tiles[dealt + 1 :]), hands, (0,) * seat_count)


def resumed(
    settings: Settings,
    tiles: Mapping[Coordinate, int],
    hands: Iterable[Sequence[int]],
    points: Iterable[int],
    pile: Sequence[int],
) -> State:
    """Return a game at the beginning of a round, with seat 0 to move. Whether there can be one, `invariant` says."""
    board = Board(tiles, settings.fit_rule == "qwirkle")
    return State(settings, board, tuple(pile), tuple(tuple(hand) for hand in hands), tuple(points))


def turn(state: State) -> int | None:
    """Return the seat to decide next; None if the game is over. An open delivery does not change it."""
    return state.mover


def scores(state: State) -> tuple[int, ...]:
    """Return the points by seat, those of the eliminated too."""
    return state.points


def view(state: State, seat: int) -> View:
    """Return what the player of a seat sees."""
    count = len(state.hands)
    later = [(seat + step) % count for step in range(1, count)]
    others = tuple(state.points[other] for other in later if other not in state.eliminated)
    return View(state.board, state.hands[seat], state.points[seat], others, len(state.pile), state.revision)


# Legal actions (section 3)


class Legal(Sequence[Action]):
    """A choice of legal actions: all placements of a single tile, replace if it is legal, pass.

    The placements come first, by row, column and tile. Longer extensions are legal as well, if `violation` says so,
    but there are too many to list. An action is made when it is asked for.
    """

    __slots__ = ("_placements", "_words")

    def __init__(self, placements: Sequence[tuple[int, int, int]], words: Sequence[Word]) -> None:
        """Take placements as (row, column, tile), in the order in which they are listed."""
        self._placements = placements
        self._words = words

    def __len__(self) -> int:
        """Return how many actions are listed."""
        return len(self._placements) + len(self._words)

    @overload
    def __getitem__(self, index: int) -> Action: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Action]: ...
    def __getitem__(self, index: int | slice) -> Action | Sequence[Action]:
        """Return an action, or those of a slice."""
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        index = range(len(self))[index]
        if index < len(self._placements):
            return Extension((Placement._make(self._placements[index]),))
        return self._words[index - len(self._placements)]


def legal(state: State) -> Sequence[Action]:
    """Return single placements, replace and pass for the seat to move, those of them that are legal (see `Legal`)."""
    if state.mover is None:
        return ()
    return choices(state.board, state.hands[state.mover], len(state.pile))


def choices(board: Board, hand: Sequence[int], pile_left: int) -> Legal:
    """Return single placements, replace and pass, those of them that are legal with this hand."""
    owned = tile_set(hand)
    singles = [
        (row, column, tile)
        for (row, column), kinds in board.spots.items()
        if (fit := kinds & owned)
        for tile in tiles_in(fit)
    ]
    singles.sort()
    return Legal(singles, (REPLACE, PASS) if pile_left >= len(hand) else (PASS,))


def violation(state: State, action: Action) -> str | None:
    """Return the id of the first rule that an action of the seat to move breaks; None if it is legal. Never raises."""
    if state.mover is None:
        return "q.action.game-over"
    return breach(state.board, state.hands[state.mover], len(state.pile), action)


def breach(board: Board, hand: Sequence[int], pile_left: int, action: Action) -> str | None:
    """Return the same as `violation`, from what a player knows: the id of the rule broken, or None."""
    if isinstance(action, Extension):
        return _form_breach(action.placements, hand) or _placement_breach(board, action.placements)
    return "q.replace.pile" if action is REPLACE and pile_left < len(hand) else None


def _form_breach(placed: Sequence[Placement], hand: Sequence[int]) -> str | None:
    for row, column, tile in placed:
        if not (-FARTHEST <= row <= FARTHEST and -FARTHEST <= column <= FARTHEST):
            return "q.coordinate.range"
        if not 0 <= tile < KINDS:
            return "q.tile.known"
    if not placed:
        return "q.extension.not-empty"
    if Counter(placement.tile for placement in placed) - Counter(hand):
        return "q.extension.own-tiles"
    return None if one_line(placed) else "q.extension.one-line"


def one_line(placed: Sequence[Placement]) -> bool:
    """Return whether all placements share one row, or all share one column; they need not touch."""
    return len({each.row for each in placed}) == 1 or len({each.column for each in placed}) == 1


def open_spots(board: Board, placed: Sequence[Placement]) -> Iterator[tuple[Coordinate, int]]:
    """Yield where an extension may go on after what is placed already, each spot with the set of kinds that fit."""
    rows, columns = {each.row for each in placed}, {each.column for each in placed}
    for (row, column), kinds in board.spots.items():
        if rows <= {row} or columns <= {column}:
            yield (row, column), kinds


def _placement_breach(board: Board, placed: Sequence[Placement]) -> str | None:
    tiles = dict(board.tiles)
    for row, column, tile in placed:
        if (row, column) in tiles:
            return "q.extension.free"
        if not is_adjacent(tiles, row, column):
            return "q.extension.adjacent"
        if not fitting(tiles, row, column, board.whole_lines) >> tile & 1:
            return "q.extension.fit"
        tiles[row, column] = tile
    return None


# Turns (sections 3 to 6)


def apply(state: State, action: Action) -> State:
    """Return the state after a legal action of the seat to move; the action is not checked again."""
    seat = state.mover
    if seat is None:
        raise ValueError("The game is over.")
    if isinstance(action, Extension):
        return _extend(state, seat, action.placements)
    pile, hands, delivery = state.pile, state.hands, None
    if action is REPLACE:
        old = hands[seat]
        pile += old
        drawn, pile = pile[: len(old)], pile[len(old) :]
        hands, delivery = _with(hands, seat, drawn), Delivery(seat, drawn)
    return _moved_on(state._replace(pile=pile, hands=hands, delivery=delivery, revision=state.revision + 1), seat)


def _extend(state: State, seat: int, placed: tuple[Placement, ...]) -> State:
    settings, board = state.settings, state.board.put(placed)
    rest = list(state.hands[seat])
    for placement in placed:
        rest.remove(placement.tile)
    gain = points(board.tiles, placed, settings.q_bonus) + (0 if rest else settings.finish_bonus)
    drawn = state.pile[: len(placed)] if rest else ()
    after = state._replace(
        board=board,
        pile=state.pile[len(drawn) :],
        hands=_with(state.hands, seat, (*drawn, *rest)),
        points=_with(state.points, seat, state.points[seat] + gain),
        placed=True,
        delivery=Delivery(seat, drawn) if rest else None,
        revision=state.revision + 1,
    )
    if rest:
        return _moved_on(after, seat)
    return _over(after._replace(finisher=seat))


def delivered(state: State) -> State:
    """Return the state once the player of its delivery has been told the tiles; the same if there is no delivery."""
    if state.delivery is None:
        return state
    return state._replace(delivery=None, revision=state.revision + 1)


def _with(values: tuple[_T, ...], at: int, value: _T) -> tuple[_T, ...]:
    return (*values[:at], value, *values[at + 1 :])


def _moved_on(state: State, seat: int) -> State:
    """Pass the turn on from a seat; a round without an extension ends the game (section 6)."""
    left = remaining(state)
    for later in left:
        if later > seat:
            return state._replace(mover=later)
    if state.placed:
        return state._replace(mover=left[0], placed=False)
    return _over(state)


def _over(state: State) -> State:
    top = max((state.points[seat] for seat in remaining(state)), default=None)
    return state._replace(mover=None, top=top)


# Elimination (section 5)


def eliminate(state: State, seat: int) -> State:
    """Return the state without a player: its hand goes to the end of the pile, the tiles that it placed stay.

    Tiles that were drawn for it but not told are lost, or go to the pile with the hand. A player may be eliminated at
    any time; in win, after the end of the game, nobody else becomes a winner by that.
    """
    if seat in state.eliminated:
        return state
    hand, lost, delivery = state.hands[seat], state.lost, state.delivery
    untold = delivery.tiles if delivery is not None and delivery.seat == seat else None
    if untold is not None:
        delivery = None
        if state.settings.undelivered_tiles == "lost":
            hand, lost = hand[len(untold) :], lost + untold
    after = state._replace(
        pile=state.pile + hand,
        hands=_with(state.hands, seat, ()),
        eliminated=(*state.eliminated, seat),
        delivery=delivery,
        lost=lost,
        revision=state.revision + 1,
    )
    if state.mover is None:
        return after if untold is None else _over(after)
    left = remaining(after)
    if not left or (len(left) == 1 and state.settings.lone_survivor == "stop"):
        return _over(after)
    return _moved_on(after, seat) if state.mover == seat else after


# Results (section 6)


def ranking(state: State) -> tuple[tuple[int, ...], ...]:
    """Return groups of the remaining seats by score, best first.

    Once the game is over the first group holds the winners; it is empty if all of them failed in win, for then nobody
    has won.
    """
    left = remaining(state)
    values = {state.points[seat] for seat in left}
    if state.top is not None:
        values.add(state.top)
    return tuple(tuple(seat for seat in left if state.points[seat] == value) for value in sorted(values, reverse=True))


def winners(state: State) -> tuple[int, ...]:
    """Return the remaining seats that had the best score when the game ended; none while it goes on."""
    if state.mover is not None:
        return ()
    return tuple(seat for seat in remaining(state) if state.points[seat] == state.top)


def notifications(state: State) -> tuple[tuple[int, bool], ...]:
    """Return who is told the end of the game, in order: (seat, whether it has won), the winners first.

    Winners and losers are told in turn order, which starts with the player that placed its last tile, if one did.
    """
    first, won = 0 if state.finisher is None else state.finisher, winners(state)
    left = remaining(state)
    seats = [seat for seat in left if seat >= first] + [seat for seat in left if seat < first]
    return tuple((seat, seat in won) for seat in sorted(seats, key=lambda seat: seat not in won))
