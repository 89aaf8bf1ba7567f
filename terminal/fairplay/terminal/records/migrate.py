"""`fairplay records migrate`."""

from __future__ import annotations

from rich.markup import escape

from fairplay.server.records.migrating import migrate
from fairplay.server.records.place import Place
from fairplay.terminal.printing import make_console, say


def migrate_records(place: Place) -> None:
    """Bring what a server keeps to the formats of this version, and say what that was."""
    changes = [f"{each.part} from format {each.before} to {each.after}" for each in migrate(place)]
    text = f"migrated {place}: {', '.join(changes)}" if changes else f"{place} is in the format of this version already"
    say(make_console(), escape(text))
