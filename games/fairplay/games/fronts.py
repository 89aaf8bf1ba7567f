"""How a person plays a game at a table: what a game's own front end supplies, whatever draws it on a screen.

A front end knows the game and no screen: it makes a player whose answers come from keys, and says what is to be seen.
Games register theirs under the entry point "fairplay.fronts", by the name of the game; those without one can be
watched, and joined with a program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import NamedTuple, Protocol

from google.protobuf.message import Message

ENTRY_POINTS = "fairplay.fronts"
RESERVED = frozenset("jgldtq?")
"""Keys of the table itself: a front end gets them only while its view says that it takes letters."""


class Key(NamedTuple):
    """A key that does something now: its name as in Textual ("space", "m"), and what it does in a word or two."""

    name: str
    label: str


class View(NamedTuple):
    """What a person sees of a game now. The texts are rich's console markup, in which names are made harmless."""

    board: str
    """The table, a few lines; at most 56 cells wide where that will do."""
    side: str
    """The players with their scores and what else stands beside the board, 22 cells wide."""
    status: str
    """One line: what may be done now, and how long."""
    keys: Sequence[Key] = ()
    takes_letters: bool = False
    """Whether every printable key belongs to the game now."""
    ticking: bool = False
    """Whether the view changes as time goes by."""


@dataclass(frozen=True, slots=True)
class Chair:
    """What a front end is told about the table, and what it tells whoever draws it."""

    names: Callable[[], Sequence[str]]
    """The players by seat, as the table says at the moment."""
    limit_s: float
    """The time limit of a decision at this table."""
    clock: Callable[[], float]
    """Seconds, monotonic."""
    changed: Callable[[], None]
    """To be called when the view has changed."""
    tell: Callable[[str], None]
    """To be called with each thing that has happened: one line of plain text."""


class Person(Protocol):
    """A player whose answers come from keys. It has the asynchronous methods of the game's service too."""

    game: str

    def show(self, state: Message) -> None:
        """What spectators see now: a state, as `Game.state_type`; the last question may be newer or older."""

    def view(self) -> View:
        """What is to be seen now."""

    def press(self, key: str) -> bool:
        """Takes a key; False: it means nothing here now."""


class Front(Protocol):
    """The front end of a game."""

    settings: str
    """Settings that suit a table of people, KEY=VALUE with spaces between; empty: the game's defaults do."""
    limit: str
    """A time limit for decisions that suits people, e.g. "1m"."""
    help: str
    """How a person plays, a few lines of plain text."""

    def watch(self, state: Message, names: Sequence[str]) -> View:
        """What somebody sees who only watches: a public state, as `Game.state_type`, and the players by seat."""

    def sit(self, chair: Chair) -> Person:
        """A person at a table, before the game or between two of them."""


@cache
def find_front(game: str) -> Front | None:
    """The front end of a game, or None where it has none."""
    found = entry_points(group=ENTRY_POINTS, name=game)
    if not found:
        return None
    front: Front = next(iter(found)).load()
    return front
