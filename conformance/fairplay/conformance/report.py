"""What a run of the suite found."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from fairplay.conformance.trial import CallLimits, Trial
from fairplay.conformance.verdicts import Judged, Verdict, exit_code
from fairplay.games.conformance import Level
from fairplay.player.handlers import PROTOCOL_REVISION
from fairplay.v1.player_pb2 import PlayerDescription


@dataclass(frozen=True, slots=True)
class Times:
    """How long the player took for one of its methods."""

    call_count: int
    median_s: float
    p99_s: float
    max_s: float


@dataclass(frozen=True, slots=True)
class Run:
    """What was tried on whom."""

    game: str
    reached_by: str
    """The kind of link: "grpc", "dial-in", "exec", "bot" or "object"."""
    seed: int
    limits: CallLimits
    level: Level
    """Cases down to this level were chosen."""
    only: str = ""
    """The pattern that chose among them. Empty: all."""
    protocol_revision: int = PROTOCOL_REVISION


@dataclass(frozen=True, slots=True)
class Report:
    """The verdict on every case, and what else was learned about the player."""

    run: Run
    player: PlayerDescription
    judged: Sequence[Judged]
    times: Mapping[str, Times]
    began: datetime
    seconds: float
    complete: bool = True
    """Whether all chosen cases were judged; a run may be interrupted."""

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """How many cases have each verdict."""
        counts = Counter(each.verdict for each in self.judged)
        return {verdict: counts[verdict] for verdict in Verdict}

    @property
    def exit_code(self) -> int:
        """0: every MUST that was chosen is met. 1 otherwise."""
        return exit_code(self.judged) if self.complete and self.judged else 1

    def verdict(self, case_id: str) -> Verdict | None:
        """The verdict on a case; None: it was not judged."""
        return next((each.verdict for each in self.judged if each.id == case_id), None)

    def failed(self) -> list[str]:
        """The ids of the cases that failed, SHOULDs among them."""
        return [each.id for each in self.judged if each.verdict in (Verdict.FAIL, Verdict.WARN)]


def measured(trials: Iterable[Trial]) -> dict[str, list[float]]:
    """Method -> the seconds of each call."""
    found: dict[str, list[float]] = {}
    for trial in trials:
        for exchange in trial.exchanges:
            found.setdefault(exchange.method.name, []).append(exchange.elapsed_s)
    return found


def distribution(seconds: Sequence[float]) -> Times:
    """The distribution of some times, at least one."""
    ordered = sorted(seconds)
    p99 = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    return Times(len(ordered), statistics.median(ordered), p99, ordered[-1])
