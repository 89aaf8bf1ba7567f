"""Eriantys: influence, conquest and merging (eriantys.md section 4)."""

from __future__ import annotations

from fairplay.games.eriantys.rules.results import FEWEST_GROUPS, live_sides, over
from fairplay.games.eriantys.rules.state import COLOR_COUNT, NOBODY, Group, Reason, Standing, State, added, plus

FARMER, HERBALIST, CENTAUR, KNIGHT = 2, 5, 6, 8
_KNIGHT_BONUS = 2


def group_of(state: State, island: int) -> int:
    """Return the index of the group that an action's `island` names, or NOBODY if it names none."""
    if state.settings.island_address == "group":
        return island if 0 <= island < len(state.groups) else NOBODY
    return next((index for index, group in enumerate(state.groups) if island in group.tiles), NOBODY)


def addresses(state: State) -> list[int]:
    """Return one name for each group, as actions use it: its first tile, or its index."""
    if state.settings.island_address == "group":
        return list(range(len(state.groups)))
    return [group.tiles[0] for group in state.groups]


def address(state: State, index: int) -> int:
    """Return the name of one group, as actions use it."""
    return index if state.settings.island_address == "group" else state.groups[index].tiles[0]


def with_group(groups: tuple[Group, ...], index: int, group: Group) -> tuple[Group, ...]:
    """Return the groups with one of them replaced."""
    return (*groups[:index], group, *groups[index + 1 :])


def with_student(state: State, index: int, color: int) -> tuple[Group, ...]:
    """Return the groups with one student more in one of them."""
    tiles, students, tower, no_entry = state.groups[index]
    return with_group(state.groups, index, Group(tiles, plus(students, color), tower, no_entry))


def influences(state: State, group: Group) -> list[int]:
    """Return the influence of each side on a group, with this turn's character (sections 4.1 and 5.3)."""
    totals, sides, played = [0] * len(state.towers), state.sides, state.played
    owners = state.professors
    if played == FARMER and state.settings.farmer_after_turn == "influence_only":
        owners = tuple([_farmed(state, color) for color in range(COLOR_COUNT)])
    for color, count in enumerate(group.students):
        if count and color != state.ignored and (owner := owners[color]) != NOBODY:
            totals[sides[owner]] += count
    if group.tower != NOBODY and played != CENTAUR and _counts(state, group.tower):
        totals[group.tower] += len(group.tiles)
    if played == KNIGHT:
        totals[sides[state.active]] += _KNIGHT_BONUS
    return totals


def _farmed(state: State, color: int) -> int:
    """Return who counts as the owner of a colour for a Farmer that only affects influence."""
    counts = [room[color] for room in state.dining_rooms]
    mine = counts[state.active]
    return state.active if mine and mine == max(counts) else state.professors[color]


def _counts(state: State, side: int) -> bool:
    """Return whether a side's towers give influence: those of a side that was eliminated do not."""
    return Standing.OUT not in state.standings or side in live_sides(state)


def stop_at(state: State, index: int, *, respect_no_entry: bool = True) -> State:
    """Return the state once a group is resolved as if Mother Nature had just stopped there; it may be over then."""
    group = state.groups[index]
    if group.no_entry and respect_no_entry:
        groups = with_group(state.groups, index, group._replace(no_entry=group.no_entry - 1))
        return _with_tiles_returned(state, 1)._replace(groups=groups)
    totals = influences(state, group)
    best = max(totals)
    if totals.count(best) > 1 or (winner := totals.index(best)) == group.tower:
        return state
    return _conquered(state, index, winner)


def _with_tiles_returned(state: State, count: int) -> State:
    """Return the state with no-entry tiles put back on their character."""
    cards = [
        card._replace(no_entry=card.no_entry + count) if card.character == HERBALIST else card for card in state.cards
    ]
    return state._replace(cards=tuple(cards))


def _conquered(state: State, index: int, winner: int) -> State:
    """Return the state once a side has conquered a group: towers, merging, and the end if that is due."""
    group, towers = state.groups[index], list(state.towers)
    size = len(group.tiles)
    if group.tower != NOBODY:
        towers[group.tower] += size
    towers[winner] = max(0, towers[winner] - size)
    groups = with_group(state.groups, index, group._replace(tower=winner))
    state = _merged(state._replace(groups=groups, towers=tuple(towers)), index)
    if not towers[winner]:
        return over(state, Reason.LAST_TOWER)
    if len(state.groups) <= FEWEST_GROUPS:
        return over(state, Reason.FEW_GROUPS)
    return state


def _merged(state: State, index: int) -> State:
    """Return the state once a group has joined those of its neighbours that have the same towers (section 4.4)."""
    groups, count = state.groups, len(state.groups)
    tower, home = groups[index].tower, groups[state.mother_nature].tiles[0]
    ring = [groups[(index - 1 + step) % count] for step in range(count)]  # the neighbours are at 0 and 2
    start = 0 if ring[0].tower == tower else 1
    end = 3 if ring[2].tower == tower else 2
    joined = ring[start:end]
    whole = _joined(joined)
    surplus = 0 if state.settings.no_entry_stack else max(0, whole.no_entry - 1)
    ring[start:end] = [whole._replace(no_entry=whole.no_entry - surplus)]
    origin = next(at for at, group in enumerate(ring) if 0 in group.tiles)
    ordered = tuple(ring[origin:] + ring[:origin])
    mother_nature = next(at for at, group in enumerate(ordered) if home in group.tiles)
    state = state._replace(groups=ordered, mother_nature=mother_nature)
    return _with_tiles_returned(state, surplus) if surplus else state


def _joined(parts: list[Group]) -> Group:
    whole = parts[0]
    for part in parts[1:]:
        whole = Group(
            whole.tiles + part.tiles,
            added(whole.students, part.students),
            whole.tower,
            whole.no_entry + part.no_entry,
        )
    return whole
