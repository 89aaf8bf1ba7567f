"""Writers of files: the certificate, the page, the JUnit file and the evidence."""

from __future__ import annotations

from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fairplay.certificate.signing import signed
from fairplay.conformance.run.certificate import certificate
from fairplay.conformance.run.events import Ended, Event
from fairplay.conformance.run.report import Report
from fairplay.conformance.writers.junit import junit
from fairplay.conformance.writers.page import page
from fairplay.games.kit.files import Output


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


class ReportWriter:
    """Writes everything to a directory: certificate.json, junit.xml, report.html, and evidence/CASE.json.

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
        (directory / "report.html").write_text(page(report), encoding="utf-8")
