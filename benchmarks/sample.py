"""One game played in this process before anything is measured: its calls as bytes, and the states on its way."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from google.protobuf.message import Message

from benchmarks.figures import STRATEGY, MeasuredGame
from fairplay.games.machine import GameMachine
from fairplay.games.steps import Call, Show
from fairplay.player.handlers import Handlers

SEED = 1


class Exchange(NamedTuple):
    """A call to a player, and what it replied."""

    seat: int
    method: str
    request: bytes
    reply: bytes


class SampleGame(NamedTuple):
    """A whole game: everything that was said, and all states that were shown, as the game has them."""

    exchanges: Sequence[Exchange]
    shown: Sequence[object]

    def stages(self, measured: MeasuredGame, count: int) -> list[Message]:
        """Return so many full states, evenly spread over the game; the first is its beginning."""
        game, last = measured.contract, len(self.shown) - 1
        made: dict[int, Message] = {}
        for number in (stage * last // count for stage in range(count)):
            if number not in made:
                made[number] = game.full_state(self.shown[number])
        return [made[stage * last // count] for stage in range(count)]


def names(count: int) -> list[str]:
    """Return the names of so many players."""
    return [f"player{seat}" for seat in range(count)]


def play_sample(measured: MeasuredGame) -> SampleGame:
    """Play one game between players of the strategy that all measures use."""
    game, count = measured.contract, measured.seat_count
    players = [Handlers(game.player(STRATEGY)) for _ in range(count)]
    exchanges: list[Exchange] = []
    shown: list[object] = []

    def answer(call: Call) -> Any:
        request = call.request.SerializeToString()
        reply = players[call.seat].call_now(call.method.path, request)
        exchanges.append(Exchange(call.seat, call.method.path, request, reply))
        return call.method.response.FromString(reply)

    conversation = game.play("sample", measured.settings_message, names(count), Random(SEED), None)
    shown.extend(step.state for step in GameMachine(conversation).play(answer) if isinstance(step, Show))
    return SampleGame(exchanges, shown)
