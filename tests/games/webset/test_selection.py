"""Cards that are picked one by one: what everybody sees of them, and how long a call may take."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from fairplay.games.webset import rules
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules import invariants, takes
from fairplay.games.webset.rules.state import State
from fairplay.webset.v1 import webset_player_pb2 as messages
from tests.games.webset.tables import CALL, Play, answered, cards, done, fresh
from tests.games.webset.test_board import Sitting

SINGLE: dict[str, Any] = {"selection": "single"}


def called(seats: int = 3, **given: Any) -> Play:
    """Return a game in which player 1 has called a set."""
    play = Play(fresh(seats, **{**SINGLE, **given}))
    play.arrive((1, answered(CALL)))
    return play


def picked(play: Play) -> list[int]:
    return list(codec.build_public(play.state).picked)


def test_fewer_than_three_other_cards_of_the_table_are_a_selection() -> None:
    state = done(fresh(3, **SINGLE), (1, CALL))
    selected = takes.select(state, 1, (0, 11))
    assert selected == state._replace(picked=(0, 11), revision=state.revision + 1)
    assert takes.select(selected, 1, ()) == state._replace(revision=state.revision + 2)
    assert takes.select(selected, 1, (11,)) == state._replace(picked=(11,), revision=state.revision + 2)
    for again in ((0, 11), (11, 0), (0, 0), (0, 12), (0, 1, 2), (0, 1, 2, 3)):
        assert takes.select(selected, 1, again) is None
    assert takes.select(state, 1, ()) is None
    assert takes.select(state, 0, (0,)) is None
    assert takes.select(done(fresh(3), (1, CALL)), 1, (0,)) is None


# --- the referee ---


def test_the_last_of_a_window_is_never_less_than_a_millisecond() -> None:
    play = called()
    play.arrive((1, cards("0000"), 2.9995))
    [call] = [call for call in play.sent if call.request is play.asked("PickCards")[1]]
    assert call.limit_s == 0.001


@pytest.mark.parametrize("goes_on", [False, True], ids=["", "from-a-state"])
def test_a_player_that_never_comes_to_an_end_is_judged_at_last(goes_on: bool) -> None:
    play = Play(called().state) if goes_on else called()
    for number in range(20):
        assert play.state.caller == 1
        play.arrive((1, cards("0000" if number % 2 == 0 else "0001")))
    assert picked(play) == [1]
    play.arrive((1, cards("0000")))
    assert (play.state.caller, play.state.players[1].penalties) == (None, 1)
    play.arrive((1, answered(CALL)))
    play.arrive((1, cards("0000")))
    assert play.state.caller == 1, "each call is counted anew"


def test_a_game_goes_on_from_a_call_with_picked_cards_and_no_other_state_has_any() -> None:
    state = done(fresh(**SINGLE), (0, CALL))
    play = Play(state._replace(picked=(0, 1)))
    assert list(play.asked("PickCards")[0].state.picked) == [0, 1]
    assert invariants.invariant(state._replace(picked=(0, 1))) is None
    for wrong in ((0, 0), (0, 1, 2), (80,)):
        assert "picked" in (invariants.invariant(state._replace(picked=wrong)) or "")
    assert "picked" in (invariants.invariant(fresh(**SINGLE)._replace(picked=(0,))) or "")
    assert "picked" in (invariants.invariant(done(fresh(), (0, CALL))._replace(picked=(0,))) or "")


def test_where_cards_are_picked_at_once_or_in_rounds_nobody_picks_one_by_one() -> None:
    play = Play(fresh(2))
    play.arrive((0, answered(CALL)))
    assert not play.asked("PickCards")[0].one_by_one
    play.arrive((0, cards("0000")))
    assert play.state.players[0].penalties == 1
    rounds = Play(fresh(2, rounds="earliest", **SINGLE))
    assert not any(request.one_by_one for request in rounds.asked("PickCards").values())


# --- pictures ---


# --- a person ---


async def picking(sitting: Sitting, state: State) -> asyncio.Task[messages.PickCardsResponse]:
    task = sitting.pick(state, one_by_one=True)
    await asyncio.sleep(0)
    return task


async def test_a_person_tells_each_card_and_may_go_on_before_the_next_question() -> None:
    sitting, state = Sitting(), done(fresh(**SINGLE), (0, CALL))
    await sitting.deal(state)
    task = await picking(sitting, state)
    sitting.press("q")
    assert list((await task).cards) == [0]
    assert sitting.press("a", "z") == [True, True], "between two questions"
    assert sitting.person.offer().chosen == {"slot-0", "slot-1", "slot-2"}
    state = state._replace(picked=(0,), revision=state.revision + 1)
    assert list((await sitting.pick(state, one_by_one=True)).cards) == [0, 1, 2]
    assert sitting.person.draft is None


async def test_a_call_that_ends_between_two_questions_ends_the_picking() -> None:
    sitting, state = Sitting(), done(fresh(**SINGLE), (0, CALL))
    await sitting.deal(state)
    task = await picking(sitting, state)
    sitting.press("q")
    await task
    over = rules.expired(state, 1).state
    task_act = sitting.act(over)
    await sitting.until(lambda view: not view.takes_letters and bool(view.keys))
    assert sitting.person.offer().chosen == frozenset()
    task_act.cancel()


async def test_a_person_in_a_new_process_goes_on_with_what_is_picked() -> None:
    state = done(fresh(**SINGLE), (0, CALL))._replace(picked=(0,))
    sitting = Sitting()
    task = await picking(sitting, state)
    assert sitting.person.offer().chosen == {"slot-0"}
    sitting.person.choose("slot-1")
    assert list((await task).cards) == [0, 1]
