"""The lobby as a client knows it, in what it is told and in words."""

from __future__ import annotations

from typing import Any

import pytest

from fairplay.terminal.lobby import keys
from fairplay.terminal.lobby.mirror import MAX_LINES, Line, LobbyMirror
from fairplay.terminal.lobby.wording import heading, plain, result_line, row, whereabouts
from fairplay.v1.lobby_pb2 import Lobby as LobbyMessage
from fairplay.v1.lobby_pb2 import LobbyEvent, Spoken, UserGone
from fairplay.v1.result_pb2 import GameResult, RankedPlayer, RankGroup
from fairplay.v1.table_pb2 import Part, Seat, Table, TableStatus, User

OPEN, RUNNING, OVER = (
    TableStatus.TABLE_STATUS_OPEN,
    TableStatus.TABLE_STATUS_RUNNING,
    TableStatus.TABLE_STATUS_OVER,
)


def table(name: str = "blue", *seated: str, **more: Any) -> Table:
    fields: dict[str, Any] = {"game": "fish", "owner": "ann", "status": OPEN, "min_seat_count": 2, "max_seat_count": 4}
    return Table(name=name, seats=[Seat(name=each, present=True) for each in seated], **{**fields, **more})


def user(name: str, at: str = "", part: Part.ValueType = Part.PART_WATCHER) -> User:
    return User(name=name, table=at, part=part if at else Part.PART_UNSPECIFIED)


def reported(lobby: LobbyMirror, *events: dict[str, Any]) -> LobbyMirror:
    for event in events:
        lobby = lobby.after(LobbyEvent(sequence=lobby.sequence + 1, **event))
    return lobby


def whole(*tables: Table, **users: str) -> dict[str, Any]:
    people = [user(name, at) for name, at in users.items()]
    return {"lobby": LobbyMessage(users=people, tables=tables)}


def at_blue(*seated: str, **more: Any) -> LobbyMirror:
    """Return the lobby of Ann at a table with these seats."""
    return reported(LobbyMirror("ann"), whole(table("blue", *seated, **more), ann="blue", bob="blue"))


def lines(lobby: LobbyMirror) -> list[str]:
    return [line.text for line in lobby.talk]


# --- what it is told ---


def test_the_whole_takes_the_place_of_what_was_known() -> None:
    lobby = reported(
        LobbyMirror("ann"), whole(table("old"), ann="old", cy=""), whole(table("blue"), ann="", bob="blue")
    )
    assert set(lobby.tables) == {"blue"}
    assert set(lobby.users) == {"ann", "bob"}
    assert lobby.sequence == 2
    assert lobby.table is None


def test_users_and_tables_come_change_and_go() -> None:
    lobby = reported(LobbyMirror("ann"), whole(ann=""), {"user": user("bob")}, {"table": table("blue")})
    assert lobby.notice == "ann makes blue."
    lobby = reported(lobby, {"user": user("bob", "blue")}, {"table": table("blue", watchers=["bob"])})
    assert lobby.users["bob"].table == "blue"
    lobby = reported(lobby, {"user_gone": UserGone(name="bob", lost=True)})
    assert lobby.notice == "bob is lost."
    lobby = reported(lobby, {"table_deleted": "blue"}, {"user_gone": UserGone(name="zoe")})
    assert not lobby.tables
    assert set(lobby.users) == {"ann"}


def test_an_event_that_is_newer_than_the_client_changes_nothing_but_the_sequence() -> None:
    before = at_blue()
    after = before.after(LobbyEvent(sequence=99))
    assert (after.users, after.tables, after.talk, after.sequence) == (before.users, before.tables, (), 99)


def test_the_newest_table_is_the_first() -> None:
    older, newer = table("older"), table("newer")
    older.create_time.seconds, newer.create_time.seconds = 1, 2
    lobby = reported(LobbyMirror("ann"), {"table": older}, {"table": newer})
    assert [each.name for each in lobby.newest_first()] == ["newer", "older"]


def test_a_table_that_is_deleted_under_the_user_is_left() -> None:
    assert reported(at_blue("ann"), {"table_deleted": "blue"}).table is None


# --- what is said and done at the table ---


def test_what_is_done_at_the_table_is_told_in_lines() -> None:
    lobby = reported(
        at_blue(),
        {"table": table("blue", "bob", watchers=["ann", "cy"])},
        {"table": table("blue", "bob", "ann", watchers=["cy"])},
        {"table": table("blue", "bob", "ann", status=RUNNING, game_id="g")},
    )
    assert lines(lobby) == [
        "bob joins the game.",
        "ann watches.",
        "cy watches.",
        "ann joins the game.",
        "cy goes.",
        "The game begins.",
    ]
    assert lobby.seat == 1


def test_the_end_of_a_game_is_told_with_its_result() -> None:
    groups = [RankGroup(players=[RankedPlayer(name="bob", score=3)]), RankGroup(players=[RankedPlayer(name="ann")])]
    running = reported(at_blue("ann", "bob"), {"table": table("blue", "ann", "bob", status=RUNNING, game_id="g")})
    over = table("blue", "ann", "bob", status=OVER, game_id="g", result=GameResult(ranking=groups))
    assert lines(reported(running, {"table": over}))[-1] == "The game is over, won by bob 3; then ann 0."


