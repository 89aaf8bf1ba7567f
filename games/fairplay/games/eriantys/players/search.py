"""What a position of Eriantys is worth to a seat, and the search of a whole turn: for the reference players."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import nlargest
from itertools import islice
from typing import NamedTuple

from fairplay.games.eriantys import rules
from fairplay.games.eriantys.rules import NOBODY, Action, Group, Phase, PlayCharacter, State, ToDiningRoom, ToIsland

WON = 1000.0
MOST_OPTIONS = 120
"""How many ways to play one character are looked at: keeps the time of an answer small."""


def result(state: State, seat: int) -> float:
    """Return what a game that is over is worth."""
    won = rules.winners(state)
    if seat in won:
        return WON
    return -WON if won else 0.0


def lead(counts: Sequence[float], side: int) -> float:
    """Return by how much a side is ahead of the best other one."""
    return counts[side] - max([count for other, count in enumerate(counts) if other != side])


def quick_worth(state: State, seat: int) -> float:
    """Return what towers, professors, students and coins are worth, and nothing of what may come."""
    if state.phase is Phase.OVER:
        return result(state, seat)
    side = state.sides[seat]
    towers, professors = lead([-left for left in state.towers], side), lead(_professors(state), side)
    return 10 * towers + 4 * professors + sum(state.dining_rooms[seat]) / 2 + state.coins[seat] / 2


def _professors(state: State) -> list[float]:
    owned = [0.0] * len(state.towers)
    for owner in state.professors:
        if owner != NOBODY:
            owned[state.sides[owner]] += 1
    return owned


def worth(state: State, seat: int) -> float:
    """Return `quick_worth` with what each side can hope for on the islands and at the tables."""
    if state.phase is Phase.OVER:
        return result(state, seat)
    side = state.sides[seat]
    plain = state if not state.played else state._replace(played=0, ignored=NOBODY)
    total = 10 * lead([_tower_worth(left) for left in state.towers], side)
    total += 4 * lead(_professors(state), side) + _tables(state, seat)
    count = len(state.groups)
    for index, group in enumerate(state.groups):
        distance = (index - state.mother_nature) % count or count
        total += _prospect(plain, group, side) * (1.5 if distance <= 3 else 1.0)
    return total + min(state.coins[seat], 6) * 0.6


def _tower_worth(left: int) -> float:
    """Return what towers that are left cost: the last ones are worth a little more."""
    return -left + (4 - left) * 0.3 if left < 4 else -float(left)


def _prospect(state: State, group: Group, side: int) -> float:
    """Return what a group is worth for a side, by who would have it if Mother Nature stopped there."""
    ahead = lead(rules.influences(state, group), side)
    size = len(group.tiles)
    if group.tower == side:
        return min(ahead, 3) * 0.4 if ahead >= 0 else -4.0 * size
    if ahead > 0:
        return 3.0 * size + min(ahead, 3) * 0.3
    return max(ahead, -4) * 0.5


def _tables(state: State, seat: int) -> float:
    """Return how safe the professors of a seat are, and how near those of others."""
    mine, side = state.dining_rooms[seat], state.sides[seat]
    rivals = [room for other, room in enumerate(state.dining_rooms) if state.sides[other] != side]
    total = sum(mine) * 0.3
    for color, count in enumerate(mine):
        margin = count - max([room[color] for room in rivals])
        total += 0.7 * max(-2, min(2, margin))
    return total


class Line(NamedTuple):
    """A way through the rest of a turn: what it is worth, its first action, and where it leads."""

    worth: float
    first: Action
    state: State


def best_line(state: State, seat: int, width: int) -> Line | None:
    """Return the best of the rest of a turn up to Mother Nature's move, with or without a character played at once."""
    starts = [(None, state), *_with_characters(state, seat, width)]
    lines = [line for first, start in starts if (line := _rest_of_turn(start, seat, width, first))]
    return max(lines, key=lambda line: line.worth, default=None)


def _with_characters(state: State, seat: int, width: int) -> list[tuple[Action, State]]:
    """Return the most promising ways to play a character now, and what they lead to."""
    found = [Line(worth(after, seat), action, after) for action, after in _plays(state)]
    likely = nlargest(max(2, width // 2), found, key=lambda line: line.worth)
    return [(line.first, line.state) for line in likely]


def _plays(state: State) -> Iterable[tuple[Action, State]]:
    for character in some_options(state):
        for action in character:
            yield action, rules.apply(state, action)


def some_options(state: State) -> list[list[PlayCharacter]]:
    """Return the options of each character that can be played, or of many some from all over the list."""
    found = []
    for options in rules.character_options(state):
        step = max(1, -(-len(options) // MOST_OPTIONS))
        found.append([options[at] for at in range(0, len(options), step)])
    return found


def _rest_of_turn(state: State, seat: int, width: int, first: Action | None) -> Line | None:
    """Return the best line that a beam search finds over the students to move, then Mother Nature."""
    if state.phase in (Phase.CLOUD, Phase.OVER) or state.active != seat:
        return Line(worth(state, seat), first, state) if first else None
    layer: list[tuple[Action | None, State]] = [(first, state)]
    while layer[0][1].phase is Phase.STUDENTS:
        layer = _widened(layer, seat, width)
    ends = [
        Line(worth(after, seat), begun or action, after)
        for begun, before in layer
        for action in islice(rules.legal(before), rules.most_steps(before))
        for after in [rules.apply(before, action)]
    ]
    return max(ends, key=lambda line: line.worth)


def _widened(layer: Sequence[tuple[Action | None, State]], seat: int, width: int) -> list[tuple[Action | None, State]]:
    """Return the best of all states one student further; the same state reached twice counts once."""
    found: dict[object, Line] = {}
    for begun, state in layer:
        for action in _student_moves(state):
            after = rules.apply(state, action)
            key = (after.dining_rooms[seat], after.groups)
            if key not in found:
                found[key] = Line(_hope(after, seat), begun or action, after)
    return [(line.first, line.state) for line in nlargest(width, found.values(), key=lambda line: line.worth)]


def _hope(state: State, seat: int) -> float:
    """Return what a position is worth before Mother Nature's move, with the best of her stops counted twice."""
    side, count = state.sides[seat], len(state.groups)
    stops = [
        _prospect(state, state.groups[(state.mother_nature + step) % count], side)
        for step in range(1, rules.most_steps(state) + 1)
    ]
    return worth(state, seat) + max(stops)


def _student_moves(state: State) -> list[Action]:
    """Return every colour to its table, and to each group that Mother Nature may reach in this turn."""
    seat, count = state.active, len(state.groups)
    reach = min(count, rules.most_steps(state) + 1)
    near = [rules.address(state, (state.mother_nature + step) % count) for step in range(1, reach + 1)]
    moves: list[Action] = []
    for color, held in enumerate(state.entrances[seat]):
        if held:
            moves += [ToDiningRoom(color)] if state.dining_rooms[seat][color] < 10 else []
            moves += [ToIsland(color, island) for island in near]
    return moves
