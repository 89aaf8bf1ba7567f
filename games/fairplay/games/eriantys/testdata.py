"""Eriantys for other people's test data: plain JSON values in, plain JSON values out.

A game is an object with the fields of `rules.State`. Students are objects from colour to count ({"RED": 2}), colours
and tower colours are upper-case names, a seat or side that is nobody is null, enums are upper-case names. An action is
an object with its "kind" and what belongs to it:

    {"kind": "CHOOSE_TOWERS", "color": "WHITE"}          {"kind": "PLAY_ASSISTANT", "value": 4}
    {"kind": "TO_DINING_ROOM", "color": "RED"}           {"kind": "TO_ISLAND", "color": "RED", "island": 3}
    {"kind": "MOVE_MOTHER_NATURE", "steps": 2}           {"kind": "TAKE_CLOUD", "cloud": 0}
    {"kind": "PLAY_CHARACTER", "character": 7, "swaps": [["RED", "BLUE"]]}, with "color" and "island" where needed
    {"kind": "END_TURN"}

A value that is not of its form is a ValueError. Nothing depends on time; chance is in the seed and in the game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from enum import IntEnum
from random import Random
from typing import Any, TypeAlias, TypeVar

from fairplay.games.eriantys import rules
from fairplay.games.eriantys.players.strategies import strategy
from fairplay.games.eriantys.rules import (
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
)

Json: TypeAlias = Any

_Enum = TypeVar("_Enum", bound=IntEnum)


# The questions of test data


def fresh_game(seed: int, player_count: int, jsettings: Json = None) -> Json:
    """A game as section 2 draws it, in which tower colours are chosen next; the same for the same seed."""
    return write_state(rules.initial(read_settings(jsettings), player_count, Random(seed)))


def legal_actions(jstate: Json) -> list[Json]:
    """Every legal action of the player to decide."""
    return [write_action(action) for action in rules.legal(read_state(jstate))]


def broken_rule(jstate: Json, jaction: Json) -> str | None:
    """The id of the rule that an action of the player to decide breaks, None if it is legal."""
    return rules.violation(read_state(jstate), read_action(jaction))


def after(jstate: Json, *jactions: Json) -> Json:
    """The game after these actions; ValueError naming the rule that one of them breaks."""
    state = read_state(jstate)
    for jaction in jactions:
        action = read_action(jaction)
        if rule := rules.violation(state, action):
            raise ValueError(f"{jaction!r} breaks {rule}")
        state = rules.apply(state, action)
    return write_state(state)


def after_elimination(jstate: Json, seat: int) -> Json:
    """The game without a player."""
    return write_state(rules.eliminate(read_state(jstate), seat))


def seen(jstate: Json, seat: int) -> Json:
    """What a player sees of a game."""
    return write_state(rules.view(read_state(jstate), seat))


def influences(jstate: Json, tile: int) -> list[int]:
    """The influence of each side on the group of a tile, as things are now (section 4.1)."""
    state = read_state(jstate)
    group = next((group for group in state.groups if tile in group.tiles), None)
    if group is None:
        raise ValueError(f"there is no island {tile!r}")
    return rules.influences(state, group)


def result(jstate: Json) -> Json:
    """How a game stands: `{"winners": [seat], "ranking": [[seat]], "scores": [int], "reason": name or null}`."""
    state = read_state(jstate)
    return _result(state)


def answer(spec: str, jstate: Json) -> Json:
    """What a strategy does in the place of the player to decide, from what that player sees."""
    state = read_state(jstate)
    return write_action(strategy(spec)(rules.view(state, state.active)))


def play(seed: int, specs: Sequence[str], jsettings: Json = None) -> Json:
    """A whole game, a strategy for each player: its result as above, and all its actions under "actions"."""
    brains = [strategy(spec) for spec in specs]
    state = rules.initial(read_settings(jsettings), len(specs), Random(seed))
    actions = []
    while (seat := rules.turn(state)) is not None:
        action = brains[seat](rules.view(state, seat))
        if rule := rules.violation(state, action):
            raise ValueError(f"{specs[seat]} breaks {rule}")
        actions.append(write_action(action))
        state = rules.apply(state, action)
    return _result(state) | {"actions": actions}


def _result(state: State) -> dict[str, Json]:
    return {
        "winners": list(rules.winners(state)),
        "ranking": [list(group) for group in rules.ranking(state)],
        "scores": list(rules.scores(state)),
        "reason": state.reason.name if state.reason else None,
    }


# Settings and actions


def read_settings(jsettings: Json) -> Settings:
    """Settings from those fields that differ from the defaults; ValueError: a field or value is not allowed."""
    given = dict(_object(jsettings or {}))
    names = {field.name for field in fields(Settings)}
    if unknown := sorted(set(given) - names):
        raise ValueError(f"there is no setting {unknown[0]!r}")
    if "characters" in given:
        given["characters"] = tuple(_numbers(given["characters"]))
    settings = replace(Settings(), **given)
    if problem := rules.settings_problem(settings):
        raise ValueError(problem[1])
    return settings


def read_action(jaction: Json) -> Action:
    """An action; its numbers may be out of range, its colours and kind may not."""
    given = dict(_object(jaction))
    kind = given.pop("kind", None)
    if kind not in _READERS:
        raise ValueError(f"{kind!r} is not one of {', '.join(_READERS)}")
    try:
        return _READERS[kind](**given)
    except TypeError:
        raise ValueError(f"{jaction!r} does not have what belongs to {kind}") from None


def _read_character(character: int, color: str | None = None, island: int | None = None, swaps: Json = ()) -> Action:
    pairs = [tuple(map(_color, pair)) for pair in swaps]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError("a swap is a pair of colours")
    return PlayCharacter(
        _number(character),
        None if color is None else _color(color),
        None if island is None else _number(island),
        tuple((pair[0], pair[1]) for pair in pairs),
    )


_READERS: Mapping[str, Callable[..., Action]] = {
    "CHOOSE_TOWERS": lambda color: ChooseTowers(_tower_color(color)),
    "PLAY_ASSISTANT": lambda value: PlayAssistant(_number(value)),
    "TO_DINING_ROOM": lambda color: ToDiningRoom(_color(color)),
    "TO_ISLAND": lambda color, island: ToIsland(_color(color), _number(island)),
    "MOVE_MOTHER_NATURE": lambda steps: MoveMotherNature(_number(steps)),
    "TAKE_CLOUD": lambda cloud: TakeCloud(_number(cloud)),
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
    """An action as JSON; what it does not need is left out."""
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
    """A game, full or seen, as JSON."""
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


def read_state(jstate: Json) -> State:
    """A full game. ValueError: it is not of the form, or no game can have led to it (`rules.invariant`)."""
    given = dict(_object(jstate))
    if missing := [name for name in State._fields if name not in given]:
        raise ValueError(f"a game must say its {missing[0]}")
    try:
        state = _read_fields(given)
    except (KeyError, TypeError, AttributeError) as problem:
        raise ValueError(f"this is not a game: {problem}") from None
    if problem_found := rules.invariant(state):
        raise ValueError(problem_found)
    return state


def _read_fields(given: Mapping[str, Json]) -> State:
    plain = ("round", "mother_nature", "first", "to_move", "reserve", "played", "draw_state", "revision")
    by_number = ("sides", "assistants", "planned", "queue", "towers", "coins", "paid_seats")
    by_students = ("clouds", "entrances", "dining_rooms")
    read: dict[str, Json] = {name: _number(given[name]) for name in plain}
    read |= {name: tuple(_numbers(given[name])) for name in by_number}
    read |= {name: tuple(_counts(counts) for counts in given[name]) for name in by_students}
    return State(
        **read,
        settings=read_settings(given["settings"]),
        phase=_member(Phase, given["phase"]),
        active=_or_nobody(given["active"]),
        groups=tuple(_group(jgroup) for jgroup in given["groups"]),
        bag=_counts(given["bag"]),
        clouds_closed=bool(given["clouds_closed"]),
        professors=_by_color(given["professors"]),
        hands=tuple(tuple(_numbers(hand)) for hand in given["hands"]),
        tower_colors=tuple(NOBODY if color is None else _tower_color(color) for color in given["tower_colors"]),
        cards=tuple(_card(jcard) for jcard in given["cards"]),
        ignored=NOBODY if given["ignored"] is None else _color(given["ignored"]),
        borrowed=_by_color(given["borrowed"]),
        aside=_counts(given["aside"]),
        standings=tuple(_member(Standing, name) for name in given["standings"]),
        last_round=_member(Reason, given["last_round"]),
        reason=_member(Reason, given["reason"]),
    )


# The parts of a game


def _written_settings(settings: Settings) -> Json:
    """Those fields that differ from the defaults."""
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


def _group(jgroup: Json) -> Group:
    tiles, students = tuple(_numbers(jgroup["tiles"])), _counts(jgroup["students"])
    return Group(tiles, students, _or_nobody(jgroup["tower"]), _number(jgroup["no_entry"]))


def _card(jcard: Json) -> Card:
    students = _counts(jcard["students"])
    return Card(_number(jcard["character"]), bool(jcard["is_used"]), students, _number(jcard["no_entry"]))


def _students(counts: Counts) -> Json:
    return {_name(color): count for color, count in enumerate(counts) if count}


def _counts(jstudents: Json) -> Counts:
    counts = [0] * len(COLORS)
    for name, count in _object(jstudents).items():
        counts[_color(name)] = _number(count)
    return tuple(counts)


def _by_color(jowners: Json) -> tuple[int, ...]:
    owners = {_color(name): _number(seat) for name, seat in _object(jowners).items()}
    return tuple(owners.get(color, NOBODY) for color in range(len(COLORS)))


def _name(color: int) -> str:
    return COLORS[color].upper()


def _color(name: Json) -> int:
    return _index(COLORS, name)


def _tower_color(name: Json) -> int:
    return _index(TOWER_COLORS, name)


def _index(names: Sequence[str], name: Json) -> int:
    upper = [known.upper() for known in names]
    if name not in upper:
        raise ValueError(f"{name!r} is not one of {', '.join(upper)}")
    return upper.index(name)


def _member(kind: type[_Enum], name: Json) -> _Enum:
    if name not in kind.__members__:
        raise ValueError(f"{name!r} is not one of {', '.join(kind.__members__)}")
    return kind[name]


def _or_null(value: int) -> int | None:
    return None if value == NOBODY else value


def _or_nobody(value: Json) -> int:
    return NOBODY if value is None else _number(value)


def _object(value: Json) -> Mapping[str, Json]:
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} is not an object")
    return value


def _numbers(values: Json) -> list[int]:
    if not isinstance(values, list | tuple):
        raise ValueError(f"{values!r} is not a list of numbers")
    return [_number(value) for value in values]


def _number(value: Json) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{value!r} is not a whole number")
    return value
