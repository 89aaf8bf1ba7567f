"""A state of Bazaar as one SVG document. Pebbles carry the initials of their colours. The unit is the pixel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from math import ceil, cos, pi, sin
from typing import NamedTuple

from fairplay.bazaar.v1 import bazaar_pb2
from fairplay.games.bazaar.rules.pieces import INITIALS
from fairplay.games.bazaar.views.seats import (
    NOTHING_OWN,
    PEBBLE_PART,
    SIDE_LIMIT,
    Own,
    Seat,
    card_part,
    exchange_part,
    list_seats,
    pebbles,
    words,
)
from fairplay.games.kit.lettering import font_size
from fairplay.games.kit.person import NO_MARKS, Marks
from fairplay.games.kit.pictures import AMBER, AMBER_INK, BUTTON_HEIGHT, button_lines, buttons, document, outline, piece

_MARGIN, _GAP, _INSET = 16.0, 12.0, 16.0
_HEAD = 34.0  # of a panel, with its title
_PEBBLE = 28.0  # from one pebble of an equation to the next
_ROW = 38.0  # from one equation to the next
_BANK_HEIGHT = 76.0
_COLUMNS = 2  # of cards, and of players
_CARD_WIDTH, _CARD_HEIGHT = 106.0, 142.0
_MINI_WIDTH, _MINI_HEIGHT = 62.0, 24.0
_OWN_HEIGHT = 80.0  # of a person's panel without buttons
_NAMED, _WALLET = 80.0, 112.0  # how far down in a player's panel its name, and its wallet, end
_INKS = {  # of each pebble: its body, its edge, its initial
    "r": ("#d8403a", "#8f1f1b", "#ffffff"),
    "w": ("#fdfdfb", "#8d8a80", "#4a4a44"),
    "b": ("#2f6fd0", "#17407f", "#ffffff"),
    "g": ("#2f9e57", "#175c30", "#ffffff"),
    "y": ("#f4c531", "#987308", "#4b3a05"),
}


class _Box(NamedTuple):
    """Where a panel is."""

    x: float
    y: float
    width: float
    height: float


class _Plan(NamedTuple):
    """Where the panels are; those of the players lie in a grid, below that of a person."""

    width: float
    height: float
    table: _Box
    bank: _Box
    cards: _Box
    pile: _Box | None
    own: _Box | None
    players: Sequence[_Box]


def _plan(state: bazaar_pb2.State, own: Own) -> _Plan:
    """Return where the panels are: equations on the left, bank and cards on the right, all others below.

    It is narrow, so that the pebbles of the equations can be told apart on a phone.
    """
    sides = (sum(side) for equation in state.table.equations for side in (equation.left, equation.right))
    table_wide = 2 * max(3, min(SIDE_LIMIT, max(sides, default=0))) * _PEBBLE + 2 * _INSET + 34
    table_high = _HEAD + max(1, len(state.table.equations)) * _ROW + 8
    wide = _COLUMNS * (_CARD_WIDTH + _GAP) - _GAP + 2 * _INSET
    cards_high = _HEAD + max(2, ceil(len(state.visible) / _COLUMNS)) * (_CARD_HEIGHT + _GAP) - _GAP + _INSET
    high = max(table_high, _BANK_HEIGHT + _GAP + cards_high)
    x, y = _MARGIN + table_wide + _GAP, _MARGIN
    table, bank = _Box(_MARGIN, y, table_wide, high), _Box(x, y, wide, _BANK_HEIGHT)
    cards = _Box(x, y + _BANK_HEIGHT + _GAP, wide, high - _BANK_HEIGHT - _GAP)
    all_wide, end, pile, mine = table_wide + _GAP + wide, y + high, None, None
    if lines := ceil(len(state.pile) / _minis_in(all_wide)):
        pile = _Box(_MARGIN, end + _GAP, all_wide, _HEAD + lines * (_MINI_HEIGHT + 4) + 8)
        end = pile.y + pile.height
    if own.wallet:
        words_high = len(button_lines(own.words, all_wide - 2 * _INSET)) * BUTTON_HEIGHT
        mine = _Box(_MARGIN, end + _GAP, all_wide, _OWN_HEIGHT + words_high)
        end = mine.y + mine.height
    players = _players(state, end + _GAP, all_wide)
    end = max((box.y + box.height for box in players), default=end)
    return _Plan(x + wide + _MARGIN, end + _MARGIN, table, bank, cards, pile, mine, players)


def _minis_in(wide: float) -> int:
    """Return how many small cards fit in a line of a panel."""
    return int((wide - 2 * _INSET + 4) // (_MINI_WIDTH + 4))


def _players(state: bazaar_pb2.State, top: float, wide: float) -> list[_Box]:
    count = len(state.players)
    columns = min(count, _COLUMNS) or 1
    each = (wide - (columns - 1) * _GAP) / columns
    bought = max((len(player.cards) for player in state.players), default=0)
    top_part = _WALLET if any(player.wallet for player in state.players) else _NAMED
    high = top_part + ceil(bought / _minis_in(each)) * (_MINI_HEIGHT + 4) + 8
    places = (divmod(seat, columns) for seat in range(count))
    return [_Box(_MARGIN + column * (each + _GAP), top + row * (high + _GAP), each, high) for row, column in places]


def svg(state: bazaar_pb2.State, players: Sequence[str], own: Own = NOTHING_OWN, marks: Marks = NO_MARKS) -> str:
    """Return a picture of equations, bank, cards, and players with what the state shows of them.

    `own` is what a person sees of its own. The bank, the sides of equations, visible cards and words have the id of
    their part as `data-part`.
    """
    seats, plan = list_seats(state, players), _plan(state, own)
    parts = [
        f"<defs>{_ARTWORK}</defs>",
        *_panel(plan.table, "equations", "Equations", _equations(state, plan.table, marks)),
        *_bank(state, plan.bank, marks),
        *_panel(plan.cards, "cards", "Cards", _cards(state.visible, marks)),
        *(_panel(plan.pile, "pile", "Pile, next card first", _minis(state.pile, plan.pile)) if plan.pile else ()),
        *(_panel(plan.own, "own", "Your wallet", _own(own, plan.own, marks)) if plan.own else ()),
    ]
    for seat, box in zip(seats, plan.players, strict=True):
        parts += _panel(box, "player", "", _player(seat, box), marked=seat.turn or seat.status == "winner")
    each = (f"{seat.name} {seat.score}{seat.status and f' ({seat.status})'}" for seat in seats)
    title = f"Bazaar: {', '.join(each) or 'nobody plays'}"
    return document(plan.width, plan.height, title, parts, ground="#f4ead7", ink="#3d3322")


def _panel(box: _Box, css_class: str, title: str, parts: Iterable[str], *, marked: bool = False) -> Iterator[str]:
    yield f'<g class="{css_class}" transform="{_at(box)}">'
    yield from _filled_panel(box, title, parts, marked=marked)
    yield "</g>"


def _at(box: _Box) -> str:
    return f"translate({box.x:.1f} {box.y:.1f})"


def _filled_panel(box: _Box, title: str, parts: Iterable[str], *, marked: bool = False) -> Iterator[str]:
    border = f'stroke="{AMBER}" stroke-width="3"' if marked else 'stroke="#dcc9a3"'
    yield f'<rect width="{box.width:.1f}" height="{box.height:.1f}" rx="10" class="surface" fill="#fffaf0" {border}/>'
    if title:
        place = f'x="{_INSET:.0f}" y="23" font-size="14" font-weight="700"'
        yield f'<text class="title" {place} fill="#85714b">{title}</text>'
    yield from parts


def _pebble(initial: str, x: float, y: float, scale: float = 1.0) -> str:
    return f'<use href="#bazaar-{initial}" transform="translate({x:.1f} {y:.1f}) scale({scale:.2f})"/>'


def _counts(counts: Sequence[int], x: float, y: float, step: float, scale: float) -> Iterator[str]:
    """Draw how many pebbles of each colour there are; colours that are missing are pale."""
    for place, (initial, count) in enumerate(zip(INITIALS, counts, strict=False)):
        at = x + place * step
        yield f'<g class="pebbles"{"" if count else _PALE}>{_pebble(initial, at, y, scale)}'
        size, right, down = 13 * scale, at + 13 * scale, y + 4.5 * scale
        yield f'<text x="{right:.1f}" y="{down:.1f}" font-size="{size:.1f}" font-weight="700">{count}</text></g>'


def _bank(state: bazaar_pb2.State, box: _Box, marks: Marks) -> Iterator[str]:
    """Draw the bank, which is pointed at to ask for a pebble."""
    held = ", ".join(f"{count} {initial}" for initial, count in zip(INITIALS, state.bank, strict=False))
    yield piece("bank", f"bank: {held or 'empty'}", part=PEBBLE_PART, transform=_at(box))
    yield from _filled_panel(box, "Bank", _counts(state.bank, 26, 52, (box.width - 2 * _INSET) / 5, 1.0))
    shape = f'rect width="{box.width:.1f}" height="{box.height:.1f}" rx="10"'
    yield f"{outline(shape, PEBBLE_PART, marks)}</g>"


def _own(own: Own, box: _Box, marks: Marks) -> Iterator[str]:
    """Draw the person's wallet, and what can be chosen beside the table."""
    yield from _counts(own.wallet, 30, _OWN_HEIGHT - 26, min(110.0, (box.width - 2 * _INSET) / 5), 1.4)
    width = box.width - 2 * _INSET
    yield from buttons(button_lines(own.words, width), marks, _INSET, _OWN_HEIGHT, width)


