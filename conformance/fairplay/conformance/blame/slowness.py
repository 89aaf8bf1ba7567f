"""Warnings of answers close to their time limit; later timeouts of such a player belong to the case about time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, replace

from fairplay.conformance import case_ids
from fairplay.conformance.blame.charge import TIME
from fairplay.conformance.blame.verdicts import Judged, Verdict
from fairplay.conformance.games.trial import CallLimits, Exchange, Trial
from fairplay.v1.misconduct_pb2 import MisconductKind

CLOSE = 0.5
"""An answer that took more than this share of its limit is close to it: another machine may take twice as long."""
REMARK = "close to the time limit"


class Slowness:
    """How close the answers of a player have come to the limits of a run."""

    def __init__(self, limits: CallLimits) -> None:
        self._limits = astuple(limits)
        self._was_close = False
        """Whether some answer so far was close to its limit."""

    def look_at(self, judged: Judged, trials: Sequence[Trial]) -> Judged:
        """Return the verdict of a case, with a remark if an answer in its trials was close to its limit.

        If an answer came too late, and this player has been close to its limits, the verdict says to see the case
        about time: the player is slow in general, and does not hang in the circumstances that the case is about.
        """
        closest = max(
            (each for trial in trials for each in trial.exchanges if self._is_close(each)), key=_share, default=None
        )
        self._was_close |= closest is not None
        kinds = {trial.misconduct.kind for trial in trials if trial.misconduct is not None}
        is_late = judged.verdict is Verdict.FAIL and kinds == {MisconductKind.MISCONDUCT_KIND_TIMEOUT}
        if is_late and self._was_close and not judged.id.startswith(TIME):
            sentence = f"an answer came too late: see {case_ids.EVERY_ANSWER}"
            return replace(judged, verdict=Verdict.NOT_TESTED, sentence=sentence, see=case_ids.EVERY_ANSWER)
        if closest is None or judged.verdict is not Verdict.PASS:
            return judged
        took, limit = f"{1000 * closest.elapsed_s:,.0f} ms", f"{1000 * closest.limit_s:,.0f} ms"
        remark = f"{REMARK}: an answer to {closest.method.name} took {took} of {limit}"
        return replace(judged, sentence="; ".join(filter(None, (judged.sentence, remark))))

    def _is_close(self, exchange: Exchange) -> bool:
        """Return whether an answer came in time, but close to its limit, where that is one of the run."""
        return exchange.limit_s in self._limits and CLOSE < _share(exchange) < 1


def _share(exchange: Exchange) -> float:
    return exchange.elapsed_s / exchange.limit_s
