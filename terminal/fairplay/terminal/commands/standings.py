"""`fairplay standings`."""

from __future__ import annotations

from typing import Annotated

from fairplay.terminal.commands.options import argument, command
from fairplay.terminal.commands.parameters import Files, RecordsSource, RosterFile


@command
def standings(
    records: RecordsSource,
    tournament: Annotated[
        str | None, argument("TOURNAMENT", "Its id or the beginning of it. Default: the only one.")
    ] = None,
    roster: RosterFile = None,
    *,
    files: Files,
) -> None:
    """Show the standings of a recorded tournament, and make its report, grades and result again.

    Also of one that is still running, as far as it is recorded. Nothing is played, and the records are not changed.

    Examples:

    \b
      fairplay standings cup/
      fairplay standings cup/ fish-3f2a --report cup.html --grades grades.csv --grading 'place=60,failure=-5,least=0'
    """
    from fairplay.terminal.reports.recorded import show_standings
    from fairplay.terminal.rosters.reading import read_roster

    show_standings(records, tournament, read_roster(roster) if roster is not None else None, files)
