"""A tournament: start it or find it again, show it, and return how the command ends."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import secrets
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import grpc
from rich.console import Console
from rich.markup import escape

from fairplay.client.errors import FailedError
from fairplay.client.forecast import forecast_games
from fairplay.client.inputs import ANY_NAME, find_game
from fairplay.client.local import (
    PAGE_SIZE,
    begin,
    create,
    fetch_games,
    fetch_standings,
    get_tournament,
    patiently,
    quickly,
)
from fairplay.client.plans import dealt
from fairplay.client.wording import describe_failure
from fairplay.games.game import Game
from fairplay.player.interrupts import run
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.place import Place
from fairplay.terminal.commands.options import DONE
from fairplay.terminal.commands.play import TournamentOptions
from fairplay.terminal.playing.live import TournamentView
from fairplay.terminal.playing.setup import open_channel, require_examination, tournament_plan
from fairplay.terminal.playing.signup import examine, wait_for_start
from fairplay.terminal.playing.summary import is_league, summarize, where_late_programs_are_shown
from fairplay.terminal.printing import make_console
from fairplay.terminal.reports.build import Findings, format_title, games_to_read
from fairplay.terminal.reports.outputs import Outputs, WholeTournament, wanted_outputs, without_skipped, write_outputs
from fairplay.terminal.roster import read_roster
from fairplay.v1 import manager_pb2
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.record_pb2 import Record
from fairplay.v1.record_service_pb2 import GetRecordRequest
from fairplay.v1.record_service_pb2_grpc import RecordServiceStub
from fairplay.v1.referee_pb2 import GetGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.tournament_pb2 import (
    AgeOrder,
    ExaminationStatus,
    RoundGame,
    Tournament,
    TournamentPlan,
    TournamentStatus,
    TournamentSummary,
)

MAX_WAITING_NAMED = 3
OPEN = (TournamentStatus.TOURNAMENT_STATUS_SIGN_UP, TournamentStatus.TOURNAMENT_STATUS_RUNNING)
EXAMINING = ExaminationStatus.EXAMINATION_STATUS_EXAMINING
REFUSED = ExaminationStatus.EXAMINATION_STATUS_REFUSED


class Details(NamedTuple):
    """What the command knows of its tournament, and the server does not tell: by the names of the players."""

    links: Mapping[str, str]
    about: Mapping[str, str]
    """What each player is, for the ranking."""
    outputs: Outputs


def play_tournament(options: TournamentOptions) -> int:
    """Run a tournament, show it and return the exit code. Raises FailedError if nobody could play."""
    roster = read_roster(options.roster) if options.roster is not None else None
    if roster is not None:
        limits = roster.limits
        setup = options.setup.with_limits(limits.call, limits.first, limits.bank, limits.start)
        options = replace(options, setup=setup)
    game = find_game(options.game)
    plan = tournament_plan(options, roster, game)
    outputs = wanted_outputs(game.name, [player.name for player in plan.entrants], roster, options.files)
    outputs.prepare(has_bands=is_league(plan.format))
    return run(_play(options, game, plan, outputs))


async def _play(options: TournamentOptions, game: Game, plan: TournamentPlan, outputs: Outputs) -> int:
    console = make_console(errors=outputs.json == "-")
    began_ns = time.time_ns()
    async with open_channel(options, plan.entrants, resume=_prefix(plan, options)) as channel:
        if options.open.sign_up:
            return await _play_open(channel, console, options, game, plan, outputs)
        tournament_id = await resume_or_start(channel, console, plan, options, began_ns)
        try:
            links = {player.name: player.link for player in plan.entrants}
            return await show_tournament(channel, console, game, tournament_id, Details(links, links, outputs))
        except asyncio.CancelledError:
            if options.setup.records is not None:
                console.print("Give the same command again to go on: no game is played twice, none is lost.")
            elif options.server is None:
                await _cancel(ManagerServiceStub(channel), tournament_id)
            raise


async def _play_open(
    channel: grpc.aio.Channel,
    console: Console,
    options: TournamentOptions,
    game: Game,
    plan: TournamentPlan,
    outputs: Outputs,
) -> int:
    """Open a tournament for sign-up, or find it again, and show it from there to its end."""
    tournament_id = options.open.sign_up
    await create(channel, plan, tournament_id)
    try:
        if (await get_tournament(channel, tournament_id)).status == TournamentStatus.TOURNAMENT_STATUS_SIGN_UP:
            await wait_for_start(channel, console, tournament_id, options.server or "")
        return await show_tournament(channel, console, game, tournament_id, Details({}, {}, outputs))
    except asyncio.CancelledError:
        console.print("The tournament stays on the server: give the same command again to go on with it.")
        raise


async def resume_or_start(
    channel: grpc.aio.Channel, console: Console, plan: TournamentPlan, options: TournamentOptions, began_ns: int
) -> str:
    """Return the id of the tournament of this command: one that was interrupted if there is one, or else a new one.

    `began_ns` is when the command began, in nanoseconds since 1970: a tournament that a server of its own resumes may
    be over before anybody asks for it.
    """
    manager = ManagerServiceStub(channel)
    prefix = _prefix(plan, options)
    wanted = manager_pb2.ListTournamentsRequest(page_size=PAGE_SIZE)
    known = await patiently(channel, lambda: manager.ListTournaments(wanted))
    if options.setup.records is not None:
        _say_what_waits(console, options.setup.records, [*known.tournaments], prefix)
    for each in known.tournaments:
        ended_now = options.server is None and each.end_time.ToNanoseconds() >= began_ns
        if each.tournament_id.startswith(prefix) and (each.status in OPEN or ended_now):
            console.print(f"Goes on with {escape(each.tournament_id)}, which was begun before.", soft_wrap=True)
            if each.status == TournamentStatus.TOURNAMENT_STATUS_SIGN_UP:
                await _begin(channel, console, each.tournament_id, plan.entrants if options.examine else ())
            return str(each.tournament_id)
    if options.order == "dealt":
        entrants = dealt(plan.entrants, plan.seed)
        plan.ClearField("entrants")
        plan.entrants.extend(entrants)
    tournament_id = f"{prefix}{secrets.token_hex(4)}"
    made = with_examination(plan, options.files.profile) if options.examine else plan
    await create(channel, made, tournament_id)
    await _begin(channel, console, tournament_id, plan.entrants if options.examine else ())
    return tournament_id


def _say_what_waits(console: Console, records: Place, known: Sequence[TournamentSummary], prefix: str) -> None:
    """Say which interrupted tournaments of other commands the records hold: they are left as they are."""
    others = [each for each in known if each.status in OPEN and not each.tournament_id.startswith(prefix)]
    for each in others[:MAX_WAITING_NAMED]:
        named = f"{each.tournament_id} ({each.title})" if each.title else each.tournament_id
        drop = f"fairplay records drop {shlex.quote(str(records))} {each.tournament_id}"
        console.print(
            escape(f"{named} was interrupted, and waits for its own command. Drop it: {drop}"), soft_wrap=True
        )
    if len(others) > MAX_WAITING_NAMED:
        console.print(f"and {len(others) - MAX_WAITING_NAMED} more that wait")


async def _begin(channel: grpc.aio.Channel, console: Console, tournament_id: str, examined: Sequence[Player]) -> None:
    """Start a tournament, once those have been examined who are to be."""
    if examined:
        await examine(channel, console, tournament_id, examined)
    await begin(channel, tournament_id)


def _prefix(plan: TournamentPlan, options: TournamentOptions) -> str:
    """Return how the ids of this command's tournaments begin: the same for the same options, and for no others.

    A seed counts only if it was given, not if it was drawn.
    """
    typed = TournamentPlan()
    typed.CopyFrom(plan)
    if options.setup.seed is None:
        typed.ClearField("seed")
    words = [options.order, *(filter(None, ["examine", options.files.profile]) if options.examine else [])]
    data = typed.SerializeToString(deterministic=True) + " ".join(words).encode()
    return f"{plan.game}-{hashlib.sha256(data).hexdigest()[:12]}-"


async def _cancel(manager: ManagerServiceStub, tournament_id: str) -> None:
    """Cancel a tournament of which nothing is kept, so that its players hear of the end."""
    request = manager_pb2.CancelTournamentRequest(tournament_id=tournament_id, reason="interrupted")
    await quickly(manager.CancelTournament(request))


async def show_tournament(
    channel: grpc.aio.Channel, console: Console, game: Game, tournament_id: str, details: Details
) -> int:
    """Show a tournament until it is over, write what is wanted about it and return the exit code.

    Raises FailedError if nobody has won, or nobody has finished a game.
    """
    over = await _watch(channel, console, game, tournament_id)
    games = without_skipped(await patiently(channel, lambda: fetch_games(channel, tournament_id)))
    whole = WholeTournament(over, games, await patiently(channel, lambda: fetch_standings(channel, tournament_id)))
    console.print()
    for renderable in summarize(*whole, details.about):
        console.print(renderable)
    failed = [each.misconduct for each in over.result.failures]
    for line in where_late_programs_are_shown(game.name, failed, details.links):
        console.print(line, soft_wrap=True)
    await _write(channel, console, whole, details)
    if over.status == TournamentStatus.TOURNAMENT_STATUS_CANCELLED:
        raise FailedError(f"the tournament was cancelled: {over.reason}")
    causes = [describe_failure(each.misconduct) for each in over.result.failures[:1]]
    if not over.result.winners:
        raise FailedError(": ".join(["nobody is left", *causes]))
    if games and causes and not any(group.players for game in games for group in game.result.ranking):
        raise FailedError(": ".join(["nobody has finished a game", *causes]))
    return DONE


async def _write(channel: grpc.aio.Channel, console: Console, whole: WholeTournament, details: Details) -> None:
    """Write the files that are wanted, if any is, and print the grades if that is."""
    outputs = details.outputs
    if outputs.json is None and outputs.report is None and outputs.grades is None and not outputs.preview:
        return
    seeds = await fetch_seeds(channel, whole.games)
    findings = Findings()
    if outputs.reads_records:
        await read_records(channel, games_to_read(whole.games), findings)
    for file in write_outputs(outputs, whole, findings, details.links, seeds):
        console.print(f"Look closer: {escape(str(file))}", soft_wrap=True)


async def _watch(channel: grpc.aio.Channel, console: Console, game: Game, tournament_id: str) -> Tournament:
    """Show what happens in a tournament until it is over, and return it."""
    manager = ManagerServiceStub(channel)
    begun = await get_tournament(channel, tournament_id)
    league = is_league(begun.plan.format)
    expected = await asyncio.to_thread(forecast_games, begun.plan, len(begun.entrants)) if league else None
    referee, title = RefereeServiceStub(channel), format_title(begun.plan)
    request = manager_pb2.WatchTournamentRequest(tournament_id=tournament_id)
    with TournamentView(console, game, referee, format_title=title, league=league, expected=expected) as view:

        async def watch() -> None:
            async for event in manager.WatchTournament(request):
                view.take(event)

        await patiently(channel, watch)
    return await get_tournament(channel, tournament_id)


# --- players that are examined ---


def with_examination(plan: TournamentPlan, profile: str) -> TournamentPlan:
    """Return the plan of a tournament for which the same players sign up, and are examined, instead of being named."""
    open_plan = TournamentPlan()
    open_plan.CopyFrom(plan)
    open_plan.ClearField("entrants")
    open_plan.sign_up.age_order = AgeOrder.AGE_ORDER_SIGN_UP
    open_plan.sign_up.name_pattern = ANY_NAME
    require_examination(open_plan.sign_up, profile)
    return open_plan


# --- what the server knows ---


async def fetch_seeds(channel: grpc.aio.Channel, games: Sequence[RoundGame]) -> dict[str, int]:
    """Return the seeds of games, by the ids of those that the server still knows."""
    referee, seeds = RefereeServiceStub(channel), {}
    for game in games:
        with contextlib.suppress(grpc.aio.AioRpcError):
            reply = await referee.GetGame(GetGameRequest(game_id=game.game_id))
            seeds[game.game_id] = reply.game.plan.seed
    return seeds


async def read_records(channel: grpc.aio.Channel, game_ids: Sequence[str], findings: Findings) -> None:
    """Add the records of games to the findings; those that cannot be had or read are left out."""
    service = RecordServiceStub(channel)
    for game_id in game_ids:
        record = Record()
        with contextlib.suppress(grpc.aio.AioRpcError, RecordsError):
            async for part in service.GetRecord(GetRecordRequest(record_id=game_id)):
                record.entries.extend(part.entries)
            findings.add(record)
