"""What the actions of Eriantys do, with all that follows from them (eriantys.md sections 3 and 6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from fairplay.games.eriantys.rules.actions import (
    Action,
    ChooseTowers,
    EndTurn,
    MoveMotherNature,
    PlayAssistant,
    PlayCharacter,
    TakeCloud,
    ToDiningRoom,
    ToIsland,
)
from fairplay.games.eriantys.rules.characters import play_character
from fairplay.games.eriantys.rules.islands import group_of, stop_at, with_student
from fairplay.games.eriantys.rules.rounds import (
    after_last_step,
    after_mother_nature,
    begin_round,
    end_turn,
    last_round,
    next_planner,
)
from fairplay.games.eriantys.rules.school import seated
from fairplay.games.eriantys.rules.state import (
    NONE,
    Group,
    Phase,
    Reason,
    State,
    added,
    choosers,
    plus,
    with_at,
    with_counts,
)


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


def apply(state: State, action: Action) -> State:
    """Return the state after a legal action of the seat to decide, which is not checked, and what follows from it."""
    return _EFFECTS[type(action)](state, action)


def _chose(state: State, action: ChooseTowers) -> State:
    return choose(state, state.active, action.color)


def _planned(state: State, action: PlayAssistant) -> State:
    """Return the state after an assistant; the last one of a hand makes this round the last one."""
    seat = state.active
    hand = tuple([value for value in state.hands[seat] if value != action.value])
    state = state._replace(
        hands=(*state.hands[:seat], hand, *state.hands[seat + 1 :]),
        assistants=with_at(state.assistants, seat, action.value),
        planned=(*state.planned, seat),
        revision=state.revision + 1,
    )
    return next_planner(state if hand else last_round(state, Reason.LAST_ASSISTANT))


def _dined(state: State, action: ToDiningRoom) -> State:
    return seated(_student_left(state, action.color, state.groups), action.color)


def _landed(state: State, action: ToIsland) -> State:
    groups = with_student(state, group_of(state, action.island), action.color)
    return _student_left(state, action.color, groups)


def _student_left(state: State, color: int, groups: tuple[Group, ...]) -> State:
    """Return the state without a student in the entrance; after the last one Mother Nature is due."""
    seat, left = state.active, state.to_move - 1
    return state._replace(
        groups=groups,
        entrances=with_counts(state.entrances, seat, plus(state.entrances[seat], color, -1)),
        to_move=left,
        phase=Phase.STUDENTS if left else Phase.MOTHER_NATURE,
        revision=state.revision + 1,
    )


def _moved(state: State, action: MoveMotherNature) -> State:
    index = (state.mother_nature + action.steps) % len(state.groups)
    state = state._replace(mother_nature=index, revision=state.revision + 1)
    return after_mother_nature(stop_at(state, index))


def _took(state: State, action: TakeCloud) -> State:
    seat, cloud = state.active, action.cloud
    state = state._replace(
        entrances=with_counts(state.entrances, seat, added(state.entrances[seat], state.clouds[cloud])),
        clouds=with_counts(state.clouds, cloud, NONE),
        revision=state.revision + 1,
    )
    return after_last_step(state)


def _ended(state: State, action: EndTurn) -> State:
    del action
    return end_turn(state._replace(revision=state.revision + 1))


_EFFECTS: Final[Mapping[type, Callable[[State, Any], State]]] = {
    ChooseTowers: _chose,
    PlayAssistant: _planned,
    ToDiningRoom: _dined,
    ToIsland: _landed,
    MoveMotherNature: _moved,
    TakeCloud: _took,
    PlayCharacter: play_character,
    EndTurn: _ended,
}


def default_action(state: State) -> Action:
    """Return what is done for a player that is lost in its turn: students to an island, one step, the first cloud."""
    if state.phase is Phase.STUDENTS:
        return ToIsland(next(color for color, count in enumerate(state.entrances[state.active]) if count), 0)
    if state.phase is Phase.MOTHER_NATURE:
        return MoveMotherNature(1)
    if state.phase is Phase.CLOUD:
        return TakeCloud(next(at for at, cloud in enumerate(state.clouds) if any(cloud)))
    return EndTurn()
