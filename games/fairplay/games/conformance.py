"""What the conformance suite needs of a game: probes, mutations, profiles and the frozen sets of MUST cases.

A game registers a `Conformance` under the entry point "fairplay.conformance", by its name. The referee never loads it.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.metadata import entry_points
from importlib.resources import files
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

from google.protobuf.message import Message

from fairplay.games.game import Game
from fairplay.games.steps import Call

ENTRY_POINTS = "fairplay.conformance"


class Level(StrEnum):
    """What a failed case means for a certificate."""

    MUST = "MUST"
    SHOULD = "SHOULD"
    MAY = "MAY"


class FirstCall(NamedTuple):
    """The first call of a game that the player under test gets; before it another one answers, as before a restart."""

    method: str
    number: int
    """The number among the calls of this method to its seat, from 1."""
    is_refused_before: bool = False
    """Whether the calls of this method before it got empty messages, which the game forgives."""


class Situation(NamedTuple):
    """Where a probe begins: a game, and the seat of the player under test. Reference players have the others."""

    settings: Message
    """Of the type `Game.settings_type`."""
    player_count: int
    seat: int
    state: Message | None = None
    """Of the type `Game.state_type`, hidden things included; None: a fresh game."""
    turn_count: int = 1
    """The game goes on until the player under test has made so many decisions; 0: until it is over."""
    rivals: str = ""
    """The strategy of the others, e.g. of players that make mistakes. Empty: quick ones that make none."""
    first_call: FirstCall | None = None
    """None: the player under test is there from the beginning."""
    rivals_late_in: str = ""
    """The method that the others answer too late, where the game forgives that. Empty: they are in time."""
    leaving: Sequence[int] = ()
    """The seats of rivals that leave in their next decision once the player under test has made one."""


class Probe(NamedTuple):
    """A mistake that players of a game make, and the situation that shows it."""

    id: str
    """Stable, "<game>.<topic>.<what>", e.g. "fish.turn.single-legal-move"."""
    rules: tuple[str, ...]
    """The ids of the rules that it checks."""
    why: str
    """One sentence: why it matters, or what players get wrong here."""
    situation: Callable[[Random], Situation]
    level: Level = Level.MUST
    draws: int = 1
    """How many situations are drawn, each with an rng of its own. More than one where a mistake may be lucky once."""


class Infraction(NamedTuple):
    """A wrong answer that does not eliminate its player: it costs points, or the player is asked again."""

    rule: str
    """The id of the rule that it breaks."""
    given: str
    """What was answered, for people."""
    level: Level
    """What it means for a certificate."""

    def counts(self, level: Level) -> bool:
        """Return whether this infraction is at least as grave as `level`."""
        order = list(Level)
        return order.index(self.level) <= order.index(level)


class RareGame(NamedTuple):
    """A game that leads to a rule which a referee hardly ever needs, and which most games do not show."""

    situation: Situation
    """Where it begins; `rivals_late_in` is the method that the first seat answers too late. Without a state it is a
    fresh game."""
    strategies: Sequence[str]
    """Of the seats, which lead there whatever is drawn; further seats begin with the first one again."""
    leaver: tuple[int, str, int] | None = None
    """The seat, the method and the number among its calls to the seat of a call in which a player fails."""
    allowed: str = ""
    """The mutation of the first seat, which answers as the settings allow, and usual ones do not; empty: none."""
    late: tuple[int, str, int] | None = None
    """The same of a call that a player answers too late."""


class Mutation(NamedTuple):
    """One way of answering wrongly. A reference player with a mutation is a mutant: it tests suite and referee."""

    name: str
    """E.g. "moves-over-hole"."""
    sentence: str
    """What a mutant does, in the third person."""
    method: str
    """The method with the wrong reply, e.g. "TakeTurn"."""
    rule: str
    """The id of the rule that the referee names when it refuses the reply. Empty: it is an infraction."""
    cases: tuple[str, ...]
    """The ids of the conformance cases that name this mutation: each of them fails."""
    mutate: Callable[[Any, Any, Random], Any]
    """(request, sound reply, rng) -> the wrong reply, or None if this request leaves no room for it."""


class Failing(NamedTuple):
    """A request at which a mutant fails: it raises an exception there, or never answers."""

    name: str
    sentence: str
    """What such a player does, in the third person."""
    cases: tuple[str, ...]
    """The ids of the conformance cases that name this mutant: each of them fails."""
    at: Callable[[Any], bool]
    is_silent: bool = False
    """Whether it never answers, and raises no exception."""


class Circumstance(StrEnum):
    """What happens in a game, as far as settings may matter to it."""

    LOSS = "a rival leaves"
    LOST_AGAIN = "a rival leaves that had left before, and was back"
    ALONE = "all others have left, and the game goes on"
    WAITING = "others have another turn while the player has none"
    RESUMED = "the game goes on from a state"
    JOIN = "another player joins"
    END = "the game ends"
    TIE = "the game ends in a tie"


class _Anything(Container[object]):
    def __contains__(self, value: object) -> bool:
        return True


ANYTHING = _Anything()
"""The values of a field of the settings that may be any that the game allows."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A part of a game that is enough for some players: the games of a course, or those that most people play.

    A player that is certified for a profile is tried in games of that part alone.
    """

    sentence: str
    """What the games of the profile are, for people: "Boards of at most 25 tiles."."""
    settings: Mapping[str, Container[Any]] = field(default_factory=dict)
    """Name of a field of the settings -> the values that it may have beside its default; a field that is missing has
    its default. Each value of a list is tried, of a range the ends, and what is tried of the whole game."""
    largest: int = 1_000_000
    """The largest number in a state, revisions aside; a negative number counts without its sign."""
    fits: Callable[[Any], bool] = lambda state: True
    """State, of the type `Game.state_type` -> whether the profile has such states."""
    games_at_once: int | None = None
    """How many games at once are asked of a player, where each takes a connection and perhaps a program of its own;
    None: as many as of every player."""

    def allows(self, usual: Message, settings: Message) -> bool:
        """Return whether the profile has settings; `usual` are the defaults. Both are complete."""
        names = [each.name for each in settings.DESCRIPTOR.fields]
        changed = [name for name in names if getattr(settings, name) != getattr(usual, name)]
        return all(getattr(settings, name) in self.settings.get(name, ()) for name in changed)

    def holds(self, state: Message) -> bool:
        """Return whether the profile has a state."""
        return all(abs(number) <= self.largest for number in _numbers(state)) and self.fits(state)


def _numbers(message: Message) -> Iterator[int]:
    for described, value in message.ListFields():
        for each in value if described.is_repeated else (value,):
            if isinstance(each, int) and described.name != "revision":
                yield each
            elif isinstance(each, Message) and each.DESCRIPTOR.file.package == message.DESCRIPTOR.file.package:
                yield from _numbers(each)


class Outcomes(NamedTuple):
    """The outcomes that a call may tell whatever came before, each a value of an enum."""

    method: str
    """E.g. "Act"."""
    paths: Sequence[str]
    """The fields of its request that tell the outcome, e.g. "status", and all of them the same."""
    values: Collection[int]
    of_broken_rules: Collection[int] = ()
    """The values with which the field `rule_id` of the request names a rule that was broken."""


class Features(NamedTuple):
    """What decisions of a game may have in common, besides what follows from the sizes of fields.

    States are drawn so that each feature, and many pairs of them, are covered.
    """

    read: Callable[[Any], Any] = lambda request: None
    """Request -> what the player sees; None: a request of this kind has no features."""
    holds: Mapping[str, Callable[[Any], bool]] = MappingProxyType({})
    """"name: Sentence." -> whether what the player sees has this feature."""

    def find(self, request: Any) -> Iterator[str]:
        """Yield the names of the features of a request."""
        view = self.read(request)
        if view is not None:
            yield from (key.partition(": ")[0] for key, holds in self.holds.items() if holds(view))


class MadeState(NamedTuple):
    """A state that may be drawn, and the settings under which a game goes on from it, as serialized messages."""

    settings: bytes
    state: bytes

    @property
    def line(self) -> str:
        """Return its line in a file."""
        return " ".join(base64.b64encode(zlib.compress(each, 9)).decode() for each in self)


class Pieces(NamedTuple):
    """What may be changed in the states of a game to get others, by path of a field, e.g. "players.hand".

    A changed state must be one that play can lead to, or a referee may begin with: players are failed for it.
    """

    things: Sequence[Sequence[str]] = ()
    """Lists between which their elements may pass or be exchanged, in groups."""
    counts: Sequence[Sequence[str]] = ()
    """Numbers of things, or lists of them by kind, between which things of one kind may pass, in groups."""
    scores: Sequence[str] = ()
    """Points of each player, which may be any."""
    choices: Sequence[str] = ()
    """Enums that somebody has chosen: where one is set it may be any of its values."""


def _no_infraction(settings: Any, call: Call, answer: Any) -> None:
    """Return None: a game without infractions eliminates for every wrong answer."""


def _listed_by_the_referee(settings: Any, call: Call) -> None:
    """Return None: the evidence of a wrong answer lists the legal ones."""


@dataclass(frozen=True, slots=True)
class Conformance:
    """What the conformance suite knows of a game."""

    probes: Sequence[Probe] = ()
    rare_games: Mapping[str, Callable[[Random], RareGame]] = field(default_factory=dict)
    """What a server's referee decides in it, in a few words -> the game."""
    mutations: Sequence[Mutation] = ()
    failing: Sequence[Failing] = ()
    package: str = ""
    """The package with the files "must-<protocol revision>.txt": the ids of the frozen MUST cases, one a line."""
    find_infraction: Callable[[Any, Call, Any], Infraction | None] = _no_infraction
    """(settings, of the type `Game.settings_type`; call; answer) -> the infraction that the answer is, or None."""
    modes: Sequence[Message] = ()
    """Settings, of the type `Game.settings_type`, as usual as the defaults: of whole games and drawn states."""
    leaving_settings: Sequence[Message] = ()
    """Settings, of the type `Game.settings_type`, that change what follows when players leave a game."""
    settings_readers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Name of a field of the settings -> when it matters: games are played in which each value meets that.

    Those are circumstances, and the names of methods in a call of which a rival leaves.
    """
    tied_endings: Sequence[Callable[[Random], Situation]] = ()
    """Each rng -> a game that ends in a tie, whatever the player under test answers; none: players are told of no ties.

    A game has one for each way in which it tells of a tie.
    """
    list_legal_replies: Callable[[Any, Call], Sequence[Message] | None] = _listed_by_the_referee
    """(settings, call) -> the legal replies, where a wrong answer may be an infraction; None elsewhere."""

    settings_values: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Name of a field of the settings -> the values to try away from its default; none: it keeps its default.

    A field that is missing here is tried with each of its choices, or with the least and the greatest number.
    """
    needless_enums: Collection[str] = ()
    """The names of enums of requests that a player can decide without, besides those of the settings."""
    outcomes: Sequence[Outcomes] = ()
    """What the player may be told and need not remember: each is told once."""
    retold: Mapping[str, Callable[[Any, Any], None]] = field(default_factory=dict)
    """Name of a method that only tells something -> (its request, the next one of its game): adds to the latter what it
    tells where the call before it was cancelled. A method that is missing tells nothing that comes again."""
    erring: Sequence[str] = ()
    """Strategies of rivals that make mistakes which the game forgives."""
    late_in: str = ""
    """The method that all rivals of some games answer too late, as the game forgives it; empty: none does."""
    features: Features = field(default_factory=Features)
    strategies: Sequence[str] = ()
    """Strategies of reference players from whose games states are drawn, besides the plainest ones."""
    pieces: Pieces = field(default_factory=Pieces)
    """What may be changed in states, to reach features that games of reference players do not have."""
    long_games: Sequence[Situation] = ()
    """Games in which the player under test has many decisions; empty: all have so many. The last one is the longest,
    or the one with the largest requests: nobody may get slow in it, or write too much."""
    widest: Situation | None = None
    """A whole game with the largest requests, where no long game is: nobody may write too much in it."""
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    """The profiles of the game by name, e.g. "course-2024"; `find_profiles` adds STANDARD."""
    largest_score: int = 2**32 - 1
    """The most points that a player is told of. A game goes on from scores not far below, if it allows them."""

    def made_states(self) -> Iterator[MadeState]:
        """Yield the states in the package's file "states.txt", one a line; none if it has no such file.

        `python -m tools.made_states` makes it of states with rare features, or rare pairs of them.
        """
        for line in self._lines("states.txt") or ():
            settings, state = (zlib.decompress(base64.b64decode(word)) for word in line.split(" "))
            yield MadeState(settings, state)

    def must(self, revision: int) -> frozenset[str] | None:
        """Return the ids of the MUST cases of a protocol revision, or None if the game froze none for it."""
        lines = self._lines(f"must-{revision}.txt")
        return None if lines is None else frozenset(lines)

    def _lines(self, name: str) -> Sequence[str] | None:
        """Return the lines of a file of the package, or None if there is none."""
        if not self.package:
            return None
        try:
            return files(self.package).joinpath(name).read_text("utf-8").splitlines()
        except FileNotFoundError:
            return None


