"""Which actions of Eriantys are legal, and the rules that the others break (eriantys.md section 6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from fairplay.games.eriantys.rules.board import address, addresses, group_of
from fairplay.games.eriantys.rules.characters import Lazy, character_options, character_violation, columns
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
    PlayCharacter,
    State,
    TakeCloud,
    ToDiningRoom,
    ToIsland,
    assistant_steps,
    choosers,
    free_tower_colors,
)

RULES: Mapping[str, str] = MappingProxyType(
    {
        "eriantys.action.game-over": "Nothing can be played once the game is over.",
        "eriantys.action.phase": "An action must be of a kind that is legal now: tower colour, assistant, students, "
        "Mother Nature, cloud, each in its time; a character between the first student and the cloud.",
        "eriantys.action.required": "An answer must hold what was asked for, with all that belongs to it.",
        "eriantys.assistant.in-hand": "Only an assistant that is still in the hand can be played.",
        "eriantys.assistant.range": "An assistant has a value of 1 to 10.",
        "eriantys.assistant.taken": "An assistant with a value that somebody has played in this round can be played "
        "only by a player whose whole hand has such values.",
        "eriantys.character.coins": "A character costs its price, and one coin more once it has been used.",
        "eriantys.character.expert": "Characters can be played in Expert mode only.",
        "eriantys.character.in-play": "Only one of the three characters in play can be played.",
        "eriantys.character.island": "Characters 1, 3 and 5 need an island; the others take none.",
        "eriantys.character.color": "Characters 1, 9, 11 and 12 need a colour; the others take none.",
        "eriantys.character.card-students": "A student that leaves a character must be on it.",
        "eriantys.character.late": "Under these settings characters 4, 6, 8 and 9 cannot be played once Mother Nature "
        "has moved.",
        "eriantys.character.no-entry-left": "Character 5 can be played only while a no-entry tile is on it.",
        "eriantys.character.no-entry-one": "Under these settings an island holds one no-entry tile at most.",
        "eriantys.character.once": "A player can play one character in a turn.",
        "eriantys.character.swap-count": "Character 7 exchanges one to three students and character 10 one or two "
        "(or none, where the settings allow it); the others exchange none.",
        "eriantys.character.swap-dining-room": "A student that leaves the dining room in an exchange must be there.",
        "eriantys.character.swap-entrance": "A student that leaves the entrance in an exchange must be there.",
        "eriantys.character.table-full": "A character cannot put an eleventh student at a table.",
        "eriantys.cloud.empty": "A cloud that has been taken cannot be taken again.",
        "eriantys.cloud.known": "There are as many clouds as players, numbered from 0.",
        "eriantys.color.known": "A colour is green, red, yellow, pink or blue.",
        "eriantys.island.known": "An island is named by a tile, 0 to 11 (or by the index of its group, where the "
        "settings say so).",
        "eriantys.mother-nature.steps": "Mother Nature moves at least one step and at most as many as the assistant "
        "allows, two more with character 4.",
        "eriantys.student.entrance": "Only a student that is in the entrance can be moved.",
        "eriantys.student.table-full": "A table has ten seats.",
        "eriantys.towers.known": "A tower colour is black, white or, with three players, grey.",
        "eriantys.towers.taken": "A tower colour that another player or team has cannot be chosen.",
    }
)
"""The sentence of each rule that an answer can break, by its id."""


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


# Tower colours


def choice_violation(state: State, seat: int, color: int) -> str | None:
    """Return as `violation` the rule that a tower colour breaks, asked for by any of `choosers(state)`."""
    if state.phase is Phase.OVER:
        return "eriantys.action.game-over"
    if seat not in choosers(state):
        return "eriantys.action.phase"
    if not 0 <= color < len(state.tower_colors):
        return "eriantys.towers.known"
    return "eriantys.towers.taken" if color in state.tower_colors else None


# Legal actions


def legal(state: State) -> Sequence[Action]:
    """Return all legal actions of the seat to decide, none when the game is over.

    Every group of islands is named once, by its first tile (or its index), and every exchange of students comes
    once. Items of long choices are made when they are asked for. What is left out means the same as something
    listed: `canonical`.
    """
    due = due_actions(state)
    if state.played:
        return due
    parts = [options for options in character_options(state) if options]
    return _chained([due, *parts]) if parts else due


def _chained(parts: Sequence[Sequence[Action]]) -> Sequence[Action]:
    """Return several choices as one."""

    def item(index: int) -> Action:
        for part in parts:
            if index < len(part):
                return part[index]
            index -= len(part)
        raise IndexError(index)

    return Lazy(sum([len(part) for part in parts]), item)


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


def canonical(state: State, action: Action) -> Action:
    """Return the form in which `legal` lists an action that is legal."""
    if isinstance(action, ToIsland):
        return _TO_ISLAND[action.color][_address(state, action.island)]
    if isinstance(action, PlayCharacter):
        island = None if action.island is None else _address(state, action.island)
        left, right = columns(action.swaps)
        return PlayCharacter(action.character, action.color, island, tuple(zip(left, right, strict=True)))
    return action


def _address(state: State, island: int) -> int:
    return address(state, group_of(state, island))


# Illegal ones


def violation(state: State, action: Action) -> str | None:
    """Return the id of the first rule that an action of the seat to decide breaks; None: it is legal. Never raises."""
    if state.phase is Phase.OVER:
        return "eriantys.action.game-over"
    if isinstance(action, PlayCharacter):
        return character_violation(state, action)
    phase, check = _CHECKS[type(action)]
    return check(state, action) if phase is state.phase else "eriantys.action.phase"


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


_CHECKS: Final[Mapping[type, tuple[Phase, Callable[[State, Any], str | None]]]] = {
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
