"""A game of Bazaar as a value: its settings, what the referee knows, and what a player is shown (bazaar.md 7, 15)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum, auto
from itertools import chain
from typing import Final, Literal, NamedTuple, TypeAlias

from fairplay.games.bazaar.rules.pieces import (
    CARD_PEBBLES,
    EMPTY,
    UNITS,
    Bag,
    Card,
    EquationTable,
    Exchange,
    equations_problem,
    holds,
    is_bag,
    size,
)
from fairplay.games.kit.settings import MAX_COUNT, MAX_REVISION, choice, find_problem, flag, number

ExchangePrice: TypeAlias = Literal["per_request", "per_equation", "none"]
PriceTakesFrom: TypeAlias = Literal["bottom", "top"]
PebbleDraw: TypeAlias = Literal["random", "ordered"]
LoneSurvivor: TypeAlias = Literal["play_on", "stop"]
Bonus: TypeAlias = Literal["none", "rwb", "sey", "rwb_distinct"]

MIN_SEATS, MAX_SEATS = 2, 6
SEATS = range(MIN_SEATS, MAX_SEATS + 1)
"""How many players a fresh game takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of section 15 that concern the game."""

    pebbles_per_color: int = number(20, 1, 400, "How many pebbles of each colour there are.")
    cards_total: int = number(20, 1, 100, "How many cards a game has.")
    visible: int = number(4, 1, 6, "How many cards are visible.")
    equations: int = number(10, 0, 10, "How many equations a game has.")
    side_min: int = number(1, 1, 6, "The fewest pebbles on a side of an equation.")
    side_max: int = number(4, 1, 6, "The most pebbles on a side of an equation; not less than side_min.")
    winning_score: int = number(20, 1, 1000, "The score that ends the game.")
    exchange_price: ExchangePrice = choice(
        "per_request",
        ExchangePrice,
        "What an exchange request costs: one card, one card for each of its equations, or nothing.",
    )
    empty_request_charged: bool = flag(
        True, "Whether the empty list of exchanges costs one card too, where exchanges are not free."
    )
    price_takes_from: PriceTakesFrom = choice(
        "bottom", PriceTakesFrom, "Which end of the pile pays: the bottom, or the top, which would be dealt next."
    )
    draw: PebbleDraw = choice(
        "random", PebbleDraw, "Which pebble a request gets: any, or the first of red, white, blue, green, yellow."
    )
    kick_returns_pebbles: bool = flag(
        False, "Whether the pebbles of an eliminated player return to the bank instead of leaving the game."
    )
    lone_survivor: LoneSurvivor = choice("play_on", LoneSurvivor, "Whether the last player that is left plays on.")
    check_end_mid_turn: bool = flag(True, "Whether the end is also checked between the two calls of a turn.")
    equal_turns: bool = flag(False, "Whether the round is finished after a player has reached the winning score.")
    bonus: Bonus = choice(
        "none",
        Bonus,
        "What the colours of a player's cards earn at the end: nothing; 10 points for red, white and blue (rwb), "
        "perhaps on three different cards (rwb_distinct); or 50 for all five (sey).",
    )
    turn_active_has_cards: bool = flag(True, "Whether a player is shown the cards that it has bought.")
    # the reference strategies may use eight
    max_exchanges: int = number(64, 8, 1000, "How many exchanges one request may have.")
    turn_cap: int = number(5000, 1, 1_000_000, "After how many turns the game is over in any case.")


def settings_problem(settings: Settings) -> tuple[str, str] | None:
    """Return the first setting that is not allowed, and a sentence that says what is; None if all are.

    Whatever they are there are ten different equations: as many with sides of one pebble, more with longer ones.
    """
    if problem := find_problem(settings):
        return problem
    if settings.side_min > settings.side_max:
        return "side_min", f"side_min is {settings.side_min}: it must be at most side_max, {settings.side_max}."
    return None


# States


class _Draw(Enum):
    PEBBLE = "pebble"


PEBBLE: Final = _Draw.PEBBLE
"""The request for one pebble."""

Exchanges: TypeAlias = tuple[Exchange, ...]
Request: TypeAlias = Literal[_Draw.PEBBLE] | Exchanges
Purchase: TypeAlias = tuple[Card, ...]
Action: TypeAlias = Request | Purchase


class Phase(IntEnum):
    """What a state waits for."""

    REQUEST = 0
    CARDS = 1
    OVER = 2


class Standing(IntEnum):
    """Whether a seat is still in the game."""

    IN = auto()
    OUT = auto()
    """Eliminated while the game went on: not ranked."""
    FAILED = auto()
    """Failed when it was told the result: not ranked either, and nobody moves up (section 7)."""


class Player(NamedTuple):
    """What the referee knows of a seat. A player that is out has no pebbles, points or cards."""

    wallet: Bag = EMPTY
    score: int = 0
    cards: Purchase = ()
    standing: Standing = Standing.IN


class State(NamedTuple):
    """All that the referee knows. Seats are indices into `players`, in turn order, and never change."""

    settings: Settings
    table: EquationTable
    bank: Bag
    visible: Purchase
    pile: Purchase
    """The hidden cards: the first is dealt next, the last is the bottom."""
    players: tuple[Player, ...]
    active: int
    phase: Phase
    turns: int
    """How many turns have ended."""
    draw_state: int
    """64 hidden bits that decide the next random pebble."""
    revision: int
    """Grows by one with every change."""


class TurnView(NamedTuple):
    """What a player is shown in its turn (section 9). It knows the equations from set-up."""

    bank: Bag
    visible: Purchase
    wallet: Bag
    score: int
    cards: Purchase
    """What the player has bought; empty where the settings hide it."""
    scores: tuple[int, ...]
    """The scores of the others, in coming turn order."""
    revision: int


def with_player(players: tuple[Player, ...], seat: int, player: Player) -> tuple[Player, ...]:
    """Return the players with that of one seat replaced."""
    return (*players[:seat], player, *players[seat + 1 :])


def next_seat(players: tuple[Player, ...], seat: int) -> int:
    """Return the next seat in turn order whose player is in the game; the same one if there is no other."""
    count = len(players)
    coming = [other % count for other in range(seat + 1, seat + count)]
    return next((other for other in coming if players[other].standing is Standing.IN), seat)


def is_over(state: State) -> bool:
    """Return whether a state meets an end condition of section 7, whatever its phase says."""
    settings = state.settings
    survivors = [player for player in state.players if player.standing is Standing.IN]
    # Without a visible card there is no hidden one: the row is refilled as long as there is.
    if not survivors or not state.visible or state.turns >= settings.turn_cap:
        return True
    if len(survivors) == 1 and settings.lone_survivor == "stop":
        return True
    if max([player.score for player in survivors]) >= settings.winning_score and _score_counts(state):
        return True
    if state.bank:
        return False
    cards = state.visible + state.pile
    return not any(holds(player.wallet, card.pebbles) for player in survivors for card in cards)


def _score_counts(state: State) -> bool:
    """Return whether a winning score ends the game now: with equal turns only when a new round would begin."""
    if not state.settings.equal_turns:
        return True
    first = next(seat for seat, player in enumerate(state.players) if player.standing is Standing.IN)
    return state.phase is Phase.REQUEST and state.active == first


# What every state fulfils, so that one from outside can be refused with the reason


def invariant(state: State) -> str | None:
    """Return one sentence that says why no game can have led to a state, or None if nothing speaks against it."""
    return next(chain(_piece_problems(state), _seat_problems(state), _turn_problems(state)), None)


def _piece_problems(state: State) -> Iterator[str]:
    settings, wallets = state.settings, [player.wallet for player in state.players]
    if not all(is_bag(bag) for bag in (state.bank, *wallets)):
        yield "A bag of pebbles is five counts of 0 to 400."
    most = len(UNITS) * settings.pebbles_per_color
    if (pebbles := sum(map(size, (state.bank, *wallets)))) > most:
        yield f"Bank and wallets have at most {most} pebbles together, not {pebbles}."
    bought = [card for player in state.players for card in player.cards]
    for card in (*state.visible, *state.pile, *bought):
        if not is_bag(card.pebbles) or size(card.pebbles) != CARD_PEBBLES:
            yield f"A card shows {CARD_PEBBLES} pebbles."
    if problem := equations_problem(state.table, settings.equations, settings.side_min, settings.side_max):
        yield problem
    row, most = len(state.visible), settings.visible
    if row > most:
        yield f"At most {most} cards are visible, not {row}."
    if row < most and state.pile:
        yield f"Fewer than {most} cards are visible only when no hidden card is left."
    if row + len(state.pile) > settings.cards_total:
        yield f"At most {settings.cards_total} cards are visible or hidden."


def _seat_problems(state: State) -> Iterator[str]:
    players = state.players
    if len(players) > MAX_SEATS:
        yield f"A game has at most {MAX_SEATS} players, not {len(players)}."
    if any(player.score < 0 for player in players):
        yield "A score is never negative."
    if min(state.turns, state.draw_state, state.revision) < 0:
        yield "Turns, draw state and revision are never negative."
    if state.revision > MAX_REVISION or max(state.turns, *(player.score for player in players), 0) > MAX_COUNT:
        yield f"The revision is at most {MAX_REVISION:,}, and turns and scores are at most {MAX_COUNT:,}."
    if any(player.standing is Standing.OUT and player[:3] != Player()[:3] for player in players):
        yield "A player that was eliminated has no pebbles, points or cards."


def _turn_problems(state: State) -> Iterator[str]:
    players = state.players
    if state.phase is Phase.OVER:
        # as it was before anybody was told the result, as if another turn could begin
        standing = {Standing.FAILED: Standing.IN}
        told = [player._replace(standing=standing.get(player.standing, player.standing)) for player in players]
        if not is_over(state._replace(players=tuple(told), phase=Phase.REQUEST)):
            yield "The game is over, although nothing has ended it."
        return
    if any(player.standing is Standing.FAILED for player in players):
        yield "A player can fail to be told the result only when the game is over."
    if state.active not in range(len(players)) or players[state.active].standing is not Standing.IN:
        yield "The active seat belongs to a player who is still in the game."
    checked = state.phase is Phase.REQUEST or state.settings.check_end_mid_turn
    if checked and is_over(state):
        yield "A call is due, although the game is over."
