"""What a record says of calls: their seconds, and of long replies what counts."""

from __future__ import annotations

from hashlib import sha256

import pytest
from google.protobuf.empty_pb2 import Empty
from google.protobuf.wrappers_pb2 import StringValue

from fairplay.games.steps import Call, CallKind, Eliminate, Failure, Outcome, build_methods
from fairplay.server.links.link import disconnected, overrun
from fairplay.server.transcript import Answer, Transcript, game_result, read_outcome, recorded_s
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import CallErrorReason, Misconduct, MisconductKind, RuleBreak
from fairplay.v1.record_pb2 import RecordedCall, RecordEntry

SAY = build_methods("test.Player", {"Say": (Empty, StringValue)})["Say"]
UNKNOWN_FIELD = b"\xfa\x3f"
"""The tag of field 1023, length-delimited."""


def recorded(outcome: bytes | Failure, elapsed_s: float = 0.0) -> tuple[RecordedCall, Answer]:
    """Return what is recorded of the outcome of a call, and the answer that it is."""
    entries: list[bytes] = []
    transcript = Transcript(["a"], entries.append)
    answer = transcript.record_outcome(transcript.ask(Call(0, SAY, Empty(), CallKind.DECISION)), outcome, elapsed_s)
    (entry,) = entries
    call = RecordEntry.FromString(entry).call
    assert read_outcome(call) == (call.reply if isinstance(outcome, bytes) else outcome)
    return call, answer


ELAPSED = [(0.0, 0, 0), (0.25, 0, 250_000_000), (3.5, 3, 500_000_000), (0.9999999999, 0, 999_999_999)]


@pytest.mark.parametrize(("elapsed_s", "seconds", "nanos"), ELAPSED)
def test_the_seconds_of_a_call_are_recorded_in_whole_nanoseconds(elapsed_s: float, seconds: int, nanos: int) -> None:
    elapsed = recorded(b"", elapsed_s)[0].elapsed
    assert (elapsed.seconds, elapsed.nanos) == (seconds, nanos)
    assert recorded_s(elapsed_s) == seconds + nanos / 1_000_000_000


@pytest.mark.parametrize(("elapsed_s", "seconds", "nanos"), ELAPSED)
@pytest.mark.parametrize("more_follow", [False, True])
def test_a_player_that_joins_is_recorded_with_its_seat(
    elapsed_s: float, seconds: int, nanos: int, more_follow: bool
) -> None:
    entries: list[bytes] = []
    transcript = Transcript(["a", "b"], entries.append)
    assert transcript.record_join(Player(name="c"), elapsed_s, more_follow=more_follow) == 2
    assert transcript.record_join(Player(name="d"), elapsed_s, more_follow=more_follow) == 3
    joined = RecordEntry.FromString(entries[0]).joined
    assert (joined.seat, joined.player.name, joined.more_follow) == (2, "c", more_follow)
    assert (joined.elapsed.seconds, joined.elapsed.nanos) == (seconds, nanos)
    assert transcript.players == ["a", "b", "c", "d"]


def test_calls_are_numbered_from_one_and_say_whom_they_were_for() -> None:
    entries: list[bytes] = []
    transcript = Transcript(["a", "b"], entries.append)
    asked = [transcript.ask(Call(seat, SAY, Empty(), CallKind.DECISION)) for seat in (1, 0)]
    transcript.record_outcome(asked[1], b"", 0.0, more_follow=True)
    transcript.record_outcome(asked[0], b"", 0.0)
    calls = [RecordEntry.FromString(entry).call for entry in entries]
    assert [(call.number, call.seat, call.more_follow) for call in calls] == [(2, 0, True), (1, 1, False)]
    assert {call.method_name for call in calls} == {"/test.Player/Say"}


@pytest.mark.parametrize("failure", [disconnected("gone"), overrun(1.0, 1.5)])
def test_a_failure_is_recorded_as_it_was(failure: Failure) -> None:
    call, answer = recorded(failure)
    assert failure in (call.error, call.overrun)
    assert (answer, call.reply) == (failure, b"")


