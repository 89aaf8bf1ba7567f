"""What `fairplay formats` shows."""

from __future__ import annotations

from typing import Any

from rich.markup import escape
from rich.table import Table

from fairplay.client.errors import UsageError
from fairplay.formats.format import Format, find, registered
from fairplay.terminal.printing import make_console, print_json


def show_formats(name: str | None, as_json: bool) -> None:
    """Show one format, or all. Raises UsageError if there is none of this name."""
    formats = [find_format(each) for each in ([name] if name is not None else registered())]
    if as_json:
        described = [describe_format(each) for each in formats]
        print_json(described[0] if name is not None else described)
        return
    console = make_console()
    for each in formats:
        console.print(f"[bold]{escape(each.name)}[/]  {escape(each.summary)}")
        if each.settings:
            console.print(_settings(each))
        console.print(f"  {_failures(each)}\n")


def find_format(name: str) -> Format:
    """Return the format of this name. Raises UsageError if there is none."""
    try:
        return find(name)
    except ValueError as error:
        raise UsageError(str(error)) from None


def describe_format(format_: Format) -> dict[str, Any]:
    """Return a format as plain values."""
    return {
        "name": format_.name,
        "title": format_.title,
        "summary": format_.summary,
        "settings": [each._asdict() for each in format_.settings],
        "failuresAllowed": format_.failures_allowed,
        "strikesWithdrawn": format_.strikes_withdrawn,
        "ranks": format_.ranks,
    }


def _settings(format_: Format) -> Table:
    table = Table("setting", "allowed", "default", "meaning", box=None, padding=(0, 2))
    for each in format_.settings:
        table.add_row(*map(escape, (each.name, each.allowed, each.default or "-", each.meaning)))
    return table


def _failures(format_: Format) -> str:
    """Return what becomes of those who fail, where the tournament says nothing else."""
    if not format_.failures_allowed:
        return "Whoever fails once is withdrawn."
    games = "do not count" if format_.strikes_withdrawn else "count"
    return f"Whoever fails more than {format_.failures_allowed} times is withdrawn; its games {games}."
