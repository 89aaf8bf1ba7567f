"""Reading the roster of `--roster`."""

from __future__ import annotations

from pathlib import Path

from fairplay.terminal.outcomes import UsageError
from fairplay.terminal.programs import hide_from_programs
from fairplay.terminal.rosters.roster import MAX_CHARS, Roster, parse_roster


def read_roster(file: Path) -> Roster:
    """Return the roster in a file, which programs must not see: it may hold secrets of players.

    Raises UsageError, before anything is played, if something in it is wrong.
    """
    hide_from_programs(file)
    try:
        with file.open(encoding="utf-8") as opened:
            return parse_roster(opened.read(MAX_CHARS + 1), str(file))
    except (OSError, UnicodeDecodeError) as error:
        why = "it is not text in UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise UsageError(f"the roster {file} cannot be read: {why}") from None
    except ValueError as error:
        raise UsageError(str(error)) from None
