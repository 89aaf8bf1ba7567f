"""`fairplay games` and `fairplay formats`: what is installed, and what it can be told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from fairplay.client.errors import UsageError
from fairplay.client.inputs import find_game
from fairplay.formats import format as formats
from fairplay.formats.format import Format
from fairplay.games.conformance import Profile, find_profiles
from fairplay.games.game import Game, registered
from fairplay.games.kit.strategies import StrategyKind
from fairplay.games.kit.testdata import Question, find_questions
from fairplay.server.game.plans import seconds
from fairplay.terminal.printing import make_console, print_json


def show_games(name: str | None, as_json: bool) -> None:
    """Show one game in detail, or all in short."""
    if as_json:
        described = [describe_game(find_game(each)) for each in ([name] if name else registered())]
        print_json(described[0] if name else described)
        return
    console = make_console()
    if name is not None:
        _show(console, find_game(name))
        return
    for each in registered():
        game = find_game(each)
        _print_heading(console, game)
        console.print(f"  strategies: {', '.join(game.strategies)}")
        console.print(f"  settings: {', '.join(_values(game, game.settings_type()))}\n")
    console.print("Settings and rules of a game: fairplay games GAME")


def describe_game(game: Game) -> dict[str, Any]:
    """Return a game as plain values."""
    return {
        "name": game.name,
        "title": game.title,
        "service": game.service,
        "players": {"min": game.seats.start, "max": game.seats.stop - 1},
        "settings": _values(game, game.settings_type()),
        "tournamentSettings": _values(game, game.tournament_settings),
        "settingDetails": [each._asdict() for each in game.settings],
        "timeControl": json_format.MessageToDict(game.time_control),
        "strategies": _sentences(game.strategies),
        "profiles": _sentences(find_profiles(game)),
        "testData": _sentences(find_questions(game.name)),
        "rules": dict(game.rules),
    }


def _sentences(named: Mapping[str, StrategyKind[Any] | Profile | Question]) -> dict[str, str]:
    return {name: each.sentence for name, each in named.items()}


def _values(game: Game, settings: Message) -> dict[str, Any]:
    full = game.full_settings(settings)
    values: dict[str, Any] = json_format.MessageToDict(full, preserving_proto_field_name=True)
    return {field.name: values.get(field.name) for field in game.settings_type.DESCRIPTOR.fields}


# --- for people ---


def _show(console: Console, game: Game) -> None:
    _print_heading(console, game)
    console.print(f"  service: {game.service}\n", soft_wrap=True)
    tables = (
        _settings(game),
        _pairs("strategy", _sentences(game.strategies)),
        _pairs("profile", _sentences(find_profiles(game))),
        _pairs("test data", _sentences(find_questions(game.name))),
        _pairs("rule", game.rules),
    )
    for table in tables:
        if table.row_count:
            console.print(table)
            console.print()


def _print_heading(console: Console, game: Game) -> None:
    limit = seconds(game.time_control.decision_limit)
    first = seconds(game.time_control.first_decision_limit) or limit
    console.print(f"[bold]{game.name}[/]  {game.title}, {game.seats.start} to {game.seats.stop - 1} players")
    console.print(f"  time: {limit:g} s for a call, {first:g} s for a first turn")


def _settings(game: Game) -> Table:
    table = Table("setting", "default", "meaning", box=None, padding=(0, 2))
    details = {each.name: each for each in game.settings}
    defaults, others = _values(game, game.settings_type()), _values(game, game.tournament_settings)
    for key, value in defaults.items():
        detail = details.get(key)
        meaning = f"{detail.meaning.rstrip('.')}: {detail.allowed}." if detail is not None else ""
        if others[key] != value:
            meaning += f" In tournaments {_plain(others[key], key)}."
        table.add_row(key, _plain(value, key), escape(meaning.strip()))
    return table


def _pairs(heading: str, sentences: Mapping[str, str]) -> Table:
    table = Table(heading, "", box=None, padding=(0, 2))
    for name, sentence in sentences.items():
        table.add_row(name, escape(sentence))
    return table


def _plain(value: Any, key: str) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return value.removeprefix(f"{key.upper()}_").lower()
    return json.dumps(value)


# --- formats ---


def show_formats(name: str | None, as_json: bool) -> None:
    """Show one format, or all. Raises UsageError if there is none of this name."""
    found = [find_format(each) for each in ([name] if name is not None else formats.registered())]
    if as_json:
        described = [describe_format(each) for each in found]
        print_json(described[0] if name is not None else described)
        return
    console = make_console()
    for each in found:
        console.print(f"[bold]{escape(each.name)}[/]  {escape(each.summary)}")
        if each.settings:
            console.print(_format_settings(each))
        console.print(f"  {_failures(each)}\n")


def find_format(name: str) -> Format:
    """Return the format of this name. Raises UsageError if there is none."""
    try:
        return formats.find(name)
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


def _format_settings(format_: Format) -> Table:
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
