"""Recorded games: their boards, as pictures (`records picture`) and one after the other (`records replay`)."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from google.protobuf.message import Message
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.text import Text

from fairplay.client.errors import FailedError, UsageError
from fairplay.client.inputs import parse_seconds
from fairplay.client.wording import counted, draw_failure, draw_standing, file_name, harmless
from fairplay.games.game import Game, find
from fairplay.games.kit.files import Output
from fairplay.games.kit.printable import UNPRINTABLE
from fairplay.games.steps import CallKind
from fairplay.server.records.place import Place
from fairplay.server.records.replay import Called, Came, Eliminated, Ended, Shown, replay, state_at
from fairplay.terminal.printing import draw_board, make_console, make_directory, say
from fairplay.terminal.records.overview import summarize
from fairplay.terminal.records.sources import Source, choose_game, open_source
from fairplay.terminal.records.wording import Wording, answer
from fairplay.v1.record_pb2 import Record

SUFFIX = ".svg"
PAUSE = "300ms"
MAX_PAUSE_S = 60


def find_installed(name: str) -> Game:
    """Return the game of this name. Raises FailedError if it is not installed."""
    try:
        return find(name)
    except ValueError as error:
        raise FailedError(f"the record cannot be shown: {error}") from None


class RecordedGame(NamedTuple):
    """A game of a record. `players` are the names by seat."""

    record_id: str
    record: Record
    game: Game
    players: list[str]

    def state(self, entry: int) -> Message:
        """Return all of the state after an entry.

        Raises UsageError if there is no such entry, and RecordsError if there is no state by then.
        """
        count = len(self.record.entries)
        if not 1 <= entry <= count:
            raise UsageError(f"there is no entry {entry}: the record of {self.record_id} has the entries 1 to {count}")
        return self.game.full_state(state_at(self.record, entry).state)

    def board(self, state: Message, title: str) -> RenderableType:
        """Return a state as a framed picture for a terminal."""
        return draw_board(self.game, state, self.players, title)

    def svg(self, state: Message) -> str:
        """Return a state as one SVG document."""
        return self.game.svg(state, self.players)


def choose_recorded_game(source: Source, wanted: str | None) -> RecordedGame:
    """Return a game of a source. Raises UsageError if it is not clear which one, or not a game."""
    return read_game(source.read(choose_game(source, wanted, "has no states")))


def read_game(record: Record) -> RecordedGame:
    """Return the game of a record. Raises FailedError if it is not installed."""
    overview = summarize(record)
    players = [name.translate(UNPRINTABLE) for name in overview.players]
    return RecordedGame(overview.record_id, record, find_installed(overview.game), players)


# --- pictures ---


def draw_pictures(
    place: Place, wanted: str | None, entry: int | None, output: Path | None, directory: Path | None
) -> None:
    """Draw one state into a file, or all of them into a directory."""
    if directory is not None and (entry is not None or output is not None):
        raise UsageError("--all draws every state: it goes with neither --at nor --output")
    console = make_console()
    with open_source(place) as source:
        game = choose_recorded_game(source, wanted)
    if directory is not None:
        count = _draw_all(game, directory)
        say(console, f"{counted(count, 'picture')} in {escape(str(directory))}")
        return
    state = game.state(len(game.record.entries) if entry is None else entry)
    path = output or Path(file_name(game.record_id, SUFFIX if entry is None else f"-{entry}{SUFFIX}"))
    _write(path, game.svg(state))
    say(console, escape(str(path)))


def _draw_all(game: RecordedGame, directory: Path) -> int:
    make_directory(directory)
    count = 0
    for event in replay(game.record):
        if isinstance(event, Shown):
            count += 1
            _write(directory / f"{count:04}{SUFFIX}", game.svg(game.game.full_state(event.state)))
    return count


def _write(path: Path, svg: str) -> None:
    Output(path).write(svg)


# --- replay ---


def replay_record(place: Place, wanted: str | None, pause: str | None) -> None:
    """Play a recorded game in one place of the terminal, or print its boards one below the other."""
    console = make_console()
    pause_s = parse_seconds(pause or (PAUSE if console.is_terminal else "0s"), "--pause")
    if pause_s > MAX_PAUSE_S:
        raise UsageError(f"--pause {pause} is too long: at most {MAX_PAUSE_S} s")
    with open_source(place) as source:
        game = choose_recorded_game(source, wanted)
    say(console, f"[bold]{game.game.title}[/], {escape(', '.join(game.players))}: {escape(game.record_id)}")
    say(console, _on_screen(console, game, pause_s) if console.is_terminal else _play(game, console.print, pause_s))


def _on_screen(console: Console, game: RecordedGame, pause_s: float) -> str:
    """Play a game in one place of the terminal, and return how it ended."""
    # Eliminations are printed above the board and stay; boards follow upon each other.
    with Live(console=console, auto_refresh=False) as live:

        def show(frame: RenderableType) -> None:
            if isinstance(frame, Text):
                console.print(frame, soft_wrap=True)
            else:
                live.update(frame, refresh=True)

        return _play(game, show, pause_s)


def _play(game: RecordedGame, show: Callable[[RenderableType], None], pause_s: float) -> str:
    """Show the moves with the board they lead to, and each elimination.

    Several players may have moved at once. What only says that a player took notice is shown where nobody has moved.

    Returns how the game ended, in rich's markup.
    """
    wording = Wording(game.game, game.players)
    moves, notice = list[str](), "the start"
    for event in replay(game.record):
        match event:
            case Called():
                notice = f"{wording.who(event.call.seat)} {event.call.method.name} → {answer(event.answer)}"
                moves += [notice] if event.call.kind is not CallKind.NOTIFICATION else []
            case Shown():
                board = game.board(game.game.full_state(event.state), f"after entry {event.entry}")
                show(Group(*(harmless(escape(move)) for move in moves or [notice]), board))
                moves.clear()
                time.sleep(pause_s)
            case Came():
                show(harmless(escape(f"{event.newcomer.player.name} joins the game.")))
            case Eliminated():
                show(harmless(draw_failure(event.misconduct)))
            case Ended():
                return draw_standing(event.result)
    return "[yellow]unfinished: the record ends here[/]"
