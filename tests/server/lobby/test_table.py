"""A table by itself: its seats, who is there, and what is told of a game."""

from __future__ import annotations

import pytest

from fairplay.server.lobby.table import Seat, Table, summarise
from fairplay.v1.misconduct_pb2 import CallError, Misconduct, MisconductKind, RuleBreak
from fairplay.v1.result_pb2 import GameResult, RankedPlayer, RankGroup
from fairplay.v1.table_pb2 import Table as TableMessage
from tests.server.lobby.harness import OPEN, OVER, RUNNING


def made(*seats: str, seat_count: int = 0, late_join: bool = False) -> Table:
    """Return a table of "ann" for 2 to 4 players, or for a number of them, with users at some seats."""
    message = TableMessage(
        name="t",
        game="fish",
        owner="ann",
        status=OPEN,
        min_seat_count=seat_count or 2,
        max_seat_count=seat_count or 4,
        seat_count=seat_count,
        late_join=late_join,
    )
    return Table(message, b"key of ann", 1, [seat(name) for name in seats])


def seat(name: str) -> Seat:
    return Seat(name, f"dial-in:{name}", f"key of {name}".encode())


def names(table: Table) -> list[str]:
    return [each.name for each in table.seats]


def test_a_table_for_any_number_of_players_is_never_complete_and_can_start_with_enough() -> None:
    table = made()
    found = []
    for name in "abcd":
        table.sit(seat(name))
        found.append((table.missing_count, table.free_count, table.full, table.complete))
    assert found == [(1, 3, False, False), (0, 2, False, False), (0, 1, False, False), (0, 0, True, False)]


@pytest.mark.parametrize("count", [1, 3])
def test_a_table_for_a_number_of_players_is_complete_when_all_have_joined(count: int) -> None:
    table = made(seat_count=count)
    for left in range(count, 0, -1):
        assert (table.missing_count, table.free_count, table.complete) == (left, left, False)
        table.sit(seat(f"user{left}"))
    assert (table.missing_count, table.free_count, table.complete) == (0, 0, True)


def test_all_are_ready_when_enough_have_joined_and_each_user_says_so() -> None:
    table = made("a")
    table.seats[0].ready = True
    assert not table.all_ready
    table.sit(seat("b"))
    assert not table.all_ready
    table.seats[1].ready = True
    assert table.all_ready
    table.set_bots(1, "bot:first")
    assert table.all_ready


def test_users_sit_before_bots_and_while_a_game_runs_behind_all() -> None:
    table = made("a")
    table.set_bots(1, "bot:first")
    table.sit(seat("b"))
    assert names(table) == ["a", "b", "bot-1"]
    table.begin("g")
    table.sit(seat("c"))
    assert names(table) == ["a", "b", "bot-1", "c"]
    table.end(GameResult())
    assert names(table) == ["a", "b", "c", "bot-1"]


def test_bots_take_the_free_seats_and_no_more_and_a_repeat_changes_nothing() -> None:
    table = made("a")
    assert table.set_bots(9, "bot:first") is True
    assert names(table) == ["a", "bot-1", "bot-2", "bot-3"]
    assert table.set_bots(3, "bot:first") is False
    assert table.set_bots(3, "bot:greedy") is True
    assert table.set_bots(0, "bot:greedy") is True
    assert names(table) == ["a"]


def test_who_is_at_the_table_has_a_seat_or_watches() -> None:
    table = made("a", "b")
    table.watch("c")
    table.set_bots(1, "bot:first")
    assert list(table.members) == ["a", "b", "c"]
    table.watch("b")
    assert (names(table), list(table.watchers)) == (["a", "bot-1"], ["c", "b"])
    assert table.leave("c") is None
    assert table.leave("a") is None
    assert list(table.members) == ["b"]
    assert not table.empty
    assert table.leave("b") is None
    assert table.empty, "only a bot is there"


