"""A tournament: start it or find it again, show it, and return how the command ends."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import secrets
from collections.abc import Mapping
from typing import NamedTuple

import grpc
from rich.console import Console

from fairplay.games.game import Game
from fairplay.player.interrupts import run
from fairplay.terminal.misconducts import describe_failure
from fairplay.terminal.options import find_game
from fairplay.terminal.outcomes import DONE, FailedError
from fairplay.terminal.playing.channels import open_channel, patiently, quickly
from fairplay.terminal.playing.live import TournamentView
from fairplay.terminal.playing.options import Options, dealt
from fairplay.terminal.playing.results import tournament_json
from fairplay.terminal.playing.summary import summarize
from fairplay.terminal.printing import check_json, write_json
from fairplay.v1 import manager_pb2
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.referee_pb2 import GetGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.tournament_pb2 import Tournament, TournamentPlan, TournamentStatus

PAGE_SIZE = 1_000
OPEN = (TournamentStatus.TOURNAMENT_STATUS_SIGN_UP, TournamentStatus.TOURNAMENT_STATUS_RUNNING)


class Details(NamedTuple):
    """What the command knows of its tournament, and the server does not tell: by the names of the players."""

    links: Mapping[str, str]
    about: Mapping[str, str]
    """What each player is, for the ranking."""
    json: str | None
    """Where the result is written."""


def play_tournament(options: Options, json: str | None) -> int:
    """Run a tournament, show it and return the exit code. Raises FailedError if nobody has won."""
    check_json(json)
    game = find_game(options.game)
    plan = options.tournament_plan(game)
    return run(_play(options, game, plan, json))


async def _play(options: Options, game: Game, plan: TournamentPlan, json: str | None) -> int:
    console = Console(stderr=json == "-", highlight=False)
    async with open_channel(options, resume=True) as channel:
        tournament_id = await _resume_or_start(channel, plan, options)
        try:
            links = {player.name: player.link for player in plan.entrants}
            return await show_tournament(channel, console, game, tournament_id, Details(links, links, json))
        except asyncio.CancelledError:
            if options.records is None and options.server is None:
                await _cancel(ManagerServiceStub(channel), tournament_id)
            raise


async def _resume_or_start(channel: grpc.aio.Channel, plan: TournamentPlan, options: Options) -> str:
    """Return the id of the tournament of this command: one that was interrupted if there is one, or else a new one."""
    manager = ManagerServiceStub(channel)
    prefix = f"{plan.game}-{_digest(plan, options)}-"
    known = await manager.ListTournaments(manager_pb2.ListTournamentsRequest(page_size=PAGE_SIZE))
    for each in known.tournaments:
        if each.status in OPEN and each.tournament_id.startswith(prefix):
            await _start(manager, each.tournament_id)
            return str(each.tournament_id)
    if options.order == "dealt":
        entrants = dealt(plan.entrants, plan.seed)
        plan.ClearField("entrants")
        plan.entrants.extend(entrants)
    tournament_id = f"{prefix}{secrets.token_hex(4)}"
    await start(channel, plan, tournament_id)
    return tournament_id


def _digest(plan: TournamentPlan, options: Options) -> str:
    """Return the same text for the same command; neither a seed that was drawn counts, nor the order that it gives."""
    typed = TournamentPlan()
    typed.CopyFrom(plan)
    if options.seed is None:
        typed.ClearField("seed")
    data = typed.SerializeToString(deterministic=True) + options.order.encode()
    return hashlib.sha256(data).hexdigest()[:12]


async def start(channel: grpc.aio.Channel, plan: TournamentPlan, tournament_id: str) -> None:
    """Create a tournament and start it."""
    manager = ManagerServiceStub(channel)
    await manager.CreateTournament(manager_pb2.CreateTournamentRequest(tournament_id=tournament_id, plan=plan))
    await _start(manager, tournament_id)


async def _start(manager: ManagerServiceStub, tournament_id: str) -> None:
    await manager.StartTournament(manager_pb2.StartTournamentRequest(tournament_id=tournament_id))


async def _cancel(manager: ManagerServiceStub, tournament_id: str) -> None:
    """Cancel a tournament of which nothing is kept, so that its players hear of the end."""
    request = manager_pb2.CancelTournamentRequest(tournament_id=tournament_id, reason="interrupted")
    await quickly(manager.CancelTournament(request))


async def show_tournament(
    channel: grpc.aio.Channel, console: Console, game: Game, tournament_id: str, details: Details
) -> int:
    """Show a tournament until it is over, write its result and return the exit code.

    Raises FailedError if nobody has won.
    """
    over = await _watch(channel, console, game, tournament_id)
    console.print()
    for renderable in summarize(over, details.about):
        console.print(renderable)
    if details.json is not None:
        write_json(tournament_json(over, details.links, await _seeds(channel, over)), details.json)
    if over.status == TournamentStatus.TOURNAMENT_STATUS_CANCELLED:
        raise FailedError(f"the tournament was cancelled: {over.reason}")
    if not over.result.winners:
        raise FailedError(f"nobody is left: {describe_failure(over.result.failures[0].misconduct)}")
    return DONE


async def _watch(channel: grpc.aio.Channel, console: Console, game: Game, tournament_id: str) -> Tournament:
    """Show what happens in a tournament until it is over, and return it."""
    manager = ManagerServiceStub(channel)
    request = manager_pb2.WatchTournamentRequest(tournament_id=tournament_id)
    with TournamentView(console, game, RefereeServiceStub(channel)) as view:

        async def watch() -> None:
            async for event in manager.WatchTournament(request):
                view.take(event)

        await patiently(channel, watch)
    reply = await manager.GetTournament(manager_pb2.GetTournamentRequest(tournament_id=tournament_id))
    over: Tournament = reply.tournament
    return over


async def _seeds(channel: grpc.aio.Channel, tournament: Tournament) -> dict[str, int]:
    """Return the seeds of the games of a tournament, by the ids of those that the server still knows."""
    referee, seeds = RefereeServiceStub(channel), {}
    for game_id in (game.game_id for round_ in tournament.rounds for game in round_.games):
        with contextlib.suppress(grpc.aio.AioRpcError):
            reply = await referee.GetGame(GetGameRequest(game_id=game_id))
            seeds[game_id] = reply.game.plan.seed
    return seeds
