"""Runs cases, with or without pytest around it."""

from __future__ import annotations

import fnmatch
import time
import traceback
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from fairplay.conformance.case import Case, Failure, NotApplicable, NotTested
from fairplay.conformance.context import Context
from fairplay.conformance.evidence import Evidence, clipped
from fairplay.conformance.verdicts import Judged, Verdict
from fairplay.games.conformance import Level

RANK = {Level.MUST: 0, Level.SHOULD: 1, Level.MAY: 2}


def judge(case: Case, context: Context, repeat: str, *, known: bool = False) -> Judged:
    """Tries a case. `repeat` is the command that tries it again."""
    began = time.monotonic()
    verdict, sentence, evidence = _verdict(case, context)
    if evidence is not None and repeat:
        evidence = evidence.with_sections(("Again", repeat))
    return Judged(case.id, case.level, verdict, sentence, time.monotonic() - began, evidence, known)


def _verdict(case: Case, context: Context) -> tuple[Verdict, str, Evidence | None]:
    try:
        case.run(context)
    except Failure as failure:
        verdict = Verdict.FAIL if case.level is Level.MUST else Verdict.WARN
        return verdict, failure.evidence.sentence, failure.evidence
    except NotTested as untested:
        return Verdict.NOT_TESTED, untested.reason, untested.evidence
    except NotApplicable as inapplicable:
        return Verdict.NOT_APPLICABLE, inapplicable.reason, None
    except Exception as error:  # what the suite itself gets wrong is blamed on nobody
        sentence = f"the suite failed: {type(error).__name__}: {error}"
        trace = "".join(traceback.format_exception(error))
        return Verdict.SUITE_ERROR, sentence, Evidence(sentence, sections=[("Trace", clipped(trace, from_end=True))])
    return Verdict.PASS, "", None


def chosen(cases: Sequence[Case], level: Level, only: str = "") -> list[Case]:
    """The cases of a pattern, down to a level. ValueError: no case has such an id; one sentence."""
    found = [case for case in cases if not only or matches(case.id, only)]
    if not found:
        raise ValueError(f"no case matches {only!r}{suggestion(only, [case.id for case in cases])}")
    within = [case for case in found if RANK[case.level] <= RANK[level]]
    if not within:
        raise ValueError(f"{only!r} is a {found[0].level}: give --level {found[0].level.lower()}")
    return within


def matches(case_id: str, pattern: str) -> bool:
    """Whether a pattern names a case: its id, its group, or a pattern with * for anything."""
    return any(
        fnmatch.fnmatchcase(case_id, each) or case_id.startswith(f"{each}.") for each in pattern.split(",") if each
    )


def suggestion(word: str, known: Iterable[str]) -> str:
    """The end of a sentence that names the ids which may have been meant."""
    close = get_close_matches(word, list(known), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(close)}?" if close else ""
