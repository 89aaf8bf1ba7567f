"""Test data of Webset: questions about its rules, with plain JSON values in and out.

A card is a text of four digits, e.g. "0121". Settings are an object with names of `rules.Settings`, e.g.
`{"profile": "seed"}`. A game is `{"table": [card or null, by slot], "deck": [card, the next one first], "phase":
"open" | "called" | "showing" | "over", "caller": seat or null, "calls": number, "displayed": number, "discarded":
[card], "acts": number, "revision": number, "players": [player]}`, and a player `{"points": number, "cards": [card],
"penalties": number, "expiries": number, "in": boolean, "locked": boolean, "voted": boolean}`. All names of a player may
be missing, and of a game all but table, deck and players.

A message is "call", "more", "show", "end_show" or `["take", card, ...]`.

Every question raises ValueError, with one sentence, for values that cannot be.
"""

from __future__ import annotations

from random import Random

from fairplay.games.kit.testdata import (
    Actor,
    Json,
    collect_questions,
    play_game,
    question,
    read_int,
    read_list,
    read_scripts,
    read_text,
)
from fairplay.games.webset import rules
from fairplay.games.webset.players import Position, StrategyPlayer, make_strategy
from fairplay.games.webset.protocol import conversation
from fairplay.games.webset.protocol.codec import METHODS
from fairplay.games.webset.rules import Result, invariants
from fairplay.games.webset.rules.cards import deck_of, format_card, sets_among, third
from fairplay.games.webset.rules.cards import is_set as make_set
from fairplay.games.webset.rules.settings import MAX_SEATS
from fairplay.games.webset.rules.state import Act, Action, Phase, State, Take, Word, on_table, solutions
from fairplay.games.webset.testdata.cheats import CHEATS
from fairplay.games.webset.testdata.forms import (
    read_action,
    read_card,
    read_cards,
    read_game,
    read_settings,
    write_action,
    write_cards,
    write_game,
    write_settings,
)

_NO_SETTINGS: Json = {}


# Cards


@question
def is_set(cards: Json) -> Json:
    """Say whether three cards are a set; repeated cards are no set (section 1)."""
    return make_set(*read_cards(read_list(cards, "cards", count=3), "cards"))


@question
def third_card(one: Json, other: Json) -> Json:
    """Give the card that makes a set of two different ones."""
    if one == other:
        raise ValueError(f"Two different cards have a third one, not {one} twice.")
    return format_card(third(read_card(one, "one"), read_card(other, "other")))


@question
def sets(cards: Json) -> Json:
    """List all sets among different cards, each sorted, in sorted order; null stands for no card."""
    found = [card for card in read_list(cards, "cards") if card is not None]
    return [write_cards(triple) for triple in sets_among(read_cards(found, "cards"))]


# Starts


@question
def settings(given: Json) -> Json:
    """Give all settings of a game, those that are not given with their defaults."""
    return write_settings(read_settings(given))


@question
def start(seed: Json, player_count: Json, settings: Json = _NO_SETTINGS) -> Json:
    """Give a game that is shuffled and dealt, the same for the same seed."""
    count = read_int(player_count, "player_count", 1, MAX_SEATS)
    return write_game(rules.initial(read_settings(settings), count, Random(read_int(seed, "seed"))))


@question
def deal(deck: Json, player_count: Json, settings: Json = _NO_SETTINGS) -> Json:
    """Give a game with this deck, the next card first; null stands for the unshuffled deck."""
    return write_game(_deal(deck, read_int(player_count, "player_count", 1, MAX_SEATS), settings))


def _deal(deck: Json, player_count: int, settings: Json) -> State:
    chosen = read_settings(settings)
    cards = tuple(deck_of(chosen.aspects)) if deck is None else read_cards(deck, "deck")
    state = rules.dealt(chosen, cards, player_count)
    if problem := invariants.invariant(state):
        raise ValueError(problem)
    return state


# Acts


@question
def legal(game: Json, settings: Json = _NO_SETTINGS) -> Json:
    """List the messages that succeed, as [seat, message]; of the takes all sets."""
    return [[seat, write_action(action)] for seat, action in rules.legal(read_game(game, read_settings(settings)))]


@question
def refusal(game: Json, seat: Json, message: Json, settings: Json = _NO_SETTINGS) -> Json:
    """Name the rule because of which a message is refused, or is a wrong take; null if it succeeds."""
    state = read_game(game, read_settings(settings))
    return rules.violation(state, Act(_read_seat(seat, state), read_action(message)))


@question
def apply(game: Json, seat: Json, message: Json, settings: Json = _NO_SETTINGS) -> Json:
    """Give what a message does, as {"status": name or null, "rule": id or null, "game": game}.

    The message may also be "expire" (the time of the open call is over, whoever is named) or "leave". The statuses are
    those of section 6.
    """
    state = read_game(game, read_settings(settings))
    number = _read_seat(seat, state)
    if message == "leave":
        found = Result(rules.eliminate(state, number))
    elif message == "expire":
        found = rules.expired(state, state.call_count)
    else:
        found = rules.carry_out(state, Act(number, read_action(message)))
    return {
        "status": found.status.value if found.status else None,
        "rule": found.rule,
        "game": write_game(found.state),
    }


