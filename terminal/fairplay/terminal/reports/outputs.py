"""The files that are made of a tournament, live or made again from its records."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.markup import escape

from fairplay.certificate import check
from fairplay.client.errors import FailedError, UsageError
from fairplay.games.conformance import find_profile
from fairplay.games.game import find
from fairplay.games.kit.files import Output
from fairplay.server.manager import history
from fairplay.server.records.chain import parsed
from fairplay.server.records.errors import Diverged, RecordsError
from fairplay.server.records.place import Place
from fairplay.terminal.commands.parameters import Files
from fairplay.terminal.playing.results import tournament_json
from fairplay.terminal.playing.summary import is_league, summarize
from fairplay.terminal.printing import make_console, make_directory, write_json
from fairplay.terminal.records.sources import Source, choose_tournament, open_source
from fairplay.terminal.reports.build import Findings, build_event, games_to_read
from fairplay.terminal.reports.event import Event, Person
from fairplay.terminal.reports.grades import DEFAULT, Template, check_template, grades_csv, parse_template, preview
from fairplay.terminal.reports.page import tournament_page
from fairplay.terminal.roster import Roster
from fairplay.v1.record_pb2 import RecordEntry
from fairplay.v1.tournament_pb2 import RoundGame, RoundGameStatus, Standings, Tournament

PAGE_SUFFIXES = (".html", ".htm")
PAGE, RESULT, GRADES = "report.html", "result.json", "grades.csv"


@dataclass(frozen=True, slots=True)
class Outputs:
    """What is to be written about a tournament."""

    json: str | None = None
    report: Path | None = None
    """A page, or a directory for a page, the result and the grades."""
    grades: Path | None = None
    preview: bool = False
    """Whether the grades are printed, too."""
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
        if self.preview:
            console = make_console(errors=self.json == "-")
            for renderable in preview(self.template, event):
                console.print(renderable)
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


def read_certificates(directory: Path, game: str, profile: str, names: Sequence[str]) -> dict[str, bool]:
    """Return who is certified for a game or, if that is named, a profile of it.

    The folder is one that fairplay certify --roster --report wrote; who has no certificate there is not certified.
    Raises UsageError if there is no such folder or profile, or a certificate in it is damaged or is one for another
    game or profile.
    """
    if not directory.is_dir():
        raise UsageError(f"--certificates: there is no folder {directory}")
    if profile:
        try:
            find_profile(find(game), profile)
        except ValueError as error:
            raise UsageError(f"--profile: {error}") from None
    return {name: _is_certified(directory / f"{name}.report" / "certificate.json", game, profile) for name in names}


def _is_certified(file: Path, game: str, profile: str) -> bool:
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
    if certificate.profile not in ("", profile):
        raise UsageError(
            f"--certificates: {file} is for the profile {certificate.profile} alone: --profile {certificate.profile} "
            "grades that as certified"
        )
    return certificate.certified


def wanted_outputs(game: str, names: Sequence[str], roster: Roster | None, files: Files) -> Outputs:
    """Return what options ask for. Raises UsageError if something of it makes no sense."""
    try:
        template = parse_template(files.grading or DEFAULT)
    except ValueError as error:
        raise UsageError(f"--grading: {error}") from None
    graded = files.preview or files.grades is not None or files.report is not None
    if (files.grading is not None or files.certificates is not None) and not graded:
        raise UsageError("--grading and --certificates are for grades: add --grades FILE, --report DIR or --preview")
    entrants = roster.entrants if roster is not None else ()
    certified: Mapping[str, bool] = {}
    if files.certificates is not None:
        certified = read_certificates(files.certificates, game, files.profile, names)
    return Outputs(
        json=files.json,
        report=files.report,
        grades=files.grades,
        preview=files.preview,
        template=template,
        certified=certified,
        people={each.name: Person(each.who, each.language, each.link) for each in entrants},
    )


class WholeTournament(NamedTuple):
    """A tournament with its standings and all of its games, but for those that were skipped."""

    tournament: Tournament
    games: Sequence[RoundGame]
    standings: Standings


def without_skipped(games: Iterable[RoundGame]) -> list[RoundGame]:
    """Return the games that were played or may be."""
    return [game for game in games if game.status != RoundGameStatus.ROUND_GAME_STATUS_SKIPPED]


def write_outputs(
    outputs: Outputs, whole: WholeTournament, findings: Findings, links: Mapping[str, str], seeds: Mapping[str, int]
) -> list[Path]:
    """Write what is wanted about a tournament, and return the files of the report."""
    event = build_event(whole.tournament, whole.standings, whole.games, outputs.people, findings, outputs.certified)
    return outputs.write(event, tournament_json(whole.tournament, whole.games, whole.standings, links, seeds))


# --- made again from records ---


def show_standings(place: Place, wanted: str | None, roster: Roster | None, files: Files) -> None:
    """Show the standings of a tournament, and write the files that are wanted of it.

    Raises UsageError if it is not clear which tournament is meant, and FailedError if its record breaks the rules.
    """
    if files.profile and files.certificates is None:
        raise UsageError("--profile is for players that are graded: give --certificates, too")
    with open_source(place) as source:
        whole = rebuild_tournament(source, _tournament_id(source, wanted))
        plan = whole.tournament.plan
        names = [player.name for player in whole.tournament.entrants]
        outputs = wanted_outputs(plan.game, names, roster, files)
        outputs.prepare(has_bands=is_league(plan.format))
        show_tournament(source, whole, outputs, make_console(errors=outputs.json == "-"))


def show_tournament(source: Source, whole: WholeTournament, outputs: Outputs, console: Console) -> None:
    """Show a tournament of a source, and write the files that are wanted of it."""
    links = {player.name: player.link for player in whole.tournament.entrants}
    for renderable in summarize(*whole, links):
        console.print(renderable)
    findings = Findings()
    if outputs.reads_records:
        read_games(source, games_to_read(whole.games), findings)
    seeds = _seeds(source, whole.games) if outputs.json is not None or outputs.report is not None else {}
    for file in write_outputs(outputs, whole, findings, links, seeds):
        console.print(f"Look closer: {escape(str(file))}", soft_wrap=True)


def _tournament_id(source: Source, wanted: str | None) -> str:
    if wanted is not None:
        return choose_tournament(source, wanted)
    found = [listing.record_id for listing in source.listings(["tournament"])]
    if not found:
        raise FailedError(f"there is no tournament in {source.place}")
    if len(found) > 1:
        raise UsageError(f"say which tournament of {source.place}: {', '.join(found[:10])}")
    return found[0]


def rebuild_tournament(source: Source, tournament_id: str) -> WholeTournament:
    """Return a tournament as its record tells it.

    Raises UsageError if there is none of this id, and FailedError if its record breaks the rules.
    """
    listing = source.find(tournament_id)
    if listing is None:
        raise UsageError(f"there is no tournament {tournament_id} in {source.place}")
    try:
        known = history.read(parsed(source.read(listing)))
    except Diverged as error:
        message = f"the record of {tournament_id} breaks the rules in entry {error.entry}: {error.problem}"
        raise FailedError(message) from None
    if known.course is None:
        return WholeTournament(known.message, [], Standings(entrant_count=len(known.message.entrants)))
    games = without_skipped(known.course.archive.games(0))
    return WholeTournament(known.message, games, asyncio.run(known.course.standings.latest()))


def read_games(source: Source, game_ids: Iterable[str], findings: Findings) -> None:
    """Add the records of games to the findings; those that are not there or cannot be read are left out."""
    for game_id in game_ids:
        listing = source.find(game_id)
        if listing is not None:
            with contextlib.suppress(RecordsError):
                findings.add(source.read(listing))


def _seeds(source: Source, games: Iterable[RoundGame]) -> dict[str, int]:
    listings = (source.find(game.game_id) for game in games)
    headers = {each.record_id: RecordEntry.FromString(each.header) for each in listings if each is not None}
    return {record_id: header.game.plan.seed for record_id, header in headers.items()}
