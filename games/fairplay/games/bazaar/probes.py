"""The probes of Bazaar: situations that players get wrong. `tables` says how they are written."""

from __future__ import annotations

from fairplay.bazaar.v1 import bazaar_pb2
from fairplay.games.bazaar.mutations import MUTATIONS
from fairplay.games.bazaar.situations import (
    SHORT_REQUESTS,
    WHOLE_TURN,
    equal_pebbles,
    fresh,
    late,
    of_one_color,
    rich,
    table,
    twins,
)
from fairplay.games.conformance import Conformance, Probe, Situation

REQUESTING = (
    "bazaar.exchange.bank",
    "bazaar.exchange.in-table",
    "bazaar.exchange.sides",
    "bazaar.exchange.too-many",
    "bazaar.exchange.wallet",
    "bazaar.pebble.bank-empty",
    "bazaar.pebble.counts",
    "bazaar.request.required",
)
BUYING = (
    "bazaar.card.five-pebbles",
    "bazaar.pebble.counts",
    "bazaar.purchase.visible",
    "bazaar.purchase.wallet",
)

PLAIN_ROW = "rrwwb rwbgy ggyyy rrrrr"
NO_EQUATIONS = bazaar_pb2.Settings(equations=0)
FREE_EXCHANGES = bazaar_pb2.Settings(exchange_price=bazaar_pb2.EXCHANGE_PRICE_NONE)
PRICE_PER_EQUATION = bazaar_pb2.Settings(
    exchange_price=bazaar_pb2.EXCHANGE_PRICE_PER_EQUATION, price_takes_from=bazaar_pb2.PRICE_TAKES_FROM_TOP
)
LATE_CHECK = bazaar_pb2.Settings(check_end_mid_turn=False)
HIDDEN_CARDS = bazaar_pb2.Settings(turn_active_has_cards=False)
ONE_OF_EACH = bazaar_pb2.Settings(pebbles_per_color=1, cards_total=2, visible=1, equations=2, side_max=1)
MANY_PEBBLES = bazaar_pb2.Settings(pebbles_per_color=400, cards_total=100, visible=6, side_max=6, max_exchanges=1000)
LONG_SIDES = bazaar_pb2.Settings(side_min=6, side_max=6)
EQUAL_TURNS = bazaar_pb2.Settings(equal_turns=True, winning_score=1, bonus=bazaar_pb2.BONUS_SEY)

