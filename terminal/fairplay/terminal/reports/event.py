"""What a report on a tournament shows, from which pages, tables and files are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fairplay.client.results import PlayedGame
from fairplay.v1.tournament_pb2 import Standing


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with the range in which it lies, or the ends of a distribution."""

    value: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        """Return half the width."""
        return (self.high - self.low) / 2


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure of an entrant with its evidence."""

    name: str
    game_id: str
    """Empty: outside a game."""
    kind: str
    """"rule violation", "exception" or "timeout"."""
    method: str
    call_number: int
    reason: str
    evidence: Sequence[str] = ()
    """Lines of text, where the record of the game is at hand."""
    picture: str = ""
    """The position as SVG; empty: none."""


@dataclass(frozen=True, slots=True)
class CallTimes:
    """The times, in seconds, that a player took for the calls of one method."""

    method: str
    call_count: int
    median_s: float
    p99_s: float
    max_s: float
    total_s: float


@dataclass(frozen=True, slots=True)
class Person:
    """What the roster says of an entrant, for people."""

    who: str = ""
    language: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """A tournament, over or not, as a report shows it."""

    tournament_id: str
    title: str
    game_title: str
    format_title: str
    facts: Sequence[tuple[str, str]]
    """What else is to be known about it, for people: a name and a text each."""
    status: str
    """"finished", "cancelled", "running"."""
    reason: str
    """Why it was cancelled; empty: it was not."""
    winners: Sequence[str]
    standings: Sequence[Standing]
    """All entrants, best first."""
    games: Sequence[PlayedGame]
    failures: Sequence[Failure]
    people: Mapping[str, Person] = field(default_factory=dict)
    times: Mapping[str, Sequence[CallTimes]] = field(default_factory=dict)
    timed_game_count: int = 0
    """From how many games the times were taken."""
    progress: Mapping[str, Sequence[tuple[int, float]]] = field(default_factory=dict)
    """Of each entrant the points, or ratings, after some rounds."""
    progress_title: str = ""
    warning: str = ""
    """What is to be known before anybody relies on the bands, in a sentence; empty: nothing."""
    certified: Mapping[str, bool] = field(default_factory=dict)
    """Whether entrants are certified, as far as it is known."""
