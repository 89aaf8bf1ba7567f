"""How test data of Webset is read and written; `testdata` documents the forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields

from fairplay.games.kit.testdata import Json, read_int, read_list, read_text
from fairplay.games.webset.rules import invariants
from fairplay.games.webset.rules.cards import EMPTY, Cards, format_card, parse_card
from fairplay.games.webset.rules.settings import Settings, settings_of, settings_problem
from fairplay.games.webset.rules.state import Action, Phase, Player, Standing, State, Take, Word

_DEFAULTS: Mapping[str, Json] = {field.name: field.default for field in fields(Settings)}
_GAME = ("table", "deck", "players")
_MORE_OF_GAME = ("phase", "caller", "calls", "displayed", "discarded", "acts", "revision")
_PLAYER = ("points", "cards", "penalties", "expiries", "in", "locked", "voted")


def _read_part(value: Json, where: str, required: Sequence[str], optional: Sequence[str]) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise ValueError(f"{where} is {value!r}: it must be an object.")
    if missing := [name for name in required if name not in value]:
        raise ValueError(f"{where} has no {missing[0]}: it must have {', '.join(required)}.")
    if unknown := [name for name in value if name not in (*required, *optional)]:
        raise ValueError(
            f"{where} has the unknown name {unknown[0]!r}: it may have {', '.join((*required, *optional))}."
        )
    return value


def _read_flag(value: Json, where: str) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{where} is {value!r}: it must be true or false.")
    return value


# Cards and messages


def read_card(value: Json, where: str) -> int:
    """Return a card. Raises ValueError if the value names no card."""
    return parse_card(read_text(value, where))


def read_cards(value: Json, where: str) -> Cards:
    """Return the cards of an array. Raises ValueError if an item names no card."""
    return tuple([read_card(each, f"{where}[{place}]") for place, each in enumerate(read_list(value, where))])


def write_cards(cards: Iterable[int]) -> list[str]:
    """Return cards as an array."""
    return list(map(format_card, cards))


def read_action(message: Json) -> Action:
    """Return the action of a message. Raises ValueError if the value is no message."""
    if isinstance(message, list) and message[:1] == ["take"]:
        return Take(read_cards(message[1:], "take"))
    if message not in [word.value for word in Word]:
        raise ValueError(f"{message!r} is no message: there are call, more, show, end_show, take, expire and leave.")
    return Word(message)


def write_action(action: Action) -> Json:
    """Return an action as a message."""
    return action.value if isinstance(action, Word) else ["take", *write_cards(action.cards)]


# Settings


def read_settings(given: Json) -> Settings:
    """Return settings, with the defaults of their profile. Raises ValueError if one of them is not allowed."""
    if not isinstance(given, dict):
        raise ValueError(f"The settings are {given!r}: they must be an object.")
    if unknown := sorted(set(given) - set(_DEFAULTS)):
        raise ValueError(f"There is no setting {unknown[0]!r}: there are {', '.join(_DEFAULTS)}.")
    found = settings_of(**{name: _read_setting(name, value) for name, value in given.items()})
    if problem := settings_problem(found):
        raise ValueError(problem[1])
    return found


def _read_setting(name: str, value: Json) -> Json:
    default = _DEFAULTS[name]
    if default == ():
        return tuple([read_int(each, f"{name}[{place}]") for place, each in enumerate(read_list(value, name))])
    if isinstance(default, str):
        return read_text(value, name)
    if isinstance(default, bool):
        return _read_flag(value, name)
    return None if value is None is default else read_int(value, name)


def write_settings(settings: Settings) -> Json:
    """Return settings as an object."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(settings).items()}


# Games


def read_game(value: Json, settings: Settings) -> State:
    """Return a game. Raises ValueError if there cannot be such a game."""
    game = _read_part(value, "game", _GAME, _MORE_OF_GAME)
    slots = read_list(game["table"], "table")
    if len(slots) > settings.max_table:
        raise ValueError(f"table has {len(slots)} slots: it may have {settings.max_table}.")
    cards = [EMPTY if card is None else read_card(card, f"table[{slot}]") for slot, card in enumerate(slots)]
    players = [
        _read_part(player, f"players[{seat}]", (), _PLAYER)
        for seat, player in enumerate(read_list(game["players"], "players"))
    ]
    caller = game.get("caller")
    if caller is not None:
        read_int(caller, "caller", 0, len(players) - 1)
    phases = {phase.name.lower(): phase for phase in Phase}
    state = State(
        settings=settings,
        table=(*cards, *[EMPTY] * (settings.max_table - len(cards))),
        deck=read_cards(game["deck"], "deck"),
        phase=phases[read_text(game.get("phase", "open"), "phase", list(phases))],
        caller=caller,
        call_count=read_int(game.get("calls", int(caller is not None)), "calls", 0),
        displayed=read_int(game.get("displayed", 0), "displayed", 0),
        votes=tuple([seat for seat, player in enumerate(players) if _read_flag(player.get("voted", False), "voted")]),
        players=tuple([_read_player(player, f"players[{seat}]") for seat, player in enumerate(players)]),
        discarded=read_cards(game.get("discarded", []), "discarded"),
        act_count=read_int(game.get("acts", 0), "acts", 0),
        draw_state=0,
        revision=read_int(game.get("revision", 0), "revision", 0),
    )
    if problem := invariants.invariant(state):
        raise ValueError(problem)
    return state


def _read_player(player: Mapping[str, Json], where: str) -> Player:
    return Player(
        points=read_int(player.get("points", 0), f"{where}.points"),
        cards=read_cards(player.get("cards", []), f"{where}.cards"),
        penalties=read_int(player.get("penalties", 0), f"{where}.penalties", 0),
        expiries=read_int(player.get("expiries", 0), f"{where}.expiries", 0),
        standing=Standing.IN if _read_flag(player.get("in", True), f"{where}.in") else Standing.OUT,
        locked=_read_flag(player.get("locked", False), f"{where}.locked"),
    )


def write_game(state: State) -> Json:
    """Return a game as an object."""
    return {
        "table": [None if card == EMPTY else format_card(card) for card in state.table],
        "deck": write_cards(state.deck),
        "phase": state.phase.name.lower(),
        "caller": state.caller,
        "calls": state.call_count,
        "displayed": state.displayed,
        "discarded": write_cards(state.discarded),
        "acts": state.act_count,
        "revision": state.revision,
        "players": [_write_player(state, seat) for seat in range(len(state.players))],
    }


def _write_player(state: State, seat: int) -> Json:
    player = state.players[seat]
    return {
        "points": player.points,
        "cards": write_cards(player.cards),
        "penalties": player.penalties,
        "expiries": player.expiries,
        "in": player.standing is Standing.IN,
        "locked": player.locked,
        "voted": seat in state.votes,
    }
