"""How an action and an elimination change a state (fish.md sections 3, 4 and 6)."""

from __future__ import annotations

from fairplay.games.fish.rules.geometry import Action, Move, set_of
from fairplay.games.fish.rules.state import ROUNDS, State, find_mover, with_turn


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
