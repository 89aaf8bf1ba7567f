"""Tournaments rebuilt from their records, without players, referees or disks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st

from fairplay.games.steps import Failure
from fairplay.server.manager import states
from fairplay.server.manager.course import Course, OpenGame
from fairplay.server.manager.history import check_tournament, read
from fairplay.server.manager.plan import full_tournament_plan, seated
from fairplay.server.records.chain import chained
from fairplay.server.records.verify import CHECKS, Finding, verify
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import CallError, Misconduct
from fairplay.v1.record_pb2 import (
    RecordedCall,
    RecordedGame,
    RecordEntry,
    Resumed,
    TournamentChange,
    TournamentEntrants,
    TournamentHeader,
)
from fairplay.v1.result_pb2 import GameResult, RankedPlayer, RankGroup
from fairplay.v1.tournament_pb2 import Examination, TournamentResult
from tests.server.manager.harness import plan

DEAD = CallError(message="dead")
NAMES = "abcdefghijk"


class World(NamedTuple):
    """The behaviour of all players: the outcome of each call, by method and entrant, and of each game."""

    answer: Callable[[str, int], bytes | Failure]
    result: Callable[[str, OpenGame], GameResult]


def first_wins(_: str, table: OpenGame) -> GameResult:
    return result(table, [0], range(1, len(table.pairing.entrants)))


def result(table: OpenGame, *groups: Sequence[int], failed: Sequence[int] = (), aborted: str = "") -> GameResult:
    names = table.shown.players
    return GameResult(
        ranking=[RankGroup(players=[RankedPlayer(seat=seat, name=names[seat]) for seat in group]) for group in groups],
        misconducts=[Misconduct(seat=seat, player=names[seat]) for seat in failed],
        aborted=aborted,
    )


CALM = World(lambda method, seat: b"", first_wins)


def header(names: str = "abcde") -> RecordEntry:
    full = full_tournament_plan(plan(names), lambda player, game, field: None)
    return RecordEntry(tournament=TournamentHeader(tournament_id="t", plan=full, create_time=Timestamp(seconds=1)))


def change(**what: object) -> RecordEntry:
    return RecordEntry(change=TournamentChange(time=Timestamp(seconds=2), **what))  # type: ignore[arg-type]


def go_on(course: Course, world: World, entries: list[bytes]) -> None:
    """Do what the driver does, the last open call answered first, and append the change that ends the course."""
    while not course.over:
        if course.open_games:
            game_id, table = [*course.open_games.items()][-1]
            course.record_result(game_id, world.result(game_id, table))
        elif course.cancelled is not None and not course.leaving:
            course.leave()
        else:
            seat, asked = [*course.open_calls.items()][-1]
            course.record_outcome(seat, world.answer(asked.call.method.name, seat), 0.25)
    over = change(finished=course.result) if course.cancelled is None else change(cancelled=course.cancelled)
    entries.append(over.SerializeToString())


def whole(world: World = CALM, names: str = "abcde") -> list[bytes]:
    """Return the record of an undisturbed tournament."""
    begin = header(names)
    message = states.created(begin.tournament)
    entrants = seated(message.plan, message.entrants)
    states.start(message, entrants)
    started = change(started=TournamentEntrants(entrants=entrants))
    entries = [begin.SerializeToString(), started.SerializeToString()]
    go_on(Course(message, entries.append, lambda event: None), world, entries)
    return entries


def parsed(entries: Sequence[bytes]) -> list[RecordEntry]:
    return [RecordEntry.FromString(entry) for entry in entries]


def outcome(entries: Sequence[bytes]) -> TournamentResult:
    return RecordEntry.FromString(entries[-1]).change.finished


def resumed(entries: Sequence[bytes], world: World) -> list[bytes]:
    """Return what a server makes of a record that a crash has cut off."""
    history = read(parsed(entries))
    assert history.course is not None
    goes_on = [*entries, RecordEntry(resumed=Resumed()).SerializeToString(), *history.due]
    history.course.append = goes_on.append
    go_on(history.course, world, goes_on)
    return goes_on


@st.composite
def worlds(draw: st.DrawFn) -> World:
    rng = draw(st.randoms(use_true_random=False))
    fates: dict[object, object] = {}

    def answer(method: str, seat: int) -> bytes | Failure:
        fate = fates.setdefault((method, seat), rng.random())
        return DEAD if fate < 0.15 else b"\xff" if fate < 0.2 else b""  # type: ignore[operator]

    def decided(game_id: str, table: OpenGame) -> GameResult:
        if game_id not in fates:
            kinds = [rng.choice(("first", "first", "rest", "failed")) for _ in table.pairing.entrants]
            first, rest, failed = (
                [seat for seat, own in enumerate(kinds) if own == kind] for kind in ("first", "rest", "failed")
            )
            aborted = rng.random() < 0.1
            groups = [] if aborted else [group for group in (first, rest) if group]
            fates[game_id] = result(table, *groups, failed=failed, aborted="stopped" * aborted)
        fate = fates[game_id]
        assert isinstance(fate, GameResult)
        return fate

    return World(answer, decided)


@given(world=worlds(), count=st.integers(2, 11), data=st.data())
def test_a_record_cut_off_anywhere_leads_to_the_same_result(world: World, count: int, data: st.DataObject) -> None:
    entries = whole(world, NAMES[:count])
    assert check_tournament(parsed(entries)) == []
    once = resumed(entries[: data.draw(st.integers(2, len(entries) - 1))], world)
    assert outcome(once) == outcome(entries)
    twice = resumed(once[: data.draw(st.integers(2, len(once) - 1))], world)
    assert outcome(twice) == outcome(entries)
    for record in (once, twice):
        assert check_tournament(parsed(record)) == []
        calls = [(entry.call.seat, entry.call.method_name) for entry in parsed(record) if entry.HasField("call")]
        assert len(calls) == len(set(calls))


@given(world=worlds(), count=st.integers(2, 11), data=st.data())
def test_a_tournament_cancelled_anywhere_is_sound_and_stays_cancelled(
    world: World, count: int, data: st.DataObject
) -> None:
    entries = whole(world, NAMES[:count])
    entries = entries[: data.draw(st.integers(2, len(entries) - 1))]
    history = read(parsed(entries))
    assert history.course is not None
    if history.due or history.course.decided or history.course.over:
        return
    once = resumed([*entries, change(cancelled="rain").SerializeToString()], world)
    twice = resumed(once[: data.draw(st.integers(len(entries) + 1, len(once) - 1))], world)
    for record in (once, twice):
        assert check_tournament(parsed(record)) == []
        assert parsed(record)[-1].change.cancelled == "rain"
        reported = [entry.call.seat for entry in parsed(record) if entry.call.method_name.endswith("/End")]
        started = [
            entry.call.seat
            for entry in parsed(record)
            if entry.call.method_name.endswith("/Start")
            and entry.call.reply == b""
            and not entry.call.HasField("error")
        ]
        assert len(reported) == len(set(reported))
        assert set(reported) <= set(started)


def test_every_prefix_of_a_record_is_sound_as_far_as_it_goes() -> None:
    entries, checks = whole(), {**CHECKS, "tournament": check_tournament}
    for length in range(1, len(entries)):
        assert verify(chained(entries[:length]), finished=False, checks=checks) == []
    assert verify(chained(entries), checks=checks) == []


def test_a_history_of_the_sign_up() -> None:
    ann, bob = Player(name="Ann", link="bot:first"), Player(name="Bob", link="bot:first")
    entries = [header("x"), change(signed_up=ann), change(signed_up=bob), change(withdrawn="Ann")]
    message = read([*entries, RecordEntry(resumed=Resumed()), change(signed_up=ann)]).message
    assert [player.name for player in message.entrants] == ["x", "Bob", "Ann"]
    assert message.status == states.SIGN_UP
    listed = seated(message.plan, message.entrants)
    assert [player.name for player in listed] == ["Ann", "Bob", "x"]


def test_a_tournament_that_was_abandoned() -> None:
    entries = [header("x"), change(cancelled="too few")]
    assert check_tournament(entries) == []
    assert read(entries).message.reason == "too few"


# Records that are not sound


def tampered(index: int, changed: Callable[[RecordEntry], None]) -> list[RecordEntry]:
    entries = parsed(whole())
    changed(entries[index])
    return entries


def first(kind: str) -> int:
    return next(index for index, entry in enumerate(parsed(whole())) if entry.WhichOneof("entry") == kind)


def another_name(entry: RecordEntry) -> None:
    entry.played.result.ranking[0].players[0].name = "z"


def a_seat_too_many(entry: RecordEntry) -> None:
    entry.played.result.misconducts.append(Misconduct(seat=9, player="a"))


def another_request(entry: RecordEntry) -> None:
    entry.call.request = b""


def another_number(entry: RecordEntry) -> None:
    entry.call.number += 40


def another_method(entry: RecordEntry) -> None:
    entry.call.method_name = "/fairplay.v1.PlayerService/End"


def another_seat(entry: RecordEntry) -> None:
    entry.call.seat = 77


def no_outcome(entry: RecordEntry) -> None:
    entry.call.ClearField("reply")


def test_a_misconduct_that_is_left_out_is_found() -> None:
    world = World(lambda method, seat: DEAD if (method, seat) == ("Start", 2) else b"", first_wins)
    entries = parsed(whole(world))
    index = next(index for index, entry in enumerate(entries) if entry.HasField("misconduct"))
    assert check_tournament(entries) == []
    del entries[index]
    [finding] = check_tournament(entries)
    assert finding.entry == index + 1
    assert "c is eliminated here" in finding.problem


def test_a_game_that_is_not_installed() -> None:
    begin = header()
    begin.tournament.plan.game = "chess"
    [finding] = check_tournament([begin, *parsed(whole())[1:]])
    assert "chess" in finding.problem


# What is said of records that are not sound


def examined(name: str = "z", status: Any = states.EXAMINING) -> RecordEntry:
    return change(examination=Examination(player=Player(name=name), status=status))


REFUSED, Z = examined(status=states.REFUSED), Player(name="z")
SIGN_UP, STARTED = [header()], parsed(whole())[:2]


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        ([RecordEntry(resumed=Resumed())], "the record does not begin with the header of a tournament"),
        ([*parsed(whole()), RecordEntry(resumed=Resumed())], "it comes after the end"),
        ([*SIGN_UP, RecordEntry()], "an empty entry does not belong here"),
        ([*SIGN_UP, RecordEntry(change=TournamentChange())], "it does not say what changed"),
        ([*STARTED, change(signed_up=Z)], "z signed up after the start"),
        ([*SIGN_UP, change(signed_up=Z), change(signed_up=Z)], "z signed up twice"),
        ([*STARTED, examined()], "z was examined after the start"),
        ([*SIGN_UP, change(signed_up=Z), examined()], "z was examined after it had signed up"),
        ([*SIGN_UP, examined(), examined()], "z was examined, but its examination had begun already"),
        ([*STARTED, change(withdrawn="a")], "a withdrew after the start"),
        (
            [*SIGN_UP, examined(), examined(status=states.REFUSED), change(withdrawn="z")],
            "z withdrew without having signed up",
        ),
        ([*STARTED, STARTED[1]], "the tournament was started twice"),
        ([*SIGN_UP, change(signed_up=Z), STARTED[1]], "the list of entrants does not follow from the sign-up"),
        ([*STARTED, change(finished=TournamentResult())], "by the rules the tournament is not over here"),
        (
            [*parsed(whole())[:-1], change(finished=TournamentResult(winners=["e"]))],
            "the result is not the one that the rules lead to",
        ),
        ([*parsed(whole())[:-1], change(cancelled="rain")], "the tournament was cancelled after it was decided"),
        ([*SIGN_UP, RecordEntry(call=RecordedCall(seat=3))], "by the rules entrant 3 is not called with  here"),
        ([*STARTED, RecordEntry(played=RecordedGame(game_id="g"))], "by the rules the game 'g' is not played here"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_is_said_of_the_entry_in_which_it_stands(entries: list[RecordEntry], problem: str) -> None:
    assert check_tournament(entries) == [Finding(len(entries), problem)]


@pytest.mark.parametrize(
    ("kind", "changed", "problem"),
    [
        ("call", no_outcome, "it does not say how the call ended"),
        ("call", another_request, "the request to entrant 4 is not the one that is due"),
        ("call", another_number, "the call has the number 45, but it is call 5"),
        ("call", another_seat, "by the rules entrant 77 is not called with /fairplay.v1.PlayerService/Start here"),
        ("call", another_method, "by the rules entrant 4 is not called with /fairplay.v1.PlayerService/End here"),
        ("played", another_name, "the result of t/r1g2 names players that were not in it"),
        ("played", a_seat_too_many, "the result of t/r1g2 names players that were not in it"),
    ],
)
def test_what_is_wrong_with_a_call_or_game_is_said(
    kind: str, changed: Callable[[RecordEntry], None], problem: str
) -> None:
    index = first(kind)
    assert check_tournament(tampered(index, changed)) == [Finding(index + 1, problem)]


def test_nobody_is_told_the_end_of_a_tournament_that_goes_on() -> None:
    begun, rain = parsed(whole())[:3], change(cancelled="rain")
    cancelled = parsed(resumed([entry.SerializeToString() for entry in (*begun, rain)], CALM))
    end = next(entry for entry in cancelled if entry.call.method_name.endswith("/End"))
    assert check_tournament([*begun, rain, end]) == []
    problem = "by the rules entrant 4 is not called with /fairplay.v1.PlayerService/End here"
    assert check_tournament([*begun, end]) == [Finding(4, problem)]


def test_who_is_examined_may_sign_up_or_leave_or_be_examined_again() -> None:
    again = [examined(), REFUSED, examined()]
    assert [each.status for each in read([*SIGN_UP, *again]).message.examinations] == [states.EXAMINING]
    for last, entrants in ((change(signed_up=Z), "abcdez"), (change(withdrawn="z"), "abcde")):
        message = read([*SIGN_UP, *again, last]).message
        assert "".join(player.name for player in message.entrants) == entrants
        assert not message.examinations
