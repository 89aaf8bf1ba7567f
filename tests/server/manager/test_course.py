"""Where a tournament stands, without players: what is certain, and who is told of a cancelled end."""

from __future__ import annotations

from fairplay.games.kit.player_service import END
from fairplay.server.links.link import disconnected
from fairplay.server.manager.course import Course
from fairplay.v1.game_pb2 import Player
from fairplay.v1.result_pb2 import GameResult, RankedPlayer, RankGroup
from fairplay.v1.tournament_pb2 import Tournament, TournamentStatus
from tests.server.manager.harness import plan

FAILED = disconnected("it is gone")
WON = GameResult(ranking=[RankGroup(players=[RankedPlayer(seat=seat, name="ab"[seat])]) for seat in (0, 1)])


def begun(names: str) -> Course:
    entrants = [Player(name=name, link="bot:first") for name in names]
    message = Tournament(tournament_id="t", plan=plan(), entrants=entrants)
    message.status = TournamentStatus.TOURNAMENT_STATUS_RUNNING
    return Course(message, lambda _: None, lambda _: None)


def start_everybody(course: Course) -> None:
    for seat in [*course.open_calls]:
        course.apply_outcome(seat, b"")


def told_end(course: Course) -> list[int]:
    assert all(asked.call.method is END for asked in course.open_calls.values())
    return [*course.open_calls]


def test_a_tournament_is_decided_once_only_end_is_to_be_called() -> None:
    course = begun("ab")
    assert not course.decided
    start_everybody(course)
    assert not course.decided
    course.apply_result("t/r1g1", WON)
    for entrant in (0, 1):  # the winner first
        assert course.decided and told_end(course) == [entrant]
        course.apply_outcome(entrant, b"")
    assert course.over and course.decided
    assert course.result is not None and list(course.result.winners) == ["a"]


def test_a_tournament_in_which_nobody_is_left_is_decided() -> None:
    course = begun("ab")
    for seat in (0, 1):
        course.apply_outcome(seat, FAILED)
    assert course.over and course.decided
    assert course.result is not None and not course.result.winners


def test_the_end_of_a_cancelled_tournament_decides_nothing() -> None:
    course = begun("ab")
    start_everybody(course)
    course.cancel("rain")
    course.apply_result("t/r1g1", GameResult(aborted="rain"))
    assert told_end(course) == [0, 1]
    assert not course.decided
    for seat in (0, 1):
        course.apply_outcome(seat, b"")
    assert course.over and course.result is None


def test_who_was_not_told_start_or_failed_it_is_not_told_the_end_of_a_cancelled_tournament() -> None:
    course = begun("abcd")
    course.apply_outcome(2, b"")
    course.apply_outcome(0, FAILED)
    course.apply_outcome(1, b"")
    course.cancel("rain")
    course.leave()
    assert told_end(course) == [1, 2]


def test_who_failed_in_a_game_is_not_told_the_end_of_a_tournament_that_is_cancelled_meanwhile() -> None:
    course = begun("ab")
    start_everybody(course)
    course.cancel("rain")
    result = GameResult(aborted="rain")
    result.misconducts.add(seat=0, player="a")
    course.apply_result("t/r1g1", result)
    assert told_end(course) == [1]
    assert [failure.misconduct.player for failure in course.failures] == ["a"]
