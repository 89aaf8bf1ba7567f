"""The replayer, an entry at a time: races, players that join, what the time is, and what it says of wrong entries."""

from __future__ import annotations

from dataclasses import replace

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.empty_pb2 import Empty
from google.protobuf.timestamp_pb2 import Timestamp
from google.protobuf.wrappers_pb2 import StringValue

from fairplay.games.steps import (
    Arrival,
    Call,
    CallKind,
    Conversation,
    Eliminate,
    Joined,
    Outcome,
    Race,
    Show,
    build_methods,
)
from fairplay.server.records.chain import chained
from fairplay.server.records.errors import Diverged
from fairplay.server.records.replay import Ended, Replayer, replay
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import CallError, Misconduct, MisconductKind
from fairplay.v1.record_pb2 import (
    GameHeader,
    RecordedCall,
    RecordedJoin,
    RecordedResult,
    RecordEntry,
    Resumed,
)
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.result_pb2 import GameResult
from tests.server.records.nim import find, header, players, recorded
from tests.server.snap import SAY, Snap, ask

S = 10**9
BEGIN = Timestamp(seconds=100)


def lasting(seconds: float) -> Duration:
    return Duration(seconds=int(seconds), nanos=int(seconds % 1 * S))


class Meeting:
    """A race of two players, whom more may join up to `seat_count`; `came` has the arrivals that came together."""

    def __init__(self, seat_count: int = 4) -> None:
        self.came: list[list[Arrival]] = []
        self.replayer = self.begin(seat_count)

    def begin(self, seat_count: int) -> Replayer:
        def conversation(_: Snap) -> Conversation:
            yield Show(None)
            calls, count = ask(0, 1), 2
            while calls:
                arrivals = yield Race(calls, next_seat=count if count < seat_count else None)
                self.came.append(arrivals)
                seats = {arrival.seat for arrival in arrivals}
                new = [arrival.seat for arrival in arrivals if isinstance(arrival.answer, Joined)]
                calls = [call for call in calls if call.seat not in seats] + ask(*new)
                count += len(new)
            return Outcome([])

        plan = GamePlan(game="snap", players=[Player(name="ann"), Player(name="bob")])
        entry = RecordEntry(game=GameHeader(game_id="g", plan=plan, start_time=BEGIN))
        return Replayer(entry, lambda _: None, Snap(conversation).find)

    def answer(self, number: int, seat: int, seconds: float = 1.0, *, more_follow: bool = False) -> None:
        call = RecordedCall(
            number=number,
            seat=seat,
            method_name=SAY.path,
            reply=StringValue(value="hi").SerializeToString(),
            elapsed=lasting(seconds),
            more_follow=more_follow,
        )
        self.replayer.feed(RecordEntry(call=call))

    def join(self, seat: int, name: str, seconds: float = 1.0, *, more_follow: bool = False) -> None:
        player = Player(name=name)
        joined = RecordedJoin(seat=seat, player=player, elapsed=lasting(seconds), more_follow=more_follow)
        self.replayer.feed(RecordEntry(joined=joined))

    def restart(self, seconds: int = 0) -> None:
        self.replayer.feed(RecordEntry(resumed=Resumed(time=Timestamp(seconds=seconds))))

    @property
    def seats(self) -> list[list[int]]:
        """Return the seats whose arrivals came together."""
        return [[arrival.seat for arrival in arrivals] for arrivals in self.came]


# --- races and players that join ---


def test_answers_and_a_player_that_come_in_one_moment_are_taken_together() -> None:
    meeting = Meeting()
    meeting.answer(2, 1, more_follow=True)
    meeting.join(2, "cy", more_follow=True)
    assert [each.seat for each in meeting.replayer.machine.arrivals] == [1, 2]
    assert meeting.came == []
    meeting.answer(1, 0)
    assert meeting.seats == [[1, 2, 0]]


def test_a_player_may_join_in_the_moment_of_the_last_answer() -> None:
    meeting = Meeting()
    meeting.answer(1, 0)
    meeting.answer(2, 1, more_follow=True)
    meeting.join(2, "cy")
    assert meeting.seats == [[0], [1, 2]]


