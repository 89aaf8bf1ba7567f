"""School boards of Eriantys, and what a person has in hand, as parts of a picture."""

from __future__ import annotations

from collections.abc import Iterator

from fairplay.games.eriantys.rules import TABLE_SEATS, assistant_steps
from fairplay.games.eriantys.views.artwork import (
    HEXAGON,
    INKS,
    INSET,
    MUTED,
    PALE,
    Box,
    coin,
    use,
    words_at,
)
from fairplay.games.eriantys.views.seats import (
    DINING_ROOM,
    INITIALS,
    Own,
    Seat,
    assistant_part,
    count_words,
    student_part,
)
from fairplay.games.kit.lettering import font_size
from fairplay.games.kit.person import Marks
from fairplay.games.kit.pictures import AMBER_INK, BUTTON_HEIGHT, button_lines, buttons, outline, piece

SCHOOL_HEIGHT = 204.0
_SEAT, _ROW = 21.0, 24.0  # from one seat of a table to the next, and from one table to the next
_TOP = 70.0  # where entrance, dining room and towers begin
_HAND_TOP, _HAND_STEP = 34.0, 46.0  # of a person's assistants, and from one to the next
_HAND_HEIGHT = 70.0
_HAND_COUNT = 10
_ENTRANCE = 10  # students of an entrance that are drawn, at most
_FEWEST_LINES = 2  # of buttons for which there is room in any case, so that the picture keeps its size


def own_height(own: Own, width: float) -> float:
    """Return the height of the panel with a person's assistants."""
    lines = max(_FEWEST_LINES, len(button_lines(own.words, _words_width(width))))
    return max(_HAND_TOP + _HAND_HEIGHT, 20 + lines * BUTTON_HEIGHT)


def _words_width(width: float) -> float:
    return width - _HAND_COUNT * _HAND_STEP - 3 * INSET


def own_parts(own: Own, box: Box, marks: Marks) -> Iterator[str]:
    """Draw a person's assistants, and beside them what can be chosen and is no piece of the game."""
    for place, value in enumerate(own.hand):
        yield from _in_hand(value, INSET + 20 + place * _HAND_STEP, _HAND_TOP + 28, marks)
    width = _words_width(box.width)
    yield from buttons(button_lines(own.words, width), marks, box.width - width - INSET, 14, width)


def _in_hand(value: int, x: float, y: float, marks: Marks) -> Iterator[str]:
    """Draw an assistant with its value, and below it how far Mother Nature may move."""
    part, steps = assistant_part(value), assistant_steps(value)
    title = f"assistant {value}, Mother Nature moves up to {steps}"
    yield piece("own-assistant", title, part=part, transform=f"translate({x:.1f} {y:.1f})")
    yield f'<{_CARD} fill="#fff6e0" stroke="#c9a45a"/>{words_at(0, 0, str(value), 18, weight=700, anchor="middle")}'
    yield use("mother-nature", -8, 15, 0.55)
    yield f"{words_at(7, 20, str(steps), 13, fill=MUTED, anchor='middle')}{outline(_CARD, part, marks, 3.0)}</g>"


_CARD = 'rect x="-19" y="-25" width="38" height="54" rx="6"'


def school_parts(seat: Seat, box: Box, marks: Marks, *, own: bool) -> Iterator[str]:
    """Draw from left to right entrance, dining room, professors, towers; above them the name and what is in hand.

    `own` is whether it is the person's, whose students and dining room can be pointed at.
    """
    yield from _head(seat, box)
    yield f'<rect x="14" y="{_TOP - 4:.1f}" width="62" height="126" rx="8" fill="#dfe9ee"/>'
    yield from _entrance(seat, marks, own=own)
    yield piece("dining-room", f"dining room: {count_words(seat.dining)}", part=DINING_ROOM if own else "")
    for row, (initial, count) in enumerate(zip(INITIALS, seat.dining, strict=True)):
        yield from _table(initial, count, _TOP + 11 + _ROW * row)
    shape = f'rect x="82" y="{_TOP - 4:.1f}" width="234" height="126" rx="8"'
    yield f"{outline(shape, DINING_ROOM, marks, 3.0) if own else ''}</g>"
    for row, initial in enumerate(INITIALS):
        yield _professor(initial, _TOP + 11 + _ROW * row, held=seat.professors[row])
    yield from _tower_area(seat, box.width, _TOP)


