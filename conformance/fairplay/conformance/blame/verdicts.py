"""The verdicts on cases, and the exit code that follows from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fairplay.certificate import MET, Verdict
from fairplay.conformance.evidence import Evidence
from fairplay.games.conformance import Level

__all__ = ["MET", "Judged", "Verdict", "exit_code"]


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
    """Whether the author's list of known failures names the case."""
    see: str = ""
    """The id of the case that the misconduct belongs to because of which this case was not tested."""

    @property
    def met(self) -> bool:
        """Return whether the player does what the case asks, as far as the case is applicable."""
        return self.verdict in MET

    @property
    def outdated(self) -> bool:
        """Return whether the case passes although it is listed as a known failure."""
        return self.known and self.verdict is Verdict.PASS

    @property
    def excused(self) -> bool:
        """Return whether the case is not met, which the author's list of known failures says."""
        return self.known and self.verdict in (Verdict.FAIL, Verdict.NOT_TESTED)


def exit_code(judged: Iterable[Judged]) -> int:
    """Return 0 if every MUST is met or a known failure, none of these is outdated, and the suite did not fail; or 1."""
    for each in judged:
        unmet = each.level is Level.MUST and not each.met and not each.excused
        if unmet or each.outdated or each.verdict is Verdict.SUITE_ERROR:
            return 1
    return 0
