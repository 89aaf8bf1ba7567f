"""Eriantys: players that are eliminated, lost or come back (eriantys.md section 8, `on_disconnect`)."""

from __future__ import annotations

from fairplay.games.eriantys.rules.legality import free_tower_colors
from fairplay.games.eriantys.rules.results import live_sides, over
from fairplay.games.eriantys.rules.rounds import end_turn, next_planner
from fairplay.games.eriantys.rules.school import with_professors_returned, with_recheck
from fairplay.games.eriantys.rules.state import (
    NOBODY,
    NONE,
    Phase,
    Reason,
    Standing,
    State,
    added,
    choosers,
    size_of,
    with_at,
    with_counts,
)
from fairplay.games.eriantys.rules.turns import after_choice, apply, default_action

_ACTION_PHASES = frozenset({Phase.STUDENTS, Phase.MOTHER_NATURE, Phase.CLOUD, Phase.END_TURN})


def eliminate(state: State, seat: int) -> State:
    """Return the state without a player; the same one if it is out already.

    Its students are set aside, its coins return to the reserve, and its professors go to whoever alone has the most
    students of their colour, or to nobody. Towers stay on the islands, without influence once their whole side is
    out. Its turn ends at once. The game is over when one side is left. When the game is over already, the player
    only leaves the ranking.
    """
    if state.standings[seat] in (Standing.OUT, Standing.FAILED):
        return state
    state = state._replace(revision=state.revision + 1)
    if state.phase is Phase.OVER:
        return _standing(state, seat, Standing.FAILED)
    state = _standing(_without_goods(state, seat), seat, Standing.OUT)
    if len(live_sides(state)) <= 1:
        return over(state, Reason.LAST_SIDE)
    return _gone_on(state, seat)


def _standing(state: State, seat: int, standing: Standing) -> State:
    return state._replace(standings=(*state.standings[:seat], standing, *state.standings[seat + 1 :]))


def _without_goods(state: State, seat: int) -> State:
    if state.active == seat:
        state = with_professors_returned(state)
    owned = [color for color, owner in enumerate(state.professors) if owner == seat]
    state = state._replace(
        aside=added(state.aside, added(state.entrances[seat], state.dining_rooms[seat])),
        entrances=with_counts(state.entrances, seat, NONE),
        dining_rooms=with_counts(state.dining_rooms, seat, NONE),
        professors=tuple([NOBODY if owner == seat else owner for owner in state.professors]),
        borrowed=tuple([NOBODY if lender == seat else lender for lender in state.borrowed]),
        reserve=state.reserve + state.coins[seat],
        coins=with_at(state.coins, seat, 0),
    )
    for color in owned:
        state = with_recheck(state, color)
    return state


def _gone_on(state: State, seat: int) -> State:
    """Return the state in which the next one is to decide, if it was the turn of a seat that has left."""
    if not any(standing is Standing.IN for standing in state.standings):
        return over(state, Reason.DISCONNECTED)
    if state.phase is Phase.TOWERS:
        return after_choice(state)
    if state.active != seat:
        return state
    return next_planner(state) if state.phase is Phase.ASSISTANT else end_turn(state)


def disconnect(state: State, seat: int) -> State:
    """Return the state once a player is lost, as `on_disconnect` says; the same one if it is not in the game.

    end_game: the player is out and the game over. eliminate: as `eliminate`. skip_turns: the player is away, a turn
    that it has begun is finished in a fixed way or broken off (`interrupted_turn`), its later ones are skipped, and
    the game is over if everybody is away.
    """
    if state.standings[seat] is not Standing.IN or state.phase is Phase.OVER:
        return state
    if state.settings.on_disconnect == "eliminate":
        return eliminate(state, seat)
    if state.settings.on_disconnect == "end_game":
        lost = _standing(state._replace(revision=state.revision + 1), seat, Standing.OUT)
        return over(lost, Reason.DISCONNECTED)
    return _skipped(state, seat)


def _skipped(state: State, seat: int) -> State:
    if seat in choosers(state):
        colors = with_at(state.tower_colors, state.sides[seat], free_tower_colors(state)[0])
        state = state._replace(tower_colors=colors)
    if state.settings.interrupted_turn == "finish" and state.active == seat and is_turn_begun(state):
        state = _finished(state)
    away = _standing(state._replace(revision=state.revision + 1), seat, Standing.AWAY)
    return away if away.phase is Phase.OVER else _gone_on(away, seat)


def is_turn_begun(state: State) -> bool:
    """Return whether the active seat is in the action phase and has done something in its turn."""
    if state.phase is not Phase.STUDENTS:
        return state.phase in _ACTION_PHASES
    return bool(state.played) or state.to_move < size_of(len(state.sides)).cloud


def _finished(state: State) -> State:
    """Return the state at the end of the active seat's turn, which is not always followed by another's turn."""
    seat, begun = state.active, state.round
    while state.active == seat and state.round == begun:
        state = apply(state, default_action(state))
    return state


def reconnect(state: State, seat: int) -> State:
    """Return the state once a player that was away is back; the same one if it was not away."""
    if state.standings[seat] is not Standing.AWAY:
        return state
    return _standing(state._replace(revision=state.revision + 1), seat, Standing.IN)
