"""Replies that a person puts together choice by choice, and how they are marked in pictures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import hypot
from typing import NamedTuple, Protocol

from google.protobuf.message import Message

from fairplay.games.frontends import Choice
from fairplay.games.kit.lettering import literally


class Draft(Protocol):
    """A reply of which a part is chosen. Drafts never change: a choice makes another one."""

    @property
    def prompt(self) -> str:
        """Return what to choose next, as one sentence; if the reply is complete, what it does."""

    @property
    def choices(self) -> Sequence[Choice]:
        """Return what may be chosen now; nothing if the reply is complete and nothing can be added."""

    @property
    def chosen(self) -> frozenset[str]:
        """Return the parts that are chosen."""

    @property
    def reply(self) -> Message | None:
        """Return the reply to the request, or None as long as it is not complete."""

    def choose(self, part: str) -> Draft:
        """Return the draft in which a part is chosen. Raises IllegalChoiceError if it may not be."""


class Marks(NamedTuple):
    """What is marked in a picture, by the ids of its parts."""

    choices: frozenset[str] = frozenset()
    """What may be chosen now."""
    chosen: frozenset[str] = frozenset()
    """What is chosen."""
    cursor: str = ""
    """Where the keys are; empty where there are none."""


NO_MARKS = Marks()


_POINTED = "bold #c77700"


def choice_line(choice: Choice, marks: Marks) -> str:
    """Return a choice as a line of a list, in rich's console markup; an arrow is the cursor."""
    mark = "►" if choice.part == marks.cursor else " "
    return f"[{_POINTED}]{mark}[/] [default]{literally(choice.label)}[/]"


def choice_lines(choices: Sequence[Choice], marks: Marks, most: int) -> list[str]:
    """Return choices as lines, `most` of them around the cursor, with the numbers of those that do not fit."""
    if len(choices) <= most:
        return [choice_line(choice, marks) for choice in choices]
    at = next((place for place, choice in enumerate(choices) if choice.part == marks.cursor), 0)
    room = most - 1
    start = min(max(0, at - room // 2), len(choices) - room)
    above, below = start, len(choices) - start - room
    more = ", ".join(f"{count} more {where}" for count, where in ((above, "above"), (below, "below")) if count)
    return [*(choice_line(choice, marks) for choice in choices[start : start + room]), f"  [default]({more})[/]"]


def bracketed(text: str, part: str, marks: Marks) -> str:
    """Return a piece in rich's console markup, two cells wider: between arrows at the cursor, in brackets if chosen."""
    if part == marks.cursor:
        return f"[{_POINTED}]►[/]{text}[{_POINTED}]◄[/]"
    return rf"\[{text}]" if part in marks.chosen else f" {text} "


def nearest(choices: Iterable[Choice], start: Choice, step_x: int, step_y: int) -> Choice:
    """Return the choice that comes first from `start` in a direction, which is `start` itself if there is none.

    What a choice lies aside of the direction counts four times: along a row of tiles, keys stay in the row.
    """

    def cost(choice: Choice) -> float:
        ahead, aside = _along(start, choice, step_x, step_y)
        return hypot(ahead, 4 * aside)

    beyond = [choice for choice in choices if _along(start, choice, step_x, step_y)[0] > 0]
    return min(beyond, key=cost, default=start)


def _along(start: Choice, choice: Choice, step_x: int, step_y: int) -> tuple[float, float]:
    """Return how far a choice lies in a direction, and how far beside it."""
    right, down = choice.x - start.x, choice.y - start.y
    return right * step_x + down * step_y, right * step_y + down * step_x
