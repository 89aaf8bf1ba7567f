"""What the referee needs of a game, and the registry of the installed games."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from random import Random
from typing import Any, NamedTuple

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from fairplay.games.kit.settings import Setting
from fairplay.games.kit.strategies import StrategyKind, search_depth
from fairplay.games.steps import Conversation, Method
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.tournament_pb2 import AgeOrder, SignUpPolicy

ENTRY_POINTS = "fairplay.games"


def usual_sign_up(seats: range) -> SignUpPolicy:
    """Return the sign-up policy of games that need no other one: as many entrants as one game seats."""
    return SignUpPolicy(
        min_entrant_count=seats.start,
        max_entrant_count=seats.stop - 1,
        waiting_period=Duration(seconds=20),
        period_count=2,
        age_order=AgeOrder.AGE_ORDER_SIGN_UP,
        name_pattern="[a-zA-Z0-9]{1,20}",
    )


class Start(NamedTuple):
    """What a conversation begins with."""

    game_id: str
    settings: Any
    """Those of the rules."""
    names: Sequence[str]
    """Of the players, in turn order."""
    state: Any
    """What `Game.begin` or `Game.resume` has returned."""
    fresh: bool
    """Whether the game begins here, and does not go on in its middle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """The description of a game. A game registers one under the entry point "fairplay.games", by its name.

    Messages are of the game's own types `settings_type` and `state_type`; the settings of the rules and the states are
    values of its own that nobody else looks into. What raises ValueError does so with one sentence.
    """

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
    """How many players a game may have; in tournaments, whatever the settings."""
    rules: Mapping[str, str]
    """Rule id -> one sentence."""
    strategies: Mapping[str, StrategyKind[Any]]
    """The strategies of the reference players by name, the plainest first."""
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

    read_settings: Callable[[Any], Any]
    """Message -> settings of the rules, defaults filled in. Raises ValueError if a value is not allowed."""
    build_settings: Callable[[Any], Message]
    """Settings of the rules -> their message, every field set."""
    begin: Callable[[Any, int, Random], Any]
    """(settings of the rules, number of players, rng) -> the state of a fresh game. Raises ValueError if none fits."""
    resume: Callable[[Any, Any, Random], Any]
    """(full state message, settings of the rules, rng) -> the state to go on from.

    `rng` draws what the message leaves open. Raises ValueError if no game has such a state.
    """
    count_seats: Callable[[Any], int]
    """State that `resume` has returned -> the number of players, with eliminated ones if the message has them."""
    converse: Callable[[Start], Conversation]
    """Start -> the conversation, whose first step shows the state that it begins in."""
    full_state: Callable[[Any], Message]
    """Shown state -> all of it, hidden things included, as `state_type`; `play` can go on from it."""
    public_state: Callable[[Any], Message]
    """Shown state -> what a spectator may see of it, as `state_type`."""
    player: Callable[[str], Any]
    """Strategy -> a reference player with a method for each of `methods`. Raises ValueError for an unknown strategy."""
    svg: Callable[[Any, Sequence[str]], str]
    """(state message, full or public; names) -> a picture of it as one SVG document."""
    text: Callable[[Any, Sequence[str]], str]
    """(state message, full or public; names) -> a picture of it for a terminal, in rich's console markup."""

    seat_range: Callable[[Any], range] | None = None
    """Settings of the rules -> how many players a game may have. None: as many as `seats` says."""
    late_join: Callable[[Any], bool] | None = None
    """Settings of the rules -> whether players may join while a game goes on (`Race.next_seat`). None: never."""

    def full_settings(self, settings: Message) -> Message:
        """Return the settings with every default filled in. Raises ValueError if a value is not allowed."""
        return self.build_settings(self.read_settings(settings))

    def seats_with(self, settings: Message) -> range:
        """Return how many players a game with these settings may have. Raises ValueError if a value is not allowed."""
        return self.seats if self.seat_range is None else self.seat_range(self.read_settings(settings))

    def may_join_late(self, settings: Message) -> bool:
        """Return whether players may join a game with these settings while it goes on.

        Raises ValueError if a value is not allowed.
        """
        return self.late_join is not None and self.late_join(self.read_settings(settings))

    def check_state(self, settings: Message, state: Message) -> int:
        """Return the number of players of a full state. Raises ValueError if no game has such a state."""
        return self.count_seats(self.resume(state, self.read_settings(settings), Random(0)))

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
        chosen = self.read_settings(settings)
        if state is None:
            first, fresh = self.begin(chosen, len(players), rng), True
        else:
            first = self.resume(state, chosen, rng)
        return self.converse(Start(game_id, chosen, players, first, fresh))

    def search_depth(self, strategy: str) -> int:
        """Return how deep a reference player is asked to search; 0 if no deeper than by default.

        Raises ValueError for an unknown strategy.
        """
        return search_depth(strategy, self.strategies, self.title)


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
