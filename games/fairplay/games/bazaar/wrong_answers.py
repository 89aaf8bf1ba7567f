"""How wrong answers in Bazaar are declared, and what several mutations make them of.

A wrong answer is one of many that a function yields, of which only those count that break the rule in question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import Any, TypeAlias

from fairplay.bazaar.v1.bazaar_pb2 import Card as CardMessage
from fairplay.bazaar.v1.bazaar_pb2 import Equation, Exchanges
from fairplay.bazaar.v1.bazaar_player_pb2 import (
    RequestCardsResponse,
    RequestPebbleOrExchangesResponse,
)
from fairplay.games.bazaar import rules
from fairplay.games.bazaar.protocol import codec
from fairplay.games.bazaar.rules.pieces import UNITS, Bag, Card, EquationTable, Exchange, holds, mirrored, pack, unpack
from fairplay.games.bazaar.rules.state import Purchase, Request, TurnView
from fairplay.games.conformance import Mutation
from fairplay.games.kit.conformance import build_mutation, choose

WrongRequests: TypeAlias = Callable[[TurnView, EquationTable], Iterable[Request]]
WrongPurchases: TypeAlias = Callable[[TurnView], Iterable[Purchase]]

REQUEST, CARDS = "RequestPebbleOrExchanges", "RequestCards"
LONGEST_USUALLY = 64


# Declarations


def request(rule: str, *cases: str, max_exchanges: int = LONGEST_USUALLY) -> Callable[[WrongRequests], Mutation]:
    """Declare a mutation of the first answer of a turn: the decorated function yields requests from view and table."""

    def declare(wrong: WrongRequests) -> Mutation:
        def mutate(request: Any, reply: Any, rng: Random) -> RequestPebbleOrExchangesResponse | None:
            view, table = codec.read_view(request.turn_state), codec.read_table(request.turn_state.table)

            def broken(made: Request) -> str | None:
                return rules.request_violation(table, view.wallet, view.bank, made, max_exchanges=max_exchanges)

            answer = choose((made for made in wrong(view, table) if broken(made) == rule), rng)
            return None if answer is None else codec.build_request(answer)

        return build_mutation(wrong, REQUEST, rule, cases, mutate)

    return declare


def purchase(rule: str, *cases: str) -> Callable[[WrongPurchases], Mutation]:
    """Declare a mutation of the second answer of a turn: the decorated function yields purchases from the view."""

    def declare(wrong: WrongPurchases) -> Mutation:
        def mutate(request: Any, reply: Any, rng: Random) -> RequestCardsResponse | None:
            view = codec.read_view(request.turn_state)
            broken = (made for made in wrong(view) if rules.purchase_violation(view.wallet, view.visible, made) == rule)
            answer = choose(broken, rng)
            return None if answer is None else codec.build_purchase(answer)

        return build_mutation(wrong, CARDS, rule, cases, mutate)

    return declare


def one_exchange(left: Sequence[int], right: Sequence[int], count: int = 1) -> RequestPebbleOrExchangesResponse:
    """Return the reply that requests one exchange `count` times, with any counts for its sides."""
    steps = [Equation(left=left, right=right)] * count
    return RequestPebbleOrExchangesResponse(exchanges=Exchanges(steps=steps))


def one_card(*counts: int) -> RequestCardsResponse:
    """Return the reply that buys a card with any counts for its pebbles."""
    return RequestCardsResponse(cards=[CardMessage(pebbles=counts)])


# Requests


def made_up(view: TurnView, table: EquationTable) -> Iterator[Request]:
    """Yield one pebble for one of another colour."""
    return ((Exchange(give, get),) for give in UNITS for get in UNITS if give != get)


def singles(view: TurnView, table: EquationTable) -> Iterator[Request]:
    """Yield each equation, in both directions."""
    return ((exchange,) for exchange in table.exchanges)


def at_most_four(bag: Bag) -> Bag:
    """Return a bag with at most four pebbles of each colour."""
    return pack(min(count, 4) for count in unpack(bag))


def lacking(have: Bag, wanted: Bag) -> int:
    """Return how many pebbles of `wanted` a bag does not have."""
    return sum(max(0, need - count) for need, count in zip(unpack(wanted), unpack(have), strict=True))


def times(have: Bag, wanted: Bag) -> int:
    """Return how often a bag has the pebbles of `wanted`."""
    return min(count // need for need, count in zip(unpack(wanted), unpack(have), strict=True) if need)


def one_short(view: TurnView, table: EquationTable) -> Iterator[Request]:
    """Yield exchanges for which a single pebble is missing, in the wallet or in the bank."""
    return (
        (exchange,)
        for exchange in table.exchanges
        if lacking(view.wallet, exchange.left) + lacking(view.bank, exchange.right) == 1
    )


def as_often_as_it_can(view: TurnView, table: EquationTable) -> Iterator[Request]:
    """Yield usable exchanges as often as they can be used, each alone."""
    for exchange in table.usable(view.wallet, view.bank):
        yield (exchange,) * min(times(view.wallet, exchange.left), times(view.bank, exchange.right))


def again_and_again(view: TurnView, table: EquationTable) -> Iterator[Request]:
    """Yield usable exchanges once more than they can be used."""
    for exchange in table.usable(view.wallet, view.bank):
        count = 1
        while rules.request_violation(table, view.wallet, view.bank, (exchange,) * count) is None:
            count += 1
        yield (exchange,) * count


def to_and_fro(view: TurnView, table: EquationTable, count: int) -> Iterator[Request]:
    """Yield usable exchanges and back again, `count` in all: legal if they were not too many."""
    return (((way, mirrored(way)) * count)[:count] for way in table.usable(view.wallet, view.bank))


# Purchases


def visible(view: TurnView) -> Iterator[Purchase]:
    """Yield each visible card."""
    return ((card,) for card in view.visible)


def plain_colors(view: TurnView) -> Iterator[Purchase]:
    """Yield cards of one colour."""
    return ((Card(5 * unit, face),) for unit in UNITS for face in (False, True))


def payable(view: TurnView) -> list[Card]:
    """Return the visible cards that the wallet can pay for."""
    return [card for card in view.visible if holds(view.wallet, card.pebbles)]


def once_more(view: TurnView) -> Iterator[Purchase]:
    """Yield payable cards once more than they are visible."""
    return ((card,) * (view.visible.count(card) + 1) for card in payable(view))