def _equations(state: bazaar_pb2.State, box: _Box, marks: Marks) -> Iterator[str]:
    if not state.table.equations:
        yield f'<text x="{_INSET:.0f}" y="50" font-size="13">none</text>'
    middle = box.width / 2
    for row, equation in enumerate(state.table.equations):
        left, right = (pebbles(side, SIDE_LIMIT) for side in (equation.left, equation.right))
        yield f'<g class="equation" transform="translate({middle:.1f} {_HEAD + (row + 0.5) * _ROW:.1f})">'
        yield from _side(exchange_part(row, "left"), left, right, -1, marks)
        yield '<text y="7" font-size="21" font-weight="700" text-anchor="middle">=</text>'
        yield from _side(exchange_part(row, "right"), right, left, 1, marks)
        yield "</g>"


def _side(part: str, given: str, got: str, direction: int, marks: Marks) -> Iterator[str]:
    """Draw a side of an equation from its middle to the left (-1) or right (1): it is pointed at to be given."""
    wide = max(1, len(given)) * _PEBBLE
    shape = f'rect x="{12 if direction > 0 else -12 - wide:.1f}" y="-14" width="{wide:.1f}" height="28" rx="14"'
    yield f'{piece("side", f"give {given}, get {got}", part=part)}<{shape} fill="#ffffff" fill-opacity="0"/>'
    ordered = given if direction > 0 else given[::-1]
    for place, initial in enumerate(ordered):
        yield _pebble(initial, direction * (12 + (place + 0.5) * _PEBBLE), 0, _PEBBLE / 22)
    yield f"{outline(shape, part, marks, 2.5)}</g>"


