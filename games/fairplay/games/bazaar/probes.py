"""The probes of Bazaar: situations that players get wrong. `tables` says how they are written."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from fairplay.bazaar.v1 import bazaar_pb2
from fairplay.games.bazaar.features import FEATURES
from fairplay.games.bazaar.mutations import FAILING, MUTATIONS
from fairplay.games.bazaar.situations import (
    FREE_EXCHANGES,
    PRICE_PER_EQUATION,
    SHORT_REQUESTS,
    WHOLE_TURN,
    beyond_the_bank,
    bought_dearly,
    equal_pebbles,
    fresh,
    gained_by_the_bank,
    last_pebble_of_another,
    late,
    long_way,
    nothing_to_buy,
    of_one_color,
    rich,
    table,
    trading,
    twins,
)
from fairplay.games.conformance import (
    STANDARD,
    STANDARD_SENTENCE,
    Circumstance,
    Conformance,
    Pieces,
    Profile,
    RareGame,
    Situation,
)
from fairplay.games.kit.conformance import Check, MakeSituation, build_probes, leaving

REQUESTING = (
    "exchange.bank",
    "exchange.in-table",
    "exchange.sides",
    "exchange.too-many",
    "exchange.wallet",
    "pebble.bank-empty",
    "pebble.counts",
    "request.required",
)
BUYING = ("card.five-pebbles", "pebble.counts", "purchase.visible", "purchase.wallet")

PLAIN_ROW = "rrwwb rwbgy ggyyy rrrrr"
NO_EQUATIONS = bazaar_pb2.Settings(equations=0)
RETURNED = bazaar_pb2.Settings(kick_returns_pebbles=True)
LATE_CHECK = bazaar_pb2.Settings(check_end_mid_turn=False)
HIDDEN_CARDS = bazaar_pb2.Settings(turn_active_has_cards=False)
ONE_OF_EACH = bazaar_pb2.Settings(pebbles_per_color=1, cards_total=2, visible=1, equations=2, side_max=1)
MANY_PEBBLES = bazaar_pb2.Settings(pebbles_per_color=400, cards_total=100, visible=6, side_max=6, max_exchanges=1000)
LONG_SIDES = bazaar_pb2.Settings(side_min=6, side_max=6)
ON_THREE_CARDS = bazaar_pb2.Settings(bonus=bazaar_pb2.BONUS_RWB_DISTINCT, turn_cap=1)
ONE_TURN_MORE = bazaar_pb2.Settings(turn_cap=5_001)
USA = bazaar_pb2.Settings(bonus=bazaar_pb2.BONUS_RWB, turn_cap=1)
EQUAL_TURNS = bazaar_pb2.Settings(equal_turns=True, winning_score=1, bonus=bazaar_pb2.BONUS_SEY)
MANY_EXCHANGES = bazaar_pb2.Settings(max_exchanges=65, turn_cap=2)
EIGHT_EXCHANGES = bazaar_pb2.Settings(
    max_exchanges=8,
    exchange_price=bazaar_pb2.EXCHANGE_PRICE_PER_EQUATION,
    price_takes_from=bazaar_pb2.PRICE_TAKES_FROM_TOP,
    turn_cap=1,
)

CHECKS = {
    "bank.empty: "
    "The bank is empty: neither a pebble nor any exchange can be had, and the empty list is all that is left.": Check(
        ["pebble.bank-empty", "exchange.bank"],
        table("r=bbbb b=gg", visible=PLAIN_ROW, pile="rrrrr yyyyy", wallets=("rrrrrb", "yyyyy")),
    ),
    "bank.empty-like-the-wallet: "
    "Bank and wallet are empty, and the game goes on as a rival can buy: there is nothing to ask for.": (
        Check(
            ["pebble.bank-empty", "exchange.bank", "exchange.wallet", "purchase.wallet"],
            table("r=bbbb b=gg", visible=PLAIN_ROW, pile="rrrrr yyyyy", wallets=("", "rrrrr")),
        )
    ),
    "bank.empty-without-equations: "
    "The bank is empty, there is no equation, and cards can be bought still: the empty list is all that is left.": (
        Check(
            ["pebble.bank-empty", "exchange.in-table"],
            table(
                visible=PLAIN_ROW,
                pile="rrrrr yyyyy",
                wallets=("rrwwb", "rwbgy", "ggyyy"),
                settings=NO_EQUATIONS,
                turn_count=2 * WHOLE_TURN,
            ),
        )
    ),
    "bank.last-pebble: One pebble is left in the bank: after it has been taken there is none for the next turn.": Check(
        ["pebble.bank-empty", "exchange.bank"],
        table("r=bb", bank="b", visible=PLAIN_ROW, pile="rrrrr yyyyy", wallets=("rrrrrr", "rrrrr"), turn_count=4),
    ),
    "bank.emptied-by-another: A rival takes the last pebble and buys nothing, though it can: the game goes on.": Check(
        ["pebble.bank-empty"], last_pebble_of_another, draws=8
    ),
    "bank.one-short: The wallet holds what every equation costs; the bank lacks one pebble of each other side.": Check(
        ["exchange.bank"],
        table("r=bbbb y=ww", bank="bbbw", visible=PLAIN_ROW, pile="rrrrr yyyyy", wallets=("rryy", "g")),
    ),
    "bank.short-of-the-card: Cards could be paid for after one to three exchanges, if the bank did not lack a pebble "
    "for the last of them.": Check(["exchange.bank"], beyond_the_bank, draws=8),
    "bank.refilled: A rival leaves, and its pebbles return to the bank, which has lacked them until then.": Check(
        ["exchange.bank", "pebble.bank-empty"],
        leaving(
            table(
                "r=yy",
                bank="bb",
                visible="wwwww ggggg wwwww ggggg",
                pile="rrrrr",
                wallets=("rrrr", "yyyy", "g"),
                settings=RETURNED,
                turn_count=2 * WHOLE_TURN,
            ),
            1,
        ),
    ),
    "wallet.empty: At the beginning wallets are empty: nothing can be exchanged, nothing can be bought.": Check(
        ["exchange.wallet", "purchase.wallet"], fresh(0, 2, turn_count=WHOLE_TURN)
    ),
    "wallet.one-short: The wallet lacks one pebble of every card, and one of every equation.": Check(
        ["exchange.wallet", "purchase.wallet"],
        table("rrr=b yyy=w", bank="bbww", visible="rrrww rrryy* yyyrr", pile="", wallets=("rryyw", "g")),
    ),
    "wallet.rich: "
    "Wallet and bank hold much of every colour: every equation can be used often, and every card be bought.": Check(
        [*REQUESTING, *BUYING], rich, draws=5
    ),
    "exchange.none-known: A game may have no equation at all: setup tells an empty table.": Check(
        ["exchange.in-table"], fresh(1, 2, NO_EQUATIONS, 6)
    ),
    "exchange.single-equation: "
    "With one equation: it works both ways, but neither doubled nor with pebbles to spare.": Check(
        ["exchange.in-table", "exchange.wallet"],
        table("rr=bbb", bank="bbbbbbrrrr", visible=PLAIN_ROW, pile="rrrrr", wallets=("rrrrbbb", "g")),
    ),
    "exchange.right-to-left-only: Every equation can be used from right to left only.": Check(
        ["exchange.wallet", "exchange.bank"],
        table("rr=bbb ww=ggg", bank="rrww", visible="wwrrb", wallets=("bbbgggy", "g"), turn_count=1),
    ),
    "exchange.in-order: What the first exchange gains can be spent by the second, not the other way round.": Check(
        ["exchange.wallet", "exchange.bank"],
        table("r=bbbb bbb=yy", bank="bbbbyy", visible="yyrrb bbbbr", wallets=("r", "g"), turn_count=1),
    ),
    "exchange.in-order-at-the-bank: "
    "The bank has what the second exchange needs once the first one has been made, not the other way round.": Check(
        ["exchange.wallet", "exchange.bank"], gained_by_the_bank, draws=4
    ),
    "exchange.only-once: "
    "Each equation can be used once: then the wallet lacks pebbles for the one, and the bank for the other.": Check(
        ["exchange.wallet", "exchange.bank"],
        table("rr=g ww=bb", bank="ggbb", visible="wwggb", wallets=("rrwwww", "y"), turn_count=1),
    ),
    "exchange.short-list: "
    "The longest list of exchanges is a setting: here eight, where exchanges could go on for ever.": Check(
        ["exchange.too-many"],
        table("r=b", bank="b", visible=PLAIN_ROW, pile="rrrrr", wallets=("rrrrr", "y"), settings=SHORT_REQUESTS),
    ),
    "exchange.long-lists: One exchange can be repeated until the wallet or the bank is empty: "
    "that would be a longer list than allowed.": Check(["exchange.too-many"], of_one_color, draws=8),
    "exchange.long-way: "
    "A card is in reach by 8 to 20 exchanges, of which a request may have all, or eight only.": Check(
        ["exchange.too-many", "exchange.bank"], long_way, draws=8
    ),
    "exchange.long-sides: Each side of every equation has six pebbles.": Check(REQUESTING, fresh(1, 2, LONG_SIDES, 6)),
    "exchange.equal-pebbles: "
    "A side may be five or six pebbles of one colour: no more and no less is given and got.": Check(
        ["exchange.in-table", "exchange.wallet"], equal_pebbles, draws=10
    ),
    "exchange.free: Exchanges may be free of charge; the answers stay the same.": Check(
        ["exchange.wallet", "exchange.bank"], fresh(0, 2, FREE_EXCHANGES, 8)
    ),
    "exchange.dear: Each exchange may cost a card, of those that would be dealt next.": Check(
        ["exchange.wallet", "purchase.visible"], fresh(1, 3, PRICE_PER_EQUATION, 6)
    ),
    "exchange.dearer-for-rivals: "
    "Each exchange of a rival may cost a card: there is none left for the place of that which it buys.": Check(
        [*REQUESTING, *BUYING], bought_dearly
    ),
    "cards.equal-twice: Two equal cards are visible and can both be bought, but there is no third.": Check(
        ["purchase.visible", "purchase.wallet"],
        table(bank="y", visible="bbbbb bbbbb", wallets=("b" * 16, "y"), second_call=True, turn_count=1),
    ),
    "cards.only-once: A card can be paid for twice, but is visible once.": Check(
        ["purchase.visible"],
        table(bank="y", visible="bbbbb rrrrr", wallets=("b" * 10 + "rrrr", "y"), second_call=True, turn_count=1),
    ),
    "cards.face-or-not: Cards with the same pebbles differ by their face: only one of each pair is visible.": Check(
        ["purchase.visible"],
        table(bank="y", visible="bbbbb rwbgy*", wallets=("bbbbbrwbgy", "y"), second_call=True, turn_count=1),
    ),
    "cards.twins: "
    "Two cards have the same pebbles, with a face or without: each is visible once, and both can be paid for.": Check(
        ["purchase.visible", "purchase.wallet"], twins, draws=8
    ),
    "cards.not-both: Each visible card can be paid for, but no two of them.": Check(
        ["purchase.wallet"],
        table(bank="y", visible="rrrbb rrggg", wallets=("rrrbbggg", "y"), second_call=True, turn_count=1),
    ),
    "cards.none-in-reach: No visible card can be paid for: the answer is an empty list.": Check(
        ["purchase.wallet"],
        table(bank="y", visible="rrrbb rrggg", wallets=("wwwwwwww", "rrrbb"), second_call=True, turn_count=1),
    ),
    "cards.bought-before: Cards that were bought are shown to their owner: they are not for sale any more.": Check(
        ["purchase.visible"],
        table(
            bank="y", visible="rrrrr", wallets=("wwwwwyy", "y"), bought="wwwww yyyyy*", second_call=True, turn_count=1
        ),
    ),
    "cards.last-one: One card is left in the game: whoever buys it ends the game.": Check(
        BUYING,
        table(bank="ryg", visible="rwbgy*", wallets=("rwbgyr", "y"), scores=(12, 19), second_call=True, turn_count=0),
    ),
    "cards.row-is-empty: The request has taken the last cards, and the end is checked later: "
    "no card is visible, none can be bought, also none that could be paid for before.": Check(
        ["purchase.visible", "pebble.bank-empty"],
        table("r=b", visible="wwwww rrrrr", wallets=("rrrrrr", "wwwww"), settings=LATE_CHECK),
    ),
    "cards.other-pebble: "
    "Each card lacks one pebble, of a colour of its own: who counts on the one that it hopes for cannot pay.": Check(
        ["purchase.wallet"],
        table(
            bank="rwbg" * 2,
            visible="rrrrr wwwww bbbbb ggggg",
            pile="rwbgy rwbgy",
            wallets=("rrrrwwwwbbbbgggg", "y"),
            turn_count=2 * WHOLE_TURN,
        ),
        draws=4,
    ),
    "resume.second-call: "
    "A game may go on between the two calls of a turn: cards are asked for, and no request was made.": Check(
        BUYING,
        table("r=bb", bank="bby", visible="rwbgy rrrrr", wallets=("rwbgyrrr", "y"), second_call=True, turn_count=1),
    ),
    "resume.late: A game may go on late, when the pile is used up and little is left.": Check(REQUESTING, late),
    "resume.after-eliminations: Three of five players are out: there is one score beside one's own.": Check(
        [*REQUESTING, *BUYING],
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
    "resume.alone: One player is left and goes on alone: the list of the others' scores is empty.": Check(
        [*REQUESTING, *BUYING],
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
    "settings.free-exchanges: Exchanges of rivals may be free of charge, too: the row stays as it is.": Check(
        [*REQUESTING, *BUYING], trading
    ),
    "settings.free-empty-requests: A request without exchanges may be free of charge, here where the bank is empty.": (
        Check(
            ["pebble.bank-empty", "exchange.bank"],
            table(
                "r=bbbb b=gg",
                visible=PLAIN_ROW,
                pile="bbbbb",
                wallets=("", "rrrrr"),
                settings=bazaar_pb2.Settings(empty_request_charged=False),
                turn_count=3 * WHOLE_TURN,
            ),
        )
    ),
    "score.nearly-won: "
    "One point is missing, and there is nothing to gain from caution: a card bought now ends the game.": Check(
        BUYING,
        table(
            bank="ryg", visible="rwbgy rrwbb", wallets=("rwbgyr", "y"), scores=(19, 19), second_call=True, turn_count=0
        ),
    ),
    "score.equal-turns: "
    "The round may be finished after somebody has reached the winning score: the last player is still asked.": Check(
        BUYING,
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
    "score.round-goes-on: "
    "The round may be finished after a rival has reached the winning score: the last player is asked once more.": Check(
        [*REQUESTING, *BUYING],
        table(
            bank="rwbgy" * 3,
            visible="rrrrr rwbgy yyyyy wwwww",
            pile="yyyyy",
            wallets=("rrrrr", "rwbgy"),
            scores=(19, 0),
            seat=1,
            settings=bazaar_pb2.Settings(equal_turns=True),
        ),
    ),
    "seats.last-of-six: Six players: five others' scores, and much has changed since the game began.": Check(
        [*REQUESTING, *BUYING], fresh(5, 6)
    ),
    "settings.smallest: One pebble of each colour, two cards, one of them visible.": Check(
        [*REQUESTING, *BUYING], fresh(0, 2, ONE_OF_EACH, 2)
    ),
    "settings.largest: "
    "2,000 pebbles, 100 cards, six of them visible, and equations with up to six pebbles on a side.": Check(
        [*REQUESTING, *BUYING], fresh(1, 2, MANY_PEBBLES)
    ),
    "settings.own-cards-hidden: Players may not be shown the cards that they have bought.": Check(
        BUYING,
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
}

PROBES = build_probes("bazaar", CHECKS)

RARE_TABLES = {
    "the bank has pebbles for an exchange only by the one before": gained_by_the_bank,
    "red, white and blue are found on three different cards": table(
        bank="r", visible="ggggg", wallets=("y", "y"), bought="rwyyy rgggg bgggg", settings=ON_THREE_CARDS, turn_count=1
    ),
    "red, white and blue are found on two cards, and three are asked for": table(
        bank="r", visible="ggggg", wallets=("y", "y"), bought="rwyyy bgggg", settings=ON_THREE_CARDS, turn_count=1
    ),
    "a request costs more cards than the pile has": table(
        "r=b g=r",
        bank="bbb",
        visible="rbyyy ggggg wwwww ggggw",
        pile="wwwww",
        wallets=("rgyyy", "y"),
        settings=PRICE_PER_EQUATION,
        turn_count=1,
    ),
    "more turns are played than in usual games, and one is left": table(
        bank="rwbgy", visible="ggggg", wallets=("y", "y"), turns=5_000, settings=ONE_TURN_MORE
    ),
    "the first player is out, and a round ends with equal turns": table(
        bank="rwbgy",
        visible="rwbgy wwwww rrrrr bbbbb",
        wallets=("", "rwbgy", "y"),
        out=(0,),
        seat=1,
        active=1,
        settings=EQUAL_TURNS,
    ),
}


def _played(
    make: MakeSituation, strategy: str = "points", leaver: tuple[int, str, int] | None = None, allowed: str = ""
) -> Callable[[Random], RareGame]:
    return lambda rng: RareGame(make(rng), [strategy], leaver, allowed)


WON_BY_THE_BONUS = table(
    bank="r", visible="ggggg", wallets=("y", "y"), bought="rwyyy bgggg", scores=(0, 5), settings=USA, turn_count=1
)

RARE_GAMES = {
    **{what: _played(make) for what, make in RARE_TABLES.items()},
    "nobody has won in the place of who has won by the bonus, and fails to hear of it": _played(
        WON_BY_THE_BONUS, leaver=(0, "Win", 1)
    ),
    "a request has as many exchanges as it may, and each takes a card from the top of the pile": _played(
        table(
            "r=b",
            bank="b" * 8,
            visible="bbbbb bbbbb ggggg wwwww",
            pile="rrrrr wwwww rrrrr wwwww rrrrr wwwww rrrrr wwwww ggggy gggyy ggyyy gyyyy",
            wallets=("r" * 8 + "bb", "y"),
            settings=EIGHT_EXCHANGES,
        ),
        "best",
    ),
    "a request has more exchanges than it may have usually": _played(
        table("r=b", bank="b", visible=PLAIN_ROW, pile="rrrrr", wallets=("r", "y"), settings=MANY_EXCHANGES),
        allowed="exchanges-once-too-often",
    ),
    "somebody leaves in setup, and another one goes on between the two calls of its turn": _played(
        table(
            bank="rwbgy",
            visible="rwbgy wwwww rrrrr bbbbb",
            wallets=("y", "rwbgyr", "y"),
            scores=(0, 19, 0),
            active=1,
            second_call=True,
        ),
        leaver=(2, "Setup", 1),
    ),
}


def _is_of_the_course(state: bazaar_pb2.State) -> bool:
    """Return whether a state has no more pebbles, cards and points than the game of the course."""
    pebbles = sum(state.bank) + sum(sum(player.wallet) for player in state.players)
    cards = len(state.visible) + len(state.pile)
    return pebbles <= 100 and cards <= 20 and all(player.score < 20 for player in state.players)


CONFORMANCE = Conformance(
    features=FEATURES,
    pieces=Pieces(
        things=(("visible", "pile", "players.cards"),), counts=(("bank", "players.wallet"),), scores=("players.score",)
    ),
    probes=PROBES,
    rare_games=RARE_GAMES,
    mutations=MUTATIONS,
    failing=FAILING,
    package="fairplay.games.bazaar",
    settings_readers={
        "pebbles_per_color": (Circumstance.LOSS, Circumstance.END),
        "cards_total": (Circumstance.END,),
        "visible": (Circumstance.END,),
        "winning_score": (Circumstance.END, Circumstance.RESUMED),
        "kick_returns_pebbles": (Circumstance.LOSS, Circumstance.ALONE),
        "lone_survivor": (Circumstance.ALONE, Circumstance.END),
        "check_end_mid_turn": ("RequestCards", Circumstance.LOSS, Circumstance.ALONE, Circumstance.END),
        "equal_turns": (Circumstance.LOSS, Circumstance.END, Circumstance.TIE),
        "bonus": (Circumstance.END, Circumstance.TIE),
        "turn_active_has_cards": (Circumstance.LOSS, Circumstance.RESUMED),
        "turn_cap": (Circumstance.LOSS, Circumstance.END),
    },
    settings_values={
        "pebbles_per_color": (1, 3, 400),
        "cards_total": (1, 5, 100),
        "visible": (1, 3, 6),
        "equations": (0, 1, 7),
        "side_min": (2, 6),
        "side_max": (1, 6),
        "winning_score": (1, 3, 1000),
        "max_exchanges": (8, 11, 1000),
        "turn_cap": (1, 3, 1_000_000),
    },
    long_games=(
        Situation(bazaar_pb2.Settings(pebbles_per_color=100, cards_total=100, winning_score=1000), 4, 2, None, 100),
        nothing_to_buy(Random(0)),
    ),
    leaving_settings=(bazaar_pb2.Settings(lone_survivor=bazaar_pb2.LONE_SURVIVOR_STOP),),
    profiles={
        STANDARD: Profile(STANDARD_SENTENCE, {"bonus": [bazaar_pb2.BONUS_RWB]}, fits=_is_of_the_course),
        "course-2024": Profile(
            "At most 20 pebbles of a colour, 20 cards, 4 of them visible, 10 equations of at most 4 pebbles a side, "
            "and 20 points; each request for exchanges costs a card; 2 games at once.",
            {
                "pebbles_per_color": range(1, 21),
                "cards_total": range(1, 21),
                "visible": range(1, 5),
                "equations": range(11),
                "side_min": range(1, 5),
                "side_max": range(1, 5),
                "winning_score": range(1, 21),
                "draw": [bazaar_pb2.DRAW_ORDERED],
                "kick_returns_pebbles": [True],
                "lone_survivor": [bazaar_pb2.LONE_SURVIVOR_STOP],
                "bonus": [bazaar_pb2.BONUS_RWB, bazaar_pb2.BONUS_SEY],
            },
            fits=_is_of_the_course,
            games_at_once=2,
        ),
    },
)
