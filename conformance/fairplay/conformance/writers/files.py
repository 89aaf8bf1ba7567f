"""Writers of files: the certificate, the page, the JUnit file and the evidence."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as Xml

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fairplay.certificate import Verdict
from fairplay.certificate.signing import signed
from fairplay.conformance.blame.verdicts import Judged
from fairplay.conformance.run.findings import Finding, find_findings
from fairplay.conformance.run.judge import Ended, Event
from fairplay.conformance.run.report import Report, certificate, conclusion
from fairplay.conformance.writers.page import page
from fairplay.games.conformance import Level
from fairplay.games.kit.files import Output

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
    findings = {each.id: found for found in find_findings(report.judged) for each in (*found.cases, *found.untested)}
    for each, tag in zip(report.judged, tags, strict=False):
        _add(suite, report.run.game, each, tag, findings.get(each.id))
    if not report.complete:
        missing = {"classname": f"fairplay.{report.run.game}", "name": INTERRUPTED, "time": "0.000"}
        case = Xml.SubElement(suite, "testcase", missing)
        Xml.SubElement(case, "error", {"message": "the run was interrupted: not all cases were judged"})
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


def _add(suite: Xml.Element, game: str, judged: Judged, tag: str, finding: Finding | None) -> None:
    facts = {"classname": f"fairplay.{game}", "name": judged.id, "time": f"{judged.seconds:.3f}"}
    case = Xml.SubElement(suite, "testcase", facts)
    properties = Xml.SubElement(case, "properties")
    values = {"verdict": judged.verdict, "level": judged.level, "known": str(judged.known).lower()}
    for name, value in (values | ({} if finding is None else {"finding": finding.example.id})).items():
        Xml.SubElement(properties, "property", {"name": name, "value": str(value)})
    sections = () if judged.evidence is None else judged.evidence.sections
    lines = [judged.sentence, *(f"{title}:\n{content}" for title, content in sections)]
    if finding is not None and finding.example is not judged:
        lines.insert(1, f"One cause with {finding.example.id}: {finding.sentence}")
    text = _clean("\n\n".join(lines))
    if tag:
        message = f"{judged.verdict}{' (known)' if judged.known else ''}: {judged.sentence or OUTDATED}"
        Xml.SubElement(case, tag, {"message": _clean(message)}).text = text
    elif judged.verdict is not Verdict.PASS:
        Xml.SubElement(case, "system-out").text = text


def gradescope(report: Report) -> bytes:
    """Return what an autograder of Gradescope writes to results.json.

    It has a test for each case, and of 100 points as many as the share of the MUST cases that are met; 0 if the run was
    interrupted. Texts are marked as such, so that nothing in them becomes markup.
    """
    must = [each for each in report.judged if each.level is Level.MUST]
    whole = report.complete and bool(must)
    tests = [
        {
            "name": each.id,
            "name_format": "text",
            "status": "passed" if each.met else "failed",
            "output": _clean(f"{each.level}, {each.verdict}. {each.sentence}".strip()),
            "output_format": "text",
            "visibility": "visible",
        }
        for each in report.judged
    ]
    content = {
        "score": round(100 * sum(each.met for each in must) / len(must), 2) if whole else 0,
        "execution_time": round(report.seconds),
        "output": conclusion(report),
        "output_format": "text",
        "visibility": "visible",
        "tests": tests,
    }
    return (json.dumps(content, indent=1) + "\n").encode()


def findings_json(report: Report) -> bytes:
    """Return the findings of a report as JSON, the one that tells most first."""
    content = [
        {
            "verdict": str(each.verdict),
            "sentence": each.sentence.encode("utf-8", "replace").decode("utf-8"),
            "example": each.example.id,
            "cases": [case.id for case in each.cases],
            "not_tested": [case.id for case in each.untested],
            "again": "" if each.example.evidence is None else dict(each.example.evidence.sections).get("Again", ""),
        }
        for each in find_findings(report.judged)
    ]
    return (json.dumps({"findings": content}, indent=2, ensure_ascii=False) + "\n").encode()


def _clean(text: str) -> str:
    """Return a text without the characters that XML cannot hold."""
    return NOT_XML.sub("\ufffd", text)


def _certificate(report: Report, key: Ed25519PrivateKey | None) -> bytes:
    data = certificate(report)
    return data if key is None else signed(data, key)


class CertificateWriter:
    """Writes the certificate to a file, or to standard output for "-"; signed, if there is a key."""

    def __init__(self, file: Path, key: Ed25519PrivateKey | None = None) -> None:
        self._output = Output(file)
        self._key = key

    def take(self, event: Event) -> None:
        """Write the file at the end of the run."""
        if isinstance(event, Ended):
            self._output.write(_certificate(event.report, self._key))


class JunitWriter:
    """Writes a JUnit file."""

    def __init__(self, file: Path) -> None:
        self._output = Output(file)

    def take(self, event: Event) -> None:
        """Write the file at the end of the run."""
        if isinstance(event, Ended):
            self._output.write(junit(event.report))


class GradescopeWriter:
    """Writes a results.json for Gradescope."""

    def __init__(self, file: Path) -> None:
        self._output = Output(file)

    def take(self, event: Event) -> None:
        """Write the file at the end of the run."""
        if isinstance(event, Ended):
            self._output.write(gradescope(event.report))


class ReportWriter:
    """Writes everything to a directory: certificate.json, junit.xml, report.html, findings.json, evidence/CASE.json.

    The evidence of a case is written as the bytes whose sha256 its certificate holds.
    """

    def __init__(self, directory: Path, key: Ed25519PrivateKey | None = None) -> None:
        self._directory = directory
        self._key = key

    def take(self, event: Event) -> None:
        """Write the file at the end of the run."""
        if not isinstance(event, Ended):
            return
        report, directory = event.report, self._directory
        (directory / "evidence").mkdir(parents=True, exist_ok=True)
        for old in (directory / "evidence").glob("*.json"):
            old.unlink()
        for each in report.judged:
            if each.evidence is not None:
                (directory / "evidence" / f"{each.id}.json").write_bytes(each.evidence.canonical())
        (directory / "certificate.json").write_bytes(_certificate(report, self._key))
        (directory / "junit.xml").write_bytes(junit(report))
        (directory / "findings.json").write_bytes(findings_json(report))
        (directory / "report.html").write_text(page(report), encoding="utf-8")
