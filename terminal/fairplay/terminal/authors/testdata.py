"""What `fairplay check` does: it asks the questions of a folder, and compares the answers with those expected."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from inspect import Parameter
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from fairplay.client.errors import UsageError
from fairplay.client.inputs import find_game, read_file
from fairplay.client.wording import counted, cut
from fairplay.games.kit.testdata import Question, find_questions
from fairplay.terminal.commands.options import DONE, FAILED
from fairplay.terminal.printing import make_console, print_json, say

IN, OUT = "-in.json", "-out.json"
MAX_CHARS = 160
SPACE = re.compile(r"[ \t\r\n]*")


class Pair(NamedTuple):
    """A question of a folder and the expected answer."""

    name: str
    """The name of the file with the question."""
    values: Sequence[Any]
    expected: Any


class Difference(NamedTuple):
    """Where two JSON values differ first, outside in and in the order of what is expected."""

    where: str
    """The path of the place, e.g. "[2].score"; empty: the values as a whole."""
    expected: str
    got: str


def show_kinds(game: str, kind: str | None, as_json: bool) -> None:
    """Show the kinds of questions that a game answers. Raises UsageError if there are none, or not the one given."""
    found = find_kinds(game)
    if kind is not None:
        find_kind(game, kind)
        raise UsageError(f"name the folder with the test data: fairplay check {game} {kind} FOLDER")
    if as_json:
        print_json(
            [{"name": each.name, "sentence": each.sentence, "parameters": _names(each)} for each in found.values()]
        )
        return
    table = Table("kind", "answer, and the values of a question in their order", box=None, padding=(0, 2, 0, 0))
    for question in found.values():
        table.add_row(f"[bold]{question.name}[/]", f"{escape(question.sentence)}\n{escape(_parameters(question))}")
    make_console().print(table)


def check_folder(game: str, kind: str, folder: Path, as_json: bool) -> int:
    """Ask the questions of a folder, show what differs and return the exit code.

    Raises UsageError if the game, the kind or the folder cannot be used; nothing is shown then.
    """
    question = find_kind(game, kind)
    pairs = [read_pair(file, question) for file in find_files(folder)]
    found = {pair.name: find_difference(pair.expected, ask(question, pair)) for pair in pairs}
    differences = {name: difference for name, difference in found.items() if difference is not None}
    if as_json:
        listed = [{"file": name, **difference._asdict()} for name, difference in differences.items()]
        agreeing = len(pairs) - len(listed)
        print_json({"game": game, "kind": kind, "count": len(pairs), "agreeing": agreeing, "differences": listed})
    else:
        _show(make_console(), len(pairs), differences)
    return FAILED if differences else DONE


def _show(console: Console, count: int, differences: Mapping[str, Difference]) -> None:
    for name, (where, expected, got) in differences.items():
        place = f" differs at {where}" if where else " differs"
        say(console, f"[red]✗[/] {escape(name + place)}")
        say(console, f"    expected  {escape(cut(expected, MAX_CHARS))}")
        say(console, f"    got       {escape(cut(got, MAX_CHARS))}")
    agreeing = f"{count - len(differences):,} agree, {len(differences):,} differ"
    say(console, f"{counted(count, 'question')}: {agreeing if differences else '[green]all agree[/]'}")


# --- questions ---


def find_kinds(game: str) -> Mapping[str, Question]:
    """Return the kinds of questions that a game answers. Raises UsageError if there are none."""
    found = find_questions(find_game(game).name)
    if not found:
        raise UsageError(f"{game} has no test data to check")
    return found


def find_kind(game: str, kind: str) -> Question:
    """Return a kind of question. Raises UsageError, with a sentence that lists them all, if there is none."""
    found = find_kinds(game)
    if kind not in found:
        listed = "".join(f"\n  {each.name}: {each.sentence} ({_parameters(each)})" for each in found.values())
        raise UsageError(f"{game} has no test data {kind!r}; it has:{listed}")
    return found[kind]


def _names(question: Question) -> list[str]:
    return [each.name for each in question.parameters]


def _parameters(question: Question) -> str:
    """Return what a question takes, e.g. "state, seed"; what may be left out stands in brackets."""
    named = (each.name if each.default is Parameter.empty else f"[{each.name}]" for each in question.parameters)
    return ", ".join(named) or "no values"


def ask(question: Question, pair: Pair) -> Any:
    """Return the answer to a question as JSON; {"error": SENTENCE} if its values are refused."""
    try:
        answer = question.answer(*pair.values)
    except ValueError as error:
        return {"error": str(error)}
    return json.loads(json.dumps(answer))


# --- files ---


def find_files(folder: Path) -> list[Path]:
    """Return the files with questions, by number. Raises UsageError if there are none, or one lacks its pair."""
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}")
    asked = {path.name.removesuffix(IN): path for path in folder.glob(f"*{IN}")}
    answered = {path.name.removesuffix(OUT): path for path in folder.glob(f"*{OUT}")}
    if not asked:
        raise UsageError(f"{folder} has no test data: name the questions N{IN} and the answers N{OUT}")
    for name in sorted(asked.keys() ^ answered.keys()):
        missing = OUT if name in asked else IN
        raise UsageError(f"{folder / (name + missing)} is missing")
    return [asked[name] for name in sorted(asked, key=_numbers)]


def _numbers(name: str) -> list[tuple[int, str]]:
    """Return what a name is sorted by: 2 comes before 10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def read_pair(file: Path, question: Question) -> Pair:
    """Return a question with its answer. Raises UsageError if a file cannot be read or has another number of values."""
    values, out = read_values(file), file.with_name(file.name.removesuffix(IN) + OUT)
    needed = [each for each in question.parameters if each.default is Parameter.empty]
    if not len(needed) <= len(values) <= len(question.parameters):
        raise UsageError(f"{file} holds {counted(len(values), 'value')}: {question.name} takes {_parameters(question)}")
    answers = read_values(out)
    if len(answers) != 1:
        raise UsageError(f"{out} holds {counted(len(answers), 'value')}: it must hold one answer")
    return Pair(file.name, values, answers[0])


