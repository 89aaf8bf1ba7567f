"""What happens on islands, school boards and in the bag, and how a game ends (eriantys.md sections 3.1.a, 4 and 5)."""

from __future__ import annotations

from fairplay.games.eriantys.rules.state import (
    COLOR_COUNT,
    NOBODY,
    NONE,
    Counts,
    DrawModel,
    Group,
    Phase,
    Reason,
    Standing,
    State,
    added,
    plus,
    with_at,
)
from fairplay.games.kit.draws import draw_below

FEWEST_GROUPS = 3
FARMER, HERBALIST, CENTAUR, KNIGHT = 2, 5, 6, 8
_KNIGHT_BONUS = 2
COIN_SEATS = (3, 6, 9)


# The bag (section 3.1.a)


def draw_one(draw_state: int, bag: Counts, model: DrawModel) -> tuple[int, int, Counts]:
    """Return the next draw state, the colour of a drawn student, and the bag, not empty before, without it."""
    if model == "uniform_color":
        left = [color for color, count in enumerate(bag) if count]
        draw_state, place = draw_below(draw_state, len(left))
        return draw_state, left[place], plus(bag, left[place], -1)
    draw_state, place = draw_below(draw_state, sum(bag))
    color = 0
    while place >= bag[color]:
        place -= bag[color]
        color += 1
    return draw_state, color, plus(bag, color, -1)


def draw(draw_state: int, bag: Counts, count: int, model: DrawModel) -> tuple[int, Counts, Counts]:
    """Return the next draw state, at most `count` drawn students, and the bag without them."""
    drawn = NONE
    for _ in range(min(count, sum(bag))):
        draw_state, color, bag = draw_one(draw_state, bag, model)
        drawn = plus(drawn, color)
    return draw_state, drawn, bag


# The end of a game, and who has won (section 4.5)


def last_round(state: State, reason: Reason) -> State:
    """Return the state with this round marked as the last one; the first reason stays."""
    return state if state.last_round else state._replace(last_round=reason)


def over(state: State, reason: Reason) -> State:
    """Return the state in which the game has ended."""
    return state._replace(
        phase=Phase.OVER,
        active=NOBODY,
        queue=(),
        to_move=0,
        played=0,
        ignored=NOBODY,
        borrowed=(NOBODY,) * COLOR_COUNT,
        reason=reason,
    )


def live_sides(state: State) -> list[int]:
    """Return the sides of which not everybody was eliminated while the game went on."""
    return sorted(
        {side for side, standing in zip(state.sides, state.standings, strict=True) if standing != Standing.OUT}
    )


# Islands: influence, conquest and merging (section 4)


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


def with_student(state: State, index: int, color: int) -> tuple[Group, ...]:
    """Return the groups with one student more in one of them."""
    tiles, students, tower, no_entry = state.groups[index]
    return with_at(state.groups, index, Group(tiles, plus(students, color), tower, no_entry))


def influences(state: State, group: Group) -> list[int]:
    """Return the influence of each side on a group, with this turn's character (sections 4.1 and 5.3)."""
    totals, sides, played = [0] * len(state.towers), state.sides, state.played
    owners = state.professors
    if played == FARMER and state.settings.farmer_after_turn == "influence_only":
        owners = tuple([_farmed(state, color) for color in range(COLOR_COUNT)])
    for color, count in enumerate(group.students):
        if count and color != state.ignored and (owner := owners[color]) != NOBODY:
            totals[sides[owner]] += count
    if group.tower != NOBODY and played != CENTAUR and not _is_out(state, group.tower):
        totals[group.tower] += len(group.tiles)
    if played == KNIGHT:
        totals[sides[state.active]] += _KNIGHT_BONUS
    return totals


def _farmed(state: State, color: int) -> int:
    """Return who counts as the owner of a colour for a Farmer that only affects influence."""
    counts = [room[color] for room in state.dining_rooms]
    mine = counts[state.active]
    return state.active if mine and mine == max(counts) else state.professors[color]


def _is_out(state: State, side: int) -> bool:
    """Return whether a side was eliminated: its towers give no influence. Mostly nobody was, which is seen at once."""
    return Standing.OUT in state.standings and side not in live_sides(state)


