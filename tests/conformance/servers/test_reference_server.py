"""The reference server passes every case for servers."""

from __future__ import annotations

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance.servers.cases import CASES
from fairplay.conformance.servers.plan import CONFORMANCE
from fairplay.games.conformance import Level
from fairplay.player.handlers import PROTOCOL_REVISION
from tests.conformance.servers.harness import judged, serving

IN_EVERY_RUN = (
    "lobby.tables,lobby.walk,lobby.comes-back,lobby.told,lobby.one-stream,watch.listed-conditions,"
    "connection.walk,order.time-limits,"
    "order.webset-held,order.webset-lockout,order.webset-cancelled,"
    "tournament.sign-up,tournament.names,tournament.too-few,tournament.full,ids.chosen,"
    "refuses.plan-limits,refuses.each-setting,format.ties,blame.each-status,order.webset"
)
"""Quick cases about what no other test of the server asks."""


def test_the_reference_server_passes_quick_cases() -> None:
    with serving() as server:
        report = judged(server.address, IN_EVERY_RUN)
    assert {each.id: each.verdict for each in report.judged} == dict.fromkeys(IN_EVERY_RUN.split(","), Verdict.PASS)


@pytest.mark.slow
def test_the_reference_server_passes_every_case() -> None:
    with serving() as server:
        report = judged(server.address)
    unmet = [f"{each.id}: {each.verdict} {each.sentence}" for each in report.judged if each.verdict != Verdict.PASS]
    assert unmet == []


def test_the_frozen_set_is_that_of_the_must_cases() -> None:
    must = frozenset(case.id for case in CASES if case.level is Level.MUST)
    assert CONFORMANCE.must(PROTOCOL_REVISION) == must, "what a published revision demands never changes"
    assert len({case.id for case in CASES}) == len(CASES)
