"""Games with the tested player in one seat and reference players in the others: the referee's own conversations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.message import Message

from fairplay.conformance.case import SuiteError
from fairplay.conformance.racing import Races
from fairplay.conformance.subject import Connection
from fairplay.games.conformance import Infraction, Level, Situation, find_conformance
from fairplay.games.game import Game
from fairplay.games.kit.conformance import cause_of
from fairplay.games.steps import (
    Arrival,
    Call,
    CallAll,
    CallKind,
    Eliminate,
    Failure,
    Method,
    Outcome,
    Race,
    Show,
    Step,
)
from fairplay.player.handlers import snake_case
from fairplay.server.links.link import disconnected
from fairplay.server.plans import seconds
from fairplay.server.transcript import Transcript, game_rng
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.misconduct_pb2 import Misconduct

TESTED = "tested"
RIVALS = ("first", "random")
MOST_SLIPS = 100
"""A player that slips so often in a game cannot play it, however little it costs: games would not end."""
Twist: TypeAlias = Callable[[Message], bytes]
"""What is sent instead of a request, as a newer or a stranger referee would."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The seconds that the player has for each kind of call."""

    notification_s: float
    decision_s: float
    first_decision_s: float

    @classmethod
    def of(cls, control: TimeControl) -> Limits:
        """Those of a time control in which nothing is left out."""
        return cls(*(seconds(getattr(control, f"{name.removesuffix('_s')}_limit")) for name in cls.__slots__))

    def limit_s(self, call: Call) -> float:
        """The limit of a call."""
        if call.limit_s is not None:
            return call.limit_s
        named = {CallKind.NOTIFICATION: self.notification_s, CallKind.DECISION: self.decision_s}
        return named.get(call.kind, self.first_decision_s)


class Performance(NamedTuple):
    """A game to be played: the same name and seed, the same game, as far as the tested player does the same."""

    name: str
    """Unique among the games of a run; the id of the game begins with it."""
    situation: Situation
    seed: int
    level: Level = Level.MUST
    """Slips of this level, and graver ones, are misconduct here."""
    leaver: int | None = None
    """The seat of a rival that is lost when it is asked for its second decision. None: all rivals stay."""


class Exchange(NamedTuple):
    """A call to the tested player, and what came of it."""

    method: Method
    request: bytes
    kind: CallKind
    limit_s: float
    elapsed_s: float
    answer: Message | Failure


@dataclass(slots=True)
class Rehearsal:
    """How a game went. It ended where it was to end, or with the misconduct of the tested player."""

    performance: Performance
    exchanges: list[Exchange] = field(default_factory=list)
    misconduct: Misconduct | None = None
    slip_count: int = 0
    """How many answers were wrong for which nobody is eliminated."""
    shown: Any = None
    """The last state, as the game shows it."""
    outcome: Outcome | None = None
    """None: it did not go on until the game was over."""
    output: str = ""
    """What the player's process had written by then."""
    had_past: bool = False
    """Whether the player had been called on this connection before."""

    @property
    def decision_count(self) -> int:
        """How many decisions the tested player has made."""
        return sum(exchange.kind is not CallKind.NOTIFICATION for exchange in self.exchanges)


def rival_names(game: Game) -> Sequence[str]:
    """Reference strategies that answer at once."""
    return [name for name in RIVALS if name in game.strategies] or list(game.strategies)[:1]


def seat_names(situation: Situation) -> list[str]:
    """The names of the players of a game by seat."""
    return [TESTED if seat == situation.seat else f"rival-{seat}" for seat in range(situation.player_count)]


async def rehearse(
    game: Game,
    connection: Connection,
    performance: Performance,
    limits: Limits,
    game_id: str,
    twist: Twist | None = None,
) -> Rehearsal:
    """Plays a game. NotTested: the player does not answer such calls any more. SuiteError: something of ours failed."""
    stage = _Stage(game, connection, performance, limits, twist)
    return await stage.play(game_id)


