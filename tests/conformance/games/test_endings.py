"""Games that go on from shortly before their end have the end that was foreseen, whoever plays."""

from __future__ import annotations

from itertools import islice, product
from random import Random
from typing import Any

import pytest

from fairplay.conformance.games.endings import Ending, find_endings, parse_ending, tells_the_end
from fairplay.conformance.games.trial import Scenario, Trial
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game, find, registered
from fairplay.v1.player_pb2 import EndRequest
from tests.conformance.harness import trial_of

TELLING = [name for name in registered() if any(map(tells_the_end, find(name).methods))]
TYING = [name for name in TELLING if find_conformance(name).tied_endings]


def reported(found: Trial) -> Ending | None:
    """Return the end that the player was told in the last call of a game."""
    last = found.exchanges[-1]
    return parse_ending(last.method.request.FromString(last.request))


def played(game: Game, scenario: Scenario, strategy: str) -> Trial:
    return trial_of(game, game.player(strategy), scenario)


@pytest.mark.parametrize("ending", [Ending.WON, Ending.LOST])
@pytest.mark.parametrize("name", TELLING)
def test_a_game_ends_as_foreseen_whatever_the_player_would_answer(name: str, ending: Ending) -> None:
    game = find(name)
    settings = game.full_settings(game.settings_type())
    scenarios = list(islice(find_endings(game, settings, ending, Random(1)), 2))
    assert len(scenarios) == 2
    for scenario in scenarios:
        for strategy in list(game.strategies)[:2]:
            assert reported(played(game, scenario, strategy)) is ending


@pytest.mark.parametrize("name", TYING)
def test_a_game_is_tied_whatever_the_player_would_answer(name: str) -> None:
    game = find(name)
    for seed, make in product(range(3), find_conformance(name).tied_endings):
        scenario = Scenario("tied", make(Random(seed)), seed, rivals_wait=False)
        found = played(game, scenario, "first")
        assert not found.decision_count
        assert reported(found) is Ending.TIED or _winner_count(found) == 2


def _winner_count(found: Trial) -> int:
    last = found.exchanges[-1]
    request: Any = last.method.request.FromString(last.request)
    return len(request.winner_seats)


def test_rivals_that_do_not_wait_win_the_races() -> None:
    game = find("webset")
    found = trial_of(game, game.player("solver:reaction=0.3"), rivals_wait=False)
    assert reported(found) is Ending.LOST


def test_the_end_of_a_tournament_is_none_of_a_game() -> None:
    assert parse_ending(EndRequest(tournament_id="cup", won=True)) is None
