"""What is not traced is named: a requirement without case or reason, a case without requirement or mutant."""

from __future__ import annotations

from collections.abc import Mapping

from fairplay.conformance.requirements import Requirement, requirements
from fairplay.games.conformance import Level
from tools.requirements import Traces, read_untested

NEW = Requirement("CALL-999", "player", Level.MUST, "A player MUST be kind.")


def problems(known: Mapping[str, Requirement], untested: Mapping[str, str]) -> list[str]:
    traces = Traces(known)
    traces.check(untested)
    return traces.problems


def test_everything_is_traced() -> None:
    assert problems(requirements(), read_untested()) == []


def test_what_is_not_traced_is_named() -> None:
    known = {each: found for each, found in requirements().items() if each != "CALL-17"}
    known |= {"CALL-999": NEW, "CALL-5": requirements()["CALL-5"]._replace(who="player")}
    untested = {**read_untested(), "CALL-16": "too hard", "CALL-998": "gone"}
    found = problems(known, untested)
    for wanted in (
        "the case exceptions.stays-alive names CALL-17, which there is not",
        "the case connection.second-reply names CALL-5, which binds another side",
        "CALL-999 has no case: write one, or say why there is none in untested.toml",
        "CALL-16 has a case: take its reason out of untested.toml",
        "untested.toml has a reason for CALL-998, which there is not",
    ):
        assert wanted in found
