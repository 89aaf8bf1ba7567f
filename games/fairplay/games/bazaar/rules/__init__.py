"""The rules of Bazaar as pure functions (bazaar.md sections 2 to 8).

A turn is two calls, and `State.phase` says which is due: a request (`PEBBLE`, or exchanges in order), then a
purchase (cards in order). `apply` takes the answer to either one; after the first the game may already be over.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from fairplay.games.bazaar.rules.pieces import (
    CARD_PEBBLES,
    EMPTY,
    UNITS,
    Bag,
    Card,
    Exchange,
    holds,
    pack,
    points,
    size,
    unpack,
)
from fairplay.games.bazaar.rules.results import is_over, notifications, ranking, scores, winners
from fairplay.games.bazaar.rules.rulebook import Rulebook, random_cards, random_rulebook
from fairplay.games.bazaar.rules.settings import Settings, settings_problem
from fairplay.games.bazaar.rules.state import (
    MOST_SEATS,
    PEBBLE,
    Action,
    Exchanges,
    Phase,
    Player,
    Purchase,
    Request,
    Standing,
    State,
    View,
    state_problem,
    view,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from random import Random

__all__ = [
    "PEBBLE",
    "RULES",
    "SEATS",
    "Action",
    "Bag",
    "Card",
    "Exchange",
    "Exchanges",
    "Phase",
    "Player",
    "Purchase",
    "Request",
    "Rulebook",
    "Settings",
    "Standing",
    "State",
    "View",
    "apply",
    "eliminate",
    "eliminate_at_setup",
    "initial",
    "invariant",
    "legal",
    "notifications",
    "purchase_violation",
    "purchases",
    "ranking",
    "request_violation",
    "requests",
    "resume",
    "scores",
    "settings_problem",
    "turn",
    "view",
    "violation",
    "winners",
]

SEATS = range(2, MOST_SEATS + 1)
"""How many players a fresh game takes."""

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


def initial(settings: Settings, seat_count: int, rng: Random) -> State:
    """A fresh game: full bank, empty wallets, equations and cards drawn (section 2).

    ValueError if these settings or so many players cannot be.
    """
    if problem := settings_problem(settings):
        raise ValueError(problem[1])
    if seat_count not in SEATS:
        raise ValueError(f"a game has {SEATS[0]} to {SEATS[-1]} players, not {seat_count}")
    rulebook = random_rulebook(rng, settings.equations, settings.side_min, settings.side_max)
    cards = random_cards(rng, settings.cards_total)
    return resume(
        settings,
        rulebook,
        bank=pack([settings.pebbles_per_color] * len(UNITS)),
        visible=cards[: settings.visible],
        pile=cards[settings.visible :],
        players=(Player(),) * seat_count,
        luck=rng.getrandbits(64),
    )


def resume(
    settings: Settings,
    rulebook: Rulebook,
    *,
    bank: Bag,
    visible: Purchase,
    pile: Purchase,
    players: tuple[Player, ...],
    luck: int = 0,
    active: int = 0,
    turns: int = 0,
    revision: int = 0,
) -> State:
    """A game in which the turn of the active player is about to begin, unless it is over at once.

    Whether such a state can be is not checked here: see `invariant`.
    """
    return _settled(
        State(settings, rulebook, bank, visible, pile, players, active, Phase.REQUEST, turns, luck, revision),
    )


def turn(state: State) -> int | None:
    """The seat to be called next, with the call that `State.phase` names; None when the game is over."""
    return None if state.phase is Phase.OVER else state.active


def legal(state: State) -> Sequence[Action]:
    """Legal answers to the call that is due, none when the game is over.

    All legal purchases, but of the requests only the shortest (`requests`): the lists of exchanges are too many.
    """
    if state.phase is Phase.OVER:
        return ()
    wallet = state.players[state.active].wallet
    if state.phase is Phase.CARDS:
        return tuple(purchases(wallet, state.visible))
    return requests(state.rulebook, wallet, state.bank)


def requests(rulebook: Rulebook, wallet: Bag, bank: Bag) -> list[Request]:
    """The shortest legal answers to the first call: a pebble, no exchange, and each usable one alone."""
    answers: list[Request] = [PEBBLE, ()] if bank else [()]
    answers += [(exchange,) for exchange in rulebook.usable(wallet, bank)]
    return answers


def purchases(wallet: Bag, visible: Purchase) -> Iterator[Purchase]:
    """Every legal purchase, in every order, the empty one first; equal cards count as one card."""
    yield ()
    for place, card in enumerate(visible):
        if holds(wallet, card.pebbles) and card not in visible[:place]:
            others = visible[:place] + visible[place + 1 :]
            for more in purchases(wallet - card.pebbles, others):
                yield card, *more


def violation(state: State, action: Action) -> str | None:
    """The id of the rule that an answer to the call that is due breaks, None if it is legal."""
    if state.phase is Phase.OVER:
        return "bazaar.turn.game-over"
    wallet = state.players[state.active].wallet
    if state.phase is Phase.CARDS:
        return purchase_violation(wallet, state.visible, action)
    most = state.settings.max_exchanges
    return request_violation(state.rulebook, wallet, state.bank, action, max_exchanges=most)


def request_violation(
    rulebook: Rulebook, wallet: Bag, bank: Bag, request: Action, *, max_exchanges: int = 64
) -> str | None:
    """The rule of section 3 or 4 that an answer to the first call breaks."""
    if request is PEBBLE:
        return None if bank else "bazaar.pebble.bank-empty"
    if len(request) > max_exchanges:
        return "bazaar.exchange.too-many"
    for exchange in request:
        if not isinstance(exchange, Exchange):
            return "bazaar.turn.call"
        if broken := _exchange_violation(rulebook, wallet, bank, exchange):
            return broken
        gain = exchange.right - exchange.left
        wallet += gain
        bank -= gain
    return None


def _exchange_violation(rulebook: Rulebook, wallet: Bag, bank: Bag, exchange: Exchange) -> str | None:
    if not (exchange.left and exchange.right):
        return "bazaar.exchange.sides"
    if exchange not in rulebook:
        return "bazaar.exchange.in-table"
    if not holds(wallet, exchange.left):
        return "bazaar.exchange.wallet"
    return None if holds(bank, exchange.right) else "bazaar.exchange.bank"


def purchase_violation(wallet: Bag, visible: Purchase, purchase: Action) -> str | None:
    """The rule of section 5 that an answer to the second call breaks."""
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


def apply(state: State, action: Action) -> State:
    """Carries out a legal answer to the call that is due; after a purchase the next player's turn begins."""
    if state.phase is Phase.CARDS:
        return _bought(state, cast("Purchase", action))
    if action is PEBBLE:
        return _drawn(state)
    return _exchanged(state, cast("Exchanges", action))


