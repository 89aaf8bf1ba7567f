"""A game of Bazaar as a value: what the referee knows, what a player is shown, and what no state can be like."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from fairplay.games.bazaar.rules.pieces import CARD_PEBBLES, EMPTY, UNITS, Bag, Card, Exchange, is_bag, size
from fairplay.games.bazaar.rules.rulebook import equations_problem

if TYPE_CHECKING:
    from fairplay.games.bazaar.rules.rulebook import Rulebook
    from fairplay.games.bazaar.rules.settings import Settings


class _Draw(Enum):
    PEBBLE = "pebble"


PEBBLE: Final = _Draw.PEBBLE
"""The request for one pebble."""

Exchanges: TypeAlias = tuple[Exchange, ...]
Request: TypeAlias = Literal[_Draw.PEBBLE] | Exchanges
Purchase: TypeAlias = tuple[Card, ...]
Action: TypeAlias = Request | Purchase

MOST_SEATS = 6


class Phase(IntEnum):
    """What a state waits for."""

    REQUEST = 0
    CARDS = 1
    OVER = 2


class Standing(IntEnum):
    """Whether a seat is still in the game."""

    IN = 0
    OUT = 1
    """Eliminated while the game went on: not ranked."""
    FAILED = 2
    """Failed when it was told the result: not ranked either, but nobody moves up (section 7)."""


class Player(NamedTuple):
    """What the referee knows of one seat. One that is out has nothing left."""

    wallet: Bag = EMPTY
    score: int = 0
    cards: Purchase = ()
    standing: Standing = Standing.IN


class State(NamedTuple):
    """All the referee knows. Seats are indices into `players`, in turn order, and never change."""

    settings: Settings
    rulebook: Rulebook
    bank: Bag
    visible: Purchase
    pile: Purchase
    """The hidden cards: the first is dealt next, the last is the bottom."""
    players: tuple[Player, ...]
    active: int
    phase: Phase
    turns: int
    """How many turns have ended."""
    luck: int
    """64 hidden bits from which the next random pebble is drawn."""
    revision: int
    """Grows by one with every change."""


class View(NamedTuple):
    """What a player is shown in its turn (section 9). It knows the equations from set-up."""

    bank: Bag
    visible: Purchase
    wallet: Bag
    score: int
    cards: Purchase
    """What the player has bought; empty where the settings hide it."""
    scores: tuple[int, ...]
    """Those of the others, in coming turn order."""
    revision: int


def view(state: State, seat: int) -> View:
    """What a player is shown."""
    players = state.players
    wallet, score, cards, _ = players[seat]
    others = players[seat + 1 :] + players[:seat]
    coming = tuple([other.score for other in others if other.standing is Standing.IN])
    if not state.settings.turn_active_has_cards:
        cards = ()
    return View(state.bank, state.visible, wallet, score, cards, coming, state.revision)


def state_problem(state: State) -> str | None:
    """One sentence saying why a state cannot be (section 10, "State validity"), None if nothing speaks against it."""
    return _pieces_problem(state) or _row_problem(state) or _seats_problem(state) or _turn_problem(state)


def _pieces_problem(state: State) -> str | None:
    settings, wallets = state.settings, [player.wallet for player in state.players]
    if not all(is_bag(bag) for bag in (state.bank, *wallets)):
        return "a bag of pebbles is five counts of 0 to 400"
    most = len(UNITS) * settings.pebbles_per_color
    if (pebbles := sum(map(size, (state.bank, *wallets)))) > most:
        return f"bank and wallets have at most {most} pebbles together, not {pebbles}"
    bought = [card for player in state.players for card in player.cards]
    for card in (*state.visible, *state.pile, *bought):
        if not is_bag(card.pebbles) or size(card.pebbles) != CARD_PEBBLES:
            return f"a card shows {CARD_PEBBLES} pebbles"
    return equations_problem(state.rulebook, settings.equations, settings.side_min, settings.side_max)


def _row_problem(state: State) -> str | None:
    row, most = len(state.visible), state.settings.visible
    if row > most:
        return f"at most {most} cards are visible, not {row}"
    if row < most and state.pile:
        return f"fewer than {most} cards are visible only when no hidden card is left"
    if row + len(state.pile) > state.settings.cards_total:
        return f"at most {state.settings.cards_total} cards are visible or hidden"
    return None


def _seats_problem(state: State) -> str | None:
    if len(state.players) > MOST_SEATS:
        return f"a game has at most {MOST_SEATS} players, not {len(state.players)}"
    if any(player.score < 0 for player in state.players):
        return "a score is never negative"
    if min(state.turns, state.luck, state.revision) < 0:
        return "turns, luck and revision are never negative"
    if any(player.standing is Standing.OUT and player[:3] != Player()[:3] for player in state.players):
        return "a player that was eliminated has no pebbles, points or cards"
    return None


def _turn_problem(state: State) -> str | None:
    if state.phase is Phase.OVER:
        return None
    if any(player.standing is Standing.FAILED for player in state.players):
        return "a player can fail as it is told the result only when the game is over"
    if state.active not in range(len(state.players)) or state.players[state.active].standing is not Standing.IN:
        return "the active seat belongs to a player who is still in the game"
    return None
