"""Messages of any game inside messages that serve every game: settings, states and evidence."""

from __future__ import annotations

from typing import Any

from google.protobuf import any_pb2
from google.protobuf.message import Message

from fairplay.games.game import Game
from fairplay.v1.game_pb2 import GameSettings, GameState


def pack(message: Message) -> any_pb2.Any:
    """Return the message as google.protobuf.Any."""
    packed = any_pb2.Any()
    packed.Pack(message, deterministic=True)
    return packed


def wrap(envelope: type[GameSettings] | type[GameState], game: Game, message: Message) -> Any:
    """Return the settings or a state of a game in the message that holds those of any game."""
    if game.name in envelope.DESCRIPTOR.fields_by_name:
        return envelope(**{game.name: message})  # type: ignore[arg-type]  # the arm is known by name only
    return envelope(other=pack(message))


def unwrap(envelope: GameSettings | GameState, game: Game, kind: type[Message]) -> Message | None:
    """Return the message of type `kind` in the envelope, or None if it is empty.

    Raises ValueError if the envelope holds a message of another game.
    """
    arm = envelope.WhichOneof("game")
    if arm is None:
        return None
    held = getattr(envelope, arm)
    if arm == "other":
        message = kind()
        if not held.Unpack(message):
            raise ValueError(f"expected {kind.DESCRIPTOR.full_name}, got {held.TypeName()}")
        return message
    if not isinstance(held, kind):
        raise ValueError(f"expected {kind.DESCRIPTOR.full_name} of the game {game.name}, got that of {arm}")
    return held
