"""What a game supplies so that people can play it by hand, whatever draws it on a screen.

A front end knows the game and no screen: it makes a player whose answers come from keys, and describes what is to be
seen. A game registers its `Frontend` under the entry point "fairplay.fronts", by its name. Without one, people watch
the game, or join it with a program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import NamedTuple, Protocol

from google.protobuf.message import Message

ENTRY_POINTS = "fairplay.fronts"
RESERVED_KEYS = frozenset("jgldtq?")
"""Keys of the program around the game: a player gets them only while its view says that it takes letters."""


class Key(NamedTuple):
    """A key that does something now: its name as in Textual ("space", "m"), and what it does in a word or two."""

    name: str
    label: str


class GameView(NamedTuple):
    """What a person sees of a game now: texts in rich's console markup, in which names are made harmless."""

    board: str
    """The board, a few lines; at most 56 cells wide where that is possible."""
    side: str
    """The players with their scores and what else stands beside the board, 22 cells wide."""
    status: str
    """One line: what the person may do now, and for how long."""
    keys: Sequence[Key] = ()
    takes_letters: bool = False
    """Whether every printable key belongs to the game now."""
    ticking: bool = False
    """Whether the view changes as time goes by."""


@dataclass(frozen=True, slots=True)
class TableContext:
    """What a human player needs of the table where it plays."""

    names: Callable[[], Sequence[str]]
    """Returns the names of the players, by seat."""
    limit_s: float
    """The time limit of a decision, in seconds."""
    clock: Callable[[], float]
    """Returns the time in seconds, monotonic."""
    on_change: Callable[[], None]
    """Is called when the view has changed."""
    report: Callable[[str], None]
    """Is called with one line of plain text for each thing that has happened."""


class HumanPlayer(Protocol):
    """A player whose answers come from keys. It has the asynchronous methods of the game's service, too."""

    game: str

    def update(self, state: Message) -> None:
        """Take a state that spectators see now, of the type `Game.state_type`; it may be older than the last call."""

    def view(self) -> GameView:
        """Return what the person sees now."""

    def press(self, key: str) -> bool:
        """Take a key, and return whether it means anything now."""


class Frontend(Protocol):
    """The front end of a game."""

    settings: str
    """Settings that suit a table of people: KEY=VALUE with spaces between. Empty: the game's defaults do."""
    limit: str
    """A time limit for decisions that suits people, e.g. "1m"."""
    help: str
    """How a person plays, a few lines of plain text."""

    def view_of(self, state: Message, names: Sequence[str]) -> GameView:
        """Return what a spectator sees of a public state, of the type `Game.state_type`; `names` are by seat."""

    def create_player(self, table: TableContext) -> HumanPlayer:
        """Return a player for a person at a table, who plays one game there after the other."""


@cache
def find_frontend(game: str) -> Frontend | None:
    """Return the front end of a game, or None if it has none."""
    found = entry_points(group=ENTRY_POINTS, name=game)
    if not found:
        return None
    frontend: Frontend = next(iter(found)).load()
    return frontend
