"""Write the kinds of test data of each installed game into docs/bring-your-own-tests.md, behind its last heading.

Run in .venv, in the root of the tree: python -m tools.docs_testdata
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

from fairplay.games.game import Game, find, registered
from fairplay.games.kit.testdata import Question, find_questions

PAGE = Path(__file__).parent.parent / "docs" / "bring-your-own-tests.md"
BEGINNING = "<!-- Made by `python -m tools.docs_testdata` from the games themselves: change the docstrings there. -->\n"


def with_kinds(text: str) -> str:
    """Return the page with the kinds and forms of every game that answers questions."""
    games = [find(name) for name in registered() if find_questions(name)]
    return text.partition(BEGINNING)[0] + BEGINNING + "".join(f"\n{line}" for game in games for line in _section(game))


def _section(game: Game) -> Iterator[str]:
    questions = find_questions(game.name)
    yield f"## {game.title}\n"
    yield f"{_forms(next(iter(questions.values())))}\n"
    yield "| kind | values | answer |"
    yield "|---|---|---|"
    for question in questions.values():
        values = ", ".join(map(_value, question.parameters))
        answer = " ".join((inspect.getdoc(question.answer) or "").split())
        yield f"| `{question.name}` | {values} | {answer.replace('|', chr(92) + '|')} |"
    yield ""


def _forms(question: Question) -> str:
    """Return what the docstring of the module says of the forms of values, without its first line."""
    module = sys.modules[question.answer.__module__]
    return (inspect.getdoc(module) or "").partition("\n\n")[2].strip()


def _value(parameter: inspect.Parameter) -> str:
    optional = parameter.default is not inspect.Parameter.empty
    return f"`{parameter.name}` (may be left out)" if optional else f"`{parameter.name}`"


if __name__ == "__main__":
    PAGE.write_text(with_kinds(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
