"""Games under unusual settings: each pair of values is tried, and whoever fails there is told the settings."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from fairplay.conformance.games.profiles import Scope
from fairplay.conformance.games.variations import vary
from fairplay.fish.v1 import fish_player_pb2
from fairplay.games.game import find
from tests.conformance.harness import Method, judged, player, raises

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
