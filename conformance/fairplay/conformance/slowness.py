"""Answers that come close to their time limit: they are warned of, and what then comes too late is a matter of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, replace

from fairplay.conformance import owners
from fairplay.conformance.charging import TIME
from fairplay.conformance.trial import CallLimits, Exchange, Trial
from fairplay.conformance.verdicts import Judged, Verdict
from fairplay.v1.misconduct_pb2 import MisconductKind

CLOSE = 0.5
"""From which share of its limit on an answer is close to it: another machine may well take twice as long."""


REMARK = "close to the time limit"


class Slowness:
    """How close the answers of a player have come to the limits of a run."""

    def __init__(self, limits: CallLimits) -> None:
        self._limits = astuple(limits)
        self._is_close = False

    def look_at(self, judged: Judged, trials: Sequence[Trial]) -> Judged:
        """Return a verdict with a remark on its slowest answer, or, if one came too late, that says to see time.

        Other circumstances of a case may make a player hang, but not one that is always close to its limit.
        """
        closest = max(
            (each for trial in trials for each in trial.exchanges if self._is_answer(each)), key=_share, default=None
        )
        self._is_close |= closest is not None
        kinds = {trial.misconduct.kind for trial in trials if trial.misconduct is not None}
        is_late = judged.verdict is Verdict.FAIL and kinds == {MisconductKind.MISCONDUCT_KIND_TIMEOUT}
        if is_late and self._is_close and not judged.id.startswith(TIME):
            sentence = f"an answer came too late: see {owners.EVERY_ANSWER}"
            return replace(judged, verdict=Verdict.NOT_TESTED, sentence=sentence, see=owners.EVERY_ANSWER)
        if closest is None or judged.verdict is not Verdict.PASS:
            return judged
        took, limit = f"{1000 * closest.elapsed_s:,.0f} ms", f"{1000 * closest.limit_s:,.0f} ms"
        remark = f"{REMARK}: an answer to {closest.method.name} took {took} of {limit}"
        return replace(judged, sentence="; ".join(filter(None, (judged.sentence, remark))))

    def _is_answer(self, exchange: Exchange) -> bool:
        """Return whether an exchange under one of the limits of the run came close to it, and ended in time."""
        return exchange.limit_s in self._limits and CLOSE < _share(exchange) < 1


def _share(exchange: Exchange) -> float:
    return exchange.elapsed_s / exchange.limit_s
