"""Questions about the rules of Bazaar, for the test data of other people (bazaar.md section 10).

Pebbles are colours, `["red", "white", "blue", "green", "yellow"]`, in any order; answers have them in this one. An
equation or exchange is two of them, `[left, right]`; `equations` are an array. A card is
`{"pebbles": [five colours], "face?": false}`.

A game is `{"bank": pebbles, "visibles": cards, "cards": hidden cards, "players": [player]}`, in which the first player
is about to move; a player is `{"wallet": pebbles, "score": 0, "cards": bought cards}`. A turn is what the first player
is shown: `{"bank": pebbles, "cards": visible cards, "active": player, "scores": [number]}`. Its first answer, the
request, is `false` for a pebble or an array of exchanges; its second is an array of cards.

A pebble that is requested is the first of red, white, blue, green, yellow that the bank has, unless the setting `draw`
says otherwise. `settings` are an object of those that differ from their defaults, by their names. A `policy` is
"purchase-points", "purchase-size" or a strategy such as "random:seed=7". An actor is `[name, policy]`, or with more:
`[name, policy, method]` fails in the first call of that method (setup, request-pebble-or-trades, request-cards, win),
`[name, policy, method, k]` hangs from the k-th call on, `[name, policy, "a cheat", cheat]` cheats wherever it can
(use-non-existent-equation, bank-cannot-trade, wallet-cannot-trade, buy-unavailable-card, wallet-cannot-buy-card).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import permutations
from random import Random
from types import MappingProxyType
from typing import Any

from fairplay.games.bazaar import forms, mutations, rules
from fairplay.games.bazaar.players import Metric, Strategy, best_plan, best_purchase, player, strategy
from fairplay.games.bazaar.protocol import codec, conversation
from fairplay.games.bazaar.protocol.conversation import METHODS, REQUEST_PEBBLE_OR_EXCHANGES
from fairplay.games.bazaar.rules import bonus as bonus_points
from fairplay.games.bazaar.rules.pieces import UNITS, Exchange, holds, points, size
from fairplay.games.bazaar.rules.state import (
    Action,
    Phase,
    Request,
    Settings,
    Standing,
    State,
    settings_problem,
)
from fairplay.games.conformance import Mutation
from fairplay.games.game import Start
from fairplay.games.kit import testdata as kit
from fairplay.games.kit.conformance import build_mutations, pick_mutations
from fairplay.games.kit.testdata import Json, question

METRICS: Mapping[str, Metric] = MappingProxyType({"purchase-points": "points", "purchase-size": "size"})
FIRST_CALL = "request-pebble-or-trades"
"""What test data calls the method RequestPebbleOrExchanges."""
MOST_CALLS = 7
_NAME = re.compile(r"[a-zA-Z0-9]{1,20}")


# Games and turns


@question
def start(settings: Json, player_count: Json, seed: Json = 0) -> Json:
    """Give a fresh game as section 2 draws it, the same for the same seed: `[equations, game]`."""
    state = rules.initial(
        _settings(settings), kit.read_int(player_count, "player_count"), Random(kit.read_int(seed, "seed"))
    )
    return [forms.write_table(state.table), forms.write_game(state)]


@question
def turn(equations: Json, game: Json) -> Json:
    """Give the turn that the first player of a game is shown."""
    state = _game(equations, game)
    return forms.write_turn(rules.view(state, state.active))


@question
def is_over(equations: Json, game: Json, settings: Json = None) -> Json:
    """Say whether a game is over before its first player moves (section 7)."""
    return rules.turn(_game(equations, game, settings)) is None


# Legal answers


@question
def legal_requests(equations: Json, turn: Json) -> Json:
    """List the shortest legal requests: `false`, `[]`, and each usable exchange alone."""
    seen = forms.read_turn(turn)
    return [forms.write_request(one) for one in rules.requests(forms.read_table(equations), seen.wallet, seen.bank)]


@question
def legal_purchases(turn: Json) -> Json:
    """List every legal purchase, in every order of its cards."""
    seen = forms.read_turn(turn)
    return [forms.write_purchase(one) for one in rules.purchases(seen.wallet, seen.visible)]


@question
def request_refusal(equations: Json, turn: Json, request: Json) -> Json:
    """Name the rule that a request breaks, which may have any form; null: it is legal."""
    seen, table = forms.read_turn(turn), forms.read_table(equations)
    try:
        return rules.request_violation(table, seen.wallet, seen.bank, forms.read_request(request))
    except forms.RuleError as problem:
        return problem.rule


@question
def purchase_refusal(turn: Json, cards: Json) -> Json:
    """Name the rule that a purchase breaks, which may have any form; null: it is legal."""
    seen = forms.read_turn(turn)
    try:
        return rules.purchase_violation(seen.wallet, seen.visible, forms.read_purchase(cards))
    except forms.RuleError as problem:
        return problem.rule


# What answers do


@question
def apply_request(equations: Json, game: Json, request: Json, settings: Json = None) -> Json:
    """Give the game after a request of its first player, whose turn goes on; an error if it is illegal."""
    return forms.write_game(_applied(_game(equations, game, settings), forms.read_request(request)))


@question
def apply_purchase(equations: Json, game: Json, cards: Json, settings: Json = None) -> Json:
    """Give the game after a purchase of its first player, who goes to the back; an error if it is illegal."""
    state = _game(equations, game, settings)._replace(phase=Phase.CARDS)
    return forms.write_game(_applied(state, forms.read_purchase(cards)))


@question
def eliminate(equations: Json, game: Json, settings: Json = None) -> Json:
    """Give the game without its first player."""
    return forms.write_game(rules.eliminate(_game(equations, game, settings), 0))


@question
def score(wallet: Json, cards: Json) -> Json:
    """Give the points of buying cards in this order (section 5); an error if the wallet cannot pay."""
    left, total, purchase = forms.read_bag(wallet), 0, forms.read_purchase(cards)
    if rule := rules.purchase_violation(left, purchase, purchase):
        raise forms.RuleError(rule)
    for card in purchase:
        left -= card.pebbles
        total += points(size(left), card.face)
    return total


@question
def bonus(kind: Json, cards: Json) -> Json:
    """Give the points that cards earn their owner at the end; `kind` is "rwb", "sey", "rwb_distinct", "none"."""
    return bonus_points(kit.read_text(kind, "kind", ("none", "rwb", "sey", "rwb_distinct")), forms.read_purchase(cards))


# Strategies


@question
def request_step(policy: Json, equations: Json, turn: Json) -> Json:
    """Give the request of a strategy."""
    return forms.write_request(read_strategy(policy).request(forms.read_table(equations), forms.read_turn(turn)))


@question
def purchase_step(policy: Json, equations: Json, turn: Json) -> Json:
    """Give the purchase of a strategy."""
    return forms.write_purchase(read_strategy(policy).cards(forms.read_table(equations), forms.read_turn(turn)))


@question
def best_purchases(policy: Json, turn: Json) -> Json:
    """Give the best purchase of a wallet by the tie-breaks of section 9; not of other strategies."""
    seen = forms.read_turn(turn)
    return forms.write_purchase(best_purchase(seen.wallet, seen.visible, read_metric(policy)))


@question
def plan(policy: Json, equations: Json, turn: Json, depth: Json = 4) -> Json:
    """Give the best exchanges of a turn, at most `depth`, and the best purchase after them: `[exchanges, cards]`."""
    metric, most = read_metric(policy), kit.read_int(depth, "depth", 0, 4)
    best = best_plan(forms.read_table(equations), forms.read_turn(turn), metric, most)
    return [forms.write_request(best.exchanges), forms.write_purchase(best.purchase)]


# Whole games


@question
def game(equations: Json, game: Json, actors: Json, settings: Json = None) -> Json:
    """Play a game between actors, one for each player: `[winners, drop-outs]`, two sorted arrays of names."""
    state = play(equations, game, actors, settings)
    names = [actor[0] for actor in actors]
    winners = sorted(names[seat] for seat in rules.winners(state))
    return [
        winners,
        sorted(name for name, player in zip(names, state.players, strict=True) if player.standing is not Standing.IN),
    ]


@question
def scores(equations: Json, game: Json, actors: Json, settings: Json = None) -> Json:
    """Give the final scores of such a game in turn order, bonus included; 0 for a player that was eliminated."""
    return list(rules.scores(play(equations, game, actors, settings)))


def play(equations: Json, game: Json, actors: Json, settings: Json = None) -> State:
    """Return the state in which a game between actors ends, when everybody has been told."""
    state = _game(equations, game, settings)
    begun = Start("test", state.settings, (), state, fresh=False)
    end: State = kit.play_game(conversation.play(begun), read_actors(actors, len(state.players))).state.state
    return end


def _settings(settings: Json) -> Settings:
    given = {} if settings is None else settings
    if isinstance(given, dict):
        given = {"draw": "ordered"} | given
    return kit.read_settings(given, Settings, settings_problem)


def _game(equations: Json, game: Json, settings: Json = None) -> State:
    return forms.read_game(game, forms.read_table(equations), _settings(settings))


def _applied(state: State, action: Action) -> State:
    if rule := rules.violation(state, action):
        raise forms.RuleError(rule)
    return rules.apply(state, action)


# Actors


def read_metric(policy: Json) -> Metric:
    """Return what a policy maximises. Raises ValueError if it is neither of the two of section 9."""
    return METRICS[kit.read_text(policy, "policy", tuple(METRICS))]


def read_strategy(policy: Json) -> Strategy:
    """Return the strategy of a policy, or of a text that `strategy` reads. Raises ValueError if there is none."""
    return strategy(_spec(kit.read_text(policy, "policy")))


def _spec(policy: str) -> str:
    return METRICS.get(policy, policy)


def read_actors(value: Json, count: int) -> list[kit.Actor]:
    """Return the actors of a game. Raises ValueError if there are not `count`, or if one is not as documented."""
    given = [_with_own_methods(actor) for actor in kit.read_list(value, "actors", count=count)]
    scripts = kit.read_scripts(given, "actors", tuple(METHODS.values()), CHEATS)
    for script in scripts:
        if not _NAME.fullmatch(script.name):
            raise ValueError(f"An actor is called {script.name!r}: a name is 1 to 20 letters and digits.")
        if script.from_call > MOST_CALLS:
            raise ValueError(f"The actor {script.name} hangs from call {script.from_call}: at most {MOST_CALLS} count.")
    return [kit.Actor(script, player(_spec(script.strategy)), CHEATS) for script in scripts]


def _with_own_methods(actor: Json) -> Json:
    if not isinstance(actor, list):
        return actor
    return [kit.kebab_case(REQUEST_PEBBLE_OR_EXCHANGES.name) if part == FIRST_CALL else part for part in actor]


# Cheats: wrong answers, wherever they are possible


def _gets_what_the_bank_lacks(request: Any, reply: Any, rng: Random) -> Any:
    bank, ways = codec.read_bag(request.turn_state.bank), codec.read_table(request.turn_state.table).exchanges
    return next((codec.build_request((way,)) for way in ways if not holds(bank, way.right)), None)


def _made_up(turn: mutations.Turn) -> Iterable[Request]:
    """Yield forty exchanges, of which a table of ten equations lacks some."""
    return ((Exchange(count * mine, theirs),) for count in (1, 2) for mine, theirs in permutations(UNITS, 2))


_OWN = {
    "use-non-existent-equation: Makes an exchange of none of the equations.": mutations.request(
        "exchange.in-table", _made_up, ()
    ),
    "bank-cannot-trade: Makes an exchange for which the bank lacks pebbles, whatever the wallet holds.": (
        mutations.request_reply("", _gets_what_the_bank_lacks, ())
    ),
}
CHEATS: Mapping[str, Mutation] = {each.name: each for each in build_mutations("bazaar", _OWN)} | pick_mutations(
    mutations.MUTATIONS,
    {
        "wallet-cannot-trade": "gives-what-it-lacks",
        "buy-unavailable-card": "buys-made-up-card",
        "wallet-cannot-buy-card": "buys-without-pebbles-to-pay",
    },
)

TESTDATA = kit.collect_questions(globals())
