"""What a report comes to, for people."""

from __future__ import annotations

from fairplay.certificate import frozen
from fairplay.certificate.limits import other_limits
from fairplay.conformance.blame.verdicts import Verdict
from fairplay.conformance.player.budget import NO_TIME
from fairplay.conformance.run.report import Report
from fairplay.games.conformance import Level


def conclusion(report: Report) -> str:
    """Return one or two sentences that say whether the player is certified, and why the exit code is not 0."""
    unmet = [each for each in report.judged if each.level is Level.MUST and not each.met]
    said = _certified(report)
    if unmet and not report.exit_code:
        return f"{said} All of them are known failures: the exit code is 0."
    met = report.complete and all(each.excused for each in unmet)
    return f"{said} The exit code is 1: {_objection(report)}." if met and report.exit_code else said


def _objection(report: Report) -> str:
    """Return why a run ends with 1 although every MUST is met or a known failure."""
    if not report.judged:
        return "no case was judged"
    outdated = any(each.outdated for each in report.judged)
    return f"{'a known failure passes' if outdated else 'the suite itself failed'}"


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
    said = f"Certified for revision {report.run.protocol_revision}: every MUST is met."
    if not other_limits(report.run.game, report.run.limits.in_ms, longer=True):
        return said
    return f"{said} The time limits were longer than the game's, which counts only where that is asked for."