class _Stage:
    def __init__(
        self, game: Game, connection: Connection, performance: Performance, limits: Limits, twist: Twist | None
    ) -> None:
        self._situation = performance.situation
        self._connection = connection
        self._limits = limits
        self._twist = twist
        self._game = game
        self._find_infraction = find_conformance(game.name).find_infraction
        self._names = seat_names(self._situation)
        self._transcript = Transcript(self._names, lambda _: None)
        self._rivals = _rivals(game, performance)
        self._races = Races(self._ask, self._situation.seat, Random(performance.seed))
        self._rehearsal = Rehearsal(performance, had_past=connection.call_count > 1)
        self._leaver_decisions = 0

    async def play(self, game_id: str) -> Rehearsal:
        found, situation = self._rehearsal, self._situation
        try:
            rng = game_rng(found.performance.seed)
            conversation = self._game.play(game_id, situation.settings, self._names, rng, situation.state)
        except ValueError as error:
            raise SuiteError(f"the game {found.performance.name} cannot be played: {error}") from error
        try:
            answer = None
            while not self._over(step := conversation.send(answer)):
                answer = await self._answer(step)
        except StopIteration as stop:
            found.outcome = stop.value
        finally:
            self._races.end()
            conversation.close()
        found.output = self._connection.output
        return found

    def _over(self, step: Step) -> bool:
        """Whether all is seen that was to be seen."""
        if self._rehearsal.misconduct is not None:
            return True
        if isinstance(step, Show):
            self._rehearsal.shown = step.state
        elif isinstance(step, Eliminate):
            if step.seat == self._rehearsal.performance.leaver:
                return False
            if step.seat != self._situation.seat:
                raise SuiteError(
                    f"a reference player was eliminated in {self._rehearsal.performance.name}: {step.cause}"
                )
            self._rehearsal.misconduct = self._transcript.build_misconduct(step)
            return True
        else:
            wanted = self._situation.turn_count
            return 0 < wanted <= self._rehearsal.decision_count
        return False

    async def _answer(self, step: Step) -> Any:
        if isinstance(step, Call):
            return await self._ask(step)
        if isinstance(step, CallAll):
            answers = await asyncio.gather(*map(self._ask, step.calls))
            return {call.seat: answer for call, answer in zip(step.calls, answers, strict=True)}
        if isinstance(step, Race):
            arrivals: list[Arrival] = await self._races.run(step)
            return arrivals
        return None

    async def _ask(self, call: Call) -> Message | Failure:
        if call.seat != self._situation.seat:
            return disconnected("this rival has left") if self._leaves(call) else _asked(self._rivals[call.seat], call)
        asked = self._transcript.ask(call)
        request = asked.request if self._twist is None else self._twist(call.request)
        limit_s = self._limits.limit_s(call)
        outcome, elapsed_s = await self._connection.ask(call.method, request, limit_s)
        answer = self._transcript.parse_outcome(asked, outcome)
        self._rehearsal.exchanges.append(Exchange(call.method, request, call.kind, limit_s, elapsed_s, answer))
        if (slip := self._find_infraction(self._situation.settings, call, answer)) is not None:
            self._mind(slip, answer)
        return answer

    def _mind(self, slip: Infraction, answer: Message | Failure) -> None:
        """What the referee forgives ends the game as misconduct would, if it is grave enough or too much."""
        found = self._rehearsal
        found.slip_count += 1
        if slip.counts(found.performance.level) or found.slip_count >= MOST_SLIPS:
            cause = cause_of(self._game, slip, answer)
            found.misconduct = self._transcript.build_misconduct(Eliminate(self._situation.seat, cause))

    def _leaves(self, call: Call) -> bool:
        """Whether the rival that is called is lost."""
        if call.seat != self._rehearsal.performance.leaver:
            return False
        self._leaver_decisions += call.kind is not CallKind.NOTIFICATION
        return self._leaver_decisions > 1


def _rivals(game: Game, performance: Performance) -> Mapping[int, object]:
    luck, names = Random(performance.seed), rival_names(game)
    situation = performance.situation
    return {seat: game.player(luck.choice(names)) for seat in range(situation.player_count) if seat != situation.seat}


def _asked(player: object, call: Call) -> Message:
    reply: Message | None = getattr(player, snake_case(call.method.name))(call.request)
    return call.method.response() if reply is None else reply
