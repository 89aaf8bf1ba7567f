"""Wrong answers to the referee of Bazaar: each breaks one rule, and is caught by the cases that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import TypeAlias

from fairplay.bazaar.v1.bazaar_pb2 import Card as CardMessage
from fairplay.bazaar.v1.bazaar_pb2 import Equation
from fairplay.bazaar.v1.bazaar_player_pb2 import (
    Exchanges,
    RequestCardsRequest,
    RequestCardsResponse,
    RequestPebbleOrExchangesRequest,
    RequestPebbleOrExchangesResponse,
)
from fairplay.games.bazaar import rules
from fairplay.games.bazaar.conformance import wrong_moves as slips
from fairplay.games.bazaar.protocol import codec
from fairplay.games.bazaar.rules import PEBBLE, EquationTable, Purchase, Request, TurnView
from fairplay.games.bazaar.rules.pieces import EMPTY, UNITS, Exchange
from fairplay.games.conformance import Mutation
from fairplay.games.kit.conformance import DRAWN_STATES, WHOLE_GAME, choose, only_if, whole_game

Requests: TypeAlias = Callable[[TurnView, EquationTable], Iterable[Request]]
Purchases: TypeAlias = Callable[[TurnView], Iterable[Purchase]]
Cases: TypeAlias = tuple[str, ...]

REQUEST, CARDS = "RequestPebbleOrExchanges", "RequestCards"
ANYWHERE = (WHOLE_GAME, DRAWN_STATES)
TOO_MANY_OF_ONE = 401
LONGEST_USUALLY = 64


def _request(
    name: str,
    sentence: str,
    rule: str,
    cases: Cases,
    wrong: Requests,
    only: Callable[[RequestPebbleOrExchangesRequest], bool] | None = None,
    max_exchanges: int = LONGEST_USUALLY,
) -> Mutation:
    """Makes one of these requests, of which those count that break the rule."""

    def spoil(
        request: RequestPebbleOrExchangesRequest, reply: RequestPebbleOrExchangesResponse, luck: Random
    ) -> RequestPebbleOrExchangesResponse | None:
        view, table = codec.view(request.turn_state), codec.table(request.turn_state.table)

        def broken(made: Request) -> str | None:
            return rules.request_violation(table, view.wallet, view.bank, made, max_exchanges=max_exchanges)

        answer = choose((made for made in wrong(view, table) if broken(made) == rule), luck)
        return None if answer is None else codec.request_message(answer)

    return Mutation(name, sentence, REQUEST, rule, cases, only_if(only, spoil))


def _purchase(
    name: str,
    sentence: str,
    rule: str,
    cases: Cases,
    wrong: Purchases,
    only: Callable[[RequestCardsRequest], bool] | None = None,
) -> Mutation:
    """Makes one of these purchases, of which those count that break the rule."""

    def spoil(request: RequestCardsRequest, reply: RequestCardsResponse, luck: Random) -> RequestCardsResponse | None:
        view = codec.view(request.turn_state)
        broken = (made for made in wrong(view) if rules.purchase_violation(view.wallet, view.visible, made) == rule)
        answer = choose(broken, luck)
        return None if answer is None else codec.purchase_message(answer)

    return Mutation(name, sentence, CARDS, rule, cases, only_if(only, spoil))


def _counts_in_exchange(name: str, sentence: str, cases: Cases, left: Sequence[int], right: Sequence[int]) -> Mutation:
    """Requests an exchange whose sides are no bags."""
    exchanges = Exchanges(steps=[Equation(left=left, right=right)])
    reply = RequestPebbleOrExchangesResponse(exchanges=exchanges)
    return Mutation(name, sentence, REQUEST, "bazaar.pebble.counts", cases, lambda *_: reply)


def _counts_of_card(name: str, sentence: str, rule: str, cases: Cases, counts: Sequence[int]) -> Mutation:
    """Buys a card that is none."""
    reply = RequestCardsResponse(cards=[CardMessage(pebbles=counts)])
    return Mutation(name, sentence, CARDS, rule, cases, lambda *_: reply)


FAULTS: tuple[Mutation, ...] = (
    # The first call of a turn: form
    Mutation(
        "requests-nothing",
        "Answers neither with a pebble nor with exchanges.",
        REQUEST,
        "bazaar.request.required",
        (*ANYWHERE, "bazaar.wallet.empty", "bazaar.settings.smallest", "bazaar.exchange.free", "bazaar.resume.late"),
        lambda *_: RequestPebbleOrExchangesResponse(),
    ),
    Mutation(
        "requests-nothing-for-no-exchange",
        "Answers with an empty message where no exchange is left to it, and no pebble.",
        REQUEST,
        "bazaar.request.required",
        ("bazaar.bank.empty",),
        only_if(slips.bank_empty, lambda *_: RequestPebbleOrExchangesResponse()),
    ),
    _counts_in_exchange(
        "exchanges-four-counts",
        "Leaves out the last of five counts where it is 0.",
        (*ANYWHERE, "bazaar.exchange.long-sides"),
        (1, 0, 0, 0),
        (0, 1, 0, 0),
    ),
    _counts_in_exchange(
        "exchanges-six-counts",
        "Gives a bag six counts.",
        ANYWHERE,
        (1, 0, 0, 0, 0, 0),
        (0, 1, 0, 0, 0, 0),
    ),
    _counts_in_exchange(
        "exchanges-without-counts",
        "Leaves out the pebbles of both sides.",
        ANYWHERE,
        (),
        (),
    ),
    _counts_in_exchange(
        "exchanges-too-many-pebbles",
        "Counts one pebble more than a bag can hold.",
        (*ANYWHERE, "bazaar.settings.largest"),
        (1, 0, 0, 0, 0),
        (0, TOO_MANY_OF_ONE, 0, 0, 0),
    ),
    _counts_in_exchange(
        "exchanges-colors-for-counts",
        "Lists the pebbles of a side one by one, as numbers of colours.",
        ANYWHERE,
        (1,),
        (2, 2, 3),
    ),
    _request(
        "exchanges-for-nothing",
        "Gives nothing for what it gets.",
        "bazaar.exchange.sides",
        (*ANYWHERE, "bazaar.exchange.none-known"),
        lambda view, table: [(Exchange(EMPTY, unit),) for unit in UNITS],
    ),
    _request(
        "gives-for-nothing",
        "Gets nothing for what it gives.",
        "bazaar.exchange.sides",
        ANYWHERE,
        lambda view, table: [(Exchange(unit, EMPTY),) for unit in UNITS],
    ),
    Mutation(
        "exchanges-without-end",
        "Requests more exchanges than any settings allow.",
        REQUEST,
        "bazaar.exchange.too-many",
        (*ANYWHERE, "bazaar.settings.largest"),
        slips.too_long(1001),
    ),
    _request(
        "exchanges-once-too-often",
        "Goes to and fro 65 times.",
        "bazaar.exchange.too-many",
        ("bazaar.exchange.single-equation",),
        slips.to_and_fro(65),
    ),
    _request(
        "exchanges-nine-times",
        "Goes to and fro nine times, which some settings forbid.",
        "bazaar.exchange.too-many",
        ("bazaar.exchange.short-list",),
        slips.to_and_fro(9),
        max_exchanges=8,
    ),
    # The first call: play
    _request(
        "requests-pebble-from-empty-bank",
        "Requests a pebble when the bank has none.",
        "bazaar.pebble.bank-empty",
        ("bazaar.bank.empty", "bazaar.cards.row-is-empty"),
        lambda view, table: [PEBBLE],
    ),
    _request(
        "makes-up-equation",
        "Exchanges one pebble for another, which no equation says.",
        "bazaar.exchange.in-table",
        (*ANYWHERE, "bazaar.exchange.dear", "bazaar.exchange.long-sides"),
        slips.made_up,
    ),
    _request(
        "makes-up-equation-without-table",
        "Exchanges pebbles though the game has no equations.",
        "bazaar.exchange.in-table",
        ("bazaar.exchange.none-known",),
        slips.made_up,
        only=slips.no_equations,
    ),
    _request(
        "doubles-equation",
        "Uses an equation with twice its pebbles.",
        "bazaar.exchange.in-table",
        (*ANYWHERE, "bazaar.exchange.single-equation"),
        slips.doubled,
    ),
    _request(
        "gets-one-more",
        "Gets one pebble more than an equation says.",
        "bazaar.exchange.in-table",
        ("bazaar.exchange.single-equation", "bazaar.exchange.right-to-left-only", "bazaar.exchange.short-list"),
        slips.one_more,
    ),
    _request(
        "gives-one-less",
        "Gives one pebble less than an equation says.",
        "bazaar.exchange.in-table",
        (*ANYWHERE, "bazaar.exchange.single-equation"),
        slips.one_less,
    ),
    _request(
        "mixes-equations",
        "Takes the left side of one equation and the right side of another.",
        "bazaar.exchange.in-table",
        (*ANYWHERE, "bazaar.exchange.only-once"),
        slips.mixed,
    ),
    _request(
        "gives-what-it-lacks",
        "Uses an equation for which its wallet lacks pebbles.",
        "bazaar.exchange.wallet",
        (*ANYWHERE, "bazaar.wallet.empty", "bazaar.seats.last-of-six"),
        slips.singles,
    ),
    _request(
        "gives-one-it-lacks",
        "Uses an equation for which its wallet lacks a single pebble.",
        "bazaar.exchange.wallet",
        ("bazaar.wallet.one-short",),
        slips.one_short_of,
    ),
    _request(
        "gives-what-it-gets-later",
        "Gives pebbles that only a later exchange of the same list brings.",
        "bazaar.exchange.wallet",
        ("bazaar.exchange.in-order",),
        slips.backwards,
    ),
    _request(
        "gives-again-and-again",
        "Uses an equation once more than its wallet can pay for.",
        "bazaar.exchange.wallet",
        ("bazaar.exchange.only-once", "bazaar.exchange.right-to-left-only", "bazaar.exchange.single-equation"),
        slips.again_and_again,
    ),
    _request(
        "exchanges-though-nothing-usable",
        "Exchanges something where no equation can be used.",
        "bazaar.exchange.wallet",
        ("bazaar.wallet.empty", "bazaar.wallet.one-short", WHOLE_GAME),
        slips.singles,
        only=slips.nothing_usable,
    ),
    _request(
        "gives-what-it-lacks-as-last-of-six",
        "Uses an equation that its wallet cannot pay for, but only where there are five others.",
        "bazaar.exchange.wallet",
        ("bazaar.seats.last-of-six", whole_game(5, 6)),
        slips.singles,
        only=slips.last_of_six,
    ),
    _request(
        "gives-what-it-lacks-when-alone",
        "Uses an equation that its wallet cannot pay for where there are no others.",
        "bazaar.exchange.wallet",
        ("bazaar.resume.alone",),
        slips.again_and_again,
        only=slips.alone,
    ),
    _request(
        "gets-what-the-bank-lacks",
        "Uses an equation for which the bank lacks pebbles.",
        "bazaar.exchange.bank",
        ("bazaar.bank.empty", "bazaar.bank.one-short", "bazaar.bank.last-pebble"),
        slips.singles,
    ),
    _request(
        "gets-one-the-bank-lacks",
        "Uses an equation for which the bank lacks a single pebble.",
        "bazaar.exchange.bank",
        ("bazaar.bank.one-short", "bazaar.bank.last-pebble"),
        slips.one_short_of,
    ),
    _request(
        "gets-again-and-again",
        "Uses an equation once more than the bank can pay for.",
        "bazaar.exchange.bank",
        ("bazaar.exchange.only-once", "bazaar.resume.after-eliminations"),
        slips.again_and_again,
    ),
    _request(
        "gets-from-empty-bank",
        "Exchanges where the bank is empty.",
        "bazaar.exchange.bank",
        ("bazaar.bank.empty",),
        slips.singles,
        only=slips.bank_empty,
    ),
    # The second call: form
    _counts_of_card(
        "buys-without-pebbles",
        "Leaves out the pebbles of a card.",
        "bazaar.pebble.counts",
        (*ANYWHERE, "bazaar.resume.second-call"),
        [],
    ),
    _counts_of_card(
        "buys-four-counts",
        "Leaves out the last of a card's five counts where it is 0.",
        "bazaar.pebble.counts",
        ANYWHERE,
        [2, 1, 1, 1],
    ),
    _counts_of_card(
        "buys-six-counts",
        "Gives a card six counts.",
        "bazaar.pebble.counts",
        ANYWHERE,
        [1, 1, 1, 1, 1, 0],
    ),
    _counts_of_card(
        "buys-too-many-pebbles",
        "Counts more pebbles than a bag can hold.",
        "bazaar.pebble.counts",
        (*ANYWHERE, "bazaar.settings.largest"),
        [TOO_MANY_OF_ONE, 0, 0, 0, 0],
    ),
    _counts_of_card(
        "buys-four-pebbles",
        "Buys a card with four pebbles.",
        "bazaar.card.five-pebbles",
        (*ANYWHERE, "bazaar.cards.last-one"),
        [1, 1, 1, 1, 0],
    ),
    _counts_of_card(
        "buys-six-pebbles",
        "Buys a card with six pebbles.",
        "bazaar.card.five-pebbles",
        ANYWHERE,
        [2, 1, 1, 1, 1],
    ),
    _counts_of_card(
        "buys-blank-card",
        "Buys a card with no pebbles at all.",
        "bazaar.card.five-pebbles",
        (*ANYWHERE, "bazaar.cards.none-in-reach"),
        [0, 0, 0, 0, 0],
    ),
    # The second call: play
    _purchase(
        "buys-made-up-card",
        "Buys a card that its wallet could pay for, but that is not visible.",
        "bazaar.purchase.visible",
        ("bazaar.cards.bought-before", "bazaar.cards.none-in-reach", "bazaar.settings.own-cards-hidden"),
        lambda view: [*slips.out_of_the_wallet(view), *slips.any_card(view)],
    ),
    _purchase(
        "buys-with-wrong-face",
        "Takes no notice of faces.",
        "bazaar.purchase.visible",
        (*ANYWHERE, "bazaar.cards.face-or-not", "bazaar.score.equal-turns"),
        slips.turned_over,
    ),
    _purchase(
        "buys-visible-card-twice",
        "Buys a card more often than it is visible.",
        "bazaar.purchase.visible",
        ("bazaar.cards.only-once", "bazaar.cards.equal-twice", "bazaar.resume.second-call"),
        slips.once_more,
    ),
    _purchase(
        "buys-what-it-owns",
        "Buys a card again that it has bought before.",
        "bazaar.purchase.visible",
        ("bazaar.cards.bought-before",),
        slips.owned,
    ),
    _purchase(
        "buys-from-empty-row",
        "Buys a card where none is visible.",
        "bazaar.purchase.visible",
        ("bazaar.cards.row-is-empty",),
        slips.any_card,
        only=slips.row_empty,
    ),
    _purchase(
        "buys-last-card-twice",
        "Buys the card twice where one is visible.",
        "bazaar.purchase.visible",
        ("bazaar.cards.last-one",),
        slips.once_more,
        only=slips.one_visible,
    ),
    _purchase(
        "buys-without-pebbles-to-pay",
        "Buys a visible card that its wallet cannot pay for.",
        "bazaar.purchase.wallet",
        (*ANYWHERE, "bazaar.wallet.empty", "bazaar.cards.none-in-reach"),
        slips.visible,
    ),
    _purchase(
        "buys-one-pebble-short",
        "Buys a visible card for which its wallet lacks a single pebble.",
        "bazaar.purchase.wallet",
        ("bazaar.score.nearly-won", "bazaar.resume.second-call"),
        slips.one_short_card,
    ),
    _purchase(
        "buys-two-with-pebbles-for-one",
        "Buys two cards either of which it could pay for, but not both.",
        "bazaar.purchase.wallet",
        ("bazaar.cards.not-both",),
        slips.two_of_which_each,
    ),
    _purchase(
        "buys-anything-to-win",
        "Buys a card that its wallet cannot pay for where one point is missing.",
        "bazaar.purchase.wallet",
        ("bazaar.score.nearly-won",),
        slips.visible,
        only=slips.nearly_won,
    ),
)
