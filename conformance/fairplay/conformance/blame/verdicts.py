"""The verdicts on cases, and those that change with what other cases show.

Who is not certified is told why by at least one case. A case that misconduct keeps from being tried is NOT TESTED and
names the case to see. That case may have passed: the misconduct came by chance, only after other games, or in another
process. Then it is charged to a case at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace

from fairplay.certificate import MET, Verdict
from fairplay.conformance import case_ids
from fairplay.conformance.evidence import Evidence
from fairplay.conformance.games.trial import CallLimits, Exchange, Trial
from fairplay.games.conformance import Level
from fairplay.v1.misconduct_pb2 import MisconductKind


@dataclass(frozen=True, slots=True)
class Judged:
    """A case with its verdict."""

    id: str
    level: Level
    verdict: Verdict
    sentence: str
    """What was found wrong, or why the case was not tested; for a pass what could not be tried, or nothing."""
    seconds: float
    evidence: Evidence | None = None
    known: bool = False
    """Whether the author's list of known failures names the case, or all because of which it was not tested."""
    see: str = ""
    """The id of the case that the misconduct belongs to because of which this case, or part of it, was not tested."""

    @property
    def met(self) -> bool:
        """Return whether the player does what the case asks, as far as the case is applicable."""
        return self.verdict in MET

    @property
    def settled(self) -> bool:
        """Return whether another attempt would change nothing."""
        return self.met or (self.evidence is not None and self.evidence.final)

    @property
    def outdated(self) -> bool:
        """Return whether the case passes although it is listed as a known failure."""
        return self.known and self.verdict is Verdict.PASS

    @property
    def excused(self) -> bool:
        """Return whether the case is not met, as the author's list of known failures has it."""
        return self.known and self.verdict in (Verdict.FAIL, Verdict.NOT_TESTED)


def exit_code(judged: Iterable[Judged]) -> int:
    """Return 0 if every MUST is met or a known failure, none of these is outdated, and the suite did not fail; or 1."""
    for each in judged:
        unmet = each.level is Level.MUST and not each.met and not each.excused
        if unmet or each.outdated or each.verdict is Verdict.SUITE_ERROR:
            return 1
    return 0


TIME = "time."
"""Begins the ids of the cases about time limits: who hangs is not asked any more, whichever saw it."""


def charge(judged: Sequence[Judged]) -> list[Judged]:
    """Return new verdicts of the cases to which misconduct is charged; the other verdicts stay as they are.

    Misconduct that a case names as the reason why it was not tested is charged to the case that it says to see, unless
    that one has failed, or says to see another one that has. If there is no such case, or only the suite failed in it,
    or what the one demands the other only recommends, the misconduct is charged to the case that names it.
    Cases that have passed but for calls that were left out are NOT TESTED if none has failed.
    """
    verdicts, charged = {each.id: each for each in judged}, dict[str, Judged]()
    for case_id in list(verdicts):
        each = verdicts[case_id]
        if each.verdict is Verdict.NOT_TESTED and each.evidence is not None and not failures_behind(each, verdicts):
            failed = _charged(each, verdicts)
            charged[failed.id] = verdicts[failed.id] = failed
    if all(each.verdict is not Verdict.FAIL for each in verdicts.values()):
        partly = [each for each in judged if each.verdict is Verdict.PASS and each.see]
        charged |= {each.id: replace(each, verdict=Verdict.NOT_TESTED) for each in partly}
    return list(charged.values())


def excuse(judged: Sequence[Judged]) -> list[Judged]:
    """Return new verdicts, as known failures, of the cases that were not tested because of known failures alone."""
    verdicts = {each.id: each for each in judged}
    found = []
    for each in judged:
        if each.verdict is Verdict.NOT_TESTED and not each.known:
            failures = failures_behind(each, verdicts)
            if failures and all(failure.known for failure in failures):
                found.append(replace(each, known=True))
    return found


