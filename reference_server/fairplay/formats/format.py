"""What the manager needs of a format, the registry of the installed ones, and settings that several have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from random import Random
from typing import NamedTuple, Protocol, TypeVar

from google.protobuf.message import Message

from fairplay.games.kit.settings import Setting
from fairplay.games.kit.tournament import Schedule
from fairplay.v1.tournament_pb2 import TournamentFormat

ENTRY_POINTS = "fairplay.formats"
CUSTOM = "custom"

GAME_LIMIT = 1_000_000
"""The most games of a tournament."""
M = TypeVar("M", bound=Message)
SEAT_COUNT = Setting(
    "seat_count", "How many players a game has.", "what a game can have", "the fewest that a game can have"
)


class Terms(NamedTuple):
    """What a tournament gives its format, beside the settings of the format itself."""

    names: Sequence[str]
    """The entrants, in list order: youngest first."""
    sizes: range
    """How many players a game can have."""
    deal_count: int
    """How many deals each group of players plays, see fairplay.formats.schedules. 0: single games."""
    strikes_withdrawn: bool
    """Whether the games of entrants that were withdrawn count for nobody."""


class Format(Protocol):
    """What a format supplies. A format registers an instance under the entry point "fairplay.formats", by its name.

    The settings of a built-in format are the message of its arm of TournamentFormat; those of any other format come as
    a CustomFormat.
    """

    name: str
    """The name in commands, e.g. "round-robin": its arm of TournamentFormat, with hyphens."""
    title: str
    """The name for people, e.g. "round robin"."""
    summary: str
    """One sentence."""
    settings: Sequence[Setting]
    """What can be chosen about it, for people; the names are the names of the fields."""
    failures_allowed: int
    """How many failures an entrant may have, where nobody says how many."""
    strikes_withdrawn: bool
    """Whether the games of entrants that were withdrawn count for nobody, where nobody says whether they do."""
    ranks: bool
    """Whether there are standings by points and ratings; a knock-out only has winners."""

    def full_settings(self, settings: Message, sizes: range) -> Message:
        """Return the settings with defaults filled in that do not depend on the entrants.

        Raises ValueError if a value is not allowed.
        """

    def check(self, settings: Message, terms: Terms) -> None:
        """Raise ValueError, with one sentence, if these entrants cannot play in this format."""

    def schedule(self, settings: Message, terms: Terms, entrants: Sequence[int], rng: Random) -> Schedule:
        """Return the schedule of a tournament, or of one of its stages, for those of the entrants that take part.

        They may be fewer than `check` was told of, for some may have failed already: with too few for a game it ends
        at once. `rng` is its own, and the only source of chance.
        """


class Chosen(NamedTuple):
    """A format that was chosen, with its settings."""

    format: Format
    settings: Message


@cache
def registered() -> Mapping[str, EntryPoint]:
    """Return the entry points of the installed formats, by name; no format is loaded."""
    return {entry.name: entry for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name)}


def find(name: str) -> Format:
    """Return the format of this name. Raises ValueError, with a sentence that lists the formats, if there is none."""
    if name not in registered():
        raise ValueError(f"there is no format {name[:64]!r}; the formats are {', '.join(registered())}")
    found: Format = registered()[name].load()
    return found


def chosen(message: TournamentFormat) -> Chosen:
    """Return the format that a message chooses; knockout where it chooses none. Raises ValueError if there is none."""
    arm = message.WhichOneof("format") or "knockout"
    settings: Message = getattr(message, arm)
    name = message.custom.name if arm == CUSTOM else arm.replace("_", "-")
    if arm == CUSTOM and name.replace("-", "_") in TournamentFormat.DESCRIPTOR.fields_by_name:
        raise ValueError(f"{name} is a format with settings of its own, not a custom one")
    return Chosen(find(name), settings)


def full_format(message: TournamentFormat, sizes: range) -> TournamentFormat:
    """Return the choice of a format with its defaults filled in. Raises ValueError if a value is not allowed."""
    format_, settings = chosen(message)
    full = TournamentFormat()
    arm = message.WhichOneof("format") or "knockout"
    getattr(full, arm).CopyFrom(format_.full_settings(settings, sizes))
    getattr(full, arm).SetInParent()
    return full


def number(name: str, low: int, high: int, default: str, meaning: str) -> Setting:
    """Return a setting that is a whole number between `low` and `high`, both included."""
    return Setting(name, meaning, f"{low} to {high}", default, (low, high))


GAMES_PER_MATCH = number(
    "games_per_match",
    1,
    1_000,
    "1",
    "How many games a match has at the least. With more than 1 its players play whole deals, with rotated seats.",
)


def filled(settings: Message, defaults: M, known: Sequence[Setting], sizes: range) -> M:
    """Return the defaults with what is set in `settings`. Raises ValueError if a number is not allowed."""
    assert type(settings) is type(defaults)
    defaults.MergeFrom(settings)
    for each in known:
        value = getattr(defaults, each.name)
        limits = (fewest_seats(sizes), sizes[-1]) if each is SEAT_COUNT else each.limits
        if limits is not None and defaults.HasField(each.name) and not limits[0] <= value <= limits[1]:
            low, high = limits
            allowed = f"it must be between {low:,} and {high:,}" if low < high else f"it must be {low}"
            raise ValueError(f"{each.name} is {value}: {allowed}")
    return defaults


def fewest_seats(sizes: range) -> int:
    """Return the fewest players that meet in a game. Raises ValueError if in no game players meet."""
    if sizes[-1] < 2:
        raise ValueError("the game is for one player: nobody meets anybody in it; knockout is the format for it")
    return max(2, sizes.start)


def check_count(terms: Terms, seats: int) -> None:
    """Raise ValueError if there are fewer entrants than a game needs."""
    if len(terms.names) < seats:
        raise ValueError(f"games of {seats} players need at least {seats} entrants; there are {len(terms.names)}")


def check_game_count(games: int, terms: Terms) -> None:
    """Raise ValueError if so many games, without duplicate deals, would be more than a tournament may have."""
    most = games * max(1, terms.deal_count * terms.sizes[-1])
    if games * max(1, terms.deal_count * terms.sizes.start) > GAME_LIMIT:
        raise ValueError(f"that would be {most:,} games; a tournament has {GAME_LIMIT:,} at the most")


def check_no_deals(terms: Terms) -> None:
    """Raise ValueError if there are duplicate deals, where matches have a length of their own."""
    if terms.deal_count:
        raise ValueError(f"deal_count is {terms.deal_count}: matches have a length of their own, games_per_match")
