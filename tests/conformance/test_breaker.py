"""Players that hang or end in their calls: methods are given up, and few new processes are started."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fairplay.conformance import owners
from fairplay.conformance.breaker import MAX_DEATHS, MAX_IN_ROW, MAX_OVERRUNS, Breaker
from fairplay.conformance.case_errors import NotTested
from fairplay.conformance.verdicts import Verdict
from fairplay.games.game import find
from fairplay.games.kit.player_service import DESCRIBE, START
from fairplay.games.steps import Failure, Method
from fairplay.server.links.link import call_error, disconnected
from fairplay.v1.misconduct_pb2 import CallErrorReason, Overrun
from tests.conformance.harness import ROOT, judged

TURN = find("fish").turn
FISH_BEGINS = find("fish").methods[0]
DIED = disconnected("the player's process ended with exit code 137", "what it wrote")
RAISED = call_error(CallErrorReason.CALL_ERROR_REASON_STATUS, "this player is broken")


def after(*outcomes: tuple[Method, bytes | Failure]) -> Breaker:
    """Return a breaker that has seen calls with these outcomes."""
    breaker = Breaker()
    for method, outcome in outcomes:
        breaker.record(method, b"", 6.0, outcome)
    return breaker


def reason(breaker: Breaker, method: Method = TURN) -> NotTested:
    with pytest.raises(NotTested) as raised:
        breaker.check(method.path)
    return raised.value


def test_a_method_that_ends_the_player_three_times_in_a_row_is_given_up() -> None:
    after(*[(TURN, DIED)] * (MAX_IN_ROW - 1)).check(TURN.path)
    breaker = after(*[(TURN, DIED)] * MAX_IN_ROW)
    found = reason(breaker)
    assert found.given_up
    assert found.see == owners.ALIVE
    assert found.reason.startswith("TakeTurn ended the player 3 times in a row, and is not called any more")
    assert found.evidence is not None
    assert found.evidence.sentence == "TakeTurn failed: the player's process ended with exit code 137"
    assert dict(found.evidence.sections)["Output of the player"] == "what it wrote"
    breaker.check(DESCRIBE.path)
    assert breaker.has_given_up


def test_an_answer_or_an_exception_in_between_begins_anew() -> None:
    for between in (b"", RAISED):
        breaker = after((TURN, DIED), (TURN, DIED), (TURN, between), (TURN, DIED), (TURN, DIED))
        breaker.check(TURN.path)
        assert not breaker.has_given_up


def test_a_method_that_ends_the_player_often_is_given_up_whatever_comes_between() -> None:
    lives: list[tuple[Method, bytes | Failure]] = [(TURN, b""), (TURN, DIED)]
    after(*lives * (MAX_DEATHS - 1)).check(TURN.path)
    assert reason(after(*lives * MAX_DEATHS)).reason.startswith("TakeTurn ended the player 8 times")


def test_deaths_in_one_method_say_nothing_about_another() -> None:
    breaker = after((TURN, DIED), (TURN, DIED), (DESCRIBE, DIED))
    breaker.check(TURN.path)
    breaker.check(DESCRIBE.path)


def test_a_player_that_hangs_in_any_method_is_given_up() -> None:
    hangs = [(method, Overrun()) for method in (TURN, DESCRIBE, START) for _ in range(MAX_OVERRUNS // 3)]
    after(*hangs[:-1]).check(DESCRIBE.path)
    assert reason(after(*hangs)).reason.startswith("The player did not answer in time 6 times in a row")
    found = reason(after(*[(TURN, Overrun())] * MAX_IN_ROW))
    assert found.see == owners.EVERY_ANSWER
    assert found.reason.startswith("TakeTurn did not answer in time 3 times in a row")


def test_an_answer_of_any_method_shows_that_the_player_is_there() -> None:
    some = [(method, Overrun()) for method in (TURN, DESCRIBE, START) for _ in range(2)]
    after(*some[:3], (FISH_BEGINS, b""), *some[3:]).check(TURN.path)
    with pytest.raises(NotTested):
        after(*some).check(FISH_BEGINS.path)
    with pytest.raises(NotTested):
        after(*some[:3], (FISH_BEGINS, DIED), *some[3:]).check(FISH_BEGINS.path)


def test_deaths_and_hangs_in_a_row_are_counted_apart() -> None:
    after((TURN, DIED), (TURN, Overrun()), (TURN, DIED), (TURN, Overrun())).check(TURN.path)
    found = reason(after((TURN, DIED), (TURN, Overrun()), (TURN, DIED), (TURN, Overrun()), (TURN, Overrun())))
    assert found.reason.startswith("TakeTurn did not answer in time 3 times in a row")
    assert found.evidence is not None
    assert found.evidence.sentence == "TakeTurn did not answer within 6 s."
    assert [title for title, _ in found.evidence.sections] == ["Call", "Request"]


def test_the_first_reason_stays() -> None:
    breaker = after(*[(TURN, Overrun())] * 3, *[(TURN, DIED)] * 8)
    assert reason(breaker).reason.startswith("TakeTurn did not answer in time 3 times in a row")


def test_what_a_dead_player_wrote_is_shown_if_it_wrote_anything() -> None:
    found = reason(after(*[(DESCRIBE, disconnected("it ended"))] * 3), DESCRIBE)
    assert found.see == owners.DESCRIBES
    assert found.evidence is not None
    assert [title for title, _ in found.evidence.sections] == ["Call", "Request"]
    assert reason(after(*[(START, Overrun())] * 3), START).see == owners.TOURNAMENT
    long = reason(after(*[(TURN, disconnected("it ended", "x" * 5_000 + "the end"))] * 3))
    assert long.evidence is not None
    assert dict(long.evidence.sections)["Output of the player"].endswith("the end")


MOST_STARTS = 16


@pytest.mark.slow
@pytest.mark.parametrize("defect", ["dies", "dies-later"])
def test_a_program_that_ends_in_its_turns_is_started_a_few_times_and_fails_one_case(
    defect: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    starts, script = tmp_path / "starts", tmp_path / "player.sh"
    script.write_text(f"echo start >> {starts}\nexec {sys.executable} -m tests.conformance.program {defect}\n")
    report = judged(f"exec:sh {script}", "contract,rules,fish,exceptions,memory,endings", level="must", sandbox="off")
    failed = [each.id for each in report.judged if each.verdict is not Verdict.PASS and each.see == ""]
    assert failed == [owners.ALIVE]
    untested = [each for each in report.judged if each.verdict is Verdict.NOT_TESTED]
    assert {each.see for each in untested} == {owners.ALIVE}
    assert starts.read_text().count("start") <= MOST_STARTS
