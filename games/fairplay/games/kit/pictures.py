"""Pictures of games as SVG documents: their frame, pieces that can be pointed at, and how these are marked.

The unit is the pixel. A piece that a person can point at carries the id of its part as `data-part`; each id stands once
in a document. Marks are told apart by their lines, not by colour: what may be chosen is dashed, what is chosen is
whole, and the cursor has a dark edge around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from math import ceil
from typing import NamedTuple

from fairplay.games.frontends import Choice
from fairplay.games.kit.lettering import text_width
from fairplay.games.kit.person import Marks

MARGIN = 14.0
"""Around a board and the cards of the players, and between them."""
BUTTON_HEIGHT = 40.0
"""Of a line of buttons, with the gap to the next."""
AMBER = "#d97706"
"""The edge of what is going on: whose turn it is, who has won, what was done last."""
AMBER_INK = "#b45309"
"""The same for words: it is dark enough to be read on light grounds."""
DARK = """
@media (prefers-color-scheme: dark) {
.picture { fill: #e8edf1 }
.picture .ground { fill: #171f26 }
.surface { fill-opacity: .14 }
.land { fill: #3c5636 }
.bridge { stroke: #3c5636 }
.picture :is(.axes, .title, .status, .told, .bag, .hand, .hand-size, .muted) { fill: #b7c3cd }
.picture :is(.done, .amber) { fill: #f4b860 }
}
"""
"""How pictures look where people want it dark: surfaces let a dark ground through, and words on them are light.

Pieces keep their colours. It is the same text in all pictures, so that a page may allow it by its digest.
"""
_HALO, _EDGE = "#ffffff", "#111827"
_BUTTON_TEXT, _BUTTON_INSET, _BUTTON_GAP = 15.0, 14.0, 8.0


def document(
    width: float, height: float, title: str, parts: Iterable[str], *, ground: str, ink: str, zoom: float = 1.0
) -> str:
    """Return an SVG document on a ground of its own colour, so that it is readable on any page.

    `title` is its accessible name; `parts` are elements, the definitions among them, and `ink` is the colour of their
    text. `zoom` makes the document smaller than its units.
    """
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * zoom:.0f}" height="{height * zoom:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="system-ui, sans-serif" '
            f'fill="{ink}" class="picture" role="group">',
            f"<title>{escape(title)}</title>",
            f"<style>{DARK}</style>",
            f'<rect class="ground" width="100%" height="100%" rx="16" fill="{ground}"/>',
            *parts,
            "</svg>",
        ]
    )


class Frame(NamedTuple):
    """Where a board is, and cards, which are enlarged `scale` times to go with large boards.

    `cards` stand side by side, below what a person sees of its own.
    """

    width: float
    height: float
    board: tuple[float, float]
    own: tuple[float, float]
    own_width: float
    """As it is before it is enlarged."""
    legend: tuple[float, float]
    scale: float
    cards: int
    card: tuple[float, float]
    """The width and height of one."""


def lay_out(
    wide: float,
    high: float,
    count: int,
    card: tuple[float, float],
    legible: float,
    own_height: Callable[[float], float] | None = None,
) -> Frame:
    """Return where things are: `count` cards below a board that is `wide` and `high`, or beside one higher than wide.

    `card` is the width and height of one. `legible` is the longest side of a board beside which cards can be read where
    the picture is shown small. `own_height` returns how much room a person's own things, of a width, take above them.
    """
    beside, scale = high > wide, max(1.0, max(wide, high) / legible)
    lines = ceil(count / (1 if beside else max(1, int(wide / scale / card[0]))))
    cards = ceil(count / max(1, lines))
    own_width = 0.0 if own_height is None else card[0] if beside else max(card[0], wide / scale)
    own_high = 0.0 if own_height is None else own_height(own_width) * scale
    below_wide, below_high = max(cards * card[0], own_width) * scale, own_high + lines * card[1] * scale
    if beside:
        width, height = wide + below_wide + 3 * MARGIN, max(high, below_high) + 2 * MARGIN
        board, own = (MARGIN, (height - high) / 2), (wide + 2 * MARGIN, (height - below_high) / 2)
    else:
        width, height = max(wide, below_wide) + 2 * MARGIN, high + below_high + 3 * MARGIN
        board, own = ((width - wide) / 2, MARGIN), ((width - own_width * scale) / 2, high + 2 * MARGIN)
    legend = (own[0] if beside else (width - cards * card[0] * scale) / 2, own[1] + own_high)
    return Frame(width, height, board, own, own_width, legend, scale, cards, card)


def piece(css_class: str, title: str, *, part: str = "", transform: str = "") -> str:
    """Return the opening tag of a piece with its accessible name; its content and `</g>` follow.

    A piece with `part` can be pointed at.
    """
    pointed = f' data-part="{escape(part)}"' if part else ""
    where = f' transform="{transform}"' if transform else ""
    return f'<g class="{css_class}" role="img"{pointed}{where}><title>{escape(title)}</title>'


def region(name: str, parts: Iterable[str]) -> Iterator[str]:
    """Draw parts as a region of a large picture, which a small screen shows alone, under a name of a word or two."""
    yield f'<g data-region="{escape(name)}">'
    yield from parts
    yield "</g>"


def outline(shape: str, part: str, marks: Marks, width: float = 4.0) -> str:
    """Return the outline of a part along a shape, e.g. `circle r="9"`; empty if the part is not marked."""
    if part not in marks.choices | marks.chosen:
        return ""
    is_chosen = part in marks.chosen
    dashes = "" if is_chosen else f' stroke-dasharray="{1.6 * width:.1f} {1.2 * width:.1f}"'
    edge = f'<{shape} stroke="{_EDGE}" stroke-width="{width + 7:.1f}"/>' if part == marks.cursor else ""
    return (
        f'<g class="{"chosen" if is_chosen else "choice"}" fill="none" pointer-events="none">{edge}'
        f'<{shape} stroke="{_HALO}" stroke-width="{width + 3:.1f}"/>'
        f'<{shape} stroke="{AMBER_INK}" stroke-width="{width:.1f}"{dashes}/></g>'
    )


def button_lines(choices: Sequence[Choice], width: float) -> list[list[Choice]]:
    """Return choices that are no pieces of the game in lines of buttons that are at most so wide."""
    lines: list[list[Choice]] = []
    room = 0.0
    for choice in choices:
        wide = _button_width(choice, width) + _BUTTON_GAP
        if not lines or wide > room:
            lines.append([])
            room = width + _BUTTON_GAP
        lines[-1].append(choice)
        room -= wide
    return lines


def buttons(lines: Sequence[Sequence[Choice]], marks: Marks, x: float, y: float, width: float) -> Iterator[str]:
    """Draw lines of buttons with their corner at a point."""
    for number, line in enumerate(lines):
        left, top = x, y + number * BUTTON_HEIGHT
        for choice in line:
            yield _button(choice, marks, left, top, _button_width(choice, width))
            left += _button_width(choice, width) + _BUTTON_GAP


def _button_width(choice: Choice, most: float) -> float:
    return min(most, text_width(choice.label, _BUTTON_TEXT) + 2 * _BUTTON_INSET)


def _button(choice: Choice, marks: Marks, x: float, y: float, width: float) -> str:
    size = _BUTTON_TEXT * min(1.0, (width - 2 * _BUTTON_INSET) / max(1.0, text_width(choice.label, _BUTTON_TEXT)))
    shape = f'rect width="{width:.1f}" height="{BUTTON_HEIGHT - 10:.1f}" rx="8"'
    return (
        f"{piece('button', choice.label, part=choice.part, transform=f'translate({x:.1f} {y + 5:.1f})')}"
        f'<{shape} class="surface" fill="#ffffff" stroke="#5b6570"/>'
        f'<text x="{width / 2:.1f}" y="20" font-size="{size:.1f}" text-anchor="middle">'
        f"{escape(choice.label)}</text>{outline(shape, choice.part, marks, 3.0)}</g>"
    )
