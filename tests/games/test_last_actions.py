"""States for spectators carry what led to them, in every game; requests of players do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fairplay.games.game import find
from fairplay.games.steps import Call, Eliminate, Outcome, Race, Show, calls_in
from fairplay.v1.misconduct_pb2 import CallError
from fairplay.webset.v1 import webset_pb2
from tests.games.test_seats import asked, played

LAST = {"fish": "last_action", "q": "last_turn", "bazaar": "last_action", "eriantys": "last_action"}


def shown(name: str, answer: Callable[[Call], Any] | None = None, **settings: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield for each shown state the step before it with its answer, and what spectators see of it."""
    before: tuple[Any, Any] = (None, None)
    for step in played(name, answer or asked(find(name)), **settings):
        if not isinstance(step, Outcome):
            if isinstance(step[0], Show):
                yield *before, find(name).public_state(step[0].state)
            before = step


@pytest.mark.parametrize("name", ["bazaar", "eriantys"])
def test_a_state_has_the_answer_that_led_to_it(name: str) -> None:
    kinds = set()
    for step, answer, state in shown(name):
        last: Any = getattr(state, LAST[name])
        if name == "eriantys" and last.tower_color:  # of all at once: the next test
            continue
        assert state.HasField("last_action") == isinstance(step, Call)
        if isinstance(step, Call):
            choice = last.WhichOneof("action" if name == "bazaar" else "choice")
            kinds.add(choice)
            assert last.seat == step.seat
            said = getattr(last, choice)
            match choice:
                case "purchase":
                    assert list(said.cards) == list(answer.cards)
                case "assistant":
                    assert said == answer.card
                case _:
                    assert said == getattr(answer, choice)
    bazaar, eriantys = {"pebble", "exchanges", "purchase"}, {"assistant", "action"}
    assert kinds == (bazaar if name == "bazaar" else eriantys)


def test_a_chosen_tower_colour_is_shown_with_its_seat() -> None:
    answer = asked(find("eriantys"), "first")
    towers = [state.last_action for _, _, state in shown("eriantys", answer) if state.last_action.tower_color]
    assert [(last.seat, last.tower_color) for last in towers] == [(0, 1), (1, 2)]


@pytest.mark.parametrize("name", LAST)
def test_nothing_led_to_the_first_state_nor_to_that_after_an_elimination(name: str) -> None:
    def fails(call: Call) -> Any:
        return CallError(message="gone") if call.seat == 1 and call.method is find(name).turn else healthy(call)

    healthy = asked(find(name))
    states = list(shown(name, fails, **({"on_disconnect": "ON_DISCONNECT_ELIMINATE"} if name == "eriantys" else {})))
    assert not states[0][2].HasField(LAST[name])
    out = [state for step, _, state in states if isinstance(step, Eliminate)]
    assert len(out) == 1
    assert not out[0].HasField(LAST[name])


@pytest.mark.parametrize("name", [*LAST, "webset"])
def test_what_players_are_asked_does_not_carry_it(name: str) -> None:
    for step in played(name, asked(find(name))):
        for call in () if isinstance(step, Outcome) else calls_in(step[0]):
            state = getattr(call.request, "state", getattr(call.request, "turn_state", None))
            names = {field.name for field, _ in state.ListFields()} if state is not None else set()
            assert not names & {"last_action", "last_turn", "last_events"}


# Webset


def test_each_event_of_webset_is_shown_once_with_the_state_that_it_led_to() -> None:
    reported, kinds = set[tuple[int, int, int]](), set[int]()
    for step, _, state in shown("webset"):
        assert isinstance(state, webset_pb2.State)
        assert bool(state.last_events) == (step is not None and not isinstance(step, Show))
        for event in state.last_events:
            assert event.revision == state.revision
            assert (event.revision, event.kind, event.seat) not in reported
            reported.add((event.revision, event.kind, event.seat))
            kinds.add(event.kind)
            if isinstance(step, Race):
                assert event.seat in {call.seat for call in step.calls} or not event.HasField("seat")
    assert kinds >= {webset_pb2.EVENT_KIND_CALLED, webset_pb2.EVENT_KIND_GOT_SET}


def test_all_takes_of_a_round_are_shown_with_the_table_that_they_led_to() -> None:
    states = [state for _, _, state in shown("webset", asked(find("webset"), "first"), rounds="ROUNDS_LOT")]
    assert max(len(state.last_events) for state in states) > 0
