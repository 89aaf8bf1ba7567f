from __future__ import annotations

import pytest
from google.protobuf.wrappers_pb2 import Int64Value
from hypothesis import given
from hypothesis import strategies as st

from fairplay.games.steps import Call, CallAll, Conversation, Eliminate, Outcome, Show
from fairplay.server.evidence import recorded as recorded_misconduct
from fairplay.server.records.chain import chained, parsed
from fairplay.server.records.errors import Diverged, RecordsError
from fairplay.server.records.replay import Called, Eliminated, Ended, Shown, replay, resume, state_at
from fairplay.server.records.verify import verify
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import MisconductKind
from fairplay.v1.record_pb2 import GameHeader, Record, RecordedCall, RecordEntry, TournamentHeader
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.result_pb2 import GameResult
from tests.server.records.nim import FAULTS, FAULTY_AT, METHODS, Nim, State, find, gone_on, header, players, recorded
from tests.server.records.test_verify import CHECKS
from tests.server.snap import SAY, Snap, ask

FAULTY = st.dictionaries(st.sampled_from(FAULTY_AT), st.sampled_from(sorted(FAULTS)), max_size=20)


def refuse(_: bytes) -> None:
    raise AssertionError("nothing is to be appended")


def prefix(record: Record, length: int) -> Record:
    return Record(entries=record.entries[:length])


def result(record: Record) -> GameResult:
    return list(parsed(record))[-1].result.result


def test_a_game_is_told_again_in_the_order_in_which_it_happened() -> None:
    record = recorded(header(2, state=3), players({}))
    kinds = [type(event) for event in replay(record, find)]
    assert kinds == [Shown, Called, Called, Called, Shown, Called, Called, Ended]


def test_events_name_the_entries_that_they_follow_from() -> None:
    record = recorded(header(2, state=3), players({3: "illegal"}))
    reported = list(replay(record, find))
    assert [event.entry for event in reported] == [1, 2, 3, 4, 5, 5, 6, 6, 7, 8]
    assert [event.sequence for event in reported if not isinstance(event, Called)] == [1, 2, 3, 4, 5]


def test_answers_of_calls_made_at_once_come_in_the_order_in_which_they_were_given() -> None:
    record = recorded(header(3), players({}))
    called = [event for event in replay(record, find) if isinstance(event, Called)]
    assert [(event.call.seat, event.number, event.elapsed_s) for event in called[:3]] == [
        (2, 3, 1.5),
        (1, 2, 1.5),
        (0, 1, 1.5),
    ]


@pytest.mark.parametrize("entry", range(1, 5))
def test_only_answers_of_a_race_may_say_that_more_came_with_them(entry: int) -> None:
    record = recorded(header(3), players({}))
    forged = list(parsed(record))
    assert not forged[entry].call.more_follow
    forged[entry].call.more_follow = True
    with pytest.raises(Diverged, match="same moment") as refusal:
        list(replay(chained([each.SerializeToString() for each in forged]), find))
    assert refusal.value.entry == entry + 1


def test_an_elimination_comes_with_its_evidence() -> None:
    record = recorded(header(2, state=7), players({7: "garbage"}))
    [out] = [event.misconduct for event in replay(record, find) if isinstance(event, Eliminated)]
    assert (out.player, out.kind) == ("ann", MisconductKind.MISCONDUCT_KIND_EXCEPTION)
    assert (out.method_name, out.call_number, out.unparsable_reply) == (METHODS["Take"].path, 3, FAULTS["garbage"])
    asked = Int64Value()
    assert out.request.Unpack(asked)
    assert asked.value == 7


def test_states_are_known_by_entry() -> None:
    record = recorded(header(2, state=6), players({}))
    states = [state_at(record, entry, find).state for entry in range(1, len(record.entries) + 1)]
    heaps = [state.heap for state in states if isinstance(state, State)]
    assert heaps == [6, 6, 6, 4, 3, 0, 0, 0, 0]


@pytest.mark.parametrize("entry", [0, -1, 10])
def test_a_state_at_an_entry_that_is_not_there_is_refused(entry: int) -> None:
    record = recorded(header(2, state=6), players({}))
    with pytest.raises(RecordsError, match="the record has the entries 1 to 9"):
        state_at(record, entry, find)


def test_a_state_before_the_first_that_was_shown_is_refused() -> None:
    def hidden(_: Snap) -> Conversation:
        yield CallAll(ask(0))
        yield Show("state")
        return Outcome([])

    begin = RecordEntry(game=GameHeader(plan=GamePlan(game="snap", players=[Player(name="ann")])))
    call = RecordEntry(call=RecordedCall(number=1, method_name=SAY.path, reply=b""))
    record = chained(entry.SerializeToString() for entry in (begin, call))
    with pytest.raises(RecordsError, match="no state was shown up to entry 1"):
        state_at(record, 1, Snap(hidden).find)
    assert state_at(record, 2, Snap(hidden).find).state == "state"