def test_who_loses_the_connection_in_a_game_and_comes_back_is_told() -> None:
    away = table("blue", "ann", "bob")
    away.seats[1].present = False
    lobby = reported(at_blue("ann", "bob"), {"table": away}, {"table": table("blue", "ann", "bob")})
    assert lines(lobby) == ["bob is gone.", "bob is back."]


def test_other_tables_tell_nothing_here() -> None:
    assert lines(reported(at_blue(), {"table": table("red")}, {"table": table("red", "cy")})) == []


def test_talk_is_forgotten_at_the_next_table_and_does_not_grow_for_ever() -> None:
    said = [{"spoken": Spoken(table="blue", speaker="bob", text=str(number))} for number in range(MAX_LINES + 5)]
    lobby = reported(at_blue(), *said)
    assert len(lobby.talk) == MAX_LINES
    assert lobby.talk[-1] == Line("bob", str(MAX_LINES + 4))
    assert reported(lobby, {"table": table("red")}, {"user": user("ann", "red")}).talk == ()


def test_a_user_with_a_new_name_stays_where_it_is() -> None:
    before = at_blue("ann", "bob", watchers=["cy"])
    renamed = {"user_gone": UserGone(name="ann", new_name="eve")}
    lobby = reported(before, renamed)
    assert (lobby.me, lobby.seat, lobby.sequence) == ("eve", 0, before.sequence + 1)
    assert set(lobby.users) == {"eve", "bob"}
    assert lobby.tables["blue"].owner == "eve"
    assert lines(lobby) == ["ann is called eve now."]
    told_again = reported(lobby.renamed("ann", "eve"), {"user": user("eve", "blue")}, {"table": lobby.tables["blue"]})
    assert lines(told_again) == ["ann is called eve now."]
    watching = reported(lobby, {"user_gone": UserGone(name="cy", new_name="dee")})
    assert lines(watching) == lines(lobby), "the events have not said that cy is here"
    assert before.tables["blue"].owner == "ann", "a mirror is a value"


def test_a_new_name_that_the_whole_lobby_has_told_already_is_taken_over() -> None:
    lobby = reported(LobbyMirror("ann"), whole(table("blue", "eve"), eve="blue"))
    assert (lobby.table, lobby.renamed("ann", "eve").seat) == (None, 0)


# --- words ---


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\r\ttab", "two�lines��tab"),
        ("\x1b[2Jgone", "�[2Jgone"),
        ("\u202eturned\u2066", "�turned�"),
        ("[red]markup[/]", "[red]markup[/]"),
        ("Ærø 東京", "Ærø 東京"),
    ],
)
def test_strangers_words_cannot_steer_a_terminal(given: str, shown: str) -> None:
    assert plain(given) == shown


def test_chat_and_names_are_made_harmless() -> None:
    lobby = reported(at_blue(), {"spoken": Spoken(speaker="\x1b]0;x", text="\x07")})
    assert lobby.talk[-1] == Line("�]0;x", "�")
    assert "\x1b" not in "".join(row(table("\x1b", "\x1b", watchers=["\x1b"])))
    assert "\x1b" not in whereabouts(user("\x1b", "\x1b")) + heading(table("\x1b"))


def test_a_table_is_one_row_and_one_heading() -> None:
    made = table("blue", "ann", watchers=["bob", "cy"])
    assert row(made) == ("blue", "fish", "open", "1 of 2-4", "ann; 2 watching")
    assert heading(made) == "blue: fish, open, 1 of 2-4 seats"
    assert whereabouts(user("bob", "blue")) == "bob  watches blue"
    assert whereabouts(user("ann", "blue", Part.PART_PLAYER)) == "ann  plays at blue"


def test_results_without_winners_are_said_too() -> None:
    assert result_line(GameResult(aborted="the referee failed")) == "ended without a winner: the referee failed"
    assert result_line(GameResult()) == "nobody is left"
    assert result_line(GameResult(ranking=[RankGroup()])) == "won by nobody"


# --- keys ---


def names(shown: Any) -> list[str]:
    return [key.name for key in shown]


def test_the_keys_of_the_list_fit_the_selected_table() -> None:
    lobby = LobbyMirror("ann")
    assert names(keys.in_lobby(lobby, None)) == ["n", "c", "question_mark", "q"]
    assert names(keys.in_lobby(lobby, table(owner="bob"))) == ["n", "enter", "j", "c", "question_mark", "q"]
    assert "d" in names(keys.in_lobby(lobby, table(owner="ann")))
    assert "j" not in names(keys.in_lobby(lobby, table("blue", "a", "b", "c", "d")))
    assert "j" not in names(keys.in_lobby(lobby, table(status=RUNNING)))


def test_the_keys_at_a_table_fit_what_the_user_is_there() -> None:
    assert names(keys.at_table(at_blue(owner="bob"))) == ["j", "t", "l", "question_mark", "q"]
    assert names(keys.at_table(at_blue("ann"))) == ["r", "b", "t", "l", "d", "question_mark", "q"]
    assert names(keys.at_table(at_blue("ann", "bob"))) == ["r", "g", "b", "t", "l", "d", "question_mark", "q"]
    assert names(keys.at_table(at_blue())) == ["j", "b", "t", "l", "d", "question_mark", "q"]
    assert names(keys.at_table(at_blue("ann", "bob", status=RUNNING))) == ["t", "l", "question_mark", "q"]
    assert names(keys.at_table(at_blue("ann", status=RUNNING))) == ["t", "l", "d", "question_mark", "q"]
    assert names(keys.at_table(LobbyMirror("ann"))) == []
