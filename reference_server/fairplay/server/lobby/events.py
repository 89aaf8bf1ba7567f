"""The events of the lobby: numbered, kept for those who fall behind, and sent to the streams of users."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from fairplay.server.game.plans import now
from fairplay.server.lobby.table import Table
from fairplay.v1.lobby_pb2 import AttendResponse, Lobby, LobbyEvent

REMEMBERED = 1_000
"""How many events are remembered at least. A reader that is further behind is sent the whole lobby again."""

Key: TypeAlias = tuple[str, str]
"""What an event is about, e.g. ("user", "alice"). A later event with this key supersedes it."""

Write: TypeAlias = Callable[[bytes], Awaitable[None]]
After: TypeAlias = Callable[[int], tuple[int, Sequence[bytes]]]
"""(number of the last event that was seen) -> the number of the last event, and the messages that lead there."""
SLICE = 50
"""How many streams are woken in one turn of the event loop: games go on in between."""
MIN_REST_S = 0.005


class _Event(NamedTuple):
    sequence: int
    key: Key | None
    """None: no later event supersedes it."""
    place: Table | None
    """The table whose users alone are sent the event; None: everybody is."""
    data: bytes
    """An AttendResponse that holds the event alone."""


class EventLog:
    """The events of one lobby. `snapshot` returns the whole lobby; `last` is the number of the last event.

    The numbers begin with the time, so that they go on after those of earlier runs of the server.
    """

    def __init__(self, snapshot: Callable[[], Lobby]) -> None:
        self.last = time.time_ns() // 1_000
        self._snapshot = snapshot
        self._whole: tuple[int, bytes] | None = None
        self._events: list[_Event] = []
        self._latest: dict[Key, int] = {}
        self._shared: dict[int, Sequence[bytes]] = {}

    def add(self, event: LobbyEvent, key: Key | None = None, place: Table | None = None) -> None:
        """Number and add an event. With a `place` only the users at that table are sent it."""
        self.last += 1
        event.sequence = self.last
        event.time.CopyFrom(now())
        self._events.append(_Event(self.last, key, place, _serialised(event)))
        if key is not None:
            self._latest[key] = self.last
        if place is not None:
            place.last_spoken = self.last
        self._shared.clear()
        if len(self._events) > 2 * REMEMBERED:
            self._forget()

    def add_end(self, event: LobbyEvent, key: Key) -> None:
        """Add the last event with a key: it is sent even if a later event has the same key."""
        self._latest.pop(key, None)
        self.add(event)

    def _forget(self) -> None:
        for event in self._events[:REMEMBERED]:
            if event.key is not None and self._latest.get(event.key) == event.sequence:
                del self._latest[event.key]
        del self._events[:REMEMBERED]

    def after(self, seen: int, place: Table | None, since: int) -> Sequence[bytes]:
        """Return the messages for a reader who has seen all events up to the number `seen`.

        `place` is its table, `since` the number with which it came there. A reader who has seen nothing, or is too
        far behind, is sent the whole lobby.
        """
        if not self.last - len(self._events) <= seen <= self.last:
            return [self._serialised_whole()]
        if seen == self.last:
            return ()
        if place is not None and place.last_spoken > max(seen, since):
            return _joined(self._chosen(seen, place, since))
        if seen not in self._shared:
            self._shared[seen] = _joined(self._chosen(seen, None, since))
        return self._shared[seen]

    def _chosen(self, seen: int, place: Table | None, since: int) -> Sequence[_Event]:
        latest = self._latest
        return [
            event
            for event in self._events[seen - self.last :]
            if (event.place is None or (event.place is place and event.sequence > since))
            and (event.key is None or latest.get(event.key) == event.sequence)
        ]

    def _serialised_whole(self) -> bytes:
        if self._whole is None or self._whole[0] != self.last:
            whole = LobbyEvent(sequence=self.last, time=now(), lobby=self._snapshot())
            self._whole = self.last, _serialised(whole)
        return self._whole[1]


def _serialised(event: LobbyEvent) -> bytes:
    return AttendResponse(events=[event]).SerializeToString()


def _joined(events: Sequence[_Event]) -> Sequence[bytes]:
    """Return one message with all events: its serialised form is that of its parts, one behind the other."""
    return [b"".join([event.data for event in events])] if events else ()


class EventStream:
    """One stream. `seen` is the number of the last event that its user has seen."""

    def __init__(self, seen: int, after: After) -> None:
        self._seen = seen
        self._after = after
        self._due = asyncio.Event()
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def wake(self) -> None:
        """Send the events that are new."""
        self._due.set()

    def end(self, error: BaseException | None = None) -> None:
        """End the stream, with an error if the user did not ask for the end. Only the first end counts."""
        if self._over.done():
            return
        if error is None:
            self._over.set_result(None)
        else:
            self._over.set_exception(error)

    async def run(self, write: Write) -> None:
        """Send events until the stream is ended. Raises what it was ended with, or what `write` raises."""
        writing = asyncio.ensure_future(self._write_all(write))
        writing.add_done_callback(self._stopped)
        try:
            await self._over
        finally:
            writing.cancel()

    def _stopped(self, writing: asyncio.Task[None]) -> None:
        if not writing.cancelled():
            self.end(writing.exception())

    async def _write_all(self, write: Write) -> None:
        while True:
            self._due.clear()
            last, due = self._after(self._seen)
            for data in due:
                await write(data)
            self._seen = last
            await self._due.wait()


class Broadcaster:
    """Wakes all streams, then rests for as long as that took: what happens meanwhile is sent together."""

    def __init__(self, streams: Callable[[], Iterable[EventStream]]) -> None:
        self._streams = streams
        self._due = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._run())

    def wake_all(self) -> None:
        """Wake all streams in the next round."""
        self._due.set()

    def wake_some(self, streams: Sequence[EventStream]) -> None:
        """Wake some streams at once, unless they are many."""
        if len(streams) > SLICE:
            self.wake_all()
            return
        for stream in streams:
            stream.wake()

    async def _run(self) -> None:
        while True:
            await self._due.wait()
            self._due.clear()
            began = time.monotonic()
            streams = list(self._streams())
            for at in range(0, len(streams), SLICE):
                for stream in streams[at : at + SLICE]:
                    stream.wake()
                await asyncio.sleep(0)  # in which they write
            await asyncio.sleep(max(MIN_REST_S, time.monotonic() - began))

    async def stop(self) -> None:
        """Stop waking streams."""
        self._task.cancel()
        await asyncio.wait([self._task])