def test_a_seat_that_was_left_in_a_game_is_its_user_s_until_the_game_is_over() -> None:
    table = made("a", "b")
    table.begin("g")
    assert table.leave("b") == 1
    assert table.seat("b") is None
    assert list(table.members) == ["a"]
    left = table.left_seat("b", b"key of b")
    assert left is table.seats[1]
    assert table.left_seat("b", b"another key") is None
    assert table.left_seat("c", b"key of b") is None
    assert table.left_seat("a", b"key of a") is None
    table.watch("b")
    assert names(table) == ["a", "b"], "who watches has left all the same"
    table.sit(left)
    assert (left.present, left.left, list(table.watchers)) == (True, False, [])
    assert table.leave("a") == 0
    assert not table.empty
    assert table.leave("b") == 1
    assert table.empty, "both may come back, and nobody is there"
    table.sit(left)
    table.end(GameResult())
    assert names(table) == ["b"]
    assert table.left_seat("a", b"key of a") is None


def test_a_name_is_needed_by_the_owner_and_by_users_at_seats() -> None:
    table = made("b")
    table.watch("c")
    table.set_bots(1, "bot:first")
    assert [name for name in ("ann", "b", "c", "bot-1") if table.needs_name(name)] == ["ann", "b"]


def test_a_new_name_is_that_of_the_owner_of_the_seat_and_of_who_watches() -> None:
    table = made("ann", "b")
    table.watch("c")
    table.watch("d")
    assert table.rename("ann", "eve") is True
    assert (table.owner, names(table), table.seats[0].link) == ("eve", ["eve", "b"], "dial-in:eve")
    table.seats[1].link = "dial-in:helper"
    assert table.rename("b", "bob") is True
    assert (table.owner, names(table), table.seats[1].link) == ("eve", ["eve", "bob"], "dial-in:helper")
    assert table.rename("c", "cy") is True
    assert list(table.watchers) == ["cy", "d"]
    assert table.rename("x", "y") is False
    table.begin("g")
    table.leave("bob")
    assert table.rename("bob", "bert") is False, "the game knows the seat by its old name"


def test_seats_of_absent_users_are_freed_unless_a_game_runs() -> None:
    table = made("a", "b")
    table.set_bots(1, "bot:first")
    assert table.free_absent_seats() is False
    table.seats[1].present = False
    table.begin("g")
    assert table.free_absent_seats() is False
    table.end(GameResult())
    assert table.free_absent_seats() is True
    assert names(table) == ["a", "bot-1"]


def test_a_game_begins_with_nobody_ready_and_without_the_result_of_the_one_before() -> None:
    table = made("a", "b")
    table.begin("g1")
    table.end(GameResult(aborted="enough"))
    assert (table.running, table.to_message().status, table.to_message().result.aborted) == (False, OVER, "enough")
    for each in table.seats:
        each.ready = True
    table.begin("g2")
    shown = table.to_message()
    assert (table.running, shown.status, shown.game_id) == (True, RUNNING, "g2")
    assert not shown.HasField("result")
    assert not any(each.ready for each in shown.seats)


def test_everybody_sees_who_is_there_and_ready_and_of_which_strategy_a_bot_is() -> None:
    table = made("a", "b")
    table.seats[0].ready, table.seats[1].present = True, False
    table.set_bots(1, "bot:greedy")
    table.watch("c")
    for _ in range(2):
        shown = table.to_message()
        assert [(each.name, each.present, each.ready, each.bot) for each in shown.seats] == [
            ("a", True, True, ""),
            ("b", False, False, ""),
            ("bot-1", True, True, "bot:greedy"),
        ]
        assert list(shown.watchers) == ["c"]


def test_of_misconducts_a_table_tells_who_did_what_and_no_evidence() -> None:
    broken = Misconduct(
        seat=1,
        player="b",
        kind=MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION,
        rule_break=RuleBreak(rule_id="fish.move", explanation="long"),
        method_name="/fish/TakeTurn",
        call_number=7,
        unparsable_reply=b"evidence",
    )
    failed = Misconduct(player="a", call_error=CallError(message="127.0.0.1 is not there"))
    ranking = [RankGroup(players=[RankedPlayer(seat=0, name="c", score=3)])]
    short = summarise(GameResult(ranking=ranking, misconducts=[broken, failed], aborted="why"))
    assert (list(short.ranking), short.aborted) == (ranking, "why")
    assert list(short.misconducts) == [
        Misconduct(
            seat=1,
            player="b",
            kind=MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION,
            rule_break=RuleBreak(rule_id="fish.move"),
            method_name="/fish/TakeTurn",
            call_number=7,
        ),
        Misconduct(player="a"),
    ]
