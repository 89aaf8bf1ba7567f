"""The lobby in words. Names and chat come from strangers: they are made harmless here, and shown as plain text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fairplay.client.misconducts import MAX_REASON_CHARS, describe_cause
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.table_pb2 import Part, Seat, Table, TableStatus, User

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
STATES = {
    TableStatus.TABLE_STATUS_OPEN: "open",
    TableStatus.TABLE_STATUS_RUNNING: "running",
    TableStatus.TABLE_STATUS_OVER: "over",
}


def plain(text: str) -> str:
    """Return a stranger's text without characters that steer a terminal or change the writing direction."""
    return "".join(letter if letter.isprintable() else REPLACEMENT for letter in text)


class Row(NamedTuple):
    """A table in the list of tables."""

    name: str
    game: str
    state: str
    seats: str
    people: str


def row(table: Table) -> Row:
    """Return a table as a row of the list."""
    seated = ", ".join(plain(seat.name) for seat in table.seats)
    watching = f"{len(table.watchers)} watching" if table.watchers else ""
    people = "; ".join(filter(None, (seated, watching)))
    return Row(plain(table.name), plain(table.game), state(table), seats(table), people)


def state(table: Table) -> str:
    """Return a word for the state of a table's game."""
    return STATES.get(table.status, "?")


def seats(table: Table) -> str:
    """Return how many seats are taken, of how many, e.g. "1 of 2-4"."""
    least, most = table.min_seat_count, table.max_seat_count
    return f"{len(table.seats)} of {least}" + (f"-{most}" if most != least else "")


def whereabouts(user: User) -> str:
    """Return a user and where it is, e.g. "alice  plays at blue"."""
    if not user.table:
        return plain(user.name)
    does = "plays at" if user.part == Part.PART_PLAYER else "watches"
    return f"{plain(user.name)}  {does} {plain(user.table)}"


def places(table: Table) -> Iterator[str]:
    """Yield a line for each seat of a table and for each watcher."""
    for number, seat in enumerate(table.seats, 1):
        yield f"{number} {plain(seat.name)}{_condition(seat)}"
    for name in table.watchers:
        yield f"  {plain(name)} watches"


def _condition(seat: Seat) -> str:
    """Return what else is to be said of a seat, in a few letters."""
    if seat.bot:
        return f" {plain(seat.bot.removeprefix('bot:'))}"
    if not seat.present:
        return " (gone)"
    return " (ready)" if seat.ready else ""


def missing(table: Table) -> str:
    """Return who is missing before the game of a table starts, in lines of plain text."""
    lacking = table.min_seat_count - len(table.seats)
    if lacking > 0:
        start = "\nThen the game starts by itself." if table.seat_count else ""
        return (f"The game has not begun: {lacking} more must join." if lacking > 1 else "One more must join.") + start
    unready = ", ".join(plain(seat.name) for seat in table.seats if not seat.ready)
    begins = "It begins when all are ready, or somebody starts it."
    return f"{begins}\nNot ready: {unready}" if unready else begins


def heading(table: Table) -> str:
    """Return a table in one line."""
    return f"{plain(table.name)}: {plain(table.game)}, {state(table)}, {seats(table)} seats"


def result_line(result: GameResult) -> str:
    """Return how a game ended, in one line."""
    if result.aborted:
        return f"ended without a winner: {plain(result.aborted)}"
    groups = [
        ", ".join(f"{plain(one.name)} {one.score}" for one in group.players) or "nobody" for group in result.ranking
    ]
    if not groups:
        return "nobody is left"
    return f"won by {groups[0]}" + (f"; then {'; '.join(groups[1:])}" if groups[1:] else "")


def elimination_line(misconduct: Misconduct) -> str:
    """Return who was eliminated and why, in one line."""
    return f"{plain(misconduct.player)} is out of the game: {plain(describe_cause(misconduct))[:MAX_REASON_CHARS]}"
