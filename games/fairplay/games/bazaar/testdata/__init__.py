"""Bazaar for other people's test data: plain JSON values in, plain JSON values out (bazaar.md section 10).

Everything is deterministic: a requested pebble is the first of red, white, blue, green, yellow that the bank has.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from fairplay.games.bazaar import rules
from fairplay.games.bazaar.rules import Action, Phase, Settings, State
from fairplay.games.bazaar.rules.pieces import points, size
from fairplay.games.bazaar.testdata.actors import Actor, ActorError, policy_strategy, read_scripts
from fairplay.games.bazaar.testdata.forms import (
    Json,
    RuleError,
    read_bag,
    read_game,
    read_purchase,
    read_request,
    read_table,
    read_turn,
    write_game,
    write_purchase,
    write_request,
    write_table,
    write_turn,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fairplay.games.bazaar.rules.settings import Bonus


def fresh_game(seed: int, player_count: int) -> Json:
    """`[equations, game]` as section 2 draws them; the same for the same seed."""
    state = rules.initial(Settings(draw="ordered"), player_count, Random(seed))
    return [write_table(state.table), write_game(state)]


def turn_of(equations: Json, game: Json) -> Json:
    """The turn that the first player of a game is shown."""
    state = _game(equations, game)
    return write_turn(rules.view(state, state.active))


def legal_requests(equations: Json, turn: Json) -> list[Json]:
    """The shortest legal answers to the first call: `false`, `[]`, and each usable exchange alone."""
    seen = read_turn(turn)
    return [write_request(one) for one in rules.requests(read_table(equations), seen.wallet, seen.bank)]


def legal_purchases(turn: Json) -> list[Json]:
    """Every legal answer to the second call."""
    seen = read_turn(turn)
    return [write_purchase(one) for one in rules.purchases(seen.wallet, seen.visible)]


def request_violation(equations: Json, turn: Json, answer: Json) -> str | None:
    """The id of the rule that an answer to the first call breaks, None if it is legal."""
    seen, table = read_turn(turn), read_table(equations)
    try:
        return rules.request_violation(table, seen.wallet, seen.bank, read_request(answer))
    except RuleError as problem:
        return problem.rule


def purchase_violation(turn: Json, answer: Json) -> str | None:
    """The id of the rule that an answer to the second call breaks, None if it is legal."""
    seen = read_turn(turn)
    try:
        return rules.purchase_violation(seen.wallet, seen.visible, read_purchase(answer))
    except RuleError as problem:
        return problem.rule


def score(wallet: Json, cards: Json) -> int:
    """The points of buying these cards in this order (section 5); ValueError if the wallet cannot pay."""
    left, total, purchase = read_bag(wallet), 0, read_purchase(cards)
    if rule := rules.purchase_violation(left, purchase, purchase):
        raise RuleError(rule)
    for card in purchase:
        left -= card.pebbles
        total += points(size(left), card.face)
    return total


def after_request(equations: Json, game: Json, answer: Json) -> Json:
    """The game after the first call to its first player; ValueError naming the rule that the answer breaks."""
    state = _game(equations, game)
    return write_game(_applied(state, read_request(answer)))


def after_purchase(equations: Json, game: Json, answer: Json) -> Json:
    """The game after the second call to its first player, who then goes to the back; ValueError as above."""
    state = _game(equations, game)._replace(phase=Phase.CARDS)
    return write_game(_applied(state, read_purchase(answer)))


def after_elimination(equations: Json, game: Json) -> Json:
    """The game without its first player."""
    return write_game(rules.eliminate(_game(equations, game), 0))


def is_over(equations: Json, game: Json) -> bool:
    """Whether a game is over before its first player moves (section 7)."""
    return rules.turn(_game(equations, game)) is None


def answer_request(policy: str, equations: Json, turn: Json) -> Json:
    """A strategy's answer to the first call: `policy` is one of `POLICIES` or of our strategies' specs."""
    return write_request(policy_strategy(policy)(read_table(equations)).request(read_turn(turn)))


def answer_purchase(policy: str, equations: Json, turn: Json) -> Json:
    """A strategy's answer to the second call."""
    return write_purchase(policy_strategy(policy)(read_table(equations)).cards(read_turn(turn)))


def play(equations: Json, game: Json, actors: Json, bonus: Bonus = "none") -> Json:
    """A whole game, one actor a player: `[winners, drop-outs]`, two arrays of names, each sorted.

    ValueError if the game or an actor cannot be, or if there is not one actor for each player.
    """
    state = final_state(equations, game, actors, bonus)
    names = [script.name for script in read_scripts(actors)]
    won = sorted(names[seat] for seat in rules.winners(state))
    out = sorted(name for name, player in zip(names, state.players, strict=True) if player.standing)
    return [[*won], [*out]]


def final_state(equations: Json, game: Json, actors: Json, bonus: Bonus = "none") -> State:
    """As `play`, but the state in which the game ends and everybody has been told."""
    state = _game(equations, game, bonus)
    cast = [Actor(script, state.table) for script in read_scripts(actors)]
    if len(cast) != len(state.players):
        raise ValueError(f"{len(state.players)} players need as many actors, not {len(cast)}")
    for seat, actor in enumerate(cast):
        if not _answers(actor.setup):
            state = rules.eliminate_at_setup(state, seat)
    while (active := rules.turn(state)) is not None:
        state = _after_call(state, active, cast[active])
    for seat, _ in rules.notifications(state):
        if not _answers(cast[seat].win):
            state = rules.eliminate(state, seat)
    return state


def _after_call(state: State, seat: int, actor: Actor) -> State:
    """The call that is due, and what comes of it."""
    ask = actor.request if state.phase is Phase.REQUEST else actor.cards
    try:
        return _applied(state, ask(rules.view(state, seat)))
    except (ActorError, RuleError):
        return rules.eliminate(state, seat)


def _answers(call: Callable[[], None]) -> bool:
    """Whether a call that has nothing to tell returns at all."""
    try:
        call()
    except ActorError:
        return False
    return True


def _game(equations: Json, game: Json, bonus: Bonus = "none") -> State:
    return read_game(game, read_table(equations), Settings(draw="ordered", bonus=bonus))


def _applied(state: State, action: Action) -> State:
    if rule := rules.violation(state, action):
        raise RuleError(rule)
    return rules.apply(state, action)
