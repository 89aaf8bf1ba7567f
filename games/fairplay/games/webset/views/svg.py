"""Webset as one SVG document, and single cards as such. The unit is the pixel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import ceil

from fairplay.games.frontends import Choice
from fairplay.games.kit.lettering import font_size
from fairplay.games.kit.person import NO_MARKS, Marks
from fairplay.games.kit.pictures import AMBER, AMBER_INK, BUTTON_HEIGHT, button_lines, buttons, document, outline, piece
from fairplay.games.webset.rules.cards import COLORS, SHADINGS, SYMBOLS, card_name, digits
from fairplay.games.webset.views.words import (
    ROWS,
    Seat,
    count_sets,
    displayed,
    happened,
    letter,
    list_seats,
    list_slots,
    phase_words,
    slot_part,
)
from fairplay.webset.v1 import webset_pb2

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


ARTWORK = "".join(
    [
        *(f'<path id="webset-{symbol}" d="{path}"/>' for symbol, path in _PATHS.items()),
        *(
            f'<pattern id="webset-{color}" width="4.4" height="60" patternUnits="userSpaceOnUse">'
            f'<path d="M1.1 0V60" stroke="{ink}" stroke-width="1.5"/></pattern>'
            for color, ink in _INKS.items()
        ),
    ]
)
"""What is drawn often is drawn once. The ids start with the game's name, as a page may hold several pictures."""
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


# States

_MARGIN, _GAP = 16.0, 10.0
_HEAD = 40.0  # above the table: what is going on, what has happened, and the deck
_ROW_HIGH, _ROW_WIDE = 48.0, 315.0  # of a player
_MUTED = "#5d6d61"


def svg(
    state: webset_pb2.State, players: Sequence[str], marks: Marks = NO_MARKS, actions: Sequence[Choice] | None = None
) -> str:
    """Return the table with its deck, and the players with their points and last sets, as one SVG document.

    Cards have the id of their slot as `data-part`. For a person, who has `actions`, keys and actions are drawn, too.
    """
    seats, slots = list_seats(state, players), list_slots(state)
    wide = len(slots) // ROWS * (CARD_WIDTH + _GAP) - _GAP
    high = _HEAD + ROWS * (CARD_HEIGHT + _GAP) - _GAP
    lines = button_lines(actions or (), wide)
    columns = max(1, int((wide + _GAP) // (_ROW_WIDE + _GAP)))
    list_top = high + _GAP + 6 + (0 if actions is None else max(1, len(lines)) * BUTTON_HEIGHT + 4)
    list_high = ceil(len(seats) / columns) * (_ROW_HIGH + 6)
    parts = [
        f"<defs>{ARTWORK}</defs>",
        f'<g transform="translate({_MARGIN:.0f} {_MARGIN:.0f})">',
        *_header(state, seats, happened(state, players), wide),
        *_table(slots, state, marks, keys=actions is not None),
        *buttons(lines, marks, 0, high + _GAP, wide),
        *_list(seats, columns, list_top, (wide - (columns - 1) * _GAP) / columns),
        "</g>",
    ]
    width, height = wide + 2 * _MARGIN, list_top + list_high + 2 * _MARGIN - 6
    each = (f"{seat.name} {seat.points}{seat.status and f' ({seat.status})'}" for seat in seats)
    title = f"Webset, {phase_words(state, seats)}: {', '.join(each) or 'nobody plays'}"
    return document(width, height, title, parts, ground="#e4ede4", ink="#22312a")


def _header(state: webset_pb2.State, seats: Sequence[Seat], done: str, wide: float) -> Iterator[str]:
    what = phase_words(state, seats)
    size = font_size(what, wide - 130, 20.0)
    yield f'<text class="phase" y="22" font-size="{size:.1f}" font-weight="700">{escape(what)}</text>'
    if done:
        size = font_size(done, wide - 130, 12.0)
        yield f'<text class="done" y="{_HEAD - 4:.0f}" font-size="{size:.1f}" fill="{AMBER_INK}">'
        yield f"{escape(done)}</text>"
    yield f'<g class="deck" transform="translate({wide - 118:.1f} 2)">'
    for step in range(3 if state.deck_left else 0):
        yield f'<rect x="{2 * step}" y="{-step}" width="18" height="25" rx="3" fill="#7a5ea8" stroke="#f7f4fb"/>'
    yield f'<text x="118" y="20" font-size="15" text-anchor="end">{state.deck_left} in deck</text></g>'


def _table(slots: Sequence[int | None], state: webset_pb2.State, marks: Marks, *, keys: bool) -> Iterator[str]:
    """Yield the cards, column by column; those of a shown solution or of an open call have a thick edge."""
    shown = {*displayed(state), *state.picked}
    for slot, card in enumerate(slots):
        column, row = divmod(slot, ROWS)
        x, y = column * (CARD_WIDTH + _GAP), _HEAD + row * (CARD_HEIGHT + _GAP)
        where = f"translate({x:.0f} {y:.0f})"
        if card is None:
            yield f'<g class="slot" transform="{where}">{slot_parts()}</g>'
            continue
        part = slot_part(slot)
        key = f'<text class="key" x="7" y="17" font-size="14" fill="{_MUTED}">{letter(slot)}</text>' if keys else ""
        drawn = f"{card_parts(card, AMBER if card in shown else '')}{key}{outline(CARD, part, marks)}"
        title = f"{card_name(card)}, picked" if card in state.picked else card_name(card)
        yield f"{piece('slot', title, part=part, transform=where)}{drawn}</g>"


def _list(seats: Sequence[Seat], columns: int, top: float, wide: float) -> Iterator[str]:
    """Yield the players, line by line."""
    for place, seat in enumerate(seats):
        row, column = divmod(place, columns)
        x, y = column * (wide + _GAP), top + row * (_ROW_HIGH + 6)
        yield f'<g class="player" transform="translate({x:.1f} {y:.1f})">'
        yield from _player(seat, wide)
        yield "</g>"


def _player(seat: Seat, wide: float) -> Iterator[str]:
    border = f'stroke="{AMBER}" stroke-width="3"' if seat.marked else 'stroke="#c3d2c5"'
    yield f'<rect width="{wide:.1f}" height="{_ROW_HIGH:.0f}" rx="8" class="surface" fill="#fbfdfb" {border}/>'
    size = font_size(seat.name, wide - 190, 16.0)
    sets = count_sets(3 * seat.set_count)
    said = f"{sets}, {seat.status}" if seat.status else sets
    yield f'<text class="name" x="12" y="20" font-size="{size:.1f}" font-weight="700">{escape(seat.name)}</text>'
    yield f'<text class="status" x="12" y="38" font-size="12" fill="{_MUTED}">{said}</text>'
    yield f'<text class="points" x="{wide - 12:.1f}" y="31" font-size="20" font-weight="700" text-anchor="end">'
    yield f"{seat.points}</text>"
    for place, card in enumerate(seat.last):
        where = f"translate({wide - 150 + 30 * place:.1f} 5.5) scale(.32)"
        yield f"{piece('last', card_name(card), transform=where)}{card_parts(card)}</g>"
