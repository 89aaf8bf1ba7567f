"""Every case for servers is named by a mutant, and every mutant of the reference server fails the cases it names."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from subprocess import PIPE, Popen
from typing import get_type_hints

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance.run.findings import find_findings
from fairplay.conformance.servers.cases import CASES
from fairplay.q.v1.q_player_pb2 import TakeTurnRequest
from fairplay.server.server import Server
from fairplay.v1.referee_pb2 import PlayGameRequest
from tests.conformance.servers.harness import judged, proxy, serving
from tests.conformance.servers.mutants import MUTANTS, Mutant
from tests.conformance.servers.proxy import Change, Rpc
from tests.conformance.servers.rule_faults import FAULTS
from tests.slow import SLOW


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def test_every_case_is_named_by_a_mutant() -> None:
    named = [case_id for mutant in MUTANTS for case_id in mutant.cases]
    assert {case.id for case in CASES} == set(named)


def test_through_a_proxy_without_a_defect_the_reference_server_passes(server: Server) -> None:
    with proxy(server.address, {}) as sound:
        [found] = judged(sound, "connection.resumed").judged
    assert found.verdict is Verdict.PASS, found.sentence


def test_a_server_is_not_asked_about_games_that_it_lacks(server: Server) -> None:
    def lack_it(request: PlayGameRequest, _: Rpc) -> None:
        request.plan.game = f"no-{request.plan.game}"

    with proxy(server.address, {PlayGameRequest: lack_it}) as poor:
        report = judged(poor, "order.bazaar*,order.eriantys*,order.webset*")
    assert len(report.judged) > 5
    assert {each.verdict for each in report.judged} == {Verdict.NOT_APPLICABLE}


def test_what_is_begun_beside_other_cases_is_charged_only_if_it_fails_alone(server: Server) -> None:
    hung: list[bool] = []

    def hasten_the_first(request: PlayGameRequest, _: Rpc) -> None:
        limit = request.plan.time_control.decision_limit
        if limit.ToMilliseconds() == 600 and not hung:
            hung.append(True)
            limit.FromMilliseconds(1)

    before = "results.fish,results.tie,results.status"
    with proxy(server.address, {PlayGameRequest: hasten_the_first}) as unlucky:
        report = judged(unlucky, f"{before},time.decision,time.late-reply")
    assert hung
    assert {each.verdict for each in report.judged} == {Verdict.PASS}


def deals_a_hidden_tile(request: TakeTurnRequest, _: Rpc) -> None:
    request.state.pile_left += request.seat + 1


def refuses_every_seed(request: PlayGameRequest, _: Rpc) -> None:
    request.plan.seed = 2**60


@pytest.mark.parametrize(
    ("defect", "only"),
    [
        (refuses_every_seed, "order.fish,order.q,results.fish,results.q"),
        pytest.param(deals_a_hidden_tile, "order.q-requests,games.q-situations,games.q-fresh", marks=SLOW),
    ],
)
def test_one_defect_is_one_finding_however_many_cases_fail_for_it(server: Server, defect: Change, only: str) -> None:
    changed = next(iter(get_type_hints(defect).values()))
    with proxy(server.address, {changed: defect}) as broken:
        report = judged(broken, only)
    [found] = find_findings(report.judged)
    assert len(found.cases) == len(report.judged) > 2
    assert found.more.endswith("cases more that fail for it")


def test_fail_fast_stops_at_the_first_must_that_is_not_met(server: Server) -> None:
    with proxy(server.address, {PlayGameRequest: refuses_every_seed}) as broken:
        report = judged(broken, "order.fish,order.q,results.fish,results.q", fail_fast=True)
    assert [each.verdict for each in report.judged] == [Verdict.FAIL]
    assert not report.complete


@SLOW
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_cases_that_name_the_defect_fail(server: Server, mutant: Mutant) -> None:
    with proxy(server.address, mutant.changes) as broken:
        for case_id in mutant.cases:
            [found] = judged(broken, case_id).judged
            assert found.verdict in (Verdict.FAIL, Verdict.WARN), (case_id, found.verdict, found.sentence)
            assert found.evidence is not None
            again = f"fairplay certify-server {broken} --only {case_id}"
            assert ("Again", again) in found.evidence.sections


@SLOW
@pytest.mark.parametrize("name", FAULTS)
def test_rules_that_hardly_ever_count_are_asked_for(name: str) -> None:
    command = [sys.executable, "-m", "tests.conformance.servers.rule_faults", name]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as faulty:
        assert faulty.stdin is not None
        assert faulty.stdout is not None
        with faulty.stdin:
            case_id = FAULTS[name].case or f"games.{FAULTS[name].game}-situations"
            [found] = judged(faulty.stdout.readline().strip(), case_id).judged
    assert found.verdict is Verdict.FAIL
