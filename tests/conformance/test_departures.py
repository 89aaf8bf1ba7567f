"""Which games are played in which rivals leave: how many of them, when, how, and for how long it goes on then."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from fairplay.conformance.case import Case
from fairplay.conformance.case_errors import Failure, NotTested
from fairplay.conformance.cases import departures
from fairplay.conformance.rivals import Departure, Fault
from fairplay.conformance.trial import Scenario
from fairplay.games.game import find
from tests.conformance.harness import player, raises
from tests.conformance.opened import Opened, context_of

SEATS = {"fish": range(2, 5), "eriantys": range(2, 5), "q": range(2, 5), "bazaar": range(2, 7)}


def planned(case: Case, game: str = "fish", decisions: int = 20) -> list[Scenario]:
    """Return the games that a case plays where whole games have so many decisions."""
    found: list[Scenario] = []

    def play_each(scenarios: Any) -> list[Any]:
        found.extend(scenarios)
        return []

    def whole_game(seat: int, count: int) -> Any:
        return SimpleNamespace(decision_count=decisions)

    context: Any
    with context_of(Opened(player).as_objects(), find(game)) as context:
        context.play_each, context.whole_game = play_each, whole_game
        case.run(context)
    return found


def afters(scenario: Scenario) -> list[int]:
    return [each.after for each in scenario.departures]


def after_the_last(scenario: Scenario) -> int:
    """Return for how many decisions a game goes on when all who leave have left."""
    return scenario.situation.turn_count - max(afters(scenario))


@pytest.mark.parametrize("game", ["fish", "eriantys", "q", "bazaar"])
def test_rivals_that_leave_are_others_in_a_game_of_so_many(game: str) -> None:
    for case in departures.cases(find(game)):
        scenarios = planned(case, game)
        assert [each.name for each in scenarios] == [
            f"{case.id.removeprefix('rules.')}-{number}" for number in range(len(scenarios))
        ]
        for scenario in scenarios:
            leaving = [each.seat for each in scenario.departures]
            assert scenario.situation.player_count in SEATS[game]
            assert len(leaving) == len(set(leaving))
            assert {*leaving} < {*range(scenario.situation.player_count)}
            assert scenario.situation.seat not in leaving


def test_the_only_rival_leaves_before_the_first_decision_and_at_every_time_after_it() -> None:
    scenarios = planned(departures.only_rival_leaves)
    assert {each.situation.player_count for each in scenarios} == {2}
    at_once = [each for each in scenarios if not each.departures[0].in_decision]
    assert [(each.situation.seat, each.departures) for each in at_once] == [
        (0, (Departure(1, 0, in_decision=False),)),
        (1, (Departure(0, 0, in_decision=False),)),
    ]
    assert [(each.situation.seat, afters(each)) for each in scenarios[-6:]] == [
        (0, [0]),
        (1, [0]),
        (0, [2]),
        (1, [10]),
        (0, [16]),
        (1, [19]),
    ]
    assert Counter(each.departures[0].fault for each in scenarios[-6:]) == dict.fromkeys(Fault, 2)
    assert [after_the_last(each) for each in scenarios] == [24, 8, 8, 24, 8, 8, 24, 24, 24, 24, 24, 24]


@pytest.mark.parametrize(("decisions", "last"), [(39, 37), (40, 38), (41, 38), (100, 38)])
def test_nobody_leaves_later_than_after_forty_decisions(decisions: int, last: int) -> None:
    assert afters(planned(departures.only_rival_leaves, decisions=decisions)[-1]) == [last]


def test_rivals_leave_one_by_one_early_spread_or_late_until_one_is_left() -> None:
    scenarios = planned(departures.rivals_leave_one_by_one)
    assert [afters(each) for each in scenarios[:6]] == [
        *([0, 1], [6, 13], [18, 19]),
        *([0, 1, 2], [5, 10, 15], [17, 18, 19]),
    ]
    assert [each.situation.player_count for each in scenarios] == [3] * 3 + [4] * 3 + [3] * 2 + [4] * 8
    assert [after_the_last(each) for each in scenarios] == [24] * 6 + [8] * 10  # a third where it is asked alone
    assert all(len(each.departures) == each.situation.player_count - 1 for each in scenarios)
    alone = scenarios[6:]
    assert [each.situation.seat for each in alone] == [2, 2, 0, 0, 1, 1, 2, 2, 3, 3]
    assert all(afters(each) == [*range(len(each.departures))] for each in alone)


def test_in_short_games_nobody_leaves_before_they_begin() -> None:
    assert [afters(each) for each in planned(departures.rivals_leave_one_by_one, decisions=1)[:6]] == [
        *([0, 1], [0, 0], [0, 0]),
        *([0, 1, 2], [0, 0, 0], [0, 0, 0]),
    ]


def test_where_there_are_many_numbers_of_players_each_has_a_pace_of_its_own() -> None:
    scenarios = planned(departures.rivals_leave_one_by_one, "bazaar")
    assert [each.situation.player_count for each in scenarios[:4]] == [3, 4, 5, 6]
    assert [afters(each) for each in scenarios[:4]] == [[0, 1], [5, 10, 15], [16, 17, 18, 19], [0, 1, 2, 3, 4]]


def test_several_rivals_leave_at_once_at_the_beginning_or_in_the_middle() -> None:
    scenarios = planned(departures.rivals_leave_at_once)
    told = [
        (each.situation.player_count, len(each.departures), afters(each)[0], each.departures[0].in_decision)
        for each in scenarios[:4]
    ]
    assert told == [(3, 2, 0, False), (3, 2, 10, True), (4, 2, 0, False), (4, 2, 10, True)]
    assert all(len({*afters(each)}) == 1 for each in scenarios)
    for scenario in scenarios[4:]:  # under each of the settings that matter
        assert len(scenario.departures) == scenario.situation.player_count - 1
        assert afters(scenario)[0] == 10
    assert len({each.situation.settings.SerializeToString() for each in scenarios[4:]}) == len(scenarios[4:])


def test_neighbours_leave_on_either_side_of_the_first_the_last_and_another_seat() -> None:
    scenarios = planned(departures.neighbour_leaves)
    found = [(each.situation.player_count, each.situation.seat, each.departures[0].seat) for each in scenarios]
    for count, others in ((3, found[:6]), (4, found[6:])):
        seats = [seat for _, seat, _ in others]
        assert {players for players, _, _ in others} == {count}
        assert (seats[0], seats[2]) == (0, count - 1)
        assert seats[::2] == seats[1::2]
        assert [(other - seat) % count for _, seat, other in others] == [1, count - 1] * 3
    assert {after for each in scenarios for after in afters(each)} <= {0, 1, 2, 3}
    assert {after_the_last(each) for each in scenarios} == {6}


def test_games_are_played_under_the_default_settings_and_those_that_matter_in_turn() -> None:
    default = find("q").full_settings(find("q").settings_type())
    used = [each.situation.settings == default for each in planned(departures.neighbour_leaves, "q")]
    assert used == [True, False] * 6


def test_games_have_cases_as_far_as_they_have_rivals_that_may_leave() -> None:
    several = [departures.rivals_leave_one_by_one, departures.rivals_leave_at_once, departures.neighbour_leaves]
    for game in ("fish", "q", "eriantys", "bazaar"):
        assert departures.cases(find(game)) == [departures.only_rival_leaves, *several]


def test_what_goes_wrong_in_every_game_is_not_due_to_who_leaves() -> None:
    def judge(made: Any) -> None:
        with context_of(Opened(lambda: made).as_objects()) as context:
            scenario = context.scenario(0, 2, 8)._replace(departures=(Departure(1, 2),))
            departures._judge(context, context.play(scenario))

    judge(player())
    with pytest.raises(NotTested, match="it fails in a game that nobody leaves, too"):
        judge(player(setup=raises))
    with pytest.raises(Failure):
        judge(player(take_turn=_raise_alone))


def _raise_alone(sound: Any, request: Any) -> Any:
    """Answer as long as there is another player."""
    if len(request.state.players) == 1:
        raise RuntimeError("nobody is here")
    return sound(request)


def test_a_player_alone_is_asked_for_decisions_where_the_game_goes_on() -> None:
    counts = {name: len(departures._asking_alone(name)) for name in ("fish", "q", "bazaar", "eriantys", "webset")}
    assert counts == {"fish": 2, "q": 1, "bazaar": 1, "eriantys": 2, "webset": 1}
    # In Eriantys it is told of the end under its usual settings, and asked for nothing.
    assert all(map(departures._goes_on_alone, counts))
    usual = find("eriantys").full_settings(find("eriantys").settings_type())
    assert usual not in departures._asking_alone("eriantys")
