"""Webset as text in rich's console markup: a state, its board and what stands beside it, and single cards."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from math import ceil

from fairplay.games.frontends import Offer
from fairplay.games.kit.lettering import literally, name_column, short_name
from fairplay.games.webset.rules.cards import COLORS, SYMBOLS, digits
from fairplay.games.webset.views.words import (
    NAME_CELLS,
    NAME_LIMIT,
    ROWS,
    Scene,
    Seat,
    caller,
    count_sets,
    displayed,
    happened,
    letter,
    list_seats,
    list_slots,
    name_of,
    phase_words,
    picked,
)
from fairplay.webset.v1 import webset_pb2

# Cards. The colours can be told apart on a light and on a dark background

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
            for slot, card in enumerate(list_slots(state))
            if slot % ROWS == row
        ]
        lines += [" ".join(parts) for parts in zip(*boxes, strict=True)]
    return lines


# States, at most 76 cells wide

_MUTED, _TEXT_MARK = "#7a8a7e", "bold #c77700"


def text(state: webset_pb2.State, players: Sequence[str]) -> str:
    """Return the same as text: each card in a box with the number of its slot, from 1, column by column."""
    seats = list_seats(state, players)
    what = name_column(phase_words(state, seats), NAME_LIMIT + 11)
    lines = [f"[bold default]{what.rstrip()}[/]  [{_MUTED}]{state.deck_left} cards in the deck[/]"]
    if done := happened(state, players):
        lines.append(f"[{_TEXT_MARK}]{literally(done)}[/]")
    shown = {*displayed(state), *state.picked}
    lines += [line.rstrip() for line in table_lines(state, lambda slot: str(slot + 1), shown)]
    return "\n".join([*lines, *map(_line, seats), f"[{_MUTED}]{LEGEND}[/]"])


def _line(seat: Seat) -> str:
    """Return the line of a player; `default` keeps rich from colouring numbers, and names that look like code."""
    mark = "▸" if seat.marked else " "
    name = name_column(seat.name, NAME_LIMIT)
    sets = f"{seat.set_count:>2} set{' ' if seat.set_count == 1 else 's'}"
    return f"[{_TEXT_MARK}]{mark}[/] [default]{name} [bold]{seat.points:>4}[/]  {sets}  {seat.status}[/]".rstrip()


# What a person sees

BAR_CELLS = 20

_LEGEND = (
    f"[{_MUTED}]● ◆ ▰ solid   ○ ◇ ▱ open   ◍ ◈ ▨ striped\n[/]"
    f"[{_MUTED}]A set: number, colour, symbol and shading are each all\nalike or all different.[/]"
)
_GONE = {webset_pb2.STANDING_ELIMINATED: "out", webset_pb2.STANDING_FAILED: "failed"}


def board_text(scene: Scene) -> str:
    """Return the table: each card in a box with its key, picked cards and a displayed solution marked."""
    marked = {*picked(scene), *displayed(scene.state)}
    return "\n".join([*table_lines(scene.state, letter, marked), "", _LEGEND])


def side_text(scene: Scene) -> str:
    """Return the players with their points, whose call it is, and the size of the deck; 22 cells wide."""
    state = scene.state
    lines = [line for seat in range(len(state.players)) for line in _player(scene, seat)]
    return "\n".join([*lines, "", f"[{_MUTED}]{state.deck_left} cards in the deck[/]"])


def _player(scene: Scene, seat: int) -> Iterator[str]:
    player, calls = scene.state.players[seat], caller(scene.state) == seat
    mark = f"[{_MARK}]▸[/]" if calls else " "
    name = name_column(short_name(name_of(scene, seat), NAME_CELLS), NAME_CELLS)
    style = "bold" if seat == scene.seat else "default"
    yield f"{mark} [{style}]{name}{player.points:>4}[/]"
    if said := ", ".join(_remarks(player)):
        yield f"[{_MUTED}]  {said}[/]"


def _remarks(player: webset_pb2.Player) -> Iterator[str]:
    if player.standing in _GONE:
        yield _GONE[player.standing]
    if player.cards:
        yield count_sets(len(player.cards))
    if wrong := player.penalty_count - player.expiry_count:
        yield f"{wrong} wrong"
    if player.expiry_count:
        yield f"{player.expiry_count} late"
    if player.locked:
        yield "locked"
    if player.voted:
        yield "more?"


def status_line(offer: Offer, picked: Sequence[int], window_s: float) -> str:
    """Return the line below the table: what a person may do or waits for, what time is left, and the picked cards."""
    if offer.left_s is None:
        return literally(offer.prompt)
    chosen = "  ".join(map(card_text, picked))
    cells = max(0, min(BAR_CELLS, ceil(offer.left_s / window_s * BAR_CELLS)))
    bar = f"[{_MARK}]{'█' * cells}[/][{_MUTED}]{'░' * (BAR_CELLS - cells)}[/]"
    return f"[{_MARK}]{literally(offer.prompt)}[/]  {bar} {max(0.0, offer.left_s):.1f} s  {chosen}".rstrip()
