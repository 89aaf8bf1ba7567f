"""Records as they are handed out: without the links of players, which are nobody else's business."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fairplay.server.records.chain import chained
from fairplay.v1.game_pb2 import Player
from fairplay.v1.record_pb2 import LinkedEntry, Record, RecordEntry

MAX_PART_BYTES = 1_000_000
OVERHEAD_BYTES = 16
"""What an entry takes in a message beside its bytes, at most."""


def published(record: Record) -> Record:
    """Return a record without the links of its players; the chain is that of the entries as they are there."""
    return chained(_without_links(linked.entry) for linked in record.entries)


def parts(record: Record) -> Iterator[list[LinkedEntry]]:
    """Yield the entries, as many together as fit into MAX_PART_BYTES; a larger one by itself."""
    part: list[LinkedEntry] = []
    size = 0
    for linked in record.entries:
        entry_size = linked.ByteSize() + OVERHEAD_BYTES
        if part and size + entry_size > MAX_PART_BYTES:
            yield part
            part, size = [], 0
        part.append(linked)
        size += entry_size
    if part:
        yield part


def _without_links(serialised: bytes) -> bytes:
    entry = RecordEntry.FromString(serialised)
    found = [player for player in _players(entry) if player.link]
    for player in found:
        player.ClearField("link")
    return entry.SerializeToString() if found else serialised


def _players(entry: RecordEntry) -> Iterable[Player]:
    match entry.WhichOneof("entry"):
        case "game":
            return entry.game.plan.players
        case "tournament":
            return entry.tournament.plan.entrants
        case "joined":
            return [entry.joined.player]
        case "change":
            return [entry.change.signed_up, entry.change.examination.player, *entry.change.started.entrants]
        case _:
            return ()