def test_nothing_comes_in_the_moment_of_the_last_answer_where_nobody_can_join() -> None:
    meeting = Meeting(2)
    meeting.answer(1, 0)
    with pytest.raises(Diverged, match="entry 3: it says that another answer came in the same moment, which cannot be"):
        meeting.answer(2, 1, more_follow=True)


def test_nothing_comes_in_the_moment_of_a_player_after_whom_nobody_is_left() -> None:
    meeting = Meeting()
    meeting.answer(1, 0, more_follow=True)
    meeting.answer(2, 1, more_follow=True)
    with pytest.raises(Diverged, match="entry 4: it says that another answer came in the same moment"):
        meeting.join(2, "cy", more_follow=True)


def test_one_player_at_a_time_joins_in_the_next_seat_and_under_a_name_of_its_own() -> None:
    meeting = Meeting(3)
    with pytest.raises(Diverged, match="entry 2: a player has joined in seat 3, but by the rules the next call is Say"):
        meeting.join(3, "cy")
    with pytest.raises(Diverged, match="a player has joined under the name of another one, bob"):
        meeting.join(2, "bob")
    meeting.join(2, "cy", more_follow=True)
    with pytest.raises(Diverged, match="a player has joined in seat 2, but"):
        meeting.join(2, "dee")
    meeting.answer(1, 0)
    with pytest.raises(Diverged, match="a player has joined in seat 3, but"):
        meeting.join(3, "dee")


def test_nobody_joins_a_game_that_is_no_race() -> None:
    replayer = Replayer(header(2), lambda _: None, find)
    with pytest.raises(Diverged, match="a player has joined in seat 2, but by the rules the next call is Colour to"):
        replayer.feed(RecordEntry(joined=RecordedJoin(seat=2, player=Player(name="new"))))


def test_what_was_recorded_of_a_moment_that_a_restart_cut_short_is_taken_by_itself() -> None:
    meeting = Meeting()
    meeting.answer(2, 1, more_follow=True)
    meeting.restart()
    assert meeting.seats == [[1]]
    assert meeting.replayer.machine.arrivals == []
    meeting.answer(3, 0)
    assert meeting.seats == [[1], [0]]


# --- time ---


def test_a_call_takes_its_time_from_when_it_was_sent_and_a_player_joins_so_long_after_the_race_began() -> None:
    meeting = Meeting()
    meeting.answer(2, 1, 2.0)
    assert meeting.replayer.time_ns == 102 * S
    meeting.join(2, "cy", 1.5)
    assert meeting.replayer.time_ns == 103_500_000_000
    assert meeting.replayer.newcomers[0].time_ns == 103_500_000_000
    meeting.answer(3, 2, 0.25)
    assert meeting.replayer.time_ns == 103_750_000_000
    meeting.answer(1, 0, 3.0)
    assert meeting.replayer.time_ns == 103_750_000_000, "time does not go back"


def test_after_a_restart_time_goes_on_from_then() -> None:
    meeting = Meeting()
    meeting.answer(2, 1, 2.0)
    meeting.restart(200)
    assert meeting.replayer.time_ns == 200 * S
    meeting.answer(3, 0, 5.0, more_follow=True)
    meeting.join(2, "cy", 7.0)
    assert meeting.replayer.time_ns == 207 * S
    meeting.restart(150)
    assert meeting.replayer.time_ns == 207 * S, "clocks are set back, records are not"


def test_a_call_that_stays_open_while_another_player_is_eliminated_takes_its_time_from_when_it_was_sent() -> None:
    def conversation(_: Snap) -> Conversation:
        calls = ask(0, 1)
        ((_, failure, _),) = yield Race(calls)
        yield Eliminate(1, failure)
        yield Race(calls[:1])
        return Outcome([])

    plan = GamePlan(game="snap", players=[Player(name="ann"), Player(name="bob")])
    entry = RecordEntry(game=GameHeader(game_id="g", plan=plan, start_time=BEGIN))
    replayer = Replayer(entry, None, Snap(conversation).find)
    lost = RecordedCall(number=2, seat=1, method_name=SAY.path, error=CallError(), elapsed=lasting(2.0))
    replayer.feed(RecordEntry(call=lost))
    kind = MisconductKind.MISCONDUCT_KIND_EXCEPTION
    out = Misconduct(seat=1, player="bob", kind=kind, method_name=SAY.path, call_number=2, call_error=CallError())
    replayer.feed(RecordEntry(misconduct=out))
    replayer.feed(RecordEntry(call=RecordedCall(number=1, method_name=SAY.path, reply=b"", elapsed=lasting(3.0))))
    assert replayer.time_ns == 103 * S


