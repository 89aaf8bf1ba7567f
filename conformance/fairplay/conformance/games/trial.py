"""Trials: games with the player under test in one seat and reference players in the others.

They drive the referee's own conversations.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.message import Message

from fairplay.conformance.case import LeftOut, NotTested, SuiteError
from fairplay.conformance.games.guises import USUAL_GUISE, Guise, names_of
from fairplay.conformance.games.races import Races
from fairplay.conformance.games.rivals import Departure, Rivals, StandIn, rival_names
from fairplay.conformance.player.player import Answered, Connection
from fairplay.games.conformance import FirstCall, Infraction, Level, Situation, find_conformance
from fairplay.games.game import Game
from fairplay.games.kit.conformance import cause_of
from fairplay.games.machine import GameMachine
from fairplay.games.steps import (
    FAILURES,
    Arrival,
    Call,
    CallKind,
    Eliminate,
    Failure,
    Joined,
    Method,
    Race,
    Show,
    Step,
    calls_in,
    join_answers,
)
from fairplay.games.transcript import Transcript, game_rng
from fairplay.player.handlers import reply_of
from fairplay.server.game.plans import seconds
from fairplay.server.links.link import disconnected
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.misconduct_pb2 import Misconduct, MisconductKind, Overrun

TESTED = "tested"
"""What evidence calls the player under test. In its games it has an ordinary name."""
MAX_INFRACTIONS = 100
"""A player with so many infractions in a game cannot play it, however little each costs: games would not end."""
RETURNED = disconnected("the player ended its connection in the middle of the game, and dialled in anew")
Turn: TypeAlias = Callable[[], AbstractAsyncContextManager[None]]
"""Returns the context of a call to the player under test, whose beginning waits until the call may be made."""


class Outgoing(NamedTuple):
    """A call to the player under test that is due."""

    number: int
    """The number among its calls of the game, from 0."""
    decision: int
    """How many decisions it has made before."""
    call: Call
    request: bytes
    """What is sent."""
    limit_s: float
    guise: Guise = USUAL_GUISE


def _serialize(request: Message, _: int) -> bytes:
    return request.SerializeToString()


def may_use_a_bank(due: Outgoing) -> bool:
    """Return whether a bank extends the limit of a call."""
    return due.call.kind is not CallKind.NOTIFICATION and due.call.limit_s is None


async def _ask(connection: Connection, due: Outgoing) -> Answered:
    bank_s = due.guise.value("bank") if may_use_a_bank(due) else 0.0
    extra = due.guise.value("metadata")
    return await connection.ask(due.call.method, due.request, due.limit_s + bank_s, bank_s, extra)


class Manner(NamedTuple):
    """How the player under test is called in a game; by default as by a referee that does nothing unusual."""

    encode: Callable[[Message, int], bytes] = _serialize
    """(request, number of the call in the game, from 0) -> the bytes that are sent."""
    ask: Callable[[Connection, Outgoing], Awaitable[Answered]] = _ask
    """Makes a call, and returns its outcome."""
    head_start_s: float = 0.0
    """How long rivals that do not wait for the player in a race give it before they answer."""


USUAL = Manner()


@dataclass(frozen=True, slots=True)
class CallLimits:
    """The seconds that the player has for each kind of call."""

    notification_s: float
    decision_s: float
    first_decision_s: float

    @classmethod
    def of(cls, control: TimeControl) -> CallLimits:
        """Return the limits of a full time control."""
        return cls(*(seconds(getattr(control, f"{name.removesuffix('_s')}_limit")) for name in cls.__slots__))

    @property
    def in_ms(self) -> Mapping[str, int]:
        """Return the limits by name, in milliseconds."""
        return {name.removesuffix("_s"): round(limit_s * 1000) for name, limit_s in asdict(self).items()}

    def limit_s(self, call: Call) -> float:
        """Return the limit of a call."""
        if call.limit_s is not None:
            return call.limit_s
        named = {CallKind.NOTIFICATION: self.notification_s, CallKind.DECISION: self.decision_s}
        return named.get(call.kind, self.first_decision_s)


class Scenario(NamedTuple):
    """A game to be played. The same name and seed give the same game, if the player under test does the same."""

    name: str
    """Unique among the games of a run, for evidence: the id of the game does not show it."""
    situation: Situation
    seed: int
    level: Level = Level.MUST
    """Infractions of this level, and graver ones, are misconduct here."""
    departures: tuple[Departure, ...] = ()
    """The rivals that leave the game on the way."""
    rivals_wait: bool = True
    """Whether rivals mostly wait for the player under test in races; False: never."""
    joins: FirstCall | None = None
    """When the player under test comes into the game, as after a restart. None: it is there from the beginning."""
    newcomers: tuple[int, ...] = ()
    """After how many decisions of the player under test others join, in games that allow it."""
    may_take_s: float = 0.0
    """The game may take so long, if that is more than its share of the budget."""
    asked_again: int = 0
    """The number of the decision that is asked for twice, as by a server that was started anew; 0: none is."""
    guise: Guise | None = None
    """None: one that follows from all of these, and in unusual manners the usual one."""

    @property
    def text(self) -> str:
        """Return which game it is, for people."""
        count = self.situation.turn_count
        length = f"{count} decision{'s' if count > 1 else ''}" if count else "to its end"
        return f"the game {self.name}, {length}"


class Exchange(NamedTuple):
    """A call to the player under test, and its answer."""

    method: Method
    request: bytes
    kind: CallKind
    limit_s: float
    elapsed_s: float
    answer: Message | Failure


class Entry(NamedTuple):
    """What was asked of a player at one time: games side by side, a call, or anything else that can be asked again."""

    replay: Callable[[Connection], Sequence[Trial]]
    """Asks the same on another connection, and returns the trials of the games."""
    text: str
    """What it was, for people."""
    scenarios: Sequence[Scenario] = ()
    """The scenarios of games that are played as any other; empty if there was something special about them."""
    call_count: int = 0
    """How many calls it took."""
    is_single_call: bool = False
    """Whether it is a call outside a game, e.g. Describe."""


@dataclass(slots=True)
class Trial:
    """A game that was played: to the end of its scenario, or until misconduct of the player under test."""

    scenario: Scenario
    exchanges: list[Exchange] = field(default_factory=list)
    misconduct: Misconduct | None = None
    decision_count: int = 0
    """How many decisions the player under test has made."""
    infraction_count: int = 0
    """How many answers were infractions: wrong, but not eliminated for."""
    shown: Any = None
    """The last state, as the game shows it."""

    output: str = ""
    """What the player's process had written by then."""
    output_bytes: int = 0
    """How much it has written in this game, and in others at the same time."""
    is_cut: bool = False
    """Whether the game was left early for want of time."""
    left: Sequence[int] = ()
    """The seats of the rivals that have left before another call to the player under test, in this order."""
    left_out: LeftOut | None = None
    """Why a reference player has answered a call to the player under test; None: it has answered all."""
    has_races: bool = False
    """Whether players answer in races, in which the first answer counts."""
    had_past: bool = False
    """Whether the player had been called on this connection before."""
    past: Sequence[Entry] = ()
    """What had been asked on this connection before, from the first call on; empty if not all of it is known."""
    was_late: bool = False
    """Whether the same game had an answer that came too late at first, on a machine that was busy with other work."""
    life: Sequence[Entry] = ()
    """What a player that is never new had been asked before, on all connections; empty for one that can be new."""
    wrong_in_guise: NotTested | None = None
    """What went wrong in the same game in an unusual guise, and not in this one; None: nothing, as far as is known."""
    entry: Entry | None = None
    """What the game was a part of, as it can be asked again; None: it cannot."""

    @property
    def is_late(self) -> bool:
        """Return whether an answer came too late, or never."""
        return self.misconduct is not None and self.misconduct.kind == MisconductKind.MISCONDUCT_KIND_TIMEOUT

    @property
    def opening(self) -> Sequence[Exchange]:
        """Return the calls up to the first decision; none if the player has made none."""
        first = next(
            (number for number, each in enumerate(self.exchanges) if each.kind is not CallKind.NOTIFICATION), -1
        )
        return self.exchanges[: first + 1]

    @property
    def mean_decision_s(self) -> float:
        """Return how long a decision of the player under test took on average, in seconds; 0.0 if it made none."""
        times = [each.elapsed_s for each in self.exchanges if each.kind is not CallKind.NOTIFICATION]
        return sum(times) / max(1, len(times))

    @property
    def first_decision_s(self) -> float:
        """Return how long the first decision of the player under test took, in seconds; 0.0 if it made none."""
        return self.opening[-1].elapsed_s if self.opening else 0.0


