"""What people and services are shown. Everything a stranger sends is text and nothing else."""

from __future__ import annotations

import hashlib
import io
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from itertools import product
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from fairplay.certificate import MET, Verdict, check
from fairplay.certificate.signing import new_key, public_text
from fairplay.conformance.blame.verdicts import Judged
from fairplay.conformance.cases import cases
from fairplay.conformance.evidence import Evidence
from fairplay.conformance.games.coverage import Coverage
from fairplay.conformance.games.rivals import Side
from fairplay.conformance.games.trial import CallLimits
from fairplay.conformance.run.judge import Began, CaseBegan, CaseJudged, Ended, Event
from fairplay.conformance.run.report import Report, Run, Times, certificate, conclusion
from fairplay.conformance.writers.ci import github_annotations, summary
from fairplay.conformance.writers.events import EventsWriter
from fairplay.conformance.writers.files import CertificateWriter, ReportWriter, gradescope, junit
from fairplay.conformance.writers.page import page
from fairplay.games.conformance import Level
from fairplay.games.game import find
from fairplay.terminal.certify.console import ConsoleWriter
from fairplay.v1.player_pb2 import GameService, PlayerDescription

EVIL = "<script>alert(1)</script>\x1b[2J\x07[bold red]&\"'\u202e"
EVIDENCE = Evidence(
    f"Wrong: {EVIL}", ("fish.action.required",), [("Reply", EVIL)], "[bold]board[/]", "<svg><script>x</script></svg>"
)


def one(case_id: str, verdict: Verdict, *, level: Level = Level.MUST, known: bool = False) -> Judged:
    bad = verdict in (Verdict.FAIL, Verdict.WARN, Verdict.SUITE_ERROR)
    sentence = "" if verdict is Verdict.PASS else f"{verdict} it is: {EVIL}"
    return Judged(case_id, level, verdict, sentence, 0.25, EVIDENCE if bad else None, known)


ALL = [
    one("a.pass", Verdict.PASS),
    one("a.fail", Verdict.FAIL),
    one("a.fail-known", Verdict.FAIL, known=True),
    one("a.warn", Verdict.WARN, level=Level.SHOULD),
    one("a.untested", Verdict.NOT_TESTED),
    one("a.inapplicable", Verdict.NOT_APPLICABLE),
    one("a.suite-error", Verdict.SUITE_ERROR),
    one("a.outdated", Verdict.PASS, known=True),
]


def report(*judged: Judged, complete: bool = True) -> Report:
    facts = Run("fish", "exec", 7, CallLimits(1, 1, 3), Level.MAY)
    player = PlayerDescription(display_name=EVIL, software_version=EVIL, services=[GameService(name=EVIL)])
    times = {"TakeTurn": Times(3, 0.001, 0.002, 0.003)}
    return Report(
        facts, player, judged, times, datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), 1.5, complete, {"TakeTurn": 1234}
    )


# --- the page ---


def test_the_page_runs_nothing_and_needs_nothing() -> None:
    text = page(report(*ALL))
    assert "<script" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not re.search(r"(src|href)=\"(?!data:image/svg|#)", text)
    assert "http" not in text.replace('http-equiv="Content-Security-Policy"', "")
    assert "default-src 'none'" in text


def test_the_page_tells_which_features_the_drawn_states_had_and_which_none_had() -> None:
    own = {"stuck": "A rival cannot move.", "rare": "Nobody can move."}
    covered = Coverage(2, 300, {"fish: 3 equal": 2, "rare": 0, "stuck": 1}, own, pair_count=1, known_pair_count=2)
    text = page(replace(report(*ALL), coverage=covered))
    assert "2 states have 2 of 3 features and 50.0% of their pairs" in text
    assert "escapes 300 different decisions with probability 0.049" in text
    assert "A rival cannot move." in text
    assert re.search(r"not covered</td><td[^>]*><code>rare<", text)


