"""Reference players as opponents of the player under test, and as the source of positions."""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import Message

from fairplay.games.game import Game
from fairplay.games.steps import Call
from fairplay.player.handlers import snake_case

RIVALS = ("first", "random")


def rival_names(game: Game) -> Sequence[str]:
    """Return the names of reference strategies that answer at once."""
    return [name for name in RIVALS if name in game.strategies] or list(game.strategies)[:1]


def reply_of(player: object, call: Call) -> Message:
    """Return the reply of a player object to a call."""
    reply: Message | None = getattr(player, snake_case(call.method.name))(call.request)
    return call.method.response() if reply is None else reply
