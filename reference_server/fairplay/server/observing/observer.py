"""Those who are told what happens in games, and change nothing: meters and tracers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from fairplay.games.kit.messages import enum_word
from fairplay.games.steps import Call, Failure
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason
from fairplay.v1.referee_pb2 import Game

ANSWERED, TIMEOUT = "answered", "timeout"


class Observer(Protocol):
    """Somebody who is told of all games, in the event loop: what is called for each call must be quick."""

    def game_begun(self, game: Game) -> None:
        """Hear that a game begins, or goes on after a restart of the server."""

    def call_settled(self, game_id: str, call: Call, link: str, outcome: bytes | Failure, elapsed_s: float) -> None:
        """Hear how a call has ended. `link` is the word before the colon of the player's link."""

    def game_left(self, game: Game) -> None:
        """Hear that a game is over, or left where it is since the server stops: then it has no result."""


def outcome_word(outcome: bytes | Failure) -> str:
    """Return the word for how a call has ended."""
    if isinstance(outcome, bytes):
        return ANSWERED
    if isinstance(outcome, CallError):
        return enum_word(CallErrorReason, outcome.reason)
    return TIMEOUT


def link_kinds(players: Sequence[Player]) -> list[str]:
    """Return how each player is reached: the word before the colon of its link."""
    return [player.link.partition(":")[0] for player in players]
