"""What `fairplay certify --roster` does: all players of a roster judged, and their certificates side by side."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from fairplay.certificate import Verdict, check
from fairplay.client.errors import FailedError, UsageError
from fairplay.client.wording import counted, cut, harmless
from fairplay.conformance.blame.verdicts import Judged
from fairplay.conformance.cases import cases
from fairplay.conformance.run.engine import check_surroundings
from fairplay.conformance.run.judge import Ended, Event, Plan, Writer
from fairplay.conformance.run.options import OPTIONS, Options, option_text
from fairplay.conformance.run.plan import make_plan, read_all_known_failures
from fairplay.conformance.run.report import Report, certificate, conclusion
from fairplay.conformance.run.roster import run_on_cluster, run_several
from fairplay.conformance.writers.ci import github_annotations, summary
from fairplay.conformance.writers.files import ReportWriter
from fairplay.games.conformance import Level
from fairplay.games.game import find
from fairplay.games.kit.files import Output
from fairplay.games.kit.processors import processors
from fairplay.player.interrupts import run
from fairplay.server.cluster.jobs import ClusterOptions, LostError, WorkerError
from fairplay.server.links.programs import LEFT_OUT
from fairplay.terminal.certify.console import SeveralView
from fairplay.terminal.certify.run import build_options, named_errors, signing_key
from fairplay.terminal.commands.certify import CertifyOptions
from fairplay.terminal.commands.options import DONE, FAILED
from fairplay.terminal.commands.parameters import Cluster
from fairplay.terminal.printing import make_console, make_directory, open_output, say, write_json
from fairplay.terminal.reports.page import render
from fairplay.terminal.roster import Entrant, Roster, read_roster
from fairplay.terminal.workers import parse_cluster

PAGE = "index.html"
ROWS = "index.json"
"""What keeps the rows of the table, for when only some players are certified again."""
MAX_FIRST_CHARS = 160
ERROR = re.compile(r"error\b|exception\b|panic|not found|no such file", re.IGNORECASE)
"""How languages and shells call what ended a program."""
PLACE = re.compile(r'File "(.+)", line (\d+)')
HIDDEN = re.compile(re.escape(LEFT_OUT.strip()).replace(r"\{\}", "(.+)"))
"""The line that names a file which a program is not shown."""
[START_LIMIT] = [option for option in OPTIONS if option.name == "start_limit_s"]


@dataclass(frozen=True, slots=True)
class Row:
    """What is shown of one player in the table."""

    name: str
    who: str
    language: str
    certified: bool
    verdict: str
    must: int
    """How many MUST cases were judged."""
    met: int
    failed: int
    not_tested: int
    warned: int
    """How many recommendations are not met."""
    longest_ms: float | None
    first_case: str
    first_sentence: str
    printed: str
    """The line of its output that says most of why it failed; empty if there is none, or it was not started here."""
    page: str
    """The page of this player, from the folder of the table."""
    failing: Sequence[str] = ()
    """The ids of the cases that it fails."""
    condition: str = ""
    """The seed and the limits with which it was judged; empty if it was not."""


def folder_of(name: str) -> str:
    """Return the name of the folder with the report on a player."""
    return f"{name}.report"


def certify_roster(options: CertifyOptions) -> int:
    """Judge all players of a roster, show and keep what was found, and return the exit code: 0 if all are certified.

    Raises KeyboardInterrupt if it is interrupted, and FailedError if the cluster cannot go on; what was judged by then
    is shown and kept.
    """
    assert options.roster is not None
    roster = read_roster(options.roster)
    names = [entrant.name for entrant in roster.entrants]
    return certify_entrants(options, _chosen(roster, options.player, options.roster), names)


def _chosen(roster: Roster, names: str, file: Path) -> Roster:
    """Return the roster with those entrants alone that are named, one behind the other with commas; "": with all."""
    wanted = [name.strip() for name in names.split(",")] if names else [each.name for each in roster.entrants]
    for name in wanted:
        if name not in {each.name for each in roster.entrants}:
            raise UsageError(f"{file} lists no {name!r}: with --roster, name entrants of it, or nobody to have all")
    return replace(roster, entrants=[each for each in roster.entrants if each.name in wanted])


def certify_entrants(options: CertifyOptions, roster: Roster, names: Sequence[str] = ()) -> int:
    """Judge these players, as `certify_roster` does. `names`: whom else a list of known failures may name."""
    typed = asdict(options.suite)
    game, at_once, report = options.game, options.at_once, options.report
    where = Cluster(jobs=typed["jobs"], cluster=options.cluster, when_lost=options.when_lost, ship=options.ship)
    written = [report] if report is not None else []
    cluster = parse_cluster(where, [entrant.link for entrant in roster.entrants], written)
    plans = _plans(game, roster, typed, names)
    if report is not None:
        make_directory(report)
    if cluster is None or not cluster.address:
        for plan in plans.values():
            check_surroundings(plan)
    console = make_console(errors=options.json == "-")
    results = Results(options, roster, console)
    if cluster is None:
        at_once = at_once or max(1, processors() // 2)  # a player may need a core, and so does what judges it
    case_counts = [len(plan.cases) for plan in plans.values()]
    with SeveralView(console, find(game).title, case_counts, _how(cluster, at_once)) as view:

        def take(name: str, event: Event) -> None:
            view.take(name, event)
            if isinstance(event, Ended):
                results.add(name, event.report)

        try:
            if cluster is None or not cluster.address:
                processes = at_once or 1 if cluster is None else min(at_once or cluster.jobs, cluster.jobs)
                run_several(plans, processes, results.writers, take)
            else:
                run(run_on_cluster(plans, cluster, at_once, results.writers, take))
        except (LostError, WorkerError) as error:
            raise FailedError(str(error)) from None
        finally:
            view.stop()
            if results.any:
                results.show()
    return results.exit_code


def _how(cluster: ClusterOptions | None, at_once: int | None) -> str:
    where = [] if cluster is None else ["on a cluster" if cluster.address else f"in {cluster.jobs} processes"]
    return ", ".join([*where, *([] if at_once is None else [f"{at_once} at a time"])])


def _plans(game: str, roster: Roster, typed: Mapping[str, Any], names: Sequence[str]) -> dict[str, Plan]:
    """Return what is judged of each player, by name. Raises UsageError if something of it makes no sense."""
    names = [*names, *(entrant.name for entrant in roster.entrants)]
    known, typed = _known(game, names, typed["known_failures"]), {**typed, "known_failures": ""}
    found = {}
    for entrant in roster.entrants:
        if entrant.link.startswith("dial-in:"):
            command = f"fairplay certify {game} {entrant.link} --listen HOST:PORT"
            raise UsageError(f"{entrant.name} dials in, which one player can at a time: certify it with {command}")
        with named_errors(f"{entrant.name}: "):
            found[entrant.name] = make_plan(
                replace(_options(game, entrant, roster, typed), known=known.get(entrant.name, ()))
            )
    return found


def _known(game: str, names: Sequence[str], file: str) -> Mapping[str, Sequence[str]]:
    """Return the known failures of each player in a file.

    Raises UsageError if something of it makes no sense, FailedError if it names a case that there is not.
    """
    if not file:
        return {}
    with named_errors():
        found = read_all_known_failures(Path(file), [case.id for case in cases(find(game))], names)
    return {name: sorted(ids) for name, ids in found.items()}


def _options(game: str, entrant: Entrant, roster: Roster, typed: Mapping[str, Any]) -> Options:
    """Return the options for one player: those that were typed, then those of the roster."""
    limits = roster.limits
    own = {"limit": typed["limit"] or limits.call, "first_limit": typed["first_limit"] or limits.first, "jobs": 1}
    given = {**typed, **own}
    if limits.start is not None and typed["start_limit"] == option_text(START_LIMIT, START_LIMIT.default):
        given["start_limit"] = limits.start
    return replace(build_options(game, entrant.link, given), secret=entrant.secret)


def _shown(entrant: Entrant) -> dict[str, str]:
    """Return what results say of an entrant: all but its secret."""
    return {key: value for key, value in asdict(entrant).items() if key != "secret"}


class Results:
    """The reports so far, and everything that is made of them."""

    def __init__(self, options: CertifyOptions, roster: Roster, console: Console) -> None:
        """Raises OSError, with one sentence, if something cannot be written."""
        self._game = options.game
        self._roster = roster
        self._directory = options.report
        self._json = open_output(options.json)
        self._summary = open_output(options.summary)
        self._annotates = options.annotations
        self._key = signing_key(options)
        self._console = console
        self._reports: dict[str, Report] = {}
        self._earlier = _read_rows(options.report, options.game) if options.report is not None else {}

    def writers(self, name: str) -> Sequence[Writer]:
        """Return the writers for one player: the same files as a run of its own has."""
        return () if self._directory is None else (ReportWriter(self._directory / folder_of(name), self._key),)

    def add(self, name: str, report: Report) -> None:
        """Keep the report of a player."""
        self._reports[name] = report

    @property
    def any(self) -> bool:
        """Return whether anybody was judged."""
        return bool(self._reports)

    @property
    def exit_code(self) -> int:
        """Return 0 if every player of the roster was judged, and each as a run of its own that ends with 0."""
        judged = [self._reports.get(entrant.name) for entrant in self._roster.entrants]
        return DONE if all(report is not None and report.exit_code == 0 for report in judged) else FAILED

    def show(self) -> None:
        """Print the table and write the page and the JSON, of those that were judged by now.

        Raises OSError, with one sentence, if something cannot be written.
        """
        rows = list((self._earlier | {row.name: row for row in map(self._row, self._roster.entrants)}).values())
        self._console.print(_table(rows))
        count = sum(row.certified for row in rows)
        lead = f"{count} of {len(rows)} players {'is' if count == 1 else 'are'} certified for {find(self._game).title}."
        if partly := sum(row.met == row.must > 0 and not row.certified for row in rows):
            lead += f" {partly} {'meets' if partly == 1 else 'meet'} every MUST that was tried, which were not all."
        say(self._console, f"[bold]{escape(lead)}[/]")
        if self._directory is not None:
            self._write_page(rows, lead)
        write_json({"game": self._game, "players": list(map(self._plain, self._roster.entrants))}, self._json)
        reports = self._reports.items()
        if self._summary is not None:
            self._summary.write("\n".join(summary(report, name) for name, report in reports))
        if self._annotates:
            self._console.file.write("".join(github_annotations(report, name) for name, report in reports))

    def _row(self, entrant: Entrant) -> Row:
        """Return the row of an entrant: the earlier one, if it was not judged this time."""
        report = self._reports.get(entrant.name)
        return (
            self._earlier[entrant.name] if report is None and entrant.name in self._earlier else _row(entrant, report)
        )

    def _write_page(self, rows: Sequence[Row], lead: str) -> None:
        assert self._directory is not None
        page = self._directory / PAGE
        conditions = Counter(row.condition for row in rows if row.condition)
        facts = [("Judged", f"{counted(count, 'player')} {name}") for name, count in conditions.items()]
        text = render(
            "certificates.html",
            title=f"{find(self._game).title}: certificates",
            lead=lead,
            facts=facts,
            rows=rows,
            linked=True,
            failures=_failures(rows),
        )
        Output(page).write(text)
        kept = {"game": self._game, "rows": [asdict(row) for row in rows]}
        Output(self._directory / ROWS).write(json.dumps(kept, indent=1) + "\n")
        say(self._console, f"Look closer: {escape(str(page))}")

    def _plain(self, entrant: Entrant) -> dict[str, Any]:
        report = self._reports.get(entrant.name)
        if report is None:
            return {**_shown(entrant), "certified": False, "conclusion": "not judged", "counts": {}, "failed": []}
        return {
            **_shown(entrant),
            "certified": is_certified(report),
            "conclusion": conclusion(report),
            "counts": {str(verdict): count for verdict, count in report.counts.items()},
            "failed": [
                {"case": each.id, "level": str(each.level), "verdict": str(each.verdict), "sentence": each.sentence}
                for each in report.judged
                if each.verdict in (Verdict.FAIL, Verdict.WARN, Verdict.SUITE_ERROR)
            ],
        }


def is_certified(report: Report) -> bool:
    """Return whether the certificate of a report certifies its player."""
    return check(certificate(report)).certified


def _row(entrant: Entrant, report: Report | None) -> Row:
    facts = (entrant.name, entrant.who, entrant.language)
    if report is None:
        return Row(
            *facts, False, "not judged", 0, 0, 0, 0, 0, None, "", "", "", f"{folder_of(entrant.name)}/report.html"
        )
    must = [each for each in report.judged if each.level is Level.MUST]
    certified = is_certified(report)
    worst = next((each for each in [*(each for each in must if not each.met), *_warned(report)]), None)
    untested = sum(each.verdict is Verdict.NOT_TESTED for each in must)
    met = sum(each.met for each in must)
    return Row(
        *facts,
        certified,
        "certified" if certified else _partly(report, met) if met == len(must) and must else "not certified",
        len(must),
        met,
        len(must) - met - untested,
        untested,
        len(_warned(report)),
        max((1000 * times.max_s for times in report.times.values()), default=None),
        worst.id if worst else "",
        worst.sentence if worst else "",
        _printed(worst) if worst else "",
        f"{folder_of(entrant.name)}/report.html",
        report.failed(),
        _condition(report),
    )


def _partly(report: Report, met: int) -> str:
    """Return the verdict on a player that meets every MUST that was tried, which were not all."""
    return f"{met} of {met} cases asked for" if report.complete else "not all tried"


def _printed(judged: Judged) -> str:
    """Return the last line of the output in the evidence of a case that names an error, or else the last one.

    Where Python says in which line of which file of the author's that was, it is said behind it; and where the line is
    about a file that the program is not shown, that.
    """
    output = "" if judged.evidence is None else dict(judged.evidence.sections).get("Output of the player", "")
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    number = max((number for number, line in enumerate(lines) if ERROR.search(line)), default=len(lines) - 1)
    places = [found for line in lines[:number] if (found := PLACE.match(line)) and "/lib/python" not in found[1]]
    where = f" ({Path(places[-1][1]).name}, line {places[-1][2]})" if places else ""
    hidden = (
        f" {line}" for line in lines[:number] if (out := HIDDEN.match(line)) and Path(out[1]).name in lines[number]
    )
    return cut(lines[number], MAX_FIRST_CHARS) + where + next(hidden, "") if lines else ""


def _warned(report: Report) -> list[Judged]:
    return [each for each in report.judged if each.verdict is Verdict.WARN]


def _failures(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return who fails each case, those that most fail first."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        for case_id in row.failing:
            found[case_id].append(row.name)
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return [{"case": case_id, "names": names} for case_id, names in ordered]


def _condition(report: Report) -> str:
    run, limits = report.run, report.run.limits
    return f"with seed {run.seed}, {limits.decision_s:g} s a call, {limits.first_decision_s:g} s for first decisions"


def _read_rows(directory: Path, game: str) -> dict[str, Row]:
    """Return the rows of the table of a game in a folder, by name, of those whose certificates are still there.

    Raises FailedError if the file is not one of ours.
    """
    try:
        content = json.loads((directory / ROWS).read_bytes())
        rows = [Row(**row) for row in content["rows"]] if content["game"] == game else []
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError):
        raise FailedError(f"{directory / ROWS} does not hold the rows of a table: remove it") from None
    return {row.name: row for row in rows if (directory / folder_of(row.name) / "certificate.json").exists()}


def _table(rows: Sequence[Row]) -> Table:
    table = Table(title="Certificates", title_justify="left")
    table.add_column("Player", no_wrap=True)
    table.add_column("Verdict", no_wrap=True)
    table.add_column("MUST met", justify="right", no_wrap=True)
    table.add_column("What is to be mended first", overflow="fold")
    for row in rows:
        style = "green" if row.certified else "cyan" if row.met == row.must > 0 else "red"
        first = cut(f"{row.first_case}: {row.first_sentence}", MAX_FIRST_CHARS) if row.first_case else ""
        if row.printed:
            first = f"{first.rstrip('.')}. It printed: {row.printed}"
        verdict = f"[{style}]{row.verdict}[/]"
        table.add_row(escape(row.name), verdict, f"{row.met} of {row.must}", harmless(escape(first)))
    return table
