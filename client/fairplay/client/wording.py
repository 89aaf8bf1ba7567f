"""Words for people. Names, chat and reasons come from strangers: here they are made harmless, and steer no terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import grpc
from rich.markup import escape
from rich.text import Text

from fairplay.games.kit.printable import UNPRINTABLE, harmless_text
from fairplay.server.game.plans import seconds
from fairplay.server.net.errors import reason_of
from fairplay.v1.misconduct_pb2 import CallErrorReason, Misconduct
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.table_pb2 import Part, Seat, Table, TableStatus, User

FILE_NAME = re.compile(r"[^A-Za-z0-9_.-]")
MAX_REASON_CHARS = 160
MAX_OUTPUT_LINES = 6
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
STATES = {
    TableStatus.TABLE_STATUS_OPEN: "open",
    TableStatus.TABLE_STATUS_RUNNING: "running",
    TableStatus.TABLE_STATUS_OVER: "over",
}


def harmless(markup: str) -> Text:
    """Return the text of rich's markup without what could steer a terminal or a CI system."""
    text = Text.from_markup(markup, emoji=False)
    text.plain = harmless_text(text.plain)
    return text


def counted(count: int, noun: str) -> str:
    """Return a number of things, e.g. "1 entry" or "1,200 entries"."""
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun[:-1]}ies" if noun.endswith("y") else f"{count:,} {noun}s"


def file_name(record_id: str, suffix: str) -> str:
    """Return a name for a file of a record, without '/': ids may have it."""
    return f"{FILE_NAME.sub('+', record_id) or 'record'}{suffix}"


def describe_cause(misconduct: Misconduct) -> str:
    """Return why a player was eliminated in plain text: a few words, and the last line that its process wrote."""
    why = _cause(misconduct).translate(UNPRINTABLE)
    last = (line[:MAX_REASON_CHARS] for line in _output_lines(misconduct)[-1:] if line.strip() not in why)
    return ": ".join([why, *last])


def _cause(misconduct: Misconduct) -> str:
    match misconduct.WhichOneof("cause"):
        case "rule_break":
            return f"broke {misconduct.rule_break.rule_id}: {misconduct.rule_break.explanation}"
        case "overrun":
            return f"took longer than {seconds(misconduct.overrun.limit):g} s"
        case _:
            error = misconduct.call_error
            if error.reason == CallErrorReason.CALL_ERROR_REASON_STATUS:
                return f"raised an exception: {error.message}"
            return error.message


def cut(text: str, most: int) -> str:
    """Return at most so many characters of a text, with a sign that there were more."""
    return text if len(text) <= most else f"{text[:most]}…"


def name_method(misconduct: Misconduct) -> str:
    """Return the name of the method of the last call, e.g. "TakeTurn"."""
    return misconduct.method_name.rpartition("/")[2]


def describe_failure(misconduct: Misconduct) -> str:
    """Return who failed in which call and why, in one line of plain text."""
    return f"{_where(misconduct)}: {cut(describe_cause(misconduct), 2 * MAX_REASON_CHARS)}"


def _where(misconduct: Misconduct) -> str:
    name = misconduct.player.translate(UNPRINTABLE)
    return f"{name} in {name_method(misconduct)} (call {misconduct.call_number})"


def draw_failure(misconduct: Misconduct) -> str:
    """Return who failed and why in markup, followed by the end of what the player's process wrote, a line each."""
    name, where = misconduct.player, _where(misconduct)[len(misconduct.player) :]
    why = cut(_cause(misconduct).translate(UNPRINTABLE), MAX_REASON_CHARS)
    shown = "".join(f"\n      [dim]{escape(line)}[/]" for line in _output_lines(misconduct)[-MAX_OUTPUT_LINES:])
    return f"[red]✗ {escape(name.translate(UNPRINTABLE))}[/]{escape(where)}: {escape(why)}{shown}"


def _output_lines(misconduct: Misconduct) -> list[str]:
    return harmless_text(misconduct.call_error.output).strip().splitlines()


def draw_standing(result: GameResult) -> str:
    """Return the ranking of a game in one line of markup."""
    if result.aborted:
        return f"[yellow]aborted: {escape(result.aborted)}[/]"
    groups = [", ".join(f"{escape(one.name)} {one.score}" for one in group.players) for group in result.ranking]
    if not groups:
        return "nobody is left"
    first, *others = groups
    return "  ".join([f"[bold green]{first or 'nobody'}[/]", *others])


def plain(text: str) -> str:
    """Return a stranger's text without characters that steer a terminal or change the writing direction."""
    return "".join(letter if letter.isprintable() else REPLACEMENT for letter in text)


def describe_error(error: grpc.aio.AioRpcError) -> str:
    """Return in words why a server has not answered a request, or what it says is wrong with it."""
    if error.code() == grpc.StatusCode.DEADLINE_EXCEEDED:
        return "the server does not answer"
    if error.code() == grpc.StatusCode.UNAVAILABLE and not reason_of(error):
        return "the server cannot be reached"
    return plain(error.details() or error.code().name)


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
