"""Making a certificate of a report. `fairplay.certificate` says what a certificate is, and checks it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fairplay.certificate import FORMAT, CaseResult, Certificate, check, sealed, summary
from fairplay.conformance.blame.verdicts import Judged
from fairplay.conformance.run.report import Report, Times
from fairplay.server import __version__

__all__ = ["Certificate", "certificate", "check"]


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
        "summary": summary(cases, run.game, run.protocol_revision, reached_by=run.reached_by, complete=report.complete),
    }
    return sealed(content)


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
