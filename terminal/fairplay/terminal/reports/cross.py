"""Cross tables: what each entrant has won from each other one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from fairplay.client.results import Meeting

MAX_TABLE = 40
"""With more entrants the table is drawn as a map of squares: its numbers are in the JSON."""
SHADES = 8


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
