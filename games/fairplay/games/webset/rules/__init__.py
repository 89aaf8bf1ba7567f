"""The rules of Webset as pure functions (webset.md sections 1 to 6).

Nobody's turn comes: while the table is open any player may act, and the first act counts. `carry_out` says what becomes
of an act in any phase (the table of section 6): the state after it, the status that its player is told, and the rule
because of which it was refused or wrong. `expired` is what becomes of a call whose time is over, `play_round` what
becomes of a table for which everybody submits a take at the same time.

What is here stands in modules of a noun each: cards, settings, state, table, referee, rounds, results, invariants.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairplay.games.webset.rules.cards import (
    CARDS,
    EMPTY,
    Cards,
    Triple,
    card_name,
    deck_of,
    is_set,
    sets_among,
    third,
    written,
)
from fairplay.games.webset.rules.invariants import invariant
from fairplay.games.webset.rules.referee import (
    Result,
    carry_out,
    eliminate,
    expired,
    legal,
    possible,
    round_seats,
    stop,
    take_violation,
)
from fairplay.games.webset.rules.results import ranking, ranks, scores
from fairplay.games.webset.rules.rounds import Round, Verdict, play_round
from fairplay.games.webset.rules.rulebook import RULES
from fairplay.games.webset.rules.settings import MAX_SEATS, PROFILES, Settings, settings_of, settings_problem
from fairplay.games.webset.rules.state import (
    Act,
    Action,
    Phase,
    Player,
    Standing,
    State,
    Status,
    Take,
    Word,
    on_table,
    playing,
    solutions,
)
from fairplay.games.webset.rules.table import laid, settled

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

__all__ = [
    "CARDS",
    "EMPTY",
    "MAX_SEATS",
    "PROFILES",
    "RULES",
    "Act",
    "Action",
    "Cards",
    "Phase",
    "Player",
    "Result",
    "Round",
    "Settings",
    "Standing",
    "State",
    "Status",
    "Take",
    "Triple",
    "Verdict",
    "Word",
    "apply",
    "card_name",
    "carry_out",
    "dealt",
    "due",
    "eliminate",
    "expired",
    "initial",
    "invariant",
    "is_set",
    "legal",
    "on_table",
    "play_round",
    "playing",
    "possible",
    "ranking",
    "ranks",
    "round_seats",
    "scores",
    "sets_among",
    "settings_of",
    "settings_problem",
    "settled",
    "shuffled",
    "solutions",
    "stop",
    "take_violation",
    "third",
    "turn",
    "violation",
    "written",
]


def initial(settings: Settings, seat_count: int, rng: Random) -> State:
    """A fresh game with a shuffled deck. ValueError if these settings or so many players cannot be."""
    if problem := settings_problem(settings):
        raise ValueError(problem[1])
    deck = shuffled(deck_of(settings.aspects), rng)
    return dealt(settings, deck, seat_count, rng.getrandbits(64))


def shuffled(cards: Sequence[int], rng: Random) -> Cards:
    """The cards in an order of which each is as likely as another (Fisher and Yates)."""
    deck = list(cards)
    for last in range(len(deck) - 1, 0, -1):
        other = rng.randrange(last + 1)
        deck[last], deck[other] = deck[other], deck[last]
    return tuple(deck)


def dealt(settings: Settings, deck: Cards, seat_count: int, draw_state: int = 0) -> State:
    """A fresh game with this deck, the next card first. ValueError: so many players cannot be."""
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
    return settled(laid(state, settings.table, settings.table)[0])


def turn(state: State) -> int | None:
    """The seat that must decide, in phase CALLED; else the first of those that may act; None when the game is over.

    See `due` for all of them: acts of all players are awaited at the same time.
    """
    if state.phase is Phase.OVER:
        return None
    return playing(state)[0] if state.caller is None else state.caller


def due(state: State) -> tuple[int, ...]:
    """The seats whose acts are awaited: the caller, or everybody that may do anything; none when the game is over."""
    if state.phase is Phase.OVER:
        return ()
    if state.caller is not None:
        return (state.caller,)
    if state.settings.rounds != "off":
        return tuple(round_seats(state))
    return tuple([seat for seat in playing(state) if possible(state, seat)])


def violation(state: State, action: Act) -> str | None:
    """The id of the rule because of which an act is refused, or is a wrong take; None if it succeeds."""
    return carry_out(state, action).rule


def apply(state: State, action: Act) -> State:
    """The state after an act. One that is refused changes nothing, a wrong take costs its player points."""
    return carry_out(state, action).state
