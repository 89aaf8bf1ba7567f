"""What is recorded of a table, and the table that a record makes again."""

from __future__ import annotations

import pytest

from fairplay.server.lobby.table_records import from_record, secrets_of, to_record
from tests.server.lobby.test_table import made, seat


def test_a_record_has_links_and_keys_and_neither_who_watches_nor_who_is_ready() -> None:
    table = made("a", "b")
    table.seats[0].ready, table.seats[0].secret = True, "s3cret"
    table.set_bots(1, "bot:greedy")
    table.watch("c")
    recorded = to_record(table, "table-1")
    assert (recorded.table_id, recorded.owner_key, list(recorded.table.watchers)) == ("table-1", b"key of ann", [])
    assert list(recorded.links) == ["dial-in:a", "dial-in:b", "bot:greedy"]
    assert list(recorded.seat_keys) == [b"key of a", b"key of b", b""]
    assert [(each.name, each.present, each.ready, each.bot) for each in recorded.table.seats] == [
        ("a", True, False, ""),
        ("b", True, False, ""),
        ("bot-1", True, False, "bot:greedy"),
    ]
    assert (recorded.deleted, recorded.continued_by) == (False, "")
    assert b"s3cret" not in recorded.SerializeToString()
    assert list(table.watchers) == ["c"], "the table itself stays as it is"
    assert secrets_of(table) == {"a": "s3cret"}


def test_users_of_a_recorded_table_are_absent_until_they_come_back_and_bots_are_there() -> None:
    table = made("a", "b")
    table.set_bots(1, "bot:greedy")
    table.begin("g")
    table.leave("b")
    again = from_record(to_record(table, "table-1"), 7)
    assert (again.number, again.name, again.owner, again.owner_key) == (7, "t", "ann", b"key of ann")
    assert (again.running, again.game_id) == (True, "g")
    assert [(each.name, each.link, each.key) for each in again.seats] == [
        ("a", "dial-in:a", b"key of a"),
        ("b", "dial-in:b", b"key of b"),
        ("bot-1", "bot:greedy", b""),
    ]
    assert [(each.present, each.left, each.bot, each.ready) for each in again.seats] == [
        (False, False, False, False),
        (False, True, False, False),
        (True, False, True, False),
    ]


def test_a_record_that_lacks_a_link_holds_no_table() -> None:
    table = made("a")
    table.sit(seat("b"))
    recorded = to_record(table, "table-1")
    del recorded.links[1]
    with pytest.raises(ValueError, match="shorter"):
        from_record(recorded, 1)
