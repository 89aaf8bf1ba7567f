"""Plans of games and tournaments, from the options of commands."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from random import Random

from google.protobuf.duration_pb2 import Duration

from fairplay.client import inputs
from fairplay.client.errors import UsageError
from fairplay.games.game import Game
from fairplay.terminal.commands.game import GameOptions
from fairplay.terminal.commands.parameters import MAX_SEED, Setup
from fairplay.terminal.commands.tournament import TournamentOptions
from fairplay.terminal.playing.format_text import parse_format
from fairplay.terminal.rosters.roster import Roster
from fairplay.v1.game_pb2 import GameSettings, Player, TimeControl
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.tournament_pb2 import SignUpPolicy, TournamentPlan

ORDERS = ("dealt", "given")


def game_plan(options: GameOptions, game: Game) -> GamePlan:
    """Return the plan of one game. Raises UsageError if an option cannot be read."""
    plan = GamePlan(
        game=game.name,
        settings=settings_of(options.setup, game, plain=True),
        players=inputs.parse_players(options.player),
        seed=seed_of(options.setup),
        time_control=time_control_of(options.setup),
    )
    if options.state is not None:
        plan.initial_state.CopyFrom(inputs.read_state(game, options.state))
    return plan


def tournament_plan(options: TournamentOptions, roster: Roster | None, game: Game) -> TournamentPlan:
    """Return the plan of a tournament between the named players and nobody else, in the order of their names.

    Raises UsageError if an option cannot be read, or there are too few players.
    """
    format_ = parse_format(options.format)
    if options.order not in ORDERS:
        raise UsageError(f"there is no order {options.order!r}: the order is {' or '.join(ORDERS)}")
    if options.examine and options.order == "given":
        raise UsageError("--examine lets players in as they pass: leave --order given out")
    players = _entrants(options.player or (), roster)
    few = game.seats.start
    if len(players) < few:
        raise UsageError(f"a tournament needs at least {few} players: give more with --player or --roster")
    return TournamentPlan(
        game=game.name,
        settings=settings_of(options.setup, game, plain=options.plain),
        format=format_,
        sign_up=SignUpPolicy(min_entrant_count=few, max_entrant_count=len(players), waiting_period=Duration()),
        time_control=time_control_of(options.setup),
        seed=seed_of(options.setup),
        entrants=players,
        title=options.title,
        deal_count=options.deals,
        failures_allowed=options.failures_allowed,
        concurrent_game_limit=options.concurrency,
    )


def _entrants(specs: Sequence[str], roster: Roster | None) -> list[Player]:
    """Return those of the roster, then those of `--player`. Raises UsageError if a name is there twice."""
    entrants = roster.entrants if roster is not None else []
    listed = [Player(name=each.name, link=each.link, secret=each.secret) for each in entrants]
    named = inputs.parse_players(specs, [player.name for player in listed])
    taken: set[str] = set()
    for player in [*listed, *named]:
        if player.name in taken:
            raise UsageError(f"two players are called {player.name}: give one of them another name")
        taken.add(player.name)
    return [*listed, *named]


def settings_of(setup: Setup, game: Game, *, plain: bool) -> GameSettings:
    """Return the settings that were typed, on top of those of tournaments; `plain`: of the defaults of the rules."""
    base = None if plain else game.tournament_settings
    return inputs.parse_settings(game, setup.set_ or (), setup.settings, base)


def seed_of(setup: Setup) -> int:
    """Return the seed that was typed, or else one that is drawn."""
    return secrets.randbelow(MAX_SEED) if setup.seed is None else setup.seed


def time_control_of(setup: Setup) -> TimeControl:
    """Return the limits that were typed."""
    return inputs.parse_time_control(setup.limit, setup.first_limit, setup.bank)


def dealt(players: Sequence[Player], seed: int) -> list[Player]:
    """Return the players in an order that is drawn by the seed of their tournament."""
    return Random(f"order of entrants {seed}").sample(players, len(players))