def _drawn(state: State) -> State:
    luck, place = state.luck, 0
    if state.settings.draw == "random":
        luck, bits = _random_bits(luck)
        place = bits * size(state.bank) >> 64
    return _requested(state, _pebble_at(state.bank, place), state.visible, state.pile, luck)


def _pebble_at(bank: Bag, place: int) -> Bag:
    """One pebble of the bank, whose colours lie in canonical order."""
    for unit, count in zip(UNITS, unpack(bank), strict=True):
        place -= count
        if place < 0:
            return unit
    raise ValueError("the bank has fewer pebbles")


def _random_bits(luck: int) -> tuple[int, int]:
    """The next hidden bits, and 64 random ones (splitmix64): a replay draws the same pebbles again."""
    mask = 0xFFFF_FFFF_FFFF_FFFF
    luck = luck + 0x9E37_79B9_7F4A_7C15 & mask
    bits = (luck ^ luck >> 30) * 0xBF58_476D_1CE4_E5B9 & mask
    bits = (bits ^ bits >> 27) * 0x94D0_49BB_1331_11EB & mask
    return luck, bits ^ bits >> 31


def _exchanged(state: State, exchanges: Exchanges) -> State:
    gain = sum([right - left for left, right in exchanges])
    visible, pile = state.visible, state.pile
    for _ in range(_price(state.settings, len(exchanges))):
        if pile:
            pile = pile[:-1] if state.settings.price_takes_from == "bottom" else pile[1:]
        else:
            visible = ()
    return _requested(state, gain, visible, pile, state.luck)


def _price(settings: Settings, exchange_count: int) -> int:
    """How many cards a request with so many exchanges costs (section 3)."""
    if settings.exchange_price == "none":
        return 0
    if not exchange_count:
        return int(settings.empty_request_charged)
    return exchange_count if settings.exchange_price == "per_equation" else 1


