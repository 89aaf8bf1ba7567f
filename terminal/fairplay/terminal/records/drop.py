"""`fairplay records drop`."""

from __future__ import annotations

from rich.markup import escape

from fairplay.client.errors import UsageError
from fairplay.client.text import counted
from fairplay.server.records.maintenance import drop
from fairplay.server.records.place import Place
from fairplay.terminal.printing import make_console, say
from fairplay.terminal.records.choosing import choose
from fairplay.terminal.records.sources import open_source


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
