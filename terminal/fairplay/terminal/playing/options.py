"""What the options of a game or a tournament ask for."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from google.protobuf.duration_pb2 import Duration

from fairplay.games.game import Game
from fairplay.terminal import options
from fairplay.terminal.outcomes import UsageError
from fairplay.v1.game_pb2 import Player
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.tournament_pb2 import Knockout, SignUpPolicy, TournamentFormat, TournamentPlan

FORMATS = {"knockout": TournamentFormat(knockout=Knockout())}
ORDERS = ("dealt", "given")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a game or a tournament, as typed."""

    game: str
    players: Sequence[str]
    server: str | None
    assignments: Sequence[str]
    settings_file: Path | None
    seed: int | None
    limit: str | None
    first_limit: str | None
    bank: str | None
    start_limit: str
    records: Path | None
    state: Path | None = None
    format: str = "knockout"
    order: str = "dealt"
    plain: bool = False
    drawn_seed: int = field(default_factory=lambda: secrets.randbits(32))

    @property
    def chosen_seed(self) -> int:
        """The seed that was given, or else one that was drawn."""
        return self.drawn_seed if self.seed is None else self.seed

    def game_plan(self, game: Game) -> GamePlan:
        """Return the plan of one game. Raises UsageError if an option cannot be read."""
        plan = GamePlan(
            game=game.name,
            settings=options.parse_settings(game, self.assignments, self.settings_file, None),
            players=options.parse_players(self.players),
            seed=self.chosen_seed,
            time_control=options.parse_time_control(self.limit, self.first_limit, self.bank),
        )
        if self.state is not None:
            plan.initial_state.CopyFrom(options.read_state(game, self.state))
        return plan

    def tournament_plan(self, game: Game) -> TournamentPlan:
        """Return the plan of a tournament between the named players and nobody else, in the order of their names.

        Raises UsageError if an option cannot be read, or there are too few players.
        """
        if self.format not in FORMATS:
            raise UsageError(f"there is no format {self.format!r}: the format is {', '.join(FORMATS)}")
        if self.order not in ORDERS:
            raise UsageError(f"there is no order {self.order!r}: the order is {' or '.join(ORDERS)}")
        players = options.parse_players(self.players)
        few = game.seats.start
        if len(players) < few:
            raise UsageError(f"a tournament needs at least {few} players: give more with --player")
        base = None if self.plain else game.tournament_settings
        return TournamentPlan(
            game=game.name,
            settings=options.parse_settings(game, self.assignments, self.settings_file, base),
            format=FORMATS[self.format],
            sign_up=SignUpPolicy(min_entrant_count=few, max_entrant_count=len(players), waiting_period=Duration()),
            time_control=options.parse_time_control(self.limit, self.first_limit, self.bank),
            seed=self.chosen_seed,
            entrants=players,
        )


def dealt(players: Sequence[Player], seed: int) -> list[Player]:
    """Return the players in an order that is drawn by the seed of their tournament."""
    return Random(f"order of entrants {seed}").sample(players, len(players))
