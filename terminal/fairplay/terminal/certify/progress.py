"""The progress of several runs of the suite at a time, or a line for each player where there is no terminal."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from fairplay.client.text import counted
from fairplay.conformance.run.events import Began, CaseBegan, CaseJudged, Ended, Event
from fairplay.conformance.run.report import conclusion
from fairplay.terminal.estimate import Estimate
from fairplay.terminal.printing import say


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
        self._estimate.count_case()
        self._progress.update(self._total, advance=1, description=self._estimate.text)
        if not self._console.is_terminal and (line := self._estimate.line()) is not None:
            say(self._console, f"[dim]{line}[/]")

    def _end(self, name: str, sentence: str) -> None:
        self._done_count += 1
        self._progress.remove_task(self._tasks[name])
        say(self._console, f"{self._done_count}/{self._player_count} [bold]{escape(name)}[/]: {escape(sentence)}")
