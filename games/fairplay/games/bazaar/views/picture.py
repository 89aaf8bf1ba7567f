"""A state of Bazaar as one SVG document and as text for a terminal.

Both take a state message, full or public, and the names of the players by seat. What a public state hides, the wallets
and the pile, is not drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fairplay.bazaar.v1 import bazaar_pb2
from fairplay.games.bazaar.rules.pieces import INITIALS
from fairplay.games.bazaar.views.drawing import svg
from fairplay.games.bazaar.views.seats import NAME_LIMIT, SIDE_LIMIT, Seat, list_seats, pebbles
from fairplay.games.kit.lettering import name_column

__all__ = ["svg", "text"]

# each pebble is an initial on its own colour, so that it is seen on any background
_STYLES = {
    "r": "bold #ffffff on #b3261e",
    "w": "bold #000000 on #ffffff",
    "b": "bold #ffffff on #1d56b0",
    "g": "bold #ffffff on #1b7340",
    "y": "bold #000000 on #f4c531",
}
_MUTED, _MARK, _FACE = "#8a7444", "bold #c77700", "bold #b87400"
_WIDTH = 76  # of a line, at most


def text(state: bazaar_pb2.State, players: Sequence[str]) -> str:
    """Return a picture in rich's console markup, at most 76 cells wide."""
    lines = [
        *_filled("equations", [_equation(equation) for equation in state.table.equations] or [("none", 4)]),
        f"{_label('bank')}{_chips(state.bank)}",
        *_filled("cards", list(map(_card, state.visible)) or [("none", 4)]),
        *_filled("pile", list(map(_card, state.pile))),
        "",
    ]
    for seat in list_seats(state, players):
        lines += _lines(seat)
    return "\n".join(lines)


def _label(title: str) -> str:
    return f"[{_MUTED}]{title:<11}[/]"


def _filled(title: str, parts: Sequence[tuple[str, int]]) -> Iterator[str]:
    """Yield parts with their widths, as many in a line as fit; nothing if there are none."""
    if not parts:
        return
    wide = max(width for _, width in parts)
    each = max(1, (_WIDTH - 11) // (wide + 3))
    for start in range(0, len(parts), each):
        row = parts[start : start + each]
        padded = "   ".join(part + " " * (wide - width) for part, width in row).rstrip()
        yield f"{_label('' if start else title)}{padded}"


def _letters(counts: Iterable[int], most: int) -> str:
    """Return the pebbles of a bag, a letter each."""
    return "".join(f"[{_STYLES[initial]}]{initial}[/]" for initial in pebbles(counts, most))


def _equation(equation: bazaar_pb2.Equation) -> tuple[str, int]:
    sides = _letters(equation.left, SIDE_LIMIT), _letters(equation.right, SIDE_LIMIT)
    width = sum(min(SIDE_LIMIT, sum(side)) for side in (equation.left, equation.right))
    return " = ".join(sides), width + 3


def _card(card: bazaar_pb2.Card) -> tuple[str, int]:
    return f"{_letters(card.pebbles, 5)}{f' [{_FACE}]☺[/]' if card.face else '  '}", 7


def _chips(counts: Sequence[int]) -> str:
    """Return how many pebbles of each colour there are."""
    return " ".join(
        f"[{_STYLES[initial]}] {initial} [/][default]{count:>3}[/]"
        for initial, count in zip(INITIALS, counts, strict=False)
    )


def _lines(seat: Seat) -> Iterator[str]:
    """Yield a player's lines; `default` keeps rich from colouring numbers, and parts of names that look like code."""
    mark = "▸" if seat.turn else "★" if seat.status == "winner" else " "
    name, said = name_column(seat.name, NAME_LIMIT), ", ".join(filter(None, (seat.done, seat.status)))
    yield f"[{_MARK}]{mark}[/] [default]{name} [bold]{seat.score:>7}[/] {said}[/]".rstrip()
    if seat.wallet:
        yield f"  {_label('wallet')}{_chips(seat.wallet)}"
    for line in _filled("bought", list(map(_card, seat.cards))):
        yield f"  {line}"
