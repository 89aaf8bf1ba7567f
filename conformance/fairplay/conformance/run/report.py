"""What a run of the suite found."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from fairplay.conformance.blame.verdicts import Judged, Verdict, exit_code
from fairplay.conformance.games.trial import CallLimits, Trial
from fairplay.conformance.run.programs import ProgramFile
from fairplay.games.conformance import Level
from fairplay.games.game import find, registered
from fairplay.games.steps import CallKind
from fairplay.player.handlers import PROTOCOL_REVISION
from fairplay.v1.player_pb2 import PlayerDescription


@dataclass(frozen=True, slots=True)
class Times:
    """The times that the player took for one of its methods."""

    call_count: int
    median_s: float
    p99_s: float
    max_s: float


@dataclass(frozen=True, slots=True)
class Run:
    """What was judged, and under which conditions."""

    game: str
    reached_by: str
    """The kind of transport: "grpc", "dial-in", "exec", "bot" or "object"."""
    seed: int
    limits: CallLimits
    level: Level
    """Cases down to this level were chosen."""
    only: str = ""
    """The pattern that chose among them. Empty: all."""
    nonce: str = ""
    """The word of who will check the certificate; empty: none."""
    program: tuple[ProgramFile, ...] = ()
    """The files of the command, if the player was started here."""
    budget_s: float | None = None
    """The time for all cases. None: there is no limit."""
    protocol_revision: int = PROTOCOL_REVISION

    @property
    def title(self) -> str:
        """Return what was judged, for people: the title of the game, or "Server"."""
        return find(self.game).title if self.game in registered() else self.game.capitalize()


@dataclass(frozen=True, slots=True)
class Report:
    """The verdict on every case, and what else was learned about the player."""

    run: Run
    player: PlayerDescription
    judged: Sequence[Judged]
    times: Mapping[str, Times]
    began: datetime
    seconds: float
    complete: bool
    """Whether all chosen cases were judged; a run may be interrupted."""
    decisions: Mapping[str, int] = field(default_factory=dict)
    """Method -> how many of its replies were judged as decisions in games."""

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """Return how many cases have each verdict."""
        counts = Counter(each.verdict for each in self.judged)
        return {verdict: counts[verdict] for verdict in Verdict}

    @property
    def exit_code(self) -> int:
        """Return 0 if every MUST that was chosen is met, and 1 otherwise."""
        return exit_code(self.judged) if self.complete and self.judged else 1

    def verdict(self, case_id: str) -> Verdict | None:
        """Return the verdict on a case, or None if it was not judged."""
        return next((each.verdict for each in self.judged if each.id == case_id), None)

    def failed(self) -> list[str]:
        """Return the ids of the cases that failed, including SHOULDs."""
        return [each.id for each in self.judged if each.verdict in (Verdict.FAIL, Verdict.WARN)]


def measure(trials: Iterable[Trial]) -> dict[str, list[float]]:
    """Return the seconds of each call in some trials, by method."""
    found: dict[str, list[float]] = {}
    for trial in trials:
        for exchange in trial.exchanges:
            found.setdefault(exchange.method.name, []).append(exchange.elapsed_s)
    return found


def count_decisions(trials: Iterable[Trial]) -> dict[str, int]:
    """Return how many decisions were judged in some trials, by method."""
    exchanges = (exchange for trial in trials for exchange in trial.exchanges)
    return dict(Counter(each.method.name for each in exchanges if each.kind is not CallKind.NOTIFICATION))


def distribution(seconds: Sequence[float]) -> Times:
    """Return the distribution of some times, at least one."""
    ordered = sorted(seconds)
    return Times(len(ordered), statistics.median(ordered), ordered[int(0.99 * len(ordered))], ordered[-1])
