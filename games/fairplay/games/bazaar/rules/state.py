"""A game of Bazaar as a value: what the referee knows, and what a player is shown."""

from __future__ import annotations

from enum import Enum, IntEnum, auto
from typing import Final, Literal, NamedTuple, TypeAlias

from fairplay.games.bazaar.rules.equations import EquationTable
from fairplay.games.bazaar.rules.pieces import EMPTY, Bag, Card, Exchange
from fairplay.games.bazaar.rules.settings import Settings


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


def view(state: State, seat: int) -> TurnView:
    """Return what the player of a seat is shown."""
    players = state.players
    wallet, score, cards, _ = players[seat]
    others = players[seat + 1 :] + players[:seat]
    coming = tuple([other.score for other in others if other.standing is Standing.IN])
    if not state.settings.turn_active_has_cards:
        cards = ()
    return TurnView(state.bank, state.visible, wallet, score, cards, coming, state.revision)


def turn(state: State) -> int | None:
    """Return the seat to be called next, with the call that `State.phase` names; None: the game is over."""
    return None if state.phase is Phase.OVER else state.active


def with_player(players: tuple[Player, ...], seat: int, player: Player) -> tuple[Player, ...]:
    """Return the players with that of one seat replaced."""
    return (*players[:seat], player, *players[seat + 1 :])


def next_seat(players: tuple[Player, ...], seat: int) -> int:
    """Return the next seat in turn order whose player is in the game; the same one if there is no other."""
    count = len(players)
    coming = [other % count for other in range(seat + 1, seat + count)]
    return next((other for other in coming if players[other].standing is Standing.IN), seat)
