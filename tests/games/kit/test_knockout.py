"""Knock-out tournaments without players, clocks or records: fish.md section 7."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from string import ascii_lowercase
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.games.kit.knockout import allocate, play
from fairplay.games.kit.player_service import END, START
from fairplay.games.kit.tournament import Order, PlayRound, answer_round, farewell
from fairplay.games.steps import Call, CallAll, Eliminate, Failure
from fairplay.v1.misconduct_pb2 import CallError, Misconduct
from fairplay.v1.player_pb2 import EndResponse, StartResponse
from fairplay.v1.result_pb2 import GameResult, RankedPlayer, RankGroup

FISH = range(2, 5)
DEAD = CallError(message="dead")


def result(first: Sequence[int], rest: Sequence[int] = (), failed: Sequence[int] = (), aborted: str = "") -> GameResult:
    """The result of a game, by seats."""
    groups = [RankGroup(players=[RankedPlayer(seat=seat) for seat in group]) for group in (first, rest) if group]
    return GameResult(ranking=groups, misconducts=[Misconduct(seat=seat) for seat in failed], aborted=aborted)


Decide = Callable[[int, tuple[int, ...]], GameResult]
"""The result of a game of a round, from 1, between these entrants."""


def as_in_f7(_: int, game: tuple[int, ...]) -> GameResult:
    """As house players do on a board of 5 x 5 (F7): of four the first and the last tie, otherwise the first wins."""
    first = [0, 3] if len(game) == 4 else [0]
    return result(first, [seat for seat in range(len(game)) if seat not in first])


def all_tie(_: int, game: tuple[int, ...]) -> GameResult:
    return result(range(len(game)))


class Played(NamedTuple):
    """What happened in a tournament: rounds of games, Start and End calls at once, who was eliminated in them."""

    standings: Order
    rounds: list[tuple[tuple[int, ...], ...]]
    calls: list[tuple[str, list[int]]]
    eliminated: list[int]


def drive(
    count: int,
    decide: Decide = as_in_f7,
    failing: Mapping[tuple[str, int], Failure] | None = None,
    sizes: range = FISH,
    strict: bool | None = None,
) -> Played:
    """Drives a tournament; `failing` has the failures by name of the method and entrant."""
    conversation = play("t", count, sizes) if strict is None else play("t", count, sizes, strict)
    rounds: list[tuple[tuple[int, ...], ...]] = []
    calls: list[tuple[str, list[int]]] = []
    eliminated: list[int] = []
    answer: Any = None
    while True:
        try:
            step = conversation.send(answer)
        except StopIteration as stop:
            return Played(stop.value, rounds, calls, eliminated)
        answer = None
        if isinstance(step, PlayRound):
            games = tuple(game.entrants for game in step.games)
            rounds.append(games)
            answer = answer_round(len(rounds), step, [decide(len(rounds), game) for game in games])
        elif isinstance(step, CallAll):
            calls.append((_name(step.calls[0]), [call.seat for call in step.calls]))
            answer = {call.seat: (failing or {}).get((call.method.name, call.seat), sound(call)) for call in step.calls}
        else:
            assert isinstance(step, Eliminate)
            eliminated.append(step.seat)


def _name(call: Call) -> str:
    if call.method is START:
        return "start"
    return f"end {call.request.won}"


def sound(call: Call) -> StartResponse | EndResponse:
    return StartResponse() if call.method is START else EndResponse()


def letters(seats: Sequence[int]) -> str:
    return "".join(ascii_lowercase[seat] for seat in seats)


def bracket(played: Played) -> list[str]:
    return [" ".join(letters(game) for game in games) for games in played.rounds]


# Allocation


@pytest.mark.parametrize(
    ("count", "games"),
    [(6, [3, 3]), (11, [5, 3, 3]), (17, [5, 5, 4, 3])],
)
def test_allocation_to_games_of_3_to_5(count: int, games: list[int]) -> None:
    assert allocate(count, range(3, 6)) == games


@given(count=st.integers(0, 60), smallest=st.integers(2, 6), more=st.integers(0, 3))
def test_allocation_never_seats_too_many_and_leaves_over_less_than_a_full_game(
    count: int, smallest: int, more: int
) -> None:
    sizes = range(smallest, smallest + more + 1)
    games = allocate(count, sizes)
    assert all(size in sizes for size in games)
    assert 0 <= count - sum(games) < sizes[-1]


# Stop conditions


@pytest.mark.parametrize("count", [2, 4])
def test_players_that_fit_into_one_game_play_exactly_one_final(count: int) -> None:
    played = drive(count, all_tie)
    assert played.rounds == [(tuple(range(count)),)]
    assert played.standings.winners == tuple(range(count))


def test_the_same_winners_must_come_twice_in_a_row() -> None:
    def decide(number: int, game: tuple[int, ...]) -> GameResult:
        return result([0, 1, 2], [3]) if number == 2 and 8 in game else all_tie(number, game)

    played = drive(12, decide)
    assert bracket(played) == ["abcd efgh ijkl", "abcd efgh ijkl", "abcd efgh ijk"]
    assert letters(played.standings.winners) == "abcdefghijk"


def test_a_final_is_played_even_by_players_that_have_just_tied() -> None:
    played = drive(6, lambda number, game: result([0, 1], list(range(2, len(game)))))
    assert bracket(played) == ["abcd ef", "abef"]


def test_players_left_over_by_a_game_for_two_wait_for_the_next_round() -> None:
    played = drive(5, lambda _, game: result([0], [1]), sizes=range(2, 3))
    assert bracket(played) == ["ab cd", "ac", "ae"]
    assert letters(played.standings.winners) == "a"


def test_fewer_than_a_game_needs_win_together() -> None:
    played = drive(6, lambda _, game: result([0], [1, 2]), sizes=range(3, 6))
    assert bracket(played) == ["abc def"]
    assert letters(played.standings.winners) == "ad"


# Aborted games


def test_an_aborted_game_beats_nobody() -> None:
    def decide(number: int, game: tuple[int, ...]) -> GameResult:
        return result([], failed=[1], aborted="stopped") if (number, game[0]) == (1, 0) else as_in_f7(number, game)

    played = drive(6, decide)
    assert bracket(played) == ["abcd ef", "acde"]
    assert played.standings == Order((0, 4), (2, 3, 5))


def test_an_aborted_final_has_no_winner() -> None:
    played = drive(3, lambda _, game: result([], aborted="stopped"))
    assert played.standings == Order((), (0, 1, 2))
    assert played.calls[1:] == [("end False", [0, 1, 2])]


# Start and End


def test_a_winner_that_fails_end_is_no_winner_but_a_failure() -> None:
    played = drive(8, failing={("End", 0): DEAD})
    assert played.eliminated == [0]
    assert letters(played.standings.winners) == "h"
    assert letters(played.standings.others) == "debcfg"
    assert played.calls[2] == ("end False", [1, 2, 3, 4, 5, 6])  # it is not told a second time


def test_others_are_listed_with_those_who_got_furthest_first() -> None:
    assert letters(drive(10).standings.others) == "hdeibcfgj"


def test_a_cancelled_tournament_says_end_and_blames_nobody() -> None:
    conversation = farewell("t", [1, 4])
    step = conversation.send(None)
    assert isinstance(step, CallAll)
    assert [(call.seat, call.method, call.request.won) for call in step.calls] == [
        (1, END, False),
        (4, END, False),
    ]
    with pytest.raises(StopIteration):
        conversation.send({1: DEAD, 4: EndResponse()})


# Whatever happens


@st.composite
def judges(draw: st.DrawFn) -> Decide:
    """Any results: ties, failures, games without survivors, aborted games."""
    rng = draw(st.randoms(use_true_random=False))

    def decide(_: int, game: tuple[int, ...]) -> GameResult:
        kinds = [rng.choice(("first", "first", "rest", "failed")) for _ in game]
        groups = {kind: [seat for seat, own in enumerate(kinds) if own == kind] for kind in ("first", "rest", "failed")}
        if rng.random() < 0.15:
            return result([], failed=groups["failed"], aborted="stopped")
        if not groups["first"]:
            return result(groups["rest"], failed=groups["failed"])
        return result(groups["first"], groups["rest"], groups["failed"])

    return decide


@given(count=st.integers(0, 40), decide=judges(), data=st.data(), strict=st.booleans())
def test_every_entrant_ends_in_exactly_one_list(count: int, decide: Decide, data: st.DataObject, strict: bool) -> None:
    calls = st.tuples(st.sampled_from(["Start", "End"]), st.integers(0, 40))
    failing = data.draw(st.dictionaries(calls, st.just(DEAD)))
    in_games: list[int] = []

    def noted(number: int, game: tuple[int, ...]) -> GameResult:
        outcome = decide(number, game)
        in_games.extend(game[misconduct.seat] for misconduct in outcome.misconducts)
        return outcome

    played = drive(count, noted, failing, strict=strict)
    failed = [*played.eliminated, *in_games]
    assert sorted([*played.standings.winners, *played.standings.others, *failed]) == list(range(count))
    assert list(played.standings.winners) == sorted(played.standings.winners)
    for games in played.rounds:
        seated = [seat for game in games for seat in game]
        assert seated == sorted(seated)
    ended = [seat for name, seats in played.calls if name != "start" for seat in seats]
    assert len(ended) == len(set(ended))
    assert not set(ended) & set(in_games)
