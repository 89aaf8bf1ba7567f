"""Eriantys: dining rooms, professors and the coins of the tables (eriantys.md sections 3.2, 5.1 and 5.5)."""

from __future__ import annotations

from fairplay.games.eriantys.rules.islands import FARMER
from fairplay.games.eriantys.rules.state import COLOR_COUNT, NOBODY, Counts, State, plus, with_at, with_counts

COIN_SEATS = (3, 6, 9)


def seated(state: State, color: int, *, pays: bool = True) -> State:
    """Return the state with one more student at a table of the active seat, its coin, and then the professor."""
    seat = state.active
    room = state.dining_rooms[seat]
    rooms = with_counts(state.dining_rooms, seat, plus(room, color))
    state = state._replace(dining_rooms=rooms)
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


def without_some(room: Counts, color: int, count: int) -> tuple[Counts, int]:
    """Return a dining room without at most `count` students of a colour, and how many were removed."""
    removed = min(count, room[color])
    return plus(room, color, -removed), removed