def test_the_page_tells_in_which_phases_rivals_have_left_and_where_they_sat() -> None:
    text = page(replace(report(*ALL), departures={("Move first", Side.NEXT): 3, ("Move <last>", Side.LAST): 17}))
    assert "Rivals have left in 2 phases" in text
    assert re.search(r"Move &lt;last&gt;</td>.*>17</td></tr>", text)


def test_the_same_failure_is_shown_once_with_all_its_cases() -> None:
    warning = one("a.three", Verdict.WARN, level=Level.SHOULD)
    cases = [one("a.one", Verdict.FAIL), one("a.two", Verdict.FAIL, known=True), warning]
    same = [
        replace(each, sentence=f"no answer within {seconds} s")
        for each, seconds in zip(cases, (5, 6, 0.25), strict=True)
    ]
    text = page(report(*same, one("a.other", Verdict.FAIL)))
    assert text.count('<details class="fail"') == 2
    assert text.count("data:image/svg+xml;base64,") == 2
    assert "no answer within 5 s" in text
    assert "<code>a.one</code>, and 2 cases more that fail for it" in text
    assert listed(text, "li")[:3] == ["a.one", "a.two (a known failure)", "a.three (WARN)"]
    assert text.count('href="#a.one">why') == 3
    assert text.count('id="a.one"') == 1


def listed(text: str, tag: str) -> list[str]:
    """Return what is seen of the elements of a page with a tag."""
    return [re.sub(r"<[^>]*>", "", each) for each in re.findall(rf"<{tag}\b[^>]*>(.*?)</{tag}>", text, re.DOTALL)]


# --- JUnit ---


def test_junit_shows_every_verdict() -> None:
    root = Xml.fromstring(junit(report(*ALL)))
    [suite] = root
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "8",
        "failures": "2",
        "errors": "2",
        "skipped": "2",
    }
    found = {case.get("name"): {each.tag for each in case} - {"properties"} for case in suite}
    assert found == {
        "a.pass": set(),
        "a.fail": {"failure"},
        "a.fail-known": {"skipped"},
        "a.warn": {"system-out"},
        "a.untested": {"error"},
        "a.inapplicable": {"skipped"},
        "a.suite-error": {"error"},
        "a.outdated": {"failure"},
    }
    verdicts = {case.get("name"): case.find("properties/property[@name='verdict']") for case in suite}
    assert all(found is not None for found in verdicts.values())
    assert verdicts["a.warn"] is not None
    assert verdicts["a.warn"].get("value") == "WARN"


def certified_alone(judged: Judged) -> bool:
    """Return whether the certificate and the conclusion take one case as met; they must agree."""
    reported = report(judged)
    listed = json.loads(certificate(reported))["cases"][0]
    unmet = (listed["level"], listed["verdict"] in MET) == ("MUST", False)
    assert unmet == ("of the MUST cases" in conclusion(reported))
    return not unmet


VERDICTS = [
    (verdict, level, known)
    for verdict, level, known in product(Verdict, Level, (False, True))
    if verdict is not (Verdict.WARN if level is Level.MUST else Verdict.FAIL)
]


def test_all_that_a_run_leaves_says_the_same() -> None:
    for verdict, level, known in VERDICTS:
        judged = one("a.case", verdict, level=level, known=known)
        reported = report(judged)
        root = Xml.fromstring(junit(reported))
        wrong = int(root.get("failures", "")) + int(root.get("errors", ""))
        assert wrong == reported.exit_code
        assert len(root.findall(".//failure") + root.findall(".//error")) == wrong
        assert certified_alone(judged) or judged.excused or reported.exit_code == 1
        assert ("The exit code is 1" in conclusion(reported)) == (certified_alone(judged) and reported.exit_code == 1)
        assert ("that is known: the exit code is 0" in conclusion(reported)) == (
            judged.excused and judged.level is Level.MUST
        )
        for text in (page(reported), shown([judged], terminal=False)):
            assert escape(conclusion(reported)) in text
            assert verdict in text


