"""Play, compare and certify from Python, as the commands of the same names do.

    from fairplay import api
    over = api.play("fish", {"me": MyPlayer(), "greedy": "bot:greedy"}, seed=1)

A player is a link (`bot:`, `exec:`, `grpc://`), or an object with a method for each call of its game, which is called
over gRPC, in threads unless its methods are `async def`. All functions wait for the end, also where an event loop
runs, as in a notebook. What makes no sense raises ValueError, and what could not be done FailedError, with the
sentence that the command prints. Ctrl-C ends games, servers and programs, and goes on as KeyboardInterrupt.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message

from fairplay.client.comparison import Comparison, check_players, play_deals
from fairplay.client.errors import USAGE_REASONS, FailedError, UsageError
from fairplay.client.formats import parse_format
from fairplay.client.inputs import parse_players, parse_time_control
from fairplay.client.local import (
    fetch_games,
    fetch_standings,
    get_tournament,
    open_local_channel,
    start,
)
from fairplay.client.plans import closed_sign_up, dealt, drawn_seed
from fairplay.client.results import PlayedGame, Seat, played_game
from fairplay.client.wording import describe_cause
from fairplay.conformance.player.loop import LoopThread
from fairplay.conformance.run.engine import run_plan
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.plan import make_plan
from fairplay.conformance.run.report import Report
from fairplay.games.envelopes import wrap
from fairplay.games.game import find
from fairplay.games.research import read_settings
from fairplay.player.handlers import Handlers, describe
from fairplay.player.serving import start_server
from fairplay.server.game.plans import MAX_SEED
from fairplay.server.links.program import read_program_options
from fairplay.server.net.errors import Refusal, reason_of
from fairplay.server.server import Config
from fairplay.standings.sprt import Answer, Bounds
from fairplay.v1.game_pb2 import GameSettings, Player
from fairplay.v1.manager_pb2 import WatchTournamentRequest
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.referee_pb2 import GamePlan, PlayGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.tournament_pb2 import RoundGame, TournamentPlan, TournamentStatus

Result = TypeVar("Result")
Players = Mapping[str, object]
"""By name: a link, e.g. "bot:greedy" or "exec:./my-player", or a player object."""
Settings = Message | Mapping[str, Any] | None
"""Those of the game, as its message or in the words of protobuf-JSON, e.g. {"rows": 6}; None: the usual ones."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Who failed, and why, in one sentence."""

    player: str
    sentence: str


@dataclass(frozen=True, slots=True)
class GameOver:
    """A game that is over: who sat where, best place 1, None for who failed."""

    seed: int
    seats: Sequence[Seat]
    failures: Sequence[Failure]

    @property
    def winners(self) -> list[str]:
        """Return the names of those at place 1; none if all have failed."""
        return [seat.name for seat in self.seats if seat.place == 1]


@dataclass(frozen=True, slots=True)
class Entrant:
    """Where an entrant of a tournament stands; place 1 is best."""

    name: str
    place: int
    points: float
    game_count: int
    failure_count: int


@dataclass(frozen=True, slots=True)
class TournamentOver:
    """A tournament that is over."""

    seed: int
    winners: Sequence[str]
    standings: Sequence[Entrant]
    games: Sequence[PlayedGame]
    failures: Sequence[Failure]


@dataclass(frozen=True, slots=True)
class Compared:
    """What a comparison says of the first player against the second. `elo_low` to `elo_high` is a 95 % interval."""

    answer: Answer
    seed: int
    game_count: int
    wins: int
    ties: int
    losses: int
    elo: float
    elo_low: float
    elo_high: float
    failures: Sequence[Failure]
    """The first failure of each player."""


def play(
    game: str, players: Players, *, seed: int | None = None, settings: Settings = None, limit: str | None = None
) -> GameOver:
    """Play one game between players who sit in this order, and return how it ended.

    `seed` None: drawn. `limit` is the time for a call, e.g. "500ms"; None: the game's.

    Raises ValueError if that makes no sense, FailedError if the game was aborted.
    """
    return _wait(_play(_game_plan(game, players, seed, settings, limit, plain=True), players))


