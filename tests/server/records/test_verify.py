from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from hashlib import sha256

import pytest
from google.protobuf.wrappers_pb2 import Int64Value
from hypothesis import given
from hypothesis import strategies as st

from fairplay.games.game import Start
from fairplay.games.steps import Call, CallKind, Conversation, Show
from fairplay.server.records.chain import chained, parsed
from fairplay.server.records.replay import Shown, replay
from fairplay.server.records.verify import Check, Finding, check_game, verify
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.record_pb2 import (
    GameHeader,
    Record,
    RecordedCall,
    RecordedGame,
    RecordedResult,
    RecordedTable,
    RecordEntry,
    Resumed,
    TournamentChange,
    TournamentHeader,
)
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.tournament_pb2 import TournamentResult
from tests.server.records.nim import FAULTS, FAULTY_AT, METHODS, State, build_nim, find, header, players, recorded

CHECKS: Mapping[str, Check] = {"game": partial(check_game, find=find)}
FAULTY = players({7: "illegal", 101: "garbage"})


def rewritten(record: Record, change: Callable[[list[RecordEntry]], None]) -> list[Finding]:
    """Return what is found when the entries are changed and the chain is made to fit again."""
    entries = list(parsed(record))
    change(entries)
    return verify(chained(entry.SerializeToString() for entry in entries), checks=CHECKS)


def entry_of(entries: list[RecordEntry], kind: str, index: int = 0) -> RecordEntry:
    return [entry for entry in entries if entry.WhichOneof("entry") == kind][index]


@given(
    st.dictionaries(st.sampled_from(FAULTY_AT), st.sampled_from(sorted(FAULTS)), max_size=20),
    st.integers(2, 4),
    st.integers(0, 2**53 - 1),
)
def test_what_was_played_is_intact(faults: dict[int, str], seat_count: int, seed: int) -> None:
    record = recorded(header(seat_count, seed=seed), players(faults))
    assert verify(record, checks=CHECKS) == []
    for length in range(1, len(record.entries)):
        assert verify(Record(entries=record.entries[:length]), finished=False, checks=CHECKS) == []


@given(st.data())
def test_any_changed_byte_is_found_in_its_entry(data: st.DataObject) -> None:
    record = recorded(header(), FAULTY)
    index = data.draw(st.integers(0, len(record.entries) - 1))
    linked = record.entries[index]
    field = data.draw(st.sampled_from(["entry", "chain_hash"]))
    changed = bytearray(getattr(linked, field))
    changed[data.draw(st.integers(0, len(changed) - 1))] ^= data.draw(st.integers(1, 255))
    setattr(linked, field, bytes(changed))
    [finding] = verify(record, checks=CHECKS)
    assert finding.entry == index + 1
    assert "the chain is broken" in str(finding)


def test_an_empty_record_is_no_record() -> None:
    assert [str(finding) for finding in verify(Record())] == ["the record is empty"]


def test_a_record_without_its_end_is_whole_only_while_the_game_runs() -> None:
    record = recorded(header(), FAULTY)
    del record.entries[-1]
    [finding] = verify(record, checks=CHECKS)
    assert str(finding) == f"entry {len(record.entries)}: the record ends here, before the end of the game"
    assert verify(record, finished=False, checks=CHECKS) == []


def test_an_entry_that_cannot_be_parsed_is_named() -> None:
    record = chained([header().SerializeToString(), b"\xff\xff"])
    assert verify(record, finished=False, checks=CHECKS) == [Finding(2, "it cannot be parsed")]


def change_reply(entries: list[RecordEntry]) -> None:
    entry_of(entries, "call", 3).call.reply = Int64Value(value=3).SerializeToString()


def change_request(entries: list[RecordEntry]) -> None:
    entry_of(entries, "call", 4).call.request = Int64Value(value=1).SerializeToString()


def change_method(entries: list[RecordEntry]) -> None:
    entry_of(entries, "call", 4).call.method_name = "/nim.Player/Peek"


def change_number(entries: list[RecordEntry]) -> None:
    entry_of(entries, "call", 4).call.number = 50


def forget_outcome(entries: list[RecordEntry]) -> None:
    entry_of(entries, "call", 4).call.ClearField("outcome")


def blame_another(entries: list[RecordEntry]) -> None:
    entry_of(entries, "misconduct").misconduct.player = "eve"


