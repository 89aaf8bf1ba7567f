"""Cross tables: what each entrant has won from each other one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations

from fairplay.terminal.reports.event import PlayedGame, Seat

MAX_TABLE = 40
"""With more entrants the table is drawn as a map of squares: its numbers are in the JSON."""
SHADES = 8


@dataclass(slots=True)
class Meeting:
    """How often an entrant met another one in games that count, and what it won from it: 1, 0.5 or 0 of each."""

    won: float = 0.0
    count: int = 0

    @property
    def share(self) -> float:
        """Return what was won of each game, in the mean."""
        return self.won / self.count


def meetings(games: Iterable[PlayedGame]) -> dict[tuple[str, str], Meeting]:
    """Return the meetings of all pairs that have met, in both directions."""
    found: defaultdict[tuple[str, str], Meeting] = defaultdict(Meeting)
    for game in games:
        if game.aborted:
            continue
        for one, other in permutations(game.seats, 2):
            meeting = found[one.name, other.name]
            meeting.count += 1
            meeting.won += _won(one, other)
    return dict(found)


def _won(one: Seat, other: Seat) -> float:
    """Return what one player has won from another one; who failed has won nothing."""
    if one.place is None:
        return 0.0
    if other.place is None or one.place < other.place:
        return 1.0
    return 0.5 if one.place == other.place else 0.0


@dataclass(frozen=True, slots=True)
class Square:
    """The squares of a map that have one shade, as an SVG path, and how strong it is."""

    path: str
    won: bool
    opacity: float


def squares(names: Sequence[str], found: dict[tuple[str, str], Meeting], size: float) -> list[Square]:
    """Return the map of a cross table: a square for each pair that has met, rows and columns in the order of names."""
    paths: defaultdict[int, list[str]] = defaultdict(list)
    at = {name: number for number, name in enumerate(names)}
    for (one, other), meeting in found.items():
        if one in at and other in at:
            shade = round((meeting.share - 0.5) * 2 * SHADES)
            paths[shade].append(f"M{at[other] * size:g} {at[one] * size:g}h{size:g}v{size:g}h-{size:g}z")
    return [
        Square("".join(parts), shade >= 0, 0.08 + 0.82 * abs(shade) / SHADES) for shade, parts in sorted(paths.items())
    ]
