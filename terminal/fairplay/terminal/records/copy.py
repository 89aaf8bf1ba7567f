"""`fairplay records copy`."""

from __future__ import annotations

from rich.markup import escape

from fairplay.client.text import counted
from fairplay.server.records.maintenance import copy
from fairplay.server.records.place import Place
from fairplay.terminal.printing import make_console, say


def copy_records(source: Place, target: Place) -> None:
    """Copy what a server keeps, and say how much it is."""
    count = copy(source, target)
    say(make_console(), escape(f"copied {counted(count, 'record')} from {source} to {target}"))
