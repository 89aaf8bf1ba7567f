"""What a game supplies so that people can play it by hand, whatever draws it on a screen.

A front end knows the game and no screen: it makes a player whose answers come from keys, or from pointing at parts of a
picture, and describes what is to be seen. A game registers its `Frontend` under the entry point "fairplay.fronts", by
its name. Without one, people watch the game, or join it with a program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from typing import Any, NamedTuple, Protocol

from google.protobuf.message import Message

ENTRY_POINTS = "fairplay.fronts"
RESERVED_KEYS = frozenset("jbgldtq?")
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


class Choice(NamedTuple):
    """Something that may be chosen now: a part of the picture."""

    part: str
    """The id of the part in pictures, e.g. "cell-7"."""
    label: str
    """What it is, in words for lists and screen readers, e.g. "[1, 2]: 3 fish"."""
    x: float
    """Where it is, to the right. The unit is the game's own: only directions and distances matter."""
    y: float
    """Where it is, downwards."""


class IllegalChoiceError(ValueError):
    """Raised for a part that may not be chosen, with the sentence of the rule against it."""


class Offer(NamedTuple):
    """What a person may do now. All words are plain text."""

    prompt: str
    """What to choose or to send, or what is waited for, as one sentence."""
    choices: Sequence[Choice] = ()
    """What may be chosen. In the picture each of them is one element, whose `data-part` is the choice's part."""
    chosen: frozenset[str] = frozenset()
    """The parts that are chosen."""
    can_undo: bool = False
    """Whether `HumanPlayer.undo` takes a choice back."""
    can_send: bool = False
    """Whether `HumanPlayer.send` sends a complete reply."""
    left_s: float | None = None
    """How long the person has, in seconds; None while no time runs."""


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
    call_limit_s: Callable[[], float | None] = lambda: None
    """Returns how long the call that is being answered may take, in seconds, or None where that is not known. A call
    that comes again, after a lost connection or to a new process, has only what is left of its time."""


class HumanPlayer(Protocol):
    """A player whose answers come from a person. It has the asynchronous methods of the game's service, too.

    A terminal shows `view()` and passes keys to `press`. A program with a pointer shows `svg()` and `offer()` and calls
    `choose`, `undo` and `send`.
    """

    game: str

    def update(self, state: Message) -> None:
        """Take a state that spectators see now, of the type `Game.state_type`; it may be older than the last call."""

    def view(self) -> GameView:
        """Return what the person sees now."""

    def press(self, key: str) -> bool:
        """Take a key, and return whether it means anything now."""

    def svg(self) -> str:
        """Return what the person sees now as one SVG document, with marks; empty until there is something to see."""

    def offer(self) -> Offer:
        """Return what the person may do now."""

    def choose(self, part: str) -> None:
        """Choose a part of the picture. Raises IllegalChoiceError with the rule's sentence if it may not be chosen."""

    def undo(self) -> None:
        """Take the last choice back, if there is one."""

    def send(self) -> bool:
        """Send the reply, and return whether it is complete."""


class Figure(NamedTuple):
    """A picture of a board that shows something of the rules."""

    caption: str
    draw: Callable[[], str]
    """Returns the picture as one SVG document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guide:
    """A game in words, for somebody who does not know it: plain text, with the usual settings."""

    goal: str
    """What to aim at, in a sentence or two."""
    turn: Sequence[str]
    """The course of a turn, a step each."""
    scoring: Sequence[str]
    """What counts, when the game ends, and who has won."""
    more: Mapping[str, str] = field(default_factory=dict)
    """What else there is to look up, e.g. cards: its name, and what it does."""
    figures: Sequence[Figure] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontend:
    """The front end of a game."""

    settings: str = ""
    """Settings that suit a table of people: KEY=VALUE with spaces between. Empty: the game's defaults do."""
    main_settings: Mapping[str, str] = field(default_factory=dict)
    """The settings that people choose first, by name, each in a few words, e.g. "Rows of tiles"."""
    limit: str
    """A time limit for decisions that suits people, e.g. "1m"."""
    bot: str
    """A strategy of bots against which people have a chance, e.g. "greedy"."""
    help: str
    """Which keys a person plays with, a few lines of plain text; without a guide also how."""
    guide: Guide | None = None
    view_of: Callable[[Any, Sequence[str]], GameView]
    """(public state, of the type `Game.state_type`; names by seat) -> what a spectator sees."""
    create_player: Callable[[TableContext], HumanPlayer]
    """Table -> a player for a person there, who plays one game after the other."""


@cache
def find_frontend(game: str) -> Frontend | None:
    """Return the front end of a game, or None if it has none."""
    found = entry_points(group=ENTRY_POINTS, name=game)
    if not found:
        return None
    frontend: Frontend = next(iter(found)).load()
    return frontend
