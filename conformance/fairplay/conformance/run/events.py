"""The events of a run, and the writers that show or keep them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from fairplay.conformance.blame.verdicts import Judged
from fairplay.conformance.case import Case
from fairplay.conformance.run.report import Report, Run


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
    """A case has its verdict. At the end of a run it may get another one: see `blame.charge`."""

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
