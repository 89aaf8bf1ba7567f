"""Reading the roster of `--roster`."""

from __future__ import annotations

from pathlib import Path

from fairplay.client.errors import UsageError
from fairplay.games.kit.files import read_text
from fairplay.terminal.programs import hide_from_programs
from fairplay.terminal.rosters.roster import Roster, parse_roster


def read_roster(file: Path) -> Roster:
    """Return the roster in a file, which programs must not see: it may hold secrets of players.

    Raises UsageError, before anything is played, if something in it is wrong.
    """
    hide_from_programs(file)
    try:
        return parse_roster(read_text(file), str(file))
    except OSError as error:
        raise UsageError(f"the roster {file} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(str(error)) from None
