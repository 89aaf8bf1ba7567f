"""The events of a run, the writers that show or keep them, and what was found so far."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol, TypeAlias

from fairplay.certificate import Verdict
from fairplay.conformance.blame.verdicts import Judged, charge
from fairplay.conformance.case import Case
from fairplay.conformance.run.judge import Plan, Result
from fairplay.conformance.run.report import Report, Run, distribution
from fairplay.v1.player_pb2 import PlayerDescription


@dataclass(frozen=True, slots=True)
class Began:
    """These cases are going to be judged, in about this order."""

    run: Run
    cases: Sequence[Case]


@dataclass(frozen=True, slots=True)
class CaseBegan:
    """A case is being judged. With several jobs, several cases are at the same time."""

    case_id: str


@dataclass(frozen=True, slots=True)
class CaseJudged:
    """A case has its verdict. At the end of a run it may get another one: see `blame.verdicts.charge`."""

    judged: Judged


@dataclass(frozen=True, slots=True)
class Ended:
    """All cases are judged, or the run was interrupted. The last event."""

    report: Report


Event: TypeAlias = Began | CaseBegan | CaseJudged | Ended


class Writer(Protocol):
    """Shows or keeps the events of a run."""

    def take(self, event: Event) -> None:
        """Take the next event: first Began, then those of the cases, then Ended."""


class Tally:
    """Collects the results of a run, tells the writers its events, and returns the report."""

    def __init__(self, plan: Plan, writers: Sequence[Writer]) -> None:
        self.plan = plan
        self._writers = writers
        self._judged: dict[str, Judged] = {}
        self._times: dict[str, list[float]] = {}
        self._decisions: Counter[str] = Counter()
        self._player = PlayerDescription()

    def begin(self, cases: Sequence[Case]) -> None:
        """Tell that these cases are going to be judged."""
        self._began, self._since = datetime.now(UTC), time.monotonic()
        self._case_count = len(cases)
        self._tell(Began(self.plan.run, cases))

    def begin_case(self, case_id: str) -> None:
        """Tell that a case is being judged."""
        self._tell(CaseBegan(case_id))

    def add(self, result: Result) -> None:
        """Add the result of a case."""
        judged = result.judged
        self._judged[judged.id] = judged
        self._player = result.player if result.player.ByteSize() else self._player
        for method, seconds in result.times.items():
            self._times.setdefault(method, []).extend(seconds)
        self._decisions.update(result.decisions)
        self._tell(CaseJudged(judged))

    @property
    def has_failed_fast(self) -> bool:
        """Return whether the run is over because a MUST is not met that the author has not listed as a failure."""
        failed = any(each.verdict is Verdict.FAIL and not each.known for each in self._judged.values())
        return failed and self.plan.options is not None and self.plan.options.fail_fast

    def end(self) -> Report:
        """Tell the end and return the report. It is complete if every case was judged.

        In a complete run, misconduct for which no case has failed is charged to the case that it belongs to.
        """
        complete = len(self._judged) == self._case_count
        for charged in charge(list(self._judged.values())) if complete else ():
            self._judged[charged.id] = charged
            self._tell(CaseJudged(charged))
        report = Report(
            self.plan.run,
            self._player,
            [self._judged[case.id] for case in self.plan.cases if case.id in self._judged],
            {method: distribution(seconds) for method, seconds in self._times.items()},
            self._began,
            time.monotonic() - self._since,
            complete,
            dict(sorted(self._decisions.items())),
        )
        self._tell(Ended(report))
        return report

    def _tell(self, event: Event) -> None:
        for writer in self._writers:
            writer.take(event)
