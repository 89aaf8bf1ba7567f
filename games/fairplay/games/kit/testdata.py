"""Test data of other people: folders of questions in JSON, and how their values are read.

A game answers questions about its rules with plain JSON values: what goes in and comes out is what `json.loads` gives.
Its room `testdata` is a module of public functions, one for each kind of question, marked with `question`. The first
line of the docstring says what is answered; the parameters are the values that the input file holds, one behind the
other. `fairplay check GAME KIND FOLDER` runs a folder of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import Any, NamedTuple, TypeAlias, TypeVar

ENTRY_POINTS = "fairplay.testdata"

Json: TypeAlias = Any
"""null, a truth value, a number, a text, an array of Json or an object of Json."""
Function = TypeVar("Function", bound=Callable[..., Json])


class Question(NamedTuple):
    """A kind of question about the rules of a game."""

    name: str
    """E.g. "legal-moves"."""
    sentence: str
    """What is answered."""
    parameters: Sequence[inspect.Parameter]
    """The values in the input, in their order."""
    answer: Callable[..., Json]
    """Raises ValueError, with one sentence, if a value has not the form that the game documents."""


def question(function: Function) -> Function:
    """Mark a function as one that answers a kind of question: its name is the kind, with hyphens."""
    function.__dict__["is_question"] = True
    return function


def collect_questions(names: Mapping[str, Any]) -> dict[str, Question]:
    """Return the questions among the names of a module, given as its `globals()`, in the order of definition."""
    marked = [each for each in names.values() if getattr(each, "is_question", False)]
    return {asked.name: asked for asked in map(_question, marked)}


def _question(function: Callable[..., Json]) -> Question:
    sentence = (function.__doc__ or "").partition("\n")[0]
    parameters = list(inspect.signature(function).parameters.values())
    return Question(function.__name__.replace("_", "-"), sentence, parameters, function)


@cache
def find_questions(game: str) -> Mapping[str, Question]:
    """Return the kinds of questions that a game answers, by name; empty if it has no test data."""
    found = entry_points(group=ENTRY_POINTS, name=game)
    if not found:
        return {}
    questions: Mapping[str, Question] = next(iter(found)).load()
    return questions


def read_list(value: Json, where: str, *, count: int | None = None) -> list[Json]:
    """Return a JSON array, of `count` values if that is given. Raises ValueError if the value is none."""
    if not isinstance(value, list):
        raise ValueError(f"{where} is {value!r}: it must be an array.")
    if count is not None and len(value) != count:
        raise ValueError(f"{where} has {len(value)} values: it must have {count}.")
    return value


def read_object(value: Json, where: str, names: Sequence[str]) -> dict[str, Json]:
    """Return a JSON object with exactly these names. Raises ValueError if the value is none."""
    if not isinstance(value, dict):
        raise ValueError(f"{where} is {value!r}: it must be an object.")
    if set(value) != set(names):
        raise ValueError(f"{where} has the names {', '.join(value) or 'of nothing'}: it must have {', '.join(names)}.")
    return value


def read_int(value: Json, where: str, low: int | None = None, high: int | None = None) -> int:
    """Return a whole number within the given bounds. Raises ValueError if the value is none."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{where} is {value!r}: it must be a whole number.")
    if (low is not None and value < low) or (high is not None and value > high):
        bounds = f"at least {low}" if high is None else f"at most {high}" if low is None else f"{low} to {high}"
        raise ValueError(f"{where} is {value}: it must be {bounds}.")
    return value


def read_text(value: Json, where: str, allowed: Sequence[str] = ()) -> str:
    """Return a text, one of those allowed if some are given. Raises ValueError if the value is none."""
    if not isinstance(value, str):
        raise ValueError(f"{where} is {value!r}: it must be a text.")
    if allowed and value not in allowed:
        raise ValueError(f"{where} is {value!r}: it must be one of {', '.join(allowed)}.")
    return value
