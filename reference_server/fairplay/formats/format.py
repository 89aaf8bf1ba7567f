"""What the manager needs of a format, and the registry of the installed formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from random import Random
from typing import NamedTuple, Protocol

from google.protobuf.message import Message

from fairplay.games.kit.settings import Setting
from fairplay.games.kit.tournament import Plan
from fairplay.v1.tournament_pb2 import TournamentFormat

ENTRY_POINTS = "fairplay.formats"
CUSTOM = "custom"


class Terms(NamedTuple):
    """What a tournament gives its format, beside the settings of the format itself."""

    names: Sequence[str]
    """The entrants, in list order: youngest first."""
    sizes: range
    """How many players a game can have."""
    deal_count: int
    """How many deals each group of players plays, see fairplay.formats.deals. 0: single games."""


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

    def plan(self, settings: Message, terms: Terms, entrants: Sequence[int], rng: Random) -> Plan:
        """Return the plan of a tournament, or of one of its stages, for those of the entrants that take part.

        They may be fewer than `check` was told of, for some may have failed already: with too few for a game the plan
        ends at once. `rng` is the plan's own, and the only source of chance.
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
