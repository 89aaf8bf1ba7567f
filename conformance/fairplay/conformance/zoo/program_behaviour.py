"""What a mutant does as a program, beside answering its calls."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Start(Enum):
    """How a program starts."""

    WELL = "serves or dials in"
    EXITS = "ends at once"
    SLEEPS = "neither serves nor dials in"
    ALONE = "neither serves nor dials in while another process of it runs"


class InvalidRequests(Enum):
    """How a program reacts to unreadable requests and to unknown methods."""

    REFUSES = "answers with an error"
    ANSWERS = "answers as if all were well"
    DIES = "ends"


@dataclass(frozen=True, slots=True)
class ProgramBehaviour:
    """How a program behaves. The defaults are those of a sound one."""

    start: Start = Start.WELL
    invalid_requests: InvalidRequests = InvalidRequests.REFUSES
    only_served: bool = False
    """Whether the mutation shows only when the program serves, and not when it dials in."""
    reply_count: int = 1
    """How often the program sends each reply on its stream."""
    comes_back: bool = True
    """Whether the program dials in again after a server that shuts down has said goodbye."""
    stays: bool = False
    """Whether the program goes on after a goodbye for good, and does nothing."""
    returns_when_replaced: bool = False
    """Whether the program dials in again after another program has taken its name over."""
    hello_version: str = ""
    """The version that the program says when it dials in; empty: the one that it answers to Describe."""
    dies_when_cancelled: bool = False
    """Whether the program ends when one of its calls is cancelled."""
    stuck_when_cancelled: bool = False
    """Whether the program never answers again once a call is cancelled that it has received."""
