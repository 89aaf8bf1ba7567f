from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.games.steps import CallAll, Conversation, Outcome, Show
from fairplay.server.records.chain import chained, parsed
from fairplay.server.records.errors import Diverged, RecordsError
from fairplay.server.records.replay import replay, resume, state_at
from fairplay.server.records.verify import verify
from fairplay.v1.game_pb2 import Player
from fairplay.v1.record_pb2 import GameHeader, Record, RecordedCall, RecordEntry, TournamentHeader
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.result_pb2 import GameResult
from tests.server.records.nim import FAULTS, FAULTY_AT, State, find, gone_on, header, players, recorded
from tests.server.records.test_verify import CHECKS
from tests.server.snap import SAY, Snap, ask

FAULTY = st.dictionaries(st.sampled_from(FAULTY_AT), st.sampled_from(sorted(FAULTS)), max_size=20)


def refuse(_: bytes) -> None:
    raise AssertionError("nothing is to be appended")


def prefix(record: Record, length: int) -> Record:
    return Record(entries=record.entries[:length])


def result(record: Record) -> GameResult:
    return list(parsed(record))[-1].result.result


@pytest.mark.parametrize("entry", [1, 4])
def test_only_answers_of_a_race_may_say_that_more_came_with_them(entry: int) -> None:
    record = recorded(header(3), players({}))
    forged = list(parsed(record))
    assert not forged[entry].call.more_follow
    forged[entry].call.more_follow = True
    with pytest.raises(Diverged, match="same moment") as refusal:
        list(replay(chained([each.SerializeToString() for each in forged]), find))
    assert refusal.value.entry == entry + 1


def test_states_are_known_by_entry() -> None:
    record = recorded(header(2, state=6), players({}))
    states = [state_at(record, entry, find).state for entry in range(1, len(record.entries) + 1)]
    heaps = [state.heap for state in states if isinstance(state, State)]
    assert heaps == [6, 6, 6, 4, 3, 0, 0, 0, 0]


@pytest.mark.parametrize("entry", [0, 10])
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


def test_an_empty_record_is_refused() -> None:
    with pytest.raises(RecordsError, match="the record is empty"):
        list(replay(Record(), find))


def test_a_record_of_something_else_is_not_replayed_as_a_game() -> None:
    tournament = chained([RecordEntry(tournament=TournamentHeader(tournament_id="t")).SerializeToString()])
    for read in (lambda: list(replay(tournament, find)), lambda: resume(tournament, refuse, find)):
        with pytest.raises(Diverged, match="does not begin with the header of a game"):
            read()
