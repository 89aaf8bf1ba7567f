"""The shortest history that shows a misconduct: few games, each of few decisions, found with few tries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

import pytest

from fairplay.conformance.history import shortest
from fairplay.conformance.ordinary import OrdinaryGames
from fairplay.conformance.trial import Entry
from fairplay.games.game import find

GAMES = OrdinaryGames(find("fish"), 1)
LONG = 20
"""The decisions of each game in a history."""


def entry(number: int, decisions: int = LONG) -> Entry:
    """Return the entry of a game; the seat and the number of players tell it from the others."""
    return Entry(lambda _: (), str(number), [GAMES.scenario(0, 2, decisions)])


def length(each: Entry) -> int:
    return each.scenarios[0].situation.turn_count


def shorten(each: Entry, decisions: int) -> Entry:
    return each if length(each) <= decisions else entry(int(each.text), decisions)


def keep(each: Entry, decisions: int) -> Entry:
    """Return the entry itself: it cannot be shorter."""
    return each


def numbers(history: Sequence[Entry]) -> list[int]:
    return [int(each.text) for each in history]


class Player:
    """Shows its misconduct after games with these numbers that have at least so many decisions."""

    def __init__(self, needed: Mapping[int, int]) -> None:
        self.tries: list[list[int]] = []
        self._needed = needed

    def shows(self, history: Sequence[Entry]) -> bool:
        self.tries.append(numbers(history))
        lengths = {int(each.text): length(each) for each in history}
        return all(lengths.get(number, 0) >= least for number, least in self._needed.items())


@pytest.mark.parametrize(
    ("count", "tried"),
    [
        (1, [[0]]),
        (2, [[1], [0, 1]]),
        (4, [[3], [2, 3], [0, 1, 2, 3]]),
        (5, [[4], [3, 4], [1, 2, 3, 4], [0, 1, 2, 3, 4]]),
    ],
)
def test_the_last_game_is_tried_first_then_twice_as_many_and_at_last_all(count: int, tried: list[list[int]]) -> None:
    player = Player({99: 1})
    assert shortest([entry(number) for number in range(count)], shorten, player.shows) is None
    assert player.tries == tried


def test_halves_are_left_out_then_quarters_then_single_games() -> None:
    player = Player({0: LONG})
    found = shortest([entry(number) for number in range(8)], keep, player.shows)
    assert found is not None
    assert numbers(found) == [0]
    assert player.tries[4:] == [[4, 5, 6, 7], [0, 1, 2, 3], [2, 3], [0, 1], [1], [0]]


def test_what_follows_a_part_that_is_left_out_is_tried_next() -> None:
    player = Player({6: LONG, 0: LONG})
    assert shortest([entry(number) for number in range(8)], keep, player.shows) is not None
    assert player.tries[4:] == [
        *([4, 5, 6, 7], [0, 1, 2, 3]),
        *([2, 3, 4, 5, 6, 7], [0, 1, 4, 5, 6, 7], [0, 1, 6, 7], [0, 1]),
        *([1, 6, 7], [0, 6, 7], [0, 7], [0, 6]),
    ]


@pytest.mark.parametrize("needed", list(product([False, True], repeat=5)), ids=str)
def test_no_game_is_left_that_is_not_needed(needed: Sequence[bool]) -> None:
    wanted = [number for number, is_needed in enumerate(needed) if is_needed]
    found = shortest([entry(number) for number in range(5)], keep, Player(dict.fromkeys(wanted, LONG)).shows)
    assert found is not None
    assert numbers(found) == wanted or (wanted == [] and numbers(found) == [4])


def test_a_game_that_cannot_be_shorter_is_not_played_again() -> None:
    for cut in (keep, shorten):
        player = Player({0: 1})
        assert shortest([entry(0, 1)], cut, player.shows) is not None
        assert player.tries == [[0]]


def test_games_of_one_decision_are_tried_all_at_once() -> None:
    player = Player({0: 1, 1: 1})
    found = shortest([entry(0), entry(1)], shorten, player.shows)
    assert found is not None
    assert [length(each) for each in found] == [1, 1]
    assert player.tries == [[1], [0, 1], [0, 1], [1], [0]]


def test_of_games_that_need_one_decision_those_are_left_out_that_are_not_needed() -> None:
    player = Player({0: 1})
    found = shortest([entry(0), entry(1)], shorten, player.shows)
    assert found is not None
    assert [(int(each.text), length(each)) for each in found] == [(0, 1)]


@pytest.mark.parametrize(
    ("least", "kept"), [(1, 1), (2, 2), (3, 3), (4, 5), (5, 5), (6, 8), (8, 8), (9, LONG), (LONG, LONG)]
)
@pytest.mark.parametrize("place", [0, 1])
def test_each_game_has_as_few_decisions_as_will_do(place: int, least: int, kept: int) -> None:
    player = Player({place: least, 1 - place: 3})
    found = shortest([entry(0), entry(1)], shorten, player.shows)
    assert found is not None
    assert (length(found[place]), length(found[1 - place])) == (kept, 3)


def test_games_that_are_short_already_stay_as_they_are() -> None:
    player, calls = Player({0: 2, 1: LONG}), list[int]()

    def counted(cut: Callable[[Entry, int], Entry], each: Entry, decisions: int) -> Entry:
        calls.append(decisions)
        return cut(each, decisions)

    games = [entry(0, 2), entry(1)]
    found = shortest(games, lambda each, decisions: counted(shorten, each, decisions), player.shows)
    assert found == games
    # All of one decision, then each left out, the first one with one decision, the second one with 1, 2, 3, 5 and 8.
    assert player.tries == [[1], [0, 1], [0, 1], [1], [0], [0, 1], *[[0, 1]] * 5]
    assert set(calls) == {1, 2, 3, 5, 8}
