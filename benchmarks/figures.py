"""What is measured in which game, what each figure should reach, and what came out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from statistics import median
from typing import Any, NamedTuple

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
LANGUAGE_REACHES: Mapping[str, Mapping[str, float]] = {
    folder: {"languages-one": 3.0, "languages-many": 1.5} for folder in ("go", "rust")
}
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
        deciding = [each.name for each in methods if each.asks]
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
            "games-rules": None,
            "cpu": 11.0,
            "start": 4.0,
            "class": None,
            "class-echo": 0.6,
            "dial-out": 5.0,
            "one": 1_500,
            "echo": 0.7,
            "cost": 1.1,
        },
    ),
    MeasuredGame(
        "q",
        counted=["TakeTurn"],
        ready=lambda state: len(state.board.tiles) >= 100,
        reaches={"rules": 5_000, "games": 6_000, "games-rules": None},
    ),
    MeasuredGame(
        "bazaar",
        counted=["RequestPebbleOrExchanges"],  # the first of the two calls of a turn
        played=lambda state: state.turns,
        reaches={"rules": 30_000, "games": 10_000, "games-rules": None},
    ),
    MeasuredGame(
        "eriantys",
        turns="actions",
        counted=["AskAssistantCard", "AskAction"],  # each is followed by the new board, which is told to everybody
        most_seats=3,
        settings={"mode": "expert"},
        reaches={"rules": 20_000, "games": 6_000, "games-rules": None},
    ),
    MeasuredGame(
        "webset",
        turns="calls",
        counted=["PickCards"],  # one for each call that was accepted
        played=lambda state: state.call_count,
        reaches={"rules": None, "games": None, "games-rules": None},
    ),
)


def measured(game: str) -> MeasuredGame:
    """Return how this game is measured."""
    return next((each for each in TABLE if each.game == game), MeasuredGame(game))


class Unmeasurable(Exception):  # noqa: N818 - says what happened to a measure
    """A figure cannot be taken here; one sentence."""


class Pace(NamedTuple):
    """How often a measure is repeated, and for how long each time."""

    repeats: int
    seconds: float


FULL = Pace(repeats=5, seconds=2.0)
QUICK = Pace(repeats=2, seconds=1.0)


class Kind(NamedTuple):
    """What a figure says: `{turns}` stands for what the game calls its turns. `at_most`: less is better."""

    title: str
    unit: str
    at_most: bool = False


WAYS: Mapping[str, str] = {
    "players": "dialled in at --players",
    "listen": "dialled in at --listen",
    "players-tls": "dialled in at --players over TLS",
    "served": "serving",
    "served-tls": "serving over TLS",
    "started": "started, dialling in",
    "sandbox": "started in a sandbox, dialling in",
}
"""The ways in which players in other languages are reached."""

KINDS = {
    "rules": Kind("random playouts by the rules alone, one core", "{turns}/s"),
    "rules-whole": Kind("  whole games by one call, dealt and ranked, against these", "x"),
    "rules-games": Kind("  the same games", "games/s"),
    "games": Kind("64 games at once, players dialled in", "{turns}/s"),
    "games-rules": Kind("  random playouts by the rules alone, one core, in the same time", "{turns}", at_most=True),
    "games-calls": Kind("  all calls of these games", "calls/s"),
    "cpu": Kind("server CPU a call, 64 games, in playouts of the rules", "{turns}", at_most=True),
    "cpu-server": Kind("  the same by the clock", "us/call", at_most=True),
    "cpu-players": Kind("  CPU of all players' processes a call", "us/call", at_most=True),
    "start": Kind("server CPU for the start and the end of a game, in calls", "calls", at_most=True),
    "start-us": Kind("  the same by the clock", "us/game", at_most=True),
    "class": Kind("64 games, 16 programs with 16 streams each, against two programs", "x"),
    "class-rate": Kind("  the same games of 16 programs", "{turns}/s"),
    "class-echo": Kind("64 games of 16 programs against a bare echo of 16, call for call", "x"),
    "class-echo-rate": Kind("  the bare echo, a stream for each program", "calls/s"),
    "dial-out": Kind("64 games at once, dialled in against dialled", "x"),
    "dial-out-rate": Kind("  the same games, players dialled", "{turns}/s"),
    "one": Kind("one game, players dialled in", "{turns}/s"),
    "one-calls": Kind("  all calls of this game", "calls/s"),
    "languages-one": Kind("one game, players in this language, against the kit's", "x"),
    **{f"languages-one-{way}": Kind(f"  {title}", "calls/s") for way, title in WAYS.items()},
    "languages-many": Kind("64 games, players in this language, against the kit's", "x"),
    **{f"languages-many-{way}": Kind(f"  {title}", "calls/s") for way, title in WAYS.items()},
    "languages-echo": Kind("  a bare echo of the calls of one game", "calls/s"),
    "echo": Kind("one game against a bare echo, call for call", "x"),
    "echo-rate": Kind("  the bare echo of the same bytes", "calls/s"),
    "cost": Kind("server CPU a turn, 1,000 games against 64", "x", at_most=True),
    "cost-64": Kind("  with 64 games at once", "us/turn", at_most=True),
    "cost-256": Kind("  with 256 games at once", "us/turn", at_most=True),
    "cost-1000": Kind("  with 1,000 games at once", "us/turn", at_most=True),
    "idle": Kind("server memory, 1,000 players dialled in and idle", "MB", at_most=True),
    "idle-ratio": Kind("  against a bare server of grpc.aio with as many streams", "x", at_most=True),
    "idle-none": Kind("  before they came", "MB", at_most=True),
    "idle-shared": Kind("  streams over 4 connections instead of 1,000", "MB", at_most=True),
    "idle-tls": Kind("  over TLS", "MB", at_most=True),
    "idle-most": Kind("server memory, 10,000 players dialled in and idle", "MB", at_most=True),
    "lobby": Kind("an event of the lobby to its readers, 1,000 users, 200 tables", "ms", at_most=True),
    "lobby-rate": Kind("  events read by all users together", "events/s"),
    "lobby-95": Kind("the same: 95 of 100 readers have it no later", "ms", at_most=True),
    "lobby-ratio": Kind("the same against a bare stream's fan-out of these events", "x", at_most=True),
    "lobby-bare": Kind("  the bare fan-out", "ms", at_most=True),
    "watch": Kind("64 games while 500 watch another one in browsers, against alone", "x"),
    "watch-delay": Kind("from a move to its picture in 500 browsers", "ms", at_most=True),
    "watch-cpu": Kind("  CPU of the pages for these pictures", "ms/move", at_most=True),
    "opening": Kind("the page of a lobby with 200 tables opens in a browser", "s", at_most=True),
    "opening-empty": Kind("  that of an empty lobby", "s", at_most=True),
    "opening-ratio": Kind("  the one in terms of the other", "x", at_most=True),
    "league": Kind("standings of 200 entrants, of the time of 20,000 games", "%", at_most=True),
    "league-games": Kind("  games of bots, one process", "games/s"),
    "league-standings": Kind("  all standings of the league", "s", at_most=True),
    "postgresql": Kind("games of bots, records in PostgreSQL against a directory", "x"),
    "postgresql-rate": Kind("  the same games, records in PostgreSQL", "games/s"),
    "cluster": Kind("games of searching bots, two processes against one", "x"),
    "cluster-rate": Kind("  the same games, two processes", "games/s"),
    "servers": Kind("two servers with 32 games each against one with 64, all calls", "x"),
    "servers-rate": Kind("  the calls of both", "calls/s"),
    "servers-cpu": Kind("  server CPU a call, two against one", "x", at_most=True),
    "relay": Kind("CPU of servers a bare round trip, relayed by a second one against not", "x", at_most=True),
    "relay-cpu": Kind("  what relaying adds", "us/call", at_most=True),
    "relay-rate": Kind("  round trips, relayed against not", "x"),
    "worker": Kind("games of one worker, bots that answer at once, a second of CPU", "games/s"),
    "worker-best": Kind("  the same, the best bots of the game", "games/s"),
    "scale": Kind("command's CPU a game, workers that take no time: ten times the games", "x", at_most=True),
    "scale-cpu": Kind("  the same by the clock", "us/game", at_most=True),
    "scale-postgresql": Kind("  the same, records in PostgreSQL", "us/game", at_most=True),
    "scale-disk": Kind("  the records of these games in a directory", "bytes/game", at_most=True),
    "scale-open": Kind("  CPU for opening them", "ms", at_most=True),
    "help": Kind("fairplay --help", "s", at_most=True),
    "help-empty": Kind("  against an empty program of the same Python", "x", at_most=True),
}
"""Every figure by its name. Those that are indented back the one above them and have nothing to reach."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: the median of its repetitions, with the lowest and the highest. `game` is empty where none is played.

    `reach` None: nothing is asked of it.
    """

    name: str
    game: str
    value: float
    low: float
    high: float
    unit: str
    reach: float | None = None

    @property
    def ok(self) -> bool:
        """Return whether no reach is missed."""
        if self.reach is None:
            return True
        return self.value <= self.reach if KINDS[self.name].at_most else self.value >= self.reach


def figure(
    name: str, values: Sequence[float], reach: float | None = None, *, game: str = "", turns: str = "turns"
) -> Figure:
    """Return the figure of this name from its repetitions."""
    unit = KINDS[name].unit.format(turns=turns)
    return Figure(name, game, median(values), min(values), max(values), unit, reach)
