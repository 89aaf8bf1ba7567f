"""Webset for other people's test data: plain JSON values in, plain JSON values out.

A card is four digits, e.g. "0121". A game is `{"table": [card or null, by slot], "deck": [card, the next one first],
"phase": "open" | "called" | "showing" | "over", "caller": seat or null, "displayed": number, "discarded": [card],
"players": [player]}`, and a player `{"points": number, "cards": [card], "penalties": number, "expiries": number, "in":
bool, "locked": bool, "voted": bool}`. Of a player all keys may be missing, of a game all but table, deck and players.
Settings are an object with names of the `Settings` of our rules, e.g. `{"profile": "seed"}`. ValueError, with one
sentence, for what cannot be.
"""

from __future__ import annotations

from random import Random
from typing import Any, TypeAlias

from fairplay.games.webset import rules
from fairplay.games.webset.rules import Act, Phase, Player, Settings, Standing, State, Take, Word
from fairplay.games.webset.rules.cards import EMPTY, deck_of, parse_card, written
from fairplay.games.webset.rules.settings import NAMES

Json: TypeAlias = Any
"""null, a truth value, a number, a text, an array of Json or an object of Json."""

_NO_SETTINGS: Json = {}


# Cards


def is_set(cards: Json) -> bool:
    """Whether three cards are a set (section 1); repeated cards are none."""
    return len(cards) == 3 and rules.is_set(*map(parse_card, cards))


def third_card(one: str, other: str) -> str:
    """The card that makes a set of two different ones."""
    if one == other:
        raise ValueError(f"Two different cards have a third one, not {one} twice.")
    return written(rules.third(parse_card(one), parse_card(other)))


def sets(cards: Json) -> list[list[str]]:
    """All sets among different cards, each sorted, in sorted order."""
    found = rules.sets_among(tuple(map(parse_card, filter(None, cards))))
    return [list(map(written, triple)) for triple in found]


# Games


def fresh_game(seed: int, player_count: int, settings: Json = _NO_SETTINGS) -> Json:
    """A shuffled and dealt game; the same for the same seed."""
    return _write(rules.initial(_settings(settings), player_count, Random(seed)))


def dealt(deck: Json, player_count: int, settings: Json = _NO_SETTINGS) -> Json:
    """A game with this deck, the next card first. The whole deck must be there; null stands for the unshuffled one."""
    chosen = _settings(settings)
    cards = tuple(map(parse_card, deck)) if deck is not None else tuple(deck_of(chosen.aspects))
    return _write(_checked(rules.dealt(chosen, cards, player_count)))


def after(game: Json, seat: int, message: Json, settings: Json = _NO_SETTINGS) -> Json:
    """What becomes of a message of a player: `{"status": name or null, "rule": id or null, "game": game}`.

    A message is "call", "more", "show", "end_show", or `["take", card, ...]`; also "expire" (the deadline of the open
    call, whoever is named) and "leave". The statuses are those of section 6.
    """
    state = _read(game, _settings(settings))
    if message == "leave":
        found = rules.Result(rules.eliminate(state, seat))
    elif message == "expire":
        found = rules.expired(state, state.call_count)
    else:
        found = rules.carry_out(state, Act(seat, _action(message)))
    status = found.status.value if found.status else None
    return {"status": status, "rule": found.rule, "game": _write(found.state)}


def legal(game: Json, settings: Json = _NO_SETTINGS) -> list[Json]:
    """The messages that succeed, as `[seat, message]`; of the takes all sets."""
    return [[seat, _message(action)] for seat, action in rules.legal(_read(game, _settings(settings)))]


def ranking(game: Json, settings: Json = _NO_SETTINGS) -> list[list[int]]:
    """The seats by rank, best first."""
    return [list(group) for group in rules.ranking(_read(game, _settings(settings)))]


