"""Which games are played in which rivals leave: how many of them, when, how, and for how long it goes on then."""

from __future__ import annotations

from collections import Counter
from copy import copy
from types import SimpleNamespace
from typing import Any

import pytest

from fairplay.conformance.case import Case
from fairplay.conformance.case_errors import Failure, NotTested
from fairplay.conformance.cases import departures
from fairplay.conformance.rivals import Departure, Fault
from fairplay.conformance.trial import Scenario
from fairplay.games.conformance import find_conformance
from fairplay.games.game import find
from tests.conformance.harness import player, raises
from tests.conformance.opened import Opened, context_of

SEATS = {"fish": range(2, 5), "eriantys": range(2, 5), "q": range(2, 5), "bazaar": range(2, 7)}


def with_seats(seats: range) -> Any:
    """Return a game like Fish for so many players."""
    game: Any = copy(find("fish"))
    game.seats = seats
    return game


def planned(case: Case, game: str = "fish", decisions: int = 20, seats: range | None = None) -> list[Scenario]:
    """Return the games that a case plays where whole games have so many decisions, and so many players."""
    found: list[Scenario] = []

    def play_each(scenarios: Any) -> list[Any]:
        found.extend(scenarios)
        return []

    def whole_game(seat: int, count: int) -> Any:
        assert seat < count
        assert count in context.game.seats
        return SimpleNamespace(decision_count=decisions)

    context: Any
    with context_of(Opened(player).as_objects(), with_seats(seats) if seats else find(game)) as context:
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
    late = afters(planned(departures.rivals_leave_one_by_one, decisions=decisions)[2])
    assert late == [min(decisions, 40) - 2, min(decisions, 40) - 1]


def test_games_of_two_are_as_long_as_games_of_two_are() -> None:
    assert len(planned(departures.only_rival_leaves, seats=range(2, 3))) == 12


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


def test_who_stays_alone_has_the_last_seat_or_any_where_there_are_most_players() -> None:
    scenarios = planned(departures.rivals_leave_one_by_one, "bazaar")
    found = [(each.situation.player_count, each.situation.seat) for each in scenarios[4:]]
    assert found == [(3, 2), (4, 3), (5, 4), *((6, seat) for seat in range(6))]


def test_who_leaves_first_has_any_seat_and_fails_in_any_way() -> None:
    scenarios = [planned(case, "bazaar") for case in departures.cases(find("bazaar"))[1:3]]
    for found in (scenarios[0][:4], scenarios[0][4:], scenarios[1]):
        leaving = [[departure.seat for departure in each.departures] for each in found]
        assert leaving != [sorted(seats) for seats in leaving]
    assert len({each.situation.seat for each in scenarios[0][:4]}) > 1
    ways = [[departure.fault for each in found[:4] for departure in each.departures] for found in scenarios]
    assert all({*found[:3]} == {*Fault} for found in ways)
    assert ways[0][:3] != ways[1][:3]


def test_a_player_is_left_alone_under_the_settings_in_which_it_is_asked_then() -> None:
    eriantys = find("eriantys")
    wanted = [
        eriantys.full_settings(each).SerializeToString()
        for each in find_conformance("eriantys").leaving_settings
        if departures._is_called_alone(eriantys, eriantys.full_settings(each), decisions_only=True)
    ]
    assert len(wanted) == 2
    alone = planned(departures.rivals_leave_one_by_one, "eriantys")[6:]
    assert [each.situation.settings.SerializeToString() for each in alone] == wanted * 5


def test_three_numbers_of_players_have_a_pace_each() -> None:
    scenarios = planned(departures.rivals_leave_one_by_one, seats=range(2, 6))
    assert [afters(each) for each in scenarios[:3]] == [[0, 1], [5, 10, 15], [16, 17, 18, 19]]
    assert len(scenarios[3].departures) == 2


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
    reported = [
        (each.situation.player_count, len(each.departures), afters(each)[0], each.departures[0].in_decision)
        for each in scenarios[:4]
    ]
    assert reported == [(3, 2, 0, False), (3, 2, 10, True), (4, 2, 0, False), (4, 2, 10, True)]
    assert all(len({*afters(each)}) == 1 for each in scenarios)
    assert len(scenarios) == 4 + 3
    for scenario in scenarios[4:]:  # under each of the settings that matter
        assert len(scenario.departures) == scenario.situation.player_count - 1
        assert afters(scenario)[0] == 10
    assert len({each.situation.settings.SerializeToString() for each in scenarios[4:]}) == len(scenarios[4:])


