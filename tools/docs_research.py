"""Write what agents do and observe in each installed game into docs/research.md, behind its last heading.

Run in .venv, in the root of the tree: python -m tools.docs_research
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

from fairplay.games.game import Game, find, registered
from fairplay.games.research import find_research, first_numbers

PAGE = Path(__file__).parent.parent / "docs" / "research.md"
BEGINNING = "<!-- Made by `python -m tools.docs_research` from the games themselves: change the words there. -->\n"


def with_numbers(text: str) -> str:
    """Return the page with the actions and observations of every game, with default settings."""
    games = map(find, registered())
    return text.partition(BEGINNING)[0] + BEGINNING + "".join(f"\n{line}" for game in games for line in _section(game))


def _section(game: Game) -> Iterator[str]:
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


if __name__ == "__main__":
    PAGE.write_text(with_numbers(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
