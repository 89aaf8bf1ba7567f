"""Sign-up: players that enter a tournament by themselves or are examined, and whoever waits for them."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import grpc
from rich.console import Console
from rich.markup import escape

from fairplay.client.errors import FailedError, UsageError
from fairplay.client.inputs import parse_players, parse_seconds, parse_server
from fairplay.client.local import get_tournament, patiently
from fairplay.client.signup import is_player_name, sign_up_if_here
from fairplay.client.wording import counted, plain
from fairplay.player.channels import Credentials, open_channel, reach_server
from fairplay.player.interrupts import run
from fairplay.server.links.spec import target_of
from fairplay.terminal.commands.play import SignUpOptions
from fairplay.terminal.playing.setup import CHANNEL_OPTIONS
from fairplay.terminal.printing import make_console
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import (
    CancelTournamentRequest,
    SignUpRequest,
    SignUpResponse,
    StartTournamentRequest,
    WatchTournamentRequest,
    WatchTournamentResponse,
    WithdrawRequest,
)
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.tournament_pb2 import Examination, ExaminationStatus, Tournament, TournamentStatus

EXAMINING = ExaminationStatus.EXAMINATION_STATUS_EXAMINING
REFUSED = ExaminationStatus.EXAMINATION_STATUS_REFUSED
SIGN_UP = TournamentStatus.TOURNAMENT_STATUS_SIGN_UP
ASK_AGAIN_S = 0.5
"""How often a player is signed up that has not dialled in yet."""
REACH_LIMIT_S = 2.0
CANCEL = "cancel"
REASON = "the organiser cancelled it"


class SignUpView:
    """Shows in lines who has entered, was refused or has left, each once.

    `entered` says in markup that somebody has entered. `examined` are those who are being examined, and `refused` why
    others were refused.
    """

    def __init__(self, console: Console, entered: str) -> None:
        self._console = console
        self._entered = entered
        self._shown: set[str] = set()
        self.examined: set[str] = set()
        self.refused: dict[str, str] = {}
        self.open = True
        """Whether the sign-up is open."""

    def take(self, event: WatchTournamentResponse) -> None:
        """Show an event of the tournament."""
        match event.WhichOneof("event"):
            case "tournament":
                self._take_tournament(event.tournament)
            case "examination":
                self._take_examination(event.examination)
            case "signed_up":
                self._show(event.signed_up.name, self._entered)
            case "withdrawn":
                self._show(event.withdrawn, "has left")
                self._shown.discard(event.withdrawn)
            case "started" | "cancelled":
                self.examined.clear()
                self.open = False

    def _take_tournament(self, tournament: Tournament) -> None:
        self.open = tournament.status == SIGN_UP
        self.examined = {each.player.name for each in tournament.examinations if each.status == EXAMINING}
        for player in tournament.entrants:
            self._show(player.name, self._entered)
        for examination in tournament.examinations:
            self._take_examination(examination)

    def _take_examination(self, examination: Examination) -> None:
        name = examination.player.name
        if examination.status == REFUSED:
            self.refused[name] = ": ".join(filter(None, [examination.case_id, plain(examination.reason)]))
            self._show(name, f"[red]refused[/]: {escape(self.refused[name])}")
        else:
            self.examined.add(name)
            self._shown.discard(name)

    def _show(self, name: str, markup: str) -> None:
        self.examined.discard(name)
        if name not in self._shown:
            self._shown.add(name)
            self._console.print(f"  {escape(name)} {markup}", soft_wrap=True)


async def _watch(channel: grpc.aio.Channel, tournament_id: str, view: SignUpView, goes_on: Callable[[], bool]) -> None:
    """Show what happens in a sign-up for as long as a condition holds, through new starts of the server."""

    async def watch() -> None:
        events = ManagerServiceStub(channel).WatchTournament(WatchTournamentRequest(tournament_id=tournament_id))
        try:
            async for event in events:
                view.take(event)
                if not goes_on():
                    return
        finally:
            events.cancel()

    await patiently(channel, watch)


async def examine(channel: grpc.aio.Channel, console: Console, tournament_id: str, players: Sequence[Player]) -> None:
    """Sign players up, and show what becomes of them, until nobody is being examined any more.

    With the last player that passes the tournament may start by itself.
    """
    view = SignUpView(console, "[green]passed[/]")
    for player in players:
        request = SignUpRequest(tournament_id=tournament_id, player=player)
        await patiently(channel, partial(ManagerServiceStub(channel).SignUp, request))
    console.print(f"Examining {counted(len(players), 'player')}")
    await _watch(channel, tournament_id, view, lambda: bool(view.examined))


# --- for who has made a tournament ---


async def wait_for_start(channel: grpc.aio.Channel, console: Console, tournament_id: str, server: str) -> None:
    """Show who signs up until the tournament starts or is over; in a terminal, Enter starts it and a word cancels it.

    `server` is its address, for the command that others give.
    """
    policy = (await get_tournament(channel, tournament_id)).plan.sign_up
    console.print(
        f"Sign-up for {escape(tournament_id)} is open; {policy.min_entrant_count} are needed, and "
        f"{policy.max_entrant_count} are the most. Players enter with",
        f"  fairplay signup {escape(tournament_id)} dial-in:NAME --server {escape(server)}",
        sep="\n",
        soft_wrap=True,
    )
    view = SignUpView(console, "is in")
    async with _commands(partial(_obey, channel, console, tournament_id)) as listening:
        if listening:
            console.print(f"Enter starts it, '{CANCEL}' and Enter cancels it, Ctrl-C leaves it open on the server.")
        await _watch(channel, tournament_id, view, lambda: view.open)


@asynccontextmanager
async def _commands(obey: Callable[[str], Coroutine[None, None, None]]) -> AsyncIterator[bool]:
    """Have each line obeyed that is typed meanwhile; yields whether there is a terminal."""
    loop, here = asyncio.get_running_loop(), sys.stdin is not None and sys.stdin.isatty()
    tasks: set[asyncio.Task[None]] = set()

    def read() -> None:
        line = sys.stdin.readline()
        if not line:  # the end of the input
            loop.remove_reader(sys.stdin)
            return
        tasks.add(asyncio.create_task(obey(line.strip())))

    if here:
        loop.add_reader(sys.stdin, read)
    try:
        yield here
    finally:
        if here:
            loop.remove_reader(sys.stdin)
        await asyncio.gather(*tasks)


async def _obey(channel: grpc.aio.Channel, console: Console, tournament_id: str, line: str) -> None:
    """Start a tournament or cancel it, and say why where that cannot be done."""
    manager = ManagerServiceStub(channel)
    try:
        if line == CANCEL:
            await manager.CancelTournament(CancelTournamentRequest(tournament_id=tournament_id, reason=REASON))
        elif line:
            console.print(f"Press Enter alone to start it, or type {CANCEL}.")
        else:
            await manager.StartTournament(StartTournamentRequest(tournament_id=tournament_id))
    except grpc.aio.AioRpcError as error:
        console.print(f"It cannot be done now: {escape(plain(error.details() or error.code().name))}", soft_wrap=True)


# --- for who enters ---


def sign_up(options: SignUpOptions) -> None:
    """Sign a player up, or take it out again. Raises FailedError if it may not enter."""
    run(_leave(options) if options.withdraw else _enter(options))


@asynccontextmanager
async def _reached(options: SignUpOptions) -> AsyncIterator[grpc.aio.Channel]:
    address = parse_server(options.server, "--server")
    credentials = Credentials.from_environment(os.environ, options.ca)
    async with open_channel(address, credentials, CHANNEL_OPTIONS) as channel:
        await reach_server(channel, address, credentials)
        yield channel


async def _leave(options: SignUpOptions) -> None:
    name = options.player if is_player_name(options.player) else parse_players([options.player])[0].name
    request = WithdrawRequest(tournament_id=options.tournament, name=name, token=options.token)
    async with _reached(options) as channel:
        reply = await patiently(channel, partial(ManagerServiceStub(channel).Withdraw, request))
    make_console().print(f"{name} is not in {options.tournament} any more; {reply.entrant_count} are", highlight=False)


async def _enter(options: SignUpOptions) -> None:
    player, console = parse_players([options.player])[0], make_console()
    request = SignUpRequest(tournament_id=options.tournament, player=player, token=options.token)
    if options.certificate is not None:
        request.certificate = _read(options.certificate)
    patience_s = parse_seconds(options.patience, "--patience")
    async with _reached(options) as channel:
        reply = await _signed_up(channel, request, patience_s, console)
        if reply.HasField("examination"):
            view = SignUpView(Console(quiet=True), "")
            console.print(f"{player.name} is being examined; Ctrl-C leaves it to the server", highlight=False)
            await _watch(channel, options.tournament, view, lambda: player.name in view.examined)
            if player.name in view.refused:
                raise FailedError(f"{player.name} was refused: {view.refused[player.name]}")
        message = await get_tournament(channel, options.tournament)
    entered, policy = len(message.entrants), message.plan.sign_up
    if player.name not in {each.name for each in message.entrants}:
        raise FailedError(f"the sign-up closed before {player.name} was in")
    waits = f"; it starts with {policy.min_entrant_count} at the least" if message.status == SIGN_UP else ", and starts"
    console.print(f"{player.name} is in {options.tournament}, which has {entered} entrants{waits}", highlight=False)
    await _warn_of_nobody(player)


async def _warn_of_nobody(player: Player) -> None:
    """Warn of a player that serves where nothing answers: the server looks for it only when its games begin."""
    target = target_of(player.link)
    if not target:
        return
    host, _, port = target.rpartition(":")
    try:
        async with asyncio.timeout(REACH_LIMIT_S):
            _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
        writer.close()
    except OSError:
        sentence = f"nothing answers on {target}, as seen from here: start {player.name} before its games begin"
        make_console(errors=True).print(f"[yellow]{escape(sentence)}[/]", highlight=False, soft_wrap=True)


async def _signed_up(
    channel: grpc.aio.Channel, request: SignUpRequest, patience_s: float, console: Console
) -> SignUpResponse:
    """Return the answer to a sign-up, which waits for a while until a player that dials in has done so."""
    loop, asked = asyncio.get_running_loop(), False
    until_s = loop.time() + patience_s
    while True:
        reply = await patiently(channel, partial(sign_up_if_here, ManagerServiceStub(channel), request))
        if reply is not None:
            return reply
        name = request.player.link.partition(":")[2]
        if loop.time() >= until_s:
            raise FailedError(f"{name} has not dialled in: start it with --connect and --name, and sign it up again")
        if not asked:
            console.print(f"Waiting for {name} to dial in", highlight=False)
        asked = True
        await asyncio.sleep(ASK_AGAIN_S)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
