"""Webset's messages: what goes in comes out, what cannot be is refused by name, what is hidden stays behind."""

from __future__ import annotations

from random import Random

import pytest
from google.protobuf.duration_pb2 import Duration
from hypothesis import given, settings
from hypothesis import strategies as st

from fairplay.games.webset import rules
from fairplay.games.webset.game import GAME
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules.cards import EMPTY
from fairplay.games.webset.rules.settings import Settings, settings_of
from fairplay.games.webset.rules.state import Phase, State
from fairplay.webset.v1 import webset_pb2
from tests.games.webset.tables import PROFILES, fresh
from tests.games.webset.test_random_play import games, stepped


@st.composite
def states(draw: st.DrawFn) -> State:
    state, rng = draw(games())
    for _ in range(draw(st.integers(0, 80))):
        if rules.turn(state) is not None:
            state = stepped(state, rng)
    return state


# Settings


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_sets_what_is_not_given(profile: str) -> None:
    number = webset_pb2.Profile.Value(f"PROFILE_{profile.upper()}")
    assert codec.read_settings(webset_pb2.Settings(profile=number)) == settings_of(profile=profile)
    mixed = codec.read_settings(webset_pb2.Settings(profile=number, penalty_bad=7, show_enabled=False))
    assert mixed == settings_of(profile=profile, penalty_bad=7, show_enabled=False)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (
            webset_pb2.Settings(window=Duration(seconds=61)),
            "window in milliseconds is 61000: it must be between 100 and 60000.",
        ),
        (webset_pb2.Settings(window=Duration(nanos=1)), "window is 0.000000001s: it must be whole milliseconds."),
        (
            webset_pb2.Settings(handicaps=[Duration(), Duration(seconds=-1)]),
            r"handicaps\[1\] is -1000: it must be between 0 and 60000.",
        ),
        (webset_pb2.Settings(profile=7), "profile has the unknown value 7."),  # type: ignore[arg-type]
    ],
)
def test_settings_that_cannot_be_are_refused_by_name(wrong: webset_pb2.Settings, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        GAME.full_settings(wrong)


# States


@settings(max_examples=50, deadline=None)
@given(states(), st.integers(1, 2**32))
def test_no_byte_of_a_public_state_depends_on_the_order_of_the_deck(state: State, seed: int) -> None:
    other = state._replace(deck=rules.shuffled(state.deck, Random(seed)), draw_state=seed)
    assert codec.build_public(other).SerializeToString(deterministic=True) == codec.build_public(
        state
    ).SerializeToString(deterministic=True)


def test_slots_behind_the_last_card_are_left_out_and_holes_are_not() -> None:
    state = fresh()
    assert list(codec.build_public(state).slots) == list(range(12))
    hole = state._replace(table=(0, EMPTY, 2, *[EMPTY] * 18))
    assert list(codec.build_public(hole).slots) == [0, EMPTY, 2]
    empty = state._replace(table=(EMPTY,) * 21)
    assert list(codec.build_public(empty).slots) == []


def test_a_state_written_by_hand_needs_no_bookkeeping() -> None:
    message = webset_pb2.State(slots=range(12), deck=range(12, 81), players=[webset_pb2.Player()] * 2)
    state = codec.resume(message, Settings(), Random(7))
    assert state == fresh(min_players=2)._replace(draw_state=Random(7).getrandbits(64))
    assert GAME.check_state(webset_pb2.Settings(), message) == 2


def test_a_state_written_by_hand_is_dealt_to_or_over_where_it_must_be() -> None:
    nobody_can_play = webset_pb2.State(slots=[0, 1, 3], discarded=[2, *range(4, 81)], players=[webset_pb2.Player()] * 2)
    assert codec.resume(nobody_can_play, Settings(), Random(0)).phase is Phase.OVER
    nobody_can_play.phase = webset_pb2.PHASE_OPEN
    with pytest.raises(ValueError, match="deck is empty and there is no set"):
        codec.resume(nobody_can_play, Settings(), Random(0))


def test_in_a_state_written_by_hand_a_caller_has_made_the_first_call() -> None:
    message = webset_pb2.State(slots=range(12), deck=range(12, 81), players=[webset_pb2.Player()] * 2)
    assert codec.resume(message, Settings(), Random(0)).call_count == 0
    message.phase, message.caller = webset_pb2.PHASE_CALLED, 1
    state = codec.resume(message, Settings(), Random(0))
    assert (state.caller, state.call_count) == (1, 1)
    message.call_count = 7
    assert codec.resume(message, Settings(), Random(0)).call_count == 7


def test_every_slot_of_the_table_may_be_given() -> None:
    table = (*range(20), EMPTY)
    message = codec.build_state(fresh()._replace(table=table, deck=tuple(range(20, 81))))
    message.slots[:] = table
    assert codec.resume(message, settings_of(min_players=1), Random(0)).table == table
