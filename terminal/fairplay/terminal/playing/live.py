"""A tournament in a terminal while it runs, and how many games it is going to have."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from types import TracebackType

import grpc
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from fairplay.client.wording import counted, draw_failure, draw_standing
from fairplay.games.envelopes import unwrap
from fairplay.games.game import Game
from fairplay.terminal.playing.summary import standings_table
from fairplay.terminal.printing import Estimate, draw_board
from fairplay.v1.game_pb2 import GameState, Player
from fairplay.v1.manager_pb2 import GameFinished, WatchTournamentResponse
from fairplay.v1.referee_pb2 import WatchGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.tournament_pb2 import Round, RoundGameStatus, Standings, Tournament, TournamentStatus

MAX_BOARDS = 4
MAX_NAMED = 40
STANDINGS_FRAME = 7
"""The lines of a terminal that are not for rows of standings."""
REFRESH_PER_S = 12
RETRY_S = 0.05


class TournamentView:
    """Shows a tournament: boards or standings and a progress bar in a terminal, lines elsewhere.

    A knock-out has a line for each game. A league, which may have thousands, has its standings, and a line from time to
    time where there is no terminal. `expected` is how many games it is going to have; None: not known. Events begin
    with the whole tournament, which comes again after a lost connection or a new start of the server.
    """

    def __init__(
        self,
        console: Console,
        game: Game,
        referee: RefereeServiceStub,
        *,
        format_title: str,
        league: bool,
        expected: int | None,
    ) -> None:
        self._console = console
        self._format = format_title
        self._league = league
        self._expected = expected
        self._standings = Standings()
        self._estimate = Estimate(expected or 0, None)
        self._over_count = 0
        self._skipped_count = 0
        self._game = game
        self._referee = referee
        self._boards: dict[str, RenderableType] = {}
        self._watchers: dict[str, asyncio.Task[None]] = {}
        self._players: Mapping[str, Sequence[str]] = {}
        """The names of the players of each game of this round."""
        self._round_count = 0
        self._finished: set[str] = set()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:g}{task.fields[of]} games"),
            TimeElapsedColumn(),
            *([TimeRemainingColumn(compact=True)] if league else []),
            console=console,
        )
        self._task: TaskID | None = (
            self._progress.add_task("", total=expected, of=f"/{expected}" if expected else "") if league else None
        )
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
        if self._league:
            rows = max(3, self._console.height - STANDINGS_FRAME)
            return (
                Group(standings_table(self._standings, rows), self._progress)
                if self._standings.standings
                else (self._progress)
            )
        boards = [self._boards[game_id] for game_id in self._watchers if game_id in self._boards]
        # The progress bar needs a line of its own.
        while boards and len(self._console.render_lines(Columns(boards), pad=False)) >= self._console.height - 1:
            boards.pop()
        return Group(Columns(boards), self._progress) if boards else self._progress

    def take(self, event: WatchTournamentResponse) -> None:
        """Show an event."""
        match event.WhichOneof("event"):
            case "tournament":
                self._show_tournament(event.tournament)
            case "started":
                self._show_entrants(event.started.entrants)
            case "round_started":
                self._start_round(event.round_started)
            case "game_started":
                self._watch_game(event.game_started)
            case "game_finished":
                self._finish_game(event.game_finished)
            case "standings":
                self._standings = event.standings
            case "failed":
                self._print(f"  {draw_failure(event.failed.misconduct)}")

    def _print(self, markup: str) -> None:
        self._console.print(markup, soft_wrap=True)

    def _show_tournament(self, tournament: Tournament) -> None:
        if tournament.status == TournamentStatus.TOURNAMENT_STATUS_RUNNING and self._round_count == 0:
            self._show_entrants(tournament.entrants)
        if self._league:
            if not self._over_count:
                self._estimate.before_count = tournament.game_count
                self._over_count = tournament.game_count
            self._count(tournament.game_count, tournament.skipped_game_count)
            return
        for round_ in tournament.rounds:
            if round_.number > self._round_count:
                self._start_round(round_)
            for game in round_.games:
                if game.HasField("result"):
                    skipped = game.status == RoundGameStatus.ROUND_GAME_STATUS_SKIPPED
                    self._finish_game(GameFinished(game_id=game.game_id, result=game.result, skipped=skipped))

    def _show_entrants(self, entrants: Sequence[Player]) -> None:
        names = ", ".join(escape(player.name) for player in entrants)
        shown = f": {names}" if len(entrants) <= MAX_NAMED else ""
        games = f", {counted(self._expected, 'game')}" if self._league and self._expected else ""
        self._print(f"[bold]{self._game.title}[/], {escape(self._format)}, {len(entrants)} players{games}{shown}")

    def _start_round(self, round_: Round) -> None:
        if self._league:
            return
        self._round_count = round_.number
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
        self._task = self._progress.add_task(
            f"round {self._round_count}", total=len(round_.games), of=f"/{len(round_.games)}"
        )
        self._players = {game.game_id: game.players for game in round_.games}
        for game in round_.games:
            if game.status == RoundGameStatus.ROUND_GAME_STATUS_RUNNING:
                self._watch_game(game.game_id)

    def _watch_game(self, game_id: str) -> None:
        """Show the board of a game that has begun, in place of one that is over where there is no room."""
        if self._live is None or game_id not in self._players:
            return
        over = [each for each in self._watchers if each in self._finished]
        if len(self._watchers) >= MAX_BOARDS and over:
            self._boards.pop(over[0], None)
            self._watchers.pop(over[0]).cancel()
        if len(self._watchers) < MAX_BOARDS:
            self._watchers[game_id] = asyncio.ensure_future(self._watch(game_id))

    def _finish_game(self, finished: GameFinished) -> None:
        game_id, result = finished.game_id, finished.result
        if self._league:
            for misconduct in result.misconducts:
                self._print(f"  {game_id.rpartition('/')[2]}  {draw_failure(misconduct)}")
            self._count(self._over_count + (not finished.skipped), self._skipped_count + finished.skipped)
            return
        if game_id in self._finished:
            return
        self._finished.add(game_id)
        if not finished.skipped:
            self._print(f"  {game_id.rpartition('/')[2]}  {draw_standing(result)}")
        for misconduct in result.misconducts:
            self._print(f"    {draw_failure(misconduct)}")
        if self._task is not None:
            self._progress.advance(self._task)

    def _count(self, over_count: int, skipped_count: int) -> None:
        """Take note of how many games of a league are over; now and then, say so where there is no terminal."""
        self._estimate.count(over_count - self._over_count)
        self._over_count, self._skipped_count = over_count, skipped_count
        total = self._expected - skipped_count if self._expected else None
        self._estimate.case_count = total or 0
        if self._task is not None:
            of = f"/{total}" if total else ""
            self._progress.update(self._task, completed=over_count, total=total, of=of)
        if self._live is None and (line := self._estimate.line("games")) is not None:
            first = [each for each in self._standings.standings if each.place == 1]
            leading = f"; first: {', '.join(escape(each.name) for each in first)}" if first else ""
            self._print(f"[dim]{line}{leading}[/]")

    async def _watch(self, game_id: str) -> None:
        # A game is announced a moment before it begins, and a server may be away for a while.
        while game_id not in self._finished:
            with contextlib.suppress(grpc.aio.AioRpcError):
                async for event in self._referee.WatchGame(WatchGameRequest(game_id=game_id)):
                    if event.HasField("state"):
                        self._boards[game_id] = self._draw(game_id, event.state)
            await asyncio.sleep(RETRY_S)

    def _draw(self, game_id: str, state: GameState) -> RenderableType:
        message = unwrap(state, self._game, self._game.state_type) or self._game.state_type()
        return draw_board(self._game, message, self._players[game_id], game_id.rpartition("/")[2])
