"""What a seat may not see never leaves the referee: others' hands, what is in the bag, and what decides draws."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from google.protobuf import json_format
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fairplay.games.eriantys.protocol import codec, conversation
from fairplay.games.eriantys.rules.state import NOBODY, Phase, Settings, State
from fairplay.games.steps import Call, CallAll, Eliminate
from fairplay.v1.misconduct_pb2 import RuleBreak
from tests.games.eriantys.playing import a_middle, card, does, failing, game, sound, talk_from
from tests.games.eriantys.tables import expert

HIDDEN = {"bagStudents", "hands", "drawState"}
some_settings = st.sampled_from(
    [Settings(), expert(1, 7, 10), expert(11, 12, 2), expert(5, 3, 9, on_disconnect="skip_turns")]
)
some_states = st.builds(a_middle, some_settings, st.integers(2, 4), st.integers(0, 2**32))


def disguised(state: State, seats: set[int], rng: Random) -> Iterator[State]:
    """Yield states that differ only in what none of these seats may know."""
    yield state._replace(draw_state=rng.getrandbits(64))
    yield state._replace(bag=(sum(state.bag), 0, 0, 0, 0))
    values = list(range(1, 11))
    hands = [
        hand if seat in seats else tuple(sorted(rng.sample(values, len(hand)))) for seat, hand in enumerate(state.hands)
    ]
    yield state._replace(hands=tuple(hands))


def first_calls(state: State) -> list[tuple[int, bytes]]:
    """Return every byte that is sent to players by seat, as far as the first question after the start."""
    sent: list[tuple[int, bytes]] = []
    talk = talk_from(state, "ann", "bob", "cy", "di")
    answer: Any = None
    while True:
        step = talk.send(answer)
        calls = [step] if isinstance(step, Call) else step.calls if isinstance(step, CallAll) else []
        sent += [
            (call.seat, call.method.path.encode() + call.request.SerializeToString(deterministic=True))
            for call in calls
        ]
        if isinstance(step, Call) or (
            calls[:1] and calls[0].method in (conversation.ASK_TOWER_COLOR, conversation.SHOW_END_GAME)
        ):
            return sent
        answer = {call.seat: call.method.response() for call in calls} or None


@settings(deadline=None)
@given(some_states, st.randoms(use_true_random=False))
def test_no_byte_to_a_player_depends_on_what_its_seat_must_not_know(state: State, rng: Any) -> None:
    calls = first_calls(state)
    for seat in range(len(state.sides)):
        own = [sent for other, sent in calls if other == seat]
        for other_state in disguised(state, {seat}, rng):
            assert [sent for other, sent in first_calls(other_state) if other == seat] == own


@settings(deadline=None)
@given(some_states, st.randoms(use_true_random=False))
def test_no_byte_to_spectators_depends_on_any_hand(state: State, rng: Any) -> None:
    seen = codec.build_public(state).SerializeToString(deterministic=True)
    for other in disguised(state, set(), rng):
        assert codec.build_public(other).SerializeToString(deterministic=True) == seen


def words(message: Any) -> set[str]:
    """Return the names of all fields that are set anywhere in a message."""
    found = json_format.MessageToDict(message)

    def inside(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            yield from value
            value = list(value.values())
        if isinstance(value, list):
            for each in value:
                yield from inside(each)

    return set(inside(found))


def test_hidden_fields_are_set_in_full_states_only() -> None:
    played = game(failing(1, "AskAction", does(), 12, others=sound("random")), 4, mode="EXPERT")
    for state in played.states():
        assert not HIDDEN & words(codec.build_public(state))
        assert words(codec.build_state(state)) >= HIDDEN
    for said in played.said:
        assert not HIDDEN & words(said.call.request)


@settings(deadline=None, max_examples=30)
@given(some_states, st.randoms(use_true_random=False))
def test_the_evidence_that_spectators_see_does_not_depend_on_what_is_hidden(state: State, rng: Any) -> None:
    """The explanation is shown while the game runs."""
    assume(state.phase in (Phase.ASSISTANT, Phase.STUDENTS) and state.active != NOBODY)

    def explanation(start: State) -> str:
        talk = talk_from(start)
        answer: Any = None
        while not isinstance(step := talk.send(answer), Eliminate):
            answer = None
            if isinstance(step, CallAll):
                answer = {call.seat: call.method.response() for call in step.calls}
            elif isinstance(step, Call):
                answer = card(11) if step.method is conversation.ASK_ASSISTANT_CARD else does()
        assert isinstance(step.cause, RuleBreak)
        return step.cause.explanation

    assert {explanation(other) for other in disguised(state, {state.active}, rng)} == {explanation(state)}
