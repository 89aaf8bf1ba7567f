"""A state of Eriantys as one SVG document. Students carry the initials of their colours. The unit is the pixel.

What is drawn often is drawn once, in ARTWORK. The ids there start with the game's name, because a page may hold several
pictures.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import accumulate, pairwise
from math import cos, dist, pi, sin
from typing import NamedTuple

from fairplay.eriantys.v1 import eriantys_pb2
from fairplay.games.eriantys.rules.characters import NAMES
from fairplay.games.eriantys.rules.state import TABLE_SEATS, assistant_steps
from fairplay.games.eriantys.views.words import (
    DINING_ROOM,
    INITIALS,
    NOTHING_OWN,
    Group,
    Own,
    Seat,
    count_words,
    course,
    fives,
    group_words,
    groups,
    last_action,
    seats,
)
from fairplay.games.kit.lettering import font_size
from fairplay.games.kit.person import NO_MARKS, Marks
from fairplay.games.kit.pictures import (
    AMBER,
    AMBER_INK,
    BUTTON_HEIGHT,
    button_lines,
    buttons,
    document,
    outline,
    piece,
    region,
)

MUTED = "#5a6b7a"
INKS = {  # of students: body, edge, initial
    "G": ("#35a15a", "#1b6234", "#ffffff"),
    "R": ("#dc4a41", "#8f231d", "#ffffff"),
    "Y": ("#f5ca3d", "#9a770c", "#4b3a05"),
    "P": ("#ee96c2", "#a3477a", "#4d1735"),
    "B": ("#3b86d6", "#1b4b86", "#ffffff"),
}
TOWERS = {1: ("#33373d", "#0d0f12"), 2: ("#ffffff", "#7c8288"), 3: ("#9aa1a8", "#555b61")}

INSET = 16.0
"""From the edge of a panel to what is in it."""
ISLAND = 54.0  # the radius of an island
PALE = ' opacity=".45"'
CLOUD = (
    'path d="M-40 22A17 17 0 0 1 -42 -10A20 20 0 0 1 -14 -22A24 24 0 0 1 24 -20A18 18 0 0 1 44 4A13 13 0 0 1 38 22Z"'
)
"""The shape of a cloud."""
HEXAGON = "M-10 0L-5 -8.7H5L10 0L5 8.7H-5Z"
_MARGIN, _GAP, _HEAD = 16.0, 12.0, 34.0

_RING_WIDTH, _RING_HEIGHT = 760.0, 560.0
_ELLIPSE_WIDTH = 650.0  # of the islands in it: as narrow as they can be, so that they are large on a small screen
_STEPS = 720  # around the ellipse on which they lie
_CARD_WIDTH, _SIDE_WIDTH = 232.0, 264.0
SCHOOL_HEIGHT = 204.0
_SEAT, _ROW = 21.0, 24.0  # from one seat of a table to the next, and from one table to the next
_TOP = 70.0  # where entrance, dining room and towers begin
_HAND_TOP, _HAND_STEP = 34.0, 46.0  # of a person's assistants, and from one to the next
_HAND_HEIGHT = 70.0
_HAND_COUNT = 10
_ENTRANCE = 10  # students of an entrance that are drawn, at most
_FEWEST_LINES = 2  # of buttons for which there is room in any case, so that the picture keeps its size
_CARD = 'rect x="-19" y="-25" width="38" height="54" rx="6"'


class Box(NamedTuple):
    """Where a panel is."""

    x: float
    y: float
    width: float
    height: float


# The pieces


def words_at(
    x: float, y: float, words: str, size: float, *, fill: str = "", weight: int = 400, anchor: str = "", kind: str = ""
) -> str:
    """Draw a line of words that begins at a point, or is anchored there otherwise."""
    extra = f' fill="{fill}"' if fill else ""
    extra += f' font-weight="{weight}"' if weight != 400 else ""
    extra += f' text-anchor="{anchor}"' if anchor else ""
    extra += f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:.1f}"{extra}>{escape(words)}</text>'


def use(name: str, x: float, y: float, scale: float = 1.0) -> str:
    """Draw a piece of the artwork, given by the end of its id."""
    return f'<use href="#eriantys-{name}" transform="translate({x:.1f} {y:.1f}) scale({scale:.2f})"/>'


def initials(counts: Sequence[int], most: int) -> str:
    """Return the initials of students, at most `most` of them."""
    return "".join(initial * min(count, most) for initial, count in zip(INITIALS, counts, strict=True))[:most]


def coin(x: float, y: float, count: int) -> str:
    """Draw a coin with a number on it."""
    number = words_at(x, y + 4.5, str(count), 13, fill="#5a4300", weight=700, anchor="middle")
    return f"{use('coin', x, y)}{number}"


def _student(initial: str) -> str:
    body, edge, ink = INKS[initial]
    letter = f'<text y="4" font-size="11" font-weight="700" text-anchor="middle" fill="{ink}">{initial}</text>'
    return (
        f'<g id="eriantys-{initial}"><circle r="10" fill="{body}" stroke="{edge}"/>{letter}</g>'
        f'<g id="eriantys-professor-{initial}"><path d="{HEXAGON}" fill="{body}" stroke="{edge}" stroke-width="1.6"/>'
        f"{letter}</g>"
    )


def _tower(number: int) -> str:
    body, edge = TOWERS[number]
    shape = "M-8 11L-6.5 -4H-8.5V-12H-4.5V-9H-2V-12H2V-9H4.5V-12H8.5V-4H6.5L8 11Z"
    return f'<path id="eriantys-tower{number}" d="{shape}" fill="{body}" stroke="{edge}" stroke-width="1.3"/>'


ARTWORK = f"""
{"".join(map(_student, INITIALS))}
{"".join(map(_tower, TOWERS))}
<circle id="eriantys-island" class="land" r="{ISLAND:.0f}" fill="#cfe3b4" stroke="#7fa463" stroke-width="1.5"/>
<g id="eriantys-cloud"><{CLOUD} class="surface" fill="#ffffff" stroke="#9fbfd0"/></g>
<g id="eriantys-mother-nature" stroke="#7a3f05" stroke-width="1.3" fill="{AMBER}">
  <path d="M-8.5 12Q-6 -2 0 -3Q6 -2 8.5 12Z"/><circle cy="-7" r="5.5"/></g>
