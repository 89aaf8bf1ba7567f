"""How a game of Bazaar goes: its beginning, legal answers, turns, eliminations and results (bazaar.md 2 to 8).

A turn is two calls, and `State.phase` says which is due: a request (`PEBBLE`, or exchanges in order), then a purchase
(cards in order). `apply` takes the answer to either one; after the first the game may already be over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, permutations
from random import Random
from types import MappingProxyType
from typing import cast

from fairplay.games.bazaar.rules.pieces import (
    CARD_PEBBLES,
    EMPTY,
    UNITS,
    Bag,
    Card,
    EquationTable,
    Exchange,
    disjoint,
    holds,
    pack,
    points,
    size,
    unpack,
)
from fairplay.games.bazaar.rules.state import (
    MAX_SEATS,
    MIN_SEATS,
    PEBBLE,
    SEATS,
    Action,
    Exchanges,
    Phase,
    Player,
    Purchase,
    Request,
    Settings,
    Standing,
    State,
    TurnView,
    is_over,
    next_seat,
    settings_problem,
    with_player,
)
from fairplay.games.kit.draws import draw_below

RULES: Mapping[str, str] = MappingProxyType(
    {
        "bazaar.request.required": "The first answer of a turn is either a pebble or a list of exchanges.",
        "bazaar.pebble.bank-empty": "A pebble can be requested only while the bank has one.",
        "bazaar.pebble.known": "A pebble is red, white, blue, green or yellow.",
        "bazaar.pebble.counts": "A bag of pebbles is five counts, one for each colour, each 0 to 400.",
        "bazaar.exchange.too-many": "A request has at most max_exchanges exchanges.",
        "bazaar.exchange.sides": "An exchange names pebbles to give and pebbles to get, at least one of each.",
        "bazaar.exchange.in-table": "An exchange is an equation of the table, either way, both sides exactly.",
        "bazaar.exchange.wallet": "When its turn in the list comes, the wallet holds what an exchange gives.",
        "bazaar.exchange.bank": "When its turn in the list comes, the bank holds what an exchange gets.",
        "bazaar.purchase.required": "The second answer of a turn is a list of cards, which may be empty.",
        "bazaar.card.face": "A card says whether it has a happy face.",
        "bazaar.card.five-pebbles": "A card shows exactly five pebbles.",
        "bazaar.purchase.visible": "A card to buy is still visible: one with the same pebbles and face.",
        "bazaar.purchase.wallet": "When its turn in the list comes, the wallet holds the pebbles of a card.",
        "bazaar.turn.call": "An answer fits the call that is due: a request first, then a purchase.",
        "bazaar.turn.game-over": "Nothing can be played once the game is over.",
    }
)


# The beginning (section 2)


def initial(settings: Settings, seat_count: int, rng: Random) -> State:
    """Return a fresh game: full bank, empty wallets, equations and cards drawn.

    Raises ValueError if the settings are not allowed, or if there are too few or too many players.
    """
    if problem := settings_problem(settings):
        raise ValueError(problem[1])
    if seat_count not in SEATS:
        raise ValueError(f"Bazaar is played by {MIN_SEATS} to {MAX_SEATS} players, not by {seat_count}.")
    table = random_table(rng, settings.equations, settings.side_min, settings.side_max)
    cards = random_cards(rng, settings.cards_total)
    return resume(
        settings,
        table,
        bank=pack([settings.pebbles_per_color] * len(UNITS)),
        visible=cards[: settings.visible],
        pile=cards[settings.visible :],
        players=(Player(),) * seat_count,
        draw_state=rng.getrandbits(64),
    )


def resume(
    settings: Settings,
    table: EquationTable,
    *,
    bank: Bag,
    visible: Purchase,
    pile: Purchase,
    players: tuple[Player, ...],
    draw_state: int = 0,
    active: int = 0,
    turns: int = 0,
    revision: int = 0,
) -> State:
    """Return a game in which the turn of the active player is about to begin, unless the game is over at once.

    It is not checked whether a game can have led to the state: see `invariant`.
    """
    phase = Phase.REQUEST
    return settled(State(settings, table, bank, visible, pile, players, active, phase, turns, draw_state, revision))


def random_table(rng: Random, equations: int, side_min: int, side_max: int) -> EquationTable:
    """Return a table of distinct equations, each redrawn until its sides share no colour and it is new.

    Does not return if there are not that many: there are 10 with sides of one pebble, 2,000 with sides of 1 to 4.
    """
    found: dict[frozenset[Bag], Exchange] = {}
    while len(found) < equations:
        left = random_bag(rng, rng.randint(side_min, side_max))
        right = random_bag(rng, rng.randint(side_min, side_max))
        if disjoint(left, right):
            found.setdefault(frozenset((left, right)), Exchange(left, right))
    return EquationTable(tuple(found.values()))


def random_bag(rng: Random, pebbles: int) -> Bag:
    """Return a bag of so many pebbles, each of any colour."""
    return sum([rng.choice(UNITS) for _ in range(pebbles)])


def random_cards(rng: Random, count: int) -> tuple[Card, ...]:
    """Return cards of five independent pebbles and a face half of the time; equal cards may come up."""
    return tuple(Card(random_bag(rng, CARD_PEBBLES), rng.random() < 0.5) for _ in range(count))


def settled(state: State) -> State:
    """Return the state, marked as over if it is: asked before each turn and between its calls."""
    return state._replace(phase=Phase.OVER) if is_over(state) else state


def view(state: State, seat: int) -> TurnView:
    """Return what the player of a seat is shown."""
    players = state.players
    wallet, score, cards, _ = players[seat]
    others = players[seat + 1 :] + players[:seat]
    coming = tuple([other.score for other in others if other.standing is Standing.IN])
    if not state.settings.turn_active_has_cards:
        cards = ()
    return TurnView(state.bank, state.visible, wallet, score, cards, coming, state.revision)


def turn(state: State) -> int | None:
    """Return the seat to be called next, with the call that `State.phase` names; None: the game is over."""
    return None if state.phase is Phase.OVER else state.active


# Legal answers (sections 3 to 5)


def legal(state: State) -> Sequence[Action]:
    """Return the legal answers to the call that is due, none when the game is over.

    These are all legal purchases, but of the requests only the shortest (`requests`): the lists of exchanges are too
    many.
    """
    if state.phase is Phase.OVER:
        return ()
    wallet = state.players[state.active].wallet
    if state.phase is Phase.CARDS:
        return tuple(purchases(wallet, state.visible))
    return requests(state.table, wallet, state.bank)


def requests(table: EquationTable, wallet: Bag, bank: Bag) -> list[Request]:
    """Return the shortest legal answers to the first call: a pebble, no exchange, and each usable exchange alone."""
    answers: list[Request] = [PEBBLE, ()] if bank else [()]
    answers += [(exchange,) for exchange in table.usable(wallet, bank)]
    return answers


def purchases(wallet: Bag, visible: Purchase) -> Iterator[Purchase]:
    """Yield every legal purchase, in every order, the empty one first; equal cards count as one card."""
    yield ()
    for place, card in enumerate(visible):
        if holds(wallet, card.pebbles) and card not in visible[:place]:
            others = visible[:place] + visible[place + 1 :]
            for more in purchases(wallet - card.pebbles, others):
                yield card, *more


def violation(state: State, action: Action) -> str | None:
    """Return the id of the rule that an answer to the call that is due breaks, or None if it is legal."""
    if state.phase is Phase.OVER:
        return "bazaar.turn.game-over"
    wallet = state.players[state.active].wallet
    if state.phase is Phase.CARDS:
        return purchase_violation(wallet, state.visible, action)
    most = state.settings.max_exchanges
    return request_violation(state.table, wallet, state.bank, action, max_exchanges=most)


def request_violation(
    table: EquationTable, wallet: Bag, bank: Bag, request: Action, *, max_exchanges: int = 64
) -> str | None:
    """Return the id of the rule of section 3 or 4 that an answer to the first call breaks, or None."""
    if request is PEBBLE:
        return None if bank else "bazaar.pebble.bank-empty"
    if len(request) > max_exchanges:
        return "bazaar.exchange.too-many"
    for exchange in request:
        if not isinstance(exchange, Exchange):
            return "bazaar.turn.call"
        if broken := _exchange_violation(table, wallet, bank, exchange):
            return broken
        gain = exchange.right - exchange.left
        wallet += gain
        bank -= gain
    return None


def _exchange_violation(table: EquationTable, wallet: Bag, bank: Bag, exchange: Exchange) -> str | None:
    if not (exchange.left and exchange.right):
        return "bazaar.exchange.sides"
    if exchange not in table:
        return "bazaar.exchange.in-table"
    if not holds(wallet, exchange.left):
        return "bazaar.exchange.wallet"
    return None if holds(bank, exchange.right) else "bazaar.exchange.bank"


def purchase_violation(wallet: Bag, visible: Purchase, purchase: Action) -> str | None:
    """Return the id of the rule of section 5 that an answer to the second call breaks, or None."""
    if purchase is PEBBLE:
        return "bazaar.turn.call"
    row = list(visible)
    for card in purchase:
        if not isinstance(card, Card):
            return "bazaar.turn.call"
        if size(card.pebbles) != CARD_PEBBLES:
            return "bazaar.card.five-pebbles"
        if card not in row:
            return "bazaar.purchase.visible"
        if not holds(wallet, card.pebbles):
            return "bazaar.purchase.wallet"
        row.remove(card)
        wallet -= card.pebbles
    return None


# Turns (sections 3 to 5)


def apply(state: State, action: Action) -> State:
    """Return the state after a legal answer to the call that is due; after a purchase the next turn begins."""
    if state.phase is Phase.CARDS:
        return _bought(state, cast("Purchase", action))
    if action is PEBBLE:
        draw_state, place = state.draw_state, 0
        if state.settings.draw == "random":
            draw_state, place = draw_below(draw_state, size(state.bank))
        return _requested(state, _pebble_at(state.bank, place), state.visible, state.pile, draw_state)
    exchanges, settings = cast("Exchanges", action), state.settings
    visible, pile = state.visible, state.pile
    for _ in range(_price(settings, len(exchanges))):
        if pile:
            pile = pile[:-1] if settings.price_takes_from == "bottom" else pile[1:]
        else:
            visible = ()
    return _requested(state, sum([right - left for left, right in exchanges]), visible, pile, state.draw_state)


def _pebble_at(bank: Bag, place: int) -> Bag:
    """Return one pebble of the bank, whose colours lie in canonical order."""
    for unit, count in zip(UNITS, unpack(bank), strict=True):
        place -= count
        if place < 0:
            return unit
    raise ValueError("the bank has fewer pebbles")


def _price(settings: Settings, exchange_count: int) -> int:
    """Return how many cards a request with so many exchanges costs (section 3)."""
    if settings.exchange_price == "none":
        return 0
    if not exchange_count:
        return int(settings.empty_request_charged)
    return exchange_count if settings.exchange_price == "per_equation" else 1


def _requested(state: State, gain: Bag, visible: Purchase, pile: Purchase, draw_state: int) -> State:
    settings, table, bank, _, _, players, seat, _, turns, _, revision = state
    wallet, score, cards, standing = players[seat]
    players = with_player(players, seat, Player(wallet + gain, score, cards, standing))
    bank, revision = bank - gain, revision + 1
    after = State(settings, table, bank, visible, pile, players, seat, Phase.CARDS, turns, draw_state, revision)
    return settled(after) if settings.check_end_mid_turn else after


def _bought(state: State, purchase: Purchase) -> State:
    settings, table, bank, visible, pile, players, seat, _, turns, draw_state, revision = state
    if purchase:
        wallet, score, cards, standing = players[seat]
        row = list(visible)
        for card in purchase:
            row.remove(card)
            wallet -= card.pebbles
            bank += card.pebbles
            score += points(size(wallet), card.face)
        visible = (*row, *pile[: len(purchase)])
        pile = pile[len(purchase) :]
        players = with_player(players, seat, Player(wallet, score, cards + purchase, standing))
    seat, turns, revision, phase = next_seat(players, seat), turns + 1, revision + 1, Phase.REQUEST
    return settled(State(settings, table, bank, visible, pile, players, seat, phase, turns, draw_state, revision))


# Players that leave (section 6)


def eliminate(state: State, seat: int) -> State:
    """Return the state without a player, its pebbles and its cards. What its turn has already changed stays.

    Once the game is over the player has failed when it was told the result: it leaves the ranking, and nobody moves
    up. For a player that is already out the state is returned unchanged.
    """
    if state.players[seat].standing is not Standing.IN:
        return state
    if state.phase is Phase.OVER:
        failed = state.players[seat]._replace(standing=Standing.FAILED)
        return state._replace(players=with_player(state.players, seat, failed), revision=state.revision + 1)
    state = _without(state, seat)
    if seat == state.active:
        state = state._replace(active=next_seat(state.players, seat), phase=Phase.REQUEST, turns=state.turns + 1)
    return settled(state)


def eliminate_at_setup(state: State, seat: int) -> State:
    """Return the state without a player that failed at `setup`, before the first turn.

    A game that is resumed between the two calls of a turn goes on there, unless it is this player's turn. A game of
    which somebody failed to be told the result stays over.
    """
    if state.players[seat].standing is not Standing.IN:
        return state
    state = _without(state, seat)
    if any(player.standing is Standing.FAILED for player in state.players):
        return state
    active = state.active
    if state.phase is Phase.CARDS and seat != active:
        return settled(state)
    if state.players[active].standing is not Standing.IN:
        active = next_seat(state.players, active)
    return settled(state._replace(active=active, phase=Phase.REQUEST))


def _without(state: State, seat: int) -> State:
    returned = state.players[seat].wallet if state.settings.kick_returns_pebbles else EMPTY
    players = with_player(state.players, seat, Player(standing=Standing.OUT))
    return state._replace(bank=state.bank + returned, players=players, revision=state.revision + 1)


# Results (sections 7 and 8)


def scores(state: State) -> tuple[int, ...]:
    """Return the scores by seat, 0 for an eliminated one; the bonus counts once the game is over (section 8)."""
    if state.phase is not Phase.OVER:
        return tuple(player.score for player in state.players)
    return tuple(player.score + bonus(state.settings.bonus, player.cards) for player in state.players)


def bonus(kind: str, cards: Purchase) -> int:
    """Return the bonus that the cards of one player earn it at the end (section 8)."""
    shown = [[unpack(card.pebbles)[at] > 0 for card in cards] for at in range(len(UNITS))]
    red, white, blue = shown[:3]
    if kind == "rwb":
        return 10 * all(map(any, (red, white, blue)))
    if kind == "sey":
        return 50 * all(map(any, shown))
    if kind == "rwb_distinct":
        return 10 * any(red[a] and white[b] and blue[c] for a, b, c in permutations(range(len(cards)), 3))
    return 0


def ranking(state: State) -> tuple[tuple[int, ...], ...]:
    """Return the surviving seats, best first, ties in one group.

    The first group are the winners. It is empty, and stays first, when all of them failed to be told that they have
    won: the result is not computed again (section 7).
    """
    totals = scores(state)
    stood = [seat for seat, player in enumerate(state.players) if player.standing is not Standing.OUT]
    stood.sort(key=lambda seat: -totals[seat])
    groups = [tuple(group) for _, group in groupby(stood, key=lambda seat: totals[seat])]
    left = [tuple(seat for seat in group if state.players[seat].standing is Standing.IN) for group in groups]
    return tuple(group for place, group in enumerate(left) if group or place == 0)


def winners(state: State) -> tuple[int, ...]:
    """Return the seats with the most points; none if all were eliminated or no winner could be told."""
    return next(iter(ranking(state)), ())


def notifications(state: State) -> tuple[tuple[int, bool], ...]:
    """Return who is to be told the result, in this order, and whether it has won: winners first (section 7)."""
    first, *others = ranking(state) or ((),)
    losers = sorted(seat for group in others for seat in group)
    return (*((seat, True) for seat in first), *((seat, False) for seat in losers))
