"""A run of the suite in a terminal, or line by line where there is none."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from fairplay.certificate import Verdict
from fairplay.client.text import counted, harmless
from fairplay.conformance.blame.verdicts import REMARK, Judged
from fairplay.conformance.run.events import Began, CaseBegan, CaseJudged, Ended, Event
from fairplay.conformance.run.options import duration_text
from fairplay.conformance.run.report import Report, conclusion
from fairplay.terminal.estimate import Estimate

STYLES = {
    Verdict.PASS: "green",
    Verdict.FAIL: "bold red",
    Verdict.WARN: "yellow",
    Verdict.NOT_TESTED: "blue",
    Verdict.NOT_APPLICABLE: "dim",
    Verdict.SUITE_ERROR: "bold magenta",
}
EXPLAINED = (Verdict.FAIL, Verdict.WARN, Verdict.SUITE_ERROR)


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
        self._say(f"{run.title}, {count}, seed {run.seed}, reached by {run.reached_by}{within}")
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
        self._estimate.count_case()
        if self._progress is not None:
            self._progress.update(self._progress.task_ids[0], advance=1, left=self._estimate.text)
        elif (line := self._estimate.line()) is not None:
            self._say(f"[dim]{line}[/]")

    def _end(self, report: Report) -> None:
        if self._progress is not None:
            self._progress.stop()
        for each in report.judged:
            if each.verdict in EXPLAINED:
                self._explain(each)
        self._say("")
        for each in report.judged:
            if each.outdated:
                self._say(f"[bold red]{each.id} is listed as a known failure, but passes: take it off the list.[/]")
        counts = ", ".join(f"{count} {verdict}" for verdict, count in report.counts.items() if count)
        self._say(f"{counts or 'no case was judged'}; {report.seconds:.1f} s")
        if report.decisions:
            shares = ", ".join(f"{count:,} {method}" for method, count in report.decisions.items())
            self._say(f"Decisions judged: {sum(report.decisions.values()):,} ({shares}).")
        if report.times:
            slowest = max(report.times.items(), key=lambda item: item[1].max_s)
            self._say(f"The longest answer took {1000 * slowest[1].max_s:.1f} ms ({slowest[0]}).")
        if count := sum(REMARK in each.sentence for each in report.judged):
            self._say(
                f"[yellow]In {counted(count, 'case')} an answer was {REMARK}: on a slower machine it may fail.[/]"
            )
        self._say(f"[bold]{escape(conclusion(report))}[/]")

    def _explain(self, judged: Judged) -> None:
        self._say(f"\n[{STYLES[judged.verdict]}]{judged.verdict}[/] [bold]{judged.id}[/]\n{escape(judged.sentence)}")
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
