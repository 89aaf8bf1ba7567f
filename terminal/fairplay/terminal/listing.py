"""`fairplay games`."""

from __future__ import annotations

import json
import sys
from typing import Any

from google.protobuf import json_format
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from fairplay.games.game import Game, registered
from fairplay.server.plans import seconds
from fairplay.terminal.options import game as find_game


def show_games(name: str | None, as_json: bool) -> None:
    """Shows one game or all."""
    games = [find_game(one) for one in ([name] if name else registered())]
    if as_json:
        described = [described_game(game) for game in games]
        json.dump(described[0] if name else described, sys.stdout, indent=2)
        sys.stdout.write("\n")
        return
    console = Console(highlight=False)
    for game in games:
        _show(console, game, rules=name is not None)


def described_game(game: Game) -> dict[str, Any]:
    """A game as plain values."""
    return {
        "name": game.name,
        "title": game.title,
        "service": game.service,
        "players": {"min": game.seats.start, "max": game.seats.stop - 1},
        "settings": _settings(game),
        "timeControl": json_format.MessageToDict(game.time_control),
        "strategies": dict(game.strategies),
        "rules": dict(game.rules),
    }


def _settings(game: Game) -> dict[str, Any]:
    full = game.full_settings(game.settings_type())
    values: dict[str, Any] = json_format.MessageToDict(full, preserving_proto_field_name=True)
    return {field.name: values.get(field.name) for field in game.settings_type.DESCRIPTOR.fields}


def _show(console: Console, game: Game, *, rules: bool) -> None:
    few, many = game.seats.start, game.seats.stop - 1
    limit = seconds(game.time_control.decision_limit)
    first = seconds(game.time_control.first_decision_limit) or limit
    console.print(f"[bold]{game.name}[/]  {game.title}, {few} to {many} players, {game.service}", soft_wrap=True)
    console.print(f"  time: {limit:g} s for a call, {first:g} s for a first turn")
    settings = Table("setting", "default", box=None, padding=(0, 2))
    for key, value in _settings(game).items():
        settings.add_row(key, "-" if value is None else _plain(value, key))
    console.print(settings)
    strategies = Table("strategy", "", box=None, padding=(0, 2))
    for name, sentence in game.strategies.items():
        strategies.add_row(name, sentence)
    console.print(strategies)
    if rules:
        table = Table("rule", "", box=None, padding=(0, 2))
        for rule_id, sentence in game.rules.items():
            table.add_row(rule_id, escape(sentence))
        console.print(table)
    console.print()


def _plain(value: Any, key: str) -> str:
    if isinstance(value, str):
        return value.removeprefix(f"{key.upper()}_").lower().replace("_", "-")
    return json.dumps(value)
