"""What a store says of its records, beside their entries: what listings and answers come from must follow from them.

The chain of a record covers its entries only, and that of a tournament names the ends of those of its games. The
columns by which records are found, and the summaries of those that are over, are compared with the entries; and a
tournament with the games that its record says were played.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from google.protobuf.message import DecodeError, Message

from fairplay.games.evidence import result_without_evidence
from fairplay.server.manager import history, states
from fairplay.server.records.chain import parsed
from fairplay.server.records.database import Listing
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.published import ended_game
from fairplay.server.records.store import Store
from fairplay.server.records.verify import Finding, is_last
from fairplay.v1.record_pb2 import Record, RecordedGame, RecordEntry
from fairplay.v1.referee_pb2 import Game, GamePlan
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.table_pb2 import Table


def check_filing(listing: Listing, record: Record, store: Store) -> list[Finding]:
    """Return where a store says something else of an intact record than the record does.

    Of a tournament, the records of its games must be there, begin with the seeds that follow from its secret, and end
    with the hashes that its own record names.
    """
    entries = list(parsed(record))
    wrong = [Finding(0, f"the store has {what}, which its entries do not say") for what in _wrong(listing, entries)]
    if not listing.finished and _over(entries):
        now = store.find(listing.record_id)  # a server that writes may have ended it since it was listed
        if now is None or not now.finished:
            wrong.append(Finding(0, "the store has it as one that goes on, but its entries say that it is over"))
    if entries[0].HasField("tournament"):
        tournament_id = entries[0].tournament.tournament_id

        def compare(number: int, played: RecordedGame, plan: GamePlan) -> None:
            if problem := _misses(tournament_id, played, plan, store):
                wrong.append(Finding(number, f"the record of its game {played.game_id} {problem}"))

        history.read(entries, compare)
    return wrong


def _over(entries: Sequence[RecordEntry]) -> bool:
    if entries[0].HasField("tournament"):  # one that runs is cancelled twice: decided, and when its players are told
        return history.read(entries).message.status in (states.FINISHED, states.CANCELLED)
    return is_last(entries[-1])


def _wrong(listing: Listing, entries: Sequence[RecordEntry]) -> Iterator[str]:
    header = entries[0]
    if not _same(listing.header, header):
        yield "another header"
    for column, due in _columns(listing.finished, header, entries[-1]).items():
        if getattr(listing, column) != due:
            yield f"another {column.removesuffix('_ns').replace('_', ' ')}"
    if listing.finished and not _same(listing.summary, _summary(entries)):
        yield "another summary"


def _columns(finished: bool, header: RecordEntry, last: RecordEntry) -> dict[str, object]:
    """Return the columns of a record that its entries say."""
    columns: dict[str, object] = {"kind": header.WhichOneof("entry")}
    if header.HasField("table"):
        return {**columns, "parent": "", "game": header.table.table.game}
    if header.HasField("game"):
        start, end = header.game.start_time, last.result.end_time
        columns |= {"parent": header.game.tournament_id, "game": header.game.plan.game}
    else:
        start, end = header.tournament.create_time, last.change.time
        columns |= {"parent": "", "game": header.tournament.plan.game}
    columns["start_time_ns"] = start.ToNanoseconds()
    if finished:
        columns["end_time_ns"] = end.ToNanoseconds()
    return columns


def _same(data: bytes, due: Message) -> bool:
    try:
        return bool(type(due).FromString(data) == due)
    except DecodeError:
        return False


def _summary(entries: Sequence[RecordEntry]) -> Message:
    """Return what a store keeps of a record that is over: a Game, Tournament or Table."""
    header, last = entries[0], entries[-1]
    if header.HasField("table"):
        table = Table()
        table.CopyFrom(last.table.table)
        return table
    if header.HasField("tournament"):
        return history.read(entries).message
    return ended_game(entries)


def _misses(tournament_id: str, played: RecordedGame, plan: GamePlan, store: Store) -> str:
    """Return what is wrong with the record of a game that a tournament says was played so; empty if nothing is."""
    listing = store.find(played.game_id)
    if listing is None:
        never_begun = played.result.aborted and not played.chain_hash
        return "" if never_begun else "is missing"
    if listing.finished and not _is_result(listing, tournament_id, played.result):
        return "is that of another game, or of another result"
    if played.chain_hash and played.chain_hash != _last_hash(store, played.game_id):
        return "does not end with the hash that is named here"
    seed = _seed(listing)
    if seed is not None and seed != plan.seed:
        return "has another seed than follows from the secret of the tournament"
    return ""


def _seed(listing: Listing) -> int | None:
    """Return the seed with which a game began; None if its header does not say one, which its own record shows."""
    try:
        plan = RecordEntry.FromString(listing.header).game.plan
    except DecodeError:
        return None
    return plan.seed if plan.HasField("seed") else None


def _last_hash(store: Store, record_id: str) -> bytes:
    try:
        return store.last_hash(record_id)
    except RecordsError:
        return b""


def _is_result(listing: Listing, tournament_id: str, result: GameResult) -> bool:
    try:
        game = Game.FromString(listing.summary)
    except DecodeError:
        return False
    bare = result_without_evidence(result)
    return listing.parent == tournament_id and result_without_evidence(game.result) == bare
