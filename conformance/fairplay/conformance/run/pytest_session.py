"""A run of pytest in which a player is certified: cases are items, and their verdicts are counted as in any run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance.blame.verdicts import Judged
from fairplay.conformance.case import Case
from fairplay.conformance.cases import MODULES
from fairplay.conformance.run.judge import Judge, Plan, Tally, Writer
from fairplay.conformance.run.options import PYTEST_OPTIONS, Options
from fairplay.conformance.run.plan import make_plan
from fairplay.conformance.writers.files import CertificateWriter, ReportWriter
from fairplay.games.conformance import Level
from fairplay.games.game import find
from fairplay.sandbox.bubblewrap import SandboxMissingError

SESSION = "fairplay-session"
CASES = Path(__file__).parent.with_name("cases")


def make_session(config: pytest.Config) -> CertifySession:
    """Return the hooks for the options of a run. Raises UsageError if they make no sense."""
    given = {each.name: config.getoption(f"fairplay_{each.name}") for each in PYTEST_OPTIONS}
    try:
        plan = make_plan(Options(config.getoption("fairplay_game"), config.getoption("fairplay_player"), **given))
    except (ValueError, SandboxMissingError) as error:
        raise pytest.UsageError(str(error)) from None
    if config.getoption("numprocesses", None):
        raise pytest.UsageError("cases side by side are judged by: fairplay certify --jobs N")
    for level in Level:
        config.addinivalue_line("markers", f"{level.lower()}: a case of Fairplay that is a {level}")
    return CertifySession(plan, list(_writers(config)))


def _writers(config: pytest.Config) -> Iterator[Writer]:
    if report := config.getoption("fairplay_report"):
        yield ReportWriter(Path(report))
    if certificate := config.getoption("fairplay_certificate"):
        yield CertificateWriter(Path(certificate))


class CertifySession:
    """The hooks of a run."""

    def __init__(self, plan: Plan, writers: list[Writer]) -> None:
        self.plan = plan
        self._tally = Tally(plan, writers)
        self._judge = Judge(plan)
        self._begun = False

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Collect the modules of cases, which hold no tests for anybody else."""
        if file_path.parent != CASES or file_path.stem == "__init__":
            return None
        collector: pytest.Collector = CaseFile.from_parent(parent, path=file_path, plan=self.plan)
        return collector

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Order the cases from the most ordinary to the most unusual."""
        order = {case.id: index for index, case in enumerate(self.plan.cases)}
        items.sort(key=lambda item: order.get(item.name, len(order)))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Begin with the cases that pytest has chosen."""
        cases = [item.case for item in session.items if isinstance(item, CaseItem)]
        if cases and not session.config.option.collectonly:
            try:
                self._judge.reach()
            except OSError as error:
                raise pytest.UsageError(str(error)) from None
        self._begun = bool(cases)
        self._tally.begin(cases)

    def judge(self, case: Case) -> Judged:
        """Judge a case."""
        result = self._judge.judge(case)
        self._tally.add(result)
        return result.judged

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        """Return the verdict of a case, where pytest shows how a test ended."""
        verdict = dict(getattr(report, "user_properties", ())).get("verdict")
        if verdict is None or report.when != "call" or hasattr(report, "wasxfail"):
            return None
        if verdict == Verdict.PASS and report.failed:  # a known failure that passes: pytest says so
            return None
        category = {Verdict.PASS: "passed", Verdict.FAIL: "failed", Verdict.SUITE_ERROR: "failed"}.get(verdict)
        return category or verdict.lower(), verdict[0], verdict

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Let go of the player and write the reports, also if the run was interrupted."""
        self._judge.close()
        if not self._begun:
            return
        report = self._tally.end()
        if exitstatus == pytest.ExitCode.OK:  # what has failed stays so, such as tests of others in this run
            session.exitstatus = report.exit_code


class CaseFile(pytest.File):
    """A module of cases."""

    def __init__(self, *, plan: Plan, **rest: Any) -> None:
        super().__init__(**rest)
        self._plan = plan

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the chosen cases of the module."""
        wanted = {case.id for case in self._plan.cases}
        [module] = [each for each in MODULES if Path(str(each.__file__)) == self.path]
        for case in module.cases(find(self._plan.run.game)):
            if case.id in wanted:
                item = CaseItem.from_parent(self, name=case.id, case=case)
                item.add_marker(str(case.level).lower())
                yield item


class CaseItem(pytest.Item):
    """A case."""

    def __init__(self, *, case: Case, **rest: Any) -> None:
        super().__init__(**rest)
        self.case = case

    def runtest(self) -> None:
        """Judge the case. The verdict decides whether it passes, fails or is skipped in pytest's sense."""
        session: Any = self.config.pluginmanager.get_plugin(SESSION)
        judged = session.judge(self.case)
        self.user_properties.append(("verdict", str(judged.verdict)))
        if judged.outdated:
            raise UnmetError(judged, f"{judged.id} is listed as a known failure, but passes: take it off the list")
        waits = judged.verdict is Verdict.NOT_TESTED and judged.see in session.plan.known
        if judged.excused or waits:  # of what waits in vain, the report says so at the end
            pytest.xfail(f"{judged.verdict}: {judged.sentence} (a known failure)")
        if judged.verdict in (Verdict.FAIL, Verdict.SUITE_ERROR):
            raise UnmetError(judged, judged.sentence)
        if judged.verdict is Verdict.NOT_TESTED and judged.level is Level.MUST:
            raise UnmetError(judged, f"{judged.verdict}: {judged.sentence}")
        if judged.verdict in (Verdict.NOT_TESTED, Verdict.NOT_APPLICABLE):
            pytest.skip(f"{judged.verdict}: {judged.sentence}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the evidence, in the place of a trace."""
        if not isinstance(excinfo.value, UnmetError):
            return super().repr_failure(excinfo, style)
        evidence = excinfo.value.judged.evidence
        sections = () if evidence is None else evidence.sections
        return "\n\n".join([str(excinfo.value), *(f"{title}:\n{text}" for title, text in sections)])

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the case stands, and its name."""
        return self.path, 0, self.name


class UnmetError(Exception):
    """Raised by an item whose case is not met."""

    def __init__(self, judged: Judged, sentence: str) -> None:
        super().__init__(sentence)
        self.judged = judged
