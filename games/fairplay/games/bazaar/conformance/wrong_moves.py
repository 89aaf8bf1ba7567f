"""What players of Bazaar get wrong: situations in which they slip, and what they request or buy then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, product
from random import Random

from fairplay.bazaar.v1.bazaar_pb2 import Equation
from fairplay.bazaar.v1.bazaar_player_pb2 import (
    Exchanges,
    RequestCardsRequest,
    RequestPebbleOrExchangesRequest,
    RequestPebbleOrExchangesResponse,
)
from fairplay.games.bazaar import rules
from fairplay.games.bazaar.protocol import codec
from fairplay.games.bazaar.rules import EquationTable, Purchase, Request, TurnView
from fairplay.games.bazaar.rules.pieces import UNITS, Bag, Card, Exchange, holds, mirrored, unpack
from fairplay.games.kit.conformance import Mutate

ONE_EACH = (1, 1, 1, 1, 1)


# Special situations


def bank_empty(request: RequestPebbleOrExchangesRequest) -> bool:
    """The bank has no pebble."""
    return not any(request.turn_state.bank)


def last_of_six(request: RequestPebbleOrExchangesRequest | RequestCardsRequest) -> bool:
    """There are five others."""
    return len(request.turn_state.other_scores) == 5


def alone(request: RequestPebbleOrExchangesRequest | RequestCardsRequest) -> bool:
    """There are no others."""
    return not request.turn_state.other_scores


def no_equations(request: RequestPebbleOrExchangesRequest) -> bool:
    """The table is empty."""
    return not request.turn_state.table.equations


def nothing_usable(request: RequestPebbleOrExchangesRequest) -> bool:
    """No exchange is possible."""
    view = codec.view(request.turn_state)
    return not codec.table(request.turn_state.table).usable(view.wallet, view.bank)


def row_empty(request: RequestCardsRequest) -> bool:
    """No card is visible."""
    return not request.turn_state.visible


def one_visible(request: RequestCardsRequest) -> bool:
    """One card is visible."""
    return len(request.turn_state.visible) == 1


def nearly_won(request: RequestCardsRequest) -> bool:
    """One point is missing, as the settings usually are."""
    return request.turn_state.score == 19


# Wrong requests


def made_up(view: TurnView, table: EquationTable) -> Iterator[Request]:
    """One pebble for one of another colour."""
    return ((Exchange(give, get),) for give, get in product(UNITS, UNITS) if give != get)


def doubled(view: TurnView, table: EquationTable) -> Iterator[Request]:
    """An equation with twice its pebbles."""
    return ((Exchange(2 * left, 2 * right),) for left, right in table.exchanges)


def one_more(view: TurnView, table: EquationTable) -> Iterator[Request]:
    """An equation with a pebble more to get, where it could be used."""
    ways = table.usable(view.wallet, view.bank)
    return ((Exchange(left, right + unit),) for left, right in ways for unit in UNITS if holds(right, unit))


def one_less(view: TurnView, table: EquationTable) -> Iterator[Request]:
    """An equation with a pebble less to give."""
    return (
        (Exchange(left - unit, right),)
        for left, right in table.exchanges
        for unit in UNITS
        if holds(left, unit) and left != unit
    )


def mixed(view: TurnView, table: EquationTable) -> Iterator[Request]:
    """The left side of one equation and the right side of another."""
    pairs = combinations(table.exchanges, 2)
    return ((Exchange(one.left, other.right),) for one, other in pairs if one.left != other.right)


def singles(view: TurnView, table: EquationTable) -> Iterator[Request]:
    """Any equation, once."""
    return ((exchange,) for exchange in table.exchanges)


def lacking(have: Bag, wanted: Bag) -> int:
    """How many pebbles of `wanted` a bag does not have."""
    return sum(max(0, need - count) for need, count in zip(unpack(wanted), unpack(have), strict=True))


def one_short_of(view: TurnView, table: EquationTable) -> Iterator[Request]:
    """Exchanges for which a single pebble is missing, in the wallet or in the bank."""
    return (
        (exchange,)
        for exchange in table.exchanges
        if lacking(view.wallet, exchange.left) + lacking(view.bank, exchange.right) == 1
    )


def backwards(view: TurnView, table: EquationTable) -> Iterator[Request]:
    """Two exchanges of which the second earns what the first one gives."""
    pairs = product(table.usable(view.wallet, view.bank), table.exchanges)
    return (
        (then, first)
        for first, then in pairs
        if rules.request_violation(table, view.wallet, view.bank, (first, then)) is None
    )


def again_and_again(view: TurnView, table: EquationTable) -> Iterator[Request]:
    """A usable exchange once more than it can be used."""
    for exchange in table.usable(view.wallet, view.bank):
        count = 1
        while rules.request_violation(table, view.wallet, view.bank, (exchange,) * count) is None:
            count += 1
        yield (exchange,) * count


def to_and_fro(count: int) -> Callable[[TurnView, EquationTable], Iterable[Request]]:
    """A usable exchange and the same one back, so many in all: legal, were they not too many."""
    return lambda view, table: (((way, mirrored(way)) * count)[:count] for way in table.usable(view.wallet, view.bank))


def too_long(count: int) -> Mutate:
    """So many exchanges in one request, whatever they are."""

    def spoil(
        request: RequestPebbleOrExchangesRequest, reply: RequestPebbleOrExchangesResponse, luck: Random
    ) -> RequestPebbleOrExchangesResponse:
        equations = request.turn_state.table.equations
        step = equations[0] if equations else Equation(left=ONE_EACH, right=ONE_EACH)
        return RequestPebbleOrExchangesResponse(exchanges=Exchanges(steps=[step] * count))

    return spoil


# Wrong purchases


def visible(view: TurnView) -> Iterator[Purchase]:
    """Any visible card."""
    return ((card,) for card in view.visible)


def one_short_card(view: TurnView) -> Iterator[Purchase]:
    """A visible card for which a single pebble is missing."""
    return ((card,) for card in view.visible if lacking(view.wallet, card.pebbles) == 1)


def turned_over(view: TurnView) -> Iterator[Purchase]:
    """A visible card with a face more, or less."""
    return ((Card(card.pebbles, not card.face),) for card in view.visible)


def out_of_the_wallet(view: TurnView) -> Iterator[Purchase]:
    """Cards made of what the wallet holds."""
    return ((Card(5 * unit, False),) for unit in UNITS if holds(view.wallet, 5 * unit))


def any_card(view: TurnView) -> Iterator[Purchase]:
    """Cards of one colour."""
    return ((Card(5 * unit, face),) for unit in UNITS for face in (False, True))


def once_more(view: TurnView) -> Iterator[Purchase]:
    """An affordable card once more than it is visible."""
    payable = (card for card in view.visible if holds(view.wallet, card.pebbles))
    return ((card,) * (view.visible.count(card) + 1) for card in payable)


def owned(view: TurnView) -> Iterator[Purchase]:
    """A card of the player's own."""
    return ((card,) for card in view.cards)


def two_of_which_each(view: TurnView) -> Iterator[Purchase]:
    """Two cards either of which could be bought alone."""
    payable = [card for card in view.visible if holds(view.wallet, card.pebbles)]
    return iter(combinations(payable, 2))