def _cards(cards: Sequence[bazaar_pb2.Card], marks: Marks) -> Iterator[str]:
    """Draw cards, each with its pebbles in a ring and the happy face in the middle."""
    if not cards:
        yield f'<text x="{_INSET:.0f}" y="50" font-size="13">none</text>'
    shape = f'rect width="{_CARD_WIDTH:.0f}" height="{_CARD_HEIGHT:.0f}" rx="9"'
    for place, card in enumerate(cards):
        (line, column), part = divmod(place, _COLUMNS), card_part(place)
        x, y = _INSET + column * (_CARD_WIDTH + _GAP), _HEAD + line * (_CARD_HEIGHT + _GAP)
        yield piece("card", words(card), part=part, transform=f"translate({x:.1f} {y:.1f})")
        yield f'<{shape} class="surface" fill="#ffffff" stroke="#b99b62"/>'
        for number, initial in enumerate(pebbles(card.pebbles, 5)):
            turned = 2 * pi * number / 5
            yield _pebble(initial, _CARD_WIDTH / 2 + 36 * sin(turned), _CARD_HEIGHT / 2 - 36 * cos(turned), 1.45)
        if card.face:
            yield _face(_CARD_WIDTH / 2, _CARD_HEIGHT / 2, 0.9)
        yield f"{outline(shape, part, marks)}</g>"


