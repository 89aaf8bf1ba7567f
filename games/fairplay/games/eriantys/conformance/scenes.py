"""States of Eriantys in the middle of a game, written down in few words.

Students are the initials of their colours, "GGRYPB". Islands are words, clockwise, one for each group: the letter of
the side whose towers stand there ("a" for side 0), how many tiles it has if more than one, its students, an "x" for
each no-entry tile, and "!" where Mother Nature stands; a dot is an empty island. "G! aR . b3PPx" are six tiles.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any

from fairplay.games.eriantys import rules
from fairplay.games.eriantys.rules import NOBODY, Card, Counts, Group, Phase, Reason, Settings, State

INITIALS = "".join([color[0].upper() for color in rules.COLORS])
ISLANDS = "G! aR . bP B a2RY . P bB . G"
TILES = 12
COINS, ASSISTANTS, NO_ENTRY_TILES = 20, 10, 4
LETTERS = "abc"
HERBALIST = 5

_AS_USUAL: Mapping[int, Any] = MappingProxyType({})
_ENTRANCE = "GGRRYPBYP"
_ROOM = "GRYPB"
_ON_CHARACTER = "GRYPBG"
_GROUP = re.compile(r"(?P<side>[abc]?)(?P<size>\d*)(?P<students>[GRYPB]*)(?P<blocked>x*)(?P<mother>!?)")


def students(text: str) -> Counts:
    """Return the counts of a text such as "GGR"."""
    return tuple([text.count(initial) for initial in INITIALS])


def scene(
    rng: Random,
    settings: Settings = Settings(),  # noqa: B008 - a constant
    seat_count: int = 2,
    *,
    phase: Phase = Phase.MOTHER_NATURE,
    active: int = 0,
    islands: str = ISLANDS,
    first_tile: int = 0,
    entrances: Sequence[str] = (),
    rooms: Sequence[str] = (),
    clouds: Sequence[str] | None = None,
    assistants: Sequence[int] = (),
    hands: Mapping[int, Sequence[int]] = _AS_USUAL,
    first: int = 0,
    round_number: int = 4,
    characters: Mapping[int, str] = _AS_USUAL,
    used: Sequence[int] = (),
    coins: int = 0,
    **changes: Any,
) -> State:
    """Return a state that fulfils the invariants; by seat, as far as texts are given.

    What is left out follows from the rest, or is ordinary: hands, towers, professors, the bag, and whose turn comes
    before and after that of `active`. `coins` are those of the active seat. `characters` are the students on them,
    and `used` those that somebody has played before. `changes` are fields of the state, and come last.
    """
    start = rules.initial(settings, seat_count, rng)
    size = rules.size_of(seat_count)
    held = _entrances(entrances, seat_count, active, size.entrance - (size.cloud if phase > Phase.STUDENTS else 0))
    seated = tuple([students(rooms[seat] if seat < len(rooms) else _ROOM) for seat in range(seat_count)])
    groups, mother_nature = _groups(islands, first_tile)
    values = tuple(assistants) or tuple([2 * seat + 1 for seat in range(seat_count)])
    planned, queue = _order(phase, active, first, values)
    state = start._replace(
        phase=phase,
        active=active,
        round=round_number,
        groups=groups,
        mother_nature=mother_nature,
        clouds=_clouds(clouds, seat_count, size.cloud),
        entrances=held,
        dining_rooms=seated,
        professors=_professors(seated),
        hands=tuple([_hand(seat, values, hands, round_number - (seat not in planned)) for seat in range(seat_count)]),
        assistants=values,
        first=first,
        planned=planned,
        queue=queue,
        to_move=min(size.cloud, sum(held[active])) if phase is Phase.STUDENTS else 0,
        tower_colors=tuple(range(len(start.towers))),
        towers=tuple([left - _built(groups, side) for side, left in enumerate(start.towers)]),
        cards=tuple([_card(card, characters, used, groups) for card in start.cards]),
        revision=40,
    )
    if settings.is_expert:
        purses = tuple([coins if seat == active else 1 for seat in range(seat_count)])
        state = state._replace(coins=purses, reserve=COINS - sum(purses) - len(used))
    state = state._replace(**changes)
    return state._replace(bag=rules.unseen(state))


def bag_emptied(state: State) -> State:
    """Return a state with all students of the bag on Mother Nature's island: this round is the last one."""
    here = state.groups[state.mother_nature]
    full = here._replace(students=tuple([one + other for one, other in zip(here.students, state.bag, strict=True)]))
    groups = (*state.groups[: state.mother_nature], full, *state.groups[state.mother_nature + 1 :])
    return state._replace(groups=groups, bag=(0,) * len(rules.COLORS), last_round=Reason.BAG_EMPTY)


