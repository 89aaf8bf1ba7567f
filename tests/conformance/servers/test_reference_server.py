"""The reference server passes every case for servers."""

from __future__ import annotations

from fairplay.certificate import Verdict
from tests.conformance.servers.harness import judged, serving


def test_the_reference_server_passes_every_case() -> None:
    with serving() as server:
        report = judged(server)
    unmet = [f"{each.id}: {each.verdict} {each.sentence}" for each in report.judged if each.verdict != Verdict.PASS]
    assert unmet == []
    assert report.seconds < 60
