"""Rivals of the player under test: reference players, which may leave the game, or begin it in its place.

When they leave is said by the decisions of the player under test, or by a phase of the game as that player sees it.
Nothing here knows a game: its phases are those of the calls that its conversation makes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from random import Random
from typing import NamedTuple

import grpc
from google.protobuf.message import Message

from fairplay.games.conformance import FirstCall, Situation, find_conformance
from fairplay.games.game import Game
from fairplay.games.steps import Call, CallKind, Failure, Step, calls_in
from fairplay.player.handlers import reply_of
from fairplay.server.links.link import call_error, disconnected
from fairplay.v1.misconduct_pb2 import CallErrorReason, Overrun

RIVALS = ("first", "random")


def rival_names(game: Game) -> Sequence[str]:
    """Return the names of reference strategies that answer at once."""
    return [name for name in RIVALS if name in game.strategies] or list(game.strategies)[:1]


def all_rival_names(game: Game) -> Sequence[str]:
    """Return the names of `rival_names`, and those of strategies that make mistakes which the game forgives."""
    return [*rival_names(game), *find_conformance(game.name).erring]


class Fault(StrEnum):
    """How a rival fails."""

    DISCONNECTION = "its connection ends"
    ERROR_STATUS = "one call fails"
    LATE_ANSWER = "one answer comes too late"
    ILLEGAL_ANSWER = "its answers break the rules"
    LATE_DECISIONS = "each of its decisions comes too late"


class LastDecider(StrEnum):
    """Who has made the last decision before a call to a rival."""

    NOBODY = "before any decision, or after one of several players at once"
    TESTED = "after a decision of the player under test"
    ITSELF = "after a decision of its own"
    ANOTHER = "after a decision of another rival"


class Phase(NamedTuple):
    """The circumstances of a call to a rival."""

    method: str
    beside: str
    """The method of the call that the player under test has at the same time; empty: it has none."""
    last_decider: LastDecider
    is_waiting: bool
    """Whether the player under test has not decided since the last decision of the rival, e.g. because it is stuck."""
    is_told: bool
    """Whether the player under test has been told before what the rival is told."""
    decides: bool
    """Whether the rival is asked for a decision, so that in a race it has to be quicker than others to come to it."""

    def __str__(self) -> str:
        beside = f", while the player under test is called, too: {self.beside}" if self.beside else ""
        waiting = ", its second one while the player under test makes none" if self.is_waiting else ""
        told = ", of which the player under test was told before" if self.is_told else ""
        return f"{self.method} {self.last_decider}{waiting}{beside}{told}"


class PhaseTracker:
    """Follows a game, and says in which phase each call to a rival is. `tested`: the seat of the player under test."""

    def __init__(self, tested: int) -> None:
        self._tested = tested
        self._last: int | None = None
        """The seat that has decided last; None: nobody has, or several have at once."""
        self._told = Counter[tuple[int, str]]()
        """(seat, method) -> the calls since the last decision."""
        self._since = Counter[int]()
        """Seat -> the decisions of a rival since the last one of the player under test, or of several at once."""
        self._open: dict[int, tuple[Call, Phase]] = {}

    def enter(self, step: Step) -> Mapping[int, Phase]:
        """Go on to a step with calls, and return the phases of the rivals that it calls, by seat.

        A call of a race that stays open in the next one keeps its phase.
        """
        calls = calls_in(step)
        beside = next((call.method.name for call in calls if call.seat == self._tested), "")
        new = [call for call in calls if self._open.get(call.seat, (None,))[0] is not call]
        rivals = [call for call in calls if call.seat != self._tested]
        found = {call.seat: (call, self._phase(call, beside)) for call in rivals if call in new}
        self._open = {call.seat: found.get(call.seat) or self._open[call.seat] for call in rivals}
        self._told.update((call.seat, call.method.name) for call in new)
        deciders = {call.seat for call in new if call.kind is not CallKind.NOTIFICATION}
        if deciders:
            self._told.clear()
            self._last = next(iter(deciders)) if len(deciders) == 1 else None
        if self._tested in deciders or len(deciders) > 1:
            self._since.clear()
        self._since.update(deciders - {self._tested} if len(deciders) == 1 else ())
        return {seat: phase for seat, (_, phase) in self._open.items()}

    def _phase(self, call: Call, beside: str) -> Phase:
        deciders = {None: LastDecider.NOBODY, call.seat: LastDecider.ITSELF, self._tested: LastDecider.TESTED}
        name, decider = call.method.name, deciders.get(self._last, LastDecider.ANOTHER)
        is_told = self._told[self._tested, name] > self._told[call.seat, name]
        return Phase(name, beside, decider, self._since[call.seat] > 0, is_told, call.kind is not CallKind.NOTIFICATION)


class Departure(NamedTuple):
    """A rival that leaves the game, and when.

    Without a phase the moment is counted in decisions of the player under test, so that it is as early or late in any
    game, whoever is asked how often.
    """

    seat: int
    after: int = 0
    """The rival fails in the first call after the player under test has made so many decisions."""
    in_decision: bool = True
    """Whether only decisions count as calls; False: the rival may fail in a notification, e.g. that a game begins."""
    fault: Fault = Fault.DISCONNECTION
    phase: Phase | None = None
    """The rival fails in the first call of this phase from then on; None: in any phase."""

    def __str__(self) -> str:
        if self.phase is not None:
            return f"seat {self.seat}: {self.fault}, in {self.phase}"
        call = "first decision" if self.in_decision else "first call"
        return f"seat {self.seat}: {self.fault}, in its {call} after {self.after} decisions of the player under test"


class Side(StrEnum):
    """Where a rival that leaves sits, seen from the player under test, or that it was the only one left."""

    NEXT = "next"
    PREVIOUS = "previous"
    BETWEEN = "between others"
    LAST = "the last one"


def side_of(player_count: int, tested: int, leaver: int, left: Sequence[int] = ()) -> Side:
    """Return where a rival sits; `left` are the seats of those that have left by the end, in this order."""
    if player_count == 2 or (len(left) == player_count - 1 and leaver == left[-1]):
        return Side.LAST
    return {1: Side.NEXT, player_count - 1: Side.PREVIOUS}.get((leaver - tested) % player_count, Side.BETWEEN)


class Rivals:
    """Answers for all seats but that of the player under test."""

    def __init__(self, game: Game, situation: Situation, seed: int, departures: Sequence[Departure]) -> None:
        self._turn = game.turn
        self._players = _players(game, situation, seed)
        self._departures = {departure.seat: departure for departure in departures}
        self._tracker = PhaseTracker(situation.seat) if any(each.phase for each in departures) else None
        self._phases: Mapping[int, Phase] = {}
        self._failed: dict[int, None] = {}
        """The seats of those that have failed, in this order."""
        self._back = set[int]()
        """The seats of those that have answered since."""
        self.is_lost_again = False
        """Whether one has failed that was back."""
        self._late_in = situation.rivals_late_in

    def enter(self, step: Step) -> None:
        """Go on to a step, before its calls are answered."""
        if self._tracker is not None and calls_in(step):
            self._phases = self._tracker.enter(step)

    def fails(self, call: Call, decision_count: int) -> bool:
        """Return whether a rival fails in a call. `decision_count`: the decisions of the player under test so far."""
        departure = self._departures.get(call.seat)
        if departure is None:
            return False
        if departure.phase is not None and call.seat not in self._failed:
            return decision_count >= departure.after and self._phases.get(call.seat) == departure.phase
        if departure.fault is Fault.ILLEGAL_ANSWER:
            return call.method is self._turn and decision_count >= departure.after
        if call.seat in self._failed:
            is_late = departure.fault is Fault.LATE_DECISIONS and call.kind is not CallKind.NOTIFICATION
            return departure.fault is Fault.DISCONNECTION or is_late
        return decision_count >= departure.after and not (departure.in_decision and call.kind is CallKind.NOTIFICATION)

    def answer(self, call: Call, decision_count: int) -> Message | Failure:
        """Return the answer of a rival, or its failure."""
        if not self.fails(call, decision_count):
            self._back.update({call.seat} & self._failed.keys())
            return Overrun() if call.method.name == self._late_in else reply_of(self._players[call.seat], call)
        self._failed[call.seat] = None
        self.is_lost_again = self.is_lost_again or call.seat in self._back
        fault = self._departures[call.seat].fault
        if fault is Fault.ILLEGAL_ANSWER:
            return call.method.response()
        if fault is Fault.DISCONNECTION:
            return disconnected("this rival has left")
        if fault in (Fault.LATE_ANSWER, Fault.LATE_DECISIONS):
            return Overrun()
        reason = CallErrorReason.CALL_ERROR_REASON_STATUS
        return call_error(reason, "this rival has failed", code=grpc.StatusCode.INTERNAL.value[0])

    def hurries(self, call: Call) -> bool:
        """Return whether a rival is to be quick in a race, so that it comes to the decision in which it leaves."""
        phase = self._departures[call.seat].phase if call.seat in self._departures else None
        return phase is not None and phase.decides and call.seat not in self._failed

    @property
    def failed(self) -> Collection[int]:
        """Return the seats of the rivals that have failed so far, in this order."""
        return self._failed.keys()

    def may_leave(self, seat: int) -> bool:
        """Return whether a rival leaves the game at some time."""
        return seat in self._departures


def _players(game: Game, situation: Situation, seed: int) -> Mapping[int, object]:
    rng, names = Random(seed), [situation.rivals] if situation.rivals else all_rival_names(game)
    seats = range(max(situation.player_count, game.seats.stop - 1))  # some join later
    return {seat: game.player(rng.choice(names)) for seat in seats if seat != situation.seat}


class StandIn:
    """Answers the calls before the player under test comes into a game."""

    def __init__(self, game: Game, joins: FirstCall | None, strategy: str = "", late_in: str = "") -> None:
        self._joins = joins
        names = find_conformance(game.name).erring or rival_names(game)
        self._player = None if joins is None else game.player(strategy or names[0])
        self._late_in = late_in
        self._count = 0

    def answers(self, call: Call) -> bool:
        """Count a call to the seat, and return whether it is one of those that are answered here."""
        if self._joins is None:
            return False
        self._count += call.method.name == self._joins.method
        return self._count < self._joins.number

    def answer(self, call: Call) -> Message | Overrun:
        """Return the answer of a reference player, or what is forgiven in its place."""
        if self._joins is not None and self._joins.is_refused_before and call.method.name == self._joins.method:
            return call.method.response()
        return Overrun() if call.method.name == self._late_in else reply_of(self._player, call)
