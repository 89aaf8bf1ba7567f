"""Webset: a state as one SVG document and as text for a terminal, and single cards as both.

All functions take messages, or the number of a card, and draw only what a public state holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import ceil
from typing import NamedTuple

from fairplay.games.frontends import Choice
from fairplay.games.kit.lettering import font_size, literally, name_column, short_name
from fairplay.games.kit.person import NO_MARKS, Marks
from fairplay.games.kit.pictures import AMBER, AMBER_INK, BUTTON_HEIGHT, button_lines, buttons, document, outline, piece
from fairplay.games.webset.rules.cards import CARDS, card_name
from fairplay.games.webset.views.board import displayed, letter
from fairplay.games.webset.views.drafts import slot_part
from fairplay.games.webset.views.drawing import (
    ARTWORK,
    CARD,
    CARD_HEIGHT,
    CARD_WIDTH,
    LEGEND,
    card_lines,
    card_parts,
    card_svg,
    card_text,
    slot_lines,
    slot_parts,
)
from fairplay.webset.v1 import webset_pb2

__all__ = ["card_lines", "card_name", "card_svg", "card_text", "svg", "text"]

_NAME_LIMIT = 20  # cells of a terminal; longer names are cut
_LINE = 76  # cells of a terminal
_ROWS = 3  # of slots in a column
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
    remarks = (
        "winner" if won else "",
        "locked out" if player.locked else "",
        "asks for more" if player.voted else "",
        _penalties(player),
    )
    return ", ".join(filter(None, remarks))


def _penalties(player: webset_pb2.Player) -> str:
    wrong, late = player.penalty_count - player.expiry_count, player.expiry_count
    return " and ".join(f"{count} {word}" for count, word in ((wrong, "wrong"), (late, "late")) if count)


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


def _slots(state: webset_pb2.State) -> list[int | None]:
    """Return the slots that are drawn, in whole columns; None for an empty one."""
    count = max(_BASE, ceil(len(state.slots) / _ROWS) * _ROWS)
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
    wide = len(slots) // _ROWS * (CARD_WIDTH + _GAP) - _GAP
    high = _HEAD + _ROWS * (CARD_HEIGHT + _GAP) - _GAP
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
    return document(width, height, _title(state, seats), parts, ground="#e4ede4", ink="#22312a")


def _title(state: webset_pb2.State, seats: Sequence[_Seat]) -> str:
    each = (f"{seat.name} {seat.points}{seat.status and f' ({seat.status})'}" for seat in seats)
    return f"Webset, {_phase(state, seats)}: {', '.join(each) or 'nobody plays'}"


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
        column, row = divmod(slot, _ROWS)
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
    seats, slots, shown = _seats(state, players), _slots(state), {*displayed(state), *state.picked}
    what = name_column(_phase(state, seats), _NAME_LIMIT + 11)
    lines = [f"[bold default]{what.rstrip()}[/]  [{_TEXT_MUTED}]{state.deck_left} cards in the deck[/]"]
    if happened := _happened(state, players):
        lines.append(f"[{_TEXT_MARK}]{literally(happened)}[/]")
    for row in range(_ROWS):
        boxes = [
            slot_lines() if card is None else card_lines(card, str(slot + 1), marked=card in shown)
            for slot, card in enumerate(slots)
            if slot % _ROWS == row
        ]
        lines += [" ".join(parts).rstrip() for parts in zip(*boxes, strict=True)]
    return "\n".join([*lines, *map(_line, seats), f"[{_TEXT_MUTED}]{LEGEND}[/]"])


def _line(seat: _Seat) -> str:
    """Return the line of a player; `default` keeps rich from colouring numbers, and names that look like code."""
    mark = "▸" if seat.marked else " "
    name = name_column(seat.name, _NAME_LIMIT)
    sets = f"{seat.set_count:>2} set{' ' if seat.set_count == 1 else 's'}"
    return f"[{_TEXT_MARK}]{mark}[/] [default]{name} [bold]{seat.points:>4}[/]  {sets}  {seat.status}[/]".rstrip()
