"""A game of Webset as a value, and what players do in it."""

from __future__ import annotations

from enum import Enum, IntEnum, auto
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from fairplay.games.webset.rules.cards import EMPTY, Cards, sets_among

if TYPE_CHECKING:
    from fairplay.games.webset.rules.cards import Triple
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


def without_call(state: State) -> State:
    """Return the state in which the call that was open is over."""
    return state._replace(phase=Phase.OPEN, caller=None, picked=())


def with_player(state: State, seat: int, player: Player) -> State:
    """Return the state with this player in a seat."""
    return state._replace(players=(*state.players[:seat], player, *state.players[seat + 1 :]))
