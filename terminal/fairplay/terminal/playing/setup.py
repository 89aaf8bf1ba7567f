"""Plans of games and tournaments from the options of commands, and channels to the server that plays them."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import grpc

from fairplay.client import inputs
from fairplay.client.errors import UsageError
from fairplay.client.formats import parse_format
from fairplay.client.inputs import parse_seconds, parse_server
from fairplay.client.local import open_local_channel
from fairplay.client.plans import closed_sign_up, drawn_seed
from fairplay.games.game import Game
from fairplay.player import channels as transport
from fairplay.player.channels import Credentials
from fairplay.server.server import Config
from fairplay.terminal.commands.parameters import Cluster, Setup
from fairplay.terminal.commands.play import GameOptions, TournamentOptions
from fairplay.terminal.roster import Roster
from fairplay.terminal.workers import parse_cluster, parse_program_options
from fairplay.v1.game_pb2 import GameSettings, Player, TimeControl
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.tournament_pb2 import AgeOrder, SignUpPolicy, TournamentPlan

ORDERS = ("dealt", "given")
ENTRANTS = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")
MOST_ENTRANTS = 10_000
CHANNEL_OPTIONS = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 1_000)]


def game_plan(setup: Setup, game: Game, players: Sequence[Player], *, plain: bool) -> GamePlan:
    """Return the plan of a game. `plain`: see `settings_of`. Raises UsageError if an option cannot be read."""
    return GamePlan(
        game=game.name,
        settings=settings_of(setup, game, plain=plain),
        players=players,
        seed=drawn_seed(setup.seed),
        time_control=time_control_of(setup),
    )


def tournament_plan(options: TournamentOptions, roster: Roster | None, game: Game) -> TournamentPlan:
    """Return the plan of a tournament between the named players, in the order of their names.

    With --sign-up others may enter, too. Raises UsageError if an option cannot be read, options do not go together, or
    there are too few players.
    """
    format_ = parse_format(options.format)
    if options.order not in ORDERS:
        raise UsageError(f"there is no order {options.order!r}: the order is {' or '.join(ORDERS)}")
    if options.examine and options.order == "given" and not options.open.sign_up:
        raise UsageError("--examine lets players in as they pass: leave --order given out")
    if options.files.profile and not options.examine and options.files.certificates is None:
        raise UsageError("--profile is for players that are examined or graded: give --examine or --certificates, too")
    players = _entrants(options.player or (), roster)
    return TournamentPlan(
        game=game.name,
        settings=settings_of(options.setup, game, plain=options.plain),
        format=format_,
        sign_up=_policy(options, len(players), game),
        time_control=time_control_of(options.setup),
        seed=options.setup.seed if options.open.sign_up else drawn_seed(options.setup.seed),
        entrants=players,
        title=options.title,
        deal_count=options.deals,
        failures_allowed=options.failures_allowed,
        concurrent_game_limit=options.concurrency,
    )


def _policy(options: TournamentOptions, named_count: int, game: Game) -> SignUpPolicy:
    """Return who may enter beside the players that are named: nobody without --sign-up."""
    few, asked = game.seats.start, options.open
    if not asked.sign_up:
        if asked.entrants or asked.closes_after:
            raise UsageError("--entrants and --closes-after are for tournaments that wait for players: give --sign-up")
        if named_count < few:
            raise UsageError(f"a tournament needs at least {few} players: give more with --player or --roster")
        return closed_sign_up(game, named_count)
    if options.server is None:
        raise UsageError("--sign-up needs --server HOST:PORT, the server at which players sign up")
    count = ENTRANTS.fullmatch(asked.entrants or f"{few}-{MOST_ENTRANTS}")
    if count is None:
        raise UsageError(f"--entrants {asked.entrants!r} is no number of players: give e.g. 8, or 5-60")
    policy = SignUpPolicy(
        min_entrant_count=int(count[1]),
        max_entrant_count=int(count[2] or count[1]),
        waiting_period=inputs.parse_duration(asked.closes_after or "0s", "--closes-after"),
        period_count=1,
        name_pattern=inputs.ANY_NAME,
    )
    if options.order == "given":
        policy.age_order = AgeOrder.AGE_ORDER_SIGN_UP
    if options.examine:
        require_examination(policy, options.files.profile)
    return policy


def require_examination(policy: SignUpPolicy, profile: str) -> None:
    """Have players examined that sign up, for a profile if one is named."""
    policy.certificate.examination.SetInParent()
    policy.certificate.profile = profile


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


def time_control_of(setup: Setup) -> TimeControl:
    """Return the limits that were typed."""
    return inputs.parse_time_control(setup.limit, setup.first_limit, setup.bank)


def server_config(setup: Setup, cluster: Cluster, players: Sequence[Player], *, resume: str | None) -> Config:
    """Return the configuration of a server of our own, which resumes the tournaments whose ids begin with `resume`.

    `resume` None: none. Raises UsageError if an option cannot be read, or makes no sense with these players.
    """
    links = [player.link for player in players]
    written = setup.records.folders if setup.records is not None else ()
    return Config(
        cluster=parse_cluster(cluster, links, written),
        start_limit_s=parse_seconds(setup.start_limit or "10s", "--start-limit"),
        programs=parse_program_options(setup.programs, links),
        records=setup.records,
        allow_exec=True,
        resume=resume,
    )


@asynccontextmanager
async def open_channel(
    options: GameOptions | TournamentOptions, players: Sequence[Player], *, resume: str | None
) -> AsyncIterator[grpc.aio.Channel]:
    """Open a channel to the server of `--server`, or to one of our own for these players; see `server_config`."""
    setup, credentials = options.setup, Credentials.from_environment(os.environ, options.ca)
    cluster = options.cluster if isinstance(options, TournamentOptions) else Cluster()
    if options.server is None:
        config = server_config(setup, cluster, players, resume=resume)
        async with open_local_channel(replace(config, credentials=credentials)) as channel:
            yield channel
        return
    if cluster.jobs > 1 or cluster.cluster is not None:
        raise UsageError("--jobs and --cluster are for a server of its own: the one that --server names plays itself")
    parse_cluster(cluster, [player.link for player in players])
    if setup.records is not None:
        raise UsageError("--records is for a server of its own: the server that --server names keeps its records")
    address = parse_server(options.server, "--server")
    async with transport.open_channel(address, credentials, CHANNEL_OPTIONS) as channel:
        await transport.reach_server(channel, address, credentials)
        yield channel
