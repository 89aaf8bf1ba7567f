"""Every case names requirements and rules that there are, and whoever fails one is shown their sentences."""

from __future__ import annotations

import pytest

from fairplay.conformance.cases import cases
from fairplay.conformance.requirements import Requirement, parse, requirements, sentence_of
from fairplay.conformance.servers.cases import CASES as SERVER_CASES
from fairplay.games.conformance import Level
from fairplay.games.game import find, registered
from tests.conformance.harness import Method, judged, player

TEXT = """# Calls

Some words: [CALL-9] is explained here.

- [CALL-1] A player MUST answer each call
  with one reply.
- [CALL-2] Both SHOULD NOT be [late](#time).
- A list that requires nothing.
"""


def test_a_specification_is_read_requirement_by_requirement() -> None:
    assert parse(TEXT) == {
        "CALL-1": Requirement("CALL-1", "player", Level.MUST, "A player MUST answer each call with one reply."),
        "CALL-2": Requirement("CALL-2", "both", Level.SHOULD, "Both SHOULD NOT be late."),
    }


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ("- [CALL-1] A player MUST be late.\n", "two requirements CALL-1"),
        ("- [CALL-3] Everybody MUST be in time.\n", "CALL-3 must begin with"),
        ("- [CALL-3] A server is in time.\n", "CALL-3 must begin with"),
    ],
)
def test_a_requirement_that_is_none_is_named(wrong: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse(TEXT + wrong)


def test_what_the_cases_check_has_sentences() -> None:
    assert {each.who for each in requirements().values()} == {"player", "server", "both"}
    found = [*SERVER_CASES, *(case for game in registered() for case in cases(find(game)))]
    for case in found:
        assert case.checks, case.id
        assert all(sentence_of(each).endswith(".") for each in case.checks), case.id


def test_a_failure_shows_what_is_required() -> None:
    def raises(sound: Method, request: object) -> object:
        raise ZeroDivisionError

    [found] = judged(lambda: player(take_turn=raises), "exceptions.whole-games").judged
    assert found.evidence is not None
    assert dict(found.evidence.sections)["Required"] == f"FAIL-2: {sentence_of('FAIL-2')}"
    assert b"FAIL-2" not in found.evidence.canonical()
