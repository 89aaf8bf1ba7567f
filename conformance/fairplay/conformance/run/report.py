"""What a run of the suite found: the report, its certificate, and what it comes to for people."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from fairplay.certificate import FORMAT, CaseResult, Verdict, frozen, sealed, summary
from fairplay.certificate.terms import other_limits
from fairplay.conformance.blame.verdicts import Judged, exit_code
from fairplay.conformance.games.coverage import Coverage
from fairplay.conformance.games.rivals import Side, side_of
from fairplay.conformance.games.trial import CallLimits, Trial
from fairplay.conformance.player.breaker import NO_TIME
from fairplay.games.conformance import Level
from fairplay.games.game import find, registered
from fairplay.games.steps import CallKind
from fairplay.player.handlers import PROTOCOL_REVISION
from fairplay.server import __version__
from fairplay.server.links.spec import parse_link
from fairplay.v1.player_pb2 import PlayerDescription

Departed: TypeAlias = tuple[str, Side]
"""The phase in which a rival has left, in words, and its place."""


class ProgramFile(NamedTuple):
    """A file of a command, as the command names it, and the sha256 of its content in hexadecimal digits."""

    file: str
    sha256: str


def program_files(player: str | Callable[[], object]) -> tuple[ProgramFile, ...]:
    """Return the executable of a started player and those of its arguments that are files; others have none.

    What a program loads by itself, such as its modules, is not named.
    """
    if not isinstance(player, str) or (link := parse_link(player)).kind != "exec":
        return ()
    executable, *arguments = shlex.split(link.value)
    words = [(executable, shutil.which(executable)), *((word, word) for word in arguments)]
    return tuple(ProgramFile(word, _digest(Path(path))) for word, path in words if path and _is_file(path))


def _is_file(word: str) -> bool:
    """Return whether a word of a command is a file; code on a command line is too long to be one."""
    return os.path.isfile(word)  # noqa: PTH113 - pathlib raises errors for what cannot be a path


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:  # it can be run, or named, without being readable
        return ""


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
    profile: str = ""
    """The profile in whose games the player was tried; empty: all."""

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
    coverage: Coverage | None = None
    """What the drawn states cover. None: none were drawn."""
    departures: Mapping[Departed, int] = field(default_factory=dict)
    """In how many games a rival has left in a phase, and in which place."""

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


def count_departures(trials: Iterable[Trial]) -> dict[Departed, int]:
    """Return in how many trials a rival has left in each phase and place, where the player was called after it."""
    found = Counter[Departed]()
    for trial in trials:
        situation, phases = trial.scenario.situation, {each.seat: each.phase for each in trial.scenario.departures}
        for seat in trial.left:
            if phases[seat] is not None:
                side = side_of(situation.player_count, situation.seat, seat, trial.left)
                found[str(phases[seat]), side] += 1
    return dict(found)


def distribution(seconds: Sequence[float]) -> Times:
    """Return the distribution of some times, at least one."""
    ordered = sorted(seconds)
    return Times(len(ordered), statistics.median(ordered), ordered[int(0.99 * len(ordered))], ordered[-1])


def certificate(report: Report) -> bytes:
    """Return the file of the certificate of a report."""
    run = report.run
    cases = [_case(each) for each in report.judged]
    content: dict[str, Any] = {
        "format": FORMAT,
        "game": run.game,
        "protocol_revision": run.protocol_revision,
        "suite_version": __version__,
        "player": {
            "name": report.player.display_name,
            "version": report.player.software_version,
            "services": [service.name for service in report.player.services],
        },
        "reached_by": run.reached_by,
        "program": [each._asdict() for each in run.program],
        "seed": str(run.seed),
        "nonce": run.nonce,
        "limits_ms": dict(run.limits.in_ms),
        "issued": report.began.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "level": str(run.level),
        "only": run.only,
        "complete": report.complete,
        "cases": [asdict(case) for case in cases],
        "times": {method: _microseconds(times) for method, times in sorted(report.times.items())},
        "decisions": dict(report.decisions),
        **({"profile": run.profile} if run.profile else {}),
    }
    revision, profile, complete = run.protocol_revision, run.profile, report.complete
    found = summary(cases, run.game, revision, reached_by=run.reached_by, complete=complete, profile=profile)
    return sealed({**content, "summary": found})


def _case(judged: Judged) -> CaseResult:
    return CaseResult(
        judged.id,
        str(judged.level),
        str(judged.verdict),
        judged.known,
        judged.sentence.encode("utf-8", "replace").decode("utf-8"),
        "" if judged.evidence is None else judged.evidence.digest,
        round(judged.seconds * 1000),
    )


def _microseconds(times: Times) -> dict[str, int]:
    return {
        "call_count": times.call_count,
        "median_us": round(times.median_s * 1e6),
        "p99_us": round(times.p99_s * 1e6),
        "max_us": round(times.max_s * 1e6),
    }


def conclusion(report: Report) -> str:
    """Return some sentences that say whether the player is certified, and why the exit code is what it is."""
    unmet = [each for each in report.judged if each.level is Level.MUST and not each.met]
    said = _certified(report)
    if outdated := [each.id for each in report.judged if each.outdated]:
        listed, it = "are listed as known failures, but pass", "them"
        if len(outdated) == 1:
            listed, it = "is listed as a known failure, but passes", "it"
        return f"{said} The exit code is 1: {', '.join(outdated)} {listed}: take {it} off the list."
    if not report.exit_code:
        return f"{said} All of that is known: the exit code is 0." if unmet else said
    met = report.complete and all(each.excused for each in unmet)
    why = "the suite itself failed" if report.judged else "no case was judged"
    return f"{said} The exit code is 1: {why}." if met else said


def _certified(report: Report) -> str:
    unmet = [each.verdict for each in report.judged if each.level is Level.MUST and not each.met]
    must = frozen(report.run.game, report.run.protocol_revision)
    if unmet:
        failed = len(unmet) - unmet.count(Verdict.NOT_TESTED)
        said = f"Not certified: of the MUST cases {failed} failed and {len(unmet) - failed} could not be tested."
        late = any(each.sentence.startswith(NO_TIME) for each in report.judged)
        return f"{said} The time did not suffice: give a longer --budget." if late else said
    if not report.complete:
        return "Not certified: the run was interrupted."
    if must is None:
        return "Every MUST is met. There is no frozen list of them for this game, so this certifies nothing."
    if not must <= {each.id for each in report.judged}:
        return "Not certified: only some of the cases were tried, and every MUST among them is met."
    within = f" within the profile {report.run.profile}" if report.run.profile else ""
    said = f"Certified for revision {report.run.protocol_revision}{within}: every MUST is met."
    if not other_limits(report.run.game, report.run.limits.in_ms, longer=True):
        return said
    return f"{said} The time limits were longer than the game's, which counts only where that is asked for."
