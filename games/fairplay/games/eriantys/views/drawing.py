"""A state of Eriantys as one SVG document. Students carry the initials of their colours. The unit is the pixel."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from math import cos, dist, pi, sin

from fairplay.eriantys.v1 import eriantys_pb2
from fairplay.games.eriantys.rules import NAMES
from fairplay.games.eriantys.views.artwork import (
    ARTWORK,
    CLOUD,
    INSET,
    ISLAND,
    MUTED,
    PALE,
    Box,
    coin,
    initials,
    use,
    words_at,
)
from fairplay.games.eriantys.views.schools import SCHOOL_HEIGHT, own_height, own_parts, school_parts
from fairplay.games.eriantys.views.seats import (
    INITIALS,
    NOTHING_OWN,
    Group,
    Own,
    Seat,
    character_part,
    cloud_part,
    count_words,
    course,
    fives,
    group_words,
    groups,
    island_part,
    last_action,
    seats,
)
from fairplay.games.kit.person import NO_MARKS, Marks
from fairplay.games.kit.pictures import AMBER, AMBER_INK, document, outline, piece

_MARGIN, _GAP, _HEAD = 16.0, 12.0, 34.0

_RING_WIDTH, _RING_HEIGHT = 760.0, 560.0
_STEPS = 720  # around the ellipse on which they lie
_CARD_WIDTH, _SIDE_WIDTH = 232.0, 264.0


def svg(state: eriantys_pb2.State, players: Sequence[str], own: Own = NOTHING_OWN, marks: Marks = NO_MARKS) -> str:
    """Return a picture: islands around the clouds, characters beside them, and the school boards below.

    For a person its assistants and what else can be chosen stand between them. Groups of islands, clouds, characters,
    assistants, and the students of the own entrance and the own dining room have the id of their part as `data-part`.
    """
    listed = seats(state, players)
    expert = bool(state.characters)
    wide = _RING_WIDTH + _SIDE_WIDTH + _GAP
    ring = Box(_MARGIN, _MARGIN, _RING_WIDTH + (0 if expert else _SIDE_WIDTH + _GAP), _RING_HEIGHT)
    side = Box(ring.x + ring.width + _GAP, _MARGIN, _SIDE_WIDTH, _RING_HEIGHT)
    mine = Box(_MARGIN, _MARGIN + _RING_HEIGHT + _GAP, wide, own_height(own, wide))
    boards = _boards(len(listed), mine.y + (mine.height + _GAP if own.seat is not None else 0), wide)
    parts = [
        f"<defs>{ARTWORK}</defs>",
        *_panel(
            ring,
            "islands",
            "Islands",
            [*_islands(groups(state), ring, marks), *_middle(state, players, ring, marks)],
            fill="#bfe0ee",
        ),
        *(_panel(side, "characters", "Characters", _characters(state, marks)) if expert else ()),
        *(_panel(mine, "own", "Your assistants", own_parts(own, mine, marks)) if own.seat is not None else ()),
    ]
    for number, (seat, box) in enumerate(zip(listed, boards, strict=True)):
        drawn = school_parts(seat, box, marks, own=number == own.seat)
        parts += _panel(box, "board", "", drawn, marked=seat.turn or seat.won)
    height = boards[-1].y + SCHOOL_HEIGHT + _MARGIN
    return document(wide + 2 * _MARGIN, height, _title(listed, state), parts, ground="#dbe9f2", ink="#23313c")


def _title(listed: Sequence[Seat], state: eriantys_pb2.State) -> str:
    each = (f"{seat.name}{seat.status and f' ({seat.status})'}" for seat in listed)
    return f"Eriantys, {course(state)}: {', '.join(each)}"


def _boards(count: int, top: float, wide: float) -> list[Box]:
    """Return where the school boards are: two in a line; three of them lie in two lines, too."""
    each = (wide - _GAP) / 2
    places = (divmod(seat, 2) for seat in range(count))
    return [
        Box(_MARGIN + column * (each + _GAP), top + row * (SCHOOL_HEIGHT + _GAP), each, SCHOOL_HEIGHT)
        for row, column in places
    ]


def _panel(
    box: Box, css_class: str, title: str, parts: Iterable[str], *, marked: bool = False, fill: str = "#fbfdfe"
) -> Iterator[str]:
    border = f'stroke="{AMBER}" stroke-width="3"' if marked else 'stroke="#a9c4d4"'
    yield f'<g class="{css_class}" transform="translate({box.x:.1f} {box.y:.1f})">'
    yield f'<rect width="{box.width:.1f}" height="{box.height:.1f}" rx="10" fill="{fill}" {border}/>'
    if title:
        yield words_at(INSET, 23, title, 14, fill="#48677a", weight=700)
    yield from parts
    yield "</g>"


# Islands and clouds


def _places(box: Box) -> list[tuple[float, float]]:
    """Return the middles of the twelve tiles: clockwise on an ellipse, 0 at the top, all equally far apart on it."""
    across, down = box.width / 2 - ISLAND - 18, box.height / 2 - ISLAND - 20
    turns = [2 * pi * step / _STEPS for step in range(_STEPS + 1)]
    points = [(box.width / 2 + across * sin(turn), box.height / 2 + 6 - down * cos(turn)) for turn in turns]
    walked = list(accumulate((dist(*pair) for pair in pairwise(points)), initial=0.0))
    return [points[bisect_left(walked, walked[-1] * tile / 12)] for tile in range(12)]


def _islands(found: Sequence[Group], box: Box, marks: Marks) -> Iterator[str]:
    ring = _places(box)
    for group in found:
        places, part = [ring[tile] for tile in group.tiles], island_part(group.tiles[0])
        yield piece("group", group_words(group), part=part)
        if len(places) > 1:
            yield from _bridges(places)
        yield from (use("island", x, y) for x, y in places)
        yield from (outline(f'circle cx="{x:.1f}" cy="{y:.1f}" r="{ISLAND - 3:.0f}"', part, marks) for x, y in places)
        for place, (tile, (x, y)) in enumerate(zip(group.tiles, places, strict=True)):
            middle = place == len(places) // 2
            yield f'<g class="island" transform="translate({x:.1f} {y:.1f})">'
            yield words_at(0, 49, str(tile), 10, fill="#3f5b2e", anchor="middle")
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


def _middle(state: eriantys_pb2.State, players: Sequence[str], box: Box, marks: Marks) -> Iterator[str]:
    """Draw the clouds, with the course of the game and the last action above, and the bag below them."""
    x, y = box.width / 2, box.height / 2 + 6
    words = course(state)
    yield words_at(x, y - 120, f"{words[0].upper()}{words[1:]}", 17, weight=700, anchor="middle", kind="course")
    if done := last_action(state, players):
        yield words_at(x, y - 102, done, 13, fill=AMBER_INK, anchor="middle", kind="done")
    clouds = fives(state.cloud_students)
    lines = [clouds] if len(clouds) < 4 else [clouds[:2], clouds[2:]]
    number = 0
    for row, line in enumerate(lines):
        for column, students in enumerate(line):
            cx = x + 122 * (column - (len(line) - 1) / 2)
            cy = y - 12 + 78 * (row - (len(lines) - 1) / 2)
            yield from _cloud(number, students, cx, cy, marks)
            number += 1
    closed = "clouds are closed, " if state.clouds_closed else ""
    yield words_at(x, y + 92, f"{closed}{state.bag_count} in the bag", 13, fill="#3f6577", anchor="middle", kind="bag")


def _cloud(number: int, counts: Sequence[int], x: float, y: float, marks: Marks) -> Iterator[str]:
    students, part = initials(counts, 4), cloud_part(number)
    title = f"cloud {number}: {count_words(counts)}"
    yield piece("cloud", title, part=part, transform=f"translate({x:.1f} {y:.1f})")
    yield f"<g{'' if students else PALE}>{use('cloud', 0, 0)}"
    yield words_at(-3, -12, str(number), 10, fill=MUTED, anchor="middle")
    for place, initial in enumerate(students):
        yield use(initial, 21 * (place - (len(students) - 1) / 2), 5, 0.95)
    yield f"</g>{outline(CLOUD, part, marks, 3.0)}</g>"


# Characters


def _characters(state: eriantys_pb2.State, marks: Marks) -> Iterator[str]:
    high = (_RING_HEIGHT - _HEAD - 44) / max(1, len(state.characters)) - 10
    held = fives(state.character_students)
    for place, (number, cost) in enumerate(zip(state.characters, state.character_costs, strict=True)):
        y = _HEAD + place * (high + 10)
        played = state.played_character == number
        edge = f'stroke="{AMBER}" stroke-width="3"' if played else 'stroke="#b7a6d6"'
        name, part = NAMES.get(number, "character"), character_part(number)
        title = f"character {number}, the {name}, costs {cost}: {count_words(held[place])}"
        shape = f'rect width="{_CARD_WIDTH:.1f}" height="{high:.1f}" rx="9"'
        yield piece("character", title, part=part, transform=f"translate({INSET:.1f} {y:.1f})")
        yield f'<{shape} fill="#f4effc" {edge}/>'
        yield words_at(14, 26, f"{number}  {name}", 15, weight=700)
        yield f'<g class="cost">{coin(_CARD_WIDTH - 24, 22, cost)}</g>'
        yield words_at(14, 46, "in this turn" if played else "", 12, fill=AMBER_INK)
        for at, initial in enumerate(initials(held[place], 6)):
            yield use(initial, 28 + 34 * at, high - 36, 1.2)
        yield from _tiles(state.character_no_entry_counts[place], high - 36)
        yield f"{outline(shape, part, marks)}</g>"
    yield f'<g class="reserve">{coin(INSET + 14, _RING_HEIGHT - 26, state.reserve_count)}'
    yield f"{words_at(INSET + 36, _RING_HEIGHT - 21, 'in the reserve', 13, fill=MUTED)}</g>"


def _tiles(count: int, y: float) -> Iterator[str]:
    for place in range(count):
        yield f'<g class="no-entry">{use("no-entry", 28 + 34 * place, y)}</g>'
