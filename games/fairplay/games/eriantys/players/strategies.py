"""The strategies of Eriantys' reference players.

A strategy is a function from a view (`rules.view`) to an action of the seat that is to decide. All of them are
deterministic and remember nothing between calls, so that a game that is resumed goes on in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import TypeAlias
from zlib import crc32

from fairplay.games.eriantys import rules
from fairplay.games.eriantys.players.search import best_line, quick_worth, some_options
from fairplay.games.eriantys.rules import (
    Action,
    Counts,
    MoveMotherNature,
    Phase,
    PlayAssistant,
    State,
    TakeCloud,
    ToDiningRoom,
    ToIsland,
)
from fairplay.games.kit.strategies import StrategyKind, make_strategy

Strategy: TypeAlias = Callable[[State], Action]


def strategy(spec: str) -> Strategy:
    """Return the strategy that a text names: "greedy", "random:seed=7", "best:width=4".

    Raises ValueError, with a sentence that says what is allowed, if there is no such strategy, key or value.
    """
    return make_strategy(spec, STRATEGIES, "Eriantys")


# first


def _first() -> Strategy:
    return _first_answer


def _first_answer(view: State) -> Action:
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
        if count and room[color] < rules.TABLE_SEATS:
            return ToDiningRoom(color)
    color = next(color for color, count in enumerate(view.entrances[view.active]) if count)
    return ToIsland(color, 0)


# random


def _random(*, seed: int) -> Strategy:
    def answer(view: State) -> Action:
        return _random_answer(view, Random(_digest(view, seed)))

    return answer


def _digest(view: State, seed: int) -> int:
    """Return a number that depends on the seed and what the player sees, but not on the revision or the process."""
    seat = view.active
    seen = (seed, seat, view.round, int(view.phase), view.to_move, view.played, view.mother_nature, view.coins)
    held = (view.entrances, view.dining_rooms, view.clouds, view.hands[seat], view.assistants, view.towers)
    return crc32(repr((seen, held)).encode())


def _random_answer(view: State, rng: Random) -> Action:
    """Return what is due, by chance, or sometimes a character, each way to play it as likely as another."""
    characters = [options for options in rules.character_options(view) if options]
    if characters and rng.random() < 0.2:
        return rng.choice(rng.choice(characters))
    return rng.choice(rules.due_actions(view))


# greedy


def _greedy() -> Strategy:
    return _greedy_answer


def _greedy_answer(view: State) -> Action:
    """Return the action after which things stand best at once, the first of several."""
    if view.phase in (Phase.TOWERS, Phase.ASSISTANT, Phase.CLOUD, Phase.END_TURN):
        return rules.due_actions(view)[0]
    seat = view.active
    actions = [*rules.due_actions(view), *[action for options in some_options(view) for action in options]]
    return max(actions, key=lambda action: quick_worth(rules.apply(view, action), seat))


# best


def _best(*, width: int) -> Strategy:
    def answer(view: State) -> Action:
        if view.phase is Phase.ASSISTANT:
            return _best_assistant(view, max(1, width // 2))
        if view.phase in (Phase.STUDENTS, Phase.MOTHER_NATURE) and (line := best_line(view, view.active, width)):
            return line.first
        return _best_cloud(view) if view.phase is Phase.CLOUD else rules.due_actions(view)[0]

    return answer


_CARD_PRICE = 0.35  # what an assistant costs for each of its values: low ones act early, and come back never


def _best_assistant(view: State, width: int) -> Action:
    """Return the assistant with which a turn played now would be best, the lower the better."""
    seat = view.active
    actions = [action for action in rules.due_actions(view) if isinstance(action, PlayAssistant)]
    reached: dict[int, float] = {}
    for action in actions:
        steps = rules.assistant_steps(action.value)
        if steps not in reached:
            reached[steps] = _turn_worth(view, seat, action.value, width)
    return max(actions, key=lambda action: reached[rules.assistant_steps(action.value)] - _CARD_PRICE * action.value)


def _turn_worth(view: State, seat: int, value: int, width: int) -> float:
    """Return what a turn with an assistant leads to, with nobody before it."""
    to_move = min(rules.size_of(len(view.sides)).cloud, sum(view.entrances[seat]))
    assistants = (*view.assistants[:seat], value, *view.assistants[seat + 1 :])
    phase = Phase.STUDENTS if to_move else Phase.MOTHER_NATURE
    start = view._replace(phase=phase, assistants=assistants, to_move=to_move, cards=())
    line = best_line(start, seat, width)
    return line.worth if line else 0.0


def _best_cloud(view: State) -> Action:
    """Return the cloud whose colours the player can use most; characters are up to `best_line`, before it."""
    clouds = [action.cloud for action in rules.due_actions(view) if isinstance(action, TakeCloud)]
    return TakeCloud(max(clouds, key=lambda cloud: _usefulness(view, view.clouds[cloud])))


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
    "first": StrategyKind(_first, "The first legal action, students to their tables while there is room; very fast."),
    "random": StrategyKind(
        _random, "A legal action by chance, the same one whenever it sees the same.", {"seed": (0, 0, 2**31 - 1)}
    ),
    "greedy": StrategyKind(_greedy, "What brings most towers, professors and students at once, characters included."),
    "best": StrategyKind(
        _best,
        "Searches whole turns, characters included, and values what each side can hope for on the islands.",
        {"width": (8, 1, 16)},
    ),
}
