"""A report as JUnit XML, for services that show test results. The verdict of each case is a property of it."""

from __future__ import annotations

import re
from xml.etree import ElementTree as Xml

from fairplay.conformance.blame.verdicts import Judged, Verdict
from fairplay.conformance.run.report import Report
from fairplay.games.conformance import Level

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
OUTDATED = "it is listed as a known failure: take it off the list"
INTERRUPTED = "run.complete"
"""The name of the test that stands for the cases that an interrupted run has not judged."""


def junit(report: Report) -> bytes:
    """Return the document. It has failures or errors if the exit code of the run is 1, and none if it is 0."""
    tags = [_tag(each) for each in report.judged]
    if not report.complete:
        tags.append("error")
    counts = {
        "tests": str(len(tags)),
        "failures": str(tags.count("failure")),
        "errors": str(tags.count("error")),
        "skipped": str(tags.count("skipped")),
        "time": f"{report.seconds:.3f}",
    }
    began = report.began.isoformat(timespec="seconds")
    root = Xml.Element("testsuites", counts)
    suite = Xml.SubElement(root, "testsuite", {"name": f"fairplay.{report.run.game}", "timestamp": began, **counts})
    for each, tag in zip(report.judged, tags, strict=False):
        _add(suite, report.run.game, each, tag)
    if not report.complete:
        _add_interruption(suite, report.run.game)
    document: bytes = Xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return document


def _tag(judged: Judged) -> str:
    """Return the tag of a case in JUnit files; empty if it has passed."""
    if judged.verdict is Verdict.SUITE_ERROR:
        return "error"
    if judged.excused:
        return "skipped"
    if judged.outdated or judged.verdict is Verdict.FAIL:
        return "failure"
    if judged.verdict is Verdict.NOT_TESTED:
        return "error" if judged.level is Level.MUST else "skipped"
    return "skipped" if judged.verdict is Verdict.NOT_APPLICABLE else ""


def _add(suite: Xml.Element, game: str, judged: Judged, tag: str) -> None:
    facts = {"classname": f"fairplay.{game}", "name": judged.id, "time": f"{judged.seconds:.3f}"}
    case = Xml.SubElement(suite, "testcase", facts)
    properties = Xml.SubElement(case, "properties")
    for name, value in (("verdict", judged.verdict), ("level", judged.level), ("known", str(judged.known).lower())):
        Xml.SubElement(properties, "property", {"name": name, "value": str(value)})
    text = _text(judged)
    if tag:
        message = f"{judged.verdict}{' (known)' if judged.known else ''}: {judged.sentence or OUTDATED}"
        Xml.SubElement(case, tag, {"message": _clean(message)}).text = text
    elif judged.verdict is not Verdict.PASS:
        Xml.SubElement(case, "system-out").text = text


def _add_interruption(suite: Xml.Element, game: str) -> None:
    case = Xml.SubElement(suite, "testcase", {"classname": f"fairplay.{game}", "name": INTERRUPTED, "time": "0.000"})
    Xml.SubElement(case, "error", {"message": "the run was interrupted: not all cases were judged"})


def _text(judged: Judged) -> str:
    sections = () if judged.evidence is None else judged.evidence.sections
    return _clean("\n\n".join([judged.sentence, *(f"{title}:\n{text}" for title, text in sections)]))


def _clean(text: str) -> str:
    """Return a text without the characters that XML cannot hold."""
    return NOT_XML.sub("\ufffd", text)
