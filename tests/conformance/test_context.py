"""What cases work with: which games are played, how often, on which connections, and with which history."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import Any

import pytest

from fairplay.conformance.attribution import signature
from fairplay.conformance.budget import Budget
from fairplay.conformance.case_errors import Failure, NotTested
from fairplay.conformance.context import Context, open_context
from fairplay.conformance.positions import Source, position
from fairplay.conformance.rivals import Departure
from fairplay.conformance.trial import CallLimits, Scenario, Trial
from fairplay.games.game import find
from fairplay.games.kit.player_service import DESCRIBE
from fairplay.games.steps import CallKind
from fairplay.v1.misconduct_pb2 import Overrun
from fairplay.v1.player_pb2 import DescribeRequest
from tests.conformance.harness import player, raises
from tests.conformance.opened import Opened, context_of

FISH = find("fish")
SEATINGS = [(0, 2), (1, 2), (0, 3), (1, 3), (2, 3), (0, 4), (1, 4), (2, 4), (3, 4)]


class Watched:
    """Makes players that note the games they are called in, in order, and raise an exception where a test says so."""

    def __init__(self, wrong: Callable[[Any, int], bool] = lambda request, number: False) -> None:
        """`wrong` returns whether a player raises in a decision, by the request and the number of its game, from 1."""
        self.games: list[list[str]] = []
        """Of each player, the ids of its games."""
        self._wrong = wrong

    def __call__(self) -> object:
        games: list[str] = []
        self.games.append(games)

        def note(sound: Any, request: Any) -> Any:
            if request.game_id not in games:
                games.append(request.game_id)
            is_wrong = self._wrong(request, games.index(request.game_id) + 1)
            return raises(sound, request) if is_wrong else sound(request)

        def begin(sound: Any, request: Any) -> Any:
            games.append(request.game_id)
            return sound(request)

        return player(play_as=begin, setup=note, take_turn=note)


@pytest.fixture
def context() -> Iterator[Context]:
    with context_of(Opened(player).as_objects()) as found:
        yield found


def requests(found: Trial) -> list[Any]:
    return [each.method.request.FromString(each.request) for each in found.exchanges]


# Games


def test_games_are_tried_from_the_most_ordinary_seating_on(context: Context) -> None:
    assert list(context.seatings) == SEATINGS
    beginnings = context.beginnings(11, 5)
    assert [each.name for each in beginnings] == [
        f"seat-{seat}-of-{count}" for seat, count in [*SEATINGS, *SEATINGS[:2]]
    ]
    assert {each.situation.turn_count for each in beginnings} == {5}
    assert context.scenario(1, 3).situation.turn_count == 0
    assert context.scenario(1, 3, 4).situation[1:5] == (3, 1, None, 4)


def test_what_is_drawn_depends_on_the_seed_the_game_and_the_words(context: Context) -> None:
    assert context.rng("a", 2).random() == Random("1/fish/a/2").random()


def test_what_several_cases_look_at_is_made_once(context: Context) -> None:
    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return name

    for name in ("a", "b", "a"):
        assert context.once(name, partial(make, name)) == name
    assert made == ["a", "b"]
    assert context.variations is context.variations
    assert [each.name for each in context.variations[:2]] == ["settings-0", "settings-1"]


def test_each_whole_game_is_played_once_and_the_one_in_which_a_rival_is_lost_last() -> None:
    watched = Watched()
    with context_of(Opened(watched).as_started()) as context:
        assert context.whole_games_played() == []
        assert (context.ordinary.scenario.situation.seat, context.ordinary.scenario.situation.player_count) == (0, 2)
        assert context.whole_games_played() == [context.ordinary]
        found = list(context.whole_games())
        assert list(context.whole_games()) == found
        assert context.whole_games_played() == found
        assert context.trials == found
        assert [each.scenario.name for each in found] == [
            *(f"seat-{seat}-of-{count}" for seat, count in SEATINGS),
            "rival-leaves",
        ]
        leaver = found[-1].scenario
        assert (leaver.situation.seat, leaver.situation.player_count) == (0, 4)
        assert leaver.departures == (Departure(3, after=2),)
        assert [len(games) for games in watched.games] == [10], "on one connection"
        assert not context.is_slow


def test_the_end_of_a_game_is_played_from_a_late_state_on(context: Context) -> None:
    scenario = context.ending(3)
    assert (scenario.name, scenario.situation.player_count, scenario.situation.turn_count) == ("end-of-3", 3, 0)
    found = context.play(scenario)
    assert found.misconduct is None
    assert found.decision_count <= 2
    assert context.ending(3) == scenario
    late = position(FISH, Source(context.settings, 3, scenario.seed, "first"), share=1.0)
    assert scenario.situation == late.situation(0)
    assert context.ending(2).seed != scenario.seed
    assert scenario.seed == Random("1/fish/ending/3").getrandbits(32)


def test_a_game_is_played_on_a_fresh_connection_where_that_costs_nothing() -> None:
    for make, player_count in ((Opened.as_objects, 2), (Opened.as_started, 1), (Opened.as_served, 1)):
        watched = Watched()
        with context_of(make(Opened(watched))) as context:
            context.player.begin()
            begun = len(watched.games)
            for _ in range(2):
                context.play(context.scenario(0, 2, 1))
            assert len([games for games in watched.games if games]) == player_count
            assert len(watched.games) - begun == (2 if player_count == 2 else 0)


def test_a_game_that_is_played_alone_gets_a_new_player_which_stays() -> None:
    for make, player_count in ((Opened.as_objects, 3), (Opened.as_started, 2)):
        watched = Watched()
        with context_of(make(Opened(watched))) as context:
            context.play(context.scenario(0, 2, 1))
            assert not context.alone(context.scenario(0, 2, 1)).had_past
            context.play(context.scenario(0, 2, 1))
            assert len([games for games in watched.games if games]) == player_count


def test_each_game_and_each_tournament_has_an_id_of_its_own(context: Context) -> None:
    for make in (context.new_id, context.new_tournament_id):
        ids = {make() for _ in range(9)}
        assert len(ids) == 9
        assert all(ids)


def test_four_games_are_played_in_a_row_and_the_last_is_the_first_one_again() -> None:
    watched = Watched()
    with context_of(Opened(watched).as_objects()) as context:
        found = context.sequence()
        assert context.sequence() is found
        assert [each.scenario.name for each in context.trials] == [
            *("seat-0-of-2", "seat-1-of-2", "seat-0-of-3", "seat-0-of-2")
        ]
        assert context.trials[-1] is found
        assert found.scenario == context.trials[0].scenario
        assert found.scenario.situation.turn_count == 24
        assert [len(games) for games in watched.games if games] == [4]


def test_of_games_in_a_row_the_first_one_that_fails_is_the_last() -> None:
    watched = Watched(lambda request, number: number == 2)
    with context_of(Opened(watched).as_objects()) as context:
        assert context.sequence().misconduct is not None
        assert [each.scenario.name for each in context.trials] == ["seat-0-of-2", "seat-1-of-2"]


def test_games_in_a_row_are_those_that_are_asked_for() -> None:
    scenarios = Context(FISH, None, 1, CallLimits(1, 1, 1), 1).beginnings(3, 2)  # type: ignore[arg-type]
    history = [[scenarios[2]], scenarios[:2]]
    with context_of(Opened(player).as_objects(), history=history) as context:
        assert context.sequence().scenario == scenarios[1]
        assert [each.scenario for each in context.trials] == [scenarios[2], *scenarios[:2]]


@pytest.mark.parametrize(("wrong_game", "wanted"), [(0, 0), (1, 0), (2, 1)])
def test_of_two_games_at_the_same_time_the_one_that_fails_is_shown(wrong_game: int, wanted: int) -> None:
    watched = Watched(lambda request, number: number == wrong_game)
    with context_of(Opened(watched).as_objects()) as context:
        found = context.pair()
        assert context.pair() is found
        assert context.trials[wanted] is found
        assert [each.scenario.name for each in context.trials] == ["seat-0-of-2", "seat-1-of-2"]
        assert {each.scenario.situation.turn_count for each in context.trials} == {24}
        assert (found.misconduct is not None) == bool(wrong_game)
        assert [len(games) for games in watched.games if games] == [2]


def test_a_game_may_have_a_given_id(context: Context) -> None:
    with context.player.fresh() as connection:
        found = context.play_as(context.scenario(0, 2, 2), connection, "cup/r1g1")
        assert {each.game_id for each in requests(found)} == {"cup/r1g1"}
        assert found.entry is not None
        assert found.entry.text == "the game seat-0-of-2, 2 decisions with the id cup/r1g1"
        assert not found.entry.scenarios
        again = context.replay([found.entry])
    assert {each.game_id for each in requests(again[0])} == {"cup/r1g1"}
    assert context.trials == [found]


# History


def test_what_a_player_was_asked_before_is_known_and_can_be_asked_again() -> None:
    watched = Watched()
    with context_of(Opened(watched).as_objects()) as context, context.player.fresh() as connection:
        first = context.play(context.scenario(0, 2, 1), connection)
        assert isinstance(context.ask(DESCRIBE, DescribeRequest(), connection)[0], bytes)
        both = context.play_together(context.beginnings(2, 3), connection)
        assert (first.had_past, first.past) == (False, ())
        assert {each.had_past for each in both} == {True}
        assert both[0].past == both[1].past
        past, entry = both[0].past, both[0].entry
        assert entry is not None
        assert [each.text for each in (*past, entry)] == [
            "the game seat-0-of-2, 1 decision",
            "a call of Describe",
            "the game seat-0-of-2, 3 decisions, at the same time the game seat-1-of-2, 3 decisions",
        ]
        assert [each.call_count for each in past] == [len(first.exchanges), 1]
        assert [len(each.scenarios) for each in (*past, entry)] == [1, 0, 2]
        again = context.replay([*past, entry])
        assert [each.scenario for each in again] == [each.scenario for each in both]
        assert [len(games) for games in watched.games if games] == [3, 3]
        assert context.trials == [first, *both], "what is asked again is no new game"


def test_of_a_player_that_was_called_otherwise_the_past_is_not_known(context: Context) -> None:
    with context.player.fresh() as connection:
        context.play(context.scenario(0, 2, 1), connection)
        context.player.loop.run(connection.ask(DESCRIBE, b"", 5.0))
        found = context.play(context.scenario(0, 2, 1), connection)
        assert (found.entry, found.past, found.had_past) == (None, (), True)
    with context.player.fresh() as connection:
        connection.repeatable = False
        found = context.play(context.scenario(0, 2, 1), connection)
        assert (found.entry, found.past) == (None, ())


def test_the_description_that_is_asked_for_at_first_is_no_past(context: Context) -> None:
    assert context.description.display_name == ""
    connection = context.player.connection()
    assert context.description.display_name == "random"
    assert connection.call_count == 1
    found = context.play(context.scenario(0, 2, 1), connection)
    assert (found.had_past, found.past) == (False, ())
    assert found.entry is not None


def test_games_with_other_requests_are_not_played_again_as_any_other(context: Context) -> None:
    with context.player.fresh() as connection:
        found = context.play(context.scenario(0, 2, 1), connection, lambda request: request.SerializeToString() + b"")
        assert found.entry is not None
        assert not found.entry.scenarios


def test_a_single_call_has_the_limit_of_a_notification_unless_it_is_given_another() -> None:
    def slow(sound: Any, request: Any) -> Any:
        return sound(request)

    with context_of(Opened(lambda: player(describe=slow)).as_objects()) as context:
        context.limits = CallLimits(0.0, 5.0, 5.0)
        connection = context.player.connection()
        assert isinstance(context.ask(DESCRIBE, DescribeRequest(), connection)[0], Overrun)
        assert isinstance(context.ask(DESCRIBE, b"", connection, 5.0)[0], bytes)


# Slow players


@pytest.mark.parametrize("count", [2, 5])
def test_a_slow_player_plays_several_games_at_the_same_time_and_those_that_fail_again_alone(count: int) -> None:
    watched = Watched(lambda request, number: number == 2)
    with context_of(Opened(watched).as_objects()) as context:
        context.player.budget = Budget(0.0001, lambda: 0.0)
        context.whole_game(0, 2)
        assert context.is_slow
        found = list(context.play_each(context.beginnings(count, 1)))
    assert [each.scenario for each in found] == context.beginnings(count, 1)
    assert {each.misconduct for each in found} == {None}
    assert [len(games) for games in watched.games if games][-2:] == [count, 1]


class Patient(Budget):
    """A budget that is too short for any player, of which games never take too much."""

    def __init__(self) -> None:
        super().__init__(1e-9, lambda: 0.0)

    def is_spent_on(self, elapsed_s: float, decision_count: int) -> bool:
        return False


@pytest.mark.parametrize(("wrong", "is_slow"), [(False, True), (True, False)])
def test_a_player_is_slow_whose_decisions_take_long_in_a_game_that_went_well(wrong: bool, is_slow: bool) -> None:
    with context_of(Opened(Watched(lambda request, number: wrong)).as_objects()) as context:
        context.player.budget = Patient()
        assert not context.whole_game(0, 2).is_cut
        assert context.is_slow is is_slow


def test_quick_games_that_fail_are_not_played_again() -> None:
    watched = Watched(lambda request, number: True)
    with context_of(Opened(watched).as_objects()) as context:
        found = list(context.play_each(context.beginnings(2, 1)))
    assert all(each.misconduct is not None for each in found)
    assert [len(games) for games in watched.games if games] == [1, 1]


# Whose case a misconduct is


def found_by(work: Callable[[], object]) -> Failure | NotTested:
    with pytest.raises((Failure, NotTested)) as raised:
        work()
    error = raised.value
    assert isinstance(error, Failure | NotTested)
    return error


def breaks_rules(sound: Any, request: Any) -> Any:
    return type(sound(request))()


def only_of_three(wrong: Any) -> Any:
    return lambda sound, request: wrong(sound, request) if len(request.state.players) == 3 else sound(request)


def test_a_game_without_misconduct_is_passed(context: Context) -> None:
    context.judge(context.ordinary)
    context.judge_condition(context.ordinary)
    context.judge_owned("exceptions.whole-games")


def test_an_exception_in_the_most_ordinary_game_belongs_to_the_case_about_exceptions() -> None:
    with context_of(Opened(lambda: player(take_turn=raises)).as_objects()) as context:
        for found, reason in (
            (context.ordinary, "the game ended early"),
            (context.whole_game(1, 3), "the game ended early, as any does"),
        ):
            error = found_by(lambda found=found: context.judge(found))  # type: ignore[misc]
            assert isinstance(error, NotTested)
            assert error.reason == f"{reason}: see exceptions.whole-games"
        error = found_by(lambda: context.judge_owned("exceptions.whole-games"))
        assert isinstance(error, Failure)
        error = found_by(lambda: context.judge_owned("time.every-answer"))
        assert isinstance(error, NotTested)
        assert error.reason == "the game seat-0-of-2 ended before all was seen: see exceptions.whole-games"


def test_a_broken_rule_belongs_to_the_game_in_which_it_is_broken() -> None:
    with context_of(Opened(lambda: player(take_turn=breaks_rules)).as_objects()) as context:
        for found in (context.ordinary, context.whole_game(1, 3)):
            error = found_by(lambda found=found: context.judge(found))  # type: ignore[misc]
            assert isinstance(error, Failure)
            assert list(error.evidence.rules) == ["fish.action.required"]


def test_an_exception_that_the_most_ordinary_game_does_not_show_belongs_to_the_game_that_does() -> None:
    with context_of(Opened(lambda: player(take_turn=only_of_three(raises))).as_objects()) as context:
        error = found_by(lambda: context.judge(context.whole_game(0, 3)))
        assert isinstance(error, Failure)
        assert "RuntimeError" in error.evidence.sentence


def test_misconduct_that_another_case_owns_is_named_with_the_first_game_that_showed_it() -> None:
    def wrong(sound: Any, request: Any) -> Any:
        count = len(request.state.players)
        return raises(sound, request) if count == 3 else breaks_rules(sound, request) if count == 4 else sound(request)

    with context_of(Opened(lambda: player(take_turn=wrong)).as_objects()) as context:
        error = found_by(lambda: context.judge_owned("time.every-answer"))
        assert isinstance(error, NotTested)
        assert error.reason == "the game seat-0-of-3 ended before all was seen: see exceptions.whole-games"
        error = context.untested("it was not tried", context.whole_game(0, 4))
        assert (error.reason, error.see) == (
            "it was not tried: see rules.whole-game.seat-0-of-4",
            "rules.whole-game.seat-0-of-4",
        )
        assert error.evidence is not None
        assert context.untested("it was not tried", context.whole_game(0, 4), "a.b").see == "a.b"


def test_the_whole_game_of_a_beginning_is_played_by_a_player_without_a_past_where_it_failed_with_one() -> None:
    watched = Watched(lambda request, number: number == 2)
    with context_of(Opened(watched).as_started()) as context:
        beginning = context.play(context.scenario(0, 2, 1))
        failed = context.whole_game(0, 2)
        assert failed.misconduct is not None
        found = context.same_whole_game(beginning)
        assert (found.misconduct, found.had_past) == (None, False)
        assert context.same_whole_game(beginning) is found
        sound = context.whole_game(1, 2)
        assert sound.misconduct is not None, "the second game of the new player"
        assert context.same_whole_game(sound) is not sound


def test_the_whole_game_of_a_beginning_is_not_played_again_where_it_went_well(context: Context) -> None:
    beginning = context.play(context.scenario(1, 2, 1))
    assert context.same_whole_game(beginning) is context.whole_game(1, 2)
    with context_of(Opened(lambda: player(take_turn=raises)).as_objects()) as broken:
        found = broken.play(broken.scenario(1, 2, 1))
        assert broken.same_whole_game(found) is broken.whole_game(1, 2), "it had no past"


def test_a_whole_game_that_went_well_after_other_games_is_not_played_again() -> None:
    with context_of(Opened(player).as_started()) as context:
        beginning = context.play(context.scenario(0, 2, 1))
        whole = context.whole_game(0, 2)
        assert whole.had_past
        assert context.same_whole_game(beginning) is whole


def test_a_case_is_tried_again_that_used_a_process_which_another_one_has_handed_on() -> None:
    with context_of(Opened(player).as_started()) as context:
        for is_tried_again in (False, True):
            with context.player.separate():
                pass
            assert context.try_again(settled=False) is is_tried_again


# The end


def test_a_context_lets_go_of_the_player_whatever_happens() -> None:
    opened, before = Opened(player), threading.enumerate()
    limits = CallLimits(5.0, 5.0, 5.0)
    with pytest.raises(KeyError), open_context(FISH, opened.as_served(), 1, limits, 1) as context:
        context.play(context.scenario(0, 2, 1))
        assert opened.open_count == 1
        raise KeyError
    assert opened.open_count == 0
    assert not [each for each in threading.enumerate() if each not in before and each.name == "fairplay-suite"]


def kinds(trials: Sequence[Trial]) -> set[CallKind]:
    return {exchange.kind for trial in trials for exchange in trial.exchanges}


def test_two_trials_that_went_well_have_no_signature(context: Context) -> None:
    assert signature(context.ordinary) is None
    assert kinds(context.trials) == {CallKind.NOTIFICATION, CallKind.FIRST_DECISION, CallKind.DECISION}


def test_a_scenario_says_which_game_it_is() -> None:
    scenario = Context(FISH, None, 1, CallLimits(1, 1, 1), 1).scenario(0, 2)  # type: ignore[arg-type]

    def text(decisions: int) -> str:
        return cut(scenario, decisions).text

    assert text(0) == "the game seat-0-of-2, to its end"
    assert text(1) == "the game seat-0-of-2, 1 decision"
    assert text(2) == "the game seat-0-of-2, 2 decisions"


def cut(scenario: Scenario, decisions: int) -> Scenario:
    return scenario._replace(situation=scenario.situation._replace(turn_count=decisions))
