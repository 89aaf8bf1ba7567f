"""The files of a report on a tournament: which are wanted, whether they can be written, and writing them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairplay.certificate import check
from fairplay.client.errors import UsageError
from fairplay.games.kit.files import Output
from fairplay.terminal.printing import make_directory, write_json
from fairplay.terminal.reports.event import Event, Person
from fairplay.terminal.reports.grades import DEFAULT, Template, check_template, grades_csv, parse_template
from fairplay.terminal.reports.page import tournament_page

PAGE_SUFFIXES = (".html", ".htm")
PAGE, RESULT, GRADES = "report.html", "result.json", "grades.csv"


@dataclass(frozen=True, slots=True)
class Outputs:
    """What is to be written about a tournament."""

    json: str | None = None
    report: Path | None = None
    """A page, or a directory for a page, the result and the grades."""
    grades: Path | None = None
    template: Template = field(default_factory=lambda: parse_template(DEFAULT))
    certified: Mapping[str, bool] = field(default_factory=dict)
    people: Mapping[str, Person] = field(default_factory=dict)
    _opened: dict[str, Output] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def reads_records(self) -> bool:
        """Return whether something is wanted that only the records of the games tell."""
        return self.report is not None

    def prepare(self, *, has_bands: bool) -> None:
        """Raise UsageError, FailedError or OSError, before anything is played, if something cannot be written."""
        try:
            check_template(self.template, has_certificates=bool(self.certified), has_bands=has_bands)
        except ValueError as error:
            raise UsageError(f"--grading: {error}") from None
        if self.report is not None and not self._is_page:
            make_directory(self.report)
        for where in (self.json, self.grades, self.report if self._is_page else None):
            if where is not None:
                self._opened[str(where)] = Output(where)

    @property
    def _is_page(self) -> bool:
        return self.report is not None and self.report.suffix.lower() in PAGE_SUFFIXES

    def write(self, event: Event, result: Mapping[str, Any]) -> list[Path]:
        """Write all files, each whole or not at all, and return those of the report. Raises OSError."""
        texts = {}
        if self.report is not None and self._is_page:
            texts[self.report] = tournament_page(event)
        elif self.report is not None:
            texts[self.report / PAGE] = tournament_page(event)
            texts[self.report / GRADES] = grades_csv(self.template, event)
        if self.grades is not None:
            texts[self.grades] = grades_csv(self.template, event)
        for file, text in texts.items():
            self._output(file).write(text)
        written = list(texts)
        if self.report is not None and not self._is_page:
            write_json(result, Output(self.report / RESULT))
            written.append(self.report / RESULT)
        if self.json is not None:
            write_json(result, self._output(self.json))
        return written

    def _output(self, where: Path | str) -> Output:
        """Return where to write: as it was prepared, or a file of the report."""
        return self._opened.get(str(where)) or Output(where)


def read_certificates(directory: Path, game: str, names: Sequence[str]) -> dict[str, bool]:
    """Return who is certified for a game, from a folder that fairplay certify --roster --report wrote.

    Who has no certificate there is not certified. Raises UsageError if there is no such folder, or a certificate in it
    is damaged or is one for another game.
    """
    if not directory.is_dir():
        raise UsageError(f"--certificates: there is no folder {directory}")
    return {name: _is_certified(directory / f"{name}.report" / "certificate.json", game) for name in names}


def _is_certified(file: Path, game: str) -> bool:
    try:
        certificate = check(file.read_bytes())
    except FileNotFoundError:
        return False
    except OSError as error:
        raise UsageError(f"--certificates: {file} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"--certificates: {file}: {error}") from None
    if certificate.game != game:
        raise UsageError(f"--certificates: {file} is a certificate for {certificate.game}, not for {game}")
    return certificate.certified