def seat_names(situation: Situation) -> list[str]:
    """Return what evidence calls the players of a game, by seat."""
    return [TESTED if seat == situation.seat else f"rival-{seat}" for seat in range(situation.player_count)]


async def play_trial(
    game: Game,
    connection: Connection,
    scenario: Scenario,
    limits: CallLimits,
    game_id: str,
    manner: Manner = USUAL,
    turn: Turn = nullcontext,
) -> Trial:
    """Play a game.

    Raises NotTested if the player does not answer such calls any more, and SuiteError if a game or a reference player
    is wrong.
    """
    return await _Driver(game, connection, scenario, limits, manner, turn).play(game_id)


class _Driver:
    """Drives the conversation of one game."""

    def __init__(
        self,
        game: Game,
        connection: Connection,
        scenario: Scenario,
        limits: CallLimits,
        manner: Manner,
        turn: Turn,
    ) -> None:
        self._situation = scenario.situation
        self._connection = connection
        self._limits = limits
        self._manner = manner
        self._turn = turn
        self._game = game
        self._find_infraction = find_conformance(game.name).find_infraction
        rng, situation = Random(f"{scenario.seed}/names"), self._situation
        count = situation.player_count + len(scenario.newcomers)
        self._guise = scenario.guise or USUAL_GUISE
        names = names_of(self._guise, connection.player_name, situation.seat, count, rng)
        self._names, self._newcomers = names[: situation.player_count], names[situation.player_count :]
        self._transcript = Transcript(self._names)
        self._rivals = Rivals(game, self._situation, scenario.seed, scenario.departures)
        seat, head_start_s = self._situation.seat, manner.head_start_s
        self._races = Races(self._ask, seat, Random(scenario.seed), self._is_eager, head_start_s)
        self._trial = Trial(scenario, had_past=connection.call_count > connection.described)
        self._returned_before = 0
        """How often the player had come back by itself when it had answered for the first time."""
        self._began = asyncio.get_running_loop().time()
        self._stand_in = StandIn(game, scenario.joins, situation.rivals, situation.rivals_late_in)

    async def play(self, game_id: str) -> Trial:
        trial, situation, before = self._trial, self._situation, self._output_bytes
        try:
            rng = game_rng(trial.scenario.seed)
            machine = GameMachine(self._game.play(game_id, situation.settings, self._names, rng, situation.state))
        except ValueError as error:
            raise SuiteError(f"the game {trial.scenario.name} cannot be played: {error}") from error
        try:
            machine.begin()
            while trial.misconduct is None and (step := machine.step) is not None and not self._has_seen_all(step):
                machine.answer(await self._answer(step))
        finally:
            self._connection.plays = machine.step is not None
            self._races.end()
            machine.close()
        if trial.left_out is not None and not trial.decision_count:
            raise trial.left_out
        if trial.misconduct is None and trial.exchanges and self._connection.return_count > self._returned_before:
            trial.misconduct = self._transcript.build_misconduct(Eliminate(situation.seat, RETURNED))
        trial.output, trial.output_bytes = self._connection.output, self._output_bytes - before
        return trial

    @property
    def _output_bytes(self) -> int:
        process = self._connection.process
        return 0 if process is None else process.output_bytes

    def _has_seen_all(self, step: Step) -> bool:
        """Return whether the player has made its decisions, and the next step shows that the last was accepted.

        A game that has taken too much time is over earlier.
        """
        if not calls_in(step):
            return False
        count = self._trial.decision_count
        elapsed_s = asyncio.get_running_loop().time() - self._began
        scenario = self._trial.scenario
        about = max([scenario.asked_again, *(departure.after for departure in scenario.departures)])
        self._trial.is_cut = self._connection.budget.is_spent_on(elapsed_s, count - about, scenario.may_take_s)
        return self._trial.is_cut or 0 < self._situation.turn_count <= count

    async def _answer(self, step: Step) -> Any:
        self._rivals.enter(step)
        calls = calls_in(step)
        if any(call.seat == self._situation.seat for call in calls):
            self._trial.left = [*self._rivals.failed]
        if isinstance(step, Race):
            self._trial.has_races = True
            return [*self._join(step), *await self._races.run(step)]
        if isinstance(step, Show):
            self._trial.shown = step.state
        elif isinstance(step, Eliminate):
            self._eliminate(step)
        # A single call has no task of its own, so that rivals answer at once: games at the same time take turns then.
        answers = [await self._ask(*calls)] if len(calls) == 1 else await asyncio.gather(*map(self._ask, calls))
        self._judge_failures(calls, answers)
        arrivals = [Arrival(call.seat, answer, 0.0) for call, answer in zip(calls, answers, strict=True)]
        return join_answers(step, arrivals)

    def _join(self, race: Race) -> Sequence[Arrival]:
        """Let another player join if it is time, in the same moment as what comes in next."""
        after = self._trial.scenario.newcomers[-len(self._newcomers) :]
        if not self._newcomers or race.next_seat is None or self._trial.decision_count < after[0]:
            return ()
        self._transcript.players.append(self._newcomers.pop(0))
        return (Arrival(race.next_seat, Joined(), 0.0),)

    def _judge_failures(self, calls: Sequence[Call], answers: Sequence[Message | Failure]) -> None:
        """Treat a failed call as misconduct, also in games that go on with a player whose call has failed.

        The rules of a game may make a late answer a legal one where they set the limit. Races are judged by the game
        alone: a call that others have won is not held against anybody.
        """
        for call, answer in zip(calls, answers, strict=True):
            if call.seat != self._situation.seat or not isinstance(answer, FAILURES):
                continue
            if call.limit_s is None or not isinstance(answer, Overrun):
                self._trial.misconduct = self._transcript.build_misconduct(Eliminate(call.seat, answer))

    def _eliminate(self, step: Eliminate) -> None:
        scenario = self._trial.scenario
        if step.seat == self._situation.seat:
            self._trial.misconduct = self._transcript.build_misconduct(step)
        elif not self._rivals.may_leave(step.seat):
            raise SuiteError(f"a reference player was eliminated in {scenario.name}: {step.cause}")

    async def _ask(self, call: Call) -> Message | Failure:
        if call.seat != self._situation.seat:
            return self._rivals.answer(call, self._trial.decision_count)
        if self._stand_in.answers(call):
            return self._stand_in.answer(call)
        asked, limit_s, number = self._transcript.ask(call), self._limit_s(call), len(self._trial.exchanges)
        is_usual = self._manner.encode is _serialize
        request = self._guise.value("form")(call.request) if is_usual else self._manner.encode(call.request, number)
        due = Outgoing(number, self._trial.decision_count, call, request, limit_s, self._guise)
        try:
            async with self._turn():
                outcome, elapsed_s = await self._manner.ask(self._connection, due)
                if isinstance(outcome, bytes) and self._is_asked_again(call):
                    outcome, elapsed_s = await self._manner.ask(self._connection, due)
        except LeftOut as refusal:
            return self._answer_instead(call, refusal)
        answer = self._transcript.parse_outcome(asked, outcome)
        if not self._trial.exchanges:
            self._returned_before = self._connection.return_count
        self._trial.exchanges.append(Exchange(call.method, request, call.kind, limit_s, elapsed_s, answer))
        self._trial.decision_count += call.kind is not CallKind.NOTIFICATION
        if (infraction := self._find_infraction(self._situation.settings, call, answer)) is not None:
            self._count(infraction, answer)
        return answer

    def _answer_instead(self, call: Call, refusal: LeftOut) -> Message:
        """Return the answer of a reference player to a call that is left out: what comes after it is still asked.

        Raises the refusal where the game is about that call, and where the player hangs in it on this connection.
        """
        is_the_question = call.kind is not CallKind.NOTIFICATION and self._situation.turn_count > 0
        if is_the_question or self._connection.lost:
            raise refusal
        self._trial.left_out = refusal
        return reply_of(self._game.player(rival_names(self._game)[0]), call)

    def _is_asked_again(self, call: Call) -> bool:
        number = self._trial.decision_count + 1
        return call.kind is not CallKind.NOTIFICATION and self._trial.scenario.asked_again == number

    def _limit_s(self, call: Call) -> float:
        """Return the limit of a call; the first one to a new process that joins has that of first decisions, too."""
        limit_s = self._limits.limit_s(call)
        is_new = self._trial.scenario.joins is not None and not self._trial.had_past
        begins = is_new and not self._trial.exchanges and call.limit_s is None
        return max(limit_s, self._limits.first_decision_s) if begins else limit_s

    def _count(self, infraction: Infraction, answer: Message | Failure) -> None:
        """Treat an infraction as misconduct if it is grave enough, or one too many."""
        trial = self._trial
        trial.infraction_count += 1
        if infraction.counts(trial.scenario.level) or trial.infraction_count >= MAX_INFRACTIONS:
            cause = cause_of(self._game, infraction, answer)
            trial.misconduct = self._transcript.build_misconduct(Eliminate(self._situation.seat, cause))

    def _is_eager(self, call: Call) -> bool:
        """Return whether a rival does not wait for the player under test in a race."""
        waits = self._trial.scenario.rivals_wait and not self._rivals.hurries(call)
        return not waits or self._rivals.fails(call, self._trial.decision_count)
