"""The replayer: it plays a game again, an entry of its record at a time, by feeding the outcomes to the conversation.

Resuming after a crash, verifying, showing to spectators and drawing states all go through it. It takes nothing on
trust: each entry must be what the rules lead to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from google.protobuf.message import DecodeError, Message

from fairplay.games import evidence
from fairplay.games.envelopes import unwrap
from fairplay.games.game import Game
from fairplay.games.steps import (
    Arrival,
    Call,
    Conversation,
    Eliminate,
    Joined,
    Outcome,
    Race,
    Show,
    Step,
    calls_in,
    join_answers,
)
from fairplay.games.transcript import Answer, Asked, Transcript, game_result, game_rng, read_outcome
from fairplay.server.game.plans import any_link, full_game_plan
from fairplay.server.records.errors import Diverged, sound
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.record_pb2 import RecordedCall, RecordedJoin, RecordedResult, RecordEntry
from fairplay.v1.result_pb2 import GameResult

Find: TypeAlias = Callable[[str], Game]
"""Return a game by its name, as fairplay.games.game.find does."""


class Called(NamedTuple):
    """A call was answered or failed. `entry` is the number of the entry, from 1; `number` that of the call."""

    entry: int
    number: int
    call: Call
    answer: Answer
    elapsed_s: float


class Shown(NamedTuple):
    """The state after the entry. `sequence` counts the states and eliminations of the game, from 1.

    `time_ns` is when it was, in nanoseconds since 1970, from the beginning of the game and the time that calls took.
    """

    entry: int
    sequence: int
    state: object
    time_ns: int


class Eliminated(NamedTuple):
    """A player was eliminated."""

    entry: int
    sequence: int
    misconduct: Misconduct
    time_ns: int


class Newcomer(NamedTuple):
    """A player that has joined a game that goes on. `sequence` and `time_ns` are as in Shown."""

    sequence: int
    seat: int
    player: Player
    time_ns: int


class Came(NamedTuple):
    """A player has joined."""

    entry: int
    newcomer: Newcomer

    @property
    def sequence(self) -> int:
        """Return the number of the event, as in Shown."""
        return self.newcomer.sequence


class Ended(NamedTuple):
    """The game is over. The last event."""

    entry: int
    sequence: int
    result: GameResult
    time_ns: int


Event: TypeAlias = Called | Shown | Eliminated | Came | Ended


class Replayer:
    """A game that is played again, an entry at a time. Raises Diverged if an entry is not what the rules lead to.

    `start` is the first state that the conversation showed, `shown` the last one; `newcomers` are the players that have
    joined since the game began.

    After the last entry it tells where the game stands: what the conversation waits for, in `step`, with the `answers`
    that are in where several players are asked at once; or its `outcome`; or the `error` with which the rules failed.
    `append` takes the entries that follow when the game goes on. `find` gets the game by its name.
    """

    def __init__(self, header: RecordEntry, append: Callable[[bytes], None], find: Find) -> None:
        if header.WhichOneof("entry") != "game":
            raise Diverged(1, "the record does not begin with the header of a game")
        self.header = header.game
        self.entry = 1
        with sound(1):
            self.time_ns = header.game.start_time.ToNanoseconds()
        self._sent_ns: dict[int, int] = {}  # when each call that waits was sent, by its number
        self.step: Step | None = None
        self.calls: list[tuple[Call, float]] = []  # with the seconds that each took
        self.start: Show | None = None
        self.shown: Show | None = None
        self.event_count = 0
        self.outcome: Outcome | None = None
        self.error: Exception | None = None
        self.result: GameResult | None = None
        self.newcomers: list[Newcomer] = []
        self.transcript = Transcript([player.name for player in header.game.plan.players], append)
        self._waiting: dict[int, Asked] = {}
        self._racing: dict[int, Asked] = {}  # the open calls of a race, over the steps that do not wait for them
        self._arrivals: list[Arrival] = []
        self._recorded_count = 0
        self._events: list[Event] = []
        with sound(1, "the game cannot be played"):
            self.conversation = self._conversation(find)
            self._advance(None)

    @property
    def answers(self) -> dict[int, Answer]:
        """Return the answers of the step that are in, by seat, where several players are asked at once."""
        return {arrival.seat: arrival.answer for arrival in self._arrivals}

    def events(self) -> list[Event]:
        """Return what has happened since the last call of this method."""
        events, self._events = self._events, []
        return events

    def feed(self, entry: RecordEntry) -> None:
        """Take the next entry. Raises Diverged if it is not what the rules lead to."""
        self.entry += 1
        with sound(self.entry):
            self._feed(entry)

    def _feed(self, entry: RecordEntry) -> None:
        if self.result is not None:
            raise self._diverged("it comes after the end of the game")
        match entry.WhichOneof("entry"):
            case "call":
                self._call(entry.call)
            case "joined":
                self._join(entry.joined)
            case "misconduct":
                self._misconduct(entry.misconduct)
            case "result":
                self._end(entry.result)
            case "resumed":
                self.rewind()
                self._waiting = {seat: self.transcript.ask(asked.call) for seat, asked in self._waiting.items()}
                self._racing = self._waiting
                self.time_ns = max(self.time_ns, entry.resumed.time.ToNanoseconds())
                self._note_sent()
            case other:
                raise self._diverged(f"{other or 'an empty entry'} does not belong in the record of a game")

    def rewind(self) -> None:
        """Free the numbers of calls that were open when the server ended: they are made again.

        Of arrivals at one instant, those that were recorded are taken by themselves.
        """
        if self._arrivals and isinstance(self.step, Race):
            self._answered()
        self.transcript.call_count = self._recorded_count

    def _conversation(self, find: Find) -> Conversation:
        """Return the conversation from the recorded start state; of a header without one, from what its plan draws."""
        header = self.header
        plan = full_game_plan(header.plan, any_link, find)
        self._game = played = find(plan.game)
        settings = played.full_settings(unwrap(plan.settings, played, played.settings_type) or played.settings_type())
        given = unwrap(plan.initial_state, played, played.state_type)
        start = unwrap(header.start_state, played, played.state_type)
        rng, names = game_rng(plan.seed), tuple(self.transcript.players)
        if start is None:
            return played.play(header.game_id, settings, names, rng, given)
        played.check_state(settings, start)
        if given is not None:
            shown = next(played.play(header.game_id, settings, names, rng, given))
            _check_start(start, given, played.full_state(shown.state) if isinstance(shown, Show) else start)
        return played.play(header.game_id, settings, names, rng, start, fresh=given is None)

    def _advance(self, answer: object) -> None:
        self.step, self._arrivals, self._waiting = None, [], {}
        try:
            step = self.conversation.send(answer)
            while not self._take(step):
                step = self.conversation.send(join_answers(step, ()))
        except StopIteration as stop:
            self.outcome = stop.value
        except Exception as error:
            # The referee itself has failed here. The record must say so too: that is checked with the next entry.
            self.error = error

    def _take(self, step: Step) -> bool:
        """Handle a step, and return whether it waits for an entry."""
        if isinstance(step, Show):
            self.event_count += 1
            self.shown = step
            self.start = self.start or step
            self._events.append(Shown(self.entry, self.event_count, step.state, self.time_ns))
            return False
        self._wait_for(step)
        waits = bool(self._waiting) or isinstance(step, Eliminate)
        self.step = step if waits else None
        return waits

    def _wait_for(self, step: Step) -> None:
        if isinstance(step, Race):
            before = self._racing
            self._racing = self._waiting = {
                call.seat: asked
                if (asked := before.get(call.seat)) is not None and asked.call is call
                else self.transcript.ask(call)
                for call in step.calls
            }
        elif not isinstance(step, Eliminate):
            self._racing, self._waiting = {}, {call.seat: self.transcript.ask(call) for call in calls_in(step)}
        self._note_sent()

    def _note_sent(self) -> None:
        numbers = [asked.number for asked in self._waiting.values()]
        self._sent_ns = {number: self._sent_ns.get(number, self.time_ns) for number in numbers}
        self._waiting_since_ns = self.time_ns

    def _call(self, call: RecordedCall) -> None:
        asked = self._waiting.get(call.seat)
        if asked is None:
            raise self._diverged(f"seat {call.seat} was called, but {self.due()}")
        self._check(call, asked)
        del self._waiting[call.seat]
        answer = self.transcript.parse_outcome(asked, read_outcome(call))
        elapsed_s = call.elapsed.seconds + call.elapsed.nanos / 1e9
        self.time_ns = max(self.time_ns, self._sent_ns[call.number] + call.elapsed.ToNanoseconds())
        self._recorded_count = max(self._recorded_count, call.number)
        self.calls.append((asked.call, elapsed_s))
        self._events.append(Called(self.entry, call.number, asked.call, answer, elapsed_s))
        self._arrivals.append(Arrival(call.seat, answer, elapsed_s))
        if not (call.more_follow if isinstance(self.step, Race) else self._waiting):
            self._answered()

    def _join(self, joined: RecordedJoin) -> None:
        if joined.seat != self._next_seat:
            raise self._diverged(f"a player has joined in seat {joined.seat}, but {self.due()}")
        if joined.player.name in self.transcript.players:
            raise self._diverged(f"a player has joined under the name of another one, {joined.player.name}")
        self._check_more_follow(joined.more_follow, len(self._waiting))
        self.transcript.players.append(joined.player.name)
        self.time_ns = max(self.time_ns, self._waiting_since_ns + joined.elapsed.ToNanoseconds())
        self.event_count += 1
        newcomer = Newcomer(self.event_count, joined.seat, joined.player, self.time_ns)
        self.newcomers.append(newcomer)
        self._events.append(Came(self.entry, newcomer))
        self._arrivals.append(Arrival(joined.seat, Joined(), joined.elapsed.seconds + joined.elapsed.nanos / 1e9))
        if not joined.more_follow:
            self._answered()

    @property
    def _next_seat(self) -> int | None:
        """Return the seat of a player who joins in the entry that comes; None if nobody can."""
        if not isinstance(self.step, Race) or any(isinstance(each.answer, Joined) for each in self._arrivals):
            return None
        return self.step.next_seat

    def _check_more_follow(self, more_follow: bool, left: int) -> None:
        """Check whether another answer can have come in the same moment, where so many are left."""
        if more_follow and not (isinstance(self.step, Race) and left):
            raise self._diverged("it says that another answer came in the same moment, which cannot be")

    def _answered(self) -> None:
        assert self.step is not None
        self._advance(join_answers(self.step, self._arrivals))

    def _check(self, call: RecordedCall, asked: Asked) -> None:
        method = asked.call.method
        if call.method_name != method.path:
            raise self._diverged(f"seat {call.seat} was called with {call.method_name}, but {self.due()}")
        if call.request != asked.request and not _same(asked.call, call.request, self._game):
            raise self._diverged(f"the request of {method.name} to seat {call.seat} is not the one that the rules make")
        if call.number != asked.number:
            raise self._diverged(f"the call has the number {call.number}, but it is call {asked.number}")
        self._check_more_follow(call.more_follow, len(self._waiting) - 1 + (self._next_seat is not None))
        if call.WhichOneof("outcome") is None:
            raise self._diverged("it does not say how the call ended")

    def _misconduct(self, recorded: Misconduct) -> None:
        if not isinstance(self.step, Eliminate):
            raise self._diverged(f"seat {recorded.seat} was eliminated, but {self.due()}")
        due = self.transcript.build_misconduct(self.step)
        kept = evidence.recorded(due)
        if recorded not in (due, kept):  # earlier versions recorded the evidence once more
            problem = f"the misconduct of seat {recorded.seat} differs from the rules in {_fields(recorded, kept)}"
            raise self._diverged(problem)
        self.event_count += 1
        self._events.append(Eliminated(self.entry, self.event_count, due, self.time_ns))
        self._advance(None)

    def _end(self, recorded: RecordedResult) -> None:
        self.time_ns = recorded.end_time.ToNanoseconds() or self.time_ns
        misconducts = self.transcript.misconducts
        if recorded.result.aborted:
            due = GameResult(misconducts=misconducts, aborted=recorded.result.aborted)
        elif self.outcome is not None:
            due = game_result(self.outcome, self.transcript.players, misconducts)
        else:
            raise self._diverged(f"the game was over, but {self.due()}")
        kept = evidence.result_without_evidence(due)
        if recorded.result not in (due, kept):  # earlier versions recorded the evidence once more
            raise self._diverged(f"the result differs from the rules in {_fields(recorded.result, kept)}")
        self.result = recorded.result
        self._events.append(Ended(self.entry, self.event_count + 1, due, self.time_ns))

    def due(self) -> str:
        """Return a sentence about what the rules lead to here."""
        if self.error is not None:
            return f"the rules fail here with {type(self.error).__name__}: {self.error}"
        if isinstance(self.step, Eliminate):
            return f"by the rules seat {self.step.seat} is eliminated here"
        if self.step is None:
            return "by the rules the game is over here"
        calls = ", ".join(f"{asked.call.method.name} to seat {seat}" for seat, asked in self._waiting.items())
        return f"by the rules the next call is {calls}"

    def _diverged(self, problem: str) -> Diverged:
        return Diverged(self.entry, problem)


def _check_start(start: Message, given: Message, due: Message) -> None:
    """Check that a game began in the state of its plan. Raises Diverged if it did not.

    A field that the plan leaves out was drawn, and may have any value.
    """
    named = {field.name for field, _ in given.ListFields()}
    if wrong := [name for name in named if getattr(start, name) != getattr(due, name)]:
        raise Diverged(1, f"the start state is not that of the plan: it differs in {', '.join(sorted(wrong))}")


def _same(call: Call, request: bytes, game: Game) -> bool:
    """Return whether a recorded request is that of a call. Settings that are newer than it had their defaults."""
    try:
        recorded = call.method.request.FromString(request)
        for field, value in recorded.ListFields():
            if isinstance(value, game.settings_type):
                getattr(recorded, field.name).CopyFrom(game.full_settings(value))
    except (DecodeError, ValueError):
        return False
    return bool(recorded == call.request)


def _fields(recorded: Message, due: Message) -> str:
    """Return the names of the fields in which two messages of one type differ."""
    names = [field.name for field in recorded.DESCRIPTOR.fields]
    return ", ".join(name for name in names if getattr(recorded, name) != getattr(due, name)) or "fields unknown here"
