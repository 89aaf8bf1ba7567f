"""Every mutant of the reference server is caught by the case that names its defect."""

from __future__ import annotations

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance.servers.cases import connection
from tests.conformance.servers.harness import judged, serving
from tests.conformance.servers.mutants import MUTANTS, Mutant
from tests.slow import SLOW


@SLOW
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_case_that_names_the_defect_fails(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "END_LIMIT_S", 1.5)
    mutant.apply(monkeypatch)
    with serving() as server:
        [found] = judged(server, mutant.case).judged
    assert found.verdict in (Verdict.FAIL, Verdict.WARN), found.sentence
    assert found.evidence is not None
    assert ("Again", f"fairplay certify-server {server.address} --only {mutant.case}") in found.evidence.sections
