"""Findings: the causes for which cases are not met, each with all cases that show it, and the plainest example."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from fairplay.certificate import MET, Verdict
from fairplay.conformance.blame.verdicts import Judged
from fairplay.conformance.evidence import VARYING
from fairplay.conformance.player.breaker import NO_TIME

GRAVEST_FIRST: Sequence[Verdict] = (Verdict.SUITE_ERROR, Verdict.FAIL, Verdict.WARN, Verdict.NOT_TESTED)
OUTDATED = "It is listed as a known failure, but passes: take it off the list."


class Finding(NamedTuple):
    """One cause, and the cases that it keeps from being met, in their order."""

    sentence: str
    cases: Sequence[Judged]
    """Those that failed, or are outdated; for a budget that was spent, those that were not tried."""
    untested: Sequence[Judged] = ()
    """Those that could not be tried because of it."""

    @property
    def name(self) -> str:
        """Return the id of the first case."""
        return self.cases[0].id

    @property
    def verdict(self) -> Verdict:
        """Return the gravest verdict."""
        found = {each.verdict for each in self.cases}
        return next((each for each in GRAVEST_FIRST if each in found), self.cases[0].verdict)

    @property
    def example(self) -> Judged:
        """Return the case with the shortest evidence, which is understood first."""
        return min(self.cases, key=lambda each: 0 if each.evidence is None else len(each.evidence.canonical()))

    @property
    def more(self) -> str:
        """Return how many other cases show it, and how many could not be tried, in words; empty if there are none."""
        others, untested = len(self.cases) - 1, len(self.untested)
        does = {Verdict.FAIL: "fail", Verdict.NOT_TESTED: "could not be tried"}.get(self.verdict, "are not met")
        one = {"fail": "fails", "are not met": "is not met"}.get(does, does)
        more = f", and {others} {f'case more that {one}' if others == 1 else f'cases more that {does}'} for it"
        return (more if others else "") + (
            f", and {untested} that could not be tried because of it" if untested else ""
        )


def find_findings(judged: Iterable[Judged]) -> list[Finding]:
    """Return the findings of a run: the gravest first, of those the ones that keep most cases from being met."""
    verdicts = {each.id: each for each in judged}
    failed: dict[str, list[Judged]] = {}
    spent: list[Judged] = []
    for each in verdicts.values():
        if each.verdict in (Verdict.SUITE_ERROR, Verdict.FAIL, Verdict.WARN) or each.outdated:
            failed.setdefault(_cause(each), []).append(each)
        elif each.verdict is Verdict.NOT_TESTED and each.sentence.startswith(NO_TIME):
            spent.append(each)
    untested = _untested(verdicts, failed)
    found = [Finding("", cases, untested.get(cause, ())) for cause, cases in failed.items()]
    found = [each._replace(sentence=_sentence(each.example)) for each in found]
    if spent:
        found.append(Finding(_spent_sentence(spent, len(verdicts)), spent))
    return sorted(found, key=_rank)  # stable: in the order of judging otherwise


def _cause(judged: Judged) -> str:
    """Return what tells the cause of a failure from others: the same words for the same cause."""
    if judged.outdated:
        return OUTDATED
    named = "" if judged.evidence is None else judged.evidence.cause
    return named or VARYING.sub("…", judged.sentence)


def _untested(verdicts: Mapping[str, Judged], failed: Mapping[str, Sequence[Judged]]) -> Mapping[str, list[Judged]]:
    """Return the cases that could not be tried because of each cause: they show it, or say to see a case that does."""
    causes = {each.id: cause for cause, cases in failed.items() for each in cases}
    found: dict[str, list[Judged]] = {}
    for each in verdicts.values():
        if each.verdict is not Verdict.NOT_TESTED:
            continue
        cause, following, seen = _cause(each) if each.evidence else "", each, set[str]()
        while cause not in failed and following.see not in ("", *seen):
            seen.add(following.see)
            cause = causes.get(following.see, "")
            following = verdicts.get(following.see, following)
        if cause in failed:
            found.setdefault(cause, []).append(each)
    return found


def _sentence(judged: Judged) -> str:
    return OUTDATED if judged.outdated else judged.sentence


def _spent_sentence(spent: Sequence[Judged], case_count: int) -> str:
    budget = spent[0].sentence.removeprefix(NO_TIME).strip()
    return (
        f"The time of --budget {budget} was spent before all was asked: {len(spent)} of {case_count} cases were not"
        " tried. Give a longer --budget, or see which answers take long."
    )


def _rank(finding: Finding) -> tuple[int, bool, int]:
    known = all(each.known for each in finding.cases)
    grave = GRAVEST_FIRST.index(finding.verdict) if finding.verdict not in MET else len(GRAVEST_FIRST)
    return grave, known, -len(finding.cases) - len(finding.untested)
