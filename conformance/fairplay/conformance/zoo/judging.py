"""Whether the suite has found a fault, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fairplay.conformance.engine import matches
from fairplay.conformance.report import Report
from fairplay.conformance.verdicts import Verdict
from fairplay.conformance.zoo.ids import EVERY_WHOLE_GAME, WHOLE_GAMES
from fairplay.conformance.zoo.kinds import Kind


class Finding(NamedTuple):
    """What the suite made of a player with a fault."""

    caught_by: Sequence[str]
    """The cases that found something."""
    missed_by: Sequence[str]
    """The cases that name the fault and did not find it."""
    unrelated: Sequence[str]
    """The cases that found something where there is nothing of this fault."""
    suite_errors: Sequence[str]
    """The cases in which the suite itself failed."""

    @property
    def is_exact(self) -> bool:
        """Whether all went as it should."""
        return not (self.missed_by or self.unrelated or self.suite_errors)


def finding(kind: Kind, report: Report) -> Finding:
    """Compares a report about a player with its fault. Cases that were not chosen have missed nothing."""
    caught, judged = report.failed(), [each.id for each in report.judged]
    missed = [
        case_id
        for case_id in kind.cases
        if any(stands_for(case_id, each) for each in judged) and not any(stands_for(case_id, each) for each in caught)
    ]
    unrelated = [each for each in caught if not is_named(kind, each) and not is_related(kind, each)]
    errors = [each.id for each in report.judged if each.verdict is Verdict.SUITE_ERROR]
    return Finding(caught, missed, unrelated, errors)


def stands_for(case_id: str, found: str) -> bool:
    """Whether the id of a case, as a fault has it, stands for the case `found`."""
    return found == case_id or (case_id == WHOLE_GAMES and matches(found, EVERY_WHOLE_GAME))


def is_named(kind: Kind, case_id: str) -> bool:
    """Whether a case is one of those that name the fault."""
    return any(stands_for(each, case_id) for each in kind.cases)


def is_related(kind: Kind, case_id: str) -> bool:
    """Whether the fault shows itself in what a case does."""
    return any(matches(case_id, pattern) for pattern in kind.related)