<g id="eriantys-no-entry"><circle r="12" fill="#c2342c" stroke="#ffffff" stroke-width="1.5"/>
  <circle r="8.5" fill="none" stroke="#ffffff" stroke-width="1.6"/>
  <path d="M-6 6L6 -6" stroke="#ffffff" stroke-width="1.6"/></g>
<circle id="eriantys-coin" r="12" fill="#f7d774" stroke="#b98f1d" stroke-width="1.5"/>
<rect id="eriantys-assistant" class="surface" x="-12" y="-15" width="24" height="30" rx="4" fill="#fff6e0"
  stroke="#c9a45a"/>
"""


# The whole


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
            region("Islands", [*_islands(groups(state), ring, marks), *_middle(state, players, ring, marks)]),
            fill="#bfe0ee",
        ),
        *(_panel(side, "characters", "Characters", region("Characters", _characters(state, marks))) if expert else ()),
        *(_panel(mine, "own", "Your assistants", own_parts(own, mine, marks)) if own.seat is not None else ()),
    ]
    for number, (seat, box) in enumerate(zip(listed, boards, strict=True)):
        name = "Your school" if number == own.seat else seat.name
        drawn = region(name, school_parts(seat, box, marks, own=number == own.seat))
        parts += _panel(box, "board", "", drawn, marked=seat.turn or seat.won)
    height = boards[-1].y + SCHOOL_HEIGHT + _MARGIN
    each = (f"{seat.name}{seat.status and f' ({seat.status})'}" for seat in listed)
    title = f"Eriantys, {course(state)}: {', '.join(each)}"
    return document(wide + 2 * _MARGIN, height, title, parts, ground="#dbe9f2", ink="#23313c")


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
    yield f'<rect width="{box.width:.1f}" height="{box.height:.1f}" rx="10" class="surface" fill="{fill}" {border}/>'
    if title:
        yield words_at(INSET, 23, title, 14, fill="#48677a", weight=700, kind="title")
    yield from parts
    yield "</g>"


# Islands and clouds


def _places(box: Box) -> list[tuple[float, float]]:
    """Return the middles of the twelve tiles: clockwise on an ellipse, 0 at the top, all equally far apart on it."""
    across, down = _ELLIPSE_WIDTH / 2 - ISLAND - 18, box.height / 2 - ISLAND - 20
    turns = [2 * pi * step / _STEPS for step in range(_STEPS + 1)]
    points = [(box.width / 2 + across * sin(turn), box.height / 2 + 6 - down * cos(turn)) for turn in turns]
    walked = list(accumulate((dist(*pair) for pair in pairwise(points)), initial=0.0))
    return [points[bisect_left(walked, walked[-1] * tile / 12)] for tile in range(12)]


def _islands(found: Sequence[Group], box: Box, marks: Marks) -> Iterator[str]:
    ring = _places(box)
    for group in found:
        places, part = [ring[tile] for tile in group.tiles], f"island-{group.tiles[0]}"
        yield piece("group", group_words(group), part=part)
        if len(places) > 1:
            line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            for css_class, color, width in (("shore", "#7fa463", 60), ("bridge", "#cfe3b4", 57)):
                shape = f'class="{css_class}" stroke="{color}" stroke-width="{width}" stroke-linejoin="round"'
                yield f'<polyline points="{line}" fill="none" {shape}/>'
        yield from (use("island", x, y) for x, y in places)
        yield from (outline(f'circle cx="{x:.1f}" cy="{y:.1f}" r="{ISLAND - 3:.0f}"', part, marks) for x, y in places)
        for place, (tile, (x, y)) in enumerate(zip(group.tiles, places, strict=True)):
            middle = place == len(places) // 2
            yield f'<g class="island" transform="translate({x:.1f} {y:.1f})">'
            yield words_at(0, 48, str(tile), 14, fill="#3f5b2e", weight=700, anchor="middle", kind="muted")
            yield from _pawns(group, middle)
            yield from _contents(group) if middle else ()
            yield "</g>"
        yield "</g>"


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
        more = words_at(17, 38, str(group.no_entry), 12, fill="#a3261f", weight=700, anchor="end", kind="amber")
        yield f'<g class="no-entry">{use("no-entry", 30, 33, 0.85)}{more if group.no_entry > 1 else ""}</g>'


def _counted(initial: str, count: int, x: float, y: float) -> str:
    """Draw a student and how many there are of it."""
    number = f'<text x="{x + 6:.1f}" y="{y + 9:.1f}" font-size="14" font-weight="700">{count}</text>'
    return f'<g class="students">{use(initial, x - 5, y, 1.05)}{number}</g>'


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
    students, part = initials(counts, 4), f"cloud-{number}"
    title = f"cloud {number}: {count_words(counts)}"
    yield piece("cloud", title, part=part, transform=f"translate({x:.1f} {y:.1f})")
    yield f"<g{'' if students else PALE}>{use('cloud', 0, 0)}"
    yield words_at(-3, -12, str(number), 10, fill=MUTED, anchor="middle", kind="muted")
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
        name, part = NAMES.get(number, "character"), f"character-{number}"
        title = f"character {number}, the {name}, costs {cost}: {count_words(held[place])}"
        shape = f'rect width="{_CARD_WIDTH:.1f}" height="{high:.1f}" rx="9"'
        yield piece("character", title, part=part, transform=f"translate({INSET:.1f} {y:.1f})")
        yield f'<{shape} class="surface" fill="#f4effc" {edge}/>'
        yield words_at(14, 26, f"{number}  {name}", 15, weight=700)
        yield f'<g class="cost">{coin(_CARD_WIDTH - 24, 22, cost)}</g>'
        yield words_at(14, 46, "in this turn" if played else "", 12, fill=AMBER_INK, kind="amber")
        for at, initial in enumerate(initials(held[place], 6)):
            yield use(initial, 28 + 34 * at, high - 36, 1.2)
        for at in range(state.character_no_entry_counts[place]):
            yield f'<g class="no-entry">{use("no-entry", 28 + 34 * at, high - 36)}</g>'
        yield f"{outline(shape, part, marks)}</g>"
    yield f'<g class="reserve">{coin(INSET + 14, _RING_HEIGHT - 26, state.reserve_count)}'
    yield f"{words_at(INSET + 36, _RING_HEIGHT - 21, 'in the reserve', 13, fill=MUTED, kind='muted')}</g>"


# School boards, and what a person has in hand


def own_height(own: Own, width: float) -> float:
    """Return the height of the panel with a person's assistants."""
    lines = max(_FEWEST_LINES, len(button_lines(own.words, _words_width(width))))
    return max(_HAND_TOP + _HAND_HEIGHT, 20 + lines * BUTTON_HEIGHT)


