"""Games between player objects in this process, without calls, clocks or records."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from google.protobuf.message import Message

from fairplay.games.game import Game
from fairplay.games.machine import GameMachine
from fairplay.games.steps import Call, CallKind, Outcome
from fairplay.player.handlers import reply_of


class Simulated(NamedTuple):
    """How a game went. `shown` is the last state, as the game shows it; None: it has shown none."""

    outcome: Outcome
    shown: Any
    decision_count: int


def simulate(game: Game, settings: Message, names: Sequence[str], players: Sequence[object], seed: int) -> Simulated:
    """Play a game between players with these names, in turn order. The same seed gives the same game.

    Raises ValueError if the game cannot be played with these settings.
    """
    machine = GameMachine(game.play("simulation", settings, names, Random(seed), None))
    decision_count = 0

    def answer(call: Call) -> Message:
        nonlocal decision_count
        decision_count += call.kind is not CallKind.NOTIFICATION
        return reply_of(players[call.seat], call)

    outcome = machine.finish(answer)
    return Simulated(outcome, machine.shown and machine.shown.state, decision_count)
