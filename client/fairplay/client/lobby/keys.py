"""Which keys do something now, in the list of tables and at a table."""

from __future__ import annotations

from collections.abc import Iterator

from fairplay.client.lobby.mirror import LobbyMirror
from fairplay.games.frontends import Key
from fairplay.v1.table_pb2 import Table, TableStatus

NEW, GO, JOIN, BOTS, DELETE, START = "n", "enter", "j", "b", "d", "g"
TALK, LEAVE, HELP, QUIT = "t", "l", "question_mark", "q"
READY, NAME = "r", "c"
ALWAYS = (Key(HELP, "help"), Key(QUIT, "quit"))


def in_lobby(lobby: LobbyMirror, selected: Table | None) -> Iterator[Key]:
    """Yield the keys of the list of tables, in which a table is selected or none."""
    yield Key(NEW, "new table")
    if selected is not None:
        yield Key(GO, "go there")
        yield from _join_keys(lobby, selected)
        if _may_delete(lobby, selected):
            yield Key(DELETE, "delete")
    yield Key(NAME, "change name")
    yield from ALWAYS


def at_table(lobby: LobbyMirror) -> Iterator[Key]:
    """Yield the keys of the table where the user is."""
    table = lobby.table
    if table is None:
        return
    running = table.status == TableStatus.TABLE_STATUS_RUNNING
    if lobby.seat is None:
        yield from _join_keys(lobby, table)
    if not running and (lobby.seat is not None or table.owner == lobby.me):
        if lobby.seat is not None:
            yield Key(READY, "not ready" if lobby.ready else "ready")
        if len(table.seats) >= table.min_seat_count:
            yield Key(START, "go: start")
        if len(table.seats) < table.max_seat_count or any(seat.bot for seat in table.seats):
            yield Key(BOTS, "bots")
    yield Key(TALK, "talk")
    yield Key(LEAVE, "leave")
    if _may_delete(lobby, table):
        yield Key(DELETE, "delete")
    yield from ALWAYS


def shown(key: str) -> str:
    """Return a key as it is written on the key bar."""
    return {HELP: "?", GO: "Enter", "space": "Space", "escape": "Esc", "backspace": "Backspace"}.get(key, key)


def _join_keys(lobby: LobbyMirror, table: Table) -> Iterator[Key]:
    """Yield the key that gives the user a seat, if there is one for it."""
    if lobby.may_return(table):
        yield Key(JOIN, "return to the game")
    elif _may_join(table):
        yield Key(JOIN, "join")


def _may_join(table: Table) -> bool:
    running = table.status == TableStatus.TABLE_STATUS_RUNNING
    return (table.late_join or not running) and len(table.seats) < table.max_seat_count


def _may_delete(lobby: LobbyMirror, table: Table) -> bool:
    """Return whether DeleteTable allows it: only its owner may, and not while its game runs with others."""
    running = table.status == TableStatus.TABLE_STATUS_RUNNING
    others = any(seat.name != lobby.me and not seat.bot for seat in table.seats)
    return table.owner == lobby.me and not (running and others)
