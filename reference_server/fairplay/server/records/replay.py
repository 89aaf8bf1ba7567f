"""A game rebuilt from its record: to show it again, one of its states, or to go on with it after a crash."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from fairplay.games import game
from fairplay.server.records.chain import parsed
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.replayer import Called, Came, Eliminated, Ended, Event, Find, Replayer, Shown
from fairplay.v1.record_pb2 import Record, RecordEntry

__all__ = [
    "Called",
    "Came",
    "Eliminated",
    "Ended",
    "Event",
    "Find",
    "Replayer",
    "Shown",
    "replay",
    "resume",
    "state_at",
]


def replay(record: Record, find: Find = game.find) -> Iterator[Event]:
    """Yield what happened in a game, in order.

    Raises RecordsError after the last sound event if the record is not sound.
    """
    for replayer in _after_each(parsed(record), _nothing, find):
        yield from replayer.events()


def state_at(record: Record, entry: int, find: Find = game.find) -> Shown:
    """Return the state after the entry of this number, from 1.

    Raises RecordsError if there is no such entry or state.
    """
    if not 1 <= entry <= len(record.entries):
        raise RecordsError(f"there is no entry {entry}: the record has the entries 1 to {len(record.entries)}")
    shown: Shown | None = None
    for replayer in _after_each(parsed(record), _nothing, find):
        shown = next((event for event in reversed(replayer.events()) if isinstance(event, Shown)), shown)
        if replayer.entry == entry:
            break
    if shown is None:
        raise RecordsError(f"no state was shown up to entry {entry}")
    return shown


def resume(record: Record, append: Callable[[bytes], None], find: Find = game.find) -> Replayer:
    """Return the replayer of an unfinished game, with the numbers of calls that were open free again.

    `append` takes the entries that the transcript adds from now on. Before them the driver appends a Resumed.
    Raises RecordsError if the record is not sound, or the game is over.
    """
    for replayer in _after_each(parsed(record), append, find):
        replayer.events()
    if replayer.result is not None:
        raise RecordsError(f"the game {replayer.header.game_id!r} is over")
    replayer.rewind()
    return replayer


def _after_each(entries: Iterable[RecordEntry], append: Callable[[bytes], None], find: Find) -> Iterator[Replayer]:
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


def _nothing(_: bytes) -> None:
    """Append nothing: the game is only shown."""
