"""Which answers to the two calls of a turn are legal, and which rule the others break (bazaar.md sections 3 to 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fairplay.games.bazaar.rules.equations import EquationTable
from fairplay.games.bazaar.rules.pieces import CARD_PEBBLES, Bag, Card, Exchange, holds, size
from fairplay.games.bazaar.rules.state import PEBBLE, Action, Phase, Purchase, Request, State


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