def change_evidence(entries: list[RecordEntry]) -> None:
    entry_of(entries, "misconduct").misconduct.unparsable_reply = b"never said"


def blame_the_innocent(entries: list[RecordEntry]) -> None:
    entries.insert(2, RecordEntry(misconduct=Misconduct(seat=1)))


def spare_the_guilty(entries: list[RecordEntry]) -> None:
    entries.remove(entry_of(entries, "misconduct"))


def change_score(entries: list[RecordEntry]) -> None:
    entries[-1].result.result.ranking[0].players[0].score = 7


def end_early(entries: list[RecordEntry]) -> None:
    del entries[5:-1]


def abort_with_a_winner(entries: list[RecordEntry]) -> None:
    entries[-1].result.result.aborted = "no reason"


def change_seed(entries: list[RecordEntry]) -> None:
    entries[0].game.plan.seed += 1


def change_game(entries: list[RecordEntry]) -> None:
    entries[0].game.plan.game = "mim"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (change_reply, "the request of Take to seat 2 is not the one that the rules make"),
        (change_request, "the request of Take to seat 2 is not the one that the rules make"),
        (change_method, "seat 2 was called with /nim.Player/Peek, but by the rules the next call is Take to seat 2"),
        (change_number, "the call has the number 50, but it is call 5"),
        (forget_outcome, "it does not say how the call ended"),
        (blame_another, "the misconduct of seat 1 differs from the rules in player"),
        (change_evidence, "the misconduct of seat 1 differs from the rules in unparsable_reply"),
        (blame_the_innocent, "seat 1 was eliminated, but by the rules the next call is"),
        (spare_the_guilty, "by the rules seat 1 is eliminated here"),
        (change_score, "the result differs from the rules in ranking"),
        (end_early, "the game was over, but by the rules the next call is"),
        (abort_with_a_winner, "the result differs from the rules in ranking"),
        (change_seed, "is not the one that the rules make"),
        (change_game, "the game cannot be played: there is no game 'mim'; the games are nim"),
    ],
)
def test_a_record_rewritten_with_a_fitting_chain_is_found_by_the_rules(
    change: Callable[[list[RecordEntry]], None], said: str
) -> None:
    [finding] = rewritten(recorded(header(), players({101: "garbage"})), change)
    assert said in finding.problem


def test_a_request_that_is_only_encoded_otherwise_is_the_same_request() -> None:
    def encode_otherwise(entries: list[RecordEntry]) -> None:
        call = entry_of(entries, "call", 3).call
        call.request = Int64Value(value=1).SerializeToString() + call.request  # the last value of a field counts

    assert rewritten(recorded(header(), players({})), encode_otherwise) == []


def test_a_game_in_which_the_rules_failed_is_intact_if_it_says_so() -> None:
    nim = build_nim(fails_at=4)
    record = recorded(header(), players({}), nim)
    checks = {"game": partial(check_game, find=lambda name: find(name, nim))}
    assert verify(record, checks=checks) == []
    entries = [linked.entry for linked in record.entries]
    entries[-1] = RecordEntry(result=RecordedResult(result=GameResult())).SerializeToString()
    [finding] = verify(chained(entries), checks=checks)
    assert "the rules fail here with RuntimeError: the rules of nim are wrong" in finding.problem


def test_nothing_is_asked_or_shown_after_the_rules_have_failed_not_even_by_a_server_that_was_started_again() -> None:
    def converse(start: Start) -> Conversation:
        yield Show(State(12, (True,) * len(start.names)))
        yield Call(0, METHODS["Take"], Int64Value(value=12), CallKind.DECISION)
        raise RuntimeError("the rules of nim are wrong")

    for nim in (build_nim(fails_at=4), replace(build_nim(), converse=converse)):
        *played, result = [linked.entry for linked in recorded(header(), players({}), nim).entries]
        resumed = RecordEntry(resumed=Resumed()).SerializeToString()
        known = partial(find, nim=nim)
        shown = [isinstance(event, Shown) for event in replay(chained([*played, result]), known)]
        assert [isinstance(event, Shown) for event in replay(chained([*played, resumed, result]), known)] == shown
        again = RecordEntry.FromString(played[-1])
        again.call.number += 1
        entries = [*played, resumed, again.SerializeToString(), result]
        [finding] = verify(chained(entries), checks={"game": partial(check_game, find=known)})
        assert "the rules fail here with RuntimeError: the rules of nim are wrong" in finding.problem


