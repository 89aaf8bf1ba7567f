"""The probes of Eriantys: situations that the game accepts and every reference player passes."""

from __future__ import annotations

import pytest

from fairplay.games.conformance import Probe
from fairplay.games.eriantys.conformance import CONFORMANCE
from fairplay.games.game import find
from tests.games.trying import check_declaration, check_is_passed, check_situation, each_probe
from tests.slow import SLOW

GAME = find("eriantys")
LONG = {"best": SLOW}
"""Strategies that search."""


def test_each_has_an_id_of_its_own() -> None:
    ids = [probe.id for probe in CONFORMANCE.probes]
    assert len(set(ids)) == len(ids) >= 15


@each_probe(GAME)
def test_names_rules_of_the_game_and_says_why(probe: Probe) -> None:
    check_declaration(GAME, probe)


@each_probe(GAME)
def test_makes_a_situation_that_the_game_accepts(probe: Probe) -> None:
    check_situation(GAME, probe)


@pytest.mark.parametrize("strategy", [pytest.param(each, marks=LONG.get(each, [])) for each in GAME.strategies])
@each_probe(GAME)
def test_asks_the_tested_player_and_is_passed(probe: Probe, strategy: str) -> None:
    check_is_passed(GAME, probe, strategy)
