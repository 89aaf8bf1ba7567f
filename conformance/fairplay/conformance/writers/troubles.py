"""What is to be mended: the same failure in many cases is one trouble."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from fairplay.conformance.blame.verdicts import Judged, Verdict

GRAVEST_FIRST: Sequence[Verdict] = (Verdict.SUITE_ERROR, Verdict.FAIL, Verdict.WARN)
OUTDATED = "It is listed as a known failure, but passes: take it off the list."
NUMBER = re.compile(r"\d+(?:\.\d+)?")


class Trouble(NamedTuple):
    """Cases that found the same, in their order."""

    sentence: str
    cases: Sequence[Judged]

    @property
    def name(self) -> str:
        """Return the id of the first case."""
        return self.cases[0].id

    @property
    def verdict(self) -> Verdict:
        """Return the gravest verdict."""
        return min((each.verdict for each in self.cases), key=_gravity)

    @property
    def example(self) -> Judged:
        """Return the case with the shortest evidence, which is understood first."""
        return min(self.cases, key=_length)


def find_troubles(judged: Iterable[Judged]) -> list[Trouble]:
    """Return the cases that failed or are outdated, those together whose sentences differ in numbers at most."""
    found: dict[str, list[Judged]] = {}
    for each in judged:
        if each.verdict in GRAVEST_FIRST or each.outdated:
            found.setdefault(NUMBER.sub("0", sentence_of(each)), []).append(each)
    return [Trouble(sentence_of(cases[0]), cases) for cases in found.values()]


def anchors(troubles: Iterable[Trouble]) -> Mapping[str, str]:
    """Return the id of each case with the name of the trouble that it belongs to."""
    return {each.id: trouble.name for trouble in troubles for each in trouble.cases}


def sentence_of(judged: Judged) -> str:
    """Return what is wrong with a case, in one sentence."""
    return OUTDATED if judged.outdated else judged.sentence


def _length(judged: Judged) -> int:
    return 0 if judged.evidence is None else len(judged.evidence.canonical())


def _gravity(verdict: Verdict) -> int:
    return GRAVEST_FIRST.index(verdict) if verdict in GRAVEST_FIRST else len(GRAVEST_FIRST)
