"""States of games as framed pictures."""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import Message
from rich.console import RenderableType
from rich.panel import Panel
from rich.text import Text

from fairplay.games.game import Game


def draw_board(game: Game, state: Message, players: Sequence[str], title: str) -> RenderableType:
    """Return a state, full or public, as a framed picture with a title."""
    return Panel(Text.from_markup(game.text(state, players)), title=title, expand=False)
