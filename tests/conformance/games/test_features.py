"""States drawn by features: what is covered, whatever the seed, and that they are states of games."""

from __future__ import annotations

from random import Random

import pytest

from fairplay.conformance.games.candidates import Candidate, find_candidates, find_made_states
from fairplay.conformance.games.coverage import Draw
from fairplay.conformance.games.positions import Source, goes_on_well
from fairplay.conformance.games.profiles import Scope
from fairplay.conformance.run.options import EXAMPLES
from fairplay.games.conformance import find_conformance
from fairplay.games.game import find, registered
from tests.conformance.harness import judged
from tests.slow import all_but_first_slow

SEEDS = all_but_first_slow([1, 2])


def candidates(name: str, seed: int = 1, count: int = 40, profile: str = "") -> list[Candidate]:
    game = find(name)
    settings = game.full_settings(game.settings_type())
    sources = [Source(settings, players, seed + players, "random", 80) for players in game.seats]
    return find_candidates(game, sources, Scope(game, profile), count, 400, Random(seed))


@pytest.mark.parametrize("name", all_but_first_slow(sorted(registered(), key="fish".__ne__)))
@pytest.mark.parametrize("seed", SEEDS)
def test_every_feature_that_a_game_declares_is_drawn_whatever_the_seed(name: str, seed: int) -> None:
    report = judged("bot:random", "rules.drawn-states", game=name, seed=seed, examples=EXAMPLES)
    assert report.coverage is not None
    assert [feature for feature in report.coverage.own if not report.coverage.counts[feature]] == []
    assert report.coverage.own
    assert report.coverage.state_count == EXAMPLES
    assert report.coverage.pair_count > 0.9 * report.coverage.known_pair_count
    assert report.exit_code == 0


@pytest.mark.parametrize("name", registered())
def test_games_go_on_from_every_candidate_to_the_seat_that_is_asked_there(name: str) -> None:
    game = find(name)
    for each in candidates(name):
        assert game.check_state(each.position.settings, each.position.state) > each.position.seat


@pytest.mark.parametrize("name", registered())
def test_games_go_on_from_every_state_in_the_file_of_a_game(name: str) -> None:
    game = find(name)
    lines = [*find_conformance(name).made_states()]
    made = [*find_made_states(game, Scope(game))]
    assert len(made) == len(lines) > 0
    for each in made:
        settings = each.position.settings
        assert goes_on_well(game, Source(settings, game.seats.start, 0, "random"), each.position), each.name


def test_the_same_seed_draws_the_same_states() -> None:
    one, other = [*Draw(candidates("fish"), ()).draw(Random(1))], [*Draw(candidates("fish"), ()).draw(Random(1))]
    assert [each.name for each in one] == [each.name for each in other]
    assert [each.position for each in one] == [each.position for each in other]
