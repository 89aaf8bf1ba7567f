"""Tables of Bazaar that games go on from: written in few words, drawn at random, or reached by random play.

Pebbles are written as the initials of their colours, "rrb"; cards as five of them, "rrbgy", with a star for a happy
face; equations as "r=bbbb". A turn is two decisions, one for each of its calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random

from fairplay.bazaar.v1 import bazaar_pb2
from fairplay.games.bazaar import rules
from fairplay.games.bazaar.protocol import codec
from fairplay.games.bazaar.rules import random_table
from fairplay.games.bazaar.rules.pieces import (
    INITIALS,
    EquationTable,
    exchange_text,
    parse_bag,
    parse_card,
    parse_exchange,
)
from fairplay.games.bazaar.rules.state import Phase, Player, Purchase, Settings, Standing
from fairplay.games.conformance import Situation
from fairplay.games.kit.conformance import MakeSituation, begin_game, find_state

WHOLE_TURN = 2
ANY_SETTINGS = bazaar_pb2.Settings()
LONG_SIDES = bazaar_pb2.Settings(side_max=6)
MANY_PEBBLES = bazaar_pb2.Settings(pebbles_per_color=120, cards_total=100, visible=6, winning_score=1000)
VERY_MANY_PEBBLES = bazaar_pb2.Settings(pebbles_per_color=400)
WITHOUT_END = bazaar_pb2.Settings(
    pebbles_per_color=400, cards_total=10, winning_score=1000, exchange_price=bazaar_pb2.EXCHANGE_PRICE_NONE
)
FREE_EXCHANGES = bazaar_pb2.Settings(exchange_price=bazaar_pb2.EXCHANGE_PRICE_NONE)
PRICE_PER_EQUATION = bazaar_pb2.Settings(
    exchange_price=bazaar_pb2.EXCHANGE_PRICE_PER_EQUATION, price_takes_from=bazaar_pb2.PRICE_TAKES_FROM_TOP
)
SHORT_REQUESTS = bazaar_pb2.Settings(max_exchanges=8)
RICH_EQUATIONS = 4
"""Few enough that players can try every list of exchanges, however much they own."""


def fresh(
    seat: int, player_count: int, settings: bazaar_pb2.Settings = ANY_SETTINGS, turn_count: int = 4
) -> MakeSituation:
    """Return a game from its beginning."""
    return begin_game(seat, player_count, settings, turn_count)


def table(
    equations: str = "",
    *,
    bank: str = "",
    visible: str = "",
    pile: str = "",
    wallets: Sequence[str] = ("", ""),
    scores: Sequence[int] = (),
    bought: str = "",
    out: tuple[int, ...] = (),
    seat: int = 0,
    active: int = 0,
    turns: int = 0,
    second_call: bool = False,
    settings: bazaar_pb2.Settings = ANY_SETTINGS,
    turn_count: int = WHOLE_TURN,
) -> MakeSituation:
    """Return a game that goes on with the turn of seat `active`, after some turns.

    `bought` are the cards of the player under test.
    """
    players = [
        Player(standing=Standing.OUT)
        if number in out
        else Player(parse_bag(wallet), scores[number] if scores else 0, _cards(bought) if number == seat else ())
        for number, wallet in enumerate(wallets)
    ]
    state = rules.resume(
        codec.read_settings(settings),
        EquationTable(tuple(map(parse_exchange, equations.split()))),
        bank=parse_bag(bank),
        visible=_cards(visible),
        pile=_cards(pile),
        players=tuple(players),
        active=active,
        turns=turns,
    )
    message = codec.build_state(state._replace(phase=Phase.CARDS) if second_call else state)
    return lambda rng: Situation(settings, len(players), seat, message, turn_count)


def _cards(text: str) -> Purchase:
    return tuple(map(parse_card, text.split()))


def late(rng: Random) -> Situation:
    """Return a game that goes on after many turns, when its pile is used up."""
    state = find_state(
        rules,
        lambda: rules.initial(Settings(), 3, rng),
        rng,
        lambda state: not state.pile and state.phase is Phase.REQUEST,
    )
    return Situation(ANY_SETTINGS, 3, state.active, codec.build_state(state), 1)


def nothing_to_buy(rng: Random) -> Situation:
    """Return a game of 260 turns, more than a byte counts: nobody has what the cards cost, and the bank enough else.

    Every exchange would bring such pebbles, too: wallets soon pay for all of them, and the bank for none.
    """
    made = table(
        "ww=r bbb=rr g=rrr yy=rrrr",
        bank="wbgy" * 260,
        visible=" ".join(["rrrrr"] * 4),
        pile=" ".join(["rrrrr"] * 6),
        settings=WITHOUT_END,
        turn_count=260 * WHOLE_TURN,
    )
    return made(rng)


# Drawn at random


def twins(rng: Random) -> Situation:
    """Return a turn with two cards of the same pebbles, at least two of which can be paid for; faces are drawn."""
    pebbles, other = _pebbles(rng, 5), _pebbles(rng, 5)
    row = [pebbles + _face(rng), pebbles + _face(rng), other + _face(rng), _pebbles(rng, 5) + _face(rng)]
    rng.shuffle(row)
    wallet = pebbles * rng.randint(2, 3) + other * rng.randint(0, 1) + _pebbles(rng, rng.randint(0, 3))
    made = table(bank="rwbgy", visible=" ".join(row), wallets=(wallet, "y"), second_call=True, turn_count=1)
    return made(rng)


def rich(rng: Random) -> Situation:
    """Return a game of some turns in which wallet and bank hold much of every colour."""
    wallet, bank = ("".join(color * rng.randint(10, 60) for color in INITIALS) for _ in range(2))
    row, pile = (" ".join(_pebbles(rng, 5) + _face(rng) for _ in range(count)) for count in (6, 34))
    equations = " ".join(map(exchange_text, random_table(rng, RICH_EQUATIONS, 1, 4).equations))
    made = table(
        equations,
        bank=bank,
        visible=row,
        pile=pile,
        wallets=(wallet, "rwbgy"),
        settings=MANY_PEBBLES,
        turn_count=4 * WHOLE_TURN,
    )
    return made(rng)


def trading(rng: Random) -> Situation:
    """Return some turns beside a rival that makes any of many exchanges, all of them free."""
    made = table(
        "r=b w=g r=w b=g",
        bank="rwbg" * 6,
        visible="yyyyy yyyyr yyyyw yyyyb",
        pile="yyyyg yyyyy",
        wallets=("y", "rwbg" * 6),
        settings=FREE_EXCHANGES,
        turn_count=4 * WHOLE_TURN,
    )
    return made(rng)._replace(rivals="random")


def last_pebble_of_another(rng: Random) -> Situation:
    """Return two turns beside a rival that may take the last pebble between them, and buy nothing, though it can."""
    wallets = ("gw", "rrrrr" + _pebbles(rng, 3))
    made = table("r=bbbb", bank="bb", visible="rrrrr", wallets=wallets, turn_count=2 * WHOLE_TURN)
    return made(rng)._replace(rivals="random")


def bought_dearly(rng: Random) -> Situation:
    """Return two turns after that of a rival that pays for two exchanges with the whole pile, and buys a card."""
    made = table(
        "r=b w=g",
        bank="bbbb",
        visible="bbggg yyyyy yyyyw yyyyr",
        pile="yyyyb yyyyg",
        wallets=("rrggg", "y"),
        seat=1,
        settings=PRICE_PER_EQUATION,
        turn_count=2 * WHOLE_TURN,
    )
    return made(rng)._replace(rivals="points")


def of_one_color(rng: Random) -> Situation:
    """Return a turn in which the player has pebbles of one colour only, and can exchange them more often than it may.

    One time in two a request may have the usual 64 exchanges, otherwise the least, eight. The cards need several
    exchanges each, or pebbles that nobody has.
    """
    one, other, *rest = rng.sample(INITIALS, len(INITIALS))
    settings, most = rng.choice([(SHORT_REQUESTS, 8), (VERY_MANY_PEBBLES, 64)])
    left, right, count = one * rng.randint(1, 2), other * rng.randint(1, 2), rng.randint(most + 1, 2 * most)
    card = rng.choice([other * 5, other * 3 + "".join(rng.sample(rest, 2))])
    made = table(
        "=".join(rng.sample([left, right], 2)),
        bank=right * count,
        visible=" ".join(card + _face(rng) for _ in range(4)),
        pile=" ".join([card] * 4),
        wallets=(left * count, "rwbgy"),
        settings=settings,
        turn_count=1,
    )
    return made(rng)


def beyond_the_bank(rng: Random) -> Situation:
    """Return a turn with cards that exchanges would pay for, one to three of them, if the bank did not lack a pebble.

    For each exchange alone the bank suffices, but where there is one only.
    """
    one, other, wanted, *rest = rng.sample(INITIALS, len(INITIALS))
    count, given = rng.randint(1, 3), [one * rng.randint(1, 2), other * rng.randint(1, 2)]
    got = wanted * rng.randint(1, (4, 2, 1)[count - 1])
    used = rng.choices(given, k=count)
    spare = "".join(rng.choices(rest, k=5 - count * len(got)))
    made = table(
        " ".join("=".join(rng.sample([left, got], 2)) for left in given),
        bank=(got * count)[1:] + one + rest[0],
        visible=" ".join(got * count + spare + _face(rng) for _ in range(4)),
        pile=" ".join([got * count + spare] * 4),
        wallets=("".join(used) + spare, "rwbgy"),
        turn_count=1,
    )
    return made(rng)


def gained_by_the_bank(rng: Random) -> Situation:
    """Return a turn with a card that two exchanges pay for, of which the first brings the bank what the second gets."""
    given, first, gained, *spare = rng.sample(INITIALS, len(INITIALS))
    equations = ["=".join(rng.sample(pair, 2)) for pair in ([first, gained], [given, first])]
    made = table(
        " ".join(rng.sample(equations, 2)),
        bank=gained,
        visible=first + gained + spare[0] + spare[1] * 2,
        wallets=(first + given + spare[0] + spare[1] * 2, "y"),
        settings=FREE_EXCHANGES,
    )
    return made(rng)


def long_way(rng: Random) -> Situation:
    """Return a turn with cards that 8 to 20 exchanges of single pebbles pay for, and a shorter list does not.

    One time in two a request may have eight exchanges, otherwise as many as it takes, or 64.
    """
    steps, count = rng.choice([(2, 4), (3, 3), (2, 5), (3, 5), (4, 4), *[(4, 5)] * 3])
    colors = rng.sample(INITIALS, steps + 1)
    equations = ["=".join(rng.sample(pair, 2)) for pair in pairwise(colors)]
    most = rng.choice([8, 8, steps * count, 64])
    made = table(
        " ".join(rng.sample(equations, steps)),
        bank="".join(color * rng.randint(1, 5) for color in colors[1:-1]) + colors[-1] * count,
        visible=" ".join(colors[-1] * 5 + _face(rng) for _ in range(4)),
        pile=" ".join([colors[-1] * 5] * 4),
        wallets=(colors[0] * count + colors[-1] * (5 - count), "y"),
        settings=bazaar_pb2.Settings(max_exchanges=most),
        turn_count=1,
    )
    return made(rng)


def equal_pebbles(rng: Random) -> Situation:
    """Return a turn with an equation of five or six pebbles of one colour, after which a card can be paid for.

    One time in three the wallet lacks one pebble of what the exchange costs.
    """
    one, other, *rest = rng.sample(INITIALS, len(INITIALS))
    left, right = rng.sample([one * rng.randint(5, 6), other * rng.randint(1, 4)], 2)
    spare = "".join(rng.choices(rest, k=max(0, 5 - len(right))))
    wallet = spare + left[rng.random() < 1 / 3 :]
    made = table(
        "=".join(rng.sample([left, right], 2)),
        bank=right,
        visible=right[:5] + spare + _face(rng),
        wallets=(wallet, "rwbgy"),
        settings=LONG_SIDES,
    )
    return made(rng)


def _pebbles(rng: Random, count: int) -> str:
    return "".join(rng.choices(INITIALS, k=count))


def _face(rng: Random) -> str:
    return rng.choice(["", "*"])
