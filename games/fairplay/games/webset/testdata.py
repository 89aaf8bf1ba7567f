"""Test data of Webset: questions about its rules, with JSON values in and out.

A card is a text of four digits, e.g. "0121". A deck is an array of cards, the next one first.

Settings, games and messages are the messages of `fairplay.webset.v1` as protobuf writes them in JSON, where a card is
its number: `Settings`, e.g. `{"profile": "PROFILE_SEED"}`; `State`, of which slots, deck and players must be given; and
the replies of a player, e.g. `{"action": "ACTION_CALL_SET"}` to Act and `{"cards": [0, 1, 2]}` to PickCards. Answers
have all fields of a state, by their names in the proto. Numbers of 64 bits are texts in them, as protobuf has it.

Every question raises ValueError, with one sentence, for values that cannot be.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random

from fairplay.games.game import Start
from fairplay.games.kit import testdata as kit
from fairplay.games.kit.conformance import pick_mutations
from fairplay.games.kit.judging import MalformedReplyError
from fairplay.games.kit.testdata import Json, question
from fairplay.games.webset import rules
from fairplay.games.webset.mutations import MUTATIONS
from fairplay.games.webset.players import player_at_once
from fairplay.games.webset.players import strategy as make_strategy
from fairplay.games.webset.protocol import codec, conversation
from fairplay.games.webset.rules import cards as deck_cards
from fairplay.games.webset.rules.cards import Cards, deck_of, format_card, parse_card, sets_among, third
from fairplay.games.webset.rules.invariants import invariant
from fairplay.games.webset.rules.settings import MAX_SEATS, Settings
from fairplay.games.webset.rules.state import Act, Action, Phase, State, Take, Word, on_table, solutions
from fairplay.webset.v1 import webset_pb2
from fairplay.webset.v1.webset_player_pb2 import ActRequest, ActResponse, PickCardsRequest, PickCardsResponse

CHEATS = pick_mutations(
    MUTATIONS,
    {
        "unknown-act": "acts-unknown",
        "no-set": "guesses",
        "absent-card": "picks-absent-card",
        "card-twice": "picks-card-twice",
        "two-cards": "picks-two",
    },
)
"""By name: an act that there is not eliminates its player, wrong cards cost points."""
_NO_SETTINGS: Json = {}


# Values


def _read_cards(value: Json, where: str) -> Cards:
    return tuple(
        [parse_card(kit.read_text(each, f"{where}[{place}]")) for place, each in enumerate(kit.read_list(value, where))]
    )


def _write_cards(cards: Iterable[int]) -> list[str]:
    return list(map(format_card, cards))


def _read_settings(given: Json) -> Settings:
    return codec.read_settings(kit.read_message(given, webset_pb2.Settings, "settings"))


def _read_game(value: Json, settings: Json) -> State:
    return codec.resume(kit.read_message(value, webset_pb2.State, "game"), _read_settings(settings), Random(0))


def _write_game(state: State) -> Json:
    return kit.write_message(codec.build_state(state))


def _read_seat(seat: Json, state: State) -> int:
    return kit.read_int(seat, "seat", 0, len(state.players) - 1)


def _read_action(message: Json) -> Action:
    if isinstance(message, dict) and "cards" in message:
        return Take(tuple(kit.read_message(message, PickCardsResponse, "message").cards))
    try:
        word = codec.read_act(kit.read_message(message, ActResponse, "message"))
    except MalformedReplyError as malformed:
        raise ValueError(f"message is {message!r}: it has {malformed.given}.") from None
    if word is None:
        raise ValueError("message is ACTION_NOTHING: it must do something.")
    return word


def _write_action(action: Action) -> Json:
    reply = PickCardsResponse(cards=action.cards) if isinstance(action, Take) else codec.build_act(action)
    return kit.write_message(reply)


# Cards


@question
def is_set(cards: Json) -> Json:
    """Say whether three cards are a set; repeated cards are no set (section 1)."""
    return deck_cards.is_set(*_read_cards(kit.read_list(cards, "cards", count=3), "cards"))


@question
def third_card(one: Json, other: Json) -> Json:
    """Give the card that makes a set of two different ones."""
    if one == other:
        raise ValueError(f"Two different cards have a third one, not {one} twice.")
    return format_card(third(*_read_cards([one, other], "cards")))


@question
def sets(cards: Json) -> Json:
    """List all sets among different cards, each sorted, in sorted order; null stands for no card."""
    found = [card for card in kit.read_list(cards, "cards") if card is not None]
    return [_write_cards(triple) for triple in sets_among(_read_cards(found, "cards"))]


# Starts


@question
def settings(given: Json) -> Json:
    """Give all settings of a game, those that are not given with their defaults."""
    return kit.write_message(codec.build_settings(_read_settings(given)))


@question
def start(seed: Json, player_count: Json, settings: Json = _NO_SETTINGS) -> Json:
    """Give a game that is shuffled and dealt, the same for the same seed."""
    count = kit.read_int(player_count, "player_count", 1, MAX_SEATS)
    return _write_game(rules.initial(_read_settings(settings), count, Random(kit.read_int(seed, "seed"))))


@question
def deal(deck: Json, player_count: Json, settings: Json = _NO_SETTINGS) -> Json:
    """Give a game with this deck, the next card first; null stands for the unshuffled deck."""
    count = kit.read_int(player_count, "player_count", 1, MAX_SEATS)
    return _write_game(_deal(deck, count, _read_settings(settings)))


def _deal(deck: Json, player_count: int, settings: Settings) -> State:
    cards = tuple(deck_of(settings.aspects)) if deck is None else _read_cards(deck, "deck")
    state = rules.dealt(settings, cards, player_count)
    if problem := invariant(state):
        raise ValueError(problem)
    return state


# Acts


@question
def legal(game: Json, settings: Json = _NO_SETTINGS) -> Json:
    """List the messages that succeed, as [seat, message]; of the takes all sets."""
    return [[seat, _write_action(action)] for seat, action in rules.legal(_read_game(game, settings))]


@question
def refusal(game: Json, seat: Json, message: Json, settings: Json = _NO_SETTINGS) -> Json:
    """Name the rule because of which a message is refused, or is a wrong take; null if it succeeds."""
    state = _read_game(game, settings)
    return rules.violation(state, Act(_read_seat(seat, state), _read_action(message)))


@question
def apply(game: Json, seat: Json, message: Json, settings: Json = _NO_SETTINGS) -> Json:
    """Give what a message does, as {"status": name or null, "rule": id or null, "game": game}.

    The message may also be "expire" (the time of the open call is over, whoever is named) or "leave". The statuses are
    those of section 6.
    """
    state = _read_game(game, settings)
    number = _read_seat(seat, state)
    if message == "leave":
        found = rules.Result(rules.eliminate(state, number))
    elif message == "expire":
        found = rules.expired(state, state.call_count)
    else:
        found = rules.carry_out(state, Act(number, _read_action(message)))
    status = found.status.value if found.status else None
    return {"status": status, "rule": found.rule, "game": _write_game(found.state)}


# Results


@question
def scores(game: Json, settings: Json = _NO_SETTINGS) -> Json:
    """Give the points by seat, also of players that are out."""
    return list(rules.scores(_read_game(game, settings)))


@question
def ranking(game: Json, settings: Json = _NO_SETTINGS) -> Json:
    """List the seats by rank, best first: by points, then sets, then fewer penalties that have a price (section 5)."""
    return [list(group) for group in rules.ranking(_read_game(game, settings))]


# Strategies


@question
def step(strategy: Json, game: Json, seat: Json, settings: Json = _NO_SETTINGS) -> Json:
    """Give the message that a reference strategy, e.g. "first", sends from a seat; null for nothing."""
    state = _read_game(game, settings)
    action = _choose(strategy, state, _read_seat(seat, state))
    return None if action is None else _write_action(action)


@question
def plan(strategy: Json, game: Json, settings: Json = _NO_SETTINGS) -> Json:
    """List all messages, as [seat, message], of players with one strategy until none does anything that succeeds."""
    state = _read_game(game, settings)
    messages: list[Json] = []
    while True:
        chosen = ((seat, action) for seat in rules.due(state) if (action := _choose(strategy, state, seat)) is not None)
        act = next((Act(*each) for each in chosen if rules.violation(state, Act(*each)) is None), None)
        if act is None:
            return messages
        state = rules.apply(state, act)
        messages.append([act.seat, _write_action(act.action)])


def _choose(strategy: Json, state: State, seat: int) -> Action | None:
    """Return what a strategy does; None: nothing."""
    chosen, rounds = make_strategy(kit.read_text(strategy, "strategy")), state.settings.rounds
    shown, words = codec.build_public(state), rules.possible(state, seat)
    if state.caller == seat or (rounds != "off" and state.phase is Phase.OPEN):
        request = PickCardsRequest(seat=seat, state=shown, may_skip=rounds != "off", all_sets=rounds == "puzzle")
        cards = chosen.pick(request)
        return Take(cards) if cards else None
    return chosen.act(ActRequest(seat=seat, state=shown, actions=codec.build_actions(words))) if words else None


@question
def greedy(deck: Json, settings: Json = _NO_SETTINGS) -> Json:
    """Play a game of one player, who takes the first set in sorted order, and asks for more cards if there is none.

    The answer is {"sets": [[card, card, card], ...], "deals": how often it asked, "left": [card, sorted]}. Where the
    referee would deal by itself the player asks in its place, so that deals can be counted.
    """
    chosen = _read_settings(settings)
    more_rule = "if_no_set" if chosen.more_rule == "auto" else chosen.more_rule
    state = _deal(deck, 1, replace(chosen, min_players=1, more_rule=more_rule))
    taken, deals = [], 0
    while rules.turn(state) is not None:
        if found := solutions(state):
            state = rules.apply(rules.apply(state, Act(0, Word.CALL)), Act(0, Take(found[0])))
            taken.append(_write_cards(found[0]))
        else:
            state, deals = rules.apply(state, Act(0, Word.MORE)), deals + 1
    return {"sets": taken, "deals": deals, "left": _write_cards(sorted(on_table(state)))}


# Whole games


@question
def game(actors: Json, deck: Json, settings: Json = _NO_SETTINGS) -> Json:
    """Play a game between actors (see the kit's `Script`), with this deck; null stands for the unshuffled deck.

    The answer is {"ranking": [[[name, points], ...], ...], "eliminated": [name, ...], "game": game}: who has won, who
    was eliminated, in this order, and the end. All answers arrive at once, and count in the order of the seats. An
    actor leaves by a failing method; one that hangs in "pick-cards" lets its call expire. The cheats are
    "unknown-act", which eliminates, and "no-set", "absent-card", "card-twice" and "two-cards", which cost points.
    """
    scripts = kit.read_scripts(actors, "actors", list(codec.METHODS.values()), CHEATS)
    state = _deal(deck, len(scripts), _read_settings(settings))
    names = [script.name for script in scripts]
    played = kit.play_game(
        conversation.play(Start("test", state.settings, names, state, True)),
        [kit.Actor(script, player_at_once(script.strategy), CHEATS) for script in scripts],
    )
    return {
        "ranking": [[[scripts[seat].name, points] for seat, points in group] for group in played.outcome.ranking],
        "eliminated": [scripts[seat].name for seat in played.eliminated],
        "game": _write_game(played.state.state),
    }


TESTDATA = kit.collect_questions(globals())
