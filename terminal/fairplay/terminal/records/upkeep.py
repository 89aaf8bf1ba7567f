"""`fairplay records copy`, `drop` and `prune`: what changes a store."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from rich.markup import escape

from fairplay.client.errors import UsageError
from fairplay.client.wording import counted
from fairplay.server.records.maintenance import copy, drop, prune
from fairplay.server.records.place import Place
from fairplay.terminal.printing import make_console, say
from fairplay.terminal.records.sources import choose, open_source

AGE = re.compile(r"([0-9]{1,5})(h|d|w)")
HOURS = {"h": 1, "d": 24, "w": 7 * 24}
HOUR_NS = 3_600 * 10**9
KEPT = {"tournaments": "tournament", "tables": "table"}


def copy_records(source: Place, target: Place) -> None:
    """Copy what a server keeps, and say how much it is."""
    count = copy(source, target)
    say(make_console(), escape(f"copied {counted(count, 'record')} from {source} to {target}"))


def drop_record(place: Place, wanted: str) -> None:
    """Remove a record that has not ended, with its games. Raises UsageError for another one."""
    with open_source(place) as source:
        listing = choose(source, wanted)
        record_id = listing.record_id
        if listing.finished:
            raise UsageError(f"{record_id} is over, and nobody goes on with it: records prune removes old records")
        if listing.parent or "/" in record_id:
            whole = listing.parent or record_id.partition("/")[0]
            raise UsageError(f"{record_id} belongs to {whole}: drop that")
    found = drop(place, record_id)
    say(make_console(), escape(f"dropped {record_id}: {counted(len(found.removed), 'record')} removed"))


def prune_records(place: Place, older: str, keep: Sequence[str], *, dry_run: bool) -> None:
    """Remove old records, or say which they would be. Raises UsageError if the age or a kind is invalid."""
    before_ns = time.time_ns() - parse_age_ns(older)
    if unknown := [each for each in keep if each not in KEPT]:
        raise UsageError(f"--keep {unknown[0]!r} is not known: give {' or '.join(KEPT)}")
    found = prune(place, before_ns, {KEPT[each] for each in keep}, only_say=dry_run)
    until = datetime.fromtimestamp(before_ns / 10**9, UTC).strftime("%Y-%m-%d %H:%M UTC")
    removed = f"{'would remove' if dry_run else 'removed'} {counted(len(found.removed), 'record')}"
    text = f"{removed} that ended before {until} from {place}; {counted(found.left_count, 'record')} stay"
    say(make_console(), escape(text))


def parse_age_ns(text: str) -> int:
    """Return the nanoseconds of an age such as 12h, 90d or 8w. Raises UsageError if the text is invalid."""
    match = AGE.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"--older {text!r} is not an age: give e.g. 12h, 90d or 8w")
    return int(match[1]) * HOURS[match[2]] * HOUR_NS
