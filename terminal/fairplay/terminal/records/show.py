"""`fairplay records show`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.markup import escape

from fairplay.client.errors import UsageError
from fairplay.server.game.plans import seconds
from fairplay.server.records.chain import parsed
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.place import Place
from fairplay.terminal.printing import make_console, print_json, say
from fairplay.terminal.records.games import choose_recorded_game, find_installed, read_game
from fairplay.terminal.records.overview import RUNNING, UNFINISHED, Overview, show_time, summarize
from fairplay.terminal.records.sources import choose, open_source
from fairplay.terminal.records.wording import Line, Wording, as_json, kind, words
from fairplay.v1.record_pb2 import Record, RecordedCall, RecordEntry
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.table_pb2 import Table
from fairplay.v1.tournament_pb2 import TournamentPlan

STYLES = {
    "eliminated": "red",
    "result": "bold green",
    "finished": "bold green",
    "cancelled": "yellow",
    "over": "bold green",
}
INDENT = " " * 14


def show_record(place: Place, wanted: str | None, plain: bool, state_at: int | None, call: int | None) -> None:
    """Show a record, or one of its calls, or a state as protobuf-JSON."""
    if state_at is not None and call is not None:
        raise UsageError("--state-at and --call show different things: give one of them")
    with open_source(place) as source:
        if state_at is not None:
            print_json(as_json(choose_recorded_game(source, wanted).state(state_at)))
            return
        record = source.read(choose(source, wanted))
        endless = RUNNING if source.written else UNFINISHED
    overview = summarize(record)
    wording = Wording(find_installed(overview.game), overview.players)
    if call is not None:
        number, found = _find_call(record, call)
        (_print_call if plain else _show_call)(wording, record, number, found)
    elif plain:
        print_json(_json(wording, record, overview))
    else:
        _show(wording, record, overview, endless)


# --- a whole record ---


def _show(wording: Wording, record: Record, overview: Overview, endless: str) -> None:
    console = make_console()
    entries = enumerate(parsed(record), start=1)
    _, header = next(entries)
    for key, value in _header(header, overview, endless):
        say(console, f"[bold]{key:<12}[/]{escape(value)}")
    console.print()
    names = max([len("0 player"), *(len(wording.who(seat)) for seat in range(len(wording.players)))])
    methods = max([len("eliminated"), *(len(method.name) for method in wording.game.methods)])
    layout = f"{{:>5}} {{:>5}}  {{:<{names}}}  {{:<{methods}}} {{:>9}}  {{}}"
    say(console, f"[bold]{layout.format('ENTRY', 'CALL', 'PLAYER', 'WHAT', 'MS', 'REPLY')}[/]")
    last: dict[int, RecordedCall] = {}  # by seat: a misconduct is about the last call to its player
    for number, entry in entries:
        _show_line(console, layout, wording.line(number, entry), cut=entry.HasField("call"))
        if entry.HasField("call"):
            last[entry.call.seat] = entry.call
        if entry.HasField("misconduct"):
            call = last.get(entry.misconduct.seat, RecordedCall())
            for line in wording.evidence(entry.misconduct, call):
                say(console, f"{INDENT}{escape(line)}")


def _show_line(console: Console, layout: str, line: Line, *, cut: bool) -> None:
    text = escape(layout.format(*line).rstrip())
    style = STYLES.get(line.what)
    say(console, f"[{style}]{text}[/]" if style else text, cut=cut)


def _header(header: RecordEntry, overview: Overview, endless: str) -> Iterator[tuple[str, str]]:
    yield "record", f"{overview.record_id}, a {overview.kind}"
    yield "game", overview.game if overview.seed is None else f"{overview.game}, seed {overview.seed}"
    if overview.tournament:
        yield "tournament", overview.tournament
    yield "status", overview.status or endless
    version = header.game.server_version or header.tournament.server_version
    yield "from", f"{show_time(overview.start)} to {show_time(overview.end)}, server version {version or 'unknown'}"
    if header.HasField("table"):
        yield "table", f"{header.table.table.name}, of {header.table.table.owner}"
    plan = _plan_of(header)
    if isinstance(plan, TournamentPlan):
        yield "format", words(plan.format) or "-"
        yield "sign-up", words(plan.sign_up) or "-"
    yield "settings", words(plan.settings) or "-"
    limits = {field.name.replace("_", " "): seconds(limit) for field, limit in plan.time_control.ListFields()}
    yield "limits", ", ".join(f"{name} {limit:g} s" for name, limit in limits.items()) or "-"
    for seat, player in enumerate(overview.entrants):
        yield ("players" if seat == 0 else ""), f"{seat} {player.name}  {player.link}"


def _plan_of(header: RecordEntry) -> GamePlan | TournamentPlan | Table:
    if header.HasField("game"):
        return header.game.plan
    return header.table.table if header.HasField("table") else header.tournament.plan


def _json(wording: Wording, record: Record, overview: Overview) -> dict[str, Any]:
    numbered = enumerate(zip(record.entries, parsed(record), strict=True), start=1)
    entries = [wording.entry_json(number, linked, entry) for number, (linked, entry) in numbered]
    return {"id": overview.record_id, "kind": overview.kind, "entries": entries}


# --- one call ---


def _find_call(record: Record, wanted: int) -> tuple[int, RecordedCall]:
    """Return the call of this number, after the number of its entry, from 1."""
    last = 0
    for number, entry in enumerate(parsed(record), start=1):
        if entry.HasField("call"):
            if entry.call.number == wanted:
                return number, entry.call
            last = max(last, entry.call.number)
    known = f"the record has the calls 1 to {last}" if last else "the record has no calls"
    raise UsageError(f"there is no call {wanted}: {known}")


def _print_call(wording: Wording, _: Record, number: int, call: RecordedCall) -> None:
    print_json({"entry": number, **wording.call_json(call)})


def _show_call(wording: Wording, record: Record, number: int, call: RecordedCall) -> None:
    console = make_console()
    line = wording.line(number, RecordEntry(call=call))
    say(
        console,
        f"[bold]call {line.call}[/], entry {number}: {escape(f'{call.method_name} to {line.who}, {line.took_ms} ms')}",
    )
    _show_board(console, record, number - 1)
    for title, message in (("request", wording.request(call)), ("reply", wording.reply(call))):
        if message is not None:
            say(console, f"[bold]{title}[/]")
            print_json(as_json(message))
    if wording.reply(call) is None:
        say(console, f"[red]{escape(wording.outcome(call))}[/]")
    _show_elimination(console, wording, record, call.number)


def _show_board(console: Console, record: Record, entry: int) -> None:
    """Print the state after an entry, where it is known."""
    game = read_game(record)
    try:
        state = game.state(entry)
    except RecordsError:
        return
    console.print(game.board(state, f"the state after entry {entry}"))


def _show_elimination(console: Console, wording: Wording, record: Record, call: int) -> None:
    """Print the elimination that the call led to, if there is one."""
    for entry in parsed(record):
        if entry.HasField("misconduct") and entry.misconduct.call_number == call:
            say(console, f"[red]{escape(f'{entry.misconduct.player} was eliminated: {kind(entry.misconduct)}')}[/]")
            for line in wording.cause(entry.misconduct):
                say(console, escape(line))
