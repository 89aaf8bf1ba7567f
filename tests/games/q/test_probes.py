"""The probes of the Q game: situations that the game accepts and every reference player passes."""

from __future__ import annotations

from fairplay.games.conformance import Probe
from fairplay.games.game import find
from fairplay.games.q.conformance import CONFORMANCE
from tests.games.trying import check_declaration, check_is_passed, check_situation, each_probe, each_strategy

GAME = find("q")


def test_each_has_an_id_of_its_own() -> None:
    ids = [probe.id for probe in CONFORMANCE.probes]
    assert len(set(ids)) == len(ids) >= 15


@each_probe(GAME)
def test_names_rules_of_the_game_and_says_why(probe: Probe) -> None:
    check_declaration(GAME, probe)


@each_probe(GAME)
def test_makes_a_situation_that_the_game_accepts(probe: Probe) -> None:
    check_situation(GAME, probe)


@each_strategy(GAME)
@each_probe(GAME)
def test_asks_the_tested_player_and_is_passed(probe: Probe, strategy: str) -> None:
    check_is_passed(GAME, probe, strategy)
