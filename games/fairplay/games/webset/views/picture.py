"""Webset in pictures: the table as one SVG document and as text, and single cards in both."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from html import escape
from math import ceil
from typing import NamedTuple

from fairplay.games.frontends import Choice
from fairplay.games.kit.lettering import font_size, literally, name_column, short_name
from fairplay.games.kit.person import NO_MARKS, Marks
from fairplay.games.kit.pictures import AMBER, AMBER_INK, BUTTON_HEIGHT, button_lines, buttons, document, outline, piece
from fairplay.games.webset.rules.cards import CARDS, COLORS, SHADINGS, SYMBOLS, card_name, digits
from fairplay.webset.v1 import webset_pb2

# Cards in SVG. The unit is the pixel

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


# Cards in rich's console markup. The colours can be told apart on a light and on a dark background

TEXT_WIDTH = 7
"""Cells of a card in its box."""


_GLYPHS = {"oval": "●○◍", "squiggle": "▰▱▨", "diamond": "◆◇◈"}
"""By symbol: solid, open, striped."""
_STYLES = {"red": "#e0383f", "green": "#18a318", "purple": "#b545d8"}
_BORDER, _MARK = "#8a998d", "bold #d97706"
LEGEND = "   ".join(f"{glyphs} {symbol}s" for symbol, glyphs in _GLYPHS.items()) + "   each solid, open, striped"


def card_text(card: int) -> str:
    """Return the symbols of a card in a row, e.g. "◆ ◆ ◆" in red: at most 5 cells."""
    number, color, symbol, shading = digits(card)
    symbols = " ".join([_GLYPHS[SYMBOLS[symbol]][shading]] * (number + 1))
    return f"[{_STYLES[COLORS[color]]}]{symbols}[/]"


def card_lines(card: int, label: str, *, marked: bool = False) -> tuple[str, str, str]:
    """Return a card in a box with a label of at most five cells: three lines of 7 cells."""
    style, inner = _MARK if marked else _BORDER, TEXT_WIDTH - 2
    side, room = f"[{style}]│[/]", " " * (2 - card // 27)
    top, bottom = f"[{style}]╭{label:─^{inner}}╮[/]", f"[{style}]╰{'─' * inner}╯[/]"
    return top, f"{side}{room}{card_text(card)}{room}{side}", bottom


def slot_lines() -> tuple[str, str, str]:
    """Return an empty slot: three lines of 7 cells, as a card."""
    return (" " * TEXT_WIDTH, f"   [{_BORDER}]·[/]   ", " " * TEXT_WIDTH)


def table_lines(state: webset_pb2.State, label: Callable[[int], str], marked: Collection[int]) -> list[str]:
    """Return the table as text, row by row: each card in a box with a label for its slot, some of them marked."""
    lines: list[str] = []
    for row in range(ROWS):
        boxes = [
            slot_lines() if card is None else card_lines(card, label(slot), marked=card in marked)
            for slot, card in enumerate(_slots(state))
            if slot % ROWS == row
        ]
        lines += [" ".join(parts) for parts in zip(*boxes, strict=True)]
    return lines


# States

_NAME_LIMIT = 20  # cells of a terminal; longer names are cut
_LINE = 76  # cells of a terminal
LETTERS = ("qwertyuio", "asdfghjkl", "zxcvbnm,.")
"""The keys of the slots: the three rows of letters of a keyboard are the three rows of the table."""
ROWS = len(LETTERS)
_BASE = 12  # slots that are drawn in any case
_GONE = {webset_pb2.STANDING_ELIMINATED: "eliminated", webset_pb2.STANDING_FAILED: "failed at the end"}


class _Seat(NamedTuple):
    """A player as it is drawn."""

    name: str
    points: int
    set_count: int
    status: str
    marked: bool
    last: Sequence[int]
    """The cards of its last set."""


def _seats(state: webset_pb2.State, players: Sequence[str]) -> list[_Seat]:
    return [
        _Seat(
            _name(seat, players),
            player.points,
            len(player.cards) // 3,
            _status(state, seat, player, won := list(state.ranks[seat : seat + 1]) == [1]),
            won or (state.phase == webset_pb2.PHASE_CALLED and state.caller == seat),
            player.cards[-3:],
        )
        for seat, player in enumerate(state.players)
    ]


def _status(state: webset_pb2.State, seat: int, player: webset_pb2.Player, won: bool) -> str:
    if player.standing in _GONE:
        return _GONE[player.standing]
    if state.phase == webset_pb2.PHASE_CALLED and state.caller == seat:
        return "has called"
    late, wrong = player.expiry_count, player.penalty_count - player.expiry_count
    remarks = (
        "winner" if won else "",
        "locked out" if player.locked else "",
        "asks for more" if player.voted else "",
        " and ".join(f"{count} {word}" for count, word in ((wrong, "wrong"), (late, "late")) if count),
    )
    return ", ".join(filter(None, remarks))


def _name(seat: int, players: Sequence[str]) -> str:
    """Return the name of the player in a seat, without what XML or a terminal cannot show."""
    name = players[seat] if seat < len(players) else ""
    return short_name(name, _NAME_LIMIT) or f"player {seat + 1}"


def _phase(state: webset_pb2.State, seats: Sequence[_Seat]) -> str:
    if state.phase == webset_pb2.PHASE_CALLED and state.caller < len(seats):
        return f"{seats[state.caller].name} calls SET"
    if state.phase == webset_pb2.PHASE_SHOWING:
        return f"solution {state.displayed + 1} of {len(state.solutions) // 3}"
    return "game over" if state.phase == webset_pb2.PHASE_OVER else "open"


_DONE = {
    webset_pb2.EVENT_KIND_CALLED: "called",
    webset_pb2.EVENT_KIND_GOT_SET: "got a set",
    webset_pb2.EVENT_KIND_BAD_SET: "picked no set",
    webset_pb2.EVENT_KIND_CALL_EXPIRED: "was too late",
    webset_pb2.EVENT_KIND_VOTED: "asked for more cards",
    webset_pb2.EVENT_KIND_CARDS_DEALT: "had more cards dealt",
    webset_pb2.EVENT_KIND_SOLUTIONS_SHOWN: "had the solutions shown",
    webset_pb2.EVENT_KIND_SOLUTIONS_ENDED: "ended the showing",
    webset_pb2.EVENT_KIND_PLAYER_LEFT: "was eliminated",
    webset_pb2.EVENT_KIND_PICKED: "picks cards",
    webset_pb2.EVENT_KIND_SOLVED: "named sets",
    webset_pb2.EVENT_KIND_PLAYER_JOINED: "joined",
}


def _happened(state: webset_pb2.State, players: Sequence[str]) -> str:
    """Return what led to a state, in words and cut to a line of a terminal; empty if it is not known."""
    parts = [
        f"{_name(event.seat, players) if event.HasField('seat') else 'everybody'} {_DONE[event.kind]}"
        for event in state.last_events
        if event.kind in _DONE
    ]
    return short_name(", ".join(parts), _LINE)


def letter(slot: int) -> str:
    """Return the key of a slot; empty where the keyboard ends."""
    column, row = divmod(slot, ROWS)
    return LETTERS[row][column] if column < len(LETTERS[row]) else ""


def slot_part(slot: int) -> str:
    """Return the id of a slot in pictures."""
    return f"slot-{slot}"


def displayed(state: webset_pb2.State) -> Sequence[int]:
    """Return the cards of the solution that is displayed."""
    if state.phase != webset_pb2.PHASE_SHOWING:
        return ()
    return state.solutions[3 * state.displayed : 3 * state.displayed + 3]


def _slots(state: webset_pb2.State) -> list[int | None]:
    """Return the slots that are drawn, in whole columns; None for an empty one."""
    count = max(_BASE, ceil(len(state.slots) / ROWS) * ROWS)
    cards = [card if card < CARDS else None for card in state.slots]
    return [*cards, *[None] * (count - len(cards))]


# SVG. The unit is the pixel

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
    seats, slots = _seats(state, players), _slots(state)
    wide = len(slots) // ROWS * (CARD_WIDTH + _GAP) - _GAP
    high = _HEAD + ROWS * (CARD_HEIGHT + _GAP) - _GAP
    lines = button_lines(actions or (), wide)
    columns = max(1, int((wide + _GAP) // (_ROW_WIDE + _GAP)))
    list_top = high + _GAP + 6 + (0 if actions is None else max(1, len(lines)) * BUTTON_HEIGHT + 4)
    list_high = ceil(len(seats) / columns) * (_ROW_HIGH + 6)
    parts = [
        f"<defs>{ARTWORK}</defs>",
        f'<g transform="translate({_MARGIN:.0f} {_MARGIN:.0f})">',
        *_header(state, seats, _happened(state, players), wide),
        *_table(slots, state, marks, keys=actions is not None),
        *buttons(lines, marks, 0, high + _GAP, wide),
        *_list(seats, columns, list_top, (wide - (columns - 1) * _GAP) / columns),
        "</g>",
    ]
    width, height = wide + 2 * _MARGIN, list_top + list_high + 2 * _MARGIN - 6
    each = (f"{seat.name} {seat.points}{seat.status and f' ({seat.status})'}" for seat in seats)
    title = f"Webset, {_phase(state, seats)}: {', '.join(each) or 'nobody plays'}"
    return document(width, height, title, parts, ground="#e4ede4", ink="#22312a")


def _header(state: webset_pb2.State, seats: Sequence[_Seat], happened: str, wide: float) -> Iterator[str]:
    what = _phase(state, seats)
    size = font_size(what, wide - 130, 20.0)
    yield f'<text class="phase" y="22" font-size="{size:.1f}" font-weight="700">{escape(what)}</text>'
    if happened:
        size = font_size(happened, wide - 130, 12.0)
        yield f'<text class="done" y="{_HEAD - 4:.0f}" font-size="{size:.1f}" fill="{AMBER_INK}">'
        yield f"{escape(happened)}</text>"
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


def _list(seats: Sequence[_Seat], columns: int, top: float, wide: float) -> Iterator[str]:
    """Yield the players, line by line."""
    for place, seat in enumerate(seats):
        row, column = divmod(place, columns)
        x, y = column * (wide + _GAP), top + row * (_ROW_HIGH + 6)
        yield f'<g class="player" transform="translate({x:.1f} {y:.1f})">'
        yield from _player(seat, wide)
        yield "</g>"


def _player(seat: _Seat, wide: float) -> Iterator[str]:
    border = f'stroke="{AMBER}" stroke-width="3"' if seat.marked else 'stroke="#c3d2c5"'
    yield f'<rect width="{wide:.1f}" height="{_ROW_HIGH:.0f}" rx="8" fill="#fbfdfb" {border}/>'
    size = font_size(seat.name, wide - 190, 16.0)
    sets = f"{seat.set_count} set{'' if seat.set_count == 1 else 's'}"
    said = f"{sets}, {seat.status}" if seat.status else sets
    yield f'<text class="name" x="12" y="20" font-size="{size:.1f}" font-weight="700">{escape(seat.name)}</text>'
    yield f'<text class="status" x="12" y="38" font-size="12" fill="{_MUTED}">{said}</text>'
    yield f'<text class="points" x="{wide - 12:.1f}" y="31" font-size="20" font-weight="700" text-anchor="end">'
    yield f"{seat.points}</text>"
    for place, card in enumerate(seat.last):
        where = f"translate({wide - 150 + 30 * place:.1f} 5.5) scale(.32)"
        yield f"{piece('last', card_name(card), transform=where)}{card_parts(card)}</g>"


# Text, in rich's console markup, at most 76 cells wide

_TEXT_MUTED, _TEXT_MARK = "#7a8a7e", "bold #c77700"


def text(state: webset_pb2.State, players: Sequence[str]) -> str:
    """Return the same as text: each card in a box with the number of its slot, from 1, column by column."""
    seats = _seats(state, players)
    what = name_column(_phase(state, seats), _NAME_LIMIT + 11)
    lines = [f"[bold default]{what.rstrip()}[/]  [{_TEXT_MUTED}]{state.deck_left} cards in the deck[/]"]
    if happened := _happened(state, players):
        lines.append(f"[{_TEXT_MARK}]{literally(happened)}[/]")
    shown = {*displayed(state), *state.picked}
    lines += [line.rstrip() for line in table_lines(state, lambda slot: str(slot + 1), shown)]
    return "\n".join([*lines, *map(_line, seats), f"[{_TEXT_MUTED}]{LEGEND}[/]"])


def _line(seat: _Seat) -> str:
    """Return the line of a player; `default` keeps rich from colouring numbers, and names that look like code."""
    mark = "▸" if seat.marked else " "
    name = name_column(seat.name, _NAME_LIMIT)
    sets = f"{seat.set_count:>2} set{' ' if seat.set_count == 1 else 's'}"
    return f"[{_TEXT_MARK}]{mark}[/] [default]{name} [bold]{seat.points:>4}[/]  {sets}  {seat.status}[/]".rstrip()
