"""The pieces of a picture of Eriantys, and how they are placed. The unit is the pixel.

What is drawn often is drawn once, in ARTWORK. The ids there start with the game's name, because a page may hold several
pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from fairplay.games.eriantys.views.seats import INITIALS
from fairplay.games.kit.pictures import AMBER

MUTED = "#5a6b7a"
INKS = {  # of students: body, edge, initial
    "G": ("#35a15a", "#1b6234", "#ffffff"),
    "R": ("#dc4a41", "#8f231d", "#ffffff"),
    "Y": ("#f5ca3d", "#9a770c", "#4b3a05"),
    "P": ("#ee96c2", "#a3477a", "#4d1735"),
    "B": ("#3b86d6", "#1b4b86", "#ffffff"),
}
TOWERS = {1: ("#33373d", "#0d0f12"), 2: ("#ffffff", "#7c8288"), 3: ("#9aa1a8", "#555b61")}

INSET = 16.0
"""From the edge of a panel to what is in it."""
ISLAND = 58.0  # the radius of an island


class Box(NamedTuple):
    """Where a panel is."""

    x: float
    y: float
    width: float
    height: float


def words_at(
    x: float, y: float, words: str, size: float, *, fill: str = "", weight: int = 400, anchor: str = "", kind: str = ""
) -> str:
    """Draw a line of words that begins at a point, or is anchored there otherwise."""
    extra = f' fill="{fill}"' if fill else ""
    extra += f' font-weight="{weight}"' if weight != 400 else ""
    extra += f' text-anchor="{anchor}"' if anchor else ""
    extra += f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:.1f}"{extra}>{escape(words)}</text>'


def use(name: str, x: float, y: float, scale: float = 1.0) -> str:
    """Draw a piece of the artwork, given by the end of its id."""
    return f'<use href="#eriantys-{name}" transform="translate({x:.1f} {y:.1f}) scale({scale:.2f})"/>'


def initials(counts: Sequence[int], most: int) -> str:
    """Return the initials of students, at most `most` of them."""
    return "".join(initial * min(count, most) for initial, count in zip(INITIALS, counts, strict=True))[:most]


def coin(x: float, y: float, count: int) -> str:
    """Draw a coin with a number on it."""
    number = words_at(x, y + 4.5, str(count), 13, fill="#5a4300", weight=700, anchor="middle")
    return f"{use('coin', x, y)}{number}"


PALE = ' opacity=".45"'
CLOUD = (
    'path d="M-40 22A17 17 0 0 1 -42 -10A20 20 0 0 1 -14 -22A24 24 0 0 1 24 -20A18 18 0 0 1 44 4A13 13 0 0 1 38 22Z"'
)
"""The shape of a cloud."""
HEXAGON = "M-10 0L-5 -8.7H5L10 0L5 8.7H-5Z"


def _student(initial: str) -> str:
    body, edge, ink = INKS[initial]
    letter = f'<text y="4" font-size="11" font-weight="700" text-anchor="middle" fill="{ink}">{initial}</text>'
    return (
        f'<g id="eriantys-{initial}"><circle r="10" fill="{body}" stroke="{edge}"/>{letter}</g>'
        f'<g id="eriantys-professor-{initial}"><path d="{HEXAGON}" fill="{body}" stroke="{edge}" stroke-width="1.6"/>'
        f"{letter}</g>"
    )


def _tower(number: int) -> str:
    body, edge = TOWERS[number]
    shape = "M-8 11L-6.5 -4H-8.5V-12H-4.5V-9H-2V-12H2V-9H4.5V-12H8.5V-4H6.5L8 11Z"
    return f'<path id="eriantys-tower{number}" d="{shape}" fill="{body}" stroke="{edge}" stroke-width="1.3"/>'


ARTWORK = f"""
{"".join(map(_student, INITIALS))}
{"".join(map(_tower, TOWERS))}
<circle id="eriantys-island" r="{ISLAND:.0f}" fill="#cfe3b4" stroke="#7fa463" stroke-width="1.5"/>
<g id="eriantys-cloud"><{CLOUD} fill="#ffffff" stroke="#9fbfd0"/></g>
<g id="eriantys-mother-nature" stroke="#7a3f05" stroke-width="1.3" fill="{AMBER}">
  <path d="M-8.5 12Q-6 -2 0 -3Q6 -2 8.5 12Z"/><circle cy="-7" r="5.5"/></g>
<g id="eriantys-no-entry"><circle r="12" fill="#c2342c" stroke="#ffffff" stroke-width="1.5"/>
  <circle r="8.5" fill="none" stroke="#ffffff" stroke-width="1.6"/>
  <path d="M-6 6L6 -6" stroke="#ffffff" stroke-width="1.6"/></g>
<circle id="eriantys-coin" r="12" fill="#f7d774" stroke="#b98f1d" stroke-width="1.5"/>
<rect id="eriantys-assistant" x="-12" y="-15" width="24" height="30" rx="4" fill="#fff6e0" stroke="#c9a45a"/>
"""
