"""A roster: the TOML file that lists who enters, and the time limits of all. Reads text, and nothing else.

[limits]                        # for all; what an option of the command says goes first
call = "1s"
start = "30s"

[[entrant]]
name = "alice"                  # 1 to 64 letters, digits, '-', '_' or '.'
link = "exec:python alice/player.py"
who = "Alice Liddell"           # optional: whose program it is
language = "Python"             # optional
secret = "…"                    # optional, for a link grpc:// or grpcs://: what the player answers only calls with
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import Any

from fairplay.games.kit.printable import UNPRINTABLE
from fairplay.player.secrets import check_secret
from fairplay.server.links.secrets import checked_secret
from fairplay.server.links.spec import NAME, parse_link
from fairplay.server.net.errors import Refusal

MAX_ENTRANTS = 10_000
MAX_CHARS = 16 * 1024 * 1024
MAX_TEXT_CHARS = 200
MAX_LINK_CHARS = 4_096
HEADER = re.compile(r"^[ \t]*\[\[[ \t]*entrant[ \t]*\]\]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Entrant:
    """One who enters."""

    name: str
    link: str
    who: str = ""
    """Whose program it is, for people. Never sent to anybody."""
    language: str = ""
    secret: str = field(default="", repr=False)
    """The player's own, for one that serves. Shown to nobody but the player."""


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """The time limits of all, as the options of commands take them, e.g. "500ms"; None: not said."""

    call: str | None = None
    first: str | None = None
    bank: str | None = None
    start: str | None = None


@dataclass(frozen=True, slots=True)
class Roster:
    """Who enters, in the order of the file."""

    entrants: Sequence[Entrant]
    limits: TimeLimits = field(default_factory=TimeLimits)


def parse_roster(text: str, file: str) -> Roster:
    """Return the roster in a text that was read from `file`.

    Raises ValueError, with one sentence that names the file and the line or the entrant, if it is invalid.
    """
    if len(text) > MAX_CHARS:
        raise ValueError(f"{file} has more than {MAX_CHARS:,} characters: that is no roster")
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ValueError(f"{file} is not TOML: {_sentence(error)}") from None
    _check_keys(content, ("entrant", "limits"), file)
    tables = content.get("entrant", [])
    if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
        raise ValueError(f"{file}: entrants are listed as tables, each below a line [[entrant]]")
    if not tables:
        raise ValueError(f"{file} has no entrants: list each below a line [[entrant]]")
    if len(tables) > MAX_ENTRANTS:
        raise ValueError(f"{file} has {len(tables):,} entrants: at most {MAX_ENTRANTS:,} are allowed")
    return Roster(_entrants(tables, _places(text, file, len(tables))), _limits(content.get("limits", {}), file))


def _sentence(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return " ".join(str(error).split())


def _places(text: str, file: str, count: int) -> list[str]:
    """Return how to name the place of each entrant: by its line, or its number where lines cannot be told apart."""
    lines = [text.count("\n", 0, found.start()) + 1 for found in HEADER.finditer(text)]
    if len(lines) == count:
        return [f"{file}, line {line}" for line in lines]
    return [f"{file}, entrant {number}" for number in range(1, count + 1)]


def _entrants(tables: Sequence[Mapping[str, Any]], places: Sequence[str]) -> list[Entrant]:
    found: list[Entrant] = []
    first_places: dict[str, str] = {}
    for table, place in zip(tables, places, strict=True):
        entrant = _entrant(table, place)
        if entrant.name in first_places:
            raise ValueError(f"{place}: the name {entrant.name!r} is taken by {first_places[entrant.name]}")
        first_places[entrant.name] = place
        found.append(entrant)
    return found


def _entrant(table: Mapping[str, Any], place: str) -> Entrant:
    _check_keys(table, [each.name for each in fields(Entrant)], place)
    for name in ("name", "link"):
        if name not in table:
            raise ValueError(f'{place}: the entrant has no {name}: add {name} = "…"')
    _check_texts(table, place)
    if not NAME.fullmatch(table["name"]):
        form = "1 to 64 letters, digits, '-', '_' or '.', but not '.' or '..'"
        raise ValueError(f"{place}: {_quoted(table['name'])} is no name: {form}")
    for key in ("who", "language"):
        if len(table.get(key, "")) > MAX_TEXT_CHARS:
            raise ValueError(f"{place}: {key} has more than {MAX_TEXT_CHARS} characters")
    if len(table["link"]) > MAX_LINK_CHARS:
        raise ValueError(f"{place}: the link has more than {MAX_LINK_CHARS:,} characters")
    try:
        parse_link(table["link"])
        if "secret" in table:
            checked_secret(table["link"], check_secret(table["secret"], "the secret"), "secret")
    except Refusal as refusal:
        raise ValueError(f"{place}: {refusal.message}") from None
    except ValueError as error:
        raise ValueError(f"{place}: {error}".translate(UNPRINTABLE)) from None
    return Entrant(**table)


def _limits(table: object, file: str) -> TimeLimits:
    if not isinstance(table, dict):
        raise ValueError(f"{file}: limits is a table: write [limits] in a line of its own")
    place = f"{file}, [limits]"
    _check_keys(table, [each.name for each in fields(TimeLimits)], place)
    _check_texts(table, place)
    return TimeLimits(**table)


def _check_texts(table: Mapping[str, Any], place: str) -> None:
    for key, value in table.items():
        if not isinstance(value, str):
            raise ValueError(f'{place}: {key} is a text: write {key} = "{_quoted(str(value))[1:-1]}"')


def _check_keys(table: Mapping[str, Any], known: Sequence[str], place: str) -> None:
    for key in table:
        if key not in known:
            close = get_close_matches(key, known, 1)
            hint = f"did you mean {close[0]}?" if close else f"it may have {', '.join(known)}"
            raise ValueError(f"{place}: unknown key {_quoted(key)}: {hint}")


def _quoted(text: str) -> str:
    """Return a text of the file in quotation marks, cut, without what could steer a terminal."""
    shown = text if len(text) <= MAX_TEXT_CHARS else f"{text[:MAX_TEXT_CHARS]}…"
    return f"'{shown.translate(UNPRINTABLE)}'"
