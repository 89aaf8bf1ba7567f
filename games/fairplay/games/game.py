"""What the referee needs of a game, and the registry of the installed games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from random import Random
from typing import Protocol

from google.protobuf.message import Message

from fairplay.games.steps import Conversation, Method
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.tournament_pb2 import SignUpPolicy

ENTRY_POINTS = "fairplay.games"


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
    """The one of them in which a player decides what to do in its turn; an empty reply to it is malformed."""
    seats: range
    """How many players a game may have."""
    rules: Mapping[str, str]
    """Rule id -> one sentence."""
    strategies: Mapping[str, str]
    """Name of each reference strategy -> one sentence."""
    settings_type: type[Message]
    state_type: type[Message]
    time_control: TimeControl
    """The limits where nobody names others."""
    sign_up: SignUpPolicy
    """The sign-up policy where nobody names another."""
    showcase: Message
    """Settings under which a game is short and worth watching, for demonstrations."""

    def full_settings(self, settings: Message) -> Message:
        """The same settings with every default filled in. ValueError: a value is not allowed; one sentence."""

    def check_state(self, settings: Message, state: Message) -> int:
        """The number of players of a full state. ValueError: the invariant that it breaks; one sentence."""

    def play(
        self, game_id: str, settings: Message, players: Sequence[str], rng: Random, state: Message | None
    ) -> Conversation:
        """A conversation between `players` (in turn order). ValueError: the settings do not fit the players."""

    def full_state(self, state: object) -> Message:
        """All of a shown state, hidden things included, as `state_type`; `play` goes on from it."""

    def public_state(self, state: object) -> Message:
        """What a spectator may see of a shown state, as `state_type`."""

    def player(self, strategy: str) -> object:
        """A reference player with one method for each of `methods`. ValueError: no such strategy."""

    def svg(self, state: Message, players: Sequence[str]) -> str:
        """A picture of a state, full or public, as one SVG document."""

    def text(self, state: Message, players: Sequence[str]) -> str:
        """A picture of a state for a terminal, in rich's console markup."""


@cache
def registered() -> Mapping[str, EntryPoint]:
    """The installed games by name, not loaded yet."""
    return {entry.name: entry for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name)}


@cache
def find(name: str) -> Game:
    """The game of this name. ValueError: there is none; the sentence lists those there are."""
    if name not in registered():
        raise ValueError(f"there is no game {name!r}; the games are {', '.join(registered())}")
    game: Game = registered()[name].load()
    return game
