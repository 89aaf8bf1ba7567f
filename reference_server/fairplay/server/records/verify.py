"""Verification of a record: it is intact, and what it tells is what the rules lead to. Works from the record alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from fairplay.games import game
from fairplay.server.game.plans import checked_id
from fairplay.server.records.chain import first_broken, parsed
from fairplay.server.records.errors import Diverged, RecordsError, sound
from fairplay.server.records.replay import Find, Replayer
from fairplay.v1.record_pb2 import Record, RecordEntry


class Finding(NamedTuple):
    """A defect of a record, in the entry of this number, from 1; 0: in the record as a whole."""

    entry: int
    problem: str

    def __str__(self) -> str:
        """Return the finding as one line."""
        return f"entry {self.entry}: {self.problem}" if self.entry else self.problem


Check: TypeAlias = Callable[[Sequence[RecordEntry]], Sequence[Finding]]
"""Follow the entries of a record of the right structure, and compare them with what the rules lead to."""

BODY: Mapping[str, frozenset[str]] = {
    "game": frozenset({"call", "joined", "misconduct", "result", "resumed"}),
    "tournament": frozenset({"call", "misconduct", "change", "played", "resumed"}),
    "table": frozenset({"table"}),
}
"""What may follow each kind of header."""

LAST_CHANGES = frozenset({"finished", "cancelled"})


def check_game(entries: Sequence[RecordEntry], find: Find = game.find) -> list[Finding]:
    """Play a game again: each request, misconduct and the result must be what the rules lead to."""
    try:
        with sound(1):
            checked_id(entries[0].game.game_id, "game_id")
        replay = Replayer(entries[0], None, find)
        for entry in entries[1:]:
            replay.feed(entry)
            replay.events()
    except Diverged as error:
        return [Finding(error.entry, error.problem)]
    return []


CHECKS: Mapping[str, Check] = {"game": check_game}


def verify(record: Record, *, finished: bool = True, checks: Mapping[str, Check] = CHECKS) -> list[Finding]:
    """Return the defects of a record; none: it is intact.

    A record that is not `finished` may lack its end. `checks` has, by the kind of the header ("game", "tournament" or
    "table"), the function that follows the entries by the rules; for a kind without one only the structure is checked.
    """
    if not record.entries:
        return [Finding(0, "the record is empty")]
    broken = first_broken(record.entries)
    if broken is not None:
        return [Finding(broken, "the chain is broken: it was changed, or something before it was left out or moved")]
    entries, damaged = _parsed(record)
    findings = damaged or list(_structure(entries, finished))
    if findings:
        return findings
    check = checks.get(_kind(entries[0]))
    return list(check(entries)) if check is not None else []


def _parsed(record: Record) -> tuple[list[RecordEntry], list[Finding]]:
    entries: list[RecordEntry] = []
    try:
        entries.extend(parsed(record))
    except RecordsError:
        return entries, [Finding(len(entries) + 1, "it cannot be parsed")]
    return entries, []


def _structure(entries: Sequence[RecordEntry], finished: bool) -> Iterator[Finding]:
    kind = _kind(entries[0])
    if kind not in BODY:
        yield Finding(1, "the record does not begin with a header")
        return
    numbers: set[int] = set()
    for number, entry in enumerate(entries[1:], start=2):
        if _kind(entry) not in BODY[kind]:
            yield Finding(number, f"{_kind(entry)} does not belong in the record of a {kind}")
        # A running tournament is cancelled twice: when it is decided, and when its players have been told.
        if is_last(entry) and number < len(entries) and not entry.change.HasField("cancelled"):
            yield Finding(number + 1, f"it comes after the end of the {kind}")
        if entry.HasField("call"):
            if entry.call.number in numbers or not entry.call.number:
                yield Finding(number, f"the number of the call, {entry.call.number}, is not its own")
            numbers.add(entry.call.number)
    if finished and not is_last(entries[-1]):
        yield Finding(len(entries), f"the record ends here, before the end of the {kind}")


def _kind(entry: RecordEntry) -> str:
    return entry.WhichOneof("entry") or "an empty entry"


def is_last(entry: RecordEntry) -> bool:
    """Return whether an entry may be the last one of a record."""
    if entry.HasField("table"):
        return entry.table.deleted or bool(entry.table.continued_by)
    return entry.HasField("result") or entry.change.WhichOneof("change") in LAST_CHANGES
