"""Plans of games, at the edges of what they may say; pages of lists."""

from __future__ import annotations

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.wrappers_pb2 import Int64Value

from fairplay.games.game import Game
from fairplay.server.game.plans import (
    full_game_plan,
    full_settings,
    overlay,
)
from fairplay.server.net.errors import Refusal
from fairplay.server.servicers.public import page_size
from fairplay.v1.game_pb2 import GameSettings, Player, TimeControl
from tests.server.harness import plan
from tests.server.records.nim import NIM


def accept(player: Player, game: Game, field: str) -> None:
    """Check nothing."""


@pytest.mark.parametrize(("asked", "rows"), [(0, 50), (1_001, 1_000)])
def test_a_page_has_at_most_1000_rows(asked: int, rows: int) -> None:
    assert page_size(asked) == rows


def test_of_unknown_fields_the_first_is_named() -> None:
    made = plan("bot:first", "bot:first")
    made.MergeFromString(b"\xfa\x3e\x00\xf2\x3e\x00")  # fields 1007 and 1006, empty
    with pytest.raises(Refusal, match=r"^this server does not know field 1007 of fairplay.v1.GamePlan: leave it out$"):
        full_game_plan(made, accept)


def test_settings_of_games_of_other_packages_are_searched_for_unknown_fields_too() -> None:
    settings = GameSettings()
    settings.other.Pack(Int64Value(value=3))
    assert full_settings(NIM, settings, "settings") == Int64Value(value=3)
    settings.other.value += b"\xfa\x3e\x00"
    with pytest.raises(Refusal, match="field 1007") as refusal:
        full_settings(NIM, settings, "settings")
    assert (refusal.value.reason, refusal.value.field) == ("UNKNOWN_FIELDS", "settings")


def test_settings_of_a_game_that_the_server_does_not_know_are_not_taken_for_none() -> None:
    settings = GameSettings.FromString(b"\xfa\x3e\x00")
    with pytest.raises(Refusal, match="field 1007") as refusal:
        full_settings(NIM, settings, "settings")
    assert refusal.value.reason == "UNKNOWN_FIELDS"


def test_only_the_server_says_who_players_are() -> None:
    made = plan("bot:first", "bot:first")
    made.players[1].description.display_name = "the best"
    made.players[1].account = "somebody"
    made.players[1].certificate.SetInParent()
    assert full_game_plan(made, accept).players[1] == Player(name="b", link="bot:first")


def test_a_duration_takes_no_nanos_from_the_one_that_it_replaces() -> None:
    full = TimeControl(decision_limit=Duration(nanos=500_000_000), bank=Duration(nanos=1))
    overlay(full, TimeControl(decision_limit=Duration(seconds=2)))
    assert full == TimeControl(decision_limit=Duration(seconds=2), bank=Duration(nanos=1))
