"""Wrong answers to the referee of Bazaar: each breaks one rule, and is caught by the cases that it names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations, permutations, product
from typing import Any, NamedTuple

from fairplay.bazaar.v1.bazaar_pb2 import Card as CardMessage
from fairplay.bazaar.v1.bazaar_pb2 import Equation, Exchanges, TurnState
from fairplay.bazaar.v1.bazaar_player_pb2 import (
    RequestCardsRequest,
    RequestCardsResponse,
    RequestPebbleOrExchangesRequest,
    RequestPebbleOrExchangesResponse,
)
from fairplay.games.bazaar import rules
from fairplay.games.bazaar.protocol import codec
from fairplay.games.bazaar.rules.pieces import (
    EMPTY,
    MAX_COUNT,
    UNITS,
    Bag,
    Card,
    EquationTable,
    Exchange,
    holds,
    mirrored,
    pack,
    size,
    unpack,
)
from fairplay.games.bazaar.rules.state import PEBBLE, Purchase, Request, TurnView
from fairplay.games.conformance import Failing
from fairplay.games.kit.conformance import (
    DRAWN_STATES,
    UNUSUAL_SETTINGS,
    WHOLE_GAME,
    Breaking,
    Mutate,
    Wrong,
    build_mutations,
    replying,
    where,
    whole_game,
)

ANYWHERE = (WHOLE_GAME, DRAWN_STATES)
REQUEST, CARDS = "RequestPebbleOrExchanges", "RequestCards"
LONGEST_USUALLY = 64
TOO_MANY_OF_ONE = 401
LATE_REVISION = 150
EVERYTHING = pack([MAX_COUNT] * 5)
MOST_WAYS = 500


class Turn(NamedTuple):
    """What the first call of a turn shows."""

    view: TurnView
    table: EquationTable


def read_turn(request: Any, reply: Any) -> Turn:
    """Return the turn that a request shows."""
    return Turn(codec.read_view(request.turn_state), codec.read_table(request.turn_state.table))


def request_violation(turn: Turn, made: Request, max_exchanges: int = LONGEST_USUALLY) -> str | None:
    """Return the id of the rule that a request breaks; None: it is legal."""
    wallet, bank = turn.view.wallet, turn.view.bank
    return rules.request_violation(turn.table, wallet, bank, made, max_exchanges=max_exchanges)


request_reply, cards_reply = partial(Wrong, REQUEST), partial(Wrong, CARDS)
request = Breaking("bazaar", REQUEST, read_turn, request_violation, codec.build_request)
short_request = Breaking("bazaar", REQUEST, read_turn, partial(request_violation, max_exchanges=8), codec.build_request)
purchase = Breaking(
    "bazaar",
    CARDS,
    lambda request, reply: codec.read_view(request.turn_state),
    lambda view, made: rules.purchase_violation(view.wallet, view.visible, made),
    codec.build_purchase,
)


def one_exchange(left: Sequence[int], right: Sequence[int], count: int = 1) -> Mutate:
    """Return what requests one exchange `count` times, with any counts for its sides."""
    steps = [Equation(left=left, right=right)] * count
    return replying(RequestPebbleOrExchangesResponse(exchanges=Exchanges(steps=steps)))


def one_card(*counts: int) -> Mutate:
    """Return what buys a card with any counts for its pebbles."""
    return replying(RequestCardsResponse(cards=[CardMessage(pebbles=counts)]))


# Requests


def usable(turn: Turn) -> Sequence[Exchange]:
    """Return the exchanges that wallet and bank can pay for."""
    return turn.table.usable(turn.view.wallet, turn.view.bank)


def made_up(turn: Turn) -> Iterator[Request]:
    """Yield one pebble for one of another colour."""
    return ((Exchange(give, get),) for give, get in permutations(UNITS, 2))


def late(request: Any) -> bool:
    """Return whether a game has lasted for longer than usual ones do."""
    return bool(request.turn_state.revision >= LATE_REVISION)


def singles(turn: Turn) -> Iterator[Request]:
    """Yield each equation, in both directions."""
    return ((exchange,) for exchange in turn.table.exchanges)


def at_most_four(bag: Bag) -> Bag:
    """Return a bag with at most four pebbles of each colour."""
    return pack(min(count, 4) for count in unpack(bag))


def lacking(have: Bag, wanted: Bag) -> int:
    """Return how many pebbles of `wanted` a bag does not have."""
    return sum(max(0, need - count) for need, count in zip(unpack(wanted), unpack(have), strict=True))


def times(have: Bag, wanted: Bag) -> int:
    """Return how often a bag has the pebbles of `wanted`."""
    return min(count // need for need, count in zip(unpack(wanted), unpack(have), strict=True) if need)


def one_short(turn: Turn) -> Iterator[Request]:
    """Yield exchanges for which a single pebble is missing, in the wallet or in the bank."""
    wallet, bank = turn.view.wallet, turn.view.bank
    return ((way,) for way in turn.table.exchanges if lacking(wallet, way.left) + lacking(bank, way.right) == 1)


def as_often_as_it_can(turn: Turn) -> Iterator[Request]:
    """Yield usable exchanges as often as they can be used, each alone."""
    for exchange in usable(turn):
        yield (exchange,) * min(times(turn.view.wallet, exchange.left), times(turn.view.bank, exchange.right))


def again_and_again(turn: Turn) -> Iterator[Request]:
    """Yield usable exchanges once more than they can be used."""
    for exchange in usable(turn):
        count = 1
        while request_violation(turn, (exchange,) * count) is None:
            count += 1
        yield (exchange,) * count


def to_and_fro(turn: Turn, count: int) -> Iterator[Request]:
    """Yield usable exchanges and back again, `count` in all: legal if they were not too many."""
    return (((way, mirrored(way)) * count)[:count] for way in usable(turn))


def one_more(turn: Turn) -> Iterator[Request]:
    """Yield usable exchanges with one pebble more of a colour that is got."""
    return ((Exchange(left, right + unit),) for left, right in usable(turn) for unit in UNITS if holds(right, unit))


def one_less(turn: Turn) -> Iterator[Request]:
    """Yield exchanges with one pebble less of what is given."""
    ways = ((left - unit, right) for left, right in turn.table.exchanges for unit in UNITS if holds(left, unit))
    return ((Exchange(left, right),) for left, right in ways if left)


def mixed(turn: Turn) -> Iterator[Request]:
    """Yield the left side of one exchange for the right side of another."""
    pairs = combinations(turn.table.exchanges, 2)
    return ((Exchange(one.left, other.right),) for one, other in pairs if one.left != other.right)


def in_wrong_order(turn: Turn) -> Iterator[Request]:
    """Yield pairs of exchanges the first of which is possible only by what the second brings to wallet or bank."""
    pairs = product(usable(turn), turn.table.exchanges)
    return ((then, first) for first, then in pairs if request_violation(turn, (first, then)) is None)


def shortest_way(turn: Turn, bank: Bag, *, follows_the_bank: bool) -> Iterator[Request]:
    """Yield the shortest list of exchanges after which the wallet pays for a visible card, if a short search finds one.

    `bank` is what the bank is taken to hold, and stays so unless it is followed from exchange to exchange.
    """
    ways: dict[tuple[Bag, Bag], list[Exchange]] = {(turn.view.wallet, bank): []}
    queue = list(ways)
    for wallet, left in queue:
        made = ways[wallet, left]
        if any(holds(wallet, card.pebbles) for card in turn.view.visible):
            yield tuple(made)
            return
        if len(ways) > MOST_WAYS:
            return
        for way in turn.table.usable(wallet, left):
            then = wallet - way.left + way.right, left - way.right + way.left if follows_the_bank else left
            if then not in ways:
                ways[then] = [*made, way]
                queue.append(then)


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


def with_one_more(view: TurnView, unit: Bag) -> Iterator[Purchase]:
    """Yield the visible cards that the wallet could pay for with one pebble more."""
    return ((card,) for card in view.visible if holds(view.wallet + unit, card.pebbles))


def once_more(view: TurnView) -> Iterator[Purchase]:
    """Yield payable cards once more than they are visible."""
    return ((card,) * (view.visible.count(card) + 1) for card in payable(view))


def made_up_cards(view: TurnView) -> Iterator[Purchase]:
    """Yield cards of one colour, first those that the wallet can pay for."""
    yield from ((Card(5 * unit, False),) for unit in UNITS if holds(view.wallet, 5 * unit))
    yield from plain_colors(view)


WRONG_ANSWERS = {
    # The first call of a turn: form
    "requests-nothing: Answers neither with a pebble nor with exchanges.": request_reply(
        "request.required",
        replying(RequestPebbleOrExchangesResponse()),
        [*ANYWHERE, "wallet.empty", "settings.smallest", "exchange.free", "resume.late"],
    ),
    "requests-nothing-for-no-exchange: Answers with an empty message where no exchange is left to it, and no pebble.": (
        request_reply(
            "request.required",
            replying(RequestPebbleOrExchangesResponse()),
            ["bank.empty"],
            only=lambda request: not any(request.turn_state.bank),
        )
    ),
    "exchanges-four-counts: Leaves out the last of five counts where it is 0.": request_reply(
        "pebble.counts", one_exchange((1, 0, 0, 0), (0, 1, 0, 0)), [*ANYWHERE, "exchange.long-sides"]
    ),
    "exchanges-six-counts: Gives a bag six counts.": request_reply(
        "pebble.counts", one_exchange((1, 0, 0, 0, 0, 0), (0, 1, 0, 0, 0, 0)), ANYWHERE
    ),
    "exchanges-without-counts: Leaves out the pebbles of both sides.": request_reply(
        "pebble.counts", one_exchange((), ()), ANYWHERE
    ),
    "exchanges-too-many-pebbles: Counts one pebble more than a bag can hold.": request_reply(
        "pebble.counts", one_exchange((1, 0, 0, 0, 0), (0, TOO_MANY_OF_ONE, 0, 0, 0)), [*ANYWHERE, "settings.largest"]
    ),
    "exchanges-colors-for-counts: Lists the pebbles of a side one by one, as numbers of colours.": request_reply(
        "pebble.counts", one_exchange((1,), (2, 2, 3)), ANYWHERE
    ),
    "exchanges-for-nothing: Gives nothing for what it gets.": request(
        "exchange.sides", lambda turn: [(Exchange(EMPTY, unit),) for unit in UNITS], [*ANYWHERE, "exchange.none-known"]
    ),
    "gives-for-nothing: Gets nothing for what it gives.": request(
        "exchange.sides", lambda turn: [(Exchange(unit, EMPTY),) for unit in UNITS], ANYWHERE
    ),
    "exchanges-without-end: Requests more exchanges than any settings allow.": request_reply(
        "exchange.too-many", one_exchange((1,) * 5, (1,) * 5, count=1001), [*ANYWHERE, "settings.largest"]
    ),
    "exchanges-once-too-often: Goes to and fro 65 times.": request(
        "exchange.too-many", lambda turn: to_and_fro(turn, LONGEST_USUALLY + 1), ["exchange.single-equation"]
    ),
    "exchanges-once-too-often-when-rich: Goes to and fro 65 times where its wallet holds more pebbles than a game "
    "usually has.": request(
        "exchange.too-many",
        where(lambda turn: size(turn.view.wallet) > 100, lambda turn: to_and_fro(turn, LONGEST_USUALLY + 1)),
        ["wallet.rich"],
    ),
    "exchanges-nine-times: Goes to and fro nine times, which some settings forbid.": short_request(
        "exchange.too-many", lambda turn: to_and_fro(turn, 9), ["exchange.short-list"]
    ),
    "exchanges-as-often-as-it-can: Uses an equation as often as wallet and bank can pay for it, more than 64 times, "
    "where it can pay for no card.": request(
        "exchange.too-many", where(lambda turn: not payable(turn.view), as_often_as_it_can), ["exchange.long-lists"]
    ),
    "exchanges-one-color-as-often-as-it-can: Exchanges its only colour away as often as it can, more than eight times, "
    "which some settings forbid.": short_request(
        "exchange.too-many",
        where(lambda turn: sum(count > 0 for count in unpack(turn.view.wallet)) == 1, as_often_as_it_can),
        ["exchange.long-lists"],
    ),
    # The first call: play
    "requests-pebble-from-empty-bank: Requests a pebble when the bank has none.": request(
        "pebble.bank-empty",
        lambda turn: [PEBBLE],
        ["bank.empty", "bank.emptied-by-another", "cards.row-is-empty", "settings.free-empty-requests"],
    ),
    "requests-pebble-with-empty-wallet: Requests a pebble where wallet and bank are empty.": request(
        "pebble.bank-empty",
        where(lambda turn: not turn.view.wallet, lambda turn: [PEBBLE]),
        ["bank.empty-like-the-wallet"],
    ),
    "makes-up-equation: Exchanges one pebble for another, which no equation says.": request(
        "exchange.in-table", made_up, [*ANYWHERE, "exchange.dear", "exchange.long-sides"]
    ),
    "makes-up-equation-without-table: Exchanges pebbles though the game has no equations.": request(
        "exchange.in-table", where(lambda turn: not turn.table.equations, made_up), ["exchange.none-known"]
    ),
    "doubles-equation: Uses an equation with twice its pebbles.": request(
        "exchange.in-table",
        lambda turn: ((Exchange(2 * left, 2 * right),) for left, right in turn.table.exchanges),
        [*ANYWHERE, "exchange.single-equation"],
    ),
    "gets-one-more: Gets one pebble more than an equation says.": request(
        "exchange.in-table",
        one_more,
        ["exchange.single-equation", "exchange.right-to-left-only", "exchange.short-list"],
    ),
    "counts-to-four: Takes five or six pebbles of one colour in an equation for four.": request(
        "exchange.in-table",
        lambda turn: ((Exchange(*map(at_most_four, way)),) for way in turn.table.exchanges),
        ["exchange.equal-pebbles"],
    ),
    "gives-one-less: Gives one pebble less than an equation says.": request(
        "exchange.in-table", one_less, [*ANYWHERE, "exchange.single-equation"]
    ),
    "mixes-equations: Takes the left side of one equation and the right side of another.": request(
        "exchange.in-table", mixed, [*ANYWHERE, "exchange.only-once"]
    ),
    "gives-what-it-lacks: Uses an equation for which its wallet lacks pebbles.": request(
        "exchange.wallet",
        singles,
        [
            *(*ANYWHERE, "wallet.empty", "seats.last-of-six"),
            *("settings.free-exchanges", "exchange.dearer-for-rivals"),
        ],
    ),
    "gives-one-it-lacks: Uses an equation for which its wallet lacks a single pebble.": request(
        "exchange.wallet", one_short, ["wallet.one-short"]
    ),
    "gives-what-it-gets-later: Gives pebbles that only a later exchange of the same list brings.": request(
        "exchange.wallet", in_wrong_order, ["exchange.in-order"]
    ),
    "gives-again-and-again: Uses an equation once more than its wallet can pay for.": request(
        "exchange.wallet",
        again_and_again,
        ["exchange.only-once", "exchange.right-to-left-only", "exchange.single-equation"],
    ),
    "exchanges-though-nothing-usable: Exchanges something where no equation can be used.": request(
        "exchange.wallet",
        where(lambda turn: not usable(turn), singles),
        ["wallet.empty", "wallet.one-short", WHOLE_GAME],
    ),
    "gives-what-it-lacks-as-last-of-six: Uses an equation that its wallet cannot pay for, but only where there are "
    "five others.": request(
        "exchange.wallet",
        where(lambda turn: len(turn.view.scores) == 5, singles),
        ["seats.last-of-six", whole_game(5, 6)],
    ),
    "gives-what-it-lacks-when-alone: Uses an equation that its wallet cannot pay for where there are no others.": (
        request("exchange.wallet", where(lambda turn: not turn.view.scores, again_and_again), ["resume.alone"])
    ),
    "gets-what-the-bank-lacks: Uses an equation for which the bank lacks pebbles.": request(
        "exchange.bank", singles, ["bank.empty", "bank.one-short", "bank.last-pebble", "bank.refilled"]
    ),
    "gets-what-the-bank-lacks-late: Uses an equation for which the bank lacks pebbles, but only late in long games.": (
        request("exchange.bank", singles, ["rules.long-game"], late)
    ),
    "gets-one-the-bank-lacks: Uses an equation for which the bank lacks a single pebble.": request(
        "exchange.bank", one_short, ["bank.one-short", "bank.last-pebble"]
    ),
    "gets-what-it-gives-later: Gets pebbles that only a later exchange of the same list brings to the bank.": request(
        "exchange.bank", in_wrong_order, ["exchange.in-order-at-the-bank"]
    ),
    "gets-again-and-again: Uses an equation once more than the bank can pay for.": request(
        "exchange.bank", again_and_again, ["exchange.only-once", "resume.after-eliminations"]
    ),
    "plans-without-the-bank: Exchanges whatever leads to a card soonest, as if the bank held everything.": request(
        "exchange.bank",
        lambda turn: shortest_way(turn, EVERYTHING, follows_the_bank=False),
        ["bank.short-of-the-card"],
    ),
    "plans-by-the-bank-before: Exchanges whatever leads to a card soonest, and takes the bank for what it was before "
    "the first exchange.": request(
        "exchange.bank",
        lambda turn: shortest_way(turn, turn.view.bank, follows_the_bank=False),
        ["bank.short-of-the-card"],
    ),
    "plans-long-ways: Exchanges whatever leads to a card soonest, more than eight times, which some settings forbid.": (
        short_request(
            "exchange.too-many",
            lambda turn: shortest_way(turn, turn.view.bank, follows_the_bank=True),
            ["exchange.long-way"],
        )
    ),
    "gets-from-empty-bank: Exchanges where the bank is empty.": request(
        "exchange.bank", where(lambda turn: not turn.view.bank, singles), ["bank.empty"]
    ),
    # The second call: form
    "buys-without-pebbles: Leaves out the pebbles of a card.": cards_reply(
        "pebble.counts", one_card(), [*ANYWHERE, "resume.second-call"]
    ),
    "buys-four-counts: Leaves out the last of a card's five counts where it is 0.": cards_reply(
        "pebble.counts", one_card(2, 1, 1, 1), ANYWHERE
    ),
    "buys-six-counts: Gives a card six counts.": cards_reply("pebble.counts", one_card(1, 1, 1, 1, 1, 0), ANYWHERE),
    "buys-too-many-pebbles: Counts more pebbles than a bag can hold.": cards_reply(
        "pebble.counts", one_card(TOO_MANY_OF_ONE, 0, 0, 0, 0), [*ANYWHERE, "settings.largest"]
    ),
    "buys-four-pebbles: Buys a card with four pebbles.": cards_reply(
        "card.five-pebbles", one_card(1, 1, 1, 1, 0), [*ANYWHERE, "cards.last-one"]
    ),
    "buys-six-pebbles: Buys a card with six pebbles.": cards_reply(
        "card.five-pebbles", one_card(2, 1, 1, 1, 1), ANYWHERE
    ),
    "buys-blank-card: Buys a card with no pebbles at all.": cards_reply(
        "card.five-pebbles", one_card(0, 0, 0, 0, 0), [*ANYWHERE, "cards.none-in-reach"]
    ),
    # The second call: play
    "buys-made-up-card: Buys a card that its wallet could pay for, but that is not visible.": purchase(
        "purchase.visible", made_up_cards, ["cards.bought-before", "cards.none-in-reach", "settings.own-cards-hidden"]
    ),
    "buys-with-wrong-face: Takes no notice of faces.": purchase(
        "purchase.visible",
        lambda view: ((Card(card.pebbles, not card.face),) for card in view.visible),
        [*ANYWHERE, "cards.face-or-not", "score.equal-turns", "score.round-goes-on"],
    ),
    "buys-visible-card-twice: Buys a card more often than it is visible.": purchase(
        "purchase.visible", once_more, ["cards.only-once", "cards.equal-twice", "resume.second-call"]
    ),
    "buys-twin-with-wrong-face: Buys the same card twice where one with the same pebbles and another face is visible "
    "beside it.": purchase(
        "purchase.visible",
        lambda view: ((card,) * 2 for card in view.visible if Card(card.pebbles, not card.face) in view.visible),
        ["cards.twins"],
    ),
    "buys-what-it-owns: Buys a card again that it has bought before.": purchase(
        "purchase.visible", lambda view: ((card,) for card in view.cards), ["cards.bought-before"]
    ),
    "buys-from-empty-row: Buys a card where none is visible.": purchase(
        "purchase.visible", where(lambda view: not view.visible, plain_colors), ["cards.row-is-empty"]
    ),
    "buys-last-card-twice: Buys the card twice where one is visible.": purchase(
        "purchase.visible", where(lambda view: len(view.visible) == 1, once_more), ["cards.last-one"]
    ),
    "buys-without-pebbles-to-pay: Buys a visible card that its wallet cannot pay for.": purchase(
        "purchase.wallet", visible, [*ANYWHERE, "wallet.empty", "cards.none-in-reach"]
    ),
    "buys-without-pebbles-late: Buys a visible card that its wallet cannot pay for, but only late in long games.": (
        purchase("purchase.wallet", visible, ["rules.long-game"], late)
    ),
    "buys-one-pebble-short: Buys a visible card for which its wallet lacks a single pebble.": purchase(
        "purchase.wallet",
        lambda view: ((card,) for card in view.visible if lacking(view.wallet, card.pebbles) == 1),
        ["score.nearly-won", "resume.second-call"],
    ),
    "counts-on-red: Buys a card that its wallet could pay for with a red pebble more.": purchase(
        "purchase.wallet", lambda view: with_one_more(view, UNITS[0]), ["cards.other-pebble"]
    ),
    "counts-on-the-commonest: Buys a card that its wallet could pay for with one pebble more, of the colour of which "
    "the bank has most.": purchase(
        "purchase.wallet",
        lambda view: with_one_more(view, max(UNITS, key=lambda unit: times(view.bank, unit))),
        ["cards.other-pebble"],
    ),
    "buys-two-with-pebbles-for-one: Buys two cards either of which it could pay for, but not both.": purchase(
        "purchase.wallet", lambda view: combinations(payable(view), 2), ["cards.not-both"]
    ),
    "buys-anything-to-win: Buys a card that its wallet cannot pay for where one point is missing.": purchase(
        "purchase.wallet", where(lambda view: view.score == 19, visible), ["score.nearly-won"]
    ),
    "believes-in-ten-equations: Exchanges by an equation that the table lacks where three or more players have fewer "
    "than ten.": request(
        "exchange.in-table",
        where(lambda turn: len(turn.view.scores) > 1 and 0 < len(turn.table.equations) < 10, made_up),
        [UNUSUAL_SETTINGS],
    ),
    "buys-behind-the-fourth-card: Buys a card that is not visible where three or more players see more than four.": (
        purchase(
            "purchase.visible",
            where(lambda view: len(view.scores) > 1 and len(view.visible) > 4, plain_colors),
            [UNUSUAL_SETTINGS],
        )
    ),
}

MUTATIONS = build_mutations("bazaar", WRONG_ANSWERS)

FAILING = (
    Failing(
        "fails-as-the-round-goes-on",
        "Raises an exception in a turn that begins when somebody has 20 points, with which the game is mostly over.",
        ("bazaar.score.round-goes-on",),
        lambda request: any(score >= 20 for score in getattr(request, "turn_state", TurnState()).other_scores),
    ),
    Failing(
        "fails-where-nothing-is-had",
        "Raises an exception where the bank is empty and there is no equation.",
        ("bazaar.bank.empty-without-equations",),
        lambda request: (
            isinstance(request, RequestPebbleOrExchangesRequest)
            and not sum(request.turn_state.bank)
            and not request.turn_state.table.equations
        ),
    ),
    Failing(
        "fails-where-it-pays-for-five",
        "Raises an exception where it can buy and its wallet pays for each of five visible cards or more.",
        ("bazaar.wallet.rich",),
        lambda request: (
            isinstance(request, RequestCardsRequest) and len(payable(codec.read_view(request.turn_state))) > 4
        ),
    ),
)
