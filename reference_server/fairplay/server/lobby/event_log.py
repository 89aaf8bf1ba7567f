"""The events of the lobby: numbered, serialised once for all readers, and remembered for those who fall behind."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from google.protobuf.timestamp_pb2 import Timestamp

from fairplay.server.lobby.table import Table
from fairplay.v1.lobby_pb2 import AttendResponse, Lobby, LobbyEvent

REMEMBERED = 1_000
"""How many events are remembered at least. A reader that is further behind is sent the whole lobby again."""

Key: TypeAlias = tuple[str, str]
"""What an event is about, e.g. ("user", "alice"). A later event with this key supersedes it."""


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

    def __init__(self, snapshot: Callable[[], Lobby], first: int | None = None) -> None:
        self.last = time.time_ns() // 1_000 if first is None else first
        self._snapshot = snapshot
        self._whole: tuple[int, bytes] | None = None
        self._events: list[_Event] = []
        self._latest: dict[Key, int] = {}
        self._shared: dict[int, Sequence[bytes]] = {}

    def add(self, event: LobbyEvent, key: Key | None = None, place: Table | None = None) -> None:
        """Number and add an event. With a `place` only the users at that table are sent it."""
        self.last += 1
        event.sequence = self.last
        event.time.CopyFrom(_now())
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
            whole = LobbyEvent(sequence=self.last, time=_now(), lobby=self._snapshot())
            self._whole = self.last, _serialised(whole)
        return self._whole[1]


def _serialised(event: LobbyEvent) -> bytes:
    return AttendResponse(events=[event]).SerializeToString()


def _joined(events: Sequence[_Event]) -> Sequence[bytes]:
    """Return one message with all events: its serialised form is that of its parts, one behind the other."""
    return [b"".join([event.data for event in events])] if events else ()


def _now() -> Timestamp:
    now = Timestamp()
    now.GetCurrentTime()
    return now
