"""A game for races: players are asked for a word until `rounds` words have counted. Its arrivals are in `heard`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from google.protobuf.empty_pb2 import Empty
from google.protobuf.wrappers_pb2 import StringValue

from fairplay.games.game import Game, Start
from fairplay.games.steps import (
    FAILURES,
    Arrival,
    Call,
    CallKind,
    Conversation,
    Eliminate,
    Outcome,
    Race,
    Show,
    build_methods,
)
from tests.server.records.nim import NIM

SAY = build_methods("snap.Player", {"Say": (Empty, StringValue)})["Say"]
Received = tuple[int, str]
Rounds = Callable[["Snap"], Conversation]


class Snap:
    """The game of the conversation that a test gives."""

    def __init__(self, rounds: Rounds) -> None:
        self.received: list[list[Received]] = []
        self._rounds = rounds
        self.game = replace(
            NIM,
            name="snap",
            methods=(SAY,),
            turn=SAY,
            seats=range(1, 5),
            converse=self._play,
            full_state=_nothing,
            public_state=_nothing,
        )

    def _play(self, start: Start) -> Conversation:
        self.received = []
        return self._rounds(self)

    def find(self, _: str) -> Game:
        return self.game

    def hear(self, arrivals: Sequence[Arrival]) -> list[Received]:
        """Keep the arrivals, in order."""
        received = [(seat, _word(answer)) for seat, answer, _ in arrivals]
        self.received.append(received)
        return received


def _nothing(state: object) -> Empty:
    return Empty()


def _word(answer: Any) -> str:
    return type(answer).__name__ if isinstance(answer, FAILURES) else str(answer.value)


def ask(*seats: int) -> list[Call]:
    return [Call(seat, SAY, Empty(), CallKind.DECISION) for seat in seats]


def first_of(seats: Sequence[int], rounds: int, *, hold_s: float = 0.0, handicap_s: Mapping[int, float]) -> Rounds:
    """Ask all anew in each round, which the first arrival ends."""

    def conversation(snap: Snap) -> Conversation:
        yield Show(None)
        for _ in range(rounds):
            snap.hear((yield Race(ask(*seats), hold_s, handicap_s)))
        return Outcome([[(seat, 0) for seat in seats]])

    return conversation


def everybody(seats: Sequence[int], handicap_s: Mapping[int, float] = MappingProxyType({})) -> Rounds:
    """Ask all once, and keep the calls of those that have not answered open; eliminate those that fail."""

    def conversation(snap: Snap) -> Conversation:
        yield Show(None)
        calls = ask(*seats)
        while calls:
            arrivals = yield Race(calls, handicap_s=handicap_s)
            snap.hear(arrivals)
            came = {arrival.seat for arrival in arrivals}
            calls = [call for call in calls if call.seat not in came]
            for arrival in arrivals:
                if isinstance(arrival.answer, FAILURES):
                    yield Eliminate(arrival.seat, arrival.answer)
            yield Show(None)
        return Outcome([[(seat, 0) for seat in seats]])

    return conversation


def window(caller: int, limit_s: float) -> Rounds:
    """Make a call with a limit of its own, while the others are not asked."""

    def conversation(snap: Snap) -> Conversation:
        yield Show(None)
        snap.hear((yield Race(ask(0, 1))))
        (call,) = ask(caller)
        call.limit_s = limit_s
        snap.hear((yield Race([call])))
        return Outcome([[(0, 0), (1, 0)]])

    return conversation