# --- jobs of CI services ---

MARKDOWN = "\n# h\n- ![x](http://x.example) <img src=x> [a](b) **c** `d` ~~e~~ | f\n--- \\ &amp; 1. *g* ```\n    h"


def test_a_summary_shows_what_failed_by_which_rule_and_how_to_see_it_again_and_stays_text() -> None:
    again = "fairplay certify fish 'exec:./me ```' --only a.fail"
    evidence = EVIDENCE.with_sections(("Required", "FAIL-2: A player MUST NOT."), ("Again", again))
    failed = replace(one("a.fail", Verdict.FAIL), sentence=f"It said {MARKDOWN}", evidence=evidence)
    reported = replace(report(failed), player=PlayerDescription(display_name=MARKDOWN))
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(summary(reported))
    texts = [each for each in tokens if each.type == "inline"]
    kinds = {child.type for each in texts for child in each.children or ()} | {each.type for each in tokens}
    block = {"heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "text", "fence"}
    assert kinds <= block | {f"{name}_{end}" for name in ("bullet_list", "list_item") for end in ("open", "close")}
    shown = ["".join(child.content for child in each.children or ()) for each in texts]
    assert shown[0] == f"Fish: {' '.join(MARKDOWN.split())}"
    assert shown[1:3] == [conclusion(reported), "1 FAIL"]
    assert shown[3:5] == ["FAIL a.fail", f"It said {' '.join(MARKDOWN.split())}"]
    assert shown[5].startswith("fish.action.required: ")
    assert shown[6:] == ["FAIL-2: A player MUST NOT."]
    assert [each.content for each in tokens if each.type == "fence"] == [f"{again}\n"]
    assert "a.pass" not in summary(report(*ALL))
    known = summary(report(one("a.fail-known", Verdict.FAIL, known=True)))
    assert "FAIL a.fail-known (known)" in known.replace("\\", "")


def test_annotations_are_one_line_each_and_say_what_stops_the_job() -> None:
    lines = github_annotations(report(*ALL)).splitlines()
    assert [line.partition("::")[2].partition("::")[0] for line in lines] == [
        "error title=Fish%3A a.suite-error",
        "error title=Fish%3A a.fail",
        "error title=Fish%3A a.outdated",
        "warning title=Fish%3A a.warn",
    ]
    many = [replace(one(f"a.{word}", Verdict.FAIL), sentence=f"{word}%\r\n::error::") for word in "abcdefghijkl"]
    lines = github_annotations(report(*many), "Bob, the: 1%").splitlines()
    assert len(lines) == 10
    assert lines[0] == "::error title=Fish%2C Bob%2C the%3A 1%25%3A a.a::a%25\u240d%0A::error::"
    known = [replace(each, known=True) for each in many]
    assert github_annotations(report(*known)).startswith("::notice title=")


def test_an_interrupted_run_is_no_success_in_junit() -> None:
    root = Xml.fromstring(junit(report(one("a.pass", Verdict.PASS), complete=False)))
    assert (root.get("tests"), root.get("errors")) == ("2", "1")
    assert root.find(".//testcase[@name='run.complete']/error") is not None


# --- the console ---


def shown(judged: list[Judged], *, terminal: bool) -> str:
    out = io.StringIO()
    writer = ConsoleWriter(Console(file=out, force_terminal=terminal, width=100, highlight=False))
    reported = report(*judged)
    events: list[Event] = [Began(reported.run, cases(find("fish"))[: len(judged)])]
    for each in judged:
        events += [CaseBegan(each.id), CaseJudged(each)]
    for event in [*events, Ended(reported)]:
        writer.take(event)
    return out.getvalue()


def test_the_console_has_a_line_for_each_case_and_steers_no_terminal() -> None:
    text = shown(ALL, terminal=False)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "[bold red]&" in text, "a stranger's markup is text"
    for each in ALL:
        assert re.search(rf"^{each.verdict} +{each.id} ", text, re.MULTILINE)
    assert "a.outdated is listed as a known failure, but passes" in text
    assert "2 PASS, 2 FAIL, 1 WARN, 1 NOT TESTED, 1 NOT APPLICABLE, 1 SUITE ERROR; 1.5 s" in text


# --- files ---


def test_a_certificate_goes_to_standard_output_for_a_dash(capsys: pytest.CaptureFixture[str]) -> None:
    reported = report(*ALL)
    CertificateWriter(Path("-")).take(Ended(reported))
    assert capsys.readouterr().out == certificate(reported).decode()


def test_certificates_are_signed_where_there_is_a_key(tmp_path: Path) -> None:
    key, reported = new_key(tmp_path / "key.pem"), report(*ALL)
    CertificateWriter(tmp_path / "certificate.json", key).take(Ended(reported))
    ReportWriter(tmp_path / "deep" / "out", key).take(Ended(reported))
    for file in (tmp_path / "certificate.json", tmp_path / "deep" / "out" / "certificate.json"):
        assert check(file.read_bytes()).signer == public_text(key)


def test_a_report_holds_the_evidence_that_the_certificate_names(tmp_path: Path) -> None:
    ReportWriter(tmp_path / "out").take(Ended(report(*ALL)))
    directory = tmp_path / "out"
    assert {each.name for each in directory.iterdir()} == {
        "report.html",
        "certificate.json",
        "junit.xml",
        "findings.json",
        "evidence",
    }
    [first, *_] = json.loads((directory / "findings.json").read_text(encoding="utf-8"))["findings"]
    assert (first["example"], first["cases"], first["not_tested"]) == ("a.suite-error", ["a.suite-error"], [])
    evidence = (directory / "evidence" / "a.fail.json").read_bytes()
    assert hashlib.sha256(evidence).hexdigest() == EVIDENCE.digest
    assert EVIDENCE.digest in (directory / "certificate.json").read_text()


def test_evidence_of_a_former_run_does_not_stay(tmp_path: Path) -> None:
    ReportWriter(tmp_path).take(Ended(report(*ALL)))
    ReportWriter(tmp_path).take(Ended(report(ALL[0])))
    assert list((tmp_path / "evidence").iterdir()) == []


def test_an_autograder_is_told_each_case_and_the_share_of_musts_that_are_met() -> None:
    told = json.loads(gradescope(report(*ALL)))
    assert told["score"] == 42.86  # 3 of 7
    assert {each["name"]: each["status"] for each in told["tests"]}["a.warn"] == "failed"
    assert {each["output_format"] for each in (told, *told["tests"])} == {"text"}
    assert "\x1b" not in "".join(each["output"] for each in told["tests"])
    assert json.loads(gradescope(report(*ALL, complete=False)))["score"] == 0


def test_programs_are_told_what_happens_as_it_happens(tmp_path: Path) -> None:
    told, chosen = tmp_path / "events", cases(find("fish"))[:2]
    writer = EventsWriter(told)
    events: list[Event] = [Began(report().run, chosen), CaseBegan("a.fail"), CaseJudged(ALL[1]), Ended(report())]
    for count, event in enumerate(events, 1):
        writer.take(event)
        assert len(told.read_text("utf-8").splitlines()) == count
    began, case, judged, ended = map(json.loads, told.read_text("utf-8").splitlines())
    assert began == {"event": "began", "cases": [each.id for each in chosen]}
    assert case == {"event": "case", "id": "a.fail"}
    facts = {"id": "a.fail", "level": "MUST", "verdict": "FAIL", "met": False, "sentence": ALL[1].sentence}
    assert judged == {"event": "judged", **facts}
    assert ended == {"event": "ended", "conclusion": conclusion(report())}
