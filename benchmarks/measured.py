"""What is played in which game, what counts as a turn there, and what each figure should reach.

A game that is not in the table is measured as it is by default, without a reach.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from google.protobuf.message import Message

from fairplay.games.game import Game, find, registered

STRATEGY = "first"
MOST_SEATS = 4

HELP_REACH_S = 0.3
IDLE_REACH_MB = 90.0
IDLE_MOST_REACH_MB = 250.0
LOBBY_REACH_MS, LOBBY_SLOW_REACH_MS = 25.0, 60.0
LOBBY_RATIO_REACH = 3.0
LEAGUE_REACH = 1.0
POSTGRESQL_REACH = 0.7
CLUSTER_REACH = 1.7
SCALE_REACH = 1.2
WATCH_REACH, WATCH_REACH_MS = 0.95, 200.0
OPENING_REACH_S = 1.0


def _always(_: Any) -> bool:
    return True


def _revision(state: Any) -> int:
    count: int = state.revision
    return count


@dataclass(frozen=True, slots=True)
class MeasuredGame:
    """How one game is measured.

    `settings` are those of its rules and of its messages alike. A call of a method in `counted` is one turn; by the
    rules alone `played` says how many turns a state has behind it, and a playout is measured from the first state on
    that is `ready`. `reaches` names the measures that are taken, each with what it should reach; of the rules of a
    game that is not in the table nothing is known.
    """

    game: str
    turns: str = "turns"
    counted: Sequence[str] = ()
    most_seats: int = MOST_SEATS
    settings: Mapping[str, Any] = field(default_factory=dict)
    played: Callable[[Any], int] = _revision
    ready: Callable[[Any], bool] = _always
    reaches: Mapping[str, float | None] = field(default_factory=lambda: {"games": None})

    @property
    def contract(self) -> Game:
        """Return the game itself."""
        return find(self.game)

    @property
    def rules(self) -> Any:
        """Return the module of its rules, beside the one that the entry point names."""
        package, _, _ = registered()[self.game].module.rpartition(".")
        return import_module(f"{package}.rules")

    @property
    def seat_count(self) -> int:
        """Return how many players there are: as many as wanted, or the number nearest to it that the game allows."""
        seats = self.contract.seats
        return max(seats.start, min(seats.stop - 1, self.most_seats))

    @property
    def settings_message(self) -> Message:
        """Return the settings as a message of the game, where a choice is an enum that is named after it."""
        named = {name: f"{name}_{value}".upper() for name, value in self.settings.items() if isinstance(value, str)}
        return self.contract.settings_type(**{**self.settings, **named})

    @property
    def turn_paths(self) -> frozenset[str]:
        """Return the full names of the counted methods: by default the last one whose reply holds anything."""
        methods = self.contract.methods
        deciding = [each.name for each in methods if each.response.DESCRIPTOR.fields]
        return frozenset(each.path for each in methods if each.name in (self.counted or deciding[-1:]))


TABLE = (
    MeasuredGame(
        "fish",
        turns="moves",
        counted=["TakeTurn"],  # neither the placing of penguins nor what a player is only told
        settings={"rows": 6, "columns": 6, "random_fish": True},
        played=lambda state: state.revision - sum(map(len, state.places)),
        reaches={
            "rules": 300_000,
            "games": 20_000,
            "cpu": 11.0,
            "start": None,
            "class": None,
            "dial-out": 5.0,
            "one": 1_500,
            "echo": 0.65,
            "cost": 1.1,
        },
    ),
    MeasuredGame(
        "q",
        counted=["TakeTurn"],
        ready=lambda state: len(state.board.tiles) >= 100,
        reaches={"rules": 5_000, "games": 6_000},
    ),
    MeasuredGame(
        "bazaar",
        counted=["RequestPebbleOrExchanges"],  # the first of the two calls of a turn
        played=lambda state: state.turns,
        reaches={"rules": 30_000, "games": 10_000},
    ),
    MeasuredGame(
        "eriantys",
        turns="actions",
        counted=["AskAssistantCard", "AskAction"],  # each is followed by the new board, which is told to everybody
        most_seats=3,
        settings={"mode": "expert"},
        reaches={"rules": 20_000, "games": 6_000},
    ),
    MeasuredGame(
        "webset",
        turns="calls",
        counted=["PickCards"],  # one for each call that was accepted
        played=lambda state: state.call_count,
        reaches={"rules": None, "games": None},
    ),
)


def measured(game: str) -> MeasuredGame:
    """Return how this game is measured."""
    return next((each for each in TABLE if each.game == game), MeasuredGame(game))
