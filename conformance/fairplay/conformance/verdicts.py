"""What becomes of a case, and what follows from all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fairplay.certificate import MET, Verdict
from fairplay.conformance.evidence import Evidence
from fairplay.games.conformance import Level

__all__ = ["MET", "Judged", "Verdict", "exit_code"]


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
    def outdated(self) -> bool:
        """Whether a list of known failures names it although it passes."""
        return self.known and self.verdict is Verdict.PASS


def exit_code(judged: Iterable[Judged]) -> int:
    """0: every MUST is met, nothing of ours failed, and no list of known failures is out of date. 1 otherwise."""
    for each in judged:
        unmet = each.level is Level.MUST and not each.met
        if unmet or each.outdated or each.verdict is Verdict.SUITE_ERROR:
            return 1
    return 0
