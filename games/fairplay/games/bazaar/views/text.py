"""A state of Bazaar as one SVG document and as text for a terminal.

Both take a state message, full or public, and the names of the players by seat. What a public state hides, the wallets
and the pile, is not drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fairplay.bazaar.v1 import bazaar_pb2
from fairplay.games.bazaar.rules.pieces import INITIALS
from fairplay.games.bazaar.views.seats import NAME_LIMIT, SIDE_LIMIT, Own, Seat, card_part, list_seats, pebbles
from fairplay.games.kit.lettering import name_column
from fairplay.games.kit.person import Marks, bracketed, choice_lines

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
_TABLE_WIDTH = 56  # where something stands beside the table
_MOST_CHOICES = 5  # lines of them: with the table they fit on a small screen
_SIDE_NAME = 12  # cells of a name beside the table


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


def board_text(state: bazaar_pb2.State, own: Own, marks: Marks) -> str:
    """Return the table for a person in rich's console markup, at most 56 cells wide, with what can be chosen below it.

    Cards that are chosen stand in brackets.
    """
    cards = [
        (bracketed(text, card_part(place), marks), width + 2)
        for place, (text, width) in enumerate(map(_card, state.visible))
    ]
    lines = [
        *_filled(
            "equations", [_equation(equation) for equation in state.table.equations] or [("none", 4)], _TABLE_WIDTH
        ),
        f"{_label('bank')}{_chips(state.bank)}",
        *_filled("cards", cards or [("none", 4)], _TABLE_WIDTH),
        *([f"{_label('your wallet')} {_chips(own.wallet)}"] if own.wallet else []),
        *choice_lines(own.choices, marks, _MOST_CHOICES),
    ]
    return "\n".join(lines)


def side_text(state: bazaar_pb2.State, players: Sequence[str]) -> str:
    """Return the players with their points in rich's console markup, 22 cells wide."""
    lines = []
    for seat in list_seats(state, players):
        mark = "▸" if seat.turn else "★" if seat.status == "winner" else " "
        lines.append(f"[{_MARK}]{mark}[/] [default]{name_column(seat.name, _SIDE_NAME)} [bold]{seat.score:>7}[/][/]")
        lines += [f"[{_MUTED}]  {said}[/]" for said in (seat.done, seat.status) if said]
    return "\n".join(lines)


def _label(title: str) -> str:
    return f"[{_MUTED}]{title:<11}[/]"


def _filled(title: str, parts: Sequence[tuple[str, int]], width: int = _WIDTH) -> Iterator[str]:
    """Yield parts with their widths, as many in a line as fit; nothing if there are none."""
    if not parts:
        return
    wide = max(width for _, width in parts)
    each = max(1, (width - 11) // (wide + 3))
    for start in range(0, len(parts), each):
        row = parts[start : start + each]
        padded = "   ".join(part + " " * (wide - own) for part, own in row).rstrip()
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
