"""Eriantys: the course of rounds and turns, with what nobody decides (eriantys.md section 3)."""

from __future__ import annotations

from fairplay.games.eriantys.rules.bag import draw
from fairplay.games.eriantys.rules.results import over
from fairplay.games.eriantys.rules.school import with_professors_returned
from fairplay.games.eriantys.rules.state import (
    COLOR_COUNT,
    NOBODY,
    Counts,
    Phase,
    Reason,
    Standing,
    State,
    added,
    size_of,
)

_NOTHING_BORROWED = (NOBODY,) * COLOR_COUNT


def begin_round(state: State) -> State:
    """Return the state once a round has begun: clouds filled, the first seat to plan (section 3.1)."""
    state = state._replace(phase=Phase.ASSISTANT, round=state.round + 1, planned=(), clouds_closed=False)
    if state.settings.refill_when == "before_assistants":
        state = _refilled(state)
        if state.phase is Phase.OVER:
            return state
    count = len(state.sides)
    return next_planner(state._replace(queue=tuple([(state.first + step) % count for step in range(count)])))


def _refilled(state: State) -> State:
    """Return the state with filled clouds; too few students in the bag make this round the last one (3.1.a)."""
    capacity = size_of(len(state.sides)).cloud
    lacking, left = sum([capacity - sum(cloud) for cloud in state.clouds]), sum(state.bag)
    short = left < lacking
    if short and state.settings.short_refill == "end_now":
        return over(state, Reason.BAG_EMPTY)
    clouds: list[Counts] = []
    draw_state, bag = state.draw_state, state.bag
    for cloud in state.clouds:
        draw_state, drawn, bag = draw(draw_state, bag, capacity - sum(cloud), state.settings.draw_model)
        clouds.append(added(cloud, drawn))
    state = state._replace(
        draw_state=draw_state,
        bag=bag,
        clouds=tuple(clouds),
        clouds_closed=short and state.settings.short_refill == "skip_all",
    )
    return state if any(bag) else last_round(state, Reason.BAG_EMPTY)


def last_round(state: State, reason: Reason) -> State:
    """Return the state with this round marked as the last one; the first reason stays."""
    return state if state.last_round else state._replace(last_round=reason)


def _next_in(state: State) -> tuple[int, tuple[int, ...]]:
    """Return the first seat of the queue that is in the game, and the queue behind it; NOBODY if there is none."""
    for place, seat in enumerate(state.queue):
        if state.standings[seat] is Standing.IN:
            return seat, state.queue[place + 1 :]
    return NOBODY, ()


def next_planner(state: State) -> State:
    """Return the state in which the next seat is to plan; after the last one the action phase begins."""
    seat, queue = _next_in(state)
    if seat != NOBODY:
        return state._replace(active=seat, queue=queue)
    if state.settings.refill_when == "after_assistants":
        state = _refilled(state)
        if state.phase is Phase.OVER:
            return state
    return next_actor(state._replace(queue=action_order(state)))


def action_order(state: State) -> tuple[int, ...]:
    """Return the seats in ascending order of their assistants; of equal ones the first to plan acts first."""
    return tuple(sorted(state.planned, key=lambda seat: state.assistants[seat]))


def next_actor(state: State) -> State:
    """Return the state in which the next seat begins its turn; after the last one the round ends."""
    seat, queue = _next_in(state)
    if seat == NOBODY:
        return _round_ended(state)
    to_move = min(size_of(len(state.sides)).cloud, sum(state.entrances[seat]))
    return state._replace(
        phase=Phase.STUDENTS if to_move else Phase.MOTHER_NATURE,
        active=seat,
        queue=queue,
        to_move=to_move,
    )


def after_mother_nature(state: State) -> State:
    """Return the state after Mother Nature's move: a cloud is to be chosen if there is one (section 3.2, step 3)."""
    if state.phase is Phase.OVER:
        return state
    if state.clouds_closed or not any(map(any, state.clouds)):
        return after_last_step(state)
    return state._replace(phase=Phase.CLOUD)


def after_last_step(state: State) -> State:
    """Return the state after the last step of a turn, which ends or waits for its player to say so."""
    if state.settings.explicit_end_turn:
        return state._replace(phase=Phase.END_TURN)
    return end_turn(state)


def end_turn(state: State) -> State:
    """Return the state after the turn of the active seat, without what holds only in that turn."""
    if state.played:
        if state.borrowed != _NOTHING_BORROWED:
            state = with_professors_returned(state)
        state = state._replace(played=0, ignored=NOBODY)
    return next_actor(state._replace(to_move=0) if state.to_move else state)


def _round_ended(state: State) -> State:
    if state.last_round:
        return over(state, state.last_round)
    order = action_order(state)
    return begin_round(state._replace(first=order[0]) if order else state)
