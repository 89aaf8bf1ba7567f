"""The course of a game: rounds, what actions do, and players that leave it (eriantys.md sections 3, 6 and 8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from fairplay.games.eriantys.rules import board
from fairplay.games.eriantys.rules.characters import play_character
from fairplay.games.eriantys.rules.state import (
    COLOR_COUNT,
    NOBODY,
    NONE,
    ChooseTowers,
    Counts,
    EndTurn,
    Group,
    MoveMotherNature,
    Phase,
    PlayAssistant,
    PlayCharacter,
    Reason,
    Standing,
    State,
    TakeCloud,
    ToDiningRoom,
    ToIsland,
    added,
    choosers,
    plus,
    size_of,
    with_at,
)

_NOTHING_BORROWED = (NOBODY,) * COLOR_COUNT


# Rounds and turns, as far as nobody decides anything (section 3)


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
        return board.over(state, Reason.BAG_EMPTY)
    clouds: list[Counts] = []
    draw_state, bag = state.draw_state, state.bag
    for cloud in state.clouds:
        draw_state, drawn, bag = board.draw(draw_state, bag, capacity - sum(cloud), state.settings.draw_model)
        clouds.append(added(cloud, drawn))
    state = state._replace(
        draw_state=draw_state,
        bag=bag,
        clouds=tuple(clouds),
        clouds_closed=short and state.settings.short_refill == "skip_all",
    )
    return state if any(bag) else board.last_round(state, Reason.BAG_EMPTY)


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
        if state.last_round:
            return board.over(state, state.last_round)
        order = action_order(state)
        return begin_round(state._replace(first=order[0]) if order else state)
    to_move = min(size_of(len(state.sides)).cloud, sum(state.entrances[seat]))
    return state._replace(
        phase=Phase.STUDENTS if to_move else Phase.MOTHER_NATURE, active=seat, queue=queue, to_move=to_move
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
            state = board.with_professors_returned(state)
        state = state._replace(played=0, ignored=NOBODY)
    return next_actor(state._replace(to_move=0) if state.to_move else state)


# What actions do (sections 3 and 6)


def choose(state: State, seat: int, color: int) -> State:
    """Return the state in which a seat's side has a tower colour; once all sides have one the first round begins."""
    state = state._replace(
        tower_colors=with_at(state.tower_colors, state.sides[seat], color), revision=state.revision + 1
    )
    return after_choice(state)


def after_choice(state: State) -> State:
    """Return the state in which the next seat that has to choose is asked, or the first round begins."""
    if left := choosers(state):
        return state._replace(active=left[0])
    return begin_round(state)


def _planned(state: State, action: PlayAssistant) -> State:
    """Return the state after an assistant; the last one of a hand makes this round the last one."""
    seat = state.active
    hand = tuple([value for value in state.hands[seat] if value != action.value])
    state = state._replace(
        hands=with_at(state.hands, seat, hand),
        assistants=with_at(state.assistants, seat, action.value),
        planned=(*state.planned, seat),
        revision=state.revision + 1,
    )
    return next_planner(state if hand else board.last_round(state, Reason.LAST_ASSISTANT))


def _dined(state: State, action: ToDiningRoom) -> State:
    return board.seated(_student_left(state, action.color, state.groups), action.color)


def _landed(state: State, action: ToIsland) -> State:
    groups = board.with_student(state, board.group_of(state, action.island), action.color)
    return _student_left(state, action.color, groups)


def _student_left(state: State, color: int, groups: tuple[Group, ...]) -> State:
    """Return the state without a student in the entrance; after the last one Mother Nature is due."""
    seat, left = state.active, state.to_move - 1
    return state._replace(
        groups=groups,
        entrances=with_at(state.entrances, seat, plus(state.entrances[seat], color, -1)),
        to_move=left,
        phase=Phase.STUDENTS if left else Phase.MOTHER_NATURE,
        revision=state.revision + 1,
    )


def _moved(state: State, action: MoveMotherNature) -> State:
    index = (state.mother_nature + action.steps) % len(state.groups)
    state = state._replace(mother_nature=index, revision=state.revision + 1)
    return after_mother_nature(board.stop_at(state, index))


def _took(state: State, action: TakeCloud) -> State:
    seat, cloud = state.active, action.cloud
    state = state._replace(
        entrances=with_at(state.entrances, seat, added(state.entrances[seat], state.clouds[cloud])),
        clouds=with_at(state.clouds, cloud, NONE),
        revision=state.revision + 1,
    )
    return after_last_step(state)


EFFECTS: Final[Mapping[type, Callable[[State, Any], State]]] = {
    ChooseTowers: lambda state, action: choose(state, state.active, action.color),
    PlayAssistant: _planned,
    ToDiningRoom: _dined,
    ToIsland: _landed,
    MoveMotherNature: _moved,
    TakeCloud: _took,
    PlayCharacter: play_character,
    EndTurn: lambda state, _action: end_turn(state._replace(revision=state.revision + 1)),
}
