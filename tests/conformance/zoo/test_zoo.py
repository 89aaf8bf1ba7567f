"""Mutants are declared as they should be; sound players pass, however odd. `make zoo` tries all mutants."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance.blame.verdicts import Judged
from fairplay.conformance.cases import cases
from fairplay.conformance.evidence import Evidence
from fairplay.conformance.player.transports import PlayerServer
from fairplay.conformance.run.engine import run
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.report import Report
from fairplay.conformance.zoo.__main__ import main
from fairplay.conformance.zoo.mutants import ProgramBehaviour
from fairplay.conformance.zoo.program import MutantHandlers, dial_in
from fairplay.conformance.zoo.registry import common_mutants, find_mutants, own_mutants
from fairplay.games.conformance import Level, find_conformance
from fairplay.games.game import find, registered
from fairplay.player.command import Reach
from fairplay.player.handlers import describe, snake_case
from fairplay.v1.player_pb2 import DescribeRequest, DescribeResponse
from tools.zoo.findings import stands_for

SHOWN = Evidence("It raised.", sections=[("Call", "TakeTurn")])


def one(case_id: str, verdict: Verdict, see: str = "", evidence: Evidence | None = SHOWN) -> Judged:
    return Judged(case_id, Level.MUST, verdict, "", 0.1, evidence, see=see)


PASSED, FAILED = one("a.passed", Verdict.PASS), one("a.failed", Verdict.FAIL)


GAMES = [name for name in registered() if find_conformance(name).mutations]
ALL_GAMES = 5
LEAST_OWN, LEAST_COMMON = 25, 25
AMPLE_S = 5.0
EXAMPLES = 30
MET = {Verdict.PASS, Verdict.NOT_APPLICABLE}


def test_every_game_has_mutants() -> None:
    wanted = registered() if len(registered()) >= ALL_GAMES else ("bazaar", "fish", "q")
    for name in wanted:
        assert name in GAMES
        assert len(own_mutants(find(name))) >= LEAST_OWN
        assert len(common_mutants(find(name))) >= LEAST_COMMON


def test_mutants_name_cases_and_methods_and_rules_that_exist() -> None:
    for name in GAMES:
        game = find(name)
        ids = [case.id for case in cases(game)]
        for mutant in find_mutants(game).values():
            assert mutant.cases, mutant.name
            assert mutant.sentence.endswith("."), mutant.name
            assert mutant.rule in {"", *game.rules}, mutant.name
            for case_id in mutant.cases:
                assert any(stands_for(case_id, each) for each in ids), (mutant.name, case_id)
        assert {mutation.method for mutation in find_conformance(game.name).mutations} <= {
            method.name for method in game.methods
        }


def test_every_case_but_those_of_drawn_states_is_named_by_a_mutant() -> None:
    for name in GAMES:
        game = find(name)
        all_mutants = find_mutants(game).values()
        nobody = [
            case.id
            for case in cases(game)
            if not any(stands_for(each, case.id) for mutant in all_mutants for each in mutant.cases)
        ]
        assert [case_id for case_id in nobody if not case_id.startswith(UNNAMED)] == [], name


UNNAMED = ("rules.resumed-game", "rules.drawn-states", "exceptions.drawn-states", "time.drawn-states")
"""Cases of random positions: what fails there also fails a case of games from the beginning."""


# The command


def test_the_command_lists_all_mutants_with_what_they_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fish", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(find_mutants(find("fish")))
    assert all(line.endswith(".") for line in lines)


def test_the_command_says_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, complaint in [
        (["fish", "raise-in-setup"], "did you mean raises-in-setup"),
        (["fish", "raises-in-setup", "--strategy", "dag"], "dag"),
        (["fish", "raises-in-setup"], "such players are started by a server"),
        (["chess", "raises-in-setup"], "invalid choice"),
    ]:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
        assert complaint in capsys.readouterr().err


# What a program of the zoo has no defect in


PATIENCE_S = 0.2


async def test_a_program_that_was_up_for_longer_than_its_patience_dials_in_again() -> None:
    game = find("fish")
    server = PlayerServer("127.0.0.1:0", start_limit_s=10.0)
    try:
        reached = await server.server()
        handlers = MutantHandlers(game, game.player("random"), ProgramBehaviour(), os.abort)
        reach = Reach(connect=reached.address, name="ann", patience_s=PATIENCE_S)
        program = asyncio.create_task(dial_in(handlers, reach, ProgramBehaviour(), os.abort))
        await reached.hub.arrived("ann")
        await asyncio.sleep(PATIENCE_S)
        await server.hang_up()
        async with asyncio.timeout(10):
            while reached.hub.here("ann"):
                await asyncio.sleep(0.01)
            await reached.hub.arrived("ann")
        assert not program.done()
        program.cancel()
    finally:
        await server.close()


# Sound players


class Odd:
    """A sound player that does what is allowed and unusual."""

    game = "fish"
    name = "n" * 80
    version = "v" * 80

    def __init__(self) -> None:
        self._sound: Any = find(self.game).player("first")
        for method in find(self.game).methods:
            name = snake_case(method.name)
            setattr(self, name, partial(self._answer, getattr(self._sound, name)))

    def _answer(self, sound: Callable[[Any], Any], request: Any) -> bytes:
        reply = sound(request)
        known = b"" if reply is None else reply.SerializeToString()
        return known + b"\xc2\xbb\x1e\x03new"  # a field of a later revision

    async def describe(self, _: DescribeRequest) -> DescribeResponse:
        return DescribeResponse(description=describe(self))

    def start(self, _: object) -> bytes:
        return b"\xc2\xbb\x1e\x03new"


def unmet(report: Report) -> dict[str, str]:
    return {each.id: each.sentence for each in report.judged if each.verdict not in MET}


@pytest.mark.slow
def test_an_odd_player_without_a_defect_passes_everything() -> None:
    assert unmet(run(Options("fish", Odd, limit_s=AMPLE_S, first_limit_s=AMPLE_S, examples=EXAMPLES))) == {}


@pytest.mark.slow
def test_a_player_that_writes_what_it_may_in_25_games_at_once_keeps_the_default_limit() -> None:
    link = f"exec:{sys.executable} -m tests.conformance.program loud"
    report = run(Options("fish", link, only="growth", start_limit_s=60.0))
    assert unmet(report) == {}
    assert len(report.judged) > 1


@pytest.mark.slow
def test_threads_that_take_some_seconds_to_end_are_not_kept() -> None:
    link = f"exec:{sys.executable} -m tests.conformance.program forgets-late"
    assert unmet(run(Options("fish", link, only="growth", start_limit_s=60.0))) == {}
