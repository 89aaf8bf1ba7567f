"""Whether the suite has found the defect of a mutant, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fairplay.conformance.options import EXAMPLES
from fairplay.conformance.report import Report
from fairplay.conformance.selection import matches
from fairplay.conformance.verdicts import Verdict
from fairplay.conformance.zoo.case_ids import DRAWN_STATES, EVERY_WHOLE_GAME, WHOLE_GAMES
from fairplay.conformance.zoo.mutants import Mutant


class Finding(NamedTuple):
    """What a report says about a mutant."""

    caught_by: Sequence[str]
    """The cases that failed."""
    missed_by: Sequence[str]
    """The cases that name the mutant and did not fail."""
    unrelated: Sequence[str]
    """The cases that failed although the mutation does not show in them."""
    suite_errors: Sequence[str]
    """The cases in which the suite itself failed."""

    @property
    def is_exact(self) -> bool:
        """Return whether exactly the right cases failed."""
        return not (self.missed_by or self.unrelated or self.suite_errors)


def compare(mutant: Mutant, report: Report) -> Finding:
    """Compare a report with the declaration of its mutant. Cases that were not chosen have missed nothing."""
    caught, judged = report.failed(), [each.id for each in report.judged]
    missed = [
        case_id
        for case_id in mutant.cases
        if any(stands_for(case_id, each) for each in judged) and not any(stands_for(case_id, each) for each in caught)
    ]
    unrelated = [each for each in caught if not _is_named(mutant, each) and not _is_related(mutant, each)]
    errors = [each.id for each in report.judged if each.verdict is Verdict.SUITE_ERROR]
    return Finding(caught, missed, unrelated, errors)


def stands_for(case_id: str, found: str) -> bool:
    """Return whether a case id of a mutant's declaration stands for the case `found`."""
    return found == case_id or (case_id == WHOLE_GAMES and matches(found, EVERY_WHOLE_GAME))


def _is_named(mutant: Mutant, case_id: str) -> bool:
    return any(stands_for(each, case_id) for each in mutant.cases)


def _is_related(mutant: Mutant, case_id: str) -> bool:
    return any(matches(case_id, pattern) for pattern in mutant.related)


def examples_for(mutant: Mutant, few: int) -> int:
    """Return how many states are to be drawn for a mutant: as many as for players if only these show it."""
    return EXAMPLES if mutant.cases == (DRAWN_STATES,) else few