def tournament(
    game: str,
    players: Players,
    *,
    format: str = "knockout",  # noqa: A002 - as the option is called
    deals: int = 0,
    seed: int | None = None,
    settings: Settings = None,
    limit: str | None = None,
) -> TournamentOver:
    """Run a tournament, by default under the settings of tournaments, and return how it ended.

    `format` is typed as for the command, e.g. "swiss rounds=7". The entrants are dealt an order by the seed.

    Raises ValueError if that makes no sense, FailedError if it was cancelled.
    """
    shared = _game_plan(game, players, seed, settings, limit, plain=False)
    with _sentences():
        plan = TournamentPlan(
            game=shared.game,
            settings=shared.settings,
            format=parse_format(format),
            sign_up=closed_sign_up(find(game), len(players)),
            time_control=shared.time_control,
            seed=shared.seed,
            entrants=dealt(shared.players, shared.seed),
            deal_count=deals,
        )
    return _wait(_tournament(plan, players))


def compare(
    game: str,
    players: Players,
    *,
    elo0: float = 0.0,
    elo1: float = 50.0,
    error: float = 0.05,
    games: int = 2_000,
    seed: int | None = None,
    settings: Settings = None,
    limit: str | None = None,
) -> Compared:
    """Find out whether the first player is better than the second, with as few games as that takes.

    Further players play in every game. `elo0`, `elo1`, `error` and `games` are those of the command.

    Raises ValueError if that makes no sense, FailedError if games cannot be played.
    """
    plan = _game_plan(game, players, seed, settings, limit, plain=False)
    with _sentences():
        check_players(find(game), plan.players)
        comparison = Comparison(list(players), Bounds(elo0, elo1, error), games)
    _wait(_compare(plan, players, comparison))
    if comparison.aborted:
        raise FailedError(f"games cannot be played: {comparison.aborted}")
    low, high = comparison.test.interval()
    return Compared(
        comparison.answer,
        plan.seed,
        comparison.game_count,
        comparison.results[1.0],
        comparison.results[0.5],
        comparison.results[0.0],
        comparison.test.elo,
        low,
        high,
        [Failure(each.player, describe_cause(each)) for each in comparison.failures],
    )


def certify(game: str, player: str | Callable[[], object], **options: Any) -> Report:
    """Certify a player, and return the report: `exit_code` 0 if every MUST is met, `failed()`, `verdict(case_id)`.

    `player` is a link, or what makes a new player object each time it is called, such as its class. `options` are the
    fields of `fairplay.conformance.run.options.Options`, e.g. level="must" or only="rules".

    Raises ValueError if that makes no sense.
    """
    if not isinstance(player, str) and not callable(player):
        raise ValueError(f"certify begins players anew: give the class {type(player).__name__}, not an object of it")
    if unknown := options.keys() - {field.name for field in fields(Options)}:
        raise ValueError(f"certify has no option {min(unknown)!r}: see fairplay.conformance.run.options.Options")
    return run_plan(make_plan(Options(game, player, **options)))


# --- plans ---


def _game_plan(
    name: str, players: Players, seed: int | None, settings: Settings, limit: str | None, *, plain: bool
) -> GamePlan:
    with _sentences():
        game = find(name)
        chosen = game.tournament_settings if settings is None and not plain else read_settings(game, settings)
        if seed is not None and not 0 <= seed < MAX_SEED:
            raise ValueError(f"seed is {seed}: it must be from 0 to {MAX_SEED - 1}")
        return GamePlan(
            game=game.name,
            settings=wrap(GameSettings, game, chosen),
            players=[_player(each, player) for each, player in players.items()],
            seed=drawn_seed(seed),
            time_control=parse_time_control(limit, None, None),
        )


