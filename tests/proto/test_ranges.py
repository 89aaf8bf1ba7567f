"""The ranges of settings, of games and of formats, are those that the comments of their fields state."""

from __future__ import annotations

from typing import Any

import pytest

from fairplay.formats import format as formats
from fairplay.formats import stages
from fairplay.games import game as games
from fairplay.games.kit.settings import Setting
from fairplay.server.net.limits import LIMITS, Limit
from fairplay.v1.tournament_pb2 import TournamentFormat

NAMES = [name for name, entry in games.registered().items() if entry.value.startswith("fairplay.games.")]
ARMS = [field for field in TournamentFormat.DESCRIPTOR.fields if field.name != "custom"]


def stated(settings: Any, name: str) -> tuple[float, float]:
    """Return the range that the comment of a setting states; of times in milliseconds."""
    limit = LIMITS.get(f"{settings.full_name}.{name}", Limit())
    message = settings.fields_by_name[name].message_type
    if message is not None and message.name == "Duration":
        return limit.minimum_seconds * 1_000, limit.maximum_seconds * 1_000
    return limit.minimum, limit.maximum


def check(settings: Any, known: Setting) -> None:
    if known.limits is not None:
        assert stated(settings, known.name) == known.limits, f"{settings.full_name}.{known.name}"


@pytest.mark.parametrize("name", NAMES)
def test_settings_of_games_have_the_ranges_that_are_stated(name: str) -> None:
    game = games.find(name)
    for setting in game.settings:
        check(game.settings_type.DESCRIPTOR, setting)


def test_settings_of_formats_have_the_ranges_that_are_stated() -> None:
    for arm in ARMS:
        for setting in formats.find(arm.name.replace("_", "-")).settings:
            check(arm.message_type, setting)
    limit = LIMITS["fairplay.v1.Stages.stages"]
    assert (limit.min_items, limit.max_items) == (stages.LEAST, stages.MOST)
