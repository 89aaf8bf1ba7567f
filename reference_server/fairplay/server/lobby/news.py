"""What happens in the lobby: numbered, serialised once for all readers, and remembered for those who fall behind."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from google.protobuf.timestamp_pb2 import Timestamp

from fairplay.server.lobby.table import Table
from fairplay.v1.lobby_pb2 import AttendResponse, Events, Lobby

REMEMBERED = 1_000
"""Who is further behind than so many events is sent the whole again."""

Key: TypeAlias = tuple[str, str]
"""Of what an event tells the present state, e.g. ("user", "alice"). A later one of the same key makes it needless."""


class _Event(NamedTuple):
    sequence: int
    key: Key | None
    """None: it is told in any case."""
    place: Table | None
    """Where it was said; None: it is for everybody."""
    message: AttendResponse
    data: bytes


class News:
    """The events of a lobby. `snapshot` gives the whole of it; `last` is the number of the last event.

    Numbers go on after those of earlier runs of the server, because they begin with the time.
    """

    def __init__(self, snapshot: Callable[[], Lobby], first: int | None = None) -> None:
        self.last = time.time_ns() // 1_000 if first is None else first
        self._snapshot = snapshot
        self._whole: tuple[int, bytes] | None = None
        self._events: list[_Event] = []
        self._latest: dict[Key, int] = {}
        self._shared: dict[tuple[int, bool], Sequence[bytes]] = {}

    def tell(self, event: AttendResponse, key: Key | None = None, place: Table | None = None) -> None:
        """Something has happened. `key`: see Key. `place`: only those who are there shall hear of it."""
        self.last += 1
        event.sequence = self.last
        event.time.CopyFrom(_now())
        self._events.append(_Event(self.last, key, place, event, event.SerializeToString()))
        if key is not None:
            self._latest[key] = self.last
        if place is not None:
            place.spoken = self.last
        self._shared.clear()
        if len(self._events) > 2 * REMEMBERED:
            self._forget()

    def tell_end(self, event: AttendResponse, key: Key) -> None:
        """Something is gone: everybody hears of it, also where there is something new under its key soon after."""
        self._latest.pop(key, None)
        self.tell(event)

    def _forget(self) -> None:
        for event in self._events[:REMEMBERED]:
            if event.key is not None and self._latest.get(event.key) == event.sequence:
                del self._latest[event.key]
        del self._events[:REMEMBERED]

    def after(self, seen: int, place: Table | None, since: int, *, together: bool) -> Sequence[bytes]:
        """What somebody who has `seen` all up to a number is to be sent, to know all up to `last`.

        `place` is where it is, `since` the number with which it came there; `together`: all in one message. Whoever has
        seen nothing, or is too far behind, gets the whole.
        """
        if not self.last - len(self._events) <= seen <= self.last:
            return [self._everything()]
        if seen == self.last:
            return ()
        if place is not None and place.spoken > max(seen, since):
            return _serialised(self._chosen(seen, place, since), together)
        if (seen, together) not in self._shared:
            self._shared[seen, together] = _serialised(self._chosen(seen, None, since), together)
        return self._shared[seen, together]

    def _chosen(self, seen: int, place: Table | None, since: int) -> Sequence[_Event]:
        latest = self._latest
        return [
            event
            for event in self._events[seen - self.last :]
            if (event.place is None or (event.place is place and event.sequence > since))
            and (event.key is None or latest.get(event.key) == event.sequence)
        ]

    def _everything(self) -> bytes:
        if self._whole is None or self._whole[0] != self.last:
            whole = AttendResponse(sequence=self.last, time=_now(), lobby=self._snapshot())
            self._whole = self.last, whole.SerializeToString()
        return self._whole[1]


def _serialised(events: Sequence[_Event], together: bool) -> Sequence[bytes]:
    if len(events) < 2 or not together:
        return [event.data for event in events]
    messages, last = [event.message for event in events], events[-1].message
    return [AttendResponse(sequence=last.sequence, time=last.time, events=Events(events=messages)).SerializeToString()]


def _now() -> Timestamp:
    now = Timestamp()
    now.GetCurrentTime()
    return now
