"""Wrong answers to the referee of Bazaar: each breaks one rule, and is caught by the cases that it names."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, product
from typing import Any

from fairplay.bazaar.v1.bazaar_player_pb2 import RequestCardsResponse, RequestPebbleOrExchangesResponse
from fairplay.games.bazaar import rules
from fairplay.games.bazaar import wrong_answers as wrong
from fairplay.games.bazaar.rules.pieces import EMPTY, UNITS, Card, EquationTable, Exchange, holds, size, unpack
from fairplay.games.bazaar.rules.state import PEBBLE, Purchase, Request, TurnView
from fairplay.games.kit.conformance import (
    DRAWN_STATES,
    UNUSUAL_SETTINGS,
    WHOLE_GAME,
    collect_mutations,
    mutation,
    whole_game,
)

ANYWHERE = (WHOLE_GAME, DRAWN_STATES)
TOO_MANY_OF_ONE = 401


# The first call of a turn: form


@mutation(
    wrong.REQUEST,
    "bazaar.request.required",
    *ANYWHERE,
    "bazaar.wallet.empty",
    "bazaar.settings.smallest",
    "bazaar.exchange.free",
    "bazaar.resume.late",
)
def requests_nothing(*_: Any) -> RequestPebbleOrExchangesResponse:
    """Answers neither with a pebble nor with exchanges."""
    return RequestPebbleOrExchangesResponse()


@mutation(wrong.REQUEST, "bazaar.request.required", "bazaar.bank.empty")
def requests_nothing_for_no_exchange(request: Any, *_: Any) -> RequestPebbleOrExchangesResponse | None:
    """Answers with an empty message where no exchange is left to it, and no pebble."""
    return None if any(request.turn_state.bank) else RequestPebbleOrExchangesResponse()


@mutation(wrong.REQUEST, "bazaar.pebble.counts", *ANYWHERE, "bazaar.exchange.long-sides")
def exchanges_four_counts(*_: Any) -> RequestPebbleOrExchangesResponse:
    """Leaves out the last of five counts where it is 0."""
    return wrong.one_exchange((1, 0, 0, 0), (0, 1, 0, 0))


@mutation(wrong.REQUEST, "bazaar.pebble.counts", *ANYWHERE)
def exchanges_six_counts(*_: Any) -> RequestPebbleOrExchangesResponse:
    """Gives a bag six counts."""
    return wrong.one_exchange((1, 0, 0, 0, 0, 0), (0, 1, 0, 0, 0, 0))


@mutation(wrong.REQUEST, "bazaar.pebble.counts", *ANYWHERE)
def exchanges_without_counts(*_: Any) -> RequestPebbleOrExchangesResponse:
    """Leaves out the pebbles of both sides."""
    return wrong.one_exchange((), ())


@mutation(wrong.REQUEST, "bazaar.pebble.counts", *ANYWHERE, "bazaar.settings.largest")
def exchanges_too_many_pebbles(*_: Any) -> RequestPebbleOrExchangesResponse:
    """Counts one pebble more than a bag can hold."""
    return wrong.one_exchange((1, 0, 0, 0, 0), (0, TOO_MANY_OF_ONE, 0, 0, 0))


@mutation(wrong.REQUEST, "bazaar.pebble.counts", *ANYWHERE)
def exchanges_colors_for_counts(*_: Any) -> RequestPebbleOrExchangesResponse:
    """Lists the pebbles of a side one by one, as numbers of colours."""
    return wrong.one_exchange((1,), (2, 2, 3))


@wrong.request("bazaar.exchange.sides", *ANYWHERE, "bazaar.exchange.none-known")
def exchanges_for_nothing(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Gives nothing for what it gets."""
    return [(Exchange(EMPTY, unit),) for unit in UNITS]