def test_a_state_is_known_whatever_is_wrong_behind_it() -> None:
    entries = [linked.entry for linked in recorded(header(2, state=6), players({})).entries]
    record = chained([*entries[:4], RecordEntry().SerializeToString()])
    assert state_at(record, 4, find).state == State(4, (True, True))
    with pytest.raises(Diverged, match="entry 5"):
        state_at(record, 5, find)


def test_the_seed_of_the_plan_decides() -> None:
    def heap(seed: int) -> object:
        return state_at(recorded(header(seed=seed), players({})), 1, find).state

    assert len({heap(seed) for seed in range(20)}) > 1
    assert heap(3) == heap(3)


def test_a_fresh_game_stands_at_its_first_call() -> None:
    position = resume(chained([header(2).SerializeToString()]), refuse, find)
    assert isinstance(position.step, CallAll)
    assert (position.answers, position.calls, position.event_count, position.outcome) == ({}, [], 1, None)
    assert position.transcript.call_count == 0
    assert position.shown is not None


def test_a_game_stands_between_two_answers_to_calls_made_at_once() -> None:
    position = resume(prefix(recorded(header(3), players({})), 2), refuse, find)
    assert isinstance(position.step, CallAll)
    assert list(position.answers) == [2]
    assert position.transcript.call_count == 3


def test_a_game_stands_at_an_elimination_that_is_not_recorded_yet() -> None:
    whole = recorded(header(2, state=7), players({7: "illegal"}))
    position = resume(prefix(whole, 4), refuse, find)
    assert isinstance(position.step, Eliminate)
    assert position.transcript.misconducts == []
    assert recorded_misconduct(position.transcript.build_misconduct(position.step)) == list(parsed(whole))[4].misconduct


def test_a_game_stands_at_its_end() -> None:
    whole = recorded(header(2), players({}))
    position = resume(prefix(whole, len(whole.entries) - 1), refuse, find)
    assert position.step is None
    assert position.outcome is not None
    assert position.outcome.ranking
    assert position.events() == [], "they have been, before the server was started again"


def test_a_game_remembers_how_long_each_call_took() -> None:
    position = resume(prefix(recorded(header(2), players({})), 4), refuse, find)
    assert [(call.seat, elapsed_s) for call, elapsed_s in position.calls] == [(1, 1.5), (0, 1.5), (0, 0.25)]
    assert isinstance(position.step, Call)


@given(FAULTY, st.integers(2, 4), st.data())
def test_a_game_resumed_anywhere_any_number_of_times_ends_as_if_nothing_had_happened(
    faults: dict[int, str], seat_count: int, data: st.DataObject
) -> None:
    whole = recorded(header(seat_count), players(faults))
    record = whole
    for _ in range(data.draw(st.integers(1, 3))):
        record = gone_on(prefix(record, data.draw(st.integers(1, len(record.entries) - 1))), players(faults))
        assert verify(record, checks=CHECKS) == []
    without_numbers, expected = result(record), result(whole)
    for misconduct in (*without_numbers.misconducts, *expected.misconducts):
        misconduct.call_number = 0
    assert without_numbers == expected


def test_a_game_that_is_over_is_not_resumed() -> None:
    with pytest.raises(RecordsError, match="the game 'g1' is over"):
        resume(recorded(header(), players({})), refuse, find)


def test_a_game_whose_rules_failed_stands_at_the_error() -> None:
    nim = Nim(fails_at=4)
    record = recorded(header(2), players({}), nim)
    position = resume(prefix(record, len(record.entries) - 1), refuse, lambda name: find(name, nim))
    assert position.step is None
    assert position.outcome is None
    assert str(position.error) == "the rules of nim are wrong"


def test_an_empty_record_is_refused() -> None:
    with pytest.raises(RecordsError, match="the record is empty"):
        list(replay(Record(), find))


def test_what_happened_before_a_wrong_entry_is_told() -> None:
    entries = [linked.entry for linked in recorded(header(2), players({})).entries]
    record = chained([*entries[:3], RecordEntry().SerializeToString()])
    reported = replay(record, find)
    assert [next(reported).entry for _ in range(3)] == [1, 2, 3]
    with pytest.raises(Diverged, match="entry 4"):
        next(reported)


def test_a_record_of_something_else_is_not_replayed_as_a_game() -> None:
    tournament = chained([RecordEntry(tournament=TournamentHeader(tournament_id="t")).SerializeToString()])
    for read in (lambda: list(replay(tournament, find)), lambda: resume(tournament, refuse, find)):
        with pytest.raises(Diverged, match="does not begin with the header of a game"):
            read()
