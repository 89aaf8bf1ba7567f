"""The files that options ask for."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.client.errors import UsageError
from fairplay.terminal.commands.parameters import Files
from fairplay.terminal.reports.event import Person
from fairplay.terminal.reports.grades import DEFAULT, parse_template
from fairplay.terminal.reports.outputs import Outputs, read_certificates
from fairplay.terminal.rosters.roster import Roster


def wanted_outputs(game: str, names: Sequence[str], roster: Roster | None, files: Files) -> Outputs:
    """Return what options ask for. Raises UsageError if something of it makes no sense."""
    try:
        template = parse_template(files.grading or DEFAULT)
    except ValueError as error:
        raise UsageError(f"--grading: {error}") from None
    if (files.grading is not None or files.certificates is not None) and files.grades is None and files.report is None:
        raise UsageError("--grading and --certificates are for grades: add --grades FILE or --report DIR")
    entrants = roster.entrants if roster is not None else ()
    return Outputs(
        json=files.json,
        report=files.report,
        grades=files.grades,
        template=template,
        certified=read_certificates(files.certificates, game, names) if files.certificates is not None else {},
        people={each.name: Person(each.who, each.language, each.link) for each in entrants},
    )
