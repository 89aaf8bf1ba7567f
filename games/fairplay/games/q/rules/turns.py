"""How an action and an elimination change a state of the Q game (q.md sections 3 to 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from fairplay.games.q.rules.board import Board, Placement, points
from fairplay.games.q.rules.state import REPLACE, Action, Delivery, Extension, State, remaining

_T = TypeVar("_T")


def score(board: Board, placed: Sequence[Placement], *, q_bonus: int = 8, finish_bonus: int = 0) -> int:
    """Return the points of an extension whose tiles are on the map already, plus a finish bonus (section 4)."""
    return points(board.tiles, placed, q_bonus) + finish_bonus


def apply(state: State, action: Action) -> State:
    """Return the state after a legal action of the seat to move; the action is not checked again."""
    seat = state.mover
    if seat is None:
        raise ValueError("The game is over.")
    if isinstance(action, Extension):
        return _extend(state, seat, action.placements)
    if action is REPLACE:
        return _replace(state, seat)
    return _moved_on(state._replace(delivery=None, revision=state.revision + 1), seat)


def _replace(state: State, seat: int) -> State:
    old = state.hands[seat]
    pile = state.pile + old
    drawn, pile = pile[: len(old)], pile[len(old) :]
    after = state._replace(
        pile=pile,
        hands=_with(state.hands, seat, drawn),
        delivery=Delivery(seat, drawn),
        revision=state.revision + 1,
    )
    return _moved_on(after, seat)


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
    untold = state.delivery is not None and state.delivery.seat == seat
    hand, lost = _returned(state, seat)
    after = state._replace(
        pile=state.pile + hand,
        hands=_with(state.hands, seat, ()),
        eliminated=(*state.eliminated, seat),
        delivery=None if untold else state.delivery,
        lost=state.lost + lost,
        revision=state.revision + 1,
    )
    if state.mover is None:
        return _over(after) if untold else after
    return _without(after, seat)


def _returned(state: State, seat: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the tiles of an eliminated player that go to the pile, and those that are lost."""
    hand, delivery = state.hands[seat], state.delivery
    if delivery is None or delivery.seat != seat or state.settings.undelivered_tiles == "return":
        return hand, ()
    return hand[len(delivery.tiles) :], delivery.tiles


def _without(state: State, seat: int) -> State:
    left = remaining(state)
    alone = len(left) == 1 and state.settings.lone_survivor == "stop"
    if alone or not left:
        return _over(state)
    return _moved_on(state, seat) if state.mover == seat else state
