"""Pictures of games as SVG documents: their frame, pieces that can be pointed at, and how these are marked.

The unit is the pixel. A piece that a person can point at carries the id of its part as `data-part`; each id stands once
in a document. Marks are told apart by their lines, not by colour: what may be chosen is dashed, what is chosen is
whole, and the cursor has a dark edge around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from fairplay.games.frontends import Choice
from fairplay.games.kit.lettering import text_width
from fairplay.games.kit.person import Marks

BUTTON_HEIGHT = 40.0
"""Of a line of buttons, with the gap to the next."""
AMBER = "#d97706"
"""The edge of what is going on: whose turn it is, who has won, what was done last."""
AMBER_INK = "#b45309"
"""The same for words: it is dark enough to be read on light grounds."""
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
            f'fill="{ink}" role="group">',
            f"<title>{escape(title)}</title>",
            f'<rect width="100%" height="100%" rx="16" fill="{ground}"/>',
            *parts,
            "</svg>",
        ]
    )


def piece(css_class: str, title: str, *, part: str = "", transform: str = "") -> str:
    """Return the opening tag of a piece with its accessible name; its content and `</g>` follow.

    A piece with `part` can be pointed at.
    """
    pointed = f' data-part="{escape(part)}"' if part else ""
    where = f' transform="{transform}"' if transform else ""
    return f'<g class="{css_class}" role="img"{pointed}{where}><title>{escape(title)}</title>'


def outline(shape: str, part: str, marks: Marks, width: float = 4.0) -> str:
    """Return the outline of a part along a shape, e.g. `circle r="9"`; empty if the part is not marked."""
    if part not in marks.choices | marks.chosen:
        return ""
    dashes = "" if part in marks.chosen else f' stroke-dasharray="{1.6 * width:.1f} {1.2 * width:.1f}"'
    edge = f'<{shape} stroke="{_EDGE}" stroke-width="{width + 7:.1f}"/>' if part == marks.cursor else ""
    return (
        f'<g class="mark" fill="none" pointer-events="none">{edge}'
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
        f'<{shape} fill="#ffffff" stroke="#5b6570"/>'
        f'<text x="{width / 2:.1f}" y="20" font-size="{size:.1f}" text-anchor="middle" fill="#1f2d36">'
        f"{escape(choice.label)}</text>{outline(shape, choice.part, marks, 3.0)}</g>"
    )
