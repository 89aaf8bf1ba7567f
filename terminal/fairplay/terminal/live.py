"""What a person sees of a tournament or a game while it goes on, and at its end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Sequence
from types import TracebackType

import grpc
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.panel import Panel
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from fairplay.games.envelopes import unwrap
from fairplay.games.game import Game
from fairplay.server.plans import seconds
from fairplay.terminal.outcomes import UNPRINTABLE
from fairplay.v1.manager_pb2 import WatchTournamentResponse
from fairplay.v1.misconduct_pb2 import CallErrorReason, Misconduct
from fairplay.v1.referee_pb2 import Game as GameMessage
from fairplay.v1.referee_pb2 import WatchGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.tournament_pb2 import Round, RoundGame, Tournament, TournamentStatus

MAX_BOARDS = 4
REFRESH_PER_S = 12
RETRY_S = 0.05
MAX_REASON_CHARS = 160
MAX_OUTPUT_LINES = 6


def cause(misconduct: Misconduct) -> str:
    """Why a player was eliminated, in a few words; strangers' words among them, so that they steer no terminal."""
    return _cause(misconduct).translate(UNPRINTABLE)


def _cause(misconduct: Misconduct) -> str:
    match misconduct.WhichOneof("cause"):
        case "rule_break":
            return f"broke {misconduct.rule_break.rule_id}: {misconduct.rule_break.explanation}"
        case "overrun":
            return f"took longer than {seconds(misconduct.overrun.limit):g} s"
        case _:
            error = misconduct.call_error
            if error.reason == CallErrorReason.CALL_ERROR_REASON_STATUS:
                return f"raised an exception: {error.message}"
            return error.message


def method_name(misconduct: Misconduct) -> str:
    """The method of the last call, e.g. "TakeTurn"."""
    return misconduct.method.rpartition("/")[2]


def blame(misconduct: Misconduct) -> str:
    """Who failed in which call and why, in rich's markup."""
    why = cause(misconduct)
    why = why if len(why) <= MAX_REASON_CHARS else f"{why[:MAX_REASON_CHARS]}…"
    call = f"{method_name(misconduct)} (call {misconduct.call_number})"
    return f"[red]✗ {escape(misconduct.player)}[/] in {call}: {escape(why)}{_last_words(misconduct)}"


def _last_words(misconduct: Misconduct) -> str:
    """The end of what a player's process wrote, where it failed with an exception; one line each, in rich's markup."""
    lines = misconduct.call_error.output.translate(UNPRINTABLE).strip().splitlines()[-MAX_OUTPUT_LINES:]
    return "".join(f"\n      [dim]{escape(line)}[/]" for line in lines)


def standing(result: GameResult) -> str:
    """The ranking of a game in one line, in rich's markup."""
    if result.aborted:
        return f"[yellow]aborted: {escape(result.aborted)}[/]"
    groups = [", ".join(f"{escape(one.name)} {one.score}" for one in group.players) for group in result.ranking]
    if not groups:
        return "nobody is left"
    first, *others = groups
    if not first:
        first = "nobody"
    return "  ".join([f"[bold green]{first}[/]", *others])