def test_several_leave_at_once_of_the_fewest_and_of_the_most() -> None:
    scenarios = planned(departures.rivals_leave_at_once, "bazaar")
    assert [each.situation.player_count for each in scenarios[:4]] == [3, 3, 6, 6]
    assert [len(each.departures) for each in scenarios[:4]] == [2] * 4


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
    assert {after for each in planned(departures.neighbour_leaves, "bazaar") for after in afters(each)} == {0, 1, 2, 3}


def test_games_are_played_under_the_default_settings_and_those_that_matter_in_turn() -> None:
    default = find("q").full_settings(find("q").settings_type())
    used = [each.situation.settings == default for each in planned(departures.neighbour_leaves, "q")]
    assert used == [True, False] * 6


def test_games_have_cases_as_far_as_they_have_rivals_that_may_leave() -> None:
    several = [departures.rivals_leave_one_by_one, departures.rivals_leave_at_once, departures.neighbour_leaves]
    for game in ("fish", "q", "eriantys", "bazaar"):
        assert departures.cases(find(game)) == [departures.only_rival_leaves, *several]
    assert departures.cases(with_seats(range(2, 3))) == [departures.only_rival_leaves]
    assert departures.cases(with_seats(range(3, 5))) == several
    assert departures.cases(with_seats(range(1, 2))) == []


def test_a_game_that_ends_when_one_of_two_leaves_has_no_case_about_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(departures, "_goes_on_alone", lambda name: name != "fish")
    assert departures.cases(with_seats(range(2, 3))) == []


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


def test_other_settings_may_be_the_reason_as_well_as_who_leaves() -> None:
    with context_of(Opened(lambda: player(setup=raises)).as_objects()) as context:
        scenario = context.scenario(0, 2, 8)._replace(departures=(Departure(1, 2),))
        other = context.game.full_settings(context.game.tournament_settings)
        found = context.play(scenario._replace(situation=scenario.situation._replace(settings=other)))
        with pytest.raises(NotTested, match="the game ended early, as any does"):
            departures._judge(context, found)


@pytest.mark.parametrize("case", departures.cases(find("fish")))
def test_every_game_that_somebody_leaves_is_judged(case: Case) -> None:
    context: Any
    with context_of(Opened(lambda: player(take_turn=_raise_alone)).as_objects()) as context:
        left = context.play(context.scenario(0, 2, 8)._replace(departures=(Departure(1, 2),)))
        sound = context.ordinary
        context.play_each = lambda _: iter([sound, left])
        context.whole_game = lambda seat, count: sound
        with pytest.raises(Failure, match="nobody is here"):
            case.run(context)


def _raise_alone(sound: Any, request: Any) -> Any:
    """Answer as long as there is another player."""
    if len(request.state.players) == 1:
        raise RuntimeError("nobody is here")
    return sound(request)


@pytest.mark.parametrize(
    ("game", "called"),
    [
        ("bazaar", [(True, True), (True, False)]),
        ("eriantys", [(True, False), (True, False), (True, True), (True, True)]),
        ("fish", [(True, True), (True, True), (False, False)]),
        ("q", [(True, True), (True, False)]),
        ("webset", [(True, True)]),
    ],
)
def test_it_depends_on_the_settings_whether_a_player_alone_is_called_and_asked(
    game: str, called: list[tuple[bool, bool]]
) -> None:
    # In Eriantys it is told of the end under its usual settings, and asked for nothing.
    settings = [find(game).settings_type(), *find_conformance(game).leaving_settings]
    assert [
        (
            departures._is_called_alone(find(game), find(game).full_settings(each)),
            departures._is_called_alone(find(game), find(game).full_settings(each), decisions_only=True),
        )
        for each in settings
    ] == called
    assert departures._goes_on_alone(game)
    assert len(departures._asking_alone(game)) == sum(asked for _, asked in called)
