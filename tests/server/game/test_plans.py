"""Plans of games, at the edges of what they may say; pages of lists."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.wrappers_pb2 import Int64Value

from fairplay.games.game import Game, find
from fairplay.server.game.plans import (
    checked_id,
    full_game_plan,
    full_settings,
    full_time_control,
    overlay,
    same_plan,
)
from fairplay.server.net.errors import Refusal
from fairplay.server.servicers.public import cursor_of, page_size, token_of
from fairplay.v1.game_pb2 import GameSettings, Player, TimeControl
from fairplay.v1.referee_pb2 import GamePlan
from tests.server.harness import plan
from tests.server.records.nim import NIM

FISH = find("fish")


def accept(player: Player, game: Game, field: str) -> None:
    """Check nothing."""


@pytest.mark.parametrize("text", ["", "a" * 129, "a b", "../../etc", "a/"])
def test_ids_that_are_none(text: str) -> None:
    with pytest.raises(Refusal) as refusal:
        checked_id(text, "game_id")
    assert (refusal.value.reason, refusal.value.field) == ("INVALID_ID", "game_id")


@pytest.mark.parametrize(
    ("field", "limit", "allowed"),
    [
        ("decision_limit", Duration(nanos=1_000_000), True),
        ("first_decision_limit", Duration(nanos=999_999), False),
        ("notification_limit", Duration(seconds=3_600), True),
        ("decision_limit", Duration(seconds=3_600, nanos=1), False),
    ],
)
def test_limits_are_a_millisecond_to_an_hour(field: str, limit: Duration, allowed: bool) -> None:
    control = TimeControl(decision_limit=Duration(seconds=3_600), first_decision_limit=Duration(seconds=3_600))
    getattr(control, field).CopyFrom(limit)
    if allowed:
        assert getattr(full_time_control(FISH, control), field) == limit
    else:
        with pytest.raises(Refusal) as refusal:
            full_time_control(FISH, control)
        assert refusal.value.field == f"plan.time_control.{field}"


@pytest.mark.parametrize(("own_s", "first_s"), [(2, 60), (120, 120)])
def test_a_decision_limit_of_ones_own_stands_for_all_that_are_not_given(own_s: int, first_s: int) -> None:
    full = full_time_control(find("webset"), TimeControl(decision_limit=Duration(seconds=own_s)))
    assert (full.notification_limit.seconds, full.first_decision_limit.seconds) == (own_s, first_s)


@pytest.mark.parametrize(("bank", "allowed"), [(3_600, True), (3_601, False)])
def test_a_bank_is_at_most_an_hour(bank: int, allowed: bool) -> None:
    control = TimeControl(bank=Duration(seconds=bank))
    if allowed:
        assert full_time_control(FISH, control).bank == Duration(seconds=bank)
    else:
        with pytest.raises(Refusal, match="bank"):
            full_time_control(FISH, control)


@pytest.mark.parametrize(("asked", "rows"), [(0, 50), (1_001, 1_000)])
def test_a_page_has_at_most_1000_rows(asked: int, rows: int) -> None:
    assert page_size(asked) == rows


def test_page_tokens() -> None:
    assert [token_of(None), token_of(7), cursor_of(""), cursor_of("7")] == ["", "7", None, 7]
    for token in ("x", "-1", "٣", "1 ", "9" * 512):
        with pytest.raises(Refusal) as refusal:
            cursor_of(token)
        assert refusal.value.reason == "INVALID_PAGE_TOKEN"


@pytest.mark.parametrize(("seed", "allowed"), [(2**53 - 1, True), (2**53, False)])
def test_a_seed_is_below_2_to_the_53(seed: int, allowed: bool) -> None:
    made = plan("bot:first", "bot:first", seed=seed)
    if allowed:
        assert full_game_plan(made, accept).seed == seed
    else:
        with pytest.raises(Refusal) as refusal:
            full_game_plan(made, accept)
        assert (refusal.value.reason, refusal.value.field) == ("INVALID_SEED", "plan.seed")


@pytest.mark.parametrize("field", ["", "settings.fish", "players"])
def test_what_this_server_does_not_know_of_a_plan_is_refused(field: str) -> None:
    made = plan("bot:first", "bot:first")
    part: Any = made
    for name in filter(None, field.split(".")):
        part = part.players[1] if name == "players" else getattr(part, name)
    part.MergeFromString(b"\xfa\x3e\x00")  # field 1007, empty
    with pytest.raises(Refusal, match="field 1007") as refusal:
        full_game_plan(made, accept)
    assert (refusal.value.reason, refusal.value.field) == ("UNKNOWN_FIELDS", f"plan.{field}".rstrip("."))


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


@pytest.mark.parametrize(
    ("given", "kept", "full", "same"),
    [
        (GamePlan(seed=1), GamePlan(seed=1), GamePlan(seed=1), True),
        (GamePlan(seed=1), GamePlan(seed=2), GamePlan(seed=1), False),
        (GamePlan(game="q"), GamePlan(game="q", seed=2), GamePlan(game="q", seed=1), True),
        (GamePlan(game="q"), GamePlan(game="q"), GamePlan(game="q", seed=1), True),
        (GamePlan(), GamePlan(game="q", seed=2), GamePlan(seed=1), False),
    ],
    ids=["the same", "another seed", "any seed", "none is kept", "another game"],
)
def test_a_plan_is_the_one_that_is_kept_whatever_its_seed_if_it_names_none(
    given: GamePlan, kept: GamePlan, full: GamePlan, same: bool
) -> None:
    asked = GamePlan()
    asked.CopyFrom(full)
    assert same_plan(given, kept, full) is same
    assert full == asked
