"""One game played in this process before anything is measured: its calls as bytes, and the states on its way."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from google.protobuf.message import Message

from benchmarks.subjects import STRATEGY, Subject
from fairplay.games.steps import Call, Show, answer_step
from fairplay.player.handlers import Handlers

SEED = 1


class Exchange(NamedTuple):
    """A call to a player, and what it replied."""

    seat: int
    method: str
    request: bytes
    reply: bytes


class Rehearsal(NamedTuple):
    """A whole game: everything that was said, and all states that were shown, as the game has them."""

    exchanges: Sequence[Exchange]
    shown: Sequence[object]

    def end(self, subject: Subject) -> Message:
        """Return the full state at the end of the game."""
        return subject.contract.full_state(self.shown[-1])

    def stages(self, subject: Subject, count: int) -> list[Message]:
        """So many full states, evenly spread over the game; the first is its beginning."""
        game, last = subject.contract, len(self.shown) - 1
        made: dict[int, Message] = {}
        for number in (stage * last // count for stage in range(count)):
            if number not in made:
                made[number] = game.full_state(self.shown[number])
        return [made[stage * last // count] for stage in range(count)]


def names(count: int) -> list[str]:
    """Return the names of so many players."""
    return [f"player{seat}" for seat in range(count)]


def rehearse(subject: Subject) -> Rehearsal:
    """Play one game between players of the strategy that all measures use."""
    game, count = subject.contract, subject.seat_count
    players = [Handlers(game.player(STRATEGY)) for _ in range(count)]
    exchanges: list[Exchange] = []
    shown: list[object] = []

    def answer(call: Call) -> Any:
        request = call.request.SerializeToString()
        reply = players[call.seat].call_now(call.method.path, request)
        exchanges.append(Exchange(call.seat, call.method.path, request, reply))
        return call.method.response.FromString(reply)

    conversation = game.play("rehearsal", subject.settings_message, names(count), Random(SEED), None)
    sent: Any = None
    while True:
        try:
            step = conversation.send(sent)
        except StopIteration:
            return Rehearsal(exchanges, shown)
        if isinstance(step, Show):
            shown.append(step.state)
        sent = answer_step(step, answer)