def test_a_record_has_one_header_and_it_comes_first() -> None:
    entries = list(parsed(recorded(header(), players({}))))
    no_header = chained(entry.SerializeToString() for entry in entries[1:])
    assert verify(no_header, checks=CHECKS) == [Finding(1, "the record does not begin with a header")]
    two_headers = chained(entry.SerializeToString() for entry in [entries[0], *entries])
    assert verify(two_headers, checks=CHECKS) == [Finding(2, "game does not belong in the record of a game")]


def test_nothing_comes_after_the_end() -> None:
    def go_on(entries: list[RecordEntry]) -> None:
        entries.append(RecordEntry(resumed=Resumed()))

    findings = rewritten(recorded(header(), players({})), go_on)
    assert "it comes after the end of the game" in [finding.problem for finding in findings]


# --- tournaments ---

FINISHED = RecordEntry(change=TournamentChange(finished=TournamentResult(winners=["ann"])))
CANCELLED = RecordEntry(change=TournamentChange(cancelled="nobody came"))


def tournament(*entries: RecordEntry) -> Record:
    begin = RecordEntry(tournament=TournamentHeader(tournament_id="t1"))
    return chained(entry.SerializeToString() for entry in [begin, *entries])


def call(number: int) -> RecordEntry:
    return RecordEntry(call=RecordedCall(number=number, reply=b""))


def test_a_tournament_of_the_right_structure_is_intact() -> None:
    played = RecordEntry(played=RecordedGame(game_id="g1"))
    record = tournament(call(2), call(1), played, RecordEntry(resumed=Resumed()), call(3), FINISHED)
    assert verify(record) == []
    assert verify(tournament(CANCELLED)) == []
    assert verify(tournament(CANCELLED, call(1), CANCELLED)) == []


@pytest.mark.parametrize(
    ("record", "finding"),
    [
        (tournament(call(1)), Finding(2, "the record ends here, before the end of the tournament")),
        (tournament(FINISHED, CANCELLED), Finding(3, "it comes after the end of the tournament")),
        (tournament(call(1), call(1), FINISHED), Finding(3, "the number of the call, 1, is not its own")),
        (tournament(call(0), FINISHED), Finding(2, "the number of the call, 0, is not its own")),
        (
            tournament(RecordEntry(game=GameHeader()), FINISHED),
            Finding(2, "game does not belong in the record of a tournament"),
        ),
        (
            tournament(RecordEntry(), FINISHED),
            Finding(2, "an empty entry does not belong in the record of a tournament"),
        ),
    ],
)
def test_a_tournament_of_the_wrong_structure_is_found(record: Record, finding: Finding) -> None:
    assert verify(record) == [finding]


# --- tables ---

HERE = RecordEntry(table=RecordedTable(table_id="t1"))
DELETED = RecordEntry(table=RecordedTable(table_id="t1", deleted=True))
CONTINUED = RecordEntry(table=RecordedTable(table_id="t1", continued_by="t2"))


@pytest.mark.parametrize(
    ("entries", "findings"),
    [
        ([HERE, HERE, DELETED], []),
        ([HERE, CONTINUED], []),
        ([DELETED], []),
        ([HERE, HERE], [Finding(2, "the record ends here, before the end of the table")]),
        ([HERE, DELETED, HERE, DELETED], [Finding(3, "it comes after the end of the table")]),
        ([HERE, call(1), DELETED], [Finding(2, "call does not belong in the record of a table")]),
    ],
)
def test_the_record_of_a_table_ends_when_it_is_deleted_or_goes_on_in_another(
    entries: list[RecordEntry], findings: list[Finding]
) -> None:
    record = chained(entry.SerializeToString() for entry in entries)
    assert verify(record) == findings
    assert verify(record, finished=False) == [each for each in findings if "ends here" not in each.problem]


def test_a_hash_is_over_the_hash_before_and_the_entry() -> None:
    record = chained([b"one", b"two"])
    first = sha256(bytes(32) + b"one").digest()
    assert [linked.chain_hash for linked in record.entries] == [first, sha256(first + b"two").digest()]
