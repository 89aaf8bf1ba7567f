"""What spectators see of a game: the public view, live or from its record."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

from fairplay.games.envelopes import wrap
from fairplay.games.game import Game
from fairplay.games.steps import Eliminate, Show
from fairplay.server.records.replay import Eliminated, Ended, Shown, replay
from fairplay.server.running import Running
from fairplay.v1.game_pb2 import GameState
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.record_pb2 import Record
from fairplay.v1.referee_pb2 import WatchGameResponse

MAX_WAITING = 64


def replayed(game: Game, record: Record, after: int, *, ended: bool) -> Iterator[WatchGameResponse]:
    """Yield the recorded events after the event number `after`; with the evidence, if the game has `ended`."""
    for event in replay(record):
        match event:
            case Shown(sequence=sequence, state=state) if sequence > after:
                yield _shown(game, sequence, state)
            case Eliminated(sequence=sequence, misconduct=misconduct) if sequence > after:
                yield WatchGameResponse(
                    sequence=sequence, eliminated=misconduct if ended else without_evidence(misconduct)
                )
            case Ended(sequence=sequence, result=result):
                yield WatchGameResponse(sequence=sequence, finished=result)


async def live(game: Game, running: Running, after: int) -> AsyncIterator[WatchGameResponse]:
    """Yield the state now, unless the caller has seen it, and all that happens until the game is over."""
    events: asyncio.Queue[WatchGameResponse | None] = asyncio.Queue()
    last = after

    def tell(step: Show | Eliminate | None) -> None:
        # A spectator that does not keep up misses states, never eliminations or the end.
        nonlocal last
        if step is None:
            if running.shown is not None and last < running.event_count:
                events.put_nowait(_shown(game, running.event_count, running.shown.state))
            events.put_nowait(None)
        elif isinstance(step, Eliminate):
            last = running.event_count
            events.put_nowait(WatchGameResponse(sequence=last, eliminated=without_evidence(running.misconducts[-1])))
        elif events.qsize() < MAX_WAITING:
            last = running.event_count
            events.put_nowait(_shown(game, last, step.state))

    if running.shown is not None and running.event_count > after:
        tell(running.shown)
    running.watchers.append(tell)
    try:
        while (event := await events.get()) is not None:
            yield event
    finally:
        running.watchers.remove(tell)
    message = await running.over
    yield WatchGameResponse(sequence=running.event_count + 1, finished=message.result)


def _shown(game: Game, sequence: int, state: object) -> WatchGameResponse:
    return WatchGameResponse(sequence=sequence, state=wrap(GameState, game, game.public_state(state)))


def without_evidence(misconduct: Misconduct) -> Misconduct:
    """Return who failed, in which call and why, without what was asked and answered, which may hold hidden things."""
    public = Misconduct()
    public.CopyFrom(misconduct)
    for field in ("request", "reply", "unparsable_reply"):
        public.ClearField(field)
    if public.HasField("rule_break"):
        del public.rule_break.legal_replies[:]
        public.rule_break.legal_reply_count = 0
    return public
