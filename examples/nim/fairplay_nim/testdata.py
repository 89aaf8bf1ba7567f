"""Questions about the rules of Nim, for the test data of other people.

`heaps` is an array of their sizes, `most` the most matches of a turn, an action [index of the heap, number of matches].
"""

from __future__ import annotations

from fairplay.games.kit import testdata as kit
from fairplay.games.kit.strategies import make_strategy
from fairplay.games.kit.testdata import Json, question
from fairplay_nim import protocol, rules
from fairplay_nim.players import STRATEGIES, StrategyPlayer


@question
def legal(heaps: Json, most: Json) -> Json:
    """List all legal actions, by heap and then by number of matches."""
    return [list(take) for take in rules.legal(_read_state(heaps, most))]


@question
def refusal(heaps: Json, most: Json, action: Json) -> Json:
    """Name the rule that an action breaks; null if it is legal."""
    return rules.violation(_read_state(heaps, most), _read_take(action))


@question
def apply(heaps: Json, most: Json, action: Json) -> Json:
    """Give the heaps after an action; false if it is illegal."""
    state, take = _read_state(heaps, most), _read_take(action)
    return not rules.violation(state, take) and list(rules.apply(state, take).heaps)


@question
def step(heaps: Json, most: Json, strategy: Json) -> Json:
    """Give the action of a strategy; there must be matches."""
    state = _read_state(heaps, most)
    if rules.turn(state) is None:
        raise ValueError("heaps has no matches: there is nothing to take.")
    return list(make_strategy(kit.read_text(strategy, "strategy"), STRATEGIES, "Nim")(state))


@question
def game(heaps: Json, most: Json, actors: Json) -> Json:
    """Play a game between actors, in turn order, and give its ranking: groups of names, best first."""
    scripts = kit.read_scripts(actors, "actors", list(protocol.METHODS.values()))
    conversation = protocol.play("test", _read_state(heaps, most, len(scripts)))
    played = kit.play_game(conversation, [kit.Actor(script, StrategyPlayer(script.strategy)) for script in scripts])
    return [[scripts[seat].name for seat, _ in group] for group in played.outcome.ranking]


def _read_take(action: Json) -> rules.Take:
    return rules.Take(*(kit.read_int(value, "action") for value in kit.read_list(action, "action", count=2)))


def _read_state(heaps: Json, most: Json, seat_count: int = 2) -> rules.State:
    sizes = tuple(kit.read_int(size, "a heap", 0) for size in kit.read_list(heaps, "heaps"))
    state = rules.State(sizes, kit.read_int(most, "most", 1), tuple(range(seat_count)))
    if problem := rules.find_problem(state):
        raise ValueError(problem)
    return state


TESTDATA = kit.collect_questions(globals())