def _face(x: float, y: float, scale: float) -> str:
    return f'<use class="face" href="#bazaar-face" transform="translate({x:.1f} {y:.1f}) scale({scale:.2f})"/>'


def _minis(cards: Sequence[bazaar_pb2.Card], box: _Box, top: float = _HEAD) -> Iterator[str]:
    """Draw small cards, line by line."""
    for place, card in enumerate(cards):
        line, column = divmod(place, _minis_in(box.width))
        x, y = _INSET + column * (_MINI_WIDTH + 4), top + line * (_MINI_HEIGHT + 4)
        yield piece("mini", words(card), transform=f"translate({x:.1f} {y:.1f})")
        edge = f'stroke="{AMBER}" stroke-width="1.5"' if card.face else 'stroke="#b99b62"'
        size = f'width="{_MINI_WIDTH:.0f}" height="{_MINI_HEIGHT:.0f}" rx="5"'
        yield f'<rect class="surface" {size} fill="#ffffff" {edge}/>'
        first = 7.0 if card.face else 12.0
        for number, initial in enumerate(pebbles(card.pebbles, 5)):
            yield _pebble(initial, first + 9.5 * number, _MINI_HEIGHT / 2, 0.44)
        if card.face:
            yield _face(55.0, _MINI_HEIGHT / 2, 0.34)
        yield "</g>"


def _player(seat: Seat, box: _Box) -> Iterator[str]:
    size = font_size(seat.name, box.width - 2 * _INSET, 17.0)
    yield (
        f'<text class="name" x="{_INSET:.0f}" y="27" font-size="{size:.1f}" font-weight="700">'
        f"{escape(seat.name)}</text>"
    )
    yield f'<text class="status" x="{_INSET:.0f}" y="51" font-size="13" fill="#85714b">{seat.status}</text>'
    yield f'<text class="done" x="{_INSET:.0f}" y="69" font-size="13" fill="{AMBER_INK}">{seat.done}</text>'
    yield (
        f'<text class="score" x="{box.width - _INSET:.1f}" y="54" font-size="21" font-weight="700" '
        f'text-anchor="end">{seat.score}</text>'
    )
    yield '<g class="wallet">'
    yield from _counts(seat.wallet, 26, _WALLET - 18, (box.width - 2 * _INSET) / 5, 1.0)
    yield "</g>"
    yield from _minis(seat.cards, box, _WALLET if seat.wallet else _NAMED)


def _artwork(initial: str) -> str:
    body, edge, ink = _INKS[initial]
    return (
        f'<g id="bazaar-{initial}"><circle r="10" fill="{body}" stroke="{edge}"/>'
        f'<text y="4.2" font-size="12" font-weight="700" text-anchor="middle" fill="{ink}">{initial}</text></g>'
    )


# What is drawn often is drawn once, here. The ids start with the game's name, as a page may hold several pictures.
_PALE = ' opacity=".35"'
_ARTWORK = f"""
{"".join(map(_artwork, INITIALS))}
<g id="bazaar-face" fill="none" stroke="#6b4a00" stroke-linecap="round">
  <circle r="17" fill="#ffe27a" stroke="#c08a00" stroke-width="1.5"/>
  <circle cx="-5.5" cy="-5" r="1.6" fill="#6b4a00"/>
  <circle cx="5.5" cy="-5" r="1.6" fill="#6b4a00"/>
  <path d="M-9 3Q0 14 9 3" stroke-width="2.2"/>
</g>
"""
