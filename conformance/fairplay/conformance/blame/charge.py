"""The charging of misconduct for which no case has failed: who is not certified is told why by at least one case.

A case that misconduct keeps from being tried is NOT TESTED and names the case to see. That case may have passed: the
misconduct came by chance, only after other games, or in another process. Then it would be lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fairplay.conformance.blame.verdicts import Judged, Verdict
from fairplay.games.conformance import Level

TIME = "time."
"""Begins the ids of the cases about time limits: who hangs is not asked any more, whichever saw it."""


def charge(judged: Sequence[Judged]) -> list[Judged]:
    """Return new verdicts of the cases to which misconduct is charged; the other verdicts stay as they are.

    Misconduct that a case names as the reason why it was not tested is charged to the case that it says to see, unless
    that one has failed, or says to see another one that has. If there is no such case, or only the suite failed in it,
    or what the one demands the other only recommends, the misconduct is charged to the case that names it.
    """
    verdicts, charged = {each.id: each for each in judged}, dict[str, Judged]()
    for case_id in list(verdicts):
        each = verdicts[case_id]
        if each.verdict is Verdict.NOT_TESTED and each.evidence is not None and not leads_to_failure(each, verdicts):
            failed = _charged(each, verdicts)
            charged[failed.id] = verdicts[failed.id] = failed
    return list(charged.values())


def leads_to_failure(judged: Judged, verdicts: Mapping[str, Judged]) -> bool:
    """Return whether a case that a case says to see has failed, or one that this says to see in turn."""
    accepted = (Verdict.FAIL,) if judged.level is Level.MUST else (Verdict.FAIL, Verdict.WARN)
    failed = {each.id for each in verdicts.values() if each.verdict in accepted}
    seen, following = set[str](), judged
    while following.id not in seen:
        seen.add(following.id)
        if following.id in failed or (following.see.startswith(TIME) and any(map(_is_about_time, failed))):
            return True
        following = verdicts.get(following.see, following)
    return False


def _is_about_time(case_id: str) -> bool:
    return case_id.startswith(TIME)


def _charged(judged: Judged, verdicts: Mapping[str, Judged]) -> Judged:
    """Return the failure of the case to which the misconduct that a case names belongs."""
    owner = verdicts.get(judged.see, judged)
    if owner.verdict is Verdict.SUITE_ERROR or (judged.level is Level.MUST) != (owner.level is Level.MUST):
        owner = judged
    assert judged.evidence is not None
    evidence = judged.evidence
    if owner is not judged:
        evidence = evidence.with_sections(("Seen in", f"{judged.id}, which could not be tried because of it."))
    verdict = Verdict.FAIL if owner.level is Level.MUST else Verdict.WARN
    return replace(owner, verdict=verdict, sentence=evidence.sentence, evidence=evidence, see="")
