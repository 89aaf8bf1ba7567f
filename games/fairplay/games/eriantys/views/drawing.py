"""A state of Eriantys as one SVG document. Students carry the initials of their colours. The unit is the pixel."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import accumulate, pairwise
from math import cos, dist, pi, sin
from typing import NamedTuple

from fairplay.eriantys.v1 import eriantys_pb2
from fairplay.games.eriantys.rules import NAMES, TABLE_SEATS
from fairplay.games.eriantys.views.artwork import (
    AMBER,
    ARTWORK,
    HEXAGON,
    INKS,
    ISLAND,
    MUTED,
    PALE,
    coin,
    initials,
    use,
    words_at,
)
from fairplay.games.eriantys.views.seats import INITIALS, Group, Seat, course, fives, groups, last_action, seats
from fairplay.games.kit.lettering import font_size

_MARGIN, _GAP, _INSET, _HEAD = 16.0, 12.0, 16.0, 34.0

_RING_WIDTH, _RING_HEIGHT = 760.0, 560.0
_STEPS = 720  # around the ellipse on which they lie
_CARD_WIDTH, _SIDE_WIDTH = 232.0, 264.0
_BOARD_HEIGHT = 204.0
_SEAT, _ROW = 21.0, 24.0  # from one seat of a table to the next, and from one table to the next


class _Box(NamedTuple):
    """Where a panel is."""

    x: float
    y: float
    width: float
    height: float


def svg(state: eriantys_pb2.State, players: Sequence[str]) -> str:
    """Return a picture: islands around the clouds, characters beside them, and the school boards below."""
    listed = seats(state, players)
    expert = bool(state.characters)
    ring = _Box(_MARGIN, _MARGIN, _RING_WIDTH + (0 if expert else _SIDE_WIDTH + _GAP), _RING_HEIGHT)
    side = _Box(ring.x + ring.width + _GAP, _MARGIN, _SIDE_WIDTH, _RING_HEIGHT)
    wide = _RING_WIDTH + _SIDE_WIDTH + _GAP
    boards = _boards(len(listed), _MARGIN + _RING_HEIGHT + _GAP, wide)
    width, height = wide + 2 * _MARGIN, boards[-1].y + _BOARD_HEIGHT + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="system-ui, sans-serif">',
        f"<title>{escape(_title(listed, state))}</title>",
        f"<defs>{ARTWORK}</defs>",
        '<rect width="100%" height="100%" rx="16" fill="#dbe9f2"/>',
        *_panel(
            ring, "islands", "Islands", [*_islands(groups(state), ring), *_middle(state, players, ring)], fill="#bfe0ee"
        ),
        *(_panel(side, "characters", "Characters", _characters(state)) if expert else ()),
    ]
    for seat, box in zip(listed, boards, strict=True):
        parts += _panel(box, "board", "", _board(seat, box), marked=seat.turn or seat.won)
    return "\n".join([*parts, "</svg>"])


def _title(listed: Sequence[Seat], state: eriantys_pb2.State) -> str:
    each = (f"{seat.name}{seat.status and f' ({seat.status})'}" for seat in listed)
    return f"Eriantys, {course(state)}: {', '.join(each)}"


def _boards(count: int, top: float, wide: float) -> list[_Box]:
    """Return where the school boards are: two in a line; three of them lie in two lines, too."""
    each = (wide - _GAP) / 2
    places = (divmod(seat, 2) for seat in range(count))
    return [
        _Box(_MARGIN + column * (each + _GAP), top + row * (_BOARD_HEIGHT + _GAP), each, _BOARD_HEIGHT)
        for row, column in places
    ]


def _panel(
    box: _Box, css_class: str, title: str, parts: Iterable[str], *, marked: bool = False, fill: str = "#fbfdfe"
) -> Iterator[str]:
    border = f'stroke="{AMBER}" stroke-width="3"' if marked else 'stroke="#a9c4d4"'
    yield f'<g class="{css_class}" transform="translate({box.x:.1f} {box.y:.1f})" fill="#23313c">'
    yield f'<rect width="{box.width:.1f}" height="{box.height:.1f}" rx="10" fill="{fill}" {border}/>'
    if title:
        yield words_at(_INSET, 23, title, 14, fill="#48677a", weight=700)
    yield from parts
    yield "</g>"


# Islands and clouds


def _places(box: _Box) -> list[tuple[float, float]]:
    """Return the middles of the twelve tiles: clockwise on an ellipse, 0 at the top, all equally far apart on it."""
    across, down = box.width / 2 - ISLAND - 18, box.height / 2 - ISLAND - 20
    turns = [2 * pi * step / _STEPS for step in range(_STEPS + 1)]
    points = [(box.width / 2 + across * sin(turn), box.height / 2 + 6 - down * cos(turn)) for turn in turns]
    walked = list(accumulate((dist(*pair) for pair in pairwise(points)), initial=0.0))
    return [points[bisect_left(walked, walked[-1] * tile / 12)] for tile in range(12)]


def _islands(found: Sequence[Group], box: _Box) -> Iterator[str]:
    ring = _places(box)
    for group in found:
        places = [ring[tile] for tile in group.tiles]
        words = f"islands {', '.join(map(str, group.tiles))}" if len(places) > 1 else f"island {group.tiles[0]}"
        yield f'<g class="group"><title>{words}</title>'
        if len(places) > 1:
            yield from _bridges(places)
        yield from (use("island", x, y) for x, y in places)
        for place, (tile, (x, y)) in enumerate(zip(group.tiles, places, strict=True)):
            middle = place == len(places) // 2
            yield f'<g class="island" transform="translate({x:.1f} {y:.1f})">'
            yield words_at(0, 49, str(tile), 10, fill="#5d7d4a", anchor="middle")
            yield from _pawns(group, middle)
            yield from _contents(group) if middle else ()
            yield "</g>"
        yield "</g>"


def _bridges(places: Sequence[tuple[float, float]]) -> Iterator[str]:
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    for color, width in (("#7fa463", 60), ("#cfe3b4", 57)):
        yield f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="{width}" stroke-linejoin="round"/>'


def _pawns(group: Group, middle: bool) -> Iterator[str]:
    """Draw a tower on each island of a group, Mother Nature on the middle one."""
    both = group.tower and middle and group.mother_nature
    if group.tower:
        yield use(f"tower{group.tower}", -14 if both else 0, -29, 0.95)
    if middle and group.mother_nature:
        yield f'<g class="mother-nature">{use("mother-nature", 14 if both else 0, -29)}</g>'


def _contents(group: Group) -> Iterator[str]:
    """Draw the students by colour, three in a line, and no-entry tiles."""
    held = [(initial, count) for initial, count in zip(INITIALS, group.students, strict=True) if count]
    for row in range(0, len(held), 3):
        line = held[row : row + 3]
        y = 4.0 if len(held) <= 3 else -5.0 + 23 * (row // 3)
        for place, (initial, count) in enumerate(line):
            yield _counted(initial, count, 32 * (place - (len(line) - 1) / 2), y)
    if group.no_entry:
        more = words_at(17, 38, str(group.no_entry), 12, fill="#a3261f", weight=700, anchor="end")
        yield f'<g class="no-entry">{use("no-entry", 30, 33, 0.85)}{more if group.no_entry > 1 else ""}</g>'


def _counted(initial: str, count: int, x: float, y: float) -> str:
    """Draw a student and how many there are of it."""
    number = f'<text x="{x + 4:.1f}" y="{y + 8:.1f}" font-size="11.5" font-weight="700">{count}</text>'
    return f'<g class="students">{use(initial, x - 5, y, 0.82)}{number}</g>'


def _middle(state: eriantys_pb2.State, players: Sequence[str], box: _Box) -> Iterator[str]:
    """Draw the clouds, with the course of the game and the last action above, and the bag below them."""
    x, y = box.width / 2, box.height / 2 + 6
    words = course(state)
    yield words_at(x, y - 120, f"{words[0].upper()}{words[1:]}", 17, weight=700, anchor="middle", kind="course")
    if done := last_action(state, players):
        yield words_at(x, y - 102, done, 13, fill=AMBER, anchor="middle", kind="done")
    clouds = fives(state.cloud_students)
    lines = [clouds] if len(clouds) < 4 else [clouds[:2], clouds[2:]]
    number = 0
    for row, line in enumerate(lines):
        for column, students in enumerate(line):
            cx = x + 122 * (column - (len(line) - 1) / 2)
            cy = y - 12 + 78 * (row - (len(lines) - 1) / 2)
            yield from _cloud(number, students, cx, cy)
            number += 1
    closed = "clouds are closed, " if state.clouds_closed else ""
    yield words_at(x, y + 92, f"{closed}{state.bag_count} in the bag", 13, fill="#3f6577", anchor="middle", kind="bag")


def _cloud(number: int, counts: Sequence[int], x: float, y: float) -> Iterator[str]:
    students = initials(counts, 4)
    yield f'<g class="cloud" transform="translate({x:.1f} {y:.1f})"{"" if students else PALE}>'
    yield f"<title>cloud {number}</title>{use('cloud', 0, 0)}"
    yield words_at(-3, -12, str(number), 10, fill=MUTED, anchor="middle")
    for place, initial in enumerate(students):
        yield use(initial, 21 * (place - (len(students) - 1) / 2), 5, 0.95)
    yield "</g>"


# Characters


def _characters(state: eriantys_pb2.State) -> Iterator[str]:
    high = (_RING_HEIGHT - _HEAD - 44) / max(1, len(state.characters)) - 10
    held = fives(state.character_students)
    for place, (number, cost) in enumerate(zip(state.characters, state.character_costs, strict=True)):
        y = _HEAD + place * (high + 10)
        played = state.played_character == number
        edge = f'stroke="{AMBER}" stroke-width="3"' if played else 'stroke="#b7a6d6"'
        yield f'<g class="character" transform="translate({_INSET:.1f} {y:.1f})">'
        yield f'<rect width="{_CARD_WIDTH:.1f}" height="{high:.1f}" rx="9" fill="#f4effc" {edge}/>'
        yield words_at(14, 26, f"{number}  {NAMES.get(number, 'character')}", 15, weight=700)
        yield f'<g class="cost">{coin(_CARD_WIDTH - 24, 22, cost)}</g>'
        yield words_at(14, 46, "in this turn" if played else "", 12, fill=AMBER)
        for at, initial in enumerate(initials(held[place], 6)):
            yield use(initial, 28 + 34 * at, high - 36, 1.2)
        yield from _tiles(state.character_no_entry_counts[place], high - 36)
        yield "</g>"
    yield f'<g class="reserve">{coin(_INSET + 14, _RING_HEIGHT - 26, state.reserve_count)}'
    yield f"{words_at(_INSET + 36, _RING_HEIGHT - 21, 'in the reserve', 13, fill=MUTED)}</g>"


def _tiles(count: int, y: float) -> Iterator[str]:
    for place in range(count):
        yield f'<g class="no-entry">{use("no-entry", 28 + 34 * place, y)}</g>'


# School boards


def _board(seat: Seat, box: _Box) -> Iterator[str]:
    """Draw from left to right entrance, dining room, professors, towers; above them the name and what is in hand."""
    yield from _head(seat, box)
    top = 70.0
    yield f'<rect x="14" y="{top - 4:.1f}" width="62" height="126" rx="8" fill="#dfe9ee"/>'
    yield '<g class="entrance">'
    for place, initial in enumerate(initials(seat.entrance, 10)):
        yield use(initial, 31 + 28 * (place % 2), top + 11 + _ROW * (place // 2), 1.0)
    yield "</g>"
    for row, (initial, count) in enumerate(zip(INITIALS, seat.dining, strict=True)):
        yield from _table(initial, count, seat.professors[row], top + 11 + _ROW * row)
    yield from _tower_area(seat, box.width, top)


def _head(seat: Seat, box: _Box) -> Iterator[str]:
    size = font_size(seat.name, box.width - 250, 17.0)
    yield words_at(_INSET, 27, seat.name, size, weight=700, kind="name")
    yield words_at(_INSET, 50, seat.status, 13, fill=AMBER if seat.turn or seat.won else MUTED, kind="status")
    right = box.width - _INSET
    if seat.coins is not None:
        yield f'<g class="coins">{coin(right - 12, 22, seat.coins)}</g>'
        right -= 34
    if seat.assistant:
        yield f'<g class="assistant">{use("assistant", right - 14, 23)}'
        yield f"{words_at(right - 14, 28, str(seat.assistant), 14, weight=700, anchor='middle')}</g>"
        right -= 38
    yield words_at(right, 27, f"{seat.hand_size} in hand", 12, fill=MUTED, anchor="end", kind="hand-size")
    hand = " ".join(map(str, seat.hand))
    yield words_at(box.width - _INSET, 52, hand, 12, fill=MUTED, anchor="end", kind="hand")


def _table(initial: str, count: int, professor: bool, y: float) -> Iterator[str]:
    """Draw a table with its ten seats, coins on the third, sixth and ninth, and the place of the professor."""
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
    if professor:
        yield f'<g class="professor">{use(f"professor-{initial}", 336, y)}</g>'
    else:
        yield f'<path d="{HEXAGON}" transform="translate(336 {y:.1f})" fill="none" stroke="{body}" opacity=".35"/>'


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
