"""What the options of a game or a tournament ask for."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from google.protobuf.duration_pb2 import Duration

from fairplay.client import inputs
from fairplay.client.errors import UsageError
from fairplay.games.game import Game
from fairplay.player.channels import Credentials
from fairplay.server.cluster.jobs import ClusterOptions
from fairplay.server.records.place import Place
from fairplay.terminal.clusters import parse_cluster
from fairplay.terminal.playing.format_text import parse_format
from fairplay.terminal.rosters.roster import Roster
from fairplay.v1.game_pb2 import Player
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.tournament_pb2 import SignUpPolicy, TournamentPlan

ORDERS = ("dealt", "given")
MAX_SEED = 2**53
"""Seeds are below this."""


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
    sandbox: str
    program_limits: str
    program_folders: str
    records: Place | None
    ca: Path | None = None
    state: Path | None = None
    format: str = "knockout"
    order: str = "dealt"
    plain: bool = False
    roster: Roster | None = None
    title: str = ""
    deals: int = 0
    failures_allowed: int | None = None
    concurrency: int = 0
    examine: bool = False
    jobs: int = 1
    cluster: str | None = None
    when_lost: str = "wait"
    ship: bool = False
    drawn_seed: int = field(default_factory=lambda: secrets.randbelow(MAX_SEED))

    @property
    def credentials(self) -> Credentials:
        """Return the credentials with which servers and players are called."""
        return Credentials.from_environment(os.environ, self.ca)

    @property
    def chosen_seed(self) -> int:
        """Return the seed that was given, or else one that was drawn."""
        return self.drawn_seed if self.seed is None else self.seed

    def cluster_options(self, links: Iterable[str]) -> ClusterOptions | None:
        """Return the cluster that plays games between players on these links; None: this process does.

        Raises UsageError if the options make no sense.
        """
        if self.server is not None and (self.jobs > 1 or self.cluster is not None):
            raise UsageError(
                "--jobs and --cluster are for a server of its own: the one that --server names plays itself"
            )
        written = self.records.folders if self.records is not None else ()
        return parse_cluster(self.jobs, self.cluster, self.when_lost, links, ship=self.ship, written=written)

    def game_plan(self, game: Game) -> GamePlan:
        """Return the plan of one game. Raises UsageError if an option cannot be read."""
        plan = GamePlan(
            game=game.name,
            settings=inputs.parse_settings(game, self.assignments, self.settings_file, None),
            players=inputs.parse_players(self.players),
            seed=self.chosen_seed,
            time_control=inputs.parse_time_control(self.limit, self.first_limit, self.bank),
        )
        if self.state is not None:
            plan.initial_state.CopyFrom(inputs.read_state(game, self.state))
        return plan

    def tournament_plan(self, game: Game) -> TournamentPlan:
        """Return the plan of a tournament between the named players and nobody else, in the order of their names.

        Raises UsageError if an option cannot be read, or there are too few players.
        """
        format_ = parse_format(self.format)
        if self.order not in ORDERS:
            raise UsageError(f"there is no order {self.order!r}: the order is {' or '.join(ORDERS)}")
        if self.examine and self.order == "given":
            raise UsageError("--examine lets players in as they pass: leave --order given out")
        players = self.entrants()
        few = game.seats.start
        if len(players) < few:
            raise UsageError(f"a tournament needs at least {few} players: give more with --player or --roster")
        base = None if self.plain else game.tournament_settings
        return TournamentPlan(
            game=game.name,
            settings=inputs.parse_settings(game, self.assignments, self.settings_file, base),
            format=format_,
            sign_up=SignUpPolicy(min_entrant_count=few, max_entrant_count=len(players), waiting_period=Duration()),
            time_control=inputs.parse_time_control(self.limit, self.first_limit, self.bank),
            seed=self.chosen_seed,
            entrants=players,
            title=self.title,
            deal_count=self.deals,
            failures_allowed=self.failures_allowed,
            concurrent_game_limit=self.concurrency,
        )

    def links(self) -> list[str]:
        """Return how the players are reached. Raises UsageError if that cannot be read."""
        listed = [each.link for each in self.roster.entrants] if self.roster else []
        return [*listed, *(player.link for player in inputs.parse_players(self.players))]

    def entrants(self) -> list[Player]:
        """Return those of the roster, then those of `--player`. Raises UsageError if a name is there twice."""
        entrants = self.roster.entrants if self.roster else []
        listed = [Player(name=each.name, link=each.link, secret=each.secret) for each in entrants]
        named = inputs.parse_players(self.players, [player.name for player in listed])
        taken: set[str] = set()
        for player in [*listed, *named]:
            if player.name in taken:
                raise UsageError(f"two players are called {player.name}: give one of them another name")
            taken.add(player.name)
        return [*listed, *named]


def dealt(players: Sequence[Player], seed: int) -> list[Player]:
    """Return the players in an order that is drawn by the seed of their tournament."""
    return Random(f"order of entrants {seed}").sample(players, len(players))
