"""A roster made from a folder of programs, by a template of the command that starts one."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from fairplay.terminal.rosters.roster import Entrant, TimeLimits

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
PLACEHOLDERS = ("path", "name")
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
    paths = _programs(folder)
    if not paths:
        raise ValueError(f"{folder} holds no programs: neither a folder nor a file")
    names: list[str] = []
    for path in paths:
        names.append(_free_name(path, names))
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


def _programs(folder: Path) -> list[Path]:
    try:
        inside = sorted(each for each in folder.iterdir() if not each.name.startswith(".") and each.name not in IGNORED)
    except OSError as error:
        raise ValueError(f"{folder} cannot be read: {error.strerror}") from None
    return [each for each in inside if each.is_dir()] or [each for each in inside if each.is_file()]


def _free_name(path: Path, taken: Sequence[str]) -> str:
    stem = path.name if path.is_dir() else path.stem
    base = re.sub(r"[^A-Za-z0-9_.-]+", "-", stem).strip("-")[:50] or "player"
    names = chain([base], (f"{base}-{number}" for number in count(2)))
    return next(name for name in names if name not in taken)


def _found(path: Path, name: str, template: str) -> Found:
    values = {"path": shlex.quote(str(path)), "name": name}
    command = PLACEHOLDER.sub(lambda found: values[found[1]], template)
    files = [word for word in shlex.split(command) if word.startswith(str(path))]
    who = path.name if path.is_dir() else path.stem
    entrant = Entrant(name, f"exec:{command}", who if who != name else "", _language(files))
    return Found(entrant, [file for file in files if not Path(file).exists()])


def _language(files: Iterable[str]) -> str:
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
