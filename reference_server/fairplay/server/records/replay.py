"""A game rebuilt from its record: to verify it, to show it again, or to go on with it after a crash.

The replayer feeds the game's machine an entry at a time. It takes nothing on trust: each entry must be what the rules
lead to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple, TypeAlias

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import DecodeError, Message

from fairplay.games import evidence, game
from fairplay.games.envelopes import unwrap
from fairplay.games.game import Game
from fairplay.games.machine import GameMachine, News
from fairplay.games.steps import Call, Conversation, Eliminate, Joined, Race, Show, calls_in
from fairplay.games.transcript import Answer, Asked, game_lot, game_result, game_rng, read_outcome
from fairplay.server.game.plans import any_link, full_game_plan, settings_of
from fairplay.server.records.chain import parsed
from fairplay.server.records.errors import Diverged, RecordsError, sound
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.record_pb2 import Record, RecordedCall, RecordedJoin, RecordedResult, RecordEntry
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


def replay(record: Record, find: Find = game.find) -> Iterator[Event]:
    """Yield what happened in a game, in order.

    Raises RecordsError after the last sound event if the record is not sound.
    """
    for replayer in _after_each(parsed(record), None, find):
        yield from replayer.events()


def state_at(record: Record, entry: int, find: Find = game.find) -> Shown:
    """Return the state after the entry of this number, from 1.

    Raises RecordsError if there is no such entry or state.
    """
    if not 1 <= entry <= len(record.entries):
        raise RecordsError(f"there is no entry {entry}: the record has the entries 1 to {len(record.entries)}")
    shown: Shown | None = None
    for replayer in _after_each(parsed(record), None, find):
        shown = next((event for event in reversed(replayer.events()) if isinstance(event, Shown)), shown)
        if replayer.entry == entry:
            break
    if shown is None:
        raise RecordsError(f"no state was shown up to entry {entry}")
    return shown


def resume(record: Record, append: Callable[[bytes], None], find: Find = game.find) -> Replayer:
    """Return the replayer of an unfinished game, with the numbers of calls that were open free again.

    `append` takes the entries that the machine adds from now on. Before them the driver appends a Resumed.
    Raises RecordsError if the record is not sound, or the game is over.
    """
    for replayer in _after_each(parsed(record), append, find):
        replayer.events()
    if replayer.result is not None:
        raise RecordsError(f"the game {replayer.header.game_id!r} is over")
    replayer.rewind()
    return replayer


def _after_each(
    entries: Iterable[RecordEntry], append: Callable[[bytes], None] | None, find: Find
) -> Iterator[Replayer]:
    """Yield the replayer after each entry; at least once."""
    rest = iter(entries)
    header = next(rest, None)
    if header is None:
        raise RecordsError("the record is empty")
    replayer = Replayer(header, append, find)
    yield replayer
    for entry in rest:
        replayer.feed(entry)
        yield replayer


class Replayer:
    """A game that is played again, an entry at a time. Raises Diverged if an entry is not what the rules lead to.

    `newcomers` are the players that have joined since the game began. After the last entry the `machine` stands where
    the game goes on, unless the rules failed with an `error`.

    `append` takes the entries that follow when the game goes on. `find` gets the game by its name.
    """

    def __init__(self, header: RecordEntry, append: Callable[[bytes], None] | None, find: Find) -> None:
        if header.WhichOneof("entry") != "game":
            raise Diverged(1, "the record does not begin with the header of a game")
        self.header = header.game
        self.entry = 1
        with sound(1):
            self.time_ns = header.game.start_time.ToNanoseconds()
        self.calls: list[tuple[Call, float]] = []  # with the seconds that each took
        self.error: Exception | None = None
        self.result: GameResult | None = None
        self.newcomers: list[Newcomer] = []
        self._sent_ns: dict[int, int] = {}  # when each open call was sent, by its number
        self._opened_ns = self.time_ns
        self._events: list[Event] = []
        with sound(1, "the game cannot be played"):
            names = [player.name for player in header.game.plan.players]
            lot = game_lot(header.game.plan.seed)
            self.machine = GameMachine(self._conversation(find), names, append, self._tell, lot)
            self.machine.replayed = True
            self._follow(self.machine.begin)

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
                self._follow(self.machine.go_on)
                self.time_ns = max(self.time_ns, entry.resumed.time.ToNanoseconds())
                self._note_sent()
            case other:
                raise self._diverged(f"{other or 'an empty entry'} does not belong in the record of a game")

    def rewind(self) -> None:
        """Close the open calls and free their numbers, as when the server ended: they are made again.

        Of arrivals at one instant, those that were recorded are taken by themselves.
        """
        self._follow(self.machine.rewind)
        self.machine.rewind()

    def _conversation(self, find: Find) -> Conversation:
        """Return the conversation from the recorded start state; of a header without one, from what its plan draws."""
        header = self.header
        plan = full_game_plan(header.plan, any_link, find)
        self._game = played = find(plan.game)
        settings = settings_of(played, plan)
        given = unwrap(plan.initial_state, played, played.state_type)
        start = unwrap(header.start_state, played, played.state_type)
        rng, names = game_rng(plan.seed), [player.name for player in plan.players]
        if start is None:
            return played.play(header.game_id, settings, names, rng, given)
        played.check_state(settings, start)
        if given is not None:
            shown = next(played.play(header.game_id, settings, names, rng, given))
            due = played.full_state(shown.state) if isinstance(shown, Show) else start
            named = {field.name for field, _ in given.ListFields()}  # what the plan leaves out was drawn
            if wrong := [name for name in named if getattr(start, name) != getattr(due, name)]:
                raise Diverged(1, f"the start state is not that of the plan: it differs in {', '.join(sorted(wrong))}")
        return played.play(header.game_id, settings, names, rng, start, fresh=given is None)

    def _follow(self, act: Callable[[], object]) -> None:
        """Do something, and open what the game waits for then; a step that asks nobody is passed.

        Where the rules have failed the game stays as it is: the step that the machine has kept is over.
        """
        if self.error is not None:
            return
        machine = self.machine
        try:
            act()
            machine.go_on()
            while machine.step is not None and not machine.is_open and not isinstance(machine.step, Eliminate):
                machine.open(0.0)
                self._note_sent()
                machine.tick(0.0)
        except Exception as error:
            # The referee itself has failed here. The record must say so too: that is checked with the next entry.
            self.error = error

    def _tell(self, news: News) -> None:
        number = self.machine.event_count
        if isinstance(news, Show):
            self._events.append(Shown(self.entry, number, news.state, self.time_ns))
        elif isinstance(news, Misconduct):
            self._events.append(Eliminated(self.entry, number, news, self.time_ns))
        else:
            newcomer = Newcomer(number, len(self.machine.transcript.players) - 1, news, self.time_ns)
            self.newcomers.append(newcomer)
            self._events.append(Came(self.entry, newcomer))

    def _note_sent(self) -> None:
        numbers = [asked.number for asked in self.machine.open_calls.values()]
        self._sent_ns = {number: self._sent_ns.get(number, self.time_ns) for number in numbers}
        self._opened_ns = self.time_ns

    def _call(self, call: RecordedCall) -> None:
        machine = self.machine
        asked = machine.open_calls.get(call.seat) if machine.is_open else None
        if asked is None:
            raise self._diverged(f"seat {call.seat} was called, but {self.due()}")
        self._check(call, asked)
        elapsed_s = _seconds(call.elapsed)
        answer = machine.apply_outcome(call.seat, read_outcome(call), elapsed_s)
        self.time_ns = max(self.time_ns, self._sent_ns[call.number] + call.elapsed.ToNanoseconds())
        self.calls.append((asked.call, elapsed_s))
        self._events.append(Called(self.entry, call.number, asked.call, answer, elapsed_s))
        self._follow(partial(machine.apply_instant, more_follow=call.more_follow))

    def _join(self, joined: RecordedJoin) -> None:
        machine = self.machine
        if joined.seat != self._next_seat:
            raise self._diverged(f"a player has joined in seat {joined.seat}, but {self.due()}")
        if joined.player.name in machine.transcript.players:
            raise self._diverged(f"a player has joined under the name of another one, {joined.player.name}")
        self._check_more_follow(joined.more_follow, len(machine.open_calls))
        self.time_ns = max(self.time_ns, self._opened_ns + joined.elapsed.ToNanoseconds())
        machine.apply_join(joined.player, _seconds(joined.elapsed))
        self._follow(partial(machine.apply_instant, more_follow=joined.more_follow))

    @property
    def _next_seat(self) -> int | None:
        """Return the seat of a player who joins in the entry that comes; None if nobody can."""
        machine = self.machine
        has_joined = any(isinstance(each.answer, Joined) for each in machine.arrivals)
        return machine.next_seat if machine.is_open and not has_joined else None

    def _check_more_follow(self, more_follow: bool, left: int) -> None:
        """Check whether another answer can have come in the same moment, where so many are left."""
        if more_follow and not (isinstance(self.machine.step, Race) and left):
            raise self._diverged("it says that another answer came in the same moment, which cannot be")

    def _check(self, call: RecordedCall, asked: Asked) -> None:
        method = asked.call.method
        if call.method_name != method.path:
            raise self._diverged(f"seat {call.seat} was called with {call.method_name}, but {self.due()}")
        if call.request != asked.call.data and not _same(asked.call, call.request, self._game):
            raise self._diverged(f"the request of {method.name} to seat {call.seat} is not the one that the rules make")
        if call.number != asked.number:
            raise self._diverged(f"the call has the number {call.number}, but it is call {asked.number}")
        self._check_more_follow(call.more_follow, len(self.machine.open_calls) - 1 + (self._next_seat is not None))
        if call.WhichOneof("outcome") is None:
            raise self._diverged("it does not say how the call ended")

    def _misconduct(self, recorded: Misconduct) -> None:
        step = self.machine.step
        if self.error is not None or not isinstance(step, Eliminate):
            raise self._diverged(f"seat {recorded.seat} was eliminated, but {self.due()}")
        due = self.machine.transcript.build_misconduct(step)
        kept = evidence.recorded(due)
        if recorded not in (due, kept):  # earlier versions recorded the evidence once more
            problem = f"the misconduct of seat {recorded.seat} differs from the rules in {_fields(recorded, kept)}"
            raise self._diverged(problem)
        self.machine.transcript.misconducts.append(due)
        self._follow(partial(self.machine.apply_misconduct, due))

    def _end(self, recorded: RecordedResult) -> None:
        self.time_ns = recorded.end_time.ToNanoseconds() or self.time_ns
        machine = self.machine
        misconducts = machine.transcript.misconducts
        if recorded.result.aborted:
            due = GameResult(misconducts=misconducts, aborted=recorded.result.aborted)
        elif machine.outcome is not None:
            due = game_result(machine.outcome, machine.transcript.players, misconducts)
        else:
            raise self._diverged(f"the game was over, but {self.due()}")
        kept = evidence.result_without_evidence(due)
        if recorded.result not in (due, kept):  # earlier versions recorded the evidence once more
            raise self._diverged(f"the result differs from the rules in {_fields(recorded.result, kept)}")
        self.result = recorded.result
        self._events.append(Ended(self.entry, machine.event_count + 1, due, self.time_ns))

    def due(self) -> str:
        """Return a sentence about what the rules lead to here."""
        if self.error is not None:
            return f"the rules fail here with {type(self.error).__name__}: {self.error}"
        step = self.machine.step
        if isinstance(step, Eliminate):
            return f"by the rules seat {step.seat} is eliminated here"
        if step is None:
            return "by the rules the game is over here"
        waiting = [call for call in calls_in(step) if call.seat in self.machine.open_calls]
        calls = ", ".join(f"{call.method.name} to seat {call.seat}" for call in waiting)
        return f"by the rules the next call is {calls}"

    def _diverged(self, problem: str) -> Diverged:
        return Diverged(self.entry, problem)


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


def _seconds(elapsed: Duration) -> float:
    return elapsed.seconds + elapsed.nanos / 1e9
