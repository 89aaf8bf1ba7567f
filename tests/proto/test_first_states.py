"""The sentences with which our server refuses first states are those of the specification."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACES: Mapping[str, Mapping[str, Collection[str]]] = {
    "Fish": {
        "fish/rules/__init__.py": ("state_of", "_problems"),
        "fish/rules/board.py": ("board_of",),
        "fish/protocol.py": ("resume",),
    },
    "Q": {
        "q/rules/state.py": ("_seat_problems", "_tile_problems", "_phase_problems", "_end_problems"),
        "q/protocol/codec.py": ("_tile_problems", "_problems"),
    },
    "Bazaar": {
        "bazaar/rules/state.py": ("_piece_problems", "_seat_problems", "_turn_problems"),
        "bazaar/rules/pieces.py": ("equations_problem",),
    },
    "Eriantys": {
        "eriantys/rules/invariants.py": (
            *("_sides", "_cards", "_students", "_islands", "_towers", "_professors"),
            *("_coins", "_no_entry", "_hands", "_phase", "_planning", "_turn"),
        ),
        "eriantys/protocol/codec.py": (
            *("_check_sizes", "_check_lengths", "_check_enums", "_check_numbers", "_check_seats", "_check_hidden"),
        ),
    },
    "Webset": {
        "webset/rules/invariants.py": (
            *("cards_problem", "_problems", "_table_problems", "_player_problems", "_player_problem"),
            *("_puzzle_problems", "_call_problems", "_showing_problems", "_end_problems"),
        ),
        "webset/protocol/codec.py": ("_state", "_player"),
    },
}
"""Game -> the files that say what is wrong with a state, and their functions that do."""
WITHIN = "Player … …."
"""The sentence around those of a function that names what is wrong with a player."""


def said(path: Path, names: Collection[str]) -> Iterator[str]:
    """Yield the sentences of functions, with … in the place of values."""
    for function in ast.walk(ast.parse(path.read_text())):
        if isinstance(function, ast.FunctionDef) and function.name in names:
            for node in ast.walk(function):
                value = node.value if isinstance(node, (ast.Yield, ast.Return)) else None
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                    value = node.exc.args[0]
                if text := template(value):
                    yield text if text.endswith(".") else f"Player … {text}."


def template(value: ast.expr | None) -> str:
    """Return the text of a literal, with … in the place of values; empty: it is none."""
    if isinstance(value, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in value.values)
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def listed(game: str) -> list[str]:
    """Return the sentences that the specification has of a game."""
    text = (ROOT / "proto" / "SPECIFICATION.md").read_text().partition("\n## First states\n")[2]
    section = text.partition("\n## ")[0].partition(f"\n### First states of {game}\n")[2].partition("\n### ")[0]
    return re.findall(r"^\| ([^|]+\.) \| [^|]*\|$", section, re.MULTILINE)


@pytest.mark.parametrize("game", PLACES)
def test_the_specification_says_why_first_states_are_refused(game: str) -> None:
    sentences = [
        sentence
        for name, functions in PLACES[game].items()
        for sentence in said(ROOT / "games" / "fairplay" / "games" / name, functions)
    ]
    assert len(sentences) > 10
    assert sorted(listed(game)) == sorted({*sentences} - {WITHIN})