def _player(name: str, player: object) -> Player:
    """Return a player that is a link; an object has one only while it is served."""
    if not isinstance(player, str):
        describe(player)  # raises TypeError if it is no player
        return Player(name=name)
    return parse_players([f"{name}={player}"])[0]


# --- playing ---


async def _play(plan: GamePlan, players: Players) -> GameOver:
    async with _served(plan.players, players), open_local_channel(_config(plan.players)) as channel:
        request = PlayGameRequest(game_id=f"{plan.game}-{secrets.token_hex(6)}", plan=plan)
        result = (await RefereeServiceStub(channel).PlayGame(request)).game.result
    if result.aborted:
        raise FailedError(result.aborted)
    seats = played_game(RoundGame(players=[each.name for each in plan.players], result=result)).seats
    return GameOver(plan.seed, seats, [Failure(each.player, describe_cause(each)) for each in result.misconducts])


async def _tournament(plan: TournamentPlan, players: Players) -> TournamentOver:
    async with _served(plan.entrants, players), open_local_channel(_config(plan.entrants)) as channel:
        tournament_id = f"{plan.game}-{secrets.token_hex(6)}"
        await start(channel, plan, tournament_id)
        async for _ in ManagerServiceStub(channel).WatchTournament(WatchTournamentRequest(tournament_id=tournament_id)):
            pass  # the stream ends with the tournament
        over = await get_tournament(channel, tournament_id)
        games = await fetch_games(channel, tournament_id)
        standings = (await fetch_standings(channel, tournament_id)).standings
    if over.status == TournamentStatus.TOURNAMENT_STATUS_CANCELLED:
        raise FailedError(f"the tournament was cancelled: {over.reason}")
    return TournamentOver(
        plan.seed,
        list(over.result.winners),
        [Entrant(each.name, each.place, each.points, each.game_count, each.failure_count) for each in standings],
        [played_game(each) for each in games],
        [Failure(each.misconduct.player, describe_cause(each.misconduct)) for each in over.result.failures],
    )


async def _compare(plan: GamePlan, players: Players, comparison: Comparison) -> None:
    async with _served(plan.players, players):
        await play_deals(_config(plan.players), plan, comparison, lambda: None)


def _config(players: Iterable[Player]) -> Config:
    started = any(player.link.startswith("exec:") for player in players)
    programs, _ = read_program_options("auto" if started else "off", "", "", os.environ)
    return Config(allow_exec=True, programs=programs)


@asynccontextmanager
async def _served(entrants: Iterable[Player], players: Players) -> AsyncIterator[None]:
    """Serve the player objects, each at an address of this machine that becomes its link."""
    async with AsyncExitStack() as stack:
        for entrant in entrants:
            if not isinstance(player := players[entrant.name], str):
                secret = secrets.token_urlsafe(16)
                server, port = await start_server(Handlers(player), "127.0.0.1:0", secret=secret)
                stack.push_async_callback(server.stop, 0)
                entrant.link, entrant.secret = f"grpc://127.0.0.1:{port}", secret
        yield


def _wait(work: Coroutine[Any, Any, Result]) -> Result:
    """Return what some work returns, which a loop of its own does in a thread: the caller's loop may be running."""
    loop = LoopThread()
    try:
        with _sentences():
            return loop.run(work)
    finally:
        loop.close()


@contextmanager
def _sentences() -> Iterator[None]:
    """Turn what a command says of its options, or a server of its requests, into ValueError or FailedError."""
    try:
        yield
    except (UsageError, TypeError) as error:
        raise ValueError(str(error)) from None
    except Refusal as refusal:
        raise _refused(refusal.reason, refusal.message) from None
    except grpc.RpcError as error:
        raise _refused(reason_of(error), error.details() or error.code().name) from None


def _refused(reason: str, sentence: str) -> Exception:
    return ValueError(sentence) if reason in USAGE_REASONS else FailedError(sentence)
