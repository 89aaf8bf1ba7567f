"""Webset: the 81 cards, drawn: as parts of an SVG document, as one of their own, and in a terminal."""

from __future__ import annotations

from typing import NamedTuple

from fairplay.games.webset.rules.cards import COLORS, SHADINGS, SYMBOLS, card_name, digits

# SVG. The unit is the pixel

CARD_WIDTH, CARD_HEIGHT = 84.0, 118.0
_STEP = 32.0  # from one symbol of a card to the next
_INKS = {"red": "#d2262f", "green": "#118a4e", "purple": "#6b35a8"}
_PATHS = {
    "oval": "M-15-11.5H15A11.5 11.5 0 0 1 15 11.5H-15A11.5 11.5 0 0 1-15-11.5Z",
    "squiggle": (
        "M-25.5 3.5C-27-8-16-14.5-5-9.5C3-6 9-7 14.5-10.5C20-14 26.5-11 25.5-3.5"
        "C27 8 16 14.5 5 9.5C-3 6-9 7-14.5 10.5C-20 14-26.5 11-25.5 3.5Z"
    ),
    "diamond": "M-27 0L0-13L27 0L0 13Z",
}


def _pattern(color: str) -> str:
    """Return a pattern of upright stripes."""
    return (
        f'<pattern id="webset-{color}" width="4.4" height="60" patternUnits="userSpaceOnUse">'
        f'<path d="M1.1 0V60" stroke="{_INKS[color]}" stroke-width="1.5"/></pattern>'
    )


# What is drawn often is drawn once. The ids start with the game's name, as a page may hold several pictures.
ARTWORK = "".join(
    [
        *(f'<path id="webset-{symbol}" d="{path}"/>' for symbol, path in _PATHS.items()),
        *map(_pattern, _INKS),
    ]
)


CARD = f'rect width="{CARD_WIDTH:.0f}" height="{CARD_HEIGHT:.0f}" rx="9"'
"""The shape of a card with its corner at the origin."""


def card_parts(card: int, border: str = "") -> str:
    """Return a card with its corner at the origin, for a document with ARTWORK; `border` colours a thick edge."""
    number, color, symbol, shading = digits(card)
    edge = f'stroke="{border}" stroke-width="5"' if border else 'stroke="#9fb0a3" stroke-width="1.2"'
    ink = _INKS[COLORS[color]]
    fill = {"solid": ink, "open": "none", "striped": f"url(#webset-{COLORS[color]})"}[SHADINGS[shading]]
    symbols = (
        f'<use href="#webset-{SYMBOLS[symbol]}" transform="translate({CARD_WIDTH / 2:.0f} '
        f'{CARD_HEIGHT / 2 + (place - number / 2) * _STEP:.0f})" '
        f'fill="{fill}" stroke="{ink}" stroke-width="2.4" stroke-linejoin="round"/>'
        for place in range(number + 1)
    )
    return f'<{CARD} fill="#ffffff" {edge}/>{"".join(symbols)}'


def slot_parts() -> str:
    """Return an empty slot with its corner at the origin."""
    return f'<{CARD} fill="none" stroke="#b4c4b7" stroke-dasharray="5 5"/>'


def card_svg(card: int) -> str:
    """Return one card as an SVG document of its own."""
    width, height = CARD_WIDTH + 2, CARD_HEIGHT + 2
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="-1 -1 {width:.0f} {height:.0f}">',
            f"<title>{card_name(card)}</title>",
            f"<defs>{ARTWORK}</defs>",
            card_parts(card),
            "</svg>",
        ]
    )


# Text, in rich's console markup. The colours can be told apart on a light and on a dark background

TEXT_WIDTH = 7
"""Cells of a card in its box."""


class _Glyphs(NamedTuple):
    solid: str
    open: str
    striped: str


_GLYPHS = {"oval": _Glyphs("●", "○", "◍"), "squiggle": _Glyphs("▰", "▱", "▨"), "diamond": _Glyphs("◆", "◇", "◈")}
_STYLES = {"red": "#e0383f", "green": "#18a318", "purple": "#b545d8"}
_BORDER, _MARK = "#8a998d", "bold #d97706"
LEGEND = (
    "   ".join(f"{''.join(glyphs)} {symbol}s" for symbol, glyphs in _GLYPHS.items()) + "   each solid, open, striped"
)


def card_text(card: int) -> str:
    """Return the symbols of a card in a row, e.g. "◆ ◆ ◆" in red: at most 5 cells."""
    number, color, symbol, shading = digits(card)
    symbols = " ".join([_GLYPHS[SYMBOLS[symbol]][shading]] * (number + 1))
    return f"[{_STYLES[COLORS[color]]}]{symbols}[/]"


def card_lines(card: int, label: str, *, marked: bool = False) -> tuple[str, str, str]:
    """Return a card in a box with a label of at most five cells: three lines of 7 cells."""
    style, room = _MARK if marked else _BORDER, " " * (2 - card // 27)
    inside = f"{room}{card_text(card)}{room}"
    return _box(style, label, inside)


def slot_lines() -> tuple[str, str, str]:
    """Return an empty slot: three lines of 7 cells, as a card."""
    return (" " * TEXT_WIDTH, f"   [{_BORDER}]·[/]   ", " " * TEXT_WIDTH)


def _box(style: str, label: str, inside: str) -> tuple[str, str, str]:
    inner = TEXT_WIDTH - 2
    side = f"[{style}]│[/]"
    return f"[{style}]╭{label:─^{inner}}╮[/]", f"{side}{inside}{side}", f"[{style}]╰{'─' * inner}╯[/]"
