"""Games under unusual settings: each pair of values is tried, and whoever fails there is told the settings."""

from __future__ import annotations

from itertools import combinations, product
from random import Random
from typing import Any

import pytest

from fairplay.conformance.games.profiles import Scope
from fairplay.conformance.games.variations import Row, cover_pairs, fits, vary
from fairplay.fish.v1 import fish_player_pb2
from fairplay.games.conformance import find_conformance
from fairplay.games.game import find, registered
from tests.conformance.harness import Method, judged, player, raises


def pairs_in(rows: list[Row]) -> set[Any]:
    return {pair for row in rows for pair in combinations(enumerate(row), 2)}


def test_rows_that_are_not_allowed_are_left_out_and_all_others_are_covered() -> None:
    def is_allowed(row: Row) -> bool:
        return row[0] + row[1] < 4

    rows = cover_pairs((4, 4, 2, 2), is_allowed, Random(2))
    assert all(map(is_allowed, rows))
    found = pairs_in(rows)
    assert all((((0, one), (1, other)) in found) == (one + other < 4) for one, other in product(range(4), range(4)))


def test_every_value_of_every_setting_is_tried_with_settings_that_fit() -> None:
    for name in list(registered()):
        game = find(name)
        variations = vary(game, Random(3), Scope(game))
        assert all(fits(game, each.settings, each.player_count) for each in variations)
        assert {each.player_count for each in variations} == set(game.seats)
        usual = game.full_settings(game.settings_type())
        kept = [name for name, values in find_conformance(name).settings_values.items() if not values]
        for field in usual.DESCRIPTOR.fields:
            tried = {str(getattr(each.settings, field.name)) for each in variations}
            assert len(tried) > 1 or field.name in kept, field.name


PROBED = {"rows": 25, "columns": 25, "hand_size": 36, "table": 27}
"""The greatest values that probes try, since they take long."""
IMPOSSIBLE = {"holes": 624, "max_table": 3}
"""A board of one tile has no room for all players, and no table grows from three cards to three."""


@pytest.mark.slow
def test_every_number_of_the_settings_is_tried_at_both_its_ends_and_between_them() -> None:
    for game in map(find, ("bazaar", "eriantys", "fish", "q", "webset")):
        usual = game.full_settings(game.settings_type())
        for seed in (1, 2, 3):
            variations = vary(game, Random(seed), Scope(game))
            for setting in game.settings:
                field = usual.DESCRIPTOR.fields_by_name[setting.name]
                if setting.limits is None or field.message_type is not None:
                    continue
                tried = {getattr(each.settings, field.name) for each in variations} | {getattr(usual, field.name)}
                tried |= {table[field.name] for table in (PROBED, IMPOSSIBLE) if field.name in table}
                least, most = setting.limits
                assert {least, most} <= tried, (game.name, field.name, tried)
                assert most - least < 2 or any(least < each < most for each in tried), (game.name, field.name, tried)


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