def read_values(file: Path) -> list[Any]:
    """Return the JSON values of a file, one behind the other. Raises UsageError if they cannot be read."""
    try:
        return list(_values(read_file(file)))
    except json.JSONDecodeError as error:
        raise UsageError(f"{file}, line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise UsageError(f"{file} cannot be read: its values are too deep") from None
    except ValueError:
        raise UsageError(f"{file} cannot be read: a number has too many digits") from None


def _values(text: str) -> Iterator[Any]:
    decoder, place = json.JSONDecoder(), 0
    while (place := _skip(text, place)) < len(text):
        value, place = decoder.raw_decode(text, place)
        yield value


def _skip(text: str, place: int) -> int:
    found = SPACE.match(text, place)
    return found.end() if found is not None else place


# --- comparison ---


def find_difference(expected: Any, got: Any) -> Difference | None:
    """Return where an answer differs first from the one expected; None if they are equal.

    An expected {"error": TEXT} equals every refusal whose sentence contains the text.
    """
    if _is_error(expected) and _is_error(got) and expected["error"] in got["error"]:
        return None
    return next(_differences(expected, got, ""), None)


def _is_error(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {"error"} and isinstance(value["error"], str)


def _differences(expected: Any, got: Any, where: str) -> Iterator[Difference]:
    if isinstance(expected, dict) and isinstance(got, dict) and expected.keys() == got.keys():
        for name, value in expected.items():
            yield from _differences(value, got[name], f"{where}.{name}")
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        for index, pair in enumerate(zip(expected, got, strict=True)):
            yield from _differences(*pair, f"{where}[{index}]")
    elif isinstance(expected, bool) != isinstance(got, bool) or expected != got:
        yield Difference(where, json.dumps(expected), json.dumps(got))
