"""Messages of the Q game: they say what the rules say, and what is wrong with them is named."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st

from fairplay.games.kit.judging import MalformedReplyError
from fairplay.games.q import rules
from fairplay.games.q.game import GAME
from fairplay.games.q.protocol import codec
from fairplay.games.q.rules import RULES
from fairplay.games.q.rules.board import KINDS, Placement, tile_name
from fairplay.games.q.rules.state import PASS, Extension, Settings
from fairplay.q.v1 import q_pb2
from fairplay.q.v1.q_player_pb2 import SetupRequest, TakeTurnResponse
from tests.games.q.playing import HEADS, randomly_played, table, tile

some_settings = st.builds(
    Settings,
    hand_size=st.integers(1, 8),
    copies_per_kind=st.integers(1, 4),
    q_bonus=st.integers(0, 10),
    finish_bonus=st.integers(0, 10),
    undelivered_tiles=st.sampled_from(["lost", "return"]),
    fit_rule=st.sampled_from(["q", "qwirkle"]),
    lone_survivor=st.sampled_from(["play_on", "stop"]),
    setup_argument=st.sampled_from(["public_state", "map"]),
)
shown_states = st.builds(
    lambda chosen, count, steps, seed: randomly_played(chosen, count, steps, Random(seed)),
    some_settings,
    st.integers(2, 4),
    st.integers(0, 60),
    st.integers(0, 2**32),
)


# Settings


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (q_pb2.Settings(copies_per_kind=4_000_000_000), "copies_per_kind is 4000000000"),
        (q_pb2.Settings(hand_size=36, copies_per_kind=1), "need 73"),
        (q_pb2.Settings.FromString(b"\x30\x09"), "fit_rule has the unknown value 9."),
    ],
)
def test_settings_that_are_not_allowed_are_named(message: q_pb2.Settings, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        GAME.full_settings(message)


# Tiles


def test_every_tile_has_the_number_that_its_name_says() -> None:
    named = {
        q_pb2.Tile.Name(number): tile_name(kind)
        for kind, number in zip(range(36), codec.tile_numbers(range(36)), strict=True)
    }
    assert named == {f"TILE_{name.upper().replace(' ', '_')}": name for name in named.values()}
    assert len(q_pb2.Tile.values()) == KINDS + 1
    assert list(codec.tile_numbers(range(36))) == list(range(1, 37))
    assert list(codec.read_tiles(range(1, 37))) == list(range(36))


# States


def test_setup_may_tell_the_map_only() -> None:
    state = table("red square", "blue star", pile="red star", settings=Settings(setup_argument="map"))
    played = SetupRequest.FromString(codec.setup_request(HEADS, state, 1, codec.Laid(state.board)))
    assert [field.name for field, _ in played.state.ListFields()] == ["rows", "columns", "tiles", "fit_rule"]
    assert list(played.tiles) == [tile("blue star") + 1]


def test_the_parts_of_a_full_state_can_be_read_by_people() -> None:
    state = rules.eliminate(table("red square", "blue 8star", "green clover", pile="red star"), 1)
    assert json_format.MessageToDict(codec.build_state(codec.Shown(state))) == {
        "revision": "1",
        "rows": [0],
        "columns": [0],
        "tiles": ["TILE_RED_STAR"],
        "players": [
            {"hand": ["TILE_RED_SQUARE"]},
            {"seat": 1, "eliminationNumber": 1},
            {"seat": 2, "hand": ["TILE_GREEN_CLOVER"]},
        ],
        "pileLeft": 2,
        "turn": 0,
        "fitRule": "FIT_RULE_Q",
        "pile": ["TILE_RED_STAR", "TILE_BLUE_8STAR"],
    }


# States from outside

SOUND = table("red square, blue star", "green star", pile="red clover")


def sound_message() -> q_pb2.State:
    return codec.build_state(codec.Shown(SOUND))


def set_(field: str, value: Any) -> Callable[[q_pb2.State], object]:
    return lambda message: setattr(message, field, value)


@pytest.mark.parametrize(
    "change",
    [
        lambda m: setattr(m.players[0], "score", 1_000_000_000),
        set_("revision", 2**53),
        set_("pile_left", 0),
        lambda m: setattr(m.players[0], "undelivered_count", 2),
    ],
)
def test_what_a_state_can_just_be_like_is_taken_in(change: Callable[[q_pb2.State], object]) -> None:
    message = sound_message()
    change(message)
    assert GAME.check_state(q_pb2.Settings(), message) == 2


def test_a_single_player_cannot_have_a_turn_where_the_last_one_left_stops() -> None:
    alone = codec.build_state(codec.Shown(rules.eliminate(SOUND, 0)))
    assert GAME.check_state(q_pb2.Settings(), alone) == 2
    with pytest.raises(ValueError, match="a single player is left"):
        GAME.check_state(q_pb2.Settings(lone_survivor=q_pb2.LONE_SURVIVOR_STOP), alone)


def test_a_state_written_by_hand_may_leave_out_what_follows_from_the_rest() -> None:
    text = """{"rows": [0], "columns": [0], "tiles": ["TILE_RED_STAR"], "turn": 0, "pile": ["TILE_RED_CLOVER"],
        "players": [{"hand": ["TILE_RED_SQUARE", "TILE_BLUE_STAR"]}, {"seat": 1, "hand": ["TILE_GREEN_STAR"]}]}"""
    message = json_format.Parse(text, q_pb2.State())
    assert codec.resume(message, Settings()).state == SOUND
    qwirkle = Settings(fit_rule="qwirkle")
    assert codec.resume(message, qwirkle).state.board.whole_lines


# Actions


def placing(**fields: Any) -> TakeTurnResponse:
    placement = q_pb2.Placement(**fields)
    return TakeTurnResponse(action=q_pb2.Action(extension=q_pb2.Extension(placements=[placement])))


@pytest.mark.parametrize(
    ("answer", "rule_id"),
    [
        (TakeTurnResponse(action=q_pb2.Action()), "q.action.required"),
        (TakeTurnResponse.FromString(b"\x0a\x03\x9a\x06\x00"), "q.action.required"),  # an arm that nobody knows
        (placing(row=0, tile=1), "q.coordinate.required"),
        (placing(row=0, column=1), "q.tile.required"),
        (placing(row=0, column=1, tile=37), "q.tile.known"),
    ],
)
def test_a_malformed_answer_is_named(answer: TakeTurnResponse, rule_id: str) -> None:
    with pytest.raises(MalformedReplyError) as caught:
        codec.read_reply(answer)
    assert caught.value.rule_id == rule_id
    assert rule_id in RULES


@settings(max_examples=40, deadline=None)
@given(shown_states)
def test_replies_that_are_listed_as_legal_are(shown: codec.Shown) -> None:
    state = shown.state
    listed = [codec.read_reply(answer) for answer in codec.legal_replies(state)]
    assert listed == list(rules.legal(state))
    assert all(rules.violation(state, action) is None for action in listed)


@pytest.mark.parametrize(("count", "end"), [(6, "[0, 4], [0, 5]"), (100_000, "[0, 5] and 99994 more")])
def test_six_cells_of_an_extension_are_described_and_the_others_counted(count: int, end: str) -> None:
    many = Extension(tuple(Placement(0, column, 0) for column in range(count)))
    assert codec.describe_action(many).endswith(end)


def test_a_last_turn_that_cannot_be_read_is_left_aside() -> None:
    message = sound_message()
    message.last_turn.seat = 1
    assert codec.resume(message, Settings()).last is None
    message.last_turn.action.pass_turn.SetInParent()
    assert codec.resume(message, Settings()).last == codec.Turn(1, PASS, 0)
