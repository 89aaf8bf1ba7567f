"""What spectators see of a game: the public view while it runs, and from its record all of it once it is over."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

from google.protobuf.message import Message

from fairplay.games.envelopes import wrap
from fairplay.games.evidence import result_without_evidence, without_evidence
from fairplay.games.game import Game
from fairplay.games.steps import Call, Show
from fairplay.server.game.running import Running
from fairplay.server.links.link import OpenCall
from fairplay.server.records.replay import Came, Eliminated, Ended, Newcomer, Shown, replay
from fairplay.v1.game_pb2 import GameState
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.record_pb2 import Record
from fairplay.v1.referee_pb2 import PlayerJoined, WatchGameResponse

MAX_WAITING = 64
SETTLE_S = 0.02
"""How long calls are open before spectators are told whom the game waits for."""


def replayed(game: Game, record: Record, after: int, *, ended: bool) -> Iterator[WatchGameResponse]:
    """Yield the recorded events after the event number `after`; if the game has `ended`, with all that was hidden."""
    view = game.full_state if ended else game.public_state
    for event in replay(record):
        match event:
            case Shown(sequence=sequence, state=state, time_ns=time_ns) if sequence > after:
                yield _shown(game, sequence, view(state), time_ns)
            case Eliminated(sequence=sequence, misconduct=misconduct, time_ns=time_ns) if sequence > after:
                public = misconduct if ended else without_evidence(misconduct)
                yield _timed(WatchGameResponse(sequence=sequence, eliminated=public), time_ns)
            case Came(sequence=sequence, newcomer=newcomer) if sequence > after:
                yield _joined(newcomer)
            case Ended(sequence=sequence, result=result, time_ns=time_ns):
                public_result = result if ended else result_without_evidence(result)
                yield _timed(WatchGameResponse(sequence=sequence, finished=public_result), time_ns)


async def live(
    game: Game, running: Running, after: int, missed: Iterable[WatchGameResponse] = (), *, single: bool
) -> AsyncIterator[WatchGameResponse]:
    """Yield what the caller has not seen yet, and then all that happens until the game is over.

    Who has seen no event, `after` 0, is told the state now; who has seen some, what it has `missed` since. The game
    goes on while that is read. `single`: the game belongs to no tournament, so that its end shows all.
    """
    last = max(after, running.machine.event_count) if after else 0  # the last of what was missed is the state now
    spectator = _Spectator(game, running, last)
    running.watchers.append(spectator)
    try:
        for event in missed:
            yield event
            after = event.sequence
            if event.HasField("finished"):
                return
        async for event in spectator.events():
            if event.sequence > after or event.HasField("asked"):  # a record may be ahead of its game
                yield event
    finally:
        running.watchers.remove(spectator)
    message = await running.over
    result = message.result if single else result_without_evidence(message.result)
    finished = WatchGameResponse(sequence=running.machine.event_count + 1, finished=result)
    yield _timed(finished, message.end_time.ToNanoseconds())


class _Spectator:
    """The events that one spectator has still to read.

    One that does not keep up misses states, never eliminations, players that join or the end. Whom the game waits for
    is said once nothing else is left to read and the calls have been open for a moment: of players that answer at once
    it would be needless.
    """

    def __init__(self, game: Game, running: Running, after: int) -> None:
        self._game = game
        self._running = running
        self._machine = running.machine
        self._last = after
        self._events: deque[WatchGameResponse] = deque()
        self._asked = True
        self._ended = running.over.done()  # nobody will say so again
        self._wake = asyncio.Event()
        self._catch_up()
        for newcomer in running.newcomers:
            if newcomer.sequence > after:  # behind the state, which comes first
                self._events.append(_joined(newcomer._replace(sequence=self._last)))

    def tell(self, news: Show | Misconduct | Newcomer) -> None:
        if isinstance(news, Newcomer):
            self._last = news.sequence
            self._events.append(_joined(news))
        elif isinstance(news, Misconduct):
            self._last = self._machine.event_count
            event = WatchGameResponse(sequence=self._last, eliminated=without_evidence(news))
            self._events.append(_timed(event, time.time_ns()))
        elif len(self._events) < MAX_WAITING:
            self._catch_up()
        self._wake.set()

    def ask(self) -> None:
        self._asked = True
        self._wake.set()

    def end(self) -> None:
        self._catch_up()
        self._ended = True
        self._wake.set()

    def _catch_up(self) -> None:
        """Add the last state, unless the spectator has it."""
        machine = self._machine
        if machine.shown is not None and self._last < machine.event_count:
            self._last = machine.event_count
            state = self._game.public_state(machine.shown.state)
            self._events.append(_shown(self._game, self._last, state, self._running.shown_ns))

    async def events(self) -> AsyncIterator[WatchGameResponse]:
        """Yield the events in order, until the game is over."""
        while True:
            while self._events:
                yield self._events.popleft()
                if not self._events:
                    self._catch_up()  # states were left out while too many waited
            if self._ended:
                return
            self._wake.clear()
            try:
                async with asyncio.timeout(SETTLE_S if self._asked else None):
                    await self._wake.wait()
            except TimeoutError:
                if self._wake.is_set():  # something happened in the same moment
                    continue
                self._asked = False
                if calls := self._running.open_calls:
                    yield _asked(calls, self._machine.event_count)


def _asked(calls: Sequence[tuple[Call, OpenCall]], sequence: int) -> WatchGameResponse:
    now_ns = time.time_ns()
    event = _timed(WatchGameResponse(sequence=sequence), now_ns)
    for call, open_call in calls:
        player = event.asked.players.add(seat=call.seat, method_name=call.method.path)
        left_s = max(0.0, open_call.limit_s - open_call.elapsed_s)
        player.deadline.FromNanoseconds(now_ns + int(left_s * 1e9))
    return event


def _shown(game: Game, sequence: int, state: Message, time_ns: int) -> WatchGameResponse:
    return _timed(WatchGameResponse(sequence=sequence, state=wrap(GameState, game, state)), time_ns)


def _joined(newcomer: Newcomer) -> WatchGameResponse:
    joined = PlayerJoined(seat=newcomer.seat, name=newcomer.player.name)
    return _timed(WatchGameResponse(sequence=newcomer.sequence, joined=joined), newcomer.time_ns)


def _timed(event: WatchGameResponse, time_ns: int) -> WatchGameResponse:
    event.time.FromNanoseconds(time_ns)
    return event
