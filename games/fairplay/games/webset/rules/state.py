"""A game of Webset as a value, what players do in it, and how cards come and go (sections 4.3, 5 and 6)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, IntEnum, auto
from typing import NamedTuple, TypeAlias

from fairplay.games.webset.rules.cards import EMPTY, Cards, Triple, sets_among
from fairplay.games.webset.rules.settings import Settings


class Phase(IntEnum):
    """What a game waits for (section 6)."""

    OPEN = auto()
    CALLED = auto()
    SHOWING = auto()
    OVER = auto()


class Standing(IntEnum):
    """Whether a seat is still in the game."""

    IN = auto()
    OUT = auto()
    """Eliminated while the game went on: not ranked, but what it has earned stays visible."""
    FAILED = auto()
    """Failed when it was told the result: not ranked either, but nobody moves up."""


class Status(Enum):
    """What a player is told of its act: the statuses of the seed, and three more (section 6)."""

    ALREADY_CALLED = "AlreadyCalled"
    NO_CALL = "NoCall"
    GOT_SET = "GotSet"
    BAD_SET = "BadSet"
    CALL_EXPIRED = "CallExpired"
    INTERNAL_ERROR = "InternalError"
    GAME_OVER = "GameOver"
    NOT_NOW = "NotNow"
    NO_SETS = "NoSets"
    NO_MORE_CARDS = "NoMoreCards"


class Word(Enum):
    """What a player can do beside taking cards."""

    CALL = "call"
    MORE = "more"
    SHOW = "show"
    END_SHOW = "end_show"


class Take(NamedTuple):
    """The cards that a player picks, whatever it names."""

    cards: Cards


Action: TypeAlias = Word | Take


class Act(NamedTuple):
    """An action of a player."""

    seat: int
    action: Action


class Player(NamedTuple):
    """The player in one seat."""

    points: int = 0
    cards: Cards = ()
    """Three for each set that it has taken, in order."""
    penalties: int = 0
    """How many of its calls were wrong or have expired."""
    expiries: int = 0
    """How many of its calls have expired."""
    standing: Standing = Standing.IN
    locked: bool = False
    """Whether it cannot call until the table changes."""

    @property
    def sets(self) -> int:
        """Return how many sets the player has taken."""
        return len(self.cards) // 3


class State(NamedTuple):
    """A game, hidden things included. Seats are indices into `players` and never change; who joins is behind all."""

    settings: Settings
    table: Cards
    """What lies in each of the `max_table` slots, column by column; EMPTY for nothing."""
    deck: Cards
    """The hidden cards, the next one first."""
    phase: Phase
    caller: int | None
    """The seat whose call is open, in CALLED only."""
    call_count: int
    """How many calls were accepted; the id of the open call, from 1."""
    displayed: int
    """Which of the solutions is displayed, in SHOWING only, else 0."""
    votes: tuple[int, ...]
    """The seats that have asked for more cards since the table last changed, sorted."""
    players: tuple[Player, ...]
    discarded: Cards
    """What was taken away as solutions."""
    act_count: int
    """How many acts were carried out."""
    draw_state: int
    """64 hidden bits from which the next lot is drawn."""
    revision: int
    """Grows by one with every change."""
    picked: Cards = ()
    """The cards that the caller has picked so far, in CALLED only."""


def on_table(state: State) -> Cards:
    """Return the cards on the table, in slot order."""
    return tuple([card for card in state.table if card != EMPTY])


def solutions(state: State) -> tuple[Triple, ...]:
    """Return all sets on the table, each sorted, in sorted order."""
    return sets_among(on_table(state))


def playing(state: State) -> list[int]:
    """Return the seats that are in the game."""
    return [seat for seat, player in enumerate(state.players) if player.standing is Standing.IN]


def with_player(state: State, seat: int, player: Player) -> State:
    """Return the state with this player in a seat."""
    return state._replace(players=(*state.players[:seat], player, *state.players[seat + 1 :]))


def without_call(state: State) -> State:
    """Return the state in which the call that was open is over."""
    return state._replace(phase=Phase.OPEN, caller=None, picked=())


# Dealing

DEAL = 3
"""How many cards are dealt at a time."""


def lay(state: State, most: int, slot_count: int) -> tuple[State, bool]:
    """Draw at most `most` cards into the empty slots among the first `slot_count` (the seed's `refill`, section 4.3).

    Returns False as the second value exactly if there is an empty slot and the deck gave nothing.
    """
    table, holes = list(state.table), [slot for slot in range(slot_count) if state.table[slot] == EMPTY]
    count = min(most, len(holes), len(state.deck))
    for slot, card in zip(holes, state.deck[:count], strict=False):
        table[slot] = card
    return state._replace(table=tuple(table), deck=state.deck[count:]), bool(count) or not holes


def refill(state: State, gone: Iterable[int], most: int) -> tuple[State, bool]:
    """Take cards from the table, and refill its base area with at most `most` others; see `lay`.

    Under the refill rule to_12 cards from beyond the base area move into its holes before, both in slot order.
    """
    gone, base = frozenset(gone), state.settings.table
    table = [EMPTY if card in gone else card for card in state.table]
    if state.settings.refill_rule == "to_12":
        beyond = [card for card in table[base:] if card != EMPTY]
        first = [beyond.pop(0) if card == EMPTY and beyond else card for card in table[:base]]
        table = [*first, *beyond, *[EMPTY] * (len(table) - base - len(beyond))]
    return lay(state._replace(table=tuple(table)), most, base)


def deal_more(state: State) -> State:
    """Deal up to three more cards, anywhere on the table."""
    return end_lockouts(lay(state, DEAL, len(state.table))[0])


def can_deal(state: State) -> bool:
    """Return whether there is a card to deal, and a slot for it."""
    return bool(state.deck) and EMPTY in state.table


def end_lockouts(state: State) -> State:
    """End votes and lockouts, as the table has changed."""
    players = tuple([player._replace(locked=False) if player.locked else player for player in state.players])
    return state._replace(votes=(), players=players)


def settle(state: State) -> State:
    """Deal more cards while there is no set and the referee deals by itself, or end the game (section 6)."""
    if state.phase is Phase.OVER:
        return state
    if state.act_count >= state.settings.act_cap or not playing(state):
        return end(state)
    while state.phase is Phase.OPEN and not solutions(state):
        if not state.deck:
            return end(state)
        if state.settings.more_rule != "auto":
            break
        state = deal_more(state)
    return state


def count_act(state: State) -> State:
    """Count an act that was carried out, and deal or end the game where that is due."""
    return settle(state._replace(act_count=state.act_count + 1))._replace(revision=state.revision + 1)


def end(state: State) -> State:
    """End the game as it stands."""
    return state._replace(phase=Phase.OVER, caller=None, displayed=0, votes=())
