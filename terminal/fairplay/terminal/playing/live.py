"""What a person sees of a tournament while it goes on."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from types import TracebackType

import grpc
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from fairplay.games.envelopes import unwrap
from fairplay.games.game import Game
from fairplay.terminal.boards import draw_board
from fairplay.terminal.misconducts import draw_failure, draw_standing
from fairplay.v1.game_pb2 import GameState, Player
from fairplay.v1.manager_pb2 import WatchTournamentResponse
from fairplay.v1.referee_pb2 import WatchGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.tournament_pb2 import Round, RoundGame, Tournament, TournamentStatus

MAX_BOARDS = 4
REFRESH_PER_S = 12
RETRY_S = 0.05


class TournamentView:
    """Shows a tournament: live boards and a progress bar in a terminal, one line for each event elsewhere."""

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
        """Return whether these boards leave room for the progress bar in the terminal."""
        return len(self._console.render_lines(Columns(boards), pad=False)) < self._console.height - 1

    def take(self, event: WatchTournamentResponse) -> None:
        """Show an event."""
        match event.WhichOneof("event"):
            case "tournament":
                self._show_tournament(event.tournament)
            case "started":
                self._show_entrants(event.started.entrants)
            case "round_started":
                self._start_round(event.round_started)
            case "game_finished":
                self._finish_game(event.game_finished.game_id, event.game_finished.result)
            case "failed":
                self._print(f"  {draw_failure(event.failed.misconduct)}")

    def _print(self, markup: str) -> None:
        self._console.print(markup, soft_wrap=True)

    def _show_tournament(self, tournament: Tournament) -> None:
        if tournament.status == TournamentStatus.TOURNAMENT_STATUS_RUNNING and self._round_count == 0:
            self._show_entrants(tournament.entrants)
        for number, round_ in enumerate(tournament.rounds):
            if number >= self._round_count:
                self._start_round(round_)
            for game in round_.games:
                if game.HasField("result"):
                    self._finish_game(game.game_id, game.result)

    def _show_entrants(self, entrants: Sequence[Player]) -> None:
        names = ", ".join(escape(player.name) for player in entrants)
        self._print(f"[bold]{self._game.title}[/], knockout, {len(entrants)} players: {names}")

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
        self._print(f"  {game_id.rpartition('/')[2]}  {draw_standing(result)}")
        for misconduct in result.misconducts:
            self._print(f"    {draw_failure(misconduct)}")
        if self._task is not None:
            self._progress.advance(self._task)

    async def _watch(self, game: RoundGame) -> None:
        # A round is announced a moment before its games begin, and a server may be away for a while.
        while game.game_id not in self._finished:
            with contextlib.suppress(grpc.aio.AioRpcError):
                async for event in self._referee.WatchGame(WatchGameRequest(game_id=game.game_id)):
                    if event.HasField("state"):
                        self._boards[game.game_id] = self._draw(game, event.state)
            await asyncio.sleep(RETRY_S)

    def _draw(self, game: RoundGame, state: GameState) -> RenderableType:
        message = unwrap(state, self._game, self._game.state_type) or self._game.state_type()
        return draw_board(self._game, message, game.players, game.game_id.rpartition("/")[2])
