"""The lobby as a client knows it, in what it is told and in words."""

from __future__ import annotations

from typing import Any

from fairplay.client.lobby.mirror import MAX_LINES, Line, LobbyMirror
from fairplay.client.wording import heading, plain, row, whereabouts
from fairplay.v1.lobby_pb2 import Lobby as LobbyMessage
from fairplay.v1.lobby_pb2 import LobbyEvent, Spoken, UserGone
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


def test_an_event_that_is_newer_than_the_client_changes_nothing_but_the_sequence() -> None:
    before = at_blue()
    after = before.after(LobbyEvent(sequence=99))
    assert (after.users, after.tables, after.talk, after.sequence) == (before.users, before.tables, (), 99)


# --- what is said and done at the table ---


def test_who_loses_the_connection_in_a_game_and_comes_back_is_told() -> None:
    away = table("blue", "ann", "bob")
    away.seats[1].present = False
    lobby = reported(at_blue("ann", "bob"), {"table": away}, {"table": table("blue", "ann", "bob")})
    assert lines(lobby) == ["bob is gone.", "bob is back."]


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


# --- words ---


def test_strangers_words_cannot_steer_a_terminal() -> None:
    for given, shown in [
        ("plain", "plain"),
        ("two\nlines\r\ttab", "two�lines��tab"),
        ("\x1b[2Jgone", "�[2Jgone"),
        ("\u202eturned\u2066", "�turned�"),
        ("[red]markup[/]", "[red]markup[/]"),
        ("Ærø 東京", "Ærø 東京"),
    ]:
        assert plain(given) == shown


def test_chat_and_names_are_made_harmless() -> None:
    lobby = reported(at_blue(), {"spoken": Spoken(speaker="\x1b]0;x", text="\x07")})
    assert lobby.talk[-1] == Line("�]0;x", "�")
    assert "\x1b" not in "".join(row(table("\x1b", "\x1b", watchers=["\x1b"])))
    assert "\x1b" not in whereabouts(user("\x1b", "\x1b")) + heading(table("\x1b"))
