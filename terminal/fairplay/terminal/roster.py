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
import shlex
import sys
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from itertools import chain, count
from pathlib import Path
from typing import Any

from fairplay.client.errors import UsageError
from fairplay.client.inputs import parse_seconds
from fairplay.client.wording import counted, cut
from fairplay.games.kit.files import Output, read_text
from fairplay.games.kit.printable import UNPRINTABLE
from fairplay.player.secrets import check_secret
from fairplay.server.links.secrets import checked_secret
from fairplay.server.links.spec import NAME, parse_link
from fairplay.server.net.errors import Refusal
from fairplay.server.net.limits import limit_of
from fairplay.terminal.workers import hide_from_programs

MAX_ENTRANTS = limit_of("TournamentPlan.entrants").max_items
MAX_CHARS = 16 * 1024 * 1024
MAX_TEXT_CHARS = 200
MAX_LINK_CHARS = limit_of("Player.link").max_characters
HEADER = re.compile(r"^[ \t]*\[\[[ \t]*entrant[ \t]*\]\]", re.MULTILINE)
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
PLACEHOLDERS = ("path", "name")
IN_ASCII = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe"}
    | {"Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "þ": "th", "Þ": "Th"}
)
"""How letters are written that Unicode does not take apart into one of ASCII and a mark, or that German spells out."""
IGNORED = ("__pycache__", "node_modules", "venv", "target", "build")
LANGUAGES = {
    ".c": "C",
    ".cpp": "C++",
    ".cs": "C#",
    ".go": "Go",
    ".jar": "Java",
    ".java": "Java",
    ".jl": "Julia",
    ".js": "JavaScript",
    ".kts": "Kotlin",
    ".mjs": "JavaScript",
    ".php": "PHP",
    ".py": "Python",
    ".rb": "Ruby",
    ".rs": "Rust",
    ".scala": "Scala",
    ".ts": "TypeScript",
}
"""What the suffix of a file in a command says about its language."""


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
    return Roster(_entrants(tables, _places(text, file, len(tables))), parse_limits(content.get("limits", {}), file))


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


def parse_limits(table: object, file: str) -> TimeLimits:
    """Return the time limits in a table that was read from `file`. Raises ValueError, with one sentence."""
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
    return f"'{cut(text, MAX_TEXT_CHARS).translate(UNPRINTABLE)}'"


# --- files ---


