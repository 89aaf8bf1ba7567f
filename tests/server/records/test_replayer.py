"""The replayer, an entry at a time: races, players that join, what the time is, and what it says of wrong entries."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from google.protobuf.wrappers_pb2 import Int64Value, StringValue

from fairplay.games.steps import (
    Arrival,
    Call,
    CallKind,
    Conversation,
    Joined,
    Outcome,
    Race,
    Show,
    build_methods,
)
from fairplay.server.records.chain import chained
from fairplay.server.records.errors import Diverged
from fairplay.server.records.replay import Came, Eliminated, Ended, Shown, replay, resume
from fairplay.server.records.replayer import Called, Replayer
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import Misconduct, MisconductKind
from fairplay.v1.record_pb2 import (
    GameHeader,
    RecordedCall,
    RecordedJoin,
    RecordedResult,
    RecordEntry,
    Resumed,
    TournamentHeader,
)
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.result_pb2 import GameResult
from tests.server.records.nim import METHODS, find, header, players, recorded
from tests.server.snap import SAY, Snap, ask, everybody

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


def test_a_player_that_joins_is_asked_and_counted_with_the_others() -> None:
    meeting = Meeting()
    meeting.join(2, "cy", 0.5)
    meeting.answer(1, 0)
    meeting.answer(3, 2, 0.25)
    meeting.answer(2, 1)
    [[came], *answers] = meeting.came
    assert isinstance(came.answer, Joined)
    assert [came.elapsed_s, *(each.elapsed_s for [each] in answers)] == [0.5, 1.0, 0.25, 1.0]
    assert meeting.seats == [[2], [0], [2], [1]]
    replayer = meeting.replayer
    assert replayer.transcript.players == ["ann", "bob", "cy"]
    [newcomer] = replayer.newcomers
    assert (newcomer.seat, newcomer.player.name, newcomer.sequence) == (2, "cy", 2)
    events = replayer.events()
    assert [type(event) for event in events] == [Shown, Came, Called, Called, Called]
    assert [event.entry for event in events] == [1, 2, 3, 4, 5]
    assert isinstance(events[1], Came)
    assert events[1].sequence == 2
    assert replayer.events() == []


def test_answers_and_a_player_that_come_in_one_moment_are_taken_together() -> None:
    meeting = Meeting()
    meeting.answer(2, 1, more_follow=True)
    meeting.join(2, "cy", more_follow=True)
    assert list(meeting.replayer.answers) == [1, 2]
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


def test_after_a_restart_open_calls_are_numbered_anew_after_those_that_were_answered() -> None:
    meeting = Meeting()
    meeting.answer(2, 1)
    meeting.restart()
    assert meeting.seats == [[1]]
    meeting.answer(3, 0)
    assert meeting.seats == [[1], [0]]


def test_calls_that_were_made_again_stay_open_in_the_race_that_follows() -> None:
    meeting = Meeting()
    meeting.answer(2, 1)
    meeting.restart()
    meeting.join(2, "cy")
    meeting.answer(3, 0)
    meeting.answer(4, 2)
    assert meeting.seats == [[1], [2], [0], [2]]


def test_what_was_recorded_of_a_moment_that_a_restart_cut_short_is_taken_by_itself() -> None:
    meeting = Meeting()
    meeting.answer(2, 1, more_follow=True)
    meeting.restart()
    assert meeting.seats == [[1]]
    assert meeting.replayer.answers == {}
    meeting.answer(3, 0)
    assert meeting.seats == [[1], [0]]


def test_the_calls_of_others_stay_open_over_an_elimination() -> None:
    plan = GamePlan(game="snap", players=[Player(name="ann"), Player(name="bob")])
    replayer = Replayer(
        RecordEntry(game=GameHeader(game_id="g", plan=plan)), lambda _: None, Snap(everybody([0, 1])).find
    )
    failed = RecordedCall(number=2, seat=1, method_name=SAY.path, error={})  # type: ignore[arg-type]
    replayer.feed(RecordEntry(call=failed))
    assert replayer.due() == "by the rules seat 1 is eliminated here"
    due = Misconduct(
        seat=1, player="bob", kind=MisconductKind.MISCONDUCT_KIND_EXCEPTION, method_name=SAY.path, call_number=2
    )
    due.call_error.SetInParent()
    replayer.feed(RecordEntry(misconduct=due))
    replayer.feed(RecordEntry(call=RecordedCall(number=1, seat=0, method_name=SAY.path, reply=b"")))
    assert replayer.outcome is not None
    assert [type(event) for event in replayer.events()] == [Shown, Called, Eliminated, Shown, Called, Shown]


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


def test_what_happens_is_at_the_time_that_the_calls_before_it_took() -> None:
    begin = header(2, state=3)
    begin.game.start_time.CopyFrom(BEGIN)
    reported = list(replay(recorded(begin, players({3: "illegal"})), find))
    assert [type(event) for event in reported] == [
        Shown,  # the colours take 1.5 seconds, each other call a quarter of one
        Called,
        Called,
        Called,
        Eliminated,
        Shown,
        Called,
        Shown,
        Called,
        Ended,
    ]
    times = [event.time_ns for event in reported if not isinstance(event, Called | Came)]
    assert times == [100 * S, 101_750_000_000, 101_750_000_000, 102 * S, 102_250_000_000]


@pytest.mark.parametrize(("recorded_ns", "ended_ns"), [(0, 102_250_000_000), (300 * S, 300 * S)])
def test_a_game_ended_when_its_record_says_so_or_else_after_its_last_call(recorded_ns: int, ended_ns: int) -> None:
    begin = header(2, state=1)
    begin.game.start_time.CopyFrom(BEGIN)
    entries = [RecordEntry.FromString(linked.entry) for linked in recorded(begin, players({})).entries]
    entries[-1].result.end_time.FromNanoseconds(recorded_ns)
    [*_, ended] = replay(chained(entry.SerializeToString() for entry in entries), find)
    assert isinstance(ended, Ended)
    assert ended.time_ns == ended_ns


# --- where a game stands ---


def test_a_replayer_knows_the_first_state_and_the_last() -> None:
    replayer = resume(
        chained(entry.entry for entry in recorded(header(2, state=6), players({})).entries[:5]), never, find
    )
    assert replayer.start is not None
    assert replayer.start.state.heap == 6
    assert replayer.shown is not None
    assert replayer.shown.state.heap == 3


def never(_: bytes) -> None:
    raise AssertionError("nothing is to be appended")


def test_the_settings_of_the_plan_decide_and_without_them_their_defaults() -> None:
    def heap(begin: RecordEntry) -> int:
        shown = Replayer(begin, never, find).shown
        assert shown is not None
        return int(shown.state.heap)

    assert heap(header(heap=40)) == heap(header(heap=12)) + 28
    default = header(heap=40)
    default.game.plan.ClearField("settings")
    assert heap(default) == heap(header(heap=12))


# --- wrong entries ---


def test_a_record_that_cannot_be_played_is_refused_at_its_first_entry() -> None:
    for begin, said in (
        (RecordEntry(tournament=TournamentHeader()), "the record does not begin with the header of a game"),
        (header(1), "the game cannot be played: Nim is played by 2 to 4 players, not by 1"),
    ):
        with pytest.raises(Diverged, match=said) as refused:
            Replayer(begin, never, find)
        assert refused.value.entry == 1


def test_nothing_follows_the_end_of_a_game() -> None:
    entries = [linked.entry for linked in recorded(header(2), players({})).entries]
    reported = replay(chained([*entries, RecordEntry(resumed=Resumed()).SerializeToString()]), find)
    with pytest.raises(Diverged, match=f"entry {len(entries) + 1}: it comes after the end of the game"):
        list(reported)


def test_a_call_after_the_end_that_the_rules_lead_to_is_refused() -> None:
    entries = recorded(header(2), players({})).entries
    replayer = resume(chained(each.entry for each in entries[:-1]), never, find)
    with pytest.raises(Diverged, match="seat 1 was called, but by the rules the game is over here"):
        replayer.feed(RecordEntry.FromString(entries[1].entry))


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


def test_a_request_of_another_value_is_not_that_of_the_rules() -> None:
    replayer = Replayer(header(2, state=3), never, find)
    for number, seat in ((1, 0), (2, 1)):
        request = StringValue(value="g1").SerializeToString()
        call = RecordedCall(number=number, seat=seat, method_name=METHODS["Colour"].path, request=request, reply=b"")
        replayer.feed(RecordEntry(call=call))
    call = RecordedCall(
        seat=0, number=3, method_name=METHODS["Take"].path, reply=Int64Value(value=1).SerializeToString()
    )
    call.request = Int64Value(value=4).SerializeToString()
    with pytest.raises(Diverged, match="the request of Take to seat 0 is not the one that the rules make"):
        replayer.feed(RecordEntry(call=call))


class Timed(Snap):
    """A game with a setting, the length of a turn, which is five seconds where nothing else is said."""

    settings_type: type[Message] = Duration

    def full_settings(self, settings: Message) -> Any:
        assert isinstance(settings, Duration)
        if settings.seconds < 0:
            raise ValueError("a turn takes some time")
        return Duration(seconds=settings.seconds or 5)


def test_a_request_with_settings_that_lack_what_is_newer_is_that_of_the_rules_by_default() -> None:
    start = build_methods("snap.Player", {"Start": (RecordedJoin, Empty)})["Start"]

    def conversation(_: Snap) -> Conversation:
        request = RecordedJoin(seat=1, elapsed=Duration(seconds=5))
        yield Race([Call(0, start, request, CallKind.NOTIFICATION)])
        return Outcome([])

    def play(seat: int, seconds: int) -> None:
        plan = GamePlan(game="snap", players=[Player(name="ann")])
        replayer = Replayer(RecordEntry(game=GameHeader(game_id="g", plan=plan)), never, Timed(conversation).find)
        request = RecordedJoin(seat=seat, elapsed=Duration(seconds=seconds)).SerializeToString()
        call = RecordedCall(number=1, method_name=start.path, request=request, reply=b"")
        replayer.feed(RecordEntry(call=call))

    play(1, 5)
    play(1, 0)
    for seat, seconds in ((1, 6), (1, -1), (2, 0)):
        with pytest.raises(Diverged, match="the request of Start to seat 0 is not the one that the rules make"):
            play(seat, seconds)
