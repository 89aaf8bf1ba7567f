"""A game as a state machine without I/O: whom it waits for, which answer counts, and what comes of it.

It drives a conversation, alone in knowing how. A live referee reports what comes from players and from the clock, and
makes and cancels the calls that the machine opens; a replay reports what a record tells; a simulation answers each step
at once. The entries of the record and the news for spectators come out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple, TypeAlias

from fairplay.games.race import RaceState
from fairplay.games.steps import (
    Arrival,
    Call,
    CallAll,
    Conversation,
    Eliminate,
    Failure,
    Joined,
    Outcome,
    Race,
    Show,
    Step,
    answer_step,
    join_answers,
)
from fairplay.games.transcript import Answer, Asked, Transcript, recorded_s
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import Misconduct

News: TypeAlias = Show | Misconduct | Player
"""What spectators are told: a state, an elimination, or a player that has joined behind all others."""


class Change(NamedTuple):
    """What a driver has to do when a step is opened: cancel first, then send."""

    cancel: Sequence[int]
    """The seats whose open calls nobody wants any more."""
    send: Sequence[Asked]


class _Answered(NamedTuple):
    """An answered or failed call of a race that does not count yet."""

    asked: Asked
    outcome: bytes | Answer
    elapsed_s: float


class _Joining(NamedTuple):
    """A player that joins, which does not count yet."""

    player: Player
    elapsed_s: float


class GameMachine:
    """The course of one game.

    `step` is what the conversation waits for, None before it begins and once it is over: then it has an `outcome`.
    `shown` is the last state; `event_count` counts the news. All times are seconds of one clock that never goes back.

    `append` takes the entries of the record, if there is one; `tell` takes news; `lot` orders what arrives in a race at
    one instant. While a record is `replayed` its misconducts come from it, and nothing is appended.
    """

    def __init__(
        self,
        conversation: Conversation,
        players: Sequence[str] = (),
        append: Callable[[bytes], None] | None = None,
        tell: Callable[[News], None] = lambda _: None,
        lot: Random | None = None,
    ) -> None:
        self.transcript = Transcript(players, append)
        self.tell = tell
        self.replayed = False
        self.step: Step | None = None
        self.shown: Show | None = None
        self.event_count = 0
        self.outcome: Outcome | None = None
        self.open_calls: dict[int, Asked] = {}
        """The calls that wait for their outcome, by seat."""
        self.arrivals: list[Arrival] = []
        """The answers to the step that are in, where it waits for more."""
        self._conversation = conversation
        self._race = RaceState[_Answered | _Joining](lot or Random())
        self.is_open = False
        """Whether the calls of the step have been opened."""
        self._opened: Step | None = None
        self._opened_at = 0.0
        self._recorded_count = 0

    # --- the conversation ---

    def begin(self) -> None:
        """Turn to the first step."""
        self._send(None)

    def play(self, answer: Callable[[Call], Any]) -> Iterator[Step]:
        """Play on with `answer` in place of the players, in this thread; yield each step before it is answered.

        For simulations and whoever wants a game without a referee: nothing is recorded or told. Who stops early can
        answer the step in another way, and play on.
        """
        if self.step is None and self.outcome is None:
            self._send(None)
        while (step := self.step) is not None:
            yield step
            self.answer(answer_step(step, answer))

    def finish(self, answer: Callable[[Call], Any]) -> Outcome:
        """Play on to the end, with `answer` in place of the players, and return the outcome."""
        for _ in self.play(answer):
            continue
        assert self.outcome is not None
        return self.outcome

    def answer(self, answer: Any) -> None:
        """Answer the step, as its class says, and turn to the next one."""
        if isinstance(self.step, Show):
            self.shown = self.step
        self._send(answer)

    def _send(self, answer: Any) -> None:
        self.is_open = False
        self.arrivals = []
        try:
            self.step = self._conversation.send(answer)
        except StopIteration as stop:
            self.step, self.outcome = None, stop.value

    def close(self) -> None:
        """Leave the game as it stands."""
        self._close_calls()
        self._conversation.close()

    def go_on(self) -> bool:
        """Tell and record what waits for nobody, up to a step that does, which is left to be opened."""
        step = self.step
        while isinstance(step, (Show, Eliminate)):
            if isinstance(step, Show):
                self.shown = step
                self._tell(step)
            elif self.replayed:
                break
            else:
                self._tell(self.transcript.record_misconduct(step))
            self._send(None)
            step = self.step
        return True

    def _tell(self, news: News) -> None:
        self.event_count += 1
        self.tell(news)

    def _turn(self, answer: Any) -> None:
        self._send(answer)
        self.go_on()

    # --- the calls ---

    def open(self, now: float) -> Change:
        """Open the calls of the step: number those that are new. Call it once for each step, when it may begin."""
        step = self._opened = self.step
        self._opened_at = now
        self.is_open = True
        if isinstance(step, Race):
            cancel, send = self._race.start(step, now)
            for seat in cancel:
                del self.open_calls[seat]
            return Change(cancel, [self._ask(call) for call in send])
        cancel = [*self.open_calls]  # of a race
        if not self._race.is_idle:
            self.open_calls.clear()
            self._race.clear()
        if isinstance(step, Call):
            return Change(cancel, (self._ask(step),))
        in_already = {arrival.seat for arrival in self.arrivals}
        calls = step.calls if isinstance(step, CallAll) else ()
        return Change(cancel, [self._ask(call) for call in calls if call.seat not in in_already])

    def _ask(self, call: Call) -> Asked:
        asked = self.open_calls[call.seat] = self.transcript.ask(call)
        return asked

    @property
    def next_seat(self) -> int | None:
        """Return the seat that a player gets who joins now; None if nobody can."""
        return self._opened.next_seat if isinstance(self._opened, Race) else None

    @property
    def due_at(self) -> float | None:
        """Return when `tick` is due; None if the game waits for players alone, or its step is not open."""
        step = self._opened
        if not self.is_open or isinstance(step, Call):
            return None
        if isinstance(step, Race):
            return self._race.due_at
        return None if self.open_calls else self._opened_at

    # --- what a live driver reports ---

    def record_outcome(self, seat: int, outcome: bytes | Answer, elapsed_s: float, now: float) -> bool:
        """Take the outcome of an open call. Return whether the game has gone on to another step.

        In a race it counts when `tick` is due.
        """
        asked, step = self.open_calls.pop(seat), self._opened
        if isinstance(step, Race):
            self._race.arrive(seat, _Answered(asked, outcome, elapsed_s), now)
            return False
        answer = self.transcript.record_outcome(asked, outcome, elapsed_s)
        if isinstance(step, Call):
            self._turn(answer)
            return True
        self.arrivals.append(Arrival(seat, answer, elapsed_s))
        if self.open_calls:
            return False
        assert step is not None
        self._turn(join_answers(step, self.arrivals))
        return True

    def join(self, player: Player, now: float) -> None:
        """Let a player join at `next_seat`. If another race is opened before that counts, it must again."""
        assert self.next_seat is not None
        self._race.arrive(self.next_seat, _Joining(player, now - self._opened_at), now)

    def tick(self, now: float) -> bool:
        """Let count what is due. Return whether the game has gone on to another step."""
        due_at = self.due_at
        if due_at is None or due_at > now:
            return False
        if not isinstance(self._opened, Race):
            self._turn({arrival.seat: arrival.answer for arrival in self.arrivals})
            return True
        ready = self._race.take(now)
        arrivals = [self._record(each, more_follow=number < len(ready)) for number, each in enumerate(ready, 1)]
        for each in ready:
            if isinstance(each, _Joining):
                self._tell(each.player)
        self._turn(arrivals)
        return True

    def _record(self, ready: _Answered | _Joining, *, more_follow: bool) -> Arrival:
        elapsed_s = recorded_s(ready.elapsed_s)
        if isinstance(ready, _Joining):
            seat = self.transcript.record_join(ready.player, ready.elapsed_s, more_follow=more_follow)
            return Arrival(seat, Joined(), elapsed_s)
        asked, outcome, _ = ready
        answer = self.transcript.record_outcome(asked, outcome, ready.elapsed_s, more_follow=more_follow)
        return Arrival(asked.call.seat, answer, elapsed_s)

    # --- what a record tells ---

    def apply_outcome(self, seat: int, outcome: bytes | Failure, elapsed_s: float) -> Answer:
        """Take the outcome of an open call, and return the parsed answer."""
        asked = self.open_calls.pop(seat)
        self._recorded_count = max(self._recorded_count, asked.number)
        self._race.settle(seat)
        answer = self.transcript.parse_outcome(asked, outcome)
        self.arrivals.append(Arrival(seat, answer, elapsed_s))
        return answer

    def apply_join(self, player: Player, elapsed_s: float) -> None:
        """Let a player join."""
        self.arrivals.append(Arrival(len(self.transcript.players), Joined(), elapsed_s))
        self.transcript.players.append(player.name)
        self._tell(player)

    def apply_instant(self, *, more_follow: bool) -> None:
        """Go on, if the step waits for nothing more; in a race `more_follow` says whether it does."""
        if not (more_follow if isinstance(self.step, Race) else self.open_calls):
            assert self.step is not None
            self._turn(join_answers(self.step, self.arrivals))

    def apply_misconduct(self, misconduct: Misconduct) -> None:
        """Go on from an elimination."""
        self._tell(misconduct)
        self._turn(None)

    def rewind(self) -> None:
        """Close the open calls and free their numbers: when the game goes on they are made again.

        Of arrivals at one instant, those that were recorded are taken by themselves.
        """
        if self.arrivals and isinstance(self.step, Race):
            self._turn(self.arrivals)
        self.transcript.call_count = self._recorded_count
        self._close_calls()

    def _close_calls(self) -> None:
        self.is_open = False
        self._opened = None
        self.open_calls.clear()
        self._race.clear()


def drive(conversation: Conversation, answer: Callable[[Call], Any]) -> Outcome:
    """Drive a conversation to its end in this thread, with `answer` in place of the players.

    For simulations, tests and whoever wants a whole game without a server.
    """
    return GameMachine(conversation).finish(answer)
