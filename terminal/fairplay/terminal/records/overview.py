"""A record at a glance: what its header says, how its last entry ends it, and who entered a tournament."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from google.protobuf.message import DecodeError
from google.protobuf.timestamp_pb2 import Timestamp

from fairplay.server.records.database import Listing
from fairplay.server.records.errors import RecordsError
from fairplay.v1.game_pb2 import Player
from fairplay.v1.record_pb2 import LinkedEntry, Record, RecordEntry, TournamentChange

FINISHED, ABORTED, CANCELLED, DELETED = "finished", "aborted", "cancelled", "deleted"
RUNNING, UNFINISHED, DAMAGED = "running", "unfinished", "damaged"


@dataclass(frozen=True, slots=True)
class Overview:
    """A record at a glance."""

    record_id: str
    kind: str
    """"game", "tournament" or "table"."""
    game: str
    """The name of the game that is played."""
    seed: int | None
    """None: a tournament's secret was drawn, without a seed."""
    entrants: Sequence[Player]
    """The players, by seat; in a tournament those who are in it."""
    status: str
    """How it ended; empty where it did not."""
    winners: Sequence[str]
    start: datetime | None
    end: datetime | None
    entry_count: int
    tournament: str
    """The id of the tournament that a game belongs to; empty: none."""

    @property
    def players(self) -> list[str]:
        """Return the names, by seat."""
        return [player.name for player in self.entrants]


def summarize(record: Record) -> Overview:
    """Return a record at a glance. Raises RecordsError if its header or its end cannot be parsed."""
    header = _parsed(record.entries, 1)
    if header.HasField("game"):
        return _game(record, header)
    if header.HasField("tournament"):
        return _tournament(record, header)
    if header.HasField("table"):
        return _table(record, header)
    raise RecordsError("the record does not begin with a header")


def make_listing(record: Record) -> Listing:
    """Return what a store would know of a record. Raises RecordsError if its header cannot be parsed."""
    begun = summarize(Record(entries=record.entries[:1]))
    return Listing(
        number=1,
        record_id=begun.record_id,
        kind=begun.kind,
        game=begun.game,
        parent=begun.tournament,
        start_time_ns=_nanoseconds(begun.start),
        end_time_ns=_end_ns(record),
        header=record.entries[0].entry,
        summary=b"",
    )


def _end_ns(record: Record) -> int | None:
    """Return when a record ended; None if it did not, or its end cannot be parsed."""
    try:
        overview = summarize(record)
    except RecordsError:
        return None
    return _nanoseconds(overview.end) if overview.status else None


def _game(record: Record, header: RecordEntry) -> Overview:
    plan, last = header.game.plan, _parsed(record.entries, len(record.entries))
    result = last.result.result
    ended = last.HasField("result")
    return Overview(
        record_id=header.game.game_id,
        kind="game",
        game=plan.game,
        seed=plan.seed,
        entrants=[*plan.players, *_newcomers(record)],
        status=(ABORTED if result.aborted else FINISHED) if ended else "",
        winners=[player.name for group in result.ranking[:1] for player in group.players],
        start=to_datetime(header.game.start_time),
        end=to_datetime(last.result.end_time) if ended else None,
        entry_count=len(record.entries),
        tournament=header.game.tournament_id,
    )


def _tournament(record: Record, header: RecordEntry) -> Overview:
    plan = header.tournament.plan
    entries = (_parsed(record.entries, number) for number in range(1, len(record.entries) + 1))
    changes = [entry.change for entry in entries if entry.HasField("change")]
    last = changes[-1] if changes else TournamentChange()
    status = {"finished": FINISHED, "cancelled": CANCELLED}.get(last.WhichOneof("change") or "", "")
    return Overview(
        record_id=header.tournament.tournament_id,
        kind="tournament",
        game=plan.game,
        seed=plan.seed if plan.HasField("seed") else None,
        entrants=_entrants(plan.entrants, changes),
        status=status,
        winners=list(last.finished.winners),
        start=to_datetime(header.tournament.create_time),
        end=to_datetime(last.time) if status else None,
        entry_count=len(record.entries),
        tournament="",
    )


def _table(record: Record, header: RecordEntry) -> Overview:
    last = _parsed(record.entries, len(record.entries)).table
    result = last.table.result
    over = ABORTED if result.aborted else FINISHED
    return Overview(
        record_id=header.table.table_id,
        kind="table",
        game=header.table.table.game,
        seed=0,
        entrants=[Player(name=seat.name) for seat in last.table.seats],
        status=DELETED if last.deleted else over if last.continued_by else "",
        winners=[player.name for group in result.ranking[:1] for player in group.players],
        start=to_datetime(header.table.table.create_time),
        end=None,
        entry_count=len(record.entries),
        tournament="",
    )


_JOINED = bytes((RecordEntry.DESCRIPTOR.fields_by_name["joined"].number << 3 | 2,))
"""How the entries begin that are looked for: a record of a game has thousands of others."""


def _newcomers(record: Record) -> list[Player]:
    """Return the players that have joined a game since it began, as far as their entries can be parsed."""
    found = []
    for linked in record.entries:
        if linked.entry.startswith(_JOINED):
            with suppress(DecodeError):
                found.append(RecordEntry.FromString(linked.entry).joined.player)
    return found


def _entrants(players: Sequence[Player], changes: Sequence[TournamentChange]) -> Sequence[Player]:
    """Return those who are in the tournament: by seat once it has started, in order of sign-up before."""
    for change in changes:
        match change.WhichOneof("change"):
            case "signed_up":
                players = [*players, change.signed_up]
            case "withdrawn":
                players = [player for player in players if player.name != change.withdrawn]
            case "started":
                players = change.started.entrants
    return players


def _parsed(entries: Sequence[LinkedEntry], number: int) -> RecordEntry:
    """Return the entry of this number, from 1. Raises RecordsError if it cannot be parsed."""
    try:
        return RecordEntry.FromString(entries[number - 1].entry)
    except (DecodeError, IndexError):
        raise RecordsError(f"entry {number} of the record cannot be parsed") from None


# --- times ---


def to_datetime(time: Timestamp) -> datetime | None:
    """Return a time, to the microsecond; None if it is not set, or out of range."""
    try:
        return time.ToDatetime(UTC) if time.ByteSize() else None
    except (ValueError, OverflowError):
        return None


def _nanoseconds(time: datetime | None) -> int:
    """Return the nanoseconds since 1970; 0 for an unknown time."""
    return round(time.timestamp() * 1e9) if time is not None else 0


def show_time(time: datetime | Timestamp | None) -> str:
    """Return a time for people, in their time zone."""
    if isinstance(time, Timestamp):
        time = to_datetime(time)
    return f"{time.astimezone():%Y-%m-%d %H:%M:%S}" if time is not None else "-"