PROBES: tuple[Probe, ...] = (
    Probe(
        "bazaar.bank.empty",
        ("bazaar.pebble.bank-empty", "bazaar.exchange.bank"),
        "The bank is empty: neither a pebble nor any exchange can be had, and the empty list is all that is left.",
        table("r=bbbb b=gg", visible=PLAIN_ROW, pile="rrrrr yyyyy", wallets=("rrrrrb", "yyyyy")),
    ),
    Probe(
        "bazaar.bank.last-pebble",
        ("bazaar.pebble.bank-empty", "bazaar.exchange.bank"),
        "One pebble is left in the bank: after it has been taken there is none for the next turn.",
        table("r=bb", bank="b", visible=PLAIN_ROW, pile="rrrrr yyyyy", wallets=("rrrrrr", "rrrrr"), turn_count=4),
    ),
    Probe(
        "bazaar.bank.one-short",
        ("bazaar.exchange.bank",),
        "The wallet holds what every equation costs; the bank lacks one pebble of each other side.",
        table("r=bbbb y=ww", bank="bbbw", visible=PLAIN_ROW, pile="rrrrr yyyyy", wallets=("rryy", "g")),
    ),
    Probe(
        "bazaar.wallet.empty",
        ("bazaar.exchange.wallet", "bazaar.purchase.wallet"),
        "At the beginning wallets are empty: nothing can be exchanged, nothing can be bought.",
        fresh(0, 2, turn_count=WHOLE_TURN),
    ),
    Probe(
        "bazaar.wallet.one-short",
        ("bazaar.exchange.wallet", "bazaar.purchase.wallet"),
        "The wallet lacks one pebble of every card, and one of every equation.",
        table("rrr=b yyy=w", bank="bbww", visible="rrrww rrryy* yyyrr", pile="", wallets=("rryyw", "g")),
    ),
    Probe(
        "bazaar.wallet.rich",
        (*REQUESTING, *BUYING),
        "Wallet and bank hold much of every colour: every equation can be used often, and every card be bought.",
        rich,
        draws=5,
    ),
    Probe(
        "bazaar.exchange.none-known",
        ("bazaar.exchange.in-table",),
        "A game may have no equation at all: setup tells an empty table.",
        fresh(1, 2, NO_EQUATIONS, 6),
    ),
    Probe(
        "bazaar.exchange.single-equation",
        ("bazaar.exchange.in-table", "bazaar.exchange.wallet"),
        "With one equation: it works both ways, but neither doubled nor with pebbles to spare.",
        table("rr=bbb", bank="bbbbbbrrrr", visible=PLAIN_ROW, pile="rrrrr", wallets=("rrrrbbb", "g")),
    ),
    Probe(
        "bazaar.exchange.right-to-left-only",
        ("bazaar.exchange.wallet", "bazaar.exchange.bank"),
        "Every equation can be used from right to left only.",
        table("rr=bbb ww=ggg", bank="rrww", visible="wwrrb", wallets=("bbbgggy", "g"), turn_count=1),
    ),
    Probe(
        "bazaar.exchange.in-order",
        ("bazaar.exchange.wallet", "bazaar.exchange.bank"),
        "What the first exchange gains can be spent by the second, not the other way round.",
        table("r=bbbb bbb=yy", bank="bbbbyy", visible="yyrrb bbbbr", wallets=("r", "g"), turn_count=1),
    ),
    Probe(
        "bazaar.exchange.only-once",
        ("bazaar.exchange.wallet", "bazaar.exchange.bank"),
        "Each equation can be used once: then the wallet lacks pebbles for the one, and the bank for the other.",
        table("rr=g ww=bb", bank="ggbb", visible="wwggb", wallets=("rrwwww", "y"), turn_count=1),
    ),
    Probe(
        "bazaar.exchange.short-list",
        ("bazaar.exchange.too-many",),
        "The longest list of exchanges is a setting: here eight, where exchanges could go on for ever.",
        table("r=b", bank="b", visible=PLAIN_ROW, pile="rrrrr", wallets=("rrrrr", "y"), settings=SHORT_REQUESTS),
    ),
    Probe(
        "bazaar.exchange.long-lists",
        ("bazaar.exchange.too-many",),
        "One exchange can be repeated until the wallet or the bank is empty: that would be a longer list than allowed.",
        of_one_color,
        draws=8,
    ),
    Probe(
        "bazaar.exchange.long-sides",
        REQUESTING,
        "Each side of every equation has six pebbles.",
        fresh(1, 2, LONG_SIDES, 6),
    ),
    Probe(
        "bazaar.exchange.equal-pebbles",
        ("bazaar.exchange.in-table", "bazaar.exchange.wallet"),
        "A side may be five or six pebbles of one colour: no more and no less is given and got.",
        equal_pebbles,
        draws=10,
    ),
    Probe(
        "bazaar.exchange.free",
        ("bazaar.exchange.wallet", "bazaar.exchange.bank"),
        "Exchanges may be free of charge; the answers stay the same.",
        fresh(0, 2, FREE_EXCHANGES, 8),
    ),
    Probe(
        "bazaar.exchange.dear",
        ("bazaar.exchange.wallet", "bazaar.purchase.visible"),
        "Each exchange may cost a card, of those that would be dealt next.",
        fresh(1, 3, PRICE_PER_EQUATION, 6),
    ),
    Probe(
        "bazaar.cards.equal-twice",
        ("bazaar.purchase.visible", "bazaar.purchase.wallet"),
        "Two equal cards are visible and can both be bought, but there is no third.",
        table(bank="y", visible="bbbbb bbbbb", wallets=("b" * 16, "y"), second_call=True, turn_count=1),
    ),
    Probe(
        "bazaar.cards.only-once",
        ("bazaar.purchase.visible",),
        "A card can be paid for twice, but is visible once.",
        table(bank="y", visible="bbbbb rrrrr", wallets=("b" * 10 + "rrrr", "y"), second_call=True, turn_count=1),
    ),
    Probe(
        "bazaar.cards.face-or-not",
        ("bazaar.purchase.visible",),
        "Cards with the same pebbles differ by their face: only one of each pair is visible.",
        table(bank="y", visible="bbbbb rwbgy*", wallets=("bbbbbrwbgy", "y"), second_call=True, turn_count=1),
    ),
    Probe(
        "bazaar.cards.twins",
        ("bazaar.purchase.visible", "bazaar.purchase.wallet"),
        "Two cards have the same pebbles, with a face or without: each is visible once, and both can be paid for.",
        twins,
        draws=8,
    ),
    Probe(
        "bazaar.cards.not-both",
        ("bazaar.purchase.wallet",),
        "Each visible card can be paid for, but no two of them.",
        table(bank="y", visible="rrrbb rrggg", wallets=("rrrbbggg", "y"), second_call=True, turn_count=1),
    ),
    Probe(
        "bazaar.cards.none-in-reach",
        ("bazaar.purchase.wallet",),
        "No visible card can be paid for: the answer is an empty list.",
        table(bank="y", visible="rrrbb rrggg", wallets=("wwwwwwww", "rrrbb"), second_call=True, turn_count=1),
    ),
    Probe(
        "bazaar.cards.bought-before",
        ("bazaar.purchase.visible",),
        "Cards that were bought are shown to their owner: they are not for sale any more.",
        table(
            bank="y", visible="rrrrr", wallets=("wwwwwyy", "y"), bought="wwwww yyyyy*", second_call=True, turn_count=1
        ),
    ),
    Probe(
        "bazaar.cards.last-one",
        BUYING,
        "One card is left in the game: whoever buys it ends the game.",
        table(bank="ryg", visible="rwbgy*", wallets=("rwbgyr", "y"), scores=(12, 19), second_call=True, turn_count=0),
    ),
    Probe(
        "bazaar.cards.row-is-empty",
        ("bazaar.purchase.visible", "bazaar.pebble.bank-empty"),
        "The request has taken the last cards, and the end is checked later: no card is visible, none can be bought.",
        table("r=b", visible="wwwww", wallets=("rrrrrr", "wwwww"), settings=LATE_CHECK),
    ),
    Probe(
        "bazaar.resume.second-call",
        BUYING,
        "A game may go on between the two calls of a turn: cards are asked for, and no request was made.",
        table("r=bb", bank="bby", visible="rwbgy rrrrr", wallets=("rwbgyrrr", "y"), second_call=True, turn_count=1),
    ),
    Probe(
        "bazaar.resume.late",
        REQUESTING,
        "A game may go on late, when the pile is used up and little is left.",
        late,
    ),
    Probe(
        "bazaar.resume.after-eliminations",
        (*REQUESTING, *BUYING),
        "Three of five players are out: there is one score beside one's own.",
        table(
            "r=bb",
            bank="rwbgybb",
            visible=PLAIN_ROW,
            pile="bbbbb ggggg",
            wallets=("", "g", "", "rwbgyrr", ""),
            scores=(0, 9, 0, 3, 0),
            out=(0, 2, 4),
            seat=3,
            active=1,
        ),
    ),
    Probe(
        "bazaar.resume.alone",
        (*REQUESTING, *BUYING),
        "One player is left and goes on alone: the list of the others' scores is empty.",
        table(
            "r=bb",
            bank="rwbgybb",
            visible=PLAIN_ROW,
            pile="bbbbb ggggg",
            wallets=("rwbgyrr", ""),
            out=(1,),
            turn_count=0,
        ),
    ),
    Probe(
        "bazaar.score.nearly-won",
        BUYING,
        "One point is missing, and there is nothing to gain from caution: a card bought now ends the game.",
        table(
            bank="ryg",
            visible="rwbgy rrwbb",
            wallets=("rwbgyr", "y"),
            scores=(19, 19),
            second_call=True,
            turn_count=0,
        ),
    ),
    Probe(
        "bazaar.score.equal-turns",
        BUYING,
        "The round may be finished after somebody has reached the winning score: the last player is still asked.",
        table(
            bank="rwbgy" * 3,
            visible="rrrrr rwbgy",
            pile="",
            wallets=("rrrrr", "rwbgy"),
            scores=(1, 0),
            seat=1,
            active=1,
            second_call=True,
            turn_count=1,
            settings=EQUAL_TURNS,
        ),
    ),
    Probe(
        "bazaar.seats.last-of-six",
        (*REQUESTING, *BUYING),
        "Six players: five others' scores, and much has changed since the game began.",
        fresh(5, 6),
    ),
    Probe(
        "bazaar.settings.smallest",
        (*REQUESTING, *BUYING),
        "One pebble of each colour, two cards, one of them visible.",
        fresh(0, 2, ONE_OF_EACH, 2),
    ),
    Probe(
        "bazaar.settings.largest",
        (*REQUESTING, *BUYING),
        "2,000 pebbles, 100 cards, six of them visible, and equations with up to six pebbles on a side.",
        fresh(1, 2, MANY_PEBBLES),
    ),
    Probe(
        "bazaar.settings.own-cards-hidden",
        BUYING,
        "Players may not be shown the cards that they have bought.",
        table(
            bank="wwy",
            visible="rrrrr wwwww",
            wallets=("rrrrrwwwww", "y"),
            bought="yyyyy",
            second_call=True,
            settings=HIDDEN_CARDS,
            turn_count=1,
        ),
    ),
)

CONFORMANCE = Conformance(
    probes=PROBES,
    mutations=MUTATIONS,
    package="fairplay.games.bazaar",
    settings_values={
        "pebbles_per_color": (1, 3, 400),
        "cards_total": (1, 5, 100),
        "visible": (1, 3, 6),
        "equations": (0, 1, 3),
        "side_min": (2, 6),
        "side_max": (1, 6),
        "winning_score": (3, 1000),
        "turn_cap": (3, 1_000_000),
    },
    long_game=Situation(
        bazaar_pb2.Settings(pebbles_per_color=100, cards_total=100, winning_score=1000), 2, 0, None, 100
    ),
    leaving_settings=(bazaar_pb2.Settings(lone_survivor=bazaar_pb2.LONE_SURVIVOR_STOP),),
)