def stop_at(state: State, index: int, *, respect_no_entry: bool = True) -> State:
    """Return the state once a group is resolved as if Mother Nature had just stopped there; it may be over then."""
    group = state.groups[index]
    if group.no_entry and respect_no_entry:
        groups = with_at(state.groups, index, group._replace(no_entry=group.no_entry - 1))
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
    groups = with_at(state.groups, index, group._replace(tower=winner))
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
    whole = joined[0]
    for part in joined[1:]:
        students, no_entry = added(whole.students, part.students), whole.no_entry + part.no_entry
        whole = Group(whole.tiles + part.tiles, students, tower, no_entry)
    surplus = 0 if state.settings.no_entry_stack else max(0, whole.no_entry - 1)
    ring[start:end] = [whole._replace(no_entry=whole.no_entry - surplus)]
    origin = next(at for at, group in enumerate(ring) if 0 in group.tiles)
    ordered = tuple(ring[origin:] + ring[:origin])
    mother_nature = next(at for at, group in enumerate(ordered) if home in group.tiles)
    state = state._replace(groups=ordered, mother_nature=mother_nature)
    return _with_tiles_returned(state, surplus) if surplus else state


# School boards: dining rooms, professors and coins (sections 3.2, 5.1 and 5.5)


def seated(state: State, color: int, *, pays: bool = True) -> State:
    """Return the state with one more student at a table of the active seat, its coin, and then the professor."""
    seat = state.active
    room = state.dining_rooms[seat]
    state = state._replace(dining_rooms=with_at(state.dining_rooms, seat, plus(room, color)))
    if pays:  # the reserve of Basic mode is empty
        state = with_coins(state, color, room[color], room[color] + 1)
    return with_claim(state, color) if state.professors[color] != seat else state


def with_coins(state: State, color: int, before: int, after: int) -> State:
    """Return the state with coins paid for newly taken coin seats of a table, as long as the reserve lasts."""
    seat, once = state.active, state.settings.coin_seat_once
    for place in COIN_SEATS:
        bit = 1 << color * len(COIN_SEATS) + place // 3 - 1
        if not before < place <= after or not state.reserve or (once and state.paid_seats[seat] & bit):
            continue
        state = state._replace(
            coins=with_at(state.coins, seat, state.coins[seat] + 1),
            reserve=state.reserve - 1,
            paid_seats=with_at(state.paid_seats, seat, state.paid_seats[seat] | bit) if once else state.paid_seats,
        )
    return state


def with_claim(state: State, color: int) -> State:
    """Return the state in which the active seat has a professor if it has more of its students than all others.

    In the turn of a Farmer it is enough that nobody has more.
    """
    seat, rooms = state.active, state.dining_rooms
    mine = rooms[seat][color]
    others = max([room[color] for at, room in enumerate(rooms) if at != seat])
    farms = state.played == FARMER and state.settings.farmer_after_turn != "influence_only"
    if mine <= others and not (farms and mine and mine == others):
        return state
    owner = state.professors[color]
    if owner == seat:
        return state
    state = state._replace(professors=with_at(state.professors, color, seat))
    if mine == others and state.settings.farmer_after_turn == "revert":
        return state._replace(borrowed=with_at(state.borrowed, color, owner))
    return state


def with_professors_returned(state: State) -> State:
    """Return the state after a Farmer's turn: each old owner with as many students has its professor back."""
    professors = list(state.professors)
    for color, lender in enumerate(state.borrowed):
        if lender == NOBODY or professors[color] != state.active:
            continue
        if state.dining_rooms[lender][color] >= state.dining_rooms[state.active][color]:
            professors[color] = lender
    return state._replace(professors=tuple(professors), borrowed=(NOBODY,) * COLOR_COUNT)


def with_recheck(state: State, color: int) -> State:
    """Return the state after a removal: whoever alone has the most students of a colour owns its professor (5.5 b)."""
    counts = [room[color] for room in state.dining_rooms]
    best = max(counts)
    if counts.count(best) == 1:
        return state._replace(professors=with_at(state.professors, color, counts.index(best)))
    return state


def with_zero_check(state: State, color: int) -> State:
    """Return the state after a removal: a professor without students is kept or released, as the settings say."""
    if state.settings.professor_zero_owner == "release" and not any(room[color] for room in state.dining_rooms):
        return state._replace(professors=with_at(state.professors, color, NOBODY))
    return state
