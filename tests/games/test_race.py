"""The rules of races, against a plain model: who is open, who counts when, and in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from google.protobuf.wrappers_pb2 import StringValue
from hypothesis import given
from hypothesis import strategies as st

from fairplay.games.race import RaceState
from fairplay.games.steps import Call, CallKind, Method, Race

METHOD = Method("/test.Player/Act", StringValue, StringValue)
SEATS = 4


def call(seat: int) -> Call:
    return Call(seat, METHOD, StringValue(), CallKind.DECISION)


def state(seed: int = 1) -> RaceState[str]:
    return RaceState[str](Random(seed))


def test_a_race_without_calls_is_due_at_once_and_one_that_waits_for_answers_is_not() -> None:
    races = state()
    races.start(Race([], hold_s=3.0), 7.0)
    assert races.due_at == 7.0
    races.start(Race([call(0)]), 8.0)
    assert races.due_at is None


def test_who_joins_counts_when_answers_do_and_must_join_the_next_race_again_if_it_did_not() -> None:
    open_call = call(0)
    races = state()
    races.start(Race([open_call], hold_s=2.0, next_seat=1), 10.0)
    races.arrive(1, "joins", 10.5)
    assert (races.began, races.due_at) == (10.0, 12.0)
    races.start(Race([open_call], next_seat=1), 11.0)
    assert races.due_at is None
    races.arrive(1, "joins again", 11.5)
    assert races.take(11.5) == ["joins again"]
    assert not races.is_idle
    joined = call(1)
    assert list(races.start(Race([open_call, joined], next_seat=2), 12.0).send) == [joined]
    races.arrive(1, "answers", 13.0)
    assert races.take(13.0) == ["answers"]


def test_the_lot_orders_what_counts_at_the_same_time_and_every_order_comes_up() -> None:
    orders = set()
    for seed in range(50):
        races = state(seed)
        races.start(Race([call(seat) for seat in range(3)]), 0.0)
        for seat in range(3):
            races.arrive(seat, str(seat), 1.0)
        orders.add(tuple(races.take(1.0)))
    assert len(orders) == 6


class Model(NamedTuple):
    """What a race is, written down without thought for speed."""

    held_until: float
    handicap_s: Mapping[int, float]
    open: dict[int, Call]
    waiting: dict[int, tuple[float, Call]]


Moves = st.lists(
    st.one_of(
        st.tuples(
            st.just("race"),
            st.lists(st.tuples(st.integers(0, SEATS - 1), st.booleans()), max_size=SEATS, unique_by=lambda it: it[0]),
            st.sampled_from((0.0, 1.0, 2.5)),
            st.dictionaries(st.integers(0, SEATS - 1), st.sampled_from((0.0, 0.5, 3.0))),
        ),
        st.tuples(st.just("arrive"), st.integers(0, SEATS - 1)),
        st.tuples(st.just("take")),
    ),
    max_size=30,
)


@given(Moves, st.integers(0, 5))
def test_races_are_what_the_model_says_whatever_happens(moves: Sequence[tuple[object, ...]], seed: int) -> None:
    races, model, now = RaceState[Call](Random(seed)), Model(0.0, {}, {}, {}), 0.0
    for move in moves:
        now += 0.5
        if move[0] == "race":
            model = check_race(races, model, move, now)
        elif move[0] == "arrive":
            seat = move[1]
            assert isinstance(seat, int)
            if seat in model.open:
                races.arrive(seat, model.open[seat], now)
                counts_at = max(now, model.held_until) + model.handicap_s.get(seat, 0.0)
                model.waiting[seat] = (counts_at, model.open.pop(seat))
        else:
            due = {seat for seat, (counts_at, _) in model.waiting.items() if counts_at <= now}
            assert sorted(each.seat for each in races.take(now)) == sorted(due)
            for seat in due:
                del model.waiting[seat]
        assert races.is_idle == (not model.open and not model.waiting)
        if model.waiting:
            assert races.due_at == min(counts_at for counts_at, _ in model.waiting.values())


def check_race(races: RaceState[Call], before: Model, move: tuple[object, ...], now: float) -> Model:
    """Start a race in which some calls stay, and compare what changes."""
    _, chosen, hold_s, handicap_s = move
    assert isinstance(chosen, list) and isinstance(hold_s, float) and isinstance(handicap_s, dict)
    known = {**before.open, **{seat: answered for seat, (_, answered) in before.waiting.items()}}
    calls = [known[seat] if stays and seat in known else call(seat) for seat, stays in chosen]
    change = races.start(Race(calls, hold_s, handicap_s), now)
    staying = {each.seat: each for each in calls if any(each is one for one in known.values())}
    assert sorted(change.cancel) == sorted(before.open.keys() - staying.keys())
    assert [each.seat for each in change.send] == [each.seat for each in calls if each.seat not in staying]
    waiting = {seat: value for seat, value in before.waiting.items() if seat in staying}
    open_calls = {each.seat: each for each in calls if each.seat not in waiting}
    return Model(now + hold_s, handicap_s, open_calls, waiting)
