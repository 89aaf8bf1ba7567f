"""Runs of the suite in a terminal, of one player or of several at a time, or line by line where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from fairplay.certificate import MET, Verdict
from fairplay.client.wording import counted, harmless
from fairplay.conformance.blame.verdicts import REMARK, Judged
from fairplay.conformance.run.findings import Finding, find_findings
from fairplay.conformance.run.judge import Began, CaseBegan, CaseJudged, Ended, Event
from fairplay.conformance.run.options import duration_text
from fairplay.conformance.run.report import Report, conclusion
from fairplay.terminal.printing import Estimate, say

STYLES = {
    Verdict.PASS: "green",
    Verdict.FAIL: "bold red",
    Verdict.WARN: "yellow",
    Verdict.NOT_TESTED: "blue",
    Verdict.NOT_APPLICABLE: "dim",
    Verdict.SUITE_ERROR: "bold magenta",
}
MAX_SHOWN = 12
"""How many cases with the same cause are named."""


class ConsoleWriter:
    """Shows the progress and every verdict, and at the end the evidence of failures."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._progress: Progress | None = None
        self._estimate = Estimate(0, None)

    def take(self, event: Event) -> None:
        """Show an event."""
        if isinstance(event, Began):
            self._begin(event)
        elif isinstance(event, CaseBegan) and self._progress is not None:
            self._progress.update(self._progress.task_ids[0], description=event.case_id)
        elif isinstance(event, CaseJudged):
            self._show(event.judged)
        elif isinstance(event, Ended):
            self._end(event.report)

    def _begin(self, event: Began) -> None:
        run, count = event.run, counted(len(event.cases), "case")
        within = "" if run.budget_s is None else f", in at most {duration_text(run.budget_s)}"
        profile = f", profile {run.profile}" if run.profile else ""
        self._say(f"{run.title}{profile}, {count}, seed {run.seed}, reached by {run.reached_by}{within}")
        self._estimate = Estimate(len(event.cases), run.budget_s)
        if self._console.is_terminal:
            columns = (
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.fields[left]} {task.description}"),
            )
            self._progress = Progress(*columns, console=self._console, transient=True)
            self._progress.add_task("", total=len(event.cases), left="")
            self._progress.start()

    def _show(self, judged: Judged) -> None:
        style, known = STYLES[judged.verdict], " (known)" if judged.known else ""
        self._say(f"[{style}]{judged.verdict:14}[/] {judged.id:36} {judged.seconds:6.2f} s{known}")
        if judged.sentence:
            self._say(f"    {escape(judged.sentence)}")
        self._estimate.count()
        if self._progress is not None:
            self._progress.update(self._progress.task_ids[0], advance=1, left=self._estimate.text)
        elif (line := self._estimate.line()) is not None:
            self._say(f"[dim]{line}[/]")

    def _end(self, report: Report) -> None:
        if self._progress is not None:
            self._progress.stop()
        for finding in find_findings(report.judged):
            if finding.verdict not in MET:
                self._explain(finding)
        self._say("")
        counts = ", ".join(f"{count} {verdict}" for verdict, count in report.counts.items() if count)
        self._say(f"{counts or 'no case was judged'}; {report.seconds:.1f} s")
        if report.decisions:
            shares = ", ".join(f"{count:,} {method}" for method, count in report.decisions.items())
            self._say(f"Decisions judged: {sum(report.decisions.values()):,} ({shares}).")
        if report.coverage is not None:
            self._say(report.coverage.sentence)
        if report.times:
            slowest = max(report.times.items(), key=lambda item: item[1].max_s)
            self._say(f"The longest answer took {1000 * slowest[1].max_s:.1f} ms ({slowest[0]}).")
        if count := sum(REMARK in each.sentence for each in report.judged):
            self._say(
                f"[yellow]In {counted(count, 'case')} an answer was {REMARK}: on a slower machine it may fail.[/]"
            )
        self._say(f"[bold]{escape(conclusion(report))}[/]")

    def _explain(self, finding: Finding) -> None:
        judged, verdict = finding.example, finding.verdict
        head = f"[{STYLES[verdict]}]{verdict}[/] [bold]{judged.id}[/]{finding.more}"
        self._say(f"\n{head}\n{escape(finding.sentence)}")
        if others := [each.id for each in (*finding.cases, *finding.untested) if each is not judged]:
            rest = f", and {len(others) - MAX_SHOWN} more" if len(others) > MAX_SHOWN else ""
            self._say(f"  [bold]The same cause[/]\n    {', '.join(others[:MAX_SHOWN])}{rest}")
        if judged.evidence is None:
            return
        for title, text in judged.evidence.sections:
            body = "\n".join(f"    {line}" for line in text.splitlines())
            self._say(f"  [bold]{escape(title)}[/]\n{escape(body)}")
        if judged.evidence.board:
            self._say("  [bold]The position[/]")
            self._say(judged.evidence.board)

    def _say(self, markup: str) -> None:
        self._console.print(harmless(markup), soft_wrap=True)


# --- several players ---


class SeveralView:
    """Shows how far each player is that is being judged, and the whole."""

    def __init__(self, console: Console, title: str, case_counts: Sequence[int], how: str) -> None:
        self._console = console
        self._player_count = len(case_counts)
        self._done_count = 0
        self._seen: dict[str, set[str]] = {}
        self._tasks: dict[str, TaskID] = {}
        self._estimate = Estimate(sum(case_counts), None)
        columns = (TextColumn("{task.fields[name]}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, TextColumn("{task.description}"), console=console, transient=True)
        self._total = self._progress.add_task("", total=sum(case_counts), name="all")
        say(console, f"{title}, {counted(self._player_count, 'player')}, {how}")

    def __enter__(self) -> SeveralView:
        if self._console.is_terminal:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Take the progress off the screen."""
        if self._console.is_terminal:  # elsewhere the end of what was not begun is an empty line
            self._progress.stop()

    def take(self, name: str, event: Event) -> None:
        """Show an event of the run of a player."""
        if isinstance(event, Began):
            self._begin(name, len(event.cases))
        elif isinstance(event, CaseBegan):
            self._progress.update(self._tasks[name], description=event.case_id)
        elif isinstance(event, CaseJudged):
            self._count(name, event.judged.id)
        elif isinstance(event, Ended):
            self._end(name, conclusion(event.report))

    def _begin(self, name: str, case_count: int) -> None:
        self._seen[name] = set()
        self._tasks[name] = self._progress.add_task("", total=case_count, name=escape(name))

    def _count(self, name: str, case_id: str) -> None:
        if case_id in self._seen[name]:  # it got another verdict at the end
            return
        self._seen[name].add(case_id)
        self._progress.advance(self._tasks[name])
        self._estimate.count()
        self._progress.update(self._total, advance=1, description=self._estimate.text)
        if not self._console.is_terminal and (line := self._estimate.line()) is not None:
            say(self._console, f"[dim]{line}[/]")

    def _end(self, name: str, sentence: str) -> None:
        self._done_count += 1
        self._progress.remove_task(self._tasks[name])
        say(self._console, f"{self._done_count}/{self._player_count} [bold]{escape(name)}[/]: {escape(sentence)}")
