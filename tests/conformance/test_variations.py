"""Games under unusual settings: each pair of values is tried, and whoever fails there is told the settings."""

from __future__ import annotations

from itertools import combinations, product
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from fairplay.conformance import variations
from fairplay.conformance.coverings import Row, cover_pairs
from fairplay.conformance.variations import fits, unusual_part, vary
from fairplay.fish.v1 import fish_player_pb2
from fairplay.games.conformance import find_conformance
from fairplay.games.game import find, registered
from tests.conformance.harness import Method, judged, player, raises


def pairs_in(rows: list[Row]) -> set[Any]:
    return {pair for row in rows for pair in combinations(enumerate(row), 2)}


def test_each_pair_of_values_is_in_a_row() -> None:
    sizes = (2, 3, 1, 4, 3)
    rows = cover_pairs(sizes, lambda _: True, Random(1))
    wanted = {
        ((first, one), (second, other))
        for first, second in combinations(range(len(sizes)), 2)
        for one, other in product(range(sizes[first]), range(sizes[second]))
    }
    assert pairs_in(rows) == wanted
    assert len(rows) <= 2 * 4 * 3


def test_rows_that_are_not_allowed_are_left_out_and_all_others_are_covered() -> None:
    def is_allowed(row: Row) -> bool:
        return row[0] + row[1] < 4

    rows = cover_pairs((4, 4, 2, 2), is_allowed, Random(2))
    assert all(map(is_allowed, rows))
    found = pairs_in(rows)
    assert all((((0, one), (1, other)) in found) == (one + other < 4) for one, other in product(range(4), range(4)))


def test_a_pair_that_is_allowed_with_all_other_defaults_is_always_found() -> None:
    for seed in range(2):
        rows = cover_pairs((2,) * 12, lambda row: sum(row) <= 2, Random(seed))
        assert {((first, 1), (second, 1)) for first, second in combinations(range(12), 2)} <= pairs_in(rows)


def test_a_pair_that_needs_another_value_is_mostly_found() -> None:
    def is_allowed(row: Row) -> bool:
        return row[:2] != (1, 1) or row[2] == 3

    found = [((0, 1), (1, 1)) in pairs_in(cover_pairs((2, 2, 6), is_allowed, Random(seed))) for seed in range(200)]
    assert sum(found) > 120


def test_a_pair_that_is_never_allowed_is_given_up_after_24_rows() -> None:
    tried: list[Row] = []

    def is_allowed(row: Row) -> bool:
        tried.append(row)
        return False

    assert cover_pairs((1, 1), is_allowed, Random(1)) == []
    assert tried == [(0, 0)] * 24


def test_there_are_few_rows_and_values_are_indexes() -> None:
    def is_allowed(row: Row) -> bool:
        assert all(0 <= value < 2 for value in row)
        return True

    assert sum(len(cover_pairs((2,) * 12, is_allowed, Random(seed))) for seed in range(10)) <= 92
    assert sum(len(cover_pairs((3,) * 6, lambda _: True, Random(seed))) for seed in range(10)) <= 148

    def has_many_defaults(row: Row) -> bool:
        assert all(0 <= value < 4 for value in row)
        return row.count(0) >= 3

    assert cover_pairs((4,) * 5, has_many_defaults, Random(1))


@pytest.mark.parametrize("name", list(registered()))
def test_a_setting_has_its_usual_value_or_one_of_its_choices_or_a_limit(name: str) -> None:
    game, chosen = find(name), find_conformance(name).settings_values
    usual = game.full_settings(game.settings_type())
    limits = {setting.name: setting.limits for setting in game.settings}
    variations = vary(game, Random(3))
    assert [each.name for each in variations] == [f"settings-{number}" for number in range(len(variations))]
    assert variations[0].settings == game.full_settings(game.tournament_settings)
    assert variations[0].player_count == game.seats.start
    for field in usual.DESCRIPTOR.fields:
        if field.name in chosen or field.message_type is not None or field.is_repeated:
            continue
        tried = {getattr(each.settings, field.name) for each in variations[1:]}
        default = getattr(usual, field.name)
        if field.enum_type is not None:
            assert tried <= {number for number in field.enum_type.values_by_number if number}
        elif isinstance(default, bool):
            assert tried == {True, False}
        else:
            assert tried <= {default, *(limits[field.name] or ())}
        assert default in tried
        assert len(tried) > 1


@pytest.mark.parametrize("name", list(registered()))
def test_every_value_of_every_setting_is_tried_with_settings_that_fit(name: str) -> None:
    game = find(name)
    variations = vary(game, Random(3))
    assert all(fits(game, each.settings, each.player_count) for each in variations)
    assert {each.player_count for each in variations} == set(game.seats)
    usual = game.full_settings(game.settings_type())
    kept = [name for name, values in find_conformance(name).settings_values.items() if not values]
    for field in usual.DESCRIPTOR.fields:
        tried = {str(getattr(each.settings, field.name)) for each in variations}
        assert len(tried) > 1 or field.name in kept, field.name


def test_no_choice_is_tried_twice_as_another_one() -> None:
    assert len(vary(find("fish"), Random(0))) <= 42


class Lenient:
    """Webset for two players, which may be played under any settings."""

    name, seats = "lenient", range(2, 3)

    def __getattr__(self, name: str) -> Any:
        return getattr(find("webset"), name)

    def play(self, *_: Any) -> Any:
        return SimpleNamespace(close=lambda: None)


def test_what_is_no_number_is_varied_only_where_a_game_says_how(monkeypatch: pytest.MonkeyPatch) -> None:
    game: Any = Lenient()
    monkeypatch.setattr(variations, "find_conformance", lambda _: SimpleNamespace(settings_values={}))
    usual: Any = game.full_settings(game.settings_type())
    made: list[Any] = [each.settings for each in vary(game, Random(1))]
    assert len(made) > 1
    for each in made:
        assert (each.window, each.lockout) == (usual.window, usual.lockout)
        assert each.handicaps == usual.handicaps


def test_the_same_seed_gives_the_same_variations() -> None:
    game = find("fish")
    assert vary(game, Random(4)) == vary(game, Random(4))
    assert vary(game, Random(4)) != vary(game, Random(5))


def test_what_is_unusual_about_settings_is_told_alone() -> None:
    game = find("fish")
    settings = game.settings_type(rows=7, columns=5)
    assert unusual_part(game, settings) == game.settings_type(rows=7)
    assert unusual_part(game, game.settings_type()) == game.settings_type()
    assert settings == game.settings_type(rows=7, columns=5)


def test_settings_fit_if_the_game_can_be_played_with_them() -> None:
    game = find("fish")
    assert fits(game, game.settings_type(), 2)
    assert not fits(game, game.settings_type(), 9)
    assert not fits(game, game.settings_type(rows=1, columns=1), 2)


def test_the_evidence_names_the_settings() -> None:
    def wrong(sound: Method, request: Any) -> Any:
        return raises(sound, request) if request.state.columns > 11 else sound(request)

    report = judged(lambda: player(setup=wrong), "exceptions.unusual-settings")
    [found] = report.judged
    assert found.evidence is not None
    assert "columns: 12" in dict(found.evidence.sections)["Settings"]


def test_a_state_that_fails_is_simplified_to_an_early_one_under_the_usual_settings() -> None:
    far = fish_player_pb2.SetupResponse(place=2**31)
    [found] = judged(lambda: player(setup=lambda *_: far), "rules.drawn-states", examples=60).judged
    assert found.evidence is not None
    assert dict(found.evidence.sections)["Game"].startswith("drawn-0-0: ")
    assert "Settings" not in dict(found.evidence.sections)
