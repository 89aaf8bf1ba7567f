"""Games with the tested player in one seat and reference players in the others: the referee's own conversations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.message import Message

from fairplay.conformance.case import SuiteError
from fairplay.conformance.player_under_test import Connection
from fairplay.conformance.racing import Races
from fairplay.conformance.reference_players import reply_of, rival_names
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
from fairplay.server.links.link import disconnected
from fairplay.server.plans import seconds
from fairplay.server.transcript import Transcript, game_rng
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.misconduct_pb2 import Misconduct

TESTED = "tested"

MAX_INFRACTIONS = 100
"""A player that slips so often in a game cannot play it, however little it costs: games would not end."""
RequestEncoder: TypeAlias = Callable[[Message], bytes]
"""What is sent instead of a request, as a newer or a stranger referee would."""


@dataclass(frozen=True, slots=True)
class CallLimits:
    """The seconds that the player has for each kind of call."""

    notification_s: float
    decision_s: float
    first_decision_s: float

    @classmethod
    def of(cls, control: TimeControl) -> CallLimits:
        """Those of a time control in which nothing is left out."""
        return cls(*(seconds(getattr(control, f"{name.removesuffix('_s')}_limit")) for name in cls.__slots__))

    def limit_s(self, call: Call) -> float:
        """The limit of a call."""
        if call.limit_s is not None:
            return call.limit_s
        named = {CallKind.NOTIFICATION: self.notification_s, CallKind.DECISION: self.decision_s}
        return named.get(call.kind, self.first_decision_s)


class Scenario(NamedTuple):
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
class Trial:
    """How a game went. It ended where it was to end, or with the misconduct of the tested player."""

    scenario: Scenario
    exchanges: list[Exchange] = field(default_factory=list)
    misconduct: Misconduct | None = None
    infraction_count: int = 0
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


def seat_names(situation: Situation) -> list[str]:
    """The names of the players of a game by seat."""
    return [TESTED if seat == situation.seat else f"rival-{seat}" for seat in range(situation.player_count)]


async def play_trial(
    game: Game,
    connection: Connection,
    scenario: Scenario,
    limits: CallLimits,
    game_id: str,
    encode_request: RequestEncoder | None = None,
) -> Trial:
    """Plays a game. NotTested: the player does not answer such calls any more. SuiteError: something of ours failed."""
    stage = _Stage(game, connection, scenario, limits, encode_request)
    return await stage.play(game_id)


class _Stage:
    def __init__(
        self,
        game: Game,
        connection: Connection,
        scenario: Scenario,
        limits: CallLimits,
        encode_request: RequestEncoder | None,
    ) -> None:
        self._situation = scenario.situation
        self._connection = connection
        self._limits = limits
        self._encode_request = encode_request
        self._game = game
        self._find_infraction = find_conformance(game.name).find_infraction
        self._names = seat_names(self._situation)
        self._transcript = Transcript(self._names, lambda _: None)
        self._rivals = _rivals(game, scenario)
        self._races = Races(self._ask, self._situation.seat, Random(scenario.seed))
        self._trial = Trial(scenario, had_past=connection.call_count > 1)
        self._leaver_decisions = 0

    async def play(self, game_id: str) -> Trial:
        found, situation = self._trial, self._situation
        try:
            rng = game_rng(found.scenario.seed)
            conversation = self._game.play(game_id, situation.settings, self._names, rng, situation.state)
        except ValueError as error:
            raise SuiteError(f"the game {found.scenario.name} cannot be played: {error}") from error
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
        if self._trial.misconduct is not None:
            return True
        if isinstance(step, Show):
            self._trial.shown = step.state
        elif isinstance(step, Eliminate):
            if step.seat == self._trial.scenario.leaver:
                return False
            if step.seat != self._situation.seat:
                raise SuiteError(f"a reference player was eliminated in {self._trial.scenario.name}: {step.cause}")
            self._trial.misconduct = self._transcript.build_misconduct(step)
            return True
        else:
            wanted = self._situation.turn_count
            return 0 < wanted <= self._trial.decision_count
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
            return self._ask_rival(call)
        asked = self._transcript.ask(call)
        request = asked.request if self._encode_request is None else self._encode_request(call.request)
        limit_s = self._limits.limit_s(call)
        outcome, elapsed_s = await self._connection.ask(call.method, request, limit_s)
        answer = self._transcript.parse_outcome(asked, outcome)
        self._trial.exchanges.append(Exchange(call.method, request, call.kind, limit_s, elapsed_s, answer))
        if (infraction := self._find_infraction(self._situation.settings, call, answer)) is not None:
            self._mind(infraction, answer)
        return answer

    def _ask_rival(self, call: Call) -> Message | Failure:
        return disconnected("this rival has left") if self._leaves(call) else reply_of(self._rivals[call.seat], call)

    def _mind(self, infraction: Infraction, answer: Message | Failure) -> None:
        """What the referee forgives ends the game as misconduct would, if it is grave enough or too much."""
        found = self._trial
        found.infraction_count += 1
        if infraction.counts(found.scenario.level) or found.infraction_count >= MAX_INFRACTIONS:
            cause = cause_of(self._game, infraction, answer)
            found.misconduct = self._transcript.build_misconduct(Eliminate(self._situation.seat, cause))

    def _leaves(self, call: Call) -> bool:
        """Whether the rival that is called is lost."""
        if call.seat != self._trial.scenario.leaver:
            return False
        self._leaver_decisions += call.kind is not CallKind.NOTIFICATION
        return self._leaver_decisions > 1


def _rivals(game: Game, scenario: Scenario) -> Mapping[int, object]:
    rng, names = Random(scenario.seed), rival_names(game)
    situation = scenario.situation
    return {seat: game.player(rng.choice(names)) for seat in range(situation.player_count) if seat != situation.seat}
