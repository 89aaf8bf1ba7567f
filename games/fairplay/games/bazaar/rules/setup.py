"""The start of a game of Bazaar: a fresh one, or one that goes on from a state (bazaar.md section 2)."""

from __future__ import annotations

from random import Random

from fairplay.games.bazaar.rules.equations import EquationTable, disjoint
from fairplay.games.bazaar.rules.pieces import CARD_PEBBLES, UNITS, Bag, Card, Exchange, pack
from fairplay.games.bazaar.rules.results import settled
from fairplay.games.bazaar.rules.settings import MAX_SEATS, MIN_SEATS, Settings, settings_problem
from fairplay.games.bazaar.rules.state import Phase, Player, Purchase, State

SEATS = range(MIN_SEATS, MAX_SEATS + 1)
"""How many players a fresh game takes."""


def initial(settings: Settings, seat_count: int, rng: Random) -> State:
    """Return a fresh game: full bank, empty wallets, equations and cards drawn.

    Raises ValueError if the settings are not allowed, or if there are too few or too many players.
    """
    if problem := settings_problem(settings):
        raise ValueError(problem[1])
    if seat_count not in SEATS:
        raise ValueError(f"Bazaar is played by {MIN_SEATS} to {MAX_SEATS} players, not by {seat_count}.")
    table = random_table(rng, settings.equations, settings.side_min, settings.side_max)
    cards = random_cards(rng, settings.cards_total)
    return resume(
        settings,
        table,
        bank=pack([settings.pebbles_per_color] * len(UNITS)),
        visible=cards[: settings.visible],
        pile=cards[settings.visible :],
        players=(Player(),) * seat_count,
        draw_state=rng.getrandbits(64),
    )


def resume(
    settings: Settings,
    table: EquationTable,
    *,
    bank: Bag,
    visible: Purchase,
    pile: Purchase,
    players: tuple[Player, ...],
    draw_state: int = 0,
    active: int = 0,
    turns: int = 0,
    revision: int = 0,
) -> State:
    """Return a game in which the turn of the active player is about to begin, unless the game is over at once.

    It is not checked whether a game can have led to the state: see `invariant`.
    """
    phase = Phase.REQUEST
    return settled(State(settings, table, bank, visible, pile, players, active, phase, turns, draw_state, revision))


def random_table(rng: Random, equations: int, side_min: int, side_max: int) -> EquationTable:
    """Return a table of distinct equations, each redrawn until its sides share no colour and it is new.

    Does not return if there are not that many: there are 10 with sides of one pebble, 2,000 with sides of 1 to 4.
    """
    found: dict[frozenset[Bag], Exchange] = {}
    while len(found) < equations:
        left = random_bag(rng, rng.randint(side_min, side_max))
        right = random_bag(rng, rng.randint(side_min, side_max))
        if disjoint(left, right):
            found.setdefault(frozenset((left, right)), Exchange(left, right))
    return EquationTable(tuple(found.values()))


def random_bag(rng: Random, pebbles: int) -> Bag:
    """Return a bag of so many pebbles, each of any colour."""
    return sum(rng.choice(UNITS) for _ in range(pebbles))


def random_cards(rng: Random, count: int) -> tuple[Card, ...]:
    """Return cards of five independent pebbles and a face half of the time; equal cards may come up."""
    return tuple(Card(random_bag(rng, CARD_PEBBLES), rng.random() < 0.5) for _ in range(count))
