"""One defect is one finding, whatever many cases it fails: in the report, in a terminal and in JUnit files."""

from __future__ import annotations

import io
from typing import Any
from xml.etree import ElementTree as Xml

from rich.console import Console

from fairplay.certificate import Verdict
from fairplay.conformance.run.findings import find_findings
from fairplay.conformance.run.judge import Ended
from fairplay.conformance.writers.files import junit
from fairplay.terminal.certify.console import ConsoleWriter
from tests.conformance.harness import judged, player, raises

CASES = "rules.whole-game,contract,exceptions,memory.back-to-back"


def passes(sound: Any, request: Any) -> Any:
    return type(sound(request))()


def test_a_broken_rule_is_one_finding_with_all_the_cases_that_show_it() -> None:
    report = judged(lambda: player(take_turn=passes), CASES)
    failed = [each.id for each in report.judged if each.verdict is Verdict.FAIL]
    first, *others = find_findings(report.judged)
    assert len(failed) > 4
    assert [each.id for each in first.cases] == failed
    assert f"and {len(failed) - 1} cases more that fail for it" in first.more
    assert not others

    out = io.StringIO()
    ConsoleWriter(Console(file=out, width=100)).take(Ended(report))
    assert out.getvalue().count(first.sentence) == 1
    suite = Xml.fromstring(junit(report))
    named = {each.get("value") for each in suite.iterfind(".//property[@name='finding']")}
    assert named == {first.example.id}
    assert len(suite.findall(".//failure")) == len(failed)


def test_cases_that_could_not_be_tried_belong_to_the_finding_that_keeps_them_from_it() -> None:
    report = judged(lambda: player(take_turn=raises), CASES)
    untested = [each.id for each in report.judged if each.verdict is Verdict.NOT_TESTED]
    [finding] = find_findings(report.judged)
    assert [each.id for each in finding.untested] == untested
    assert f"and {len(untested)} that could not be tried because of it" in finding.more


def test_a_spent_budget_is_a_finding_of_its_own() -> None:
    report = judged("bot:random", CASES, budget_s=1e-6)
    [finding] = find_findings(report.judged)
    assert finding.verdict is Verdict.NOT_TESTED
    assert finding.sentence.startswith("The time of --budget 1e-06s was spent before all was asked: ")
    assert {each.verdict for each in report.judged if each not in finding.cases} == {Verdict.NOT_APPLICABLE}