def failures_behind(judged: Judged, verdicts: Mapping[str, Judged]) -> Sequence[Judged]:
    """Return the first failed case on the way of cases that one says to see; all about time, where one of them is."""
    accepted = (Verdict.FAIL,) if judged.level is Level.MUST else (Verdict.FAIL, Verdict.WARN)
    failed = {each.id: each for each in verdicts.values() if each.verdict in accepted}
    seen, following = set[str](), judged
    while following.id not in seen:
        seen.add(following.id)
        if following.id in failed:
            return [failed[following.id]]
        about_time = [each for each in failed.values() if each.id.startswith(TIME)]
        if following.see.startswith(TIME) and about_time:
            return about_time
        following = verdicts.get(following.see, following)
    return []


def _charged(judged: Judged, verdicts: Mapping[str, Judged]) -> Judged:
    """Return the failure of the case to which the misconduct that a case names belongs."""
    owner = verdicts.get(judged.see, judged)
    if owner.verdict is Verdict.SUITE_ERROR or (judged.level is Level.MUST) != (owner.level is Level.MUST):
        owner = judged
    assert judged.evidence is not None
    evidence, own = judged.evidence, owner.evidence
    if own is not None and own.restarts and own.sentence == evidence.sentence:  # it says what shows it again
        evidence = own
    elif owner is not judged:
        evidence = evidence.with_sections(("Seen in", f"{judged.id}, which could not be tried because of it."))
    verdict = Verdict.FAIL if owner.level is Level.MUST else Verdict.WARN
    return replace(owner, verdict=verdict, sentence=evidence.sentence, evidence=evidence, see="")


CLOSE = 0.5
"""An answer that took more than this share of its limit is close to it: another machine may take twice as long."""
REMARK = "close to the time limit"
LATE_ONCE = "an answer came too late while this machine was busy with other work, and in time when it was asked again"


def closest_answer(trials: Iterable[Trial], limits: CallLimits) -> Exchange | None:
    """Return the answer that came closest to its limit, one of these, and in time; None if none came close to it."""
    known = astuple(limits)
    answers = (each for trial in trials for each in trial.exchanges if each.limit_s in known)
    return max((each for each in answers if CLOSE < _share(each) < 1), key=_share, default=None)


def time_taken(exchange: Exchange) -> str:
    """Return in words how long an answer took, of how much."""
    took, limit = f"{1000 * exchange.elapsed_s:,.0f} ms", f"{1000 * exchange.limit_s:,.0f} ms"
    return f"an answer to {exchange.method.name} took {took} of {limit}"


class Slowness:
    """How close the answers of a player have come to the limits of a run."""

    def __init__(self, limits: CallLimits) -> None:
        self._limits = limits
        self._was_close = False
        """Whether some answer so far was close to its limit."""

    def look_at(self, judged: Judged, trials: Sequence[Trial]) -> Judged:
        """Return the verdict of a case, with a remark if an answer in its trials was close to its limit.

        If an answer came too late, and this player has been close to its limits, the verdict says to see the case
        about time: the player is slow in general, and does not hang in the circumstances that the case is about.
        """
        closest = closest_answer(trials, self._limits)
        self._was_close |= closest is not None
        kinds = {trial.misconduct.kind for trial in trials if trial.misconduct is not None}
        is_late = judged.verdict is Verdict.FAIL and kinds == {MisconductKind.MISCONDUCT_KIND_TIMEOUT}
        if is_late and self._was_close and not judged.id.startswith(TIME):
            sentence = f"an answer came too late: see {case_ids.EVERY_ANSWER}"
            return replace(judged, verdict=Verdict.NOT_TESTED, sentence=sentence, see=case_ids.EVERY_ANSWER)
        if judged.verdict is not Verdict.PASS:
            return judged
        if any(trial.was_late for trial in trials):
            return replace(judged, sentence="; ".join(filter(None, (judged.sentence, LATE_ONCE))))
        if closest is None:
            return judged
        remark = f"{REMARK}: {time_taken(closest)}"
        return replace(judged, sentence="; ".join(filter(None, (judged.sentence, remark))))


def _share(exchange: Exchange) -> float:
    return exchange.elapsed_s / exchange.limit_s
