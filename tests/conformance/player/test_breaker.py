"""Players that hang or end in their calls: methods are given up, and few new processes are started."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance import case_ids
from tests.conformance.harness import ROOT, judged

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
    assert failed == [case_ids.ALIVE]
    untested = [each for each in report.judged if each.verdict is Verdict.NOT_TESTED]
    assert {each.see for each in untested} == {case_ids.ALIVE}
    assert starts.read_text().count("start") <= MOST_STARTS