def long(size: int) -> bytes:
    """Return a reply of this size, over 200, of which all but "x" is unknown."""
    known = StringValue(value="x").SerializeToString()
    length = size - len(known) - len(UNKNOWN_FIELD) - 3
    prefix = bytes([length & 0x7F | 0x80, length >> 7 & 0x7F | 0x80, length >> 14])
    return known + UNKNOWN_FIELD + prefix + bytes(length)


@pytest.mark.parametrize(("size", "whole"), [(16_384, True), (16_385, False)])
def test_of_a_reply_above_16_kib_only_what_is_known_is_recorded(size: int, whole: bool) -> None:
    reply = long(size)
    assert len(reply) == size
    call, answer = recorded(reply)
    assert call.reply == (reply if whole else StringValue(value="x").SerializeToString())
    assert call.reply_digest == (b"" if whole else sha256(reply).digest())
    assert isinstance(answer, StringValue) and answer.value == "x"


def test_a_long_reply_of_which_all_is_known_is_recorded_whole() -> None:
    reply = StringValue(value="x" * 20_000).SerializeToString()
    call, answer = recorded(reply)
    assert (call.reply, call.reply_digest) == (reply, b"")
    assert answer == StringValue(value="x" * 20_000)


@pytest.mark.parametrize(("beginning", "whole"), [(long(4_096), True), (b"\xff" * 4_096, False)])
def test_of_a_long_reply_that_cannot_be_parsed_the_beginning_is_recorded_unless_it_can_be(
    beginning: bytes, whole: bool
) -> None:
    reply = beginning + b"\xff" * 16_384
    call, answer = recorded(reply)
    assert call.reply == (reply if whole else beginning)
    assert call.reply_digest == (b"" if whole else sha256(reply).digest())
    assert getattr(answer, "reason", None) == CallErrorReason.CALL_ERROR_REASON_UNPARSABLE


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (RuleBreak(rule_id="r"), MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION),
        (overrun(1.0, 1.5), MisconductKind.MISCONDUCT_KIND_TIMEOUT),
        (disconnected("gone"), MisconductKind.MISCONDUCT_KIND_EXCEPTION),
    ],
)
def test_a_misconduct_refers_to_the_last_call_to_its_seat(
    cause: RuleBreak | Failure, kind: MisconductKind.ValueType
) -> None:
    entries: list[bytes] = []
    transcript = Transcript(["a", "b"], entries.append)
    reply = StringValue(value="x").SerializeToString()
    for seat in (0, 1, 0):
        asked = transcript.ask(Call(seat, SAY, Empty(), CallKind.DECISION))
        transcript.record_outcome(asked, cause if not isinstance(cause, RuleBreak) else reply, 0.0)
    misconduct = transcript.record_misconduct(Eliminate(1, cause))
    assert (misconduct.seat, misconduct.player, misconduct.call_number) == (1, "b", 2)
    assert (misconduct.kind, misconduct.method_name) == (kind, "/test.Player/Say")
    assert cause in (misconduct.rule_break, misconduct.overrun, misconduct.call_error)
    assert misconduct.HasField("request")
    assert misconduct.HasField("reply") is isinstance(cause, RuleBreak)
    assert transcript.misconducts == [misconduct]
    bare = RecordEntry.FromString(entries[-1]).misconduct
    assert not bare.HasField("request")
    assert bare.call_number == 2


def test_a_result_names_the_players_of_each_group() -> None:
    misconduct = Misconduct(seat=1)
    result = game_result(Outcome([[(2, 7)], [(0, 3), (3, 3)]]), ["a", "b", "c", "d"], [misconduct])
    reported = [[(player.seat, player.name, player.score) for player in group.players] for group in result.ranking]
    assert reported == [[(2, "c", 7)], [(0, "a", 3), (3, "d", 3)]]
    assert list(result.misconducts) == [misconduct]
