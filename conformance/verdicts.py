"""What becomes of a case, and what follows from all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from conformance.evidence import Evidence
from games.game import Level


class Verdict(StrEnum):
    """How a case ended. What each one means for a certificate is said in docs/reading-a-report.md."""

    PASS = "PASS"
    FAIL = "FAIL"
    """A MUST is not met."""
    WARN = "WARN"
    """A SHOULD or a MAY is not met."""
    NOT_TESTED = "NOT TESTED"
    """It could not be tried. Never counts as a pass."""
    NOT_APPLICABLE = "NOT APPLICABLE"
    """It does not concern this player or this way of reaching it. Does not stand in the way of a certificate."""
    SUITE_ERROR = "SUITE ERROR"
    """The suite itself failed: blamed on nobody, and no pass."""


MET = (Verdict.PASS, Verdict.NOT_APPLICABLE)
"""The verdicts with which a MUST is met."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A case, and what became of it."""

    id: str
    level: Level
    verdict: Verdict
    sentence: str
    """What was found wrong, or why it was not tried. Empty for a pass."""
    seconds: float
    evidence: Evidence | None = None
    known: bool = False
    """The author's list of known failures names it."""

    @property
    def met(self) -> bool:
        """Whether the player does what the case asks, as far as it concerns the player."""
        return self.verdict in MET

    @property
    def rotten(self) -> bool:
        """Whether a list of known failures names it although it passes."""
        return self.known and self.verdict is Verdict.PASS


def exit_code(judged: Iterable[Judged]) -> int:
    """0: every MUST is met, nothing of ours failed, and no list of known failures is out of date. 1 otherwise."""
    for each in judged:
        unmet = each.level is Level.MUST and not each.met
        if unmet or each.rotten or each.verdict is Verdict.SUITE_ERROR:
            return 1
    return 0
