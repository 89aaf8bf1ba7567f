"""A run of pytest in which a player is certified: cases as items, their verdicts as events."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fairplay.conformance import packing
from fairplay.conformance.case import Case
from fairplay.conformance.cases import MODULES
from fairplay.conformance.certify import make_transport, open_context
from fairplay.conformance.context import Context
from fairplay.conformance.engine import judge
from fairplay.conformance.events import Began, CaseBegan, CaseJudged, Ended, Event, Writer
from fairplay.conformance.plan import Options, Plan, plan_of
from fairplay.conformance.report import Report, distribution, measured
from fairplay.conformance.verdicts import Judged, Verdict
from fairplay.conformance.writers.files import CertificateWriter, ReportWriter
from fairplay.games.conformance import Level
from fairplay.v1.player_pb2 import PlayerDescription

AUDIENCE = "fairplay-audience"
CASES = Path(__file__).with_name("cases")
INTERRUPTED = 2


class Audience:
    """The writers that `fairplay certify` brings; `report` is what they were told in the end."""

    def __init__(self, writers: Sequence[Writer]) -> None:
        self.writers = writers
        self.report: Report | None = None


def session_of(config: pytest.Config) -> Session:
    """The session that the options ask for."""
    option = config.option
    options = Options(
        option.fairplay_game,
        option.fairplay_player or "",
        option.fairplay_level,
        option.fairplay_only,
        option.fairplay_seed,
        option.fairplay_limit,
        option.fairplay_first_limit,
        option.fairplay_start_limit,
        option.fairplay_listen,
        option.fairplay_known_failures,
    )
    try:
        plan = plan_of(options)
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    workers = getattr(option, "numprocesses", None)
    if workers and plan.run.reached_by == "dial-in":
        raise pytest.UsageError("a player that dials in is one player: it cannot be tried by several jobs")
    for level in Level:
        config.addinivalue_line("markers", f"{level.lower()}: a case of Fairplay that is a {level}")
    audience = config.pluginmanager.get_plugin(AUDIENCE) or Audience(list(_writers(option)))
    return Session(plan, audience, in_worker=hasattr(config, "workerinput"), spread=bool(workers))


def _writers(option: Any) -> Iterator[Writer]:
    if option.fairplay_report:
        yield ReportWriter(Path(option.fairplay_report))
    if option.fairplay_certificate:
        yield CertificateWriter(Path(option.fairplay_certificate))


class Session:
    """The hooks of a run."""

    def __init__(self, plan: Plan, audience: Audience, *, in_worker: bool, spread: bool) -> None:
        self.plan = plan
        self._audience = audience
        self._writers = list(audience.writers) if not in_worker else []
        self._in_worker = in_worker
        self._spread = spread
        self._stack = ExitStack()
        self._context: Context | None = None
        self._seen = 0
        self._judged: list[Judged] = []
        self._times: dict[str, list[float]] = {}
        self._player = PlayerDescription()
        self._began, self._since = datetime.now(UTC), time.monotonic()
        self._case_count = 0

    # --- collecting ---

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """The files of cases are collected here, and hold no tests for anybody else."""
        if file_path.parent != CASES or file_path.stem == "__init__":
            return None
        collector: pytest.Collector = CaseFile.from_parent(parent, path=file_path, plan=self.plan)
        return collector

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """From the most ordinary to the most unusual."""
        order = {case.id: index for index, case in enumerate(self.plan.cases)}
        items.sort(key=lambda item: order.get(item.name, len(order)))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """What is going to be judged is known."""
        items = [item for item in session.items if isinstance(item, CaseItem)]
        if not self._in_worker and not self._spread:
            self._begin([item.case for item in items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:
        """The same, where workers collect."""
        if self._case_count == 0:
            names = {each.rpartition("::")[2] for each in ids}
            self._begin([case for case in self.plan.cases if case.id in names])

    def _begin(self, cases: Sequence[Case]) -> None:
        self._case_count = len(cases)
        self._tell(Began(self.plan.run, cases))

    # --- running ---

    @property
    def context(self) -> Context:
        """What cases are tried on, made when the first one is."""
        if self._context is None:
            options = self.plan.options
            way = make_transport(self.plan.game, options.player, options.listen, options.start_limit_s)
            made = open_context(self.plan.game, way, options.seed, self.plan.run.limits, options.examples)
            self._context = self._stack.enter_context(made)
        return self._context

    def judge(self, case: Case) -> Judged:
        """Tries a case."""
        if not self._in_worker:
            self._tell(CaseBegan(case.id))
        return judge(case, self.context, self.plan.repeat(case.id), known=case.id in self.plan.known)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Gives the report its verdict, and what was learned about the player meanwhile."""
        report = yield
        if call.when == "call" and isinstance(item, CaseItem) and item.judged is not None:
            context = self.context
            new, self._seen = context.trials[self._seen :], len(context.trials)
            vars(report)["fairplay"] = packing.packed(item.judged, measured(new), context.player.description)
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        """A verdict, from here or from a worker."""
        packed = getattr(report, "fairplay", None)
        if packed is None or self._in_worker:
            return
        judged, times, player = packing.unpacked(packed)
        self._judged.append(judged)
        self._player = player if player.ByteSize() else self._player
        for method, seconds in times.items():
            self._times.setdefault(method, []).extend(seconds)
        self._tell(CaseJudged(judged))

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        """Verdicts in the words of the suite, where pytest shows them."""
        packed = getattr(report, "fairplay", None)
        if packed is None or report.when != "call":
            return None
        verdict = Verdict(packed["verdict"])
        category = {Verdict.PASS: "passed", Verdict.FAIL: "failed", Verdict.SUITE_ERROR: "failed"}.get(verdict)
        return category or str(verdict).lower(), str(verdict)[0], str(verdict)

    # --- the end ---

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Lets go of the player; writes the reports, also of a run that was interrupted."""
        self._stack.close()
        if self._in_worker:
            return
        report = self._report(complete=len(self._judged) == self._case_count and exitstatus in (0, 1))
        self._audience.report = report
        if self._case_count:
            self._tell(Ended(report))
            if exitstatus in (0, 1):
                session.exitstatus = report.exit_code

    def _report(self, *, complete: bool) -> Report:
        order = {case.id: index for index, case in enumerate(self.plan.cases)}
        judged = sorted({each.id: each for each in self._judged}.values(), key=lambda each: order.get(each.id, 0))
        times = {method: distribution(seconds) for method, seconds in self._times.items() if seconds}
        seconds = time.monotonic() - self._since
        return Report(self.plan.run, self._player, judged, times, self._began, seconds, complete)

    def _tell(self, event: Event) -> None:
        for writer in self._writers:
            writer.take(event)


class CaseFile(pytest.File):
    """One module of cases."""

    def __init__(self, *, plan: Plan, **rest: Any) -> None:
        super().__init__(**rest)
        self._plan = plan

    def collect(self) -> Iterator[pytest.Item]:
        """Its cases that were chosen."""
        wanted = {case.id for case in self._plan.cases}
        module = next((each for each in MODULES if Path(each.__file__ or "") == self.path), None)
        for case in module.cases(self._plan.game) if module is not None else ():
            if case.id in wanted:
                item = CaseItem.from_parent(self, name=case.id, case=case)
                item.add_marker(str(case.level).lower())
                yield item


class CaseItem(pytest.Item):
    """One case."""

    def __init__(self, *, case: Case, **rest: Any) -> None:
        super().__init__(**rest)
        self.case = case
        self.judged: Judged | None = None

    def runtest(self) -> None:
        """Tries it. Passes, fails and skips in pytest's sense follow from the verdict."""
        session: Any = self.config.pluginmanager.get_plugin("fairplay-session")
        self.judged = judged = session.judge(self.case)
        self.user_properties.append(("verdict", str(judged.verdict)))
        if judged.outdated:
            raise UnmetError(f"{judged.id} is listed as a known failure, but passes: take it off the list")
        if judged.verdict in (Verdict.FAIL, Verdict.SUITE_ERROR):
            if judged.known:
                pytest.xfail(judged.sentence)
            raise UnmetError(judged.sentence)
        if judged.verdict in (Verdict.NOT_TESTED, Verdict.NOT_APPLICABLE):
            pytest.skip(f"{judged.verdict}: {judged.sentence}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The evidence, in the place of a trace."""
        if not isinstance(excinfo.value, UnmetError) or self.judged is None:
            return super().repr_failure(excinfo, style)
        evidence = self.judged.evidence
        sections = () if evidence is None else evidence.sections
        return "\n\n".join([str(excinfo.value), *(f"{title}:\n{text}" for title, text in sections)])

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it stands, and its name."""
        return self.path, 0, self.name


class UnmetError(Exception):
    """A case is not met."""
