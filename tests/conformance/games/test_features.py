"""States drawn by features: what is covered, whatever the seed, and that they are states of games."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest
from google.protobuf.message import Message

from fairplay.bazaar.v1 import bazaar_pb2, bazaar_player_pb2
from fairplay.conformance.games.candidates import Candidate, find_candidates, find_made_states
from fairplay.conformance.games.coverage import Draw
from fairplay.conformance.games.features import features_of, settings_features
from fairplay.conformance.games.positions import Source, goes_on_well
from fairplay.conformance.games.profiles import Scope
from fairplay.conformance.run.options import EXAMPLES
from fairplay.fish.v1 import fish_pb2, fish_player_pb2
from fairplay.games.conformance import find_conformance
from fairplay.games.game import find, registered
from tests.conformance.harness import judged
from tests.slow import all_but_first_slow

FISH = find("fish")
SEEDS = all_but_first_slow([1, 2])


def candidates(name: str, seed: int = 1, count: int = 40, profile: str = "") -> list[Candidate]:
    game = find(name)
    settings = game.full_settings(game.settings_type())
    sources = [Source(settings, players, seed + players, "random", 80) for players in game.seats]
    return find_candidates(game, sources, Scope(game, profile), count, 400, Random(seed))


def features(request: Message, game: str = "fish") -> frozenset[str]:
    return features_of(find(game), request)


def test_features_tell_lengths_sizes_equal_elements_and_who_has_most() -> None:
    players = [fish_pb2.Player(score=3, places=[1]), fish_pb2.Player(score=3, places=[2, 4])]
    state = fish_pb2.State(columns=12, fish=[0, 2, 2, 5, 2, 1, 1, 3, 3, 4, 4, 5], players=players, penguin_count=2)
    assert features(fish_player_pb2.TakeTurnRequest(state=state)) >= {
        "method: TakeTurn",
        "actions: 0 in all",
        "state.columns: 9 to 12",
        "state.fish: 3 equal",
        "state.fish: 1 are 0",
        "state.players.score: 2 have the most",
        "state.players.places, its lengths: the last one is the most",
        "state.last_action: missing",
    }


def test_features_tell_equal_messages_and_unknown_enum_values() -> None:
    card = bazaar_pb2.Card(pebbles=[5, 0, 0, 0, 0])
    turn = bazaar_pb2.TurnState(bank=[1] * 5, wallet=[0] * 5, visible=[card, card, card])
    assert "turn_state.visible: 3 equal" in features(
        bazaar_player_pb2.RequestCardsRequest(turn_state=turn), game="bazaar"
    )
    odd = fish_pb2.State(columns=1, fish=[2, 2], penguin_count=1, players=[fish_pb2.Player(color=99)])  # type: ignore[arg-type]
    assert "state.players.color: 99" in features(fish_player_pb2.SetupRequest(state=odd))


def test_settings_have_features_where_they_are_not_as_usual() -> None:
    assert not settings_features(FISH, fish_pb2.Settings())
    assert settings_features(FISH, fish_pb2.Settings(rows=3, action_list=fish_pb2.ACTION_LIST_MOVES)) == {
        "settings.rows: 3",
        "settings.action_list: ACTION_LIST_MOVES",
    }


@pytest.mark.parametrize("name", registered())
@pytest.mark.parametrize("seed", SEEDS)
def test_half_of_the_states_have_every_feature_whatever_the_seed(name: str, seed: int) -> None:
    known = candidates(name, seed, 200)
    drawn = islice(Draw(known, ()).draw(Random(seed)), len(known) // 2)
    assert {feature for each in drawn for feature in each.features} == {
        feature for each in known for feature in each.features
    }


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


def test_all_candidates_are_in_the_profile() -> None:
    scope = Scope(find("bazaar"), "standard")
    assert all(scope.holds(each.position.situation(1)) for each in candidates("bazaar", profile="standard"))


def test_candidates_have_hands_of_one_kind_as_played_games_have_not() -> None:
    assert any("state.players.hand: 6 equal" in each.features for each in candidates("q", count=150))


def test_candidates_have_rich_wallets_as_played_games_have_not() -> None:
    found = candidates("bazaar", count=150)
    assert any(each.number and sum(each.position.request.turn_state.wallet) > 40 for each in found)


def test_the_same_seed_draws_the_same_states() -> None:
    one, other = [*Draw(candidates("fish"), ()).draw(Random(1))], [*Draw(candidates("fish"), ()).draw(Random(1))]
    assert [each.name for each in one] == [each.name for each in other]
    assert [each.position for each in one] == [each.position for each in other]
