"""Read what is typed: players, settings, durations."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Sequence
from itertools import chain, count
from pathlib import Path

from google.protobuf import json_format
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from fairplay.client.errors import UsageError
from fairplay.games.envelopes import wrap
from fairplay.games.game import Game, find
from fairplay.games.kit.files import TextError, read_text
from fairplay.player.channels import PLAIN, SECURE
from fairplay.player.exposure import UNIX
from fairplay.player.secrets import secret_from
from fairplay.server.links.spec import NAME, TARGET, parse_link
from fairplay.server.net.limits import limit_of
from fairplay.v1.game_pb2 import GameSettings, GameState, Player, TimeControl

ANY_NAME = limit_of("Player.name").pattern
"""The pattern of all names that a player may have."""
DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m)?")
MAX_DURATION_S = 86_400
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, None: 1.0}
INTERPRETER = re.compile(r"(python|node|java|ruby|perl|deno|bun|dotnet|env|sh|bash)[\d.]*")
NAMED = re.compile(rf"({NAME.pattern})=(.+)", re.DOTALL)


def parse_address(text: str, option: str) -> str:
    """Return an address as it was typed. Raises UsageError if it is invalid: gRPC itself takes the oddest ports."""
    match = TARGET.fullmatch(text)
    if match is None or not 0 <= int(match[2]) < 65_536:
        raise UsageError(f"{option} {text!r} is not an address: give HOST:PORT, e.g. 127.0.0.1:50050")
    return text


def parse_listen(text: str, option: str) -> str:
    """Return where to listen, as it was typed: HOST:PORT, or unix:PATH. Raises UsageError if it is invalid."""
    return text if text.startswith(UNIX) else parse_address(text, option)


def parse_host_and_port(text: str, option: str) -> tuple[str, int]:
    """Return the host and the port of an address as `parse_address` takes it. Raises UsageError if it is invalid."""
    host, _, port = parse_address(text, option).rpartition(":")
    return host.strip("[]"), int(port)


def parse_server(text: str, option: str) -> str:
    """Return the address of a server as it was typed: HOST:PORT, grpc://HOST:PORT, or grpcs://HOST:PORT for TLS.

    Raises UsageError if it is invalid.
    """
    if not TARGET.fullmatch(text.removeprefix(SECURE).removeprefix(PLAIN)):
        raise UsageError(f"{option} {text!r} is not an address: give HOST:PORT, or grpcs://HOST:PORT for TLS")
    return text


def find_game(name: str) -> Game:
    """Return the game of this name. Raises UsageError if there is none."""
    try:
        return find(name)
    except ValueError as error:
        raise UsageError(str(error)) from None


def parse_players(specs: Sequence[str], others: Sequence[str] = ()) -> list[Player]:
    """Return the players of `--player`, each `[NAME=]LINK`.

    Those without a name are called after their link, other than the `others`. Those that serve have the secret of the
    environment, if there is one: options can be seen by others on this machine. Raises UsageError if one is no player.
    """
    found: list[Player] = []
    for spec in specs:
        named = NAMED.fullmatch(spec)
        name, link = (named[1], named[2]) if named else ("", spec)
        try:
            parsed = parse_link(link)
            secret = secret_from(os.environ) if parsed.kind == "grpc" else ""
        except ValueError as error:
            raise UsageError(_name_problem(spec) or str(error)) from None
        taken = {*others, *(player.name for player in found)}
        found.append(Player(name=name or _free_name(parsed.kind, parsed.value, taken), link=link, secret=secret))
    return found


def _name_problem(spec: str) -> str:
    """Return what is wrong with the name in `NAME=LINK`; "" if something else is."""
    name, _, link = spec.partition("=")
    try:
        parse_link(link)
    except ValueError:
        return ""
    return f"{name!r} is not a name for a player: give 1 to 64 letters from A to z, digits, '-', '_' or '.'"


def _free_name(kind: str, value: str, taken: Iterable[str]) -> str:
    """Return a name for a player without one: bot:minimax:depth=2 -> minimax, exec:./run.sh -> run, then run-2, …"""
    if kind == "exec":
        # What it runs: the first word that is neither an interpreter nor an option.
        words = [Path(word).stem for word in shlex.split(value) if not word.startswith("-")]
        value = next((word for word in words if not INTERPRETER.fullmatch(word)), "player")
    elif kind == "bot":
        value = value.partition(":")[0]
    base = re.sub(r"[^A-Za-z0-9_.-]+", "-", value).strip("-")[:50] or "player"
    names = chain([base], (f"{base}-{number}" for number in count(2)))
    return next(name for name in names if name not in taken)


def parse_seconds(text: str, option: str) -> float:
    """Return the seconds of a duration such as 1s, 500ms, 2m or 1.5 (seconds). Raises UsageError if it is invalid."""
    match = DURATION.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{option} {text!r} is not a duration: give e.g. 500ms, 1s, 1.5s or 2m")
    found = float(match[1]) * UNITS[match[2]]
    if found > MAX_DURATION_S:
        raise UsageError(f"{option} {text!r} is too long: a day is the most")
    return found


def parse_duration(text: str, option: str) -> Duration:
    """Return the same as google.protobuf.Duration."""
    whole, part = divmod(parse_seconds(text, option), 1)
    return Duration(seconds=int(whole), nanos=round(part * 1e9))


def parse_time_control(limit: str | None, first_limit: str | None, bank: str | None) -> TimeControl:
    """Return the time control of `--limit`, `--first-limit` and `--bank`; unset fields mean the game's defaults."""
    given = {"decision_limit": limit, "first_decision_limit": first_limit, "bank": bank}
    options = {"decision_limit": "--limit", "first_decision_limit": "--first-limit", "bank": "--bank"}
    return TimeControl(
        **{name: parse_duration(text, options[name]) for name, text in given.items() if text is not None}
    )


