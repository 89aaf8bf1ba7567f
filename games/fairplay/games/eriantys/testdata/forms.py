"""The values of Eriantys in the JSON forms of its test data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from enum import IntEnum
from typing import TypeVar

from fairplay.games.eriantys.rules.invariants import invariant
from fairplay.games.eriantys.rules.state import (
    COLORS,
    NOBODY,
    TOWER_COLORS,
    Action,
    Card,
    ChooseTowers,
    Counts,
    EndTurn,
    Group,
    MoveMotherNature,
    Phase,
    PlayAssistant,
    PlayCharacter,
    Reason,
    Settings,
    Standing,
    State,
    TakeCloud,
    ToDiningRoom,
    ToIsland,
    settings_problem,
)
from fairplay.games.kit import testdata
from fairplay.games.kit.testdata import Json, read_flag, read_int, read_list, read_object, read_text

_Enum = TypeVar("_Enum", bound=IntEnum)


def read_settings(value: Json) -> Settings:
    """Return the settings of an object with those that differ from their defaults, or of null."""
    given = {} if value is None else value
    return testdata.read_settings(given, Settings, settings_problem, characters=_numbers)


def read_action(value: Json) -> Action:
    """Return an action. Raises ValueError for an unknown kind or colour, or if something is missing or too much.

    Numbers may be out of range.
    """
    given = dict(_object(value, "action"))
    kind = read_text(given.pop("kind", None), "kind", tuple(_READERS))
    try:
        return _READERS[kind](**given)
    except TypeError:
        raise ValueError(f"The action {value!r} does not have what belongs to {kind}.") from None


def _read_character(character: int, color: str | None = None, island: int | None = None, swaps: Json = None) -> Action:
    pairs = [read_list(pair, "swap", count=2) for pair in read_list(swaps or [], "swaps")]
    return PlayCharacter(
        read_int(character, "character"),
        None if color is None else _color(color),
        None if island is None else read_int(island, "island"),
        tuple([(_color(left), _color(right)) for left, right in pairs]),
    )


_READERS: Mapping[str, Callable[..., Action]] = {
    "CHOOSE_TOWERS": lambda color: ChooseTowers(_tower_color(color)),
    "PLAY_ASSISTANT": lambda value: PlayAssistant(read_int(value, "value")),
    "TO_DINING_ROOM": lambda color: ToDiningRoom(_color(color)),
    "TO_ISLAND": lambda color, island: ToIsland(_color(color), read_int(island, "island")),
    "MOVE_MOTHER_NATURE": lambda steps: MoveMotherNature(read_int(steps, "steps")),
    "TAKE_CLOUD": lambda cloud: TakeCloud(read_int(cloud, "cloud")),
    "PLAY_CHARACTER": _read_character,
    "END_TURN": EndTurn,
}
_KINDS: Mapping[type, str] = {
    ChooseTowers: "CHOOSE_TOWERS",
    PlayAssistant: "PLAY_ASSISTANT",
    ToDiningRoom: "TO_DINING_ROOM",
    ToIsland: "TO_ISLAND",
    MoveMotherNature: "MOVE_MOTHER_NATURE",
    TakeCloud: "TAKE_CLOUD",
    PlayCharacter: "PLAY_CHARACTER",
    EndTurn: "END_TURN",
}


def write_action(action: Action) -> Json:
    """Return the form that `read_action` reads; what an action does not need is left out."""
    written = {"kind": _KINDS[type(action)]} | asdict(action)
    if isinstance(action, ChooseTowers):
        written["color"] = TOWER_COLORS[action.color].upper()
    elif written.get("color") is not None:
        written["color"] = _name(written["color"])
    if isinstance(action, PlayCharacter):
        written["swaps"] = [[_name(left), _name(right)] for left, right in action.swaps]
    return {key: value for key, value in written.items() if value is not None and value != []}


# Games


def write_state(state: State) -> Json:
    """Return the form of a game, full or as a player sees it."""
    return state._asdict() | {
        "settings": _written_settings(state.settings),
        "sides": list(state.sides),
        "phase": state.phase.name,
        "active": _or_null(state.active),
        "groups": [_written_group(group) for group in state.groups],
        "bag": _students(state.bag),
        "clouds": [_students(cloud) for cloud in state.clouds],
        "entrances": [_students(entrance) for entrance in state.entrances],
        "dining_rooms": [_students(room) for room in state.dining_rooms],
        "professors": {_name(color): owner for color, owner in enumerate(state.professors) if owner != NOBODY},
        "hands": [list(hand) for hand in state.hands],
        "assistants": list(state.assistants),
        "planned": list(state.planned),
        "queue": list(state.queue),
        "tower_colors": [None if color == NOBODY else TOWER_COLORS[color].upper() for color in state.tower_colors],
        "towers": list(state.towers),
        "cards": [card._asdict() | {"students": _students(card.students)} for card in state.cards],
        "coins": list(state.coins),
        "paid_seats": list(state.paid_seats),
        "ignored": None if state.ignored == NOBODY else _name(state.ignored),
        "borrowed": {_name(color): lender for color, lender in enumerate(state.borrowed) if lender != NOBODY},
        "aside": _students(state.aside),
        "standings": [standing.name for standing in state.standings],
        "last_round": state.last_round.name,
        "reason": state.reason.name,
    }


def read_state(value: Json) -> State:
    """Return a full game. Raises ValueError if it has another form, or if no game can lead to it."""
    state = _read_fields(read_object(value, "game", State._fields))
    if problem := invariant(state):
        raise ValueError(problem)
    return state


def _read_fields(given: Mapping[str, Json]) -> State:
    plain = ("round", "mother_nature", "first", "to_move", "reserve", "played", "draw_state", "revision")
    by_number = ("sides", "assistants", "planned", "queue", "towers", "coins", "paid_seats")
    by_students = ("clouds", "entrances", "dining_rooms")
    read: dict[str, Json] = {name: read_int(given[name], name) for name in plain}
    read |= {name: _numbers(given[name], name) for name in by_number}
    read |= {name: tuple(map(_counts, read_list(given[name], name))) for name in by_students}
    return State(
        **read,
        settings=read_settings(given["settings"]),
        phase=_member(Phase, given["phase"], "phase"),
        active=_or_nobody(given["active"]),
        groups=tuple(map(_group, read_list(given["groups"], "groups"))),
        bag=_counts(given["bag"]),
        clouds_closed=read_flag(given["clouds_closed"], "clouds_closed"),
        professors=_by_color(given["professors"]),
        hands=tuple([_numbers(hand, "hand") for hand in read_list(given["hands"], "hands")]),
        tower_colors=tuple(map(_tower_color_or_nobody, read_list(given["tower_colors"], "tower_colors"))),
        cards=tuple(map(_card, read_list(given["cards"], "cards"))),
        ignored=NOBODY if given["ignored"] is None else _color(given["ignored"]),
        borrowed=_by_color(given["borrowed"]),
        aside=_counts(given["aside"]),
        standings=tuple([_member(Standing, name, "standing") for name in read_list(given["standings"], "standings")]),
        last_round=_member(Reason, given["last_round"], "last_round"),
        reason=_member(Reason, given["reason"], "reason"),
    )


# The parts of a game


def _written_settings(settings: Settings) -> Json:
    """Return the settings that differ from their defaults."""
    defaults, given = asdict(Settings()), asdict(settings)
    changed = {name: value for name, value in given.items() if value != defaults[name]}
    return changed | ({"characters": list(settings.characters)} if settings.characters else {})


def _written_group(group: Group) -> Json:
    return {
        "tiles": list(group.tiles),
        "students": _students(group.students),
        "tower": _or_null(group.tower),
        "no_entry": group.no_entry,
    }


def _group(value: Json) -> Group:
    given = read_object(value, "group", Group._fields)
    tiles, students = _numbers(given["tiles"], "tiles"), _counts(given["students"])
    return Group(tiles, students, _or_nobody(given["tower"]), read_int(given["no_entry"], "no_entry"))


def _card(value: Json) -> Card:
    given = read_object(value, "card", Card._fields)
    number, no_entry = read_int(given["character"], "character"), read_int(given["no_entry"], "no_entry")
    return Card(number, read_flag(given["is_used"], "is_used"), _counts(given["students"]), no_entry)


def _students(counts: Counts) -> Json:
    return {_name(color): count for color, count in enumerate(counts) if count}


def _counts(value: Json) -> Counts:
    return _by_color(value, 0)


def _by_color(value: Json, without: int = NOBODY) -> tuple[int, ...]:
    """Return the numbers of an object by colour, `without` for a colour that is not in it."""
    given = {_color(name): read_int(number, name) for name, number in _object(value, "colours").items()}
    return tuple([given.get(color, without) for color in range(len(COLORS))])


def _name(color: int) -> str:
    return COLORS[color].upper()


def _color(name: Json) -> int:
    return _index(COLORS, name, "colour")


def _tower_color(name: Json) -> int:
    return _index(TOWER_COLORS, name, "tower colour")


def _index(names: Sequence[str], name: Json, where: str) -> int:
    upper = [known.upper() for known in names]
    return upper.index(read_text(name, where, upper))


def _member(kind: type[_Enum], name: Json, where: str) -> _Enum:
    return kind[read_text(name, where, list(kind.__members__))]


def _tower_color_or_nobody(name: Json) -> int:
    return NOBODY if name is None else _tower_color(name)


def _or_null(value: int) -> int | None:
    return None if value == NOBODY else value


def _or_nobody(value: Json) -> int:
    return NOBODY if value is None else read_int(value, "seat")


def _object(value: Json, where: str) -> Mapping[str, Json]:
    if not isinstance(value, dict):
        raise ValueError(f"{where} is {value!r}: it must be an object.")
    return value


def _numbers(values: Json, where: str) -> tuple[int, ...]:
    return tuple([read_int(value, where) for value in read_list(values, where)])
