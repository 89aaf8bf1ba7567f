"""The beginning of a game: the deck is shuffled, and the table dealt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairplay.games.webset.rules.cards import EMPTY, Cards, deck_of
from fairplay.games.webset.rules.dealing import lay, settle
from fairplay.games.webset.rules.settings import MAX_SEATS, Settings, settings_problem
from fairplay.games.webset.rules.state import Phase, Player, State

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random


def initial(settings: Settings, seat_count: int, rng: Random) -> State:
    """Return a game with a shuffled deck. Raises ValueError for settings or a number of players that cannot be."""
    if problem := settings_problem(settings):
        raise ValueError(problem[1])
    deck = shuffled(deck_of(settings.aspects), rng)
    return dealt(settings, deck, seat_count, rng.getrandbits(64))


def shuffled(cards: Sequence[int], rng: Random) -> Cards:
    """Return the cards in an order, of which each is as likely as another (Fisher and Yates)."""
    deck = list(cards)
    for last in range(len(deck) - 1, 0, -1):
        other = rng.randrange(last + 1)
        deck[last], deck[other] = deck[other], deck[last]
    return tuple(deck)


def dealt(settings: Settings, deck: Cards, seat_count: int, draw_state: int = 0) -> State:
    """Return a game with this deck, the next card first. Raises ValueError for an impossible number of players."""
    if not settings.min_players <= seat_count <= MAX_SEATS:
        raise ValueError(f"A game has {settings.min_players} to {MAX_SEATS} players, not {seat_count}.")
    state = State(
        settings=settings,
        table=(EMPTY,) * settings.max_table,
        deck=deck,
        phase=Phase.OPEN,
        caller=None,
        call_count=0,
        displayed=0,
        votes=(),
        players=(Player(),) * seat_count,
        discarded=(),
        act_count=0,
        draw_state=draw_state,
        revision=0,
    )
    return settle(lay(state, settings.table, settings.table)[0])
