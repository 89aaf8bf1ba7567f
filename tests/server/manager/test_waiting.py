"""Games wait in their order, and however many wait, few are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Set

from hypothesis import given
from hypothesis import strategies as st

from fairplay.server.manager.driver import WaitingGames

GAMES = st.lists(st.tuples(st.integers(1, 3), st.sets(st.integers(0, 4), max_size=3)), max_size=30)


class Counted(Set[int]):
    """A set that counts how often it is asked for what it has."""

    def __init__(self, values: Set[int]) -> None:
        self._values = values
        self.asked = 0

    def __contains__(self, value: object) -> bool:
        return value in self._values

    def __iter__(self) -> Iterator[int]:
        self.asked += 1
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


@given(GAMES, st.sets(st.integers(0, 4)))
def test_the_first_game_of_the_first_round_with_free_players_is_begun(
    games: list[tuple[int, set[int]]], busy: set[int]
) -> None:
    games.sort(key=lambda game: game[0])
    waiting = WaitingGames()
    for number, (round_number, alone) in enumerate(games):
        waiting.add(str(number), round_number, alone)
    free = [number for number, (_, alone) in enumerate(games) if alone.isdisjoint(busy)]
    taken = [*iter(lambda: waiting.take(busy), None)]
    assert sorted(map(int, taken)) == free
    rounds = [games[int(each)][0] for each in taken]
    assert rounds == sorted(rounds)
    for players in {frozenset(alone) for _, alone in games}:
        same = [int(each) for each in taken if games[int(each)][1] == players]
        assert same == sorted(same)
    assert taken[:1] == [str(number) for number in free[:1]]


def test_of_thousands_of_games_between_the_same_players_one_is_looked_at() -> None:
    waiting, busy = WaitingGames(), Counted({0})
    for number in range(3_000):
        waiting.add(str(number), 1, [(0, 1), (0, 2), (1, 2)][number // 1_000])
    for number in range(1_000):
        assert waiting.take(busy) == str(2_000 + number)
    assert waiting.take(busy) is None
    assert busy.asked <= 3 * 1_001


@given(GAMES, st.sets(st.integers(0, 4)), st.sets(st.integers(0, 4)))
def test_who_plays_in_order_begins_no_game_before_an_earlier_one(
    games: list[tuple[int, set[int]]], busy: set[int], in_order: set[int]
) -> None:
    games.sort(key=lambda game: game[0])
    waiting = WaitingGames()
    for number, (round_number, entrants) in enumerate(games):
        waiting.add(str(number), round_number, entrants)
    taken = waiting.take(busy, in_order)
    if taken is not None:
        round_number, entrants = games[int(taken)]
        earlier = [others for number, others in games if number < round_number]
        assert not any(others & entrants & in_order for others in earlier)
