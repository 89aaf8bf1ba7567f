"""Questions about the rules of Nim, for the test data of other people.

`heaps` is an array of their sizes, and an action is [index of the heap, number of matches].
"""

from __future__ import annotations

from fairplay.games.kit.strategies import make_strategy
from fairplay.games.kit.testdata import Json, collect_questions, question, read_int, read_list, read_text
from fairplay_nim import rules
from fairplay_nim.players import STRATEGIES, Strategy


@question
def legal(heaps: Json, most: Json) -> Json:
    """Answer with all legal actions, by heap and then by number of matches."""
    return [list(take) for take in rules.legal(_read_state(heaps, most))]


@question
def apply(heaps: Json, most: Json, action: Json) -> Json:
    """Answer with the heaps after an action, or with the id of the rule that it breaks."""
    state = _read_state(heaps, most)
    take = rules.Take(*(read_int(value, "action") for value in read_list(action, "action", count=2)))
    return rules.violation(state, take) or list(rules.apply(state, take).heaps)


@question
def answer(heaps: Json, most: Json, strategy: Json) -> Json:
    """Answer with the action of a strategy, e.g. of "best"."""
    state = _read_state(heaps, most)
    if rules.turn(state) is None:
        raise ValueError("heaps has no matches: there is nothing to take.")
    return list(_read_strategy(strategy)(state))


@question
def game(heaps: Json, most: Json, strategies: Json) -> Json:
    """Answer with the seat of the winner of a game between strategies, in turn order."""
    players = [_read_strategy(each) for each in read_list(strategies, "strategies")]
    state = _read_state(heaps, most, len(players))
    while (seat := rules.turn(state)) is not None:
        state = rules.apply(state, players[seat](state))
    return state.players[-1]


def _read_strategy(spec: Json) -> Strategy:
    return make_strategy(read_text(spec, "strategy"), STRATEGIES, "Nim")


def _read_state(heaps: Json, most: Json, seat_count: int = 2) -> rules.State:
    sizes = tuple(read_int(size, "a heap", 0) for size in read_list(heaps, "heaps"))
    state = rules.State(sizes, read_int(most, "most", 1), tuple(range(seat_count)))
    if problem := rules.find_problem(state):
        raise ValueError(problem)
    return state


TESTDATA = collect_questions(globals())
