"""Write into the pages of docs/ what the games, or files of the tree, say: rules, test data, observations, code.

Run in .venv, in the root of the tree: python -m tools.docs_pages
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from fairplay.games.game import Game, find, registered
from fairplay.games.kit.testdata import Question, find_questions
from fairplay.games.research import find_research, first_numbers

ROOT = Path(__file__).parent.parent
MADE = "<!-- Made by `python -m tools.docs_pages` from the games themselves: change the words there. -->\n"
"""Behind this line a page has a section for each game."""
LANGUAGES = {".mjs": "javascript", ".py": "python", ".proto": "proto", ".toml": "toml"}
SHOWN = re.compile(r"^<!-- code: (\S+) -->\n```.*?^```$", re.MULTILINE | re.DOTALL)


def with_sections(text: str, section: Callable[[Game], Iterable[str]]) -> str:
    """Return a page with the present section of each game."""
    lines = (line for name in registered() for line in section(find(name)))
    return text.partition(MADE)[0] + MADE + "".join(f"\n{line}" for line in lines)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


# --- rules ---


def with_rules(text: str) -> str:
    """Return the page with the ids of the rules of every game."""
    return with_sections(text, _rules)


def _rules(game: Game) -> Iterator[str]:
    yield f"## {game.title}\n"
    yield _row("rule", "what it asks")
    yield "|---|---|"
    yield from (_row(f"`{rule_id}`", _escaped(sentence)) for rule_id, sentence in sorted(game.rules.items()))
    yield ""


# --- test data ---


def with_kinds(text: str) -> str:
    """Return the page with the kinds and forms of every game that answers questions."""
    return with_sections(text, _kinds)


def _kinds(game: Game) -> Iterator[str]:
    questions = find_questions(game.name)
    if not questions:
        return
    yield f"## {game.title}\n"
    yield f"{_forms(next(iter(questions.values())))}\n"
    yield _row("kind", "values", "answer")
    yield "|---|---|---|"
    for question in questions.values():
        values = ", ".join(map(_value, question.parameters))
        answer = " ".join((inspect.getdoc(question.answer) or "").split())
        yield _row(f"`{question.name}`", values, _escaped(answer))
    yield ""


def _forms(question: Question) -> str:
    """Return what the docstring of the module says of the forms of values, without its first line."""
    module = sys.modules[question.answer.__module__]
    return (inspect.getdoc(module) or "").partition("\n\n")[2].strip()


def _value(parameter: inspect.Parameter) -> str:
    optional = parameter.default is not inspect.Parameter.empty
    return f"`{parameter.name}` (may be left out)" if optional else f"`{parameter.name}`"


# --- research ---


def with_numbers(text: str) -> str:
    """Return the page with the actions and observations of every game, with default settings."""
    return with_sections(text, _numbers)


def _numbers(game: Game) -> Iterator[str]:
    research, players = find_research(game.name), game.seats.start
    encoding = research.encode(game.settings_type(), players)
    yield f"## {game.title}\n"
    said = (inspect.getdoc(sys.modules[research.encode.__module__]) or "").partition("\n\n")[2]
    yield f"{said}\n" if said else f"{(inspect.getdoc(research.encode) or '')}\n"
    yield f"With default settings and {players} players:\n"
    yield "| actions | kind | what the Nth does, from N = 0 |"
    yield "|---|---|---|"
    for kind, first in zip(encoding.kinds, first_numbers(encoding.kinds), strict=False):
        numbers = str(first) if kind.size == 1 else f"{first} to {first + kind.size - 1}"
        yield f"| {numbers} | `{kind.name}` | {kind.meaning} |"
    yield ""
    yield "| part of an observation | shape | numbers | meaning |"
    yield "|---|---|---|---|"
    for part in encoding.parts:
        shape = " x ".join(map(str, part.shape))
        yield f"| `{part.name}` | {shape} | {part.low} to {part.high} | {part.meaning} |"
    yield ""


# --- code ---


def with_code(text: str) -> str:
    """Return a page with the present text of each file that it shows."""
    return SHOWN.sub(lambda found: _block(found[1]), text)


def _block(name: str) -> str:
    path = ROOT / name
    return f"<!-- code: {name} -->\n```{LANGUAGES[path.suffix]}\n{path.read_text(encoding='utf-8')}```"


PAGES: Mapping[Path, Callable[[str], str]] = {
    ROOT / "docs" / "add-a-game.md": with_code,
    ROOT / "docs" / "ask-rules.md": with_code,
    ROOT / "docs" / "bring-your-own-tests.md": with_kinds,
    ROOT / "docs" / "research.md": with_numbers,
    ROOT / "docs" / "rules.md": with_rules,
}


if __name__ == "__main__":
    for page, made in PAGES.items():
        page.write_text(made(page.read_text(encoding="utf-8")), encoding="utf-8")