def _read_seat(seat: Json, state: State) -> int:
    return read_int(seat, "seat", 0, len(state.players) - 1)


# Results


@question
def scores(game: Json, settings: Json = _NO_SETTINGS) -> Json:
    """Give the points by seat, also of players that are out."""
    return list(rules.scores(read_game(game, read_settings(settings))))


@question
def ranking(game: Json, settings: Json = _NO_SETTINGS) -> Json:
    """List the seats by rank, best first: by points, then sets, then fewer penalties that have a price (section 5)."""
    return [list(group) for group in rules.ranking(read_game(game, read_settings(settings)))]


# Strategies


@question
def step(strategy: Json, game: Json, seat: Json, settings: Json = _NO_SETTINGS) -> Json:
    """Give the message that a reference strategy, e.g. "first", sends from a seat; null for nothing."""
    state = read_game(game, read_settings(settings))
    action = _choose(strategy, state, _read_seat(seat, state))
    return None if action is None else write_action(action)


@question
def plan(strategy: Json, game: Json, settings: Json = _NO_SETTINGS) -> Json:
    """List all messages, as [seat, message], of players with one strategy until none does anything that succeeds."""
    state, messages = read_game(game, read_settings(settings)), []
    while act := next((act for seat in rules.due(state) if (act := _succeeding(strategy, state, seat))), None):
        state = rules.apply(state, act)
        messages.append([act.seat, write_action(act.action)])
    return messages


def _succeeding(strategy: Json, state: State, seat: int) -> Act | None:
    action = _choose(strategy, state, seat)
    return Act(seat, action) if action is not None and rules.violation(state, Act(seat, action)) is None else None


def _choose(strategy: Json, state: State, seat: int) -> Action | None:
    """Return what a strategy does; None: nothing."""
    chosen, in_rounds = make_strategy(read_text(strategy, "strategy")), state.settings.rounds != "off"
    position = Position(
        game_id="",
        seat=seat,
        cards=on_table(state),
        words=rules.possible(state, seat),
        refused=False,
        may_skip=in_rounds,
        all_sets=state.settings.rounds == "puzzle",
        revision=state.revision,
        idle_count=0,
    )
    if state.caller == seat or (in_rounds and state.phase is Phase.OPEN):
        cards = chosen.pick(position)
        return Take(cards) if cards else None
    return chosen.act(position) if position.words else None


@question
def greedy(deck: Json, settings: Json = _NO_SETTINGS) -> Json:
    """Play a game of one player, who takes the first set in sorted order, and asks for more cards if there is none.

    The answer is {"sets": [[card, card, card], ...], "deals": how often it asked, "left": [card, sorted]}. Where the
    referee would deal by itself the player asks in its place, so that deals can be counted.
    """
    chosen = read_settings(settings)
    given = {**settings, "min_players": 1, **({"more_rule": "if_no_set"} if chosen.more_rule == "auto" else {})}
    state = _deal(deck, 1, given)
    taken, deals = [], 0
    while rules.turn(state) is not None:
        if found := solutions(state):
            state = rules.apply(rules.apply(state, Act(0, Word.CALL)), Act(0, Take(found[0])))
            taken.append(write_cards(found[0]))
        else:
            state, deals = rules.apply(state, Act(0, Word.MORE)), deals + 1
    return {"sets": taken, "deals": deals, "left": write_cards(sorted(on_table(state)))}


# Whole games


@question
def game(actors: Json, deck: Json, settings: Json = _NO_SETTINGS) -> Json:
    """Play a game between actors (see the kit's `Script`), with this deck; null stands for the unshuffled deck.

    The answer is {"ranking": [[[name, points], ...], ...], "eliminated": [name, ...], "game": game}: who has won, who
    was eliminated, in this order, and the end. All answers arrive at once, and count in the order of the seats. An
    actor leaves by a failing method; one that hangs in "pick-cards" lets its call expire. The cheats are
    "unknown-act", which eliminates, and "no-set", "absent-card", "card-twice" and "two-cards", which cost points.
    """
    scripts = read_scripts(actors, "actors", list(METHODS.values()), CHEATS)
    state = _deal(deck, len(scripts), settings)
    players = [StrategyPlayer(script.strategy, make_strategy(script.strategy)) for script in scripts]
    played = play_game(
        conversation.play("test", state),
        [Actor(script, player, CHEATS) for script, player in zip(scripts, players, strict=True)],
    )
    return {
        "ranking": [[[scripts[seat].name, points] for seat, points in group] for group in played.outcome.ranking],
        "eliminated": [scripts[seat].name for seat in played.eliminated],
        "game": write_game(played.state.state),
    }


TESTDATA = collect_questions(globals())
