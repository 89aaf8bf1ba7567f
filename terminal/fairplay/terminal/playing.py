"""`fairplay game` and `fairplay tournament`: ask a server, and show what happens."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import secrets
import shlex
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import grpc
from google.protobuf import json_format
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from rich.console import Console
from rich.markup import escape

from fairplay.games.game import Game
from fairplay.player.interrupts import run
from fairplay.server.server import Config, Server
from fairplay.terminal import options
from fairplay.terminal.live import TournamentView, show_game
from fairplay.terminal.outcomes import DONE, FAILED, FailedError, UsageError
from fairplay.v1 import manager_pb2, referee_pb2
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.tournament_pb2 import (
    Knockout,
    SignUpPolicy,
    Tournament,
    TournamentFormat,
    TournamentPlan,
    TournamentStatus,
)

CANCEL_LIMIT_S = 3.0
CONNECT_LIMIT_S = 5.0
PAGE_SIZE = 1_000
UNFINISHED = (TournamentStatus.TOURNAMENT_STATUS_SIGN_UP, TournamentStatus.TOURNAMENT_STATUS_RUNNING)
PATIENCE_S = 30.0
CHANNEL_OPTIONS = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 1_000)]
RETRY_S = 0.25


Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Wish:
    """What the options of a game or a tournament say, as typed."""

    game: str
    players: list[str]
    server: str | None
    set_: list[str] | None
    settings: Path | None
    state: Path | None
    seed: int | None
    limit: str | None
    first_limit: str | None
    bank: str | None
    start_limit: str
    records: Path | None

    def game_plan(self, game: Game) -> referee_pb2.GamePlan:
        """The plan of one game."""
        plan = referee_pb2.GamePlan(
            game=game.name,
            settings=options.settings(game, self.set_ or [], self.settings),
            players=options.players(self.players),
            seed=self.chosen_seed(),
            time_control=options.time_control(self.limit, self.first_limit, self.bank),
        )
        if self.state is not None:
            plan.initial_state.CopyFrom(options.state(game, self.state))
        return plan

    def tournament_plan(self, game: Game, format_: TournamentFormat) -> TournamentPlan:
        """The plan of a tournament between the named players and nobody else."""
        players = options.players(self.players)
        if len(players) < game.seats.start:
            raise UsageError(f"a tournament needs at least {game.seats.start} players: give more with --player")
        return TournamentPlan(
            game=game.name,
            settings=options.settings(game, self.set_ or [], self.settings),
            format=format_,
            sign_up=SignUpPolicy(
                min_entrant_count=game.seats.start, max_entrant_count=len(players), waiting_period=Duration()
            ),
            time_control=options.time_control(self.limit, self.first_limit, self.bank),
            seed=self.chosen_seed(),
            entrants=players,
        )

    def chosen_seed(self) -> int:
        """The seed that was given, or one that is drawn."""
        return secrets.randbits(32) if self.seed is None else self.seed


@asynccontextmanager
async def channel_to(wish: Wish, *, resume: bool) -> AsyncIterator[grpc.aio.Channel]:
    """A channel to the server that was named, or to one that lives as long as the command and may `resume`."""
    if wish.server is not None:
        if wish.records is not None:
            raise UsageError("--records is for a server of its own: the server that --server names keeps its records")
        address = options.address(wish.server, "--server")
        async with grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS) as channel:
            try:
                await asyncio.wait_for(channel.channel_ready(), CONNECT_LIMIT_S)
            except TimeoutError:
                raise FailedError(f"no server answers on {wish.server}") from None
            yield channel
        return
    start_limit_s = options.seconds(wish.start_limit, "--start-limit")
    async with local_channel(
        Config(records=wish.records, allow_exec=True, start_limit_s=start_limit_s, resume=resume)
    ) as channel:
        yield channel


@asynccontextmanager
async def local_channel(config: Config) -> AsyncIterator[grpc.aio.Channel]:
    """A channel to a server that lives as long as it is wanted."""
    server = await Server.start(config)
    try:
        async with grpc.aio.insecure_channel(server.address) as channel:
            yield channel
    finally:
        await server.stop()


def play_game(wish: Wish, json: str | None) -> int:
    """Plays one game and shows it; returns the exit code."""
    check_json(json)
    game = options.game(wish.game)
    plan = wish.game_plan(game)
    return run(_play_game(wish, game, plan, json))


async def _play_game(wish: Wish, game: Game, plan: referee_pb2.GamePlan, json: str | None) -> int:
    console = Console(stderr=json == "-", highlight=False)
    async with channel_to(wish, resume=False) as channel:
        referee = RefereeServiceStub(channel)
        game_id = f"{game.name}-{secrets.token_hex(6)}"
        request = referee_pb2.PlayGameRequest(game_id=game_id, plan=plan)
        try:
            reply = await patiently(channel, lambda: referee.PlayGame(request))
        except asyncio.CancelledError:
            await _quickly(referee.StopGame(referee_pb2.StopGameRequest(game_id=game_id, reason="interrupted")))
            raise
    show_game(console, game, reply.game)
    if wish.records is not None:
        shown = escape(f"{shlex.quote(str(wish.records))} {game_id}")
        console.print(f"Look closer: fairplay records show {shown}", soft_wrap=True)
    if json is not None:
        write_json(reply.game.result, json)
    return FAILED if reply.game.result.aborted else DONE


def play_tournament(wish: Wish, format_: str, json: str | None) -> int:
    """Runs a tournament and shows it; returns the exit code."""
    check_json(json)
    if format_ != "knockout":
        raise UsageError(f"there is no format {format_!r}: the format is knockout")
    game = options.game(wish.game)
    plan = wish.tournament_plan(game, TournamentFormat(knockout=Knockout()))
    return run(_play_tournament(wish, game, plan, json))


async def _play_tournament(wish: Wish, game: Game, plan: TournamentPlan, json: str | None) -> int:
    console = Console(stderr=json == "-", highlight=False)
    async with channel_to(wish, resume=True) as channel:
        manager = ManagerServiceStub(channel)
        tournament = await _found_or_started(channel, plan, wish)
        try:
            over = await watch_tournament(channel, console, game, tournament)
        except asyncio.CancelledError:
            if wish.records is None and wish.server is None:
                await _cancel(manager, tournament.tournament_id)
            raise
    if json is not None:
        write_json(over.result, json)
    return DONE if over.status == TournamentStatus.TOURNAMENT_STATUS_FINISHED else FAILED


async def _found_or_started(channel: grpc.aio.Channel, plan: TournamentPlan, wish: Wish) -> Tournament:
    """The tournament of this command: one that was interrupted if there is one, otherwise a new one."""
    manager = ManagerServiceStub(channel)
    prefix = f"{plan.game}-{_digest(plan, wish)}-"
    known = await manager.ListTournaments(manager_pb2.ListTournamentsRequest(page_size=PAGE_SIZE))
    for known_one in known.tournaments:
        if known_one.status in UNFINISHED and known_one.tournament_id.startswith(prefix):
            return await _started(manager, known_one.tournament_id)
    return await started(channel, plan, f"{prefix}{secrets.token_hex(4)}")


async def started(channel: grpc.aio.Channel, plan: TournamentPlan, tournament_id: str) -> Tournament:
    """A new tournament that has been started."""
    manager = ManagerServiceStub(channel)
    await manager.CreateTournament(manager_pb2.CreateTournamentRequest(tournament_id=tournament_id, plan=plan))
    return await _started(manager, tournament_id)


async def _started(manager: ManagerServiceStub, tournament_id: str) -> Tournament:
    reply = await manager.StartTournament(manager_pb2.StartTournamentRequest(tournament_id=tournament_id))
    tournament: Tournament = reply.tournament
    return tournament


def _digest(plan: TournamentPlan, wish: Wish) -> str:
    """The same for the same command; a seed that was drawn does not count."""
    typed = TournamentPlan()
    typed.CopyFrom(plan)
    if wish.seed is None:
        typed.ClearField("seed")
    return hashlib.sha256(typed.SerializeToString(deterministic=True)).hexdigest()[:12]


async def _cancel(manager: ManagerServiceStub, tournament_id: str) -> None:
    """Tells the players that it is over; nothing of it is kept."""
    request = manager_pb2.CancelTournamentRequest(tournament_id=tournament_id, reason="interrupted")
    await _quickly(manager.CancelTournament(request))


async def _quickly(call: Awaitable[object]) -> None:
    """Asks a server for something, and waits a little; what it does not do it is spared when it ends."""
    with contextlib.suppress(TimeoutError, grpc.aio.AioRpcError):
        await asyncio.wait_for(asyncio.ensure_future(call), CANCEL_LIMIT_S)


async def watch_tournament(
    channel: grpc.aio.Channel, console: Console, game: Game, tournament: Tournament
) -> Tournament:
    """Shows a tournament until it is over, and returns it."""
    manager = ManagerServiceStub(channel)
    request = manager_pb2.WatchTournamentRequest(tournament_id=tournament.tournament_id)
    with TournamentView(console, game, RefereeServiceStub(channel)) as view:

        async def watch() -> None:
            async for event in manager.WatchTournament(request):
                view.take(event)

        await patiently(channel, watch)
    reply = await manager.GetTournament(manager_pb2.GetTournamentRequest(tournament_id=tournament.tournament_id))
    over: Tournament = reply.tournament
    view.summary(over)
    return over


async def patiently(channel: grpc.aio.Channel, ask: Callable[[], Awaitable[Answer]]) -> Answer:
    """What `ask` returns; asked again when the server is back: it goes on where it was. FailedError: it stays away."""
    while True:
        try:
            return await ask()
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
        await asyncio.sleep(RETRY_S)  # while it shuts down it still answers
        try:
            async with asyncio.timeout(PATIENCE_S):
                await channel.channel_ready()
        except TimeoutError:
            sentence = f"the server has been away for {PATIENCE_S:g} s: give the command again when it is back"
            raise FailedError(sentence) from None


def check_json(where: str | None) -> None:
    """FailedError, before anything is played: the result could not be written there."""
    if where is None or where == "-":
        return
    is_new = not Path(where).exists()
    try:
        with Path(where).open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise FailedError(f"cannot write {where}: {error.strerror}") from None
    if is_new:
        Path(where).unlink()


def write_json(message: Message, where: str) -> None:
    """Writes a message as protobuf-JSON to a file, or to standard output for "-"."""
    text = json_format.MessageToJson(message, preserving_proto_field_name=False) + "\n"
    if where == "-":
        sys.stdout.write(text)
    else:
        Path(where).write_text(text, encoding="utf-8")