def parse_settings(game: Game, assignments: Sequence[str], file: Path | None, base: Message | None) -> GameSettings:
    """Return the settings of `--settings FILE` (protobuf-JSON), or `base` without it, with each `--set` on top."""
    message = game.settings_type()
    if file is not None:
        _merge_json(read_file(file), message, str(file))
    elif base is not None:
        message.CopyFrom(base)
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not equals:
            raise UsageError(f"--set {assignment!r} has no '=': give KEY=VALUE, e.g. --set rows=6")
        _set(game, message, key.strip(), value.strip())
    found: GameSettings = wrap(GameSettings, game, message)
    return found


def _set(game: Game, message: Message, key: str, value: str) -> None:
    field = message.DESCRIPTOR.fields_by_name.get(key)
    if field is None:
        known = ", ".join(field.name for field in message.DESCRIPTOR.fields)
        raise UsageError(f"{game.title} has no setting {key!r}: it has {known}")
    held = getattr(message, key)
    if isinstance(held, Sequence) and not isinstance(held, str):
        value = value if value.startswith("[") else f"[{value}]"
    elif field.enum_type is not None:
        prefix = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", field.enum_type.name).upper()
        choices = {
            name.removeprefix(f"{prefix}_").lower().replace("_", "-"): name
            for name in field.enum_type.values_by_name
            if not name.endswith("_UNSPECIFIED")
        }
        chosen = choices.get(value.lower().replace("_", "-"), value)
        if chosen not in field.enum_type.values_by_name:
            raise UsageError(f"--set {key}={value}: {key} is one of {', '.join(choices)}")
        value = f'"{chosen}"'
    elif field.type == field.TYPE_BOOL and value not in ("true", "false"):
        raise UsageError(f"--set {key}={value}: {key} is true or false")
    elif field.type == field.TYPE_UINT32 and not re.fullmatch(r"\d{1,9}", value):
        raise UsageError(f"--set {key}={value}: {key} is a whole number, 0 or more")
    elif field.message_type is not None and field.message_type.full_name == "google.protobuf.Duration":
        value = f'"{parse_seconds(value, f"--set {key}"):f}s"'
    message.ClearField(key)
    _merge_json(f'{{"{key}": {value}}}', message, f"--set {key}={value}")


def read_state(game: Game, file: Path) -> GameState:
    """Return the state of `--state FILE` (protobuf-JSON)."""
    message = game.state_type()
    _merge_json(read_file(file), message, str(file))
    found: GameState = wrap(GameState, game, message)
    return found


def read_file(file: Path) -> str:
    """Return the text of a file. Raises UsageError if it cannot be read."""
    try:
        return read_text(file)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    except TextError as error:
        raise UsageError(str(error)) from None


def _merge_json(text: str, message: Message, where: str) -> None:
    part = type(message)()
    try:
        json_format.Parse(text, part)
    except json_format.ParseError as error:
        sentence = " ".join(str(error).split())
        raise UsageError(f"{where} is not {message.DESCRIPTOR.full_name} in protobuf-JSON: {sentence}") from None
    message.MergeFrom(part)