@cache
def find_conformance(game: str) -> Conformance:
    """Return what a game registered for the conformance suite; empty if it registered nothing."""
    found = entry_points(group=ENTRY_POINTS, name=game)
    if not found:
        return Conformance()
    conformance: Conformance = next(iter(found)).load()
    return conformance


STANDARD = "standard"
"""The name of the profile that every game has."""
STANDARD_SENTENCE = "Games with the default settings, or with those of tournaments."


def find_profiles(game: Game) -> Mapping[str, Profile]:
    """Return the profiles of a game by name: its own, and STANDARD, unless it has described this one itself."""
    usual, other = map(game.full_settings, (game.settings_type(), game.tournament_settings))
    names = [each.name for each in other.DESCRIPTOR.fields if getattr(other, each.name) != getattr(usual, each.name)]
    standard = Profile(STANDARD_SENTENCE, {name: [getattr(other, name)] for name in names})
    return {STANDARD: standard, **find_conformance(game.name).profiles}


def find_profile(game: Game, name: str) -> Profile:
    """Return a profile of a game. Raises ValueError if it has none of this name."""
    profiles = find_profiles(game)
    if name not in profiles:
        raise ValueError(f"{game.title} has no profile {name!r}: it has {', '.join(sorted(profiles))}")
    return profiles[name]
