"""Which actions of Eriantys are legal, and the rules that the others break (eriantys.md section 6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from fairplay.games.eriantys.rules.board import addresses, group_of
from fairplay.games.eriantys.rules.state import (
    ASSISTANTS,
    COLOR_COUNT,
    MAX_SEATS,
    NOBODY,
    TABLE_SEATS,
    TILE_COUNT,
    TOWER_COLORS,
    Action,
    ChooseTowers,
    EndTurn,
    MoveMotherNature,
    Phase,
    PlayAssistant,
    State,
    TakeCloud,
    ToDiningRoom,
    ToIsland,
    assistant_steps,
    choosers,
    free_tower_colors,
)

POSTMAN: Final = 4
_POSTMAN_STEPS = 2
_MOST_STEPS = assistant_steps(ASSISTANTS) + _POSTMAN_STEPS

_CHOOSE_TOWERS = tuple(ChooseTowers(color) for color in range(len(TOWER_COLORS)))
_PLAY_ASSISTANT = tuple(PlayAssistant(value) for value in range(ASSISTANTS + 1))
_TO_DINING_ROOM = tuple(ToDiningRoom(color) for color in range(COLOR_COUNT))
_TO_ISLAND = tuple(tuple(ToIsland(color, at) for at in range(TILE_COUNT)) for color in range(COLOR_COUNT))
_MOVE = tuple(MoveMotherNature(steps) for steps in range(_MOST_STEPS + 1))
_TAKE_CLOUD = tuple(TakeCloud(cloud) for cloud in range(MAX_SEATS))
_END_TURN = EndTurn()


def choice_violation(state: State, seat: int, color: int) -> str | None:
    """Return as `violation` the rule that a tower colour breaks, asked for by any of `choosers(state)`."""
    if state.phase is Phase.OVER:
        return "eriantys.action.game-over"
    if seat not in choosers(state):
        return "eriantys.action.phase"
    if not 0 <= color < len(state.tower_colors):
        return "eriantys.towers.known"
    return "eriantys.towers.taken" if color in state.tower_colors else None


def due_actions(state: State) -> Sequence[Action]:
    """Return the legal actions without characters."""
    if state.phase is Phase.STUDENTS:
        return _student_moves(state)
    if state.phase is Phase.MOTHER_NATURE:
        return _MOVE[1 : most_steps(state) + 1]
    if state.phase is Phase.CLOUD:
        return [_TAKE_CLOUD[at] for at, cloud in enumerate(state.clouds) if any(cloud)]
    return _other_choices(state)


def _student_moves(state: State) -> list[Action]:
    seat = state.active
    room, islands = state.dining_rooms[seat], addresses(state)
    moves: list[Action] = []
    for color, count in enumerate(state.entrances[seat]):
        if count:
            if room[color] < TABLE_SEATS:
                moves.append(_TO_DINING_ROOM[color])
            to_island = _TO_ISLAND[color]
            moves += [to_island[island] for island in islands]
    return moves


def _other_choices(state: State) -> Sequence[Action]:
    if state.phase is Phase.ASSISTANT:
        return [_PLAY_ASSISTANT[value] for value in playable_assistants(state)]
    if state.phase is Phase.TOWERS:
        return [_CHOOSE_TOWERS[color] for color in free_tower_colors(state)]
    return (_END_TURN,) if state.phase is Phase.END_TURN else ()


def playable_assistants(state: State) -> tuple[int, ...]:
    """Return the assistants that the seat to decide may play: those not played in this round, or else all."""
    hand, played = state.hands[state.active], [state.assistants[seat] for seat in state.planned]
    return tuple([value for value in hand if value not in played]) or hand


def most_steps(state: State) -> int:
    """Return how far Mother Nature may go in this turn."""
    return assistant_steps(state.assistants[state.active]) + (_POSTMAN_STEPS if state.played == POSTMAN else 0)


# What is wrong with an action that is due


def _assistant_violation(state: State, action: PlayAssistant) -> str | None:
    value = action.value
    if not 1 <= value <= ASSISTANTS:
        return "eriantys.assistant.range"
    if value not in state.hands[state.active]:
        return "eriantys.assistant.in-hand"
    return None if value in playable_assistants(state) else "eriantys.assistant.taken"


def _student_violation(state: State, action: ToDiningRoom | ToIsland) -> str | None:
    color, seat = action.color, state.active
    if not 0 <= color < COLOR_COUNT:
        return "eriantys.color.known"
    if isinstance(action, ToIsland) and group_of(state, action.island) == NOBODY:
        return "eriantys.island.known"
    if not state.entrances[seat][color]:
        return "eriantys.student.entrance"
    if isinstance(action, ToDiningRoom) and state.dining_rooms[seat][color] >= TABLE_SEATS:
        return "eriantys.student.table-full"
    return None


def _cloud_violation(state: State, action: TakeCloud) -> str | None:
    cloud = action.cloud
    if not 0 <= cloud < len(state.clouds):
        return "eriantys.cloud.known"
    return None if any(state.clouds[cloud]) else "eriantys.cloud.empty"


CHECKS: Final[Mapping[type, tuple[Phase, Callable[[State, Any], str | None]]]] = {
    ChooseTowers: (Phase.TOWERS, lambda state, action: choice_violation(state, state.active, action.color)),
    PlayAssistant: (Phase.ASSISTANT, _assistant_violation),
    ToDiningRoom: (Phase.STUDENTS, _student_violation),
    ToIsland: (Phase.STUDENTS, _student_violation),
    MoveMotherNature: (
        Phase.MOTHER_NATURE,
        lambda state, action: None if 1 <= action.steps <= most_steps(state) else "eriantys.mother-nature.steps",
    ),
    TakeCloud: (Phase.CLOUD, _cloud_violation),
    EndTurn: (Phase.END_TURN, lambda _state, _action: None),
}
"""When an action of each kind but a character is due, and the rule that it breaks then."""