def _requested(state: State, gain: Bag, visible: Purchase, pile: Purchase, luck: int) -> State:
    settings, rulebook, bank, _, _, players, seat, _, turns, _, revision = state
    wallet, score, cards, standing = players[seat]
    players = _seated(players, seat, Player(wallet + gain, score, cards, standing))
    bank, revision = bank - gain, revision + 1
    after = State(settings, rulebook, bank, visible, pile, players, seat, Phase.CARDS, turns, luck, revision)
    return _settled(after) if settings.check_end_mid_turn else after


def _bought(state: State, purchase: Purchase) -> State:
    settings, rulebook, bank, visible, pile, players, seat, _, turns, luck, revision = state
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
        players = _seated(players, seat, Player(wallet, score, cards + purchase, standing))
    seat, turns, revision = _seat_after(players, seat), turns + 1, revision + 1
    return _settled(State(settings, rulebook, bank, visible, pile, players, seat, Phase.REQUEST, turns, luck, revision))


def _seated(players: tuple[Player, ...], seat: int, player: Player) -> tuple[Player, ...]:
    return (*players[:seat], player, *players[seat + 1 :])


def _seat_after(players: tuple[Player, ...], seat: int) -> int:
    """The next surviving seat in turn order; the same one if there is no other."""
    count = len(players)
    coming = [other % count for other in range(seat + 1, seat + count)]
    return next((other for other in coming if players[other].standing is Standing.IN), seat)


def eliminate(state: State, seat: int) -> State:
    """Takes a player out, with its pebbles and cards (section 6). What its turn has already changed stays.

    Once the game is over this is a player that failed when it was told the result: it leaves the ranking, and
    nobody moves up. For a player that is already out nothing changes.
    """
    if state.players[seat].standing is not Standing.IN:
        return state
    if state.phase is Phase.OVER:
        failed = state.players[seat]._replace(standing=Standing.FAILED)
        return state._replace(players=_seated(state.players, seat, failed), revision=state.revision + 1)
    state = _without(state, seat)
    if seat == state.active:
        next_seat = _seat_after(state.players, seat)
        state = state._replace(active=next_seat, phase=Phase.REQUEST, turns=state.turns + 1)
    return _settled(state)


def eliminate_at_setup(state: State, seat: int) -> State:
    """Takes out a player that failed at `setup`, before the first turn, and asks anew whether the game is over.

    A game that is resumed between the two calls of a turn goes on there, unless it is this player's turn. One whose
    result has been told to somebody stays over.
    """
    if state.players[seat].standing is not Standing.IN:
        return state
    state = _without(state, seat)
    if any(player.standing is Standing.FAILED for player in state.players):
        return state
    active = state.active
    if state.phase is Phase.CARDS and seat != active:
        return _settled(state)
    if state.players[active].standing is not Standing.IN:
        active = _seat_after(state.players, active)
    return _settled(state._replace(active=active, phase=Phase.REQUEST))


def _without(state: State, seat: int) -> State:
    returned = state.players[seat].wallet if state.settings.kick_returns_pebbles else EMPTY
    players = _seated(state.players, seat, Player(standing=Standing.OUT))
    return state._replace(bank=state.bank + returned, players=players, revision=state.revision + 1)


def _settled(state: State) -> State:
    """The state, marked as over if it is: applied before each turn and between its calls (section 7)."""
    return state._replace(phase=Phase.OVER) if is_over(state) else state


def invariant(state: State) -> str | None:
    """One sentence naming what no state of a game can be like, None if all is well (section 10)."""
    if problem := state_problem(state):
        return problem
    if state.phase is Phase.OVER:
        return None if is_over(_before_the_result(state)) else "the game is over, although nothing has ended it"
    checked = state.phase is Phase.REQUEST or state.settings.check_end_mid_turn
    return "a call is due, although the game is over" if checked and is_over(state) else None


def _before_the_result(state: State) -> State:
    """A state whose game is over, with those who failed when they were told, as if another turn could begin."""
    players = [
        player._replace(standing=Standing.IN) if player.standing is Standing.FAILED else player
        for player in state.players
    ]
    return state._replace(players=tuple(players), phase=Phase.REQUEST)
