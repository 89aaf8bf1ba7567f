"""Every command line that is shown, by a page, a message, `--help`, a template or the pages for browsers, is accepted.

What begins a line, or is code in a page, is a command line: its command, its options and the number of its arguments
have to be right. Elsewhere it is a part of a sentence: its command and its options have to be there.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup

from fairplay.terminal.commands.app import app
from fairplay.terminal.commands.options import Command
from tests.docs.pages import ROOT

FOLDERS = (
    *("bridge", "client", "conformance", "deploy", "docs", "examples", "games", "packages", "proto"),
    *("reference_player", "reference_server", "research", "terminal", "web"),
)
KINDS = re.compile(r"[^.]+|[^.].*\.(cc|go|html|in|java|js|md|proto|py|rs|service|sh|ts|yml)")
MADE = re.compile(r"\..*|__pycache__|node_modules|target|build|bin|dist|gen|data")
LINE = re.compile(r"^[\s#$*]*(?:[A-Z_]+=\S+ )*(fairplay [a-z].*)$", re.MULTILINE)
CODE = re.compile(r"(?<=`)(fairplay [a-z][^`]*)(?=`)|(?<=<code>)(fairplay [a-z].*?)(?=</code>)")
SENTENCE = re.compile(r"(?:(?<![\w.@'/-])|(?<=/bin/))(fairplay [a-z](?:[^`\";:\n]|:(?=\S))*)")
FILLED = re.compile(r"\{+[^{}]*\}+")
"""What a program fills in."""
LEFT_OUT = "left out"
ENDS = re.compile(r"^[()<>|&;]+$")
VERBS = {"import", "is", "serves", "shows", "waits"}
"""What follows the name of the package in Python, and of the program in what it says of itself."""


class Shown(NamedTuple):
    """A command line, which may be one where the rest is left out, or a part of a sentence."""

    place: str
    text: str
    whole: bool

    def words(self) -> list[str]:
        """Return the arguments up to what belongs to the shell, or to the sentence."""
        text = FILLED.sub("FILLED", self.text).partition('"""')[0]
        if not self.whole:
            return [word.strip(".,'()") for word in text.partition(". ")[0].split()[1:]]
        lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        return list(takewhile(lambda word: not ENDS.match(word), lexer))[1:]


def read(path: Path) -> Iterator[Shown]:
    """Yield what a file shows."""
    text = re.sub(r"\\\n\s*", "", path.read_text("utf-8"))
    text = re.sub(
        r"^CMD (\[.*\])$", lambda found: f"fairplay {' '.join(json.loads(found[1]))}", text, flags=re.MULTILINE
    )
    place = path.relative_to(ROOT).as_posix()
    for pattern, whole in ((LINE, True), (CODE, True), (SENTENCE, False)):
        yield from (Shown(place, found[1] or found[2], whole) for found in pattern.finditer(text))
        text = pattern.sub("", text)


def everything() -> Iterator[Shown]:
    yield from (
        shown for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "action.yml") for shown in read(path)
    )
    for folder, folders, names in (each for name in FOLDERS for each in os.walk(ROOT / name)):
        folders[:] = [name for name in folders if not MADE.fullmatch(name)]
        for path in (Path(folder, name) for name in sorted(names)):
            if KINDS.fullmatch(path.name):
                yield from read(path)


@cache
def command_line() -> Any:
    return typer.main.get_command(app)


def problem(shown: Shown) -> str | None:
    """Return what the command line says against it; None: nothing."""
    words, command = shown.words(), command_line()
    while isinstance(command, TyperGroup) and words and not words[0].startswith("-"):
        found = command.get_command(typer.Context(command), words[0])
        if found is None:
            return f"there is no command {words[0]!r}"
        words, command = words[1:], found
    if isinstance(command, Command):
        words = command.completed(words)
    if not shown.whole:
        offered = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
        ours = takewhile(lambda word: word != "--", words)
        unknown = {word.partition("=")[0] for word in ours if word.startswith("--")} - offered - {"--help"}
        return f"there is no option {unknown}" if unknown else None
    if words and words[-1].startswith("-"):
        words.append(LEFT_OUT)  # its value, where one is taken
    try:
        _, left, _ = command.make_parser(typer.Context(command)).parse_args([*words])
    except Exception as error:  # whose class is of a library in typer
        return str(error)
    return f"there is no place for {left}" if set(left) - {"...", "…", LEFT_OUT} else None


def test_every_command_line_that_is_shown_is_one() -> None:
    shown = [each for each in everything() if each.words()[0] not in VERBS]
    assert len(shown) > 400
    assert [(each.place, each.text, found) for each in shown if (found := problem(each))] == []
