"""What is not traced is named: a requirement without case or reason, a case without requirement or mutant."""

from __future__ import annotations

from collections.abc import Mapping

from fairplay.conformance.requirements import Requirement, requirements
from tools.requirements import Traces, read_untested


def problems(known: Mapping[str, Requirement], untested: Mapping[str, str]) -> list[str]:
    traces = Traces(known)
    traces.check(untested)
    return traces.problems


def test_everything_is_traced() -> None:
    assert problems(requirements(), read_untested()) == []