class TournamentView:
    """Shows a tournament: live boards and a progress bar in a terminal, one line an event elsewhere."""

    def __init__(self, console: Console, game: Game, referee: RefereeServiceStub) -> None:
        self._console = console
        self._game = game
        self._referee = referee
        self._boards: dict[str, RenderableType] = {}
        self._watchers: dict[str, asyncio.Task[None]] = {}
        self._round_count = 0
        self._finished: set[str] = set()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:g}/{task.total:g} games"),
            TimeElapsedColumn(),
            console=console,
        )
        self._task: TaskID | None = None
        self._live: Live | None = None

    def __enter__(self) -> TournamentView:
        if self._console.is_terminal:
            self._live = Live(
                get_renderable=self._screen, console=self._console, refresh_per_second=REFRESH_PER_S, transient=True
            )
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for watcher in self._watchers.values():
            watcher.cancel()
        if self._live is not None:
            self._live.stop()

    def _screen(self) -> RenderableType:
        boards = [self._boards[game_id] for game_id in self._watchers if game_id in self._boards]
        while boards and not self._fit(boards):
            boards.pop()
        return Group(Columns(boards), self._progress) if boards else self._progress

    def _fit(self, boards: Sequence[RenderableType]) -> bool:
        """Whether these boards leave room for the progress in the terminal."""
        return len(self._console.render_lines(Columns(boards), pad=False)) < self._console.height - 1

    def take(self, event: WatchTournamentResponse) -> None:
        """Shows an event."""
        match event.WhichOneof("event"):
            case "tournament":
                self._show_tournament(event.tournament)
            case "round_started":
                self._start_round(event.round_started)
            case "game_finished":
                self._finish_game(event.game_finished.game_id, event.game_finished.result)
            case "failed":
                self._print(f"  {blame(event.failed.misconduct)}")

    def _print(self, markup: str) -> None:
        self._console.print(markup, soft_wrap=True)

    def _show_tournament(self, tournament: Tournament) -> None:
        if tournament.status == TournamentStatus.TOURNAMENT_STATUS_RUNNING and self._round_count == 0:
            names = ", ".join(escape(player.name) for player in tournament.entrants)
            self._print(f"[bold]{self._game.title}[/], knockout, {len(tournament.entrants)} players: {names}")
        for number, round_ in enumerate(tournament.rounds):
            if number >= self._round_count:
                self._start_round(round_)
            for game in round_.games:
                if game.HasField("result"):
                    self._finish_game(game.game_id, game.result)

    def _start_round(self, round_: Round) -> None:
        self._round_count += 1
        for watcher in self._watchers.values():
            watcher.cancel()
        self._watchers.clear()
        self._boards.clear()
        word = "game" if len(round_.games) == 1 else "games"
        self._print(f"[bold cyan]Round {self._round_count}[/]: {len(round_.games)} {word}")
        if self._live is None:
            return
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = self._progress.add_task(f"round {self._round_count}", total=len(round_.games))
        for game in round_.games[:MAX_BOARDS]:
            self._watchers[game.game_id] = asyncio.ensure_future(self._watch(game))

    def _finish_game(self, game_id: str, result: GameResult) -> None:
        if game_id in self._finished:
            return
        self._finished.add(game_id)
        self._print(f"  {game_id.rpartition('/')[2]}  {standing(result)}")
        for misconduct in result.misconducts:
            self._print(f"    {blame(misconduct)}")
        if self._task is not None:
            self._progress.advance(self._task)

    async def _watch(self, game: RoundGame) -> None:
        # A round is announced a moment before its games begin, and a server may be away for a while.
        while game.game_id not in self._finished:
            with contextlib.suppress(grpc.aio.AioRpcError):
                async for event in self._referee.WatchGame(WatchGameRequest(game_id=game.game_id)):
                    if event.HasField("state"):
                        self._boards[game.game_id] = board(self._game, event.state, game.players, game.game_id)
            await asyncio.sleep(RETRY_S)

    def summary(self, tournament: Tournament) -> None:
        """Shows bracket, ranking and who was eliminated in which call and why."""
        self._console.print()
        for renderable in summary(tournament):
            self._console.print(renderable)


def board(game: Game, state: object, players: Sequence[str], title: str) -> RenderableType:
    """A state as a framed picture."""
    message = unwrap(state, game, game.state_type) or game.state_type()  # type: ignore[arg-type]  # a GameState
    return Panel(Text.from_markup(game.text(message, players)), title=title.rpartition("/")[2], expand=False)


def summary(tournament: Tournament) -> Iterable[RenderableType]:
    """The end of a tournament: bracket, ranking, failures."""
    if tournament.status == TournamentStatus.TOURNAMENT_STATUS_CANCELLED:
        yield f"[yellow]The tournament was cancelled: {escape(tournament.reason)}[/]"
        return
    yield _bracket(tournament)
    yield _ranking(tournament)
    if tournament.result.failures:
        yield _failures(tournament)


def _bracket(tournament: Tournament) -> Table:
    table = Table(title="Bracket", title_justify="left", show_lines=False)
    for column in ("Round", "Game", "Players", "Result"):
        table.add_column(column)
    for number, round_ in enumerate(tournament.rounds, start=1):
        for index, game in enumerate(round_.games):
            players = ", ".join(escape(name) for name in game.players)
            table.add_row(str(number) if index == 0 else "", str(index + 1), players, standing(game.result))
        table.add_section()
    return table


def _ranking(tournament: Tournament) -> Table:
    result = tournament.result
    table = Table(title="Ranking", title_justify="left", show_header=False)
    table.add_column(no_wrap=True, min_width=len("winner"))
    table.add_column(no_wrap=True, min_width=max(len(player.name) for player in tournament.entrants))
    table.add_column()
    links = {each.name: Text(each.link, no_wrap=True, overflow="ellipsis") for each in tournament.entrants}
    for name in result.winners:
        table.add_row("[bold green]winner[/]", f"[bold]{escape(name)}[/]", links.get(name))
    for name in result.others:
        table.add_row("", escape(name), links.get(name))
    for failure in result.failures:
        name = failure.misconduct.player
        table.add_row("[red]out[/]", escape(name), links.get(name))
    return table


def _failures(tournament: Tournament) -> Table:
    table = Table(title="Eliminated", title_justify="left", show_lines=True)
    for column in ("Player", "Where", "In which call", "Why"):
        table.add_column(column, overflow="fold")
    for failure in tournament.result.failures:
        misconduct = failure.misconduct
        where = failure.game_id.rpartition("/")[2] or "tournament"
        call = f"{method_name(misconduct)}, call {misconduct.call_number}"
        table.add_row(escape(misconduct.player), escape(where), call, escape(cause(misconduct)))
    return table


def show_game(console: Console, game: Game, message: GameMessage, state: object | None = None) -> None:
    """The end of one game: the last state, the ranking, and who was eliminated."""
    if state is not None:
        console.print(board(game, state, [player.name for player in message.plan.players], message.game_id))
    console.print(f"[bold]{game.title}[/], seed {message.plan.seed}: {standing(message.result)}", soft_wrap=True)
    for misconduct in message.result.misconducts:
        console.print(f"  {blame(misconduct)}", soft_wrap=True)
