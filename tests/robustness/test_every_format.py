"""In every format a tournament ends alike whenever its server dies: each game is played once, and none is forgotten."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from fairplay.formats.format import registered
from fairplay.v1.game_pb2 import Player
from fairplay.v1.tournament_pb2 import (
    DoubleElimination,
    Gauntlet,
    Knockout,
    Ladder,
    RoundRobin,
    Stage,
    Stages,
    Swiss,
    TournamentFormat,
    TournamentPlan,
)
from tests.robustness.test_every_instant import check_instants
from tests.server.manager import harness
from tests.slow import all_but_first_slow

INSTANTS = 5
"""At how many instants the server dies, from the start to the end."""

LINKS = {"a": "bot:minimax", "b": "dial-in:mute", "c": "bot:random", "d": "dial-in:quitter", "e": "bot:greedy"}


class Case(NamedTuple):
    """A format with settings, and how many deals each group of players plays."""

    format: TournamentFormat
    deal_count: int = 0


CASES = {
    "round-robin": Case(TournamentFormat(round_robin=RoundRobin())),
    "swiss": Case(TournamentFormat(swiss=Swiss(round_count=3)), 1),
    "knockout": Case(TournamentFormat(knockout=Knockout(games_per_match=2))),
    "double-elimination": Case(TournamentFormat(double_elimination=DoubleElimination())),
    "gauntlet": Case(TournamentFormat(gauntlet=Gauntlet(challengers=["c"])), 1),
    "ladder": Case(TournamentFormat(ladder=Ladder(game_limit=10))),
    "stages": Case(
        TournamentFormat(
            stages=Stages(
                stages=[
                    Stage(format=TournamentFormat(swiss=Swiss(round_count=2)), top_count=3),
                    Stage(format=TournamentFormat(knockout=Knockout())),
                ]
            )
        )
    ),
}


def plan(case: Case) -> TournamentPlan:
    made = harness.plan(min_entrant_count=2, max_entrant_count=len(LINKS))
    made.entrants.extend(Player(name=name, link=link) for name, link in LINKS.items())
    made.format.CopyFrom(case.format)
    made.deal_count = case.deal_count
    made.settings.fish.rows = made.settings.fish.columns = 4
    return made


def test_every_format_is_tried() -> None:
    assert CASES.keys() == registered().keys()


@pytest.mark.parametrize("name", all_but_first_slow(CASES))
async def test_a_tournament_ends_alike_whenever_the_server_dies(name: str, tmp_path: Path) -> None:
    def choose(total: int) -> list[int]:
        return [total * (2 * number + 1) // (2 * INSTANTS) for number in range(INSTANTS)]

    found = await check_instants(tmp_path, plan(CASES[name]), choose)
    assert {failure.misconduct.player for failure in found.result.failures} == {"b", "d"}
    assert len(found.games) >= 2
