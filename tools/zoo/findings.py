"""What the suite says about a mutant, compared with what the mutant's declaration says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree as Xml

from fairplay.certificate import Verdict
from fairplay.certificate.terms import matches
from fairplay.conformance.blame.verdicts import failures_behind
from fairplay.conformance.case_ids import EVERY_WHOLE_GAME, POSITIONS, RESUMED_GAMES, WHOLE_GAMES
from fairplay.conformance.run.options import EXAMPLES
from fairplay.conformance.run.report import Report
from fairplay.conformance.writers.files import junit
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.games.conformance import Level


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
    contradictions: Sequence[str]
    """What does not fit together in the report."""

    @property
    def is_exact(self) -> bool:
        """Return whether exactly the right cases failed, and the report says the same everywhere."""
        return not (self.missed_by or self.unrelated or self.suite_errors or self.contradictions)

    def __str__(self) -> str:
        """Return what is wrong, in words; empty if nothing is."""
        wrong = {
            "no failure of": self.missed_by,
            "refused also by": self.unrelated,
            "the suite failed in": self.suite_errors,
            "the report contradicts itself:": self.contradictions,
        }
        return "; ".join(f"{words} {', '.join(found)}" for words, found in wrong.items() if found)


def compare(mutant: Mutant, report: Report) -> Finding:
    """Compare a report with the declaration of its mutant. Cases that were not chosen have missed nothing."""
    caught, judged = report.failed(), [each.id for each in report.judged]
    missed = [
        case_id
        for case_id in mutant.cases
        if any(stands_for(case_id, each) for each in judged)
        and not any(stands_for(case_id, each) or each == mutant.instead for each in caught)
    ]
    named = [each for each in caught if each == mutant.instead or any(stands_for(one, each) for one in mutant.cases)]
    unrelated = [each for each in caught if each not in named and not any(matches(each, one) for one in mutant.related)]
    errors = [each.id for each in report.judged if each.verdict is Verdict.SUITE_ERROR]
    return Finding(caught, missed, unrelated, errors, contradictions(report))


def contradictions(report: Report) -> list[str]:
    """Return what does not fit together in a report, a sentence each; empty if all fits.

    A player is refused exactly if a MUST has failed, with evidence. What was not tested says to see a case that has
    failed, through others or not. The JUnit file is red exactly if the exit code is 1.
    """
    verdicts = {each.id: each for each in report.judged}
    failed = [each for each in report.judged if each.verdict is Verdict.FAIL]
    refused = any(each.level is Level.MUST and not each.met for each in report.judged)
    root = Xml.fromstring(junit(report))
    found = [f"{each.id} failed without evidence" for each in failed if not (each.evidence and each.evidence.sections)]
    if refused != bool(failed):
        found.append("it is refused and no case has failed" if refused else "a case has failed and it is not refused")
    if refused and not report.exit_code:
        found.append("it is refused and the exit code is 0")
    if bool(int(root.get("failures", "")) + int(root.get("errors", ""))) != bool(report.exit_code):
        found.append("the JUnit file says something else than the exit code")
    untested = (each for each in report.judged if each.verdict is Verdict.NOT_TESTED)
    return [*found, *(f"{each.id} leads to no failure" for each in untested if not failures_behind(each, verdicts))]


def stands_for(case_id: str, found: str) -> bool:
    """Return whether a case id of a mutant's declaration stands for the case `found`."""
    pattern = EVERY_WHOLE_GAME if case_id == WHOLE_GAMES else case_id
    return found == case_id or (case_id in (WHOLE_GAMES, RESUMED_GAMES) and matches(found, pattern))


def examples_for(mutant: Mutant, few: int) -> int:
    """Return how many states are to be drawn for a mutant: as many as for players if only these show it."""
    return EXAMPLES if mutant.cases[0] in POSITIONS else few
