"""The game machine without a server: played at once, driven by a clock of numbers, and stopped on the way."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from google.protobuf.wrappers_pb2 import StringValue

from fairplay.games.machine import GameMachine, News, drive
from fairplay.games.steps import (
    FAILURES,
    Call,
    CallAll,
    CallKind,
    Conversation,
    Eliminate,
    Joined,
    Method,
    Outcome,
    Race,
    Show,
)
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import CallError, Misconduct
from fairplay.v1.record_pb2 import RecordEntry

SAY = Method("/test.Player/Say", StringValue, StringValue)


def ask(*seats: int) -> list[Call]:
    return [Call(seat, SAY, StringValue(), CallKind.DECISION) for seat in seats]


def word(text: str) -> bytes:
    return StringValue(value=text).SerializeToString()


def all_then_race(came: list[Any]) -> Conversation:
    """Ask all three at once, eliminate those that fail, then have races until the seats 0 and 1 have answered."""
    yield Show("begin")
    answers = yield CallAll(ask(0, 1, 2))
    for seat, answer in answers.items():
        if isinstance(answer, FAILURES):
            yield Eliminate(seat, answer)
    yield CallAll([])
    calls = ask(0, 1)
    while calls:
        arrivals = yield Race(calls, handicap_s={0: 2.0}, next_seat=3)
        came.append([(each.seat, isinstance(each.answer, Joined)) for each in arrivals])
        calls = [call for call in calls if call.seat not in {each.seat for each in arrivals}]
    yield Show("end")
    return Outcome([[(0, 1)], [(1, 0)]])


class Table:
    """A machine whose entries and news are kept."""

    def __init__(self) -> None:
        self.came: list[Any] = []
        self.entries: list[bytes] = []
        self.news: list[News] = []
        names = ["ann", "bob", "cy"]
        conversation = all_then_race(self.came)
        self.machine = GameMachine(conversation, names, self.entries.append, self.news.append, Random(1))
        self.machine.begin()
        self.machine.go_on()

    def kinds(self) -> Sequence[str | None]:
        return [RecordEntry.FromString(entry).WhichOneof("entry") for entry in self.entries]

    def to_the_race(self) -> None:
        """Let all answer, seat 2 with an error, and open the race at 10 seconds."""
        self.machine.open(0.0)
        for seat in (2, 0, 1):
            self.machine.record_outcome(seat, CallError() if seat == 2 else word("x"), 1.0, 1.0)
        assert self.machine.open(1.0).send == []
        assert self.machine.due_at == 1.0, "nobody is asked"
        assert self.machine.tick(1.0)
        self.machine.open(10.0)


def test_a_game_goes_on_when_all_that_are_asked_at_once_have_answered() -> None:
    table = Table()
    assert [asked.number for asked in table.machine.open(0.0).send] == [1, 2, 3]
    assert not table.machine.record_outcome(2, CallError(), 1.0, 1.0)
    assert not table.machine.record_outcome(1, word("b"), 1.0, 1.0)
    assert table.machine.record_outcome(0, word("a"), 1.0, 1.0)
    assert table.kinds() == ["call", "call", "call", "misconduct"]
    assert [type(each) for each in table.news] == [Show, Misconduct]


def test_answers_of_a_race_count_when_they_are_due_and_the_others_are_cancelled_with_their_calls() -> None:
    table = Table()
    table.to_the_race()
    machine = table.machine
    machine.record_outcome(0, word("late"), 0.5, 10.5)
    assert machine.due_at == 12.5
    machine.record_outcome(1, word("first"), 1.0, 11.0)
    assert not machine.tick(10.9)
    assert machine.tick(11.0)
    assert (table.came, machine.is_open) == ([[(1, False)]], False)
    assert machine.due_at is None, "nothing counts before the next race is opened"
    assert machine.open(11.5) == ([], [])
    assert machine.tick(12.5)
    assert table.came == [[(1, False)], [(0, False)]]
    assert (machine.step, machine.outcome) == (None, Outcome([[(0, 1)], [(1, 0)]]))


def test_a_player_joins_a_race_behind_all_others() -> None:
    table = Table()
    assert table.machine.next_seat is None
    table.to_the_race()
    assert table.machine.next_seat == 3
    table.machine.join(Player(name="dee"), 13.0)
    assert table.machine.tick(13.0)
    assert table.came == [[(3, True)]]
    assert table.news[-1] == Player(name="dee")
    assert RecordEntry.FromString(table.entries[-1]).joined.elapsed.seconds == 3


def test_who_plays_at_once_may_stop_before_a_step_and_answer_it_in_another_way() -> None:
    came: list[Any] = []
    machine = GameMachine(all_then_race(came))
    steps = machine.play(lambda _: StringValue(value="x"))
    assert any(isinstance(step, Race) for step in steps)
    assert machine.shown == Show("begin")
    machine.answer([])
    assert came == [[]]
    assert machine.finish(lambda _: StringValue()).ranking == drive(all_then_race([]), lambda _: StringValue()).ranking
