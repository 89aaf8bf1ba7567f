"""What a report comes to, for people."""

from __future__ import annotations

from fairplay.certificate import frozen
from fairplay.conformance.report import Report
from fairplay.conformance.verdicts import Verdict
from fairplay.games.conformance import Level


def conclusion(report: Report) -> str:
    """Return one sentence that says whether the player is certified, and why not."""
    unmet = [each.verdict for each in report.judged if each.level is Level.MUST and not each.met]
    must = frozen(report.run.game, report.run.protocol_revision)
    if unmet:
        failed = len(unmet) - unmet.count(Verdict.NOT_TESTED)
        return f"Not certified: of the MUST cases {failed} failed and {len(unmet) - failed} could not be tested."
    if not report.complete:
        return "Not certified: the run was interrupted."
    if must is None:
        return "Every MUST is met. There is no frozen list of them for this game, so this certifies nothing."
    if not must <= {each.id for each in report.judged}:
        return "Not certified: only some of the cases were tried, and every MUST among them is met."
    return f"Certified for revision {report.run.protocol_revision}: every MUST is met."
