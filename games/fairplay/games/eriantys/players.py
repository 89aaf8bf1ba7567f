"""The reference players of Eriantys.

A strategy is a function from a view (`state.view` of the rules) to an action of the seat that is to decide. All of
them are deterministic and remember nothing between calls, so that a game that is resumed goes on in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import nlargest
from itertools import islice
from random import Random
from typing import Any, NamedTuple, TypeAlias
from zlib import crc32

from fairplay.games.eriantys import rules
from fairplay.games.eriantys.protocol import answers, codec
from fairplay.games.eriantys.protocol.conversation import ASK_ACTION, ASK_ASSISTANT_CARD, ASK_TOWER_COLOR, METHODS
from fairplay.games.eriantys.rules.board import address, influences
from fairplay.games.eriantys.rules.characters import character_options
from fairplay.games.eriantys.rules.legality import due_actions, most_steps
from fairplay.games.eriantys.rules.state import (
    NOBODY,
    TABLE_SEATS,
    Action,
    Counts,
    Group,
    MoveMotherNature,
    Phase,
    PlayAssistant,
    PlayCharacter,
    State,
    TakeCloud,
    ToDiningRoom,
    ToIsland,
    assistant_steps,
    size_of,
)
from fairplay.games.kit.players import build_players
from fairplay.games.kit.strategies import StrategyKind, make_strategy

Strategy: TypeAlias = Callable[[State], Action]

WON = 1000.0
MOST_OPTIONS = 120
"""How many ways to play one character are looked at: keeps the time of an answer small."""


# What a position is worth to a seat, and the search of a whole turn


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
    ahead = lead(influences(state, group), side)
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
    plays = [(action, rules.apply(state, action)) for options in some_options(state) for action in options]
    found = [Line(worth(after, seat), action, after) for action, after in plays]
    likely = nlargest(max(2, width // 2), found, key=lambda line: line.worth)
    starts = [(None, state), *((line.first, line.state) for line in likely)]
    lines = [line for first, start in starts if (line := _rest_of_turn(start, seat, width, first))]
    return max(lines, key=lambda line: line.worth, default=None)


def some_options(state: State) -> list[list[PlayCharacter]]:
    """Return the options of each character that can be played, or of many some from all over the list."""
    found = []
    for options in character_options(state):
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
        for action in islice(rules.legal(before), most_steps(before))
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
        for step in range(1, most_steps(state) + 1)
    ]
    return worth(state, seat) + max(stops)


def _student_moves(state: State) -> list[Action]:
    """Return every colour to its table, and to each group that Mother Nature may reach in this turn."""
    seat, count = state.active, len(state.groups)
    reach = min(count, most_steps(state) + 1)
    near = [address(state, (state.mother_nature + step) % count) for step in range(1, reach + 1)]
    moves: list[Action] = []
    for color, held in enumerate(state.entrances[seat]):
        if held:
            moves += [ToDiningRoom(color)] if state.dining_rooms[seat][color] < 10 else []
            moves += [ToIsland(color, island) for island in near]
    return moves


# Strategies


def _first(view: State) -> Action:
    """Return the answer that is cheapest to find: no list of the legal actions is made where one will do."""
    if view.phase is Phase.STUDENTS:
        return _first_student(view)
    if view.phase is Phase.MOTHER_NATURE:
        return MoveMotherNature(1)
    if view.phase is Phase.CLOUD:
        return TakeCloud(next(at for at, cloud in enumerate(view.clouds) if any(cloud)))
    return rules.legal(view)[0]


def _first_student(view: State) -> Action:
    room, color = view.dining_rooms[view.active], 0
    for color, count in enumerate(view.entrances[view.active]):
        if count and room[color] < TABLE_SEATS:
            return ToDiningRoom(color)
    color = next(color for color, count in enumerate(view.entrances[view.active]) if count)
    return ToIsland(color, 0)


def _digest(view: State, seed: int) -> int:
    """Return a number that depends on the seed and what the player sees, but not on the revision or the process."""
    seat = view.active
    seen = (seed, seat, view.round, int(view.phase), view.to_move, view.played, view.mother_nature, view.coins)
    held = (view.entrances, view.dining_rooms, view.clouds, view.hands[seat], view.assistants, view.towers)
    return crc32(repr((seen, held)).encode())


def _random(view: State, rng: Random, share: float) -> Action:
    """Return what is due, by chance, or with this share a character, each way to play it as likely as another."""
    characters = [options for options in character_options(view) if options]
    if characters and rng.random() < share:
        return rng.choice(rng.choice(characters))
    return rng.choice(due_actions(view))


def _greedy(view: State) -> Action:
    """Return the action after which things stand best at once, the first of several."""
    if view.phase in (Phase.TOWERS, Phase.ASSISTANT, Phase.CLOUD, Phase.END_TURN):
        return due_actions(view)[0]
    seat = view.active
    actions = [*due_actions(view), *[action for options in some_options(view) for action in options]]
    return max(actions, key=lambda action: quick_worth(rules.apply(view, action), seat))


def _best(view: State, width: int) -> Action:
    if view.phase is Phase.ASSISTANT:
        return _best_assistant(view, max(1, width // 2))
    if view.phase in (Phase.STUDENTS, Phase.MOTHER_NATURE) and (line := best_line(view, view.active, width)):
        return line.first
    if view.phase is Phase.CLOUD:  # characters are up to `best_line`, before it
        clouds = [action.cloud for action in due_actions(view) if isinstance(action, TakeCloud)]
        return TakeCloud(max(clouds, key=lambda cloud: _usefulness(view, view.clouds[cloud])))
    return due_actions(view)[0]


_CARD_PRICE = 0.35  # what an assistant costs for each of its values: low ones act early, and come back never


def _best_assistant(view: State, width: int) -> Action:
    """Return the assistant with which a turn played now would be best, the lower the better."""
    seat = view.active
    actions = [action for action in due_actions(view) if isinstance(action, PlayAssistant)]
    reached: dict[int, float] = {}
    for action in actions:
        steps = assistant_steps(action.value)
        if steps not in reached:
            reached[steps] = _turn_worth(view, seat, action.value, width)
    return max(actions, key=lambda action: reached[assistant_steps(action.value)] - _CARD_PRICE * action.value)


def _turn_worth(view: State, seat: int, value: int, width: int) -> float:
    """Return what a turn with an assistant leads to, with nobody before it."""
    to_move = min(size_of(len(view.sides)).cloud, sum(view.entrances[seat]))
    assistants = (*view.assistants[:seat], value, *view.assistants[seat + 1 :])
    phase = Phase.STUDENTS if to_move else Phase.MOTHER_NATURE
    start = view._replace(phase=phase, assistants=assistants, to_move=to_move, cards=())
    line = best_line(start, seat, width)
    return line.worth if line else 0.0


def _usefulness(view: State, cloud: Counts) -> float:
    """Return how near the colours of a cloud bring their professors, and how much they help on the islands."""
    seat, side = view.active, view.sides[view.active]
    total = 0.0
    for color, count in enumerate(cloud):
        mine = view.dining_rooms[seat][color] + view.entrances[seat][color]
        theirs = max([room[color] for at, room in enumerate(view.dining_rooms) if view.sides[at] != side])
        is_near = -1 <= theirs - view.dining_rooms[seat][color] <= 2
        total += count * (1.0 + 0.8 * is_near + 0.3 * (mine > theirs))
    return total


STRATEGIES: Mapping[str, StrategyKind[Strategy]] = {
    "first": StrategyKind(
        lambda: _first, "The first legal action, students to their tables while there is room; very fast."
    ),
    "random": StrategyKind(
        lambda seed, characters: lambda view: _random(view, Random(_digest(view, seed)), characters),
        "A legal action by chance, the same one whenever it sees the same; characters with the share of that name.",
        {"seed": (0, 0, 2**31 - 1), "characters": (0.2, 0.0, 1.0)},
    ),
    "greedy": StrategyKind(
        lambda: _greedy,
        "What brings most towers, professors and students at once, characters included.",
        is_quick=False,
    ),
    "best": StrategyKind(
        lambda width: lambda view: _best(view, width),
        "Searches whole turns, characters included, and values what each side can hope for on the islands.",
        {"width": (8, 1, 16)},
        is_quick=False,
    ),
}


def strategy(spec: str) -> Strategy:
    """Return the strategy that a text names: "greedy", "random:seed=7", "best:width=4".

    Raises ValueError, with a sentence that says what is allowed, if there is no such strategy, key or value.
    """
    return make_strategy(spec, STRATEGIES, "Eriantys")


def _answer(decide: Strategy, request: Any) -> Any:
    return answers.build_reply(decide(codec.read_view(request)))


player = build_players(
    "eriantys",
    "Eriantys",
    METHODS.values(),
    STRATEGIES,
    {ASK_TOWER_COLOR: _answer, ASK_ASSISTANT_CARD: _answer, ASK_ACTION: _answer},
)
"""Returns the reference player of a strategy. Raises ValueError for an unknown one."""