def _entrance(seat: Seat, marks: Marks, *, own: bool) -> Iterator[str]:
    """Draw the students of the entrance by colour, two in a line."""
    yield '<g class="entrance">'
    place = 0
    for color, initial in enumerate(INITIALS):
        count = min(seat.entrance[color], _ENTRANCE - place)
        if count <= 0:
            continue
        alone = [count if other == color else 0 for other in range(len(INITIALS))]
        part = student_part(color) if own else ""
        yield piece("colored", f"entrance: {count_words(alone)}", part=part)
        for number in range(place, place + count):
            x, y = 31 + 28 * (number % 2), _TOP + 11 + _ROW * (number // 2)
            yield f'<rect x="{x - 14}" y="{y - 12:.1f}" width="28" height="24" fill="none" pointer-events="all"/>'
            yield use(initial, x, y, 1.0)
            yield outline(f'circle cx="{x}" cy="{y:.1f}" r="11"', part, marks, 2.5)
        yield "</g>"
        place += count
    yield "</g>"


def _head(seat: Seat, box: Box) -> Iterator[str]:
    size = font_size(seat.name, box.width - 250, 17.0)
    yield words_at(INSET, 27, seat.name, size, weight=700, kind="name")
    yield words_at(INSET, 50, seat.status, 13, fill=AMBER_INK if seat.turn or seat.won else MUTED, kind="status")
    right = box.width - INSET
    if seat.coins is not None:
        yield f'<g class="coins">{coin(right - 12, 22, seat.coins)}</g>'
        right -= 34
    if seat.assistant:
        yield f'<g class="assistant">{use("assistant", right - 14, 23)}'
        yield f"{words_at(right - 14, 28, str(seat.assistant), 14, weight=700, anchor='middle')}</g>"
        right -= 38
    yield words_at(right, 27, f"{seat.hand_size} in hand", 12, fill=MUTED, anchor="end", kind="hand-size")
    hand = " ".join(map(str, seat.hand))
    yield words_at(box.width - INSET, 52, hand, 12, fill=MUTED, anchor="end", kind="hand")


def _table(initial: str, count: int, y: float) -> Iterator[str]:
    """Draw a table with its ten seats, coins on the third, sixth and ninth."""
    body = INKS[initial][0]
    yield '<g class="table">'
    yield f'<rect x="86" y="{y - 11:.1f}" width="226" height="22" rx="11" fill="{body}" opacity=".16"/>'
    for place in range(TABLE_SEATS):
        x = 100 + _SEAT * place
        if place < count:
            yield use(initial, x + 4, y, 0.86)
        else:
            ring = "#b98f1d" if place in (2, 5, 8) else body
            yield f'<circle cx="{x + 4:.1f}" cy="{y:.1f}" r="6.5" fill="none" stroke="{ring}" opacity=".55"/>'
    yield "</g>"


def _professor(initial: str, y: float, *, held: bool) -> str:
    """Draw the place of a professor, and the professor if it is there."""
    if held:
        return f'<g class="professor">{use(f"professor-{initial}", 336, y)}</g>'
    place = f'<path d="{HEXAGON}" transform="translate(336 {y:.1f})" fill="none"'
    return f'{place} stroke="{INKS[initial][0]}" opacity=".35"/>'


def _tower_area(seat: Seat, width: float, top: float) -> Iterator[str]:
    left = 366.0
    yield f'<rect x="{left:.1f}" y="{top - 4:.1f}" width="{width - left - 14:.1f}" height="126" rx="8" fill="#dfe9ee"/>'
    step = (width - left - 14) / 4
    if not seat.towers and seat.tower:
        yield f"<g{PALE}>{use(f'tower{seat.tower}', left + 2 * step, top + 59, 1.6)}</g>"
    yield '<g class="towers">'
    for place in range(seat.towers):
        yield use(f"tower{seat.tower or 3}", left + step * (place % 4 + 0.5), top + 30 + 62 * (place // 4), 1.25)
    yield "</g>"