def greedy(deck: Json, settings: Json = _NO_SETTINGS) -> Json:
    """A game of one player that always takes the first set in sorted order, and asks for more where there is none.

    `{"sets": [[card, card, card], ...], "deals": how often it asked, "left": [card, sorted]}`. Where the referee would
    deal by itself the player asks in its place, so that deals can be counted.
    """
    given = {**settings, "min_players": 1}
    if _settings(given).more_rule == "auto":
        given["more_rule"] = "if_no_set"
    state = _read(dealt(deck, 1, given), _settings(given))
    taken, deals = [], 0
    while rules.turn(state) is not None:
        if found := rules.solutions(state):
            state = rules.apply(rules.apply(state, Act(0, Word.CALL)), Act(0, Take(found[0])))
            taken.append(list(map(written, found[0])))
        else:
            state, deals = rules.apply(state, Act(0, Word.MORE)), deals + 1
    return {"sets": taken, "deals": deals, "left": sorted(map(written, rules.on_table(state)))}


# Reading and writing


def _settings(given: Json) -> Settings:
    if unknown := sorted(set(given) - set(NAMES)):
        raise ValueError(f"There is no setting {unknown[0]!r}: there are {', '.join(NAMES)}.")
    found = rules.settings_of(**{**given, **_tuples(given)})
    if problem := rules.settings_problem(found):
        raise ValueError(problem[1])
    return found


def _tuples(given: Json) -> Json:
    return {name: tuple(value) for name, value in given.items() if isinstance(value, list)}


def _action(message: Json) -> rules.Action:
    if isinstance(message, list) and message[:1] == ["take"]:
        return Take(tuple(map(parse_card, message[1:])))
    if message not in [word.value for word in Word]:
        raise ValueError(f"{message!r} is no message: there are call, more, show, end_show, take, expire and leave.")
    return Word(message)


def _message(action: rules.Action) -> Json:
    return action.value if isinstance(action, Word) else ["take", *map(written, action.cards)]


def _read(game: Json, settings: Settings) -> State:
    slots = [EMPTY if card is None else parse_card(card) for card in game["table"]]
    players = game["players"]
    state = State(
        settings=settings,
        table=(*slots, *[EMPTY] * (settings.max_table - len(slots))),
        deck=tuple(map(parse_card, game["deck"])),
        phase=Phase[game.get("phase", "open").upper()],
        caller=game.get("caller"),
        call_count=game.get("calls", int(game.get("caller") is not None)),
        displayed=game.get("displayed", 0),
        votes=tuple([seat for seat, player in enumerate(players) if player.get("voted")]),
        players=tuple(map(_player, players)),
        discarded=tuple(map(parse_card, game.get("discarded", []))),
        act_count=game.get("acts", 0),
        draw_state=0,
        revision=game.get("revision", 0),
    )
    return _checked(state)


def _checked(state: State) -> State:
    if problem := rules.invariant(state):
        raise ValueError(problem)
    return state


def _player(player: Json) -> Player:
    return Player(
        points=player.get("points", 0),
        cards=tuple(map(parse_card, player.get("cards", []))),
        penalties=player.get("penalties", 0),
        expiries=player.get("expiries", 0),
        standing=Standing.IN if player.get("in", True) else Standing.OUT,
        locked=player.get("locked", False),
    )


def _write(state: State) -> Json:
    return {
        "table": [None if card == EMPTY else written(card) for card in state.table],
        "deck": list(map(written, state.deck)),
        "phase": state.phase.name.lower(),
        "caller": state.caller,
        "calls": state.call_count,
        "displayed": state.displayed,
        "discarded": list(map(written, state.discarded)),
        "acts": state.act_count,
        "revision": state.revision,
        "players": [_written(state, seat) for seat in range(len(state.players))],
    }


def _written(state: State, seat: int) -> Json:
    player = state.players[seat]
    return {
        "points": player.points,
        "cards": list(map(written, player.cards)),
        "penalties": player.penalties,
        "expiries": player.expiries,
        "in": player.standing is Standing.IN,
        "locked": player.locked,
        "voted": seat in state.votes,
    }
