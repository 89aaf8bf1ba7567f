"""What the referee needs of a game, and the registry of the installed games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from random import Random
from typing import Protocol, runtime_checkable

from google.protobuf.message import Message

from fairplay.games.kit.settings import Setting
from fairplay.games.steps import Conversation, Method
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.tournament_pb2 import SignUpPolicy

ENTRY_POINTS = "fairplay.games"


@runtime_checkable
class SeatedBySettings(Protocol):
    """What a game supplies besides, if its settings decide how many players it may have."""

    def seats_with(self, settings: Message) -> range:
        """Return how many players a game with these settings may have. Raises ValueError if a value is not allowed."""


@runtime_checkable
class JoinedLate(Protocol):
    """What a game supplies besides, if its settings may let players join while it goes on (`Race.next_seat`)."""

    def may_join_late(self, settings: Message) -> bool:
        """Return whether players may join late with these settings. Raises ValueError if a value is not allowed."""


@runtime_checkable
class Searching(Protocol):
    """What a game supplies besides, if callers can choose how deep its reference players search."""

    def search_depth(self, strategy: str) -> int:
        """Return how deep a strategy is asked to search; 0 if no deeper than by default.

        Raises ValueError for an unknown strategy.
        """


class Game(Protocol):
    """What a game supplies. A game registers an instance under the entry point "fairplay.games", by its name."""

    name: str
    """The name in commands and requests, e.g. "fish"."""
    title: str
    """The name for people, e.g. "Fish"."""
    service: str
    """The full name of the player's service."""
    methods: Sequence[Method]
    """The methods of that service, in the order of a game."""
    turn: Method
    """The method in which a player decides what to do in its turn; an empty reply to it is malformed."""
    seats: range
    """How many players a game may have."""
    rules: Mapping[str, str]
    """Rule id -> one sentence."""
    strategies: Mapping[str, str]
    """Name of each reference strategy -> one sentence."""
    settings: Sequence[Setting]
    """What can be chosen about a game, for people."""
    settings_type: type[Message]
    state_type: type[Message]
    time_control: TimeControl
    """The default limits."""
    sign_up: SignUpPolicy
    """The default sign-up policy."""
    tournament_settings: Message
    """The settings of tournaments, and of the demonstration, where nobody names others: ones worth watching."""

    def full_settings(self, settings: Message) -> Message:
        """Return the settings with every default filled in. Raises ValueError if a value is not allowed."""

    def check_state(self, settings: Message, state: Message) -> int:
        """Return the number of players of a full state. Raises ValueError if no game has such a state."""

    def play(
        self,
        game_id: str,
        settings: Message,
        players: Sequence[str],
        rng: Random,
        state: Message | None,
        *,
        fresh: bool = False,
    ) -> Conversation:
        """Return a conversation between `players`, in turn order. Raises ValueError if the settings do not fit them.

        The game begins in `state`, which its first step shows; None: `rng` draws one. `fresh`: the state was drawn for
        a game that begins there, and was not taken from the middle of a game.
        """

    def full_state(self, state: object) -> Message:
        """Return all of a shown state, hidden things included, as `state_type`; `play` can go on from it."""

    def public_state(self, state: object) -> Message:
        """Return what a spectator may see of a shown state, as `state_type`."""

    def player(self, strategy: str) -> object:
        """Return a reference player with a method for each of `methods`. Raises ValueError for an unknown strategy."""

    def svg(self, state: Message, players: Sequence[str]) -> str:
        """Return a picture of a state, full or public, as one SVG document."""

    def text(self, state: Message, players: Sequence[str]) -> str:
        """Return a picture of a state for a terminal, in rich's console markup."""


def seats_of(game: Game, settings: Message) -> range:
    """Return how many players a game with these settings may have.

    Tournaments have as many as `Game.seats` says. Raises ValueError if a value is not allowed.
    """
    return game.seats_with(settings) if isinstance(game, SeatedBySettings) else game.seats


def may_join_late(game: Game, settings: Message) -> bool:
    """Return whether players may join a game with these settings while it goes on.

    Raises ValueError if a value is not allowed.
    """
    return isinstance(game, JoinedLate) and game.may_join_late(settings)


def search_depth_of(game: Game, strategy: str) -> int:
    """Return how deep a reference player is asked to search; 0 if no deeper than by default.

    Raises ValueError for an unknown strategy.
    """
    return game.search_depth(strategy) if isinstance(game, Searching) else 0


@cache
def registered() -> Mapping[str, EntryPoint]:
    """Return the entry points of the installed games, by name; no game is loaded."""
    return {entry.name: entry for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name)}


@cache
def find(name: str) -> Game:
    """Return the game of this name. Raises ValueError, with a sentence that lists the games, if there is none."""
    if name not in registered():
        raise ValueError(f"there is no game {name!r}; the games are {', '.join(registered())}")
    game: Game = registered()[name].load()
    return game
