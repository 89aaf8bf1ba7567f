"""`fairplay records replay`."""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.text import Text

from fairplay.client.errors import UsageError
from fairplay.client.inputs import parse_seconds
from fairplay.client.misconducts import draw_failure, draw_standing
from fairplay.client.text import harmless
from fairplay.games.steps import CallKind
from fairplay.server.records.place import Place
from fairplay.server.records.replay import Called, Came, Eliminated, Ended, Shown, replay
from fairplay.terminal.printing import make_console, say
from fairplay.terminal.records.games import RecordedGame, choose_recorded_game
from fairplay.terminal.records.sources import open_source
from fairplay.terminal.records.wording import Wording, answer

PAUSE = "300ms"
MAX_PAUSE_S = 60


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
