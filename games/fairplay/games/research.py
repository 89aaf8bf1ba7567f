"""What research needs of a game: its positions and actions in numbers, for programs that learn.

A game registers a `Research` under the entry point "fairplay.research", by its name. The referee never loads it. A turn
that has too many legal answers to be numbered is taken in steps, each of which is one action.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from itertools import accumulate
from math import prod
from random import Random
from typing import Any, NamedTuple

from google.protobuf import json_format
from google.protobuf.message import Message

from fairplay.games.game import Game, find
from fairplay.games.steps import Method

ENTRY_POINTS = "fairplay.research"


class Part(NamedTuple):
    """A part of what a player observes: an array of whole numbers."""

    name: str
    shape: tuple[int, ...]
    high: int
    """The greatest number in it."""
    meaning: str
    """One sentence."""
    low: int = 0

    @property
    def size(self) -> int:
        """Return how many numbers it has."""
        return prod(self.shape)


def by_player(name: str, seat_count: int, high: int, meaning: str, low: int = 0) -> Part:
    """Return a part with a number for each player in turn order; `meaning` goes on from "the observer first: "."""
    return Part(name, (seat_count,), high, f"By player, the observer first: {meaning}", low)


def turn_part(seat_count: int) -> Part:
    """Return the part that says whose turn it is."""
    return Part("turn", (1,), seat_count, "How many players after the observer it is the turn of; all: nobody's.")


class Kind(NamedTuple):
    """A kind of action; the actions of one kind have consecutive numbers."""

    name: str
    size: int
    """How many actions there are of this kind."""
    meaning: str
    """One sentence: what the action with a given place in its kind does."""


def first_numbers(kinds: Iterable[Kind]) -> tuple[int, ...]:
    """Return the number of the first action of each kind, and how many actions there are in all."""
    return tuple(accumulate((kind.size for kind in kinds), initial=0))


class Position(NamedTuple):
    """Where a game stands."""

    state: Any
    """Of the rules of the game."""
    steps: tuple[int, ...] = ()
    """The actions that the player to act has taken of a turn that is not complete."""


class Encoding(ABC):
    """A game in numbers: with certain settings, between a certain number of players.

    A position is any immutable value with the state of the rules as its `state`. Where a turn is one action, a game's
    own class says with `number` and `action` which action of the rules a number stands for; where it is taken in steps,
    it has `legal` and `complete` of its own.
    """

    kinds: Sequence[Kind]
    """The kinds of actions, in the order of their numbers."""
    parts: Sequence[Part]
    """The parts of an observation, in order."""

    def __init__(self, rules: Any, settings: Any, seat_count: int) -> None:
        """Set the module of the rules, the settings of the rules, and the number of players.

        Raises ValueError if there is no such game.
        """
        self.rules = rules
        self.settings = settings
        self.seat_count = seat_count
        rules.initial(settings, seat_count, Random(0))

    def initial(self, rng: Random) -> Any:
        """Return the position in which a fresh game begins."""
        return Position(self.rules.initial(self.settings, self.seat_count, rng))

    def turn(self, position: Any) -> int | None:
        """Return the seat to act; None once the game is over."""
        seat: int | None = self.rules.turn(position.state)
        return seat

    def legal(self, position: Any) -> Sequence[int]:
        """Return the actions that the seat to act may take; none once the game is over."""
        state = position.state
        return [] if self.turn(position) is None else [self.number(state, each) for each in self.rules.legal(state)]

    def apply(self, position: Any, action: int) -> Any:
        """Return the position after a legal action of the seat to act; the action is not checked again."""
        taken = self.complete(position, action)
        if taken is None:
            return Position(position.state, (*position.steps, action))
        return Position(self.rules.apply(position.state, taken))

    def complete(self, position: Any, action: int) -> Any:
        """Return the action of the rules that an action completes; None: it is a step of a turn that goes on."""
        return self.action(position.state, action)

    def number(self, state: Any, action: Any) -> int:
        """Return the number of a legal action of the rules."""
        raise NotImplementedError

    def action(self, state: Any, number: int) -> Any:
        """Return the legal action of the rules that a number stands for."""
        raise NotImplementedError

    def seats_from(self, seat: int) -> list[int]:
        """Return all seats in turn order, beginning with this one: the order of observations."""
        return [(seat + step) % self.seat_count for step in range(self.seat_count)]

    def turns_until(self, position: Any, seat: int) -> int:
        """Return how many seats after this one the seat to act sits; `seat_count` once the game is over."""
        turn = self.turn(position)
        return self.seat_count if turn is None else (turn - seat) % self.seat_count

    @abstractmethod
    def observe(self, position: Any, seat: int) -> list[int]:
        """Return what a seat sees: the numbers of all parts, one part after the other."""

    def shown(self, position: Any) -> Any:
        """Return the state as the game shows it, which `Game.public_state` takes."""
        return position.state


class Question(NamedTuple):
    """A method that asks a player for an action of the rules."""

    read: Callable[[Any, Any], Any]
    """(encoding, request) -> the position that it shows, in which it is the turn of the player that is asked.

    Nobody knows what is hidden there. Raises ValueError if the request is of a game that is not the encoding's.
    """
    build_reply: Callable[[Any], Any]
    """Action of the rules -> reply."""


class Research(NamedTuple):
    """What a game offers to research."""

    rules: Any
    """The module of the rules, with `initial`, `turn`, `legal`, `apply`, `scores` and `ranking`."""
    settings: Callable[[Any], Any]
    """Settings, of the type `Game.settings_type` -> those of the rules. Raises ValueError if one is not allowed."""
    encode: Callable[[Any, int], Encoding]
    """(settings, of the type `Game.settings_type`; number of players) -> the game in numbers.

    Raises ValueError if there is no such game.
    """
    questions: Mapping[Method, Question]
    """The methods that ask for actions."""


@cache
def find_research(game: str) -> Research:
    """Return what a game registered for research. Raises ValueError if it registered nothing."""
    found = entry_points(group=ENTRY_POINTS, name=game)
    if not found:
        known = sorted(entry.name for entry in entry_points(group=ENTRY_POINTS))
        raise ValueError(f"{game!r} offers nothing to research; these games do: {', '.join(known)}")
    research: Research = next(iter(found)).load()
    return research


def read_settings(game: Game, settings: Message | Mapping[str, Any] | None) -> Message:
    """Return settings of a game, given as their message or in the words of protobuf-JSON; None: the defaults.

    Raises ValueError if they are those of another game, or hold something else.
    """
    if isinstance(settings, Message):
        if not isinstance(settings, game.settings_type):
            raise ValueError(f"settings are {settings.DESCRIPTOR.full_name}: they must be those of {game.name}")
        return settings
    try:
        return json_format.ParseDict(dict(settings or {}), game.settings_type())
    except json_format.ParseError as error:
        raise ValueError(f"settings of {game.name}: {' '.join(str(error).split())}") from None


def count_players(game: Game, settings: Message, players: int | None) -> int:
    """Return `players`, or for None as few as the settings allow. Raises ValueError if they do not allow so many."""
    seats = game.seats_with(settings)
    count = seats.start if players is None else players
    if count not in seats:
        raise ValueError(f"players is {count}: {game.title} has {seats.start} to {seats.stop - 1} with these settings")
    return count


def rewards(ranking: Iterable[Sequence[int]], seat_count: int) -> list[float]:
    """Return by seat what the ranking of a game is worth, from -1 to 1: 1 for a winner alone, 0 for all in a tie.

    It is the share of the others that a player leaves behind, less the share that is ahead of it. Whoever plays alone
    gets 0.
    """
    found = [0.0] * seat_count
    ahead, others = 0, max(1, seat_count - 1)
    for group in ranking:
        behind = seat_count - ahead - len(group)
        for seat in group:
            found[seat] = (behind - ahead) / others
        ahead += len(group)
    return found


def ranks(ranking: Iterable[Sequence[int]], seat_count: int) -> list[int]:
    """Return by seat its rank, from 1; those in a tie share one."""
    found = [0] * seat_count
    ahead = 0
    for group in ranking:
        for seat in group:
            found[seat] = ahead + 1
        ahead += len(group)
    return found


class Ending(NamedTuple):
    """How a random game ended."""

    state: Any
    """The last one, of the rules of the game."""
    ranking: Sequence[Sequence[int]]
    """Groups of seats, best first."""
    scores: Sequence[int]
    """By seat."""
    actions: int
    """How many actions were taken."""


def play_randomly(rules: Any, state: Any, rng: Random) -> tuple[Any, int]:
    """Play on from a state, every action any of those that the rules list; return the end, and how many it took."""
    turn, legal, apply, random, count = rules.turn, rules.legal, rules.apply, rng.random, 0
    while turn(state) is not None:
        actions = legal(state)
        state = apply(state, actions[int(random() * len(actions))])
        count += 1
    return state, count


def playouts(game: str, seat_count: int, count: int, rng: Random, settings: Message | None = None) -> Iterator[Ending]:
    """Play so many random games by the rules alone, one after the other, and yield how each ended.

    `settings` are of the type `Game.settings_type`; None: the defaults of the rules. Raises ValueError if there is no
    such game.
    """
    research = find_research(game)
    rules, chosen = research.rules, research.settings(find(game).settings_type() if settings is None else settings)
    for _ in range(count):
        end, actions = play_randomly(rules, rules.initial(chosen, seat_count, rng), rng)
        yield Ending(end, rules.ranking(end), rules.scores(end), actions)
