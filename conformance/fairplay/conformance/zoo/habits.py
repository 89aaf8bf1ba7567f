"""Faults that a player can only have as a program: what it does beside answering its calls."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Start(Enum):
    """How a program comes up."""

    WELL = "serves or dials in"
    EXITS = "ends at once"
    SLEEPS = "neither serves nor dials in"


class Nonsense(Enum):
    """What a program makes of requests that nobody can read, and of methods that there are not."""

    REFUSES = "answers with an error"
    ANSWERS = "answers as if all were well"
    DIES = "ends"


@dataclass(frozen=True, slots=True)
class Habits:
    """How a program behaves; the defaults are those of a good one."""

    start: Start = Start.WELL
    nonsense: Nonsense = Nonsense.REFUSES
    only_served: bool = False
    """Whether its fault shows itself only where it serves, and not where it dials in."""
    reply_count: int = 1
    """How often it sends each reply on its stream."""
    comes_back: bool = True
    """Whether it dials in again after the server has said goodbye and means to come back."""
    minds_cancelling: bool = False
    """Whether it ends when one of its calls is cancelled."""
