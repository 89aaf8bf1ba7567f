"""What the tests of Eriantys share: students by name, games in the middle of a turn, and random play."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from fairplay.games.eriantys import rules
from fairplay.games.eriantys.rules.board import address, group_of
from fairplay.games.eriantys.rules.characters import columns
from fairplay.games.eriantys.rules.state import (
    COLORS,
    NOBODY,
    Action,
    ChooseTowers,
    Counts,
    Group,
    MoveMotherNature,
    Phase,
    PlayCharacter,
    Settings,
    State,
    ToIsland,
    size_of,
    unseen,
)
from fairplay.games.kit.settings import describe

CHOICES: dict[str, Sequence[Any]] = {
    "characters": [(), (1, 7, 10), (12, 11, 5), (2, 3, 9)],
    "mn_island": [0, 4, 11],
    "max_attempts": [1, 3, 100],
}
"""Values of each setting: of those that are choices all."""
for _each in describe(Settings):
    if _each.allowed == "true or false":
        CHOICES[_each.name] = [False, True]
    CHOICES.setdefault(_each.name, _each.allowed.removeprefix("one of ").split(", "))

GREEN, RED, YELLOW, PINK, BLUE = range(5)
NONE: Counts = (0, 0, 0, 0, 0)
EXPERT = Settings(mode="expert", characters=(1, 2, 3))


def students(text: str) -> Counts:
    """Return the counts of a list such as "GREEN2 RED"."""
    counts = [0] * 5
    for word in text.split():
        name = word.rstrip("0123456789")
        counts[COLORS.index(name.lower())] += int(word[len(name) :] or 1)
    return tuple(counts)


def expert(*characters: int, **chosen: Any) -> Settings:
    """Return Expert settings with these characters, filled up to three."""
    others = [character for character in range(1, 13) if character not in characters]
    return Settings(mode="expert", characters=(*characters, *others[: 3 - len(characters)]), **chosen)


def fresh(settings: Settings, seat_count: int = 2, seed: int = 0) -> State:
    """Return a game in its first planning phase: the first seat is white, the second one black, the third one grey."""
    state = rules.initial(settings, seat_count, Random(seed))
    for color in (1, 0, 2)[: len(state.towers)]:
        state = rules.apply(state, ChooseTowers(color))
    return state


def islands(
    groups: Sequence[tuple[Sequence[int], int]], held: Mapping[int, str], no_entry: Mapping[int, int]
) -> tuple[Group, ...]:
    """Return groups with towers of a side, and single islands; students and no-entry tiles by any of the tiles."""
    joined = {tile: (tuple(tiles), side) for tiles, side in groups for tile in tiles}
    found: dict[tuple[int, ...], Group] = {}
    for tile in range(12):
        tiles, side = joined.get(tile, ((tile,), NOBODY))
        here = next((held[each] for each in tiles if each in held), "")
        blocked = sum(no_entry.get(each, 0) for each in tiles)
        found.setdefault(tiles, Group(tiles, students(here), side, blocked))
    return tuple(found.values())


def table(
    seat_count: int = 2,
    settings: Settings = Settings(),  # noqa: B008 - a constant
    *,
    active: int = 0,
    phase: Phase = Phase.MOTHER_NATURE,
    groups: Sequence[tuple[Sequence[int], int]] = (),
    held: Mapping[int, str] | None = None,
    no_entry: Mapping[int, int] | None = None,
    mother_nature: int = 0,
    rooms: Sequence[str] = (),
    entrances: Sequence[str] = (),
    professors: Mapping[int, int] | None = None,
    **changes: Any,
) -> State:
    """A game in the turn of a seat that has played the 10, all the others having acted; `changes` come last.

    `mother_nature` is a tile. Towers left and the bag follow from the rest; dining rooms follow from professors where
    they are not given.
    """
    start = fresh(settings, seat_count)
    owners = [(professors or {}).get(color, NOBODY) for color in range(5)]
    laid = islands(groups, held or {}, no_entry or {})
    owned = [tuple(int(owner == seat) for owner in owners) for seat in range(seat_count)]
    built = [sum(len(group.tiles) for group in laid if group.tower == side) for side in range(len(start.towers))]
    blocked = sum(group.no_entry for group in laid)
    cards = tuple(card._replace(no_entry=max(0, card.no_entry - blocked)) for card in start.cards)
    others = [seat for seat in range(seat_count) if seat != active]
    values = [10 if seat == active else 1 + others.index(seat) for seat in range(seat_count)]
    state = start._replace(
        phase=phase,
        active=active,
        groups=laid,
        mother_nature=next(at for at, group in enumerate(laid) if mother_nature in group.tiles),
        clouds=(students("PINK3") if seat_count != 3 else students("PINK4"),) * seat_count,
        entrances=_listed(entrances, seat_count),
        dining_rooms=_listed(rooms, seat_count) if rooms else tuple(owned),
        professors=tuple(owners),
        hands=tuple(tuple(one for one in range(1, 11) if one != value) for value in values),
        assistants=tuple(values),
        planned=(active, *others),
        queue=(),
        cards=cards,
        towers=tuple(total - count for total, count in zip(start.towers, built, strict=True)),
    )
    if phase is Phase.STUDENTS:
        state = state._replace(to_move=min(size_of(seat_count).cloud, sum(state.entrances[active])))
    state = state._replace(**changes)
    return state._replace(bag=unseen(state)) if "bag" not in changes else state


def _listed(texts: Sequence[str], seat_count: int) -> tuple[Counts, ...]:
    return tuple(students(texts[seat]) if seat < len(texts) else NONE for seat in range(seat_count))


def moved(state: State, tile: int) -> State:
    """Return the state once Mother Nature has gone to the group that holds a tile."""
    target = next(at for at, group in enumerate(state.groups) if tile in group.tiles)
    steps = (target - state.mother_nature) % len(state.groups) or len(state.groups)
    action = MoveMotherNature(steps)
    assert rules.violation(state, action) is None
    return rules.apply(state, action)


def played(state: State, *actions: Action) -> State:
    """Return the state after legal actions."""
    for action in actions:
        assert (broken := rules.violation(state, action)) is None, (action, broken)
        state = rules.apply(state, action)
    return state


def group_at(state: State, tile: int) -> Group:
    return next(group for group in state.groups if tile in group.tiles)


def tower_at(state: State, tile: int) -> int:
    return group_at(state, tile).tower


def states(settings: Settings, seat_count: int, seed: int) -> Iterator[State]:
    """Yield all states of a game of random play, from set-up to its end."""
    rng = Random(seed)
    state = rules.initial(settings, seat_count, rng)
    yield state
    while rules.turn(state) is not None:
        state = rules.apply(state, rng.choice(rules.legal(state)))
        yield state


def canonical(state: State, action: Action) -> Action:
    """Return the form in which `legal` lists an action that is legal."""
    if isinstance(action, ToIsland):
        return ToIsland(action.color, address(state, group_of(state, action.island)))
    if isinstance(action, PlayCharacter):
        island = None if action.island is None else address(state, group_of(state, action.island))
        left, right = columns(action.swaps)
        return PlayCharacter(action.character, action.color, island, tuple(zip(left, right, strict=True)))
    return action