# The parts


def _groups(text: str, tile: int) -> tuple[tuple[Group, ...], int]:
    """Return the groups, the first of which begins with a tile, and the place of Mother Nature's."""
    groups, mother_nature = [], 0
    for place, word in enumerate(text.split()):
        found = _GROUP.fullmatch(word.replace(".", ""))
        assert found, word
        size = int(found["size"] or 1)
        side = LETTERS.index(found["side"]) if found["side"] else NOBODY
        tiles = tuple([(tile + step) % TILES for step in range(size)])
        groups.append(Group(tiles, students(found["students"]), side, len(found["blocked"])))
        mother_nature = place if found["mother"] else mother_nature
        tile += size
    return tuple(groups), mother_nature


def _built(groups: Sequence[Group], side: int) -> int:
    return sum([len(group.tiles) for group in groups if group.tower == side])


def _entrances(texts: Sequence[str], seat_count: int, active: int, size: int) -> tuple[Counts, ...]:
    """Return the given entrances; the others are full, but that of the active seat has `size` students."""
    full = rules.size_of(seat_count).entrance
    usual = [_ENTRANCE[: size if seat == active else full] for seat in range(seat_count)]
    return tuple([students(texts[seat] if seat < len(texts) else usual[seat]) for seat in range(seat_count)])


def _clouds(texts: Sequence[str] | None, seat_count: int, size: int) -> tuple[Counts, ...]:
    if texts is None:
        return tuple([students((INITIALS * 2)[seat : seat + size]) for seat in range(seat_count)])
    return tuple(map(students, texts))


def _professors(rooms: Sequence[Counts]) -> tuple[int, ...]:
    """Return by colour the first of the seats that have the most of its students."""
    columns = list(zip(*rooms, strict=True))
    return tuple([column.index(max(column)) if max(column) else NOBODY for column in columns])


def _hand(seat: int, values: Sequence[int], hands: Mapping[int, Sequence[int]], played: int) -> tuple[int, ...]:
    """Return the given hand, or the highest assistants that are left once `played` of them have been played."""
    if seat in hands:
        return tuple(hands[seat])
    left = [value for value in range(1, ASSISTANTS + 1) if value != values[seat]]
    return tuple(left[max(0, played - 1) :])


def _card(card: Card, characters: Mapping[int, str], used: Sequence[int], groups: Sequence[Group]) -> Card:
    number = card.character
    usual = _ON_CHARACTER[: sum(card.students)]
    blocked = sum([group.no_entry for group in groups])
    left = NO_ENTRY_TILES - blocked if number == HERBALIST else 0
    return Card(number, number in used, students(characters.get(number, usual)), left)


def _order(phase: Phase, active: int, first: int, values: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the seats that have planned, and those that come after the active one."""
    count = len(values)
    planning = tuple([(first + step) % count for step in range(count)])
    if phase is Phase.TOWERS:
        return (), ()
    if phase is Phase.ASSISTANT:
        place = planning.index(active)
        return planning[:place], planning[place + 1 :]
    acting = sorted(planning, key=lambda seat: values[seat])
    return planning, tuple(acting[acting.index(active) + 1 :])