def _words_width(width: float) -> float:
    return width - _HAND_COUNT * _HAND_STEP - 3 * INSET


def own_parts(own: Own, box: Box, marks: Marks) -> Iterator[str]:
    """Draw a person's assistants, and beside them what can be chosen and is no piece of the game."""
    places = ((value, INSET + 20 + place * _HAND_STEP) for place, value in enumerate(own.hand))
    yield from region("Assistants", (part for value, x in places for part in _in_hand(value, x, _HAND_TOP + 28, marks)))
    width = _words_width(box.width)
    yield from buttons(button_lines(own.words, width), marks, box.width - width - INSET, 14, width)


def _in_hand(value: int, x: float, y: float, marks: Marks) -> Iterator[str]:
    """Draw an assistant with its value, and below it how far Mother Nature may move."""
    part, steps = f"assistant-{value}", assistant_steps(value)
    title = f"assistant {value}, Mother Nature moves up to {steps}"
    yield piece("own-assistant", title, part=part, transform=f"translate({x:.1f} {y:.1f})")
    yield f'<{_CARD} class="surface" fill="#fff6e0" stroke="#c9a45a"/>'
    yield words_at(0, 0, str(value), 18, weight=700, anchor="middle")
    yield use("mother-nature", -8, 15, 0.55)
    yield words_at(7, 20, str(steps), 13, fill=MUTED, anchor="middle", kind="muted")
    yield f"{outline(_CARD, part, marks, 3.0)}</g>"


def school_parts(seat: Seat, box: Box, marks: Marks, *, own: bool) -> Iterator[str]:
    """Draw from left to right entrance, dining room, professors, towers; above them the name and what is in hand.

    `own` is whether it is the person's, whose students and dining room can be pointed at.
    """
    yield from _head(seat, box)
    yield f'<rect x="14" y="{_TOP - 4:.1f}" width="62" height="126" rx="8" class="surface" fill="#dfe9ee"/>'
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
        part = f"student-{color}" if own else ""
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
    size = f'width="{width - left - 14:.1f}" height="126" rx="8"'
    yield f'<rect class="surface" x="{left:.1f}" y="{top - 4:.1f}" {size} fill="#dfe9ee"/>'
    step = (width - left - 14) / 4
    if not seat.towers and seat.tower:
        yield f"<g{PALE}>{use(f'tower{seat.tower}', left + 2 * step, top + 59, 1.6)}</g>"
    yield '<g class="towers">'
    for place in range(seat.towers):
        yield use(f"tower{seat.tower or 3}", left + step * (place % 4 + 0.5), top + 30 + 62 * (place // 4), 1.25)
    yield "</g>"
