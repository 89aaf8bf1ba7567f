"""Running games: one driver for the conversations of all games."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from fairplay.games.evidence import result_without_evidence
from fairplay.games.steps import (
    Call,
    CallKind,
    Failure,
    Show,
)
from fairplay.games.transcript import game_result
from fairplay.server.game.fresh import FreshGame
from fairplay.server.game.plans import seconds
from fairplay.server.links.link import NO_EXTRA, TRACE_KEY, Link, OpenCall
from fairplay.server.net.errors import Refusal
from fairplay.server.net.exhaustion import records_unavailable, waiting_for
from fairplay.server.observing.observer import Observer, link_kinds
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.published import add_player
from fairplay.server.records.replay import Newcomer, Replayer
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import CallError, Misconduct
from fairplay.v1.record_pb2 import RecordedResult, RecordEntry
from fairplay.v1.referee_pb2 import Game as GameMessage
from fairplay.v1.referee_pb2 import GamePlan, GameStatus
from fairplay.v1.result_pb2 import GameResult

log = logging.getLogger("fairplay.referee")


class Watcher(Protocol):
    """What is told of a running game."""

    def tell(self, news: Show | Misconduct | Newcomer) -> None:
        """Take a state, an elimination or a player that has joined."""

    def ask(self) -> None:
        """Take note that calls have been opened."""

    def end(self) -> None:
        """Take note that the game is over."""


class GameJournal(Protocol):
    """Where the record of a running game is written; its transcript appends to it."""

    @property
    def behind(self) -> bool:
        """Return whether what was appended waits for the disk too long: the game then waits for `saved`."""

    async def saved(self, *, hurry: bool = False) -> None:
        """Return when all that was appended so far is kept. Raises RecordsError if it cannot be."""

    def finish(self, entry: bytes, summary: bytes, end_time_ns: int) -> None:
        """Append the last entry; `summary` is the Game for listings."""


class TimeLimits:
    """The time that each seat has for each kind of call."""

    def __init__(self, plan: GamePlan) -> None:
        control = plan.time_control
        self._limits = {
            CallKind.NOTIFICATION: seconds(control.notification_limit),
            CallKind.DECISION: seconds(control.decision_limit),
            CallKind.FIRST_DECISION: seconds(control.first_decision_limit),
        }
        self._whole_bank = seconds(control.bank)
        self._bank = [self._whole_bank] * len(plan.players)
        self.banked = self._whole_bank > 0

    def add_seat(self) -> None:
        """Give a seat behind all others a bank of its own."""
        self._bank.append(self._whole_bank)

    def limit(self, call: Call) -> float:
        """Return the most seconds that a call may take."""
        if call.limit_s is not None:
            return call.limit_s
        limit = self._limits[call.kind]
        return limit if call.kind is CallKind.NOTIFICATION else limit + self._bank[call.seat]

    def bank_s(self, call: Call) -> float:
        """Return how many seconds of the limit of a call are the bank of its seat."""
        if call.kind is CallKind.NOTIFICATION or call.limit_s is not None:
            return 0.0
        return self._bank[call.seat]

    def spend(self, call: Call, elapsed_s: float) -> None:
        """Take what a decision took beyond its limit from the bank of its seat."""
        if call.kind is not CallKind.NOTIFICATION and call.limit_s is None:
            beyond = max(0.0, elapsed_s - self._limits[call.kind])
            self._bank[call.seat] = max(0.0, self._bank[call.seat] - beyond)


class Expected(NamedTuple):
    """A player that is to join as soon as it is reached and the game can be joined."""

    player: Player
    opening: asyncio.Task[Link]


class Running:
    """A game that is being played: the links, the clock and the watchers of its machine.

    Replies drive the machine directly, without a task for each call: this is the hot path of the server.
    """

    def __init__(
        self,
        message: GameMessage,
        stage: FreshGame | Replayer,
        journal: GameJournal,
        observers: Sequence[Observer] = (),
    ) -> None:
        self.message = message
        self.over: asyncio.Future[GameMessage] = asyncio.get_running_loop().create_future()
        self.over.add_done_callback(lambda over: over.cancelled() or over.exception())  # whether anybody waits or not
        self.released = asyncio.Event()  # its links are let go of, and its players' processes have ended
        self.machine = stage.machine
        self.shown_ns = stage.time_ns  # when the last state was shown, in nanoseconds since 1970
        self.watchers: list[Watcher] = []
        self.newcomers = stage.newcomers
        """The players that have joined since the game began."""
        self.openings: list[asyncio.Task[Link]] = []
        """The links to those who were to join, whether they have or not."""
        self._stage = stage
        self._journal = journal
        self._limits = TimeLimits(message.plan)
        self._observers = observers
        self._metadata = NO_EXTRA
        self._link_kinds = link_kinds(message.plan.players) if observers else []
        self._links: list[Link] = []
        """The link to each seat: to its player, or to nobody while it is away."""
        self._reached: list[Link] = []
        """The links to all players, also to those who have left."""
        self._left: dict[int, Link] = {}
        self._expected: deque[Expected] = deque()
        self._open: dict[int, OpenCall] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._ended = False

    @property
    def open_calls(self) -> list[tuple[Call, OpenCall]]:
        """Return the calls that wait for their outcome."""
        asked = self.machine.open_calls
        return [(asked[seat].call, open_call) for seat, open_call in self._open.items() if open_call.done is not None]

    @property
    def seat_count(self) -> int:
        """Return how many players the game has, with those who are to join."""
        return len(self.message.plan.players) + len(self._expected)

    def begin(self, links: Sequence[Link]) -> None:
        """Go on from where the record stands; in a fresh game that is the beginning."""
        trace = next(filter(None, (each.trace(self.message.game_id) for each in self._observers)), "")
        self._metadata = {TRACE_KEY: trace} if trace else NO_EXTRA
        self._reached = list(links)
        self._links = [self._left.get(seat, link) for seat, link in enumerate(links)]
        for call, elapsed_s in self._stage.calls:
            self._limits.spend(call, elapsed_s)
        if self._ended:
            return
        if self._stage.error is not None:
            self.fail(self._stage.error)
            return
        self.machine.replayed = False
        self.machine.tell = self._tell
        self._drive(self.machine.go_on)

    def stop(self, reason: str) -> None:
        """End the game without a winner; nobody is blamed. A game that is over stays as it is."""
        misconducts = self.machine.transcript.misconducts
        self._end(GameResult(misconducts=misconducts, aborted=reason or "the game was stopped"))

    def suspend(self, refusal: Refusal | None = None) -> None:
        """Leave the game where it is; its record can be resumed. Those who wait for its end are refused.

        `refusal` None: because the server shuts down.
        """
        if not self._ended:
            self._ended = True
            self._let_go()
            message = "the server shuts down; the game goes on when it is back"
            self._leave_off(refusal or Refusal("SHUTTING_DOWN", message))

    # --- calls ---

    def _drive(self, act: Callable[..., bool], *given: Any) -> None:
        """Have something done that may turn the game to another step, and wait for what is due then.

        An error of the rules or of a link ends the game.
        """
        try:
            if act(*given):
                self._turn()
            self._set_timer()
        except Exception as error:
            self.fail(error)

    def _turn(self) -> None:
        """Open the calls that the game waits for now, once its record has kept up, or end it."""
        if self.machine.step is None:
            assert self.machine.outcome is not None
            names = [player.name for player in self.message.plan.players]
            self._end(game_result(self.machine.outcome, names, self.machine.transcript.misconducts))
        elif self._journal.behind:
            self._keep(self._open_once_saved())
        else:
            self._open_calls()

    async def _open_once_saved(self) -> None:
        # The disk does not keep up: the game waits rather than run ahead of its record.
        try:
            await self._journal.saved()
        except RecordsError as error:
            self.suspend(self._unsaved(error))
        if not self._ended:
            self._drive(self._open_calls)

    def _open_calls(self) -> bool:
        machine = self.machine
        cancel, send = machine.open(self._loop.time())
        for seat in cancel:
            self._open[seat].cancel()
        for asked in send:
            call = asked.call
            limit_s = self._limits.limit(call)
            bank_s = self._limits.bank_s(call) if self._limits.banked else 0.0
            done = partial(self._settle, call)
            link = self._links[call.seat]
            self._open[call.seat] = link.call(call.method.path, call.data, limit_s, done, bank_s, self._metadata)
        if self._expected:
            self._admit()
        for watcher in self.watchers:
            watcher.ask()
        return False

    def _settle(self, call: Call, outcome: bytes | Failure, elapsed_s: float) -> None:
        """Take the outcome of a call from its link."""
        seat = call.seat
        del self._open[seat]
        if self._limits.banked:
            self._limits.spend(call, elapsed_s)
        for observer in self._observers:
            observer.call_settled(self.message.game_id, call, self._link_kinds[seat], outcome, elapsed_s)
        self._drive(self.machine.record_outcome, seat, outcome, elapsed_s, self._loop.time())

    def _set_timer(self) -> None:
        # Answers that are due at once wait for the next turn of the loop, too: the rest of the frame arrives with them.
        due_at = self.machine.due_at
        if due_at is not None and (self._timer is None or self._timer.when() > due_at):
            self._cancel_timer()
            self._timer = self._loop.call_at(due_at, self._ring)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
        self._timer = None
        self._drive(self.machine.tick, self._loop.time())

    def _tell(self, news: Show | Misconduct | Player) -> None:
        if isinstance(news, Show):
            self.shown_ns = time.time_ns()
        told = self._seat(*self._expected.popleft()) if isinstance(news, Player) else news
        for watcher in self.watchers:
            watcher.tell(told)

    # --- players that leave, come back and join ---

    def leave(self, seat: int, gone: Link, failure: CallError) -> None:
        """Replace the link of a seat whose player has left: its open call fails now, later calls fail at `gone`."""
        self._left[seat] = gone
        if seat < len(self._links):
            self._links[seat] = gone
        if (open_call := self._open.get(seat)) is not None:
            open_call.fail(failure)

    def come_back(self, seat: int) -> bool:
        """Call the player of a seat again that has left. Return False, and change nothing, if it is out of the game."""
        if self._ended or any(each.seat == seat for each in self.machine.transcript.misconducts):
            return False
        self._left.pop(seat, None)
        if seat < len(self._links):
            self._links[seat] = self._reached[seat]
        return True

    def join(self, player: Player, opening: asyncio.Task[Link]) -> None:
        """Let a player join, behind all others, once its link is open and the game can be joined.

        A game that ends before goes without it.
        """
        self.openings.append(opening)
        self._expected.append(Expected(player, opening))
        opening.add_done_callback(lambda _: self._admit())

    def _admit(self) -> None:
        """Let the first of those who are to join do so, if it is reached and the game waits for a race."""
        if self._expected and self._expected[0].opening.done() and self.machine.next_seat is not None:
            self.machine.join(self._expected[0].player, self._loop.time())
            self._set_timer()

    def _seat(self, player: Player, opening: asyncio.Task[Link]) -> Newcomer:
        """Give a player the seat behind all others."""
        link, seat = opening.result(), len(self._links)
        self._reached.append(link)
        self._links.append(self._left.get(seat, link))
        self._limits.add_seat()
        if self._observers:
            self._link_kinds += link_kinds([player])
        add_player(self.message, player)
        newcomer = Newcomer(self.machine.event_count, seat, player, time.time_ns())
        self.newcomers.append(newcomer)
        return newcomer

    # --- the end ---

    def fail(self, error: Exception) -> None:
        """End what the machine or the referee itself has stopped; nobody is blamed. The former goes on later."""
        if (refusal := waiting_for(error)) is not None:
            self.suspend(refusal)
            return
        log.error("the referee failed in game %s", self.message.game_id, exc_info=error)
        self.stop("the referee failed; its log says more")

    def _end(self, result: GameResult) -> None:
        if self._ended:
            return
        self._ended = True
        self._let_go()
        now_ns = time.time_ns()
        message = self.message
        message.status = GameStatus.GAME_STATUS_ABORTED if result.aborted else GameStatus.GAME_STATUS_FINISHED
        message.result.CopyFrom(result)
        message.end_time.FromNanoseconds(now_ns)
        kept = GameMessage()  # without the evidence, which is in the calls of the record
        kept.CopyFrom(message)
        kept.result.CopyFrom(result_without_evidence(message.result))
        entry = RecordEntry(result=RecordedResult(result=kept.result, end_time=kept.end_time))
        self._journal.finish(entry.SerializeToString(), kept.SerializeToString(), now_ns)
        self._keep(self._announce())

    def _let_go(self) -> None:
        self._cancel_timer()
        self._expected.clear()
        for open_call in self._open.values():
            open_call.cancel()
        self._open.clear()
        self.machine.close()

    async def _announce(self) -> None:
        # A result is told only once it is on disk: a restart could come to another one.
        try:
            await self._journal.saved(hurry=True)
        except RecordsError as error:
            self._leave_off(self._unsaved(error))
            return
        if not self.over.done():  # nobody may be left who waits
            self.over.set_result(self.message)
        for watcher in self.watchers:
            watcher.end()

    def _leave_off(self, refusal: Refusal) -> None:
        if not self.over.done():
            self.over.set_exception(refusal)
        for watcher in self.watchers:
            watcher.end()

    def _unsaved(self, error: RecordsError) -> Refusal:
        log.error("the record of game %s cannot be written: %s", self.message.game_id, error)
        return records_unavailable()

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
