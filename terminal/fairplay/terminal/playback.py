"""`fairplay records replay` and `picture`, and what else needs a state of a recorded game."""

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

from fairplay.games.envelopes import wrap
from fairplay.games.game import Game
from fairplay.server.records.replay import Called, Eliminated, Ended, Shown, replay, state_at
from fairplay.terminal import options
from fairplay.terminal.facts import facts_of
from fairplay.terminal.live import blame, board, standing
from fairplay.terminal.outcomes import UNPRINTABLE, FailedError, UsageError
from fairplay.terminal.saying import counted, file_name, harmless, installed, make_directory, say
from fairplay.terminal.sources import Source, choose_game, opened
from fairplay.terminal.wording import Wording, answer
from fairplay.v1.game_pb2 import GameState
from fairplay.v1.record_pb2 import Record

PAUSE = "300ms"
MAX_PAUSE_S = 60
SUFFIX = ".svg"


class Played(NamedTuple):
    """A recorded game, with what it takes to draw its states. `players` are the names by seat."""

    record_id: str
    record: Record
    game: Game
    players: list[str]

    def state(self, entry: int) -> Message:
        """All of the state after an entry. UsageError: there is no such entry. RecordsError: nor a state by then."""
        count = len(self.record.entries)
        if not 1 <= entry <= count:
            raise UsageError(f"there is no entry {entry}: the record of {self.record_id} has the entries 1 to {count}")
        return self.game.full_state(state_at(self.record, entry).state)

    def board(self, state: Message, title: str) -> RenderableType:
        """A state for a terminal."""
        return board(self.game, wrap(GameState, self.game, state), self.players, title)

    def svg(self, state: Message) -> str:
        """A state as one SVG document."""
        return self.game.svg(state, self.players)


def played(source: Source, wanted: str | None) -> Played:
    """A game out of a source. UsageError: it is not clear which one, or it is a tournament."""
    return played_in(source.read(choose_game(source, wanted, "has no states")))


def played_in(record: Record) -> Played:
    """The game of a record. FailedError: it is not installed."""
    facts = facts_of(record)
    players = [name.translate(UNPRINTABLE) for name in facts.players]
    return Played(facts.record_id, record, installed(facts.game), players)


# --- replay ---


def replay_record(place: Path, wanted: str | None, pause: str | None) -> None:
    """Plays a game in the terminal; elsewhere the boards stand one below the other."""
    console = Console(highlight=False)
    pause_s = options.seconds(pause or (PAUSE if console.is_terminal else "0s"), "--pause")
    if pause_s > MAX_PAUSE_S:
        raise UsageError(f"--pause {pause} is too long: at most {MAX_PAUSE_S} s")
    with opened(place) as source:
        game = played(source, wanted)
    say(console, f"[bold]{game.game.title}[/], {escape(', '.join(game.players))}: {escape(game.record_id)}")
    say(console, _on_screen(console, game, pause_s) if console.is_terminal else _play(game, console.print, pause_s))


def _on_screen(console: Console, game: Played, pause_s: float) -> str:
    """Plays a game in one place of the terminal; returns how it ended."""
    # Eliminations are printed above the board and stay; boards follow upon each other.
    with Live(console=console, auto_refresh=False) as live:

        def show(frame: RenderableType) -> None:
            if isinstance(frame, Text):
                console.print(frame, soft_wrap=True)
            else:
                live.update(frame, refresh=True)

        return _play(game, show, pause_s)


def _play(game: Played, show: Callable[[RenderableType], None], pause_s: float) -> str:
    """Shows a board for each state and a text for each elimination; returns how the game ended, in rich's markup."""
    wording = Wording(game.game, game.players)
    told = "the start"
    for event in replay(game.record):
        match event:
            case Called():
                told = f"{wording.who(event.call.seat)} {event.call.method.name} → {answer(event.answer)}"
            case Shown():
                board = game.board(game.game.full_state(event.state), f"after entry {event.entry}")
                show(Group(board, harmless(escape(told))))
                time.sleep(pause_s)
            case Eliminated():
                show(harmless(blame(event.misconduct)))
            case Ended():
                return standing(event.result)
    return "[yellow]unfinished: the record ends here[/]"


# --- picture ---


def draw(place: Path, wanted: str | None, entry: int | None, output: Path | None, directory: Path | None) -> None:
    """Draws one state into a file, or all of them into a directory."""
    if directory is not None and (entry is not None or output is not None):
        raise UsageError("--all draws every state: it goes with neither --at nor --output")
    console = Console(highlight=False)
    with opened(place) as source:
        game = played(source, wanted)
    if directory is not None:
        count = _draw_all(game, directory)
        say(console, f"{counted(count, 'picture')} in {escape(str(directory))}")
        return
    state = game.state(len(game.record.entries) if entry is None else entry)
    path = output or Path(file_name(game.record_id, SUFFIX if entry is None else f"-{entry}{SUFFIX}"))
    _write(path, game.svg(state))
    say(console, escape(str(path)))


def _draw_all(game: Played, directory: Path) -> int:
    make_directory(directory)
    count = 0
    for event in replay(game.record):
        if isinstance(event, Shown):
            count += 1
            _write(directory / f"{count:04}{SUFFIX}", game.svg(game.game.full_state(event.state)))
    return count


def _write(path: Path, svg: str) -> None:
    try:
        path.write_text(svg, encoding="utf-8")
    except OSError as error:
        raise FailedError(f"cannot write {path}: {error.strerror}") from None