# --- where a game stands ---


def never(_: bytes) -> None:
    raise AssertionError("nothing is to be appended")


# --- wrong entries ---


def test_a_result_that_differs_in_a_field_that_nobody_knows_is_refused() -> None:
    entries = [RecordEntry.FromString(linked.entry) for linked in recorded(header(2), players({})).entries]
    unknown = GameResult.FromString(entries[-1].result.result.SerializeToString() + b"\xfa\x7f\x01?")
    entries[-1].result.CopyFrom(RecordedResult(result=unknown))
    with pytest.raises(Diverged, match="the result differs from the rules in fields unknown here"):
        list(replay(chained(entry.SerializeToString() for entry in entries), find))


def test_misconducts_with_their_evidence_are_those_of_earlier_versions() -> None:
    entries = [
        RecordEntry.FromString(linked.entry) for linked in recorded(header(2), players({100: "garbage"})).entries
    ]
    for misconduct in (entries[3].misconduct, entries[-1].result.result.misconducts[0]):
        misconduct.request.Pack(StringValue(value="g1"))
        misconduct.unparsable_reply = b"\xff\xff\xff"
    reported = list(replay(chained(entry.SerializeToString() for entry in entries), find))
    assert isinstance(reported[-1], Ended)
    assert reported[-1].result.misconducts[0].unparsable_reply == b"\xff\xff\xff"


def test_a_game_that_was_stopped_has_the_misconducts_so_far_and_no_others() -> None:
    entries = [linked.entry for linked in recorded(header(2), players({100: "garbage"})).entries[:4]]
    bare = RecordEntry.FromString(entries[3]).misconduct

    def end(*misconducts: Misconduct) -> None:
        result = GameResult(misconducts=misconducts, aborted="enough")
        entry = RecordEntry(result=RecordedResult(result=result))
        list(replay(chained([*entries, entry.SerializeToString()]), find))

    end(bare)
    with pytest.raises(Diverged, match="entry 5: the result differs from the rules in misconducts"):
        end()


def full_turns(settings: Duration) -> Duration:
    """Return the length of a turn, which is five seconds where nothing else is said."""
    if settings.seconds < 0:
        raise ValueError("a turn takes some time")
    return Duration(seconds=settings.seconds or 5)


def test_a_request_with_settings_that_lack_what_is_newer_is_that_of_the_rules_by_default() -> None:
    start = build_methods("snap.Player", {"Start": (RecordedJoin, Empty)})["Start"]

    def conversation(_: Snap) -> Conversation:
        request = RecordedJoin(seat=1, elapsed=Duration(seconds=5))
        yield Race([Call(0, start, request, CallKind.NOTIFICATION)])
        return Outcome([])

    timed = replace(
        Snap(conversation).game,
        settings_type=Duration,
        build_settings=full_turns,
        begin=lambda settings, seat_count, rng: 8,
    )

    def play(seat: int, seconds: int) -> None:
        plan = GamePlan(game="snap", players=[Player(name="ann")])
        replayer = Replayer(RecordEntry(game=GameHeader(game_id="g", plan=plan)), never, lambda _: timed)
        request = RecordedJoin(seat=seat, elapsed=Duration(seconds=seconds)).SerializeToString()
        call = RecordedCall(number=1, method_name=start.path, request=request, reply=b"")
        replayer.feed(RecordEntry(call=call))

    play(1, 5)
    play(1, 0)
    for seat, seconds in ((1, 6), (1, -1), (2, 0)):
        with pytest.raises(Diverged, match="the request of Start to seat 0 is not the one that the rules make"):
            play(seat, seconds)
