"""`fairplay standings`."""

from __future__ import annotations

from typing import Annotated

import typer

from fairplay.terminal.outcomes import outcomes
from fairplay.terminal.parameters import (
    Certificates,
    GradesFile,
    Grading,
    JsonFile,
    RecordsSource,
    ReportPath,
    RosterFile,
)


def standings(
    records: RecordsSource,
    tournament: Annotated[
        str | None, typer.Argument(metavar="TOURNAMENT", help="Its id or the beginning of it. Default: the only one.")
    ] = None,
    roster: RosterFile = None,
    report: ReportPath = None,
    grades: GradesFile = None,
    grading: Grading = None,
    certificates: Certificates = None,
    json: JsonFile = None,
) -> None:
    """Show the standings of a recorded tournament, and make its report, grades and result again.

    Also of one that is still running, as far as it is recorded. Nothing is played, and the records are not changed.

    Examples:

    \b
      fairplay standings cup/
      fairplay standings cup/ fish-3f2a --report cup.html --grades grades.csv --grading 'place=60,failure=-5,least=0'
    """
    with outcomes():
        from fairplay.terminal.reports.recorded import show_standings
        from fairplay.terminal.reports.wanted import wanted_outputs
        from fairplay.terminal.rosters.reading import read_roster

        listed = read_roster(roster) if roster is not None else None
        show_standings(
            records,
            tournament,
            lambda game, names: wanted_outputs(
                game,
                names,
                listed,
                json=json,
                report=report,
                grades=grades,
                grading=grading,
                certificates=certificates,
            ),
        )
