"""`fairplay records picture`."""

from __future__ import annotations

from pathlib import Path

from rich.markup import escape

from fairplay.client.errors import UsageError
from fairplay.client.text import counted, file_name
from fairplay.games.kit.files import Output
from fairplay.server.records.place import Place
from fairplay.server.records.replay import Shown, replay
from fairplay.terminal.printing import make_console, make_directory, say
from fairplay.terminal.records.games import RecordedGame, choose_recorded_game
from fairplay.terminal.records.sources import open_source

SUFFIX = ".svg"


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
