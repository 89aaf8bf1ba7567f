"""What happens in a run, for those who show or keep it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from fairplay.conformance.case import Case
from fairplay.conformance.report import Report, Run
from fairplay.conformance.verdicts import Judged


@dataclass(frozen=True, slots=True)
class Began:
    """These cases are going to be judged, in about this order."""

    run: Run
    cases: Sequence[Case]


@dataclass(frozen=True, slots=True)
class CaseBegan:
    """A case is being tried. Not told where several are tried at once."""

    case_id: str


@dataclass(frozen=True, slots=True)
class CaseJudged:
    """A case has its verdict."""

    judged: Judged


@dataclass(frozen=True, slots=True)
class Ended:
    """All is judged, or the run was interrupted."""

    report: Report


Event: TypeAlias = Began | CaseBegan | CaseJudged | Ended


class Writer(Protocol):
    """Shows or keeps what happens."""

    def take(self, event: Event) -> None:
        """Is told of everything in order: Began, then the cases, then Ended."""