def read_roster(file: Path) -> Roster:
    """Return the roster in a file, which programs must not see: it may hold secrets of players.

    Raises UsageError, before anything is played, if something in it is wrong.
    """
    hide_from_programs(file)
    try:
        return parse_roster(read_text(file), str(file))
    except OSError as error:
        raise UsageError(f"the roster {file} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(str(error)) from None


@dataclass(frozen=True, slots=True)
class Found:
    """A program of a folder as an entrant, and the files of its command that are not there."""

    entrant: Entrant
    missing: Sequence[str]


def find_programs(folder: Path, template: str) -> list[Found]:
    """Return the programs of a folder, by name: each folder in it, or each file where there are no folders.

    In the template {path} stands for the program's path and {name} for its name in the roster. Raises ValueError if
    the folder holds no program or the template names something else.
    """
    check_template(template)
    try:
        inside = sorted(each for each in folder.iterdir() if not each.name.startswith(".") and each.name not in IGNORED)
    except OSError as error:
        raise ValueError(f"{folder} cannot be read: {error.strerror}") from None
    paths = [each for each in inside if each.is_dir()] or [each for each in inside if each.is_file()]
    if not paths:
        raise ValueError(f"{folder} holds no programs: neither a folder nor a file")
    names: list[str] = []
    for path in paths:
        names.append(free_name(_who(path), names))
    return [_found(path, name, template) for path, name in zip(paths, names, strict=True)]


def check_template(template: str) -> None:
    """Raise ValueError if a template does not say where the path of a program goes."""
    for name in PLACEHOLDER.findall(template):
        if name not in PLACEHOLDERS:
            raise ValueError(f"{{{name}}} stands for nothing: the template may have {{path}} and {{name}}")
    if "{path}" not in template:
        raise ValueError(f"the template {template!r} has no {{path}}: every program would be the same one")
    try:
        shlex.split(template)
    except ValueError as error:
        raise ValueError(f"the template {template!r} cannot be read: {str(error).lower()}") from None


def free_name(who: str, taken: Iterable[str], key: str = "") -> str:
    """Return a name of a roster that can be read as somebody's, e.g. Juergen-Mueller, and that is not taken.

    In scripts of which nothing can be written in ASCII it is made of the number in the `key` that tells people apart.
    """
    base = _in_ascii(who) or f"player-{_in_ascii(key)}".rstrip("-")
    names = chain([base], (f"{base}-{number}" for number in count(2)))
    used = {name.casefold() for name in taken}  # they become names of folders, which not all systems keep apart
    return next(name for name in names if name.casefold() not in used)


def _in_ascii(text: str) -> str:
    """Return a text as far as it can be a name; empty if nothing can."""
    letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFC", text).translate(IN_ASCII))
    plain = "".join(each for each in letters if not unicodedata.combining(each))
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", plain)[:50].strip("-.")


def _who(path: Path) -> str:
    return unicodedata.normalize("NFC", path.name if path.is_dir() else path.stem)  # macOS takes letters apart


def fill_template(template: str, path: Path, name: str) -> str:
    """Return the command that starts the program at a path."""
    values = {"path": shlex.quote(str(path)), "name": name}
    return PLACEHOLDER.sub(lambda found: values[found[1]], template)


def _found(path: Path, name: str, template: str) -> Found:
    command, who = fill_template(template, path, name), _who(path)
    files = [word for word in shlex.split(command) if word.startswith(str(path))]
    entrant = Entrant(name, f"exec:{command}", who if who != name else "", language_of(files))
    return Found(entrant, [file for file in files if not Path(file).exists()])


def language_of(files: Iterable[str]) -> str:
    """Return the language that the suffixes of files name; "" if they name none."""
    return next((LANGUAGES[suffix] for file in files if (suffix := Path(file).suffix.lower()) in LANGUAGES), "")


# --- writing ---


def roster_text(entrants: Iterable[Entrant], limits: TimeLimits, comment: str) -> str:
    """Return the TOML of a roster that begins with a comment of one line."""
    parts = [f"# {comment}\n"]
    given = [("call", limits.call), ("first", limits.first), ("bank", limits.bank), ("start", limits.start)]
    if any(value is not None for _, value in given):
        parts.append("[limits]\n" + _lines(given))
    for each in entrants:
        values = [("name", each.name), ("link", each.link), ("who", each.who or None)]
        parts.append("[[entrant]]\n" + _lines([*values, ("language", each.language or None)]))
    return "\n".join(parts)


def _lines(values: Iterable[tuple[str, str | None]]) -> str:
    return "".join(f"{key} = {toml_string(value)}\n" for key, value in values if value is not None)


def toml_string(text: str) -> str:
    """Return a text as a basic string of TOML. Raises ValueError if it is not Unicode, as names of files may be."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"{text.encode('utf-8', 'replace').decode()!r} is not text in UTF-8: rename it") from None
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return f"\\u{ord(character):04X}" if ord(character) < 0x20 or ord(character) == 0x7F else character


def make_roster(folder: Path, template: str, output: Path | None, start_limit: str | None) -> None:
    """Write the roster of a folder to a new file, or print it; name what is missing."""
    if output is not None and output.exists():
        raise UsageError(f"{output} is there already: name another file, or remove it")
    if start_limit is not None:
        parse_seconds(start_limit, "--start-limit")
    try:
        found = find_programs(folder, template)
        text = roster_text([each.entrant for each in found], TimeLimits(start=start_limit), _comment(folder, template))
        parse_roster(text, str(folder))
    except ValueError as error:
        raise UsageError(str(error)) from None
    for each in found:
        for file in each.missing:
            sys.stderr.write(f"{each.entrant.name}: there is no {file}\n")
    if output is None:
        sys.stdout.write(text)
        return
    Output(output).write(text)
    sys.stdout.write(f"{output} lists {counted(len(found), 'entrant')}\n")


def _comment(folder: Path, template: str) -> str:
    made = f"Made by: fairplay roster {shlex.quote(str(folder))} --command {shlex.quote(template)}"
    return " ".join(made.translate(UNPRINTABLE).split())