@wrong.request("bazaar.exchange.sides", *ANYWHERE)
def gives_for_nothing(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Gets nothing for what it gives."""
    return [(Exchange(unit, EMPTY),) for unit in UNITS]


@mutation(wrong.REQUEST, "bazaar.exchange.too-many", *ANYWHERE, "bazaar.settings.largest")
def exchanges_without_end(*_: Any) -> RequestPebbleOrExchangesResponse:
    """Requests more exchanges than any settings allow."""
    return wrong.one_exchange((1, 1, 1, 1, 1), (1, 1, 1, 1, 1), count=1001)


@wrong.request("bazaar.exchange.too-many", "bazaar.exchange.single-equation")
def exchanges_once_too_often(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Goes to and fro 65 times."""
    return wrong.to_and_fro(view, table, wrong.LONGEST_USUALLY + 1)


@wrong.request("bazaar.exchange.too-many", "bazaar.wallet.rich")
def exchanges_once_too_often_when_rich(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Goes to and fro 65 times where its wallet holds more pebbles than a game usually has."""
    return wrong.to_and_fro(view, table, wrong.LONGEST_USUALLY + 1) if size(view.wallet) > 100 else ()


@wrong.request("bazaar.exchange.too-many", "bazaar.exchange.short-list", max_exchanges=8)
def exchanges_nine_times(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Goes to and fro nine times, which some settings forbid."""
    return wrong.to_and_fro(view, table, 9)


@wrong.request("bazaar.exchange.too-many", "bazaar.exchange.long-lists")
def exchanges_as_often_as_it_can(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Uses an equation as often as wallet and bank can pay for it, more than 64 times, where it can pay for no card."""
    return () if wrong.payable(view) else wrong.as_often_as_it_can(view, table)


@wrong.request("bazaar.exchange.too-many", "bazaar.exchange.long-lists", max_exchanges=8)
def exchanges_one_color_as_often_as_it_can(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Exchanges its only colour away as often as it can, more than eight times, which some settings forbid."""
    return wrong.as_often_as_it_can(view, table) if sum(count > 0 for count in unpack(view.wallet)) == 1 else ()


# The first call: play


@wrong.request("bazaar.pebble.bank-empty", "bazaar.bank.empty", "bazaar.cards.row-is-empty")
def requests_pebble_from_empty_bank(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Requests a pebble when the bank has none."""
    return [PEBBLE]


@wrong.request("bazaar.exchange.in-table", *ANYWHERE, "bazaar.exchange.dear", "bazaar.exchange.long-sides")
def makes_up_equation(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Exchanges one pebble for another, which no equation says."""
    return wrong.made_up(view, table)


@wrong.request("bazaar.exchange.in-table", "bazaar.exchange.none-known")
def makes_up_equation_without_table(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Exchanges pebbles though the game has no equations."""
    return () if table.equations else wrong.made_up(view, table)


@wrong.request("bazaar.exchange.in-table", *ANYWHERE, "bazaar.exchange.single-equation")
def doubles_equation(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Uses an equation with twice its pebbles."""
    return ((Exchange(2 * left, 2 * right),) for left, right in table.exchanges)


@wrong.request(
    "bazaar.exchange.in-table",
    "bazaar.exchange.single-equation",
    "bazaar.exchange.right-to-left-only",
    "bazaar.exchange.short-list",
)
def gets_one_more(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Gets one pebble more than an equation says."""
    ways = table.usable(view.wallet, view.bank)
    return ((Exchange(left, right + unit),) for left, right in ways for unit in UNITS if holds(right, unit))


@wrong.request("bazaar.exchange.in-table", "bazaar.exchange.equal-pebbles")
def counts_to_four(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Takes five or six pebbles of one colour in an equation for four."""
    return ((Exchange(wrong.at_most_four(left), wrong.at_most_four(right)),) for left, right in table.exchanges)


@wrong.request("bazaar.exchange.in-table", *ANYWHERE, "bazaar.exchange.single-equation")
def gives_one_less(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Gives one pebble less than an equation says."""
    return (
        (Exchange(left - unit, right),)
        for left, right in table.exchanges
        for unit in UNITS
        if holds(left, unit) and left != unit
    )


@wrong.request("bazaar.exchange.in-table", *ANYWHERE, "bazaar.exchange.only-once")
def mixes_equations(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Takes the left side of one equation and the right side of another."""
    pairs = combinations(table.exchanges, 2)
    return ((Exchange(one.left, other.right),) for one, other in pairs if one.left != other.right)


@wrong.request("bazaar.exchange.wallet", *ANYWHERE, "bazaar.wallet.empty", "bazaar.seats.last-of-six")
def gives_what_it_lacks(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Uses an equation for which its wallet lacks pebbles."""
    return wrong.singles(view, table)


@wrong.request("bazaar.exchange.wallet", "bazaar.wallet.one-short")
def gives_one_it_lacks(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Uses an equation for which its wallet lacks a single pebble."""
    return wrong.one_short(view, table)


@wrong.request("bazaar.exchange.wallet", "bazaar.exchange.in-order")
def gives_what_it_gets_later(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Gives pebbles that only a later exchange of the same list brings."""
    pairs = product(table.usable(view.wallet, view.bank), table.exchanges)
    wallet, bank = view.wallet, view.bank
    return (
        (then, first) for first, then in pairs if rules.request_violation(table, wallet, bank, (first, then)) is None
    )


@wrong.request(
    "bazaar.exchange.wallet",
    "bazaar.exchange.only-once",
    "bazaar.exchange.right-to-left-only",
    "bazaar.exchange.single-equation",
)
def gives_again_and_again(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Uses an equation once more than its wallet can pay for."""
    return wrong.again_and_again(view, table)


@wrong.request("bazaar.exchange.wallet", "bazaar.wallet.empty", "bazaar.wallet.one-short", WHOLE_GAME)
def exchanges_though_nothing_usable(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Exchanges something where no equation can be used."""
    return () if table.usable(view.wallet, view.bank) else wrong.singles(view, table)


@wrong.request("bazaar.exchange.wallet", "bazaar.seats.last-of-six", whole_game(5, 6))
def gives_what_it_lacks_as_last_of_six(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Uses an equation that its wallet cannot pay for, but only where there are five others."""
    return wrong.singles(view, table) if len(view.scores) == 5 else ()


@wrong.request("bazaar.exchange.wallet", "bazaar.resume.alone")
def gives_what_it_lacks_when_alone(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Uses an equation that its wallet cannot pay for where there are no others."""
    return () if view.scores else wrong.again_and_again(view, table)


@wrong.request("bazaar.exchange.bank", "bazaar.bank.empty", "bazaar.bank.one-short", "bazaar.bank.last-pebble")
def gets_what_the_bank_lacks(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Uses an equation for which the bank lacks pebbles."""
    return wrong.singles(view, table)


@wrong.request("bazaar.exchange.bank", "bazaar.bank.one-short", "bazaar.bank.last-pebble")
def gets_one_the_bank_lacks(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Uses an equation for which the bank lacks a single pebble."""
    return wrong.one_short(view, table)


@wrong.request("bazaar.exchange.bank", "bazaar.exchange.only-once", "bazaar.resume.after-eliminations")
def gets_again_and_again(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Uses an equation once more than the bank can pay for."""
    return wrong.again_and_again(view, table)


@wrong.request("bazaar.exchange.bank", "bazaar.bank.empty")
def gets_from_empty_bank(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Exchanges where the bank is empty."""
    return () if view.bank else wrong.singles(view, table)


# The second call: form


@mutation(wrong.CARDS, "bazaar.pebble.counts", *ANYWHERE, "bazaar.resume.second-call")
def buys_without_pebbles(*_: Any) -> RequestCardsResponse:
    """Leaves out the pebbles of a card."""
    return wrong.one_card()


@mutation(wrong.CARDS, "bazaar.pebble.counts", *ANYWHERE)
def buys_four_counts(*_: Any) -> RequestCardsResponse:
    """Leaves out the last of a card's five counts where it is 0."""
    return wrong.one_card(2, 1, 1, 1)


@mutation(wrong.CARDS, "bazaar.pebble.counts", *ANYWHERE)
def buys_six_counts(*_: Any) -> RequestCardsResponse:
    """Gives a card six counts."""
    return wrong.one_card(1, 1, 1, 1, 1, 0)


@mutation(wrong.CARDS, "bazaar.pebble.counts", *ANYWHERE, "bazaar.settings.largest")
def buys_too_many_pebbles(*_: Any) -> RequestCardsResponse:
    """Counts more pebbles than a bag can hold."""
    return wrong.one_card(TOO_MANY_OF_ONE, 0, 0, 0, 0)


@mutation(wrong.CARDS, "bazaar.card.five-pebbles", *ANYWHERE, "bazaar.cards.last-one")
def buys_four_pebbles(*_: Any) -> RequestCardsResponse:
    """Buys a card with four pebbles."""
    return wrong.one_card(1, 1, 1, 1, 0)


@mutation(wrong.CARDS, "bazaar.card.five-pebbles", *ANYWHERE)
def buys_six_pebbles(*_: Any) -> RequestCardsResponse:
    """Buys a card with six pebbles."""
    return wrong.one_card(2, 1, 1, 1, 1)


@mutation(wrong.CARDS, "bazaar.card.five-pebbles", *ANYWHERE, "bazaar.cards.none-in-reach")
def buys_blank_card(*_: Any) -> RequestCardsResponse:
    """Buys a card with no pebbles at all."""
    return wrong.one_card(0, 0, 0, 0, 0)


# The second call: play


@wrong.purchase(
    "bazaar.purchase.visible",
    "bazaar.cards.bought-before",
    "bazaar.cards.none-in-reach",
    "bazaar.settings.own-cards-hidden",
)
def buys_made_up_card(view: TurnView) -> Iterable[Purchase]:
    """Buys a card that its wallet could pay for, but that is not visible."""
    affordable = ((Card(5 * unit, False),) for unit in UNITS if holds(view.wallet, 5 * unit))
    return (*affordable, *wrong.plain_colors(view))


@wrong.purchase("bazaar.purchase.visible", *ANYWHERE, "bazaar.cards.face-or-not", "bazaar.score.equal-turns")
def buys_with_wrong_face(view: TurnView) -> Iterable[Purchase]:
    """Takes no notice of faces."""
    return ((Card(card.pebbles, not card.face),) for card in view.visible)


@wrong.purchase(
    "bazaar.purchase.visible", "bazaar.cards.only-once", "bazaar.cards.equal-twice", "bazaar.resume.second-call"
)
def buys_visible_card_twice(view: TurnView) -> Iterable[Purchase]:
    """Buys a card more often than it is visible."""
    return wrong.once_more(view)


@wrong.purchase("bazaar.purchase.visible", "bazaar.cards.twins")
def buys_twin_with_wrong_face(view: TurnView) -> Iterable[Purchase]:
    """Buys the same card twice where one with the same pebbles and another face is visible beside it."""
    return ((card, card) for card in view.visible if Card(card.pebbles, not card.face) in view.visible)


@wrong.purchase("bazaar.purchase.visible", "bazaar.cards.bought-before")
def buys_what_it_owns(view: TurnView) -> Iterable[Purchase]:
    """Buys a card again that it has bought before."""
    return ((card,) for card in view.cards)


@wrong.purchase("bazaar.purchase.visible", "bazaar.cards.row-is-empty")
def buys_from_empty_row(view: TurnView) -> Iterable[Purchase]:
    """Buys a card where none is visible."""
    return () if view.visible else wrong.plain_colors(view)


@wrong.purchase("bazaar.purchase.visible", "bazaar.cards.last-one")
def buys_last_card_twice(view: TurnView) -> Iterable[Purchase]:
    """Buys the card twice where one is visible."""
    return wrong.once_more(view) if len(view.visible) == 1 else ()


@wrong.purchase("bazaar.purchase.wallet", *ANYWHERE, "bazaar.wallet.empty", "bazaar.cards.none-in-reach")
def buys_without_pebbles_to_pay(view: TurnView) -> Iterable[Purchase]:
    """Buys a visible card that its wallet cannot pay for."""
    return wrong.visible(view)


@wrong.purchase("bazaar.purchase.wallet", "bazaar.score.nearly-won", "bazaar.resume.second-call")
def buys_one_pebble_short(view: TurnView) -> Iterable[Purchase]:
    """Buys a visible card for which its wallet lacks a single pebble."""
    return ((card,) for card in view.visible if wrong.lacking(view.wallet, card.pebbles) == 1)


@wrong.purchase("bazaar.purchase.wallet", "bazaar.cards.not-both")
def buys_two_with_pebbles_for_one(view: TurnView) -> Iterable[Purchase]:
    """Buys two cards either of which it could pay for, but not both."""
    return combinations(wrong.payable(view), 2)


@wrong.purchase("bazaar.purchase.wallet", "bazaar.score.nearly-won")
def buys_anything_to_win(view: TurnView) -> Iterable[Purchase]:
    """Buys a card that its wallet cannot pay for where one point is missing."""
    return wrong.visible(view) if view.score == 19 else ()


@wrong.request("bazaar.exchange.in-table", UNUSUAL_SETTINGS)
def believes_in_ten_equations(view: TurnView, table: EquationTable) -> Iterable[Request]:
    """Exchanges by an equation that the table lacks where three or more players have fewer than ten."""
    return wrong.made_up(view, table) if len(view.scores) > 1 and 0 < len(table.equations) < 10 else ()


@wrong.purchase("bazaar.purchase.visible", UNUSUAL_SETTINGS)
def buys_behind_the_fourth_card(view: TurnView) -> Iterable[Purchase]:
    """Buys a card that is not visible where three or more players see more than four."""
    return wrong.plain_colors(view) if len(view.scores) > 1 and len(view.visible) > 4 else ()


MUTATIONS = collect_mutations(globals())
