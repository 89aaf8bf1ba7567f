"""Players that come into a game after it has begun: until then a reference player answers in their place."""

from __future__ import annotations

from typing import NamedTuple

from google.protobuf.message import Message

from fairplay.conformance.games.reference_players import rival_names
from fairplay.games.game import Game
from fairplay.games.steps import Call
from fairplay.player.handlers import reply_of
from fairplay.v1.misconduct_pb2 import Overrun


class Joining(NamedTuple):
    """The first call of a game that the player under test gets."""

    method: str
    number: int
    """The number among the calls of this method to its seat, from 1."""


class StandIn:
    """Answers the calls before the player under test comes into a game."""

    def __init__(self, game: Game, joins: Joining | None, strategy: str = "", late_in: str = "") -> None:
        self._joins = joins
        self._player = None if joins is None else game.player(strategy or rival_names(game)[0])
        self._late_in = late_in
        self._count = 0

    def answers(self, call: Call) -> bool:
        """Count a call to the seat, and return whether it is one of those that are answered here."""
        if self._joins is None:
            return False
        self._count += call.method.name == self._joins.method
        return self._count < self._joins.number

    def answer(self, call: Call) -> Message | Overrun:
        """Return the answer of a reference player, or that it is late in the method in which the others are."""
        return Overrun() if call.method.name == self._late_in else reply_of(self._player, call)
