"""What must hold before a request of a user is granted."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fairplay.server.errors import Refusal
from fairplay.server.lobby.checks import check_joinable, check_startable, seat_of, table_message, table_of
from fairplay.server.lobby.limits import TokenBucket
from fairplay.server.lobby.users import User
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.lobby_pb2 import CreateTableRequest
from tests.server.lobby.harness import OPEN
from tests.server.lobby.test_table import made, seat


def refusal(call: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(Refusal) as refused:
        call()
    return refused.value.reason, refused.value.message


def request(settings_bytes: int) -> CreateTableRequest:
    """Return the request for a table whose settings have so many bytes."""
    wanted = CreateTableRequest(name="t", game="fish")
    for length in range(settings_bytes - 20, settings_bytes):
        wanted.settings.other.value = b"x" * length
        if wanted.settings.ByteSize() == settings_bytes:
            break
    return wanted


def test_settings_have_up_to_16_kib() -> None:
    reason, said = refusal(lambda: table_message(request(16_385), "ann"))
    assert (reason, said) == ("INVALID_SETTINGS", "the settings have 16,385 bytes: at most 16,384 are allowed")
    reason, said = refusal(lambda: table_message(request(16_384), "ann"))
    assert reason == "INVALID_SETTINGS"
    assert "16,384" not in said, "they are short enough, but those of another game"


def test_a_table_is_for_as_many_as_its_game_allows_or_as_was_asked_for() -> None:
    table = table_message(CreateTableRequest(name="t", game="fish"), "ann")
    assert (table.seat_count, table.min_seat_count, table.max_seat_count) == (0, 2, 4)
    assert (table.name, table.game, table.owner, table.status, table.late_join) == ("t", "fish", "ann", OPEN, False)
    assert not table.HasField("settings")
    assert not table.HasField("time_control")
    assert table.create_time.seconds > 0
    wanted = CreateTableRequest(name="t", game="webset", seat_count=3, time_control=TimeControl())
    wanted.settings.webset.late_join = True
    table = table_message(wanted, "ann")
    assert (table.seat_count, table.min_seat_count, table.max_seat_count) == (3, 3, 3)
    assert table.settings == wanted.settings
    assert table.HasField("time_control")
    assert table.late_join


def test_a_seat_is_taken_where_one_is_free_and_no_game_runs_or_the_game_lets_in() -> None:
    table = made("a", "b", "c")
    check_joinable(table)
    table.begin("g")
    going_on = ("TABLE_RUNNING", "the game of the table t goes on: watch it, and join when it is over")
    assert refusal(lambda: check_joinable(table)) == going_on
    late = made("a", "b", "c", late_join=True)
    late.begin("g")
    check_joinable(late)
    full = ("TABLE_FULL", "all 4 seats of the table t are taken")
    for each in (late, made("a", "b", "c")):
        each.sit(seat("d"))
        assert refusal(lambda: check_joinable(each)) == full  # noqa: B023 - called at once


def test_a_game_starts_at_a_table_that_is_there_with_enough_and_without_another_game() -> None:
    table = made("a", "b")
    check_startable(table)
    table.begin("g")
    goes_on = ("TABLE_RUNNING", "the game of the table t goes on already: wait for its end")
    assert refusal(lambda: check_startable(table)) == goes_on
    table.deleted = True
    assert refusal(lambda: check_startable(table)) == ("TABLE_NOT_FOUND", "the table t was deleted")
    said = "this table of Fish needs 4 players, and 3 have joined: 1 more must join"
    assert refusal(lambda: check_startable(made("a", "b", "c", seat_count=4))) == ("TOO_FEW_SEATS", said)
    said = "this table of Fish needs at least 2 players, and 1 has joined: 1 more must join"
    assert refusal(lambda: check_startable(made("a"))) == ("TOO_FEW_SEATS", said)


def test_who_is_at_no_table_or_only_watches_has_no_seat() -> None:
    user = User("a", "token", TokenBucket(1, 1, 0.0))
    assert refusal(lambda: table_of(user))[0] == "NOT_AT_TABLE"
    assert refusal(lambda: seat_of(user))[0] == "NOT_SEATED"
    user.table = table = made("b")
    table.watch("a")
    assert table_of(user) is table
    assert refusal(lambda: seat_of(user))[0] == "NOT_SEATED"
    table.sit(seat("a"))
    assert seat_of(user) == (table, table.seats[1])
