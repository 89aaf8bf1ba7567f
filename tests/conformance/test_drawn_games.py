"""Which games are played from drawn states and under unusual settings, and when a player has been asked enough."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest

from fairplay.conformance.attribution import evidence
from fairplay.conformance.case_errors import Failure, NotTested, failure
from fairplay.conformance.cases import seats, settings, states
from fairplay.conformance.trial import Scenario
from fairplay.games.conformance import find_conformance
from fairplay.games.game import find
from tests.conformance.harness import player, raises, trial_of
from tests.conformance.opened import Opened, context_of


class Player:
    """Stands for a player that is asked in games, and takes so many seconds for each."""

    def __init__(self, seconds: float = 0.0, fails: tuple[int, ...] = ()) -> None:
        self.asked: list[Scenario] = []
        self.now = 1_000.0
        self._seconds = seconds
        self._fails = fails
        self._sound, self._broken = (trial_of(find("fish"), player(**each)) for each in ({}, {"setup": raises}))

    def monotonic(self) -> float:
        return self.now

    def play_each(self, scenarios: Iterator[Scenario]) -> Iterator[Any]:
        for scenario in scenarios:
            self.asked.append(scenario)
            self.now += self._seconds
            yield self._broken if len(self.asked) in self._fails else self._sound


@contextmanager
def asking(stand_in: Player, monkeypatch: pytest.MonkeyPatch, examples: int = 10, slow: bool = False) -> Iterator[Any]:
    """Yield a context whose games a stand-in plays."""
    for module in (states, settings):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=stand_in.monotonic))
    context: Any
    with context_of(Opened(player).as_objects()) as context:
        monkeypatch.setattr(type(context), "is_slow", slow)
        context.examples, context.play_each = examples, stand_in.play_each
        yield context


# Drawn states


def test_half_of_the_drawn_states_are_of_games_under_the_usual_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Player()
    with asking(found, monkeypatch) as context:
        states.keeps_the_rules.run(context)
        usual = [each.situation.settings == context.settings for each in found.asked]
        sources = states.sources(context)
        assert len(sources) == 12 + len(context.variations)  # two strategies, in games of 2, 3 and 4 players, twice
        assert [(each.player_count, each.strategy) for each in sources[:6]] == [
            (count, strategy) for count in (2, 3, 4) for strategy in ("first", "random")
        ]
        assert sources[6].settings == context.settings != sources[12].settings
        assert len({each.seed for each in sources}) == len(sources)
        assert {each.max_decisions for each in sources[12:]} == {80}
    assert usual == [True, False] * 5
    assert {each.situation.turn_count for each in found.asked} == {3}
    names = [each.name.split("-") for each in found.asked]
    assert [(word, int(source)) for word, source, _ in names] == [
        ("drawn", number // 2 + 12 * (number % 2)) for number in range(10)
    ]
    assert all(0 <= int(step) <= 40 for *_, step in names)


def test_no_state_is_drawn_twice_before_all_others_are(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Player()
    with asking(found, monkeypatch, examples=2 * 12 * 41 + 2) as context:
        drawn = [each for each in states._draw(context) if each.source < 12]
    assert len(drawn) == len({*drawn}) + 1 == 12 * 41 + 1
    assert {each.step for each in drawn} == {*range(41)}


@pytest.mark.parametrize(
    ("seconds", "slow", "count"), [(0.0, False, 60), (0.0, True, 40), (1.4, False, 43), (1.5, False, 41)]
)
def test_a_slow_player_is_asked_in_fewer_states(
    seconds: float, slow: bool, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Player(seconds)
    with asking(found, monkeypatch, examples=60, slow=slow) as context:
        states.keeps_the_rules.run(context)
    assert len(found.asked) == count


def test_a_simpler_state_is_looked_for_in_smaller_and_earlier_games_for_ten_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = Player(1.0)
    with asking(found, monkeypatch) as context:
        broken = found._broken
        assert states._simplify(context, states.Drawn(1, 2), broken) is broken
        names = [each.name for each in found.asked]
        assert names == [*(f"drawn-0-{step}" for step in (0, 1, 2, 4, 8, 16, 32)), "drawn-1-0", "drawn-1-1"]
        found.asked.clear()
        assert states._simplify(context, states.Drawn(20, 30), broken) is broken
        assert len(found.asked) == 11  # ten seconds, and the one that is longer
        assert {each.situation.settings.SerializeToString() for each in found.asked} == {
            context.settings.SerializeToString()
        }
    found = Player(1.0, fails=(3,))
    with asking(found, monkeypatch) as context:
        assert states._simplify(context, states.Drawn(1, 2), found._broken) is found._broken
        assert len(found.asked) == 3


def test_simpler_states_are_those_of_games_under_the_usual_settings_and_earlier_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = Player()
    with asking(found, monkeypatch) as context:
        states._simplify(context, states.Drawn(20, 3), found._broken)
        usual = [each for each in found.asked if each.situation.settings == context.settings]
        assert len(usual) == 12 * 7
        assert found.asked[: len(usual)] == usual
        assert [each.name for each in found.asked[len(usual) :]] == ["drawn-20-0", "drawn-20-1", "drawn-20-2"]


def test_a_state_stays_as_it_is_where_the_player_is_not_asked_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Player()
    with asking(found, monkeypatch) as context:
        context.play_each = stopping()
        assert states._simplify(context, states.Drawn(1, 2), found._broken) is found._broken


def stopping(*trials: Any) -> Any:
    """Return what plays these games, and then no more."""

    def play_each(scenarios: Iterator[Scenario]) -> Iterator[Any]:
        for each, _ in zip(trials, scenarios, strict=False):
            yield each
        raise NotTested("it is not asked any more")

    return play_each


def test_a_player_that_is_not_asked_any_more_is_judged_by_what_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Player()
    with asking(found, monkeypatch) as context:
        context.play_each = stopping(found._sound, found._broken)
        for case in (states.keeps_the_rules, states.answers_in_time):
            with pytest.raises(NotTested, match=r"^it is not asked any more$"):
                case.run(context)
        context.judge = failing("as it was drawn")
        with pytest.raises(Failure, match="as it was drawn"):
            states.never_raises.run(context)


def failing(sentence: str) -> Any:
    """Return a function that says that the player fails."""

    def fail(*_: Any) -> None:
        raise failure(sentence)

    return fail


@pytest.mark.parametrize("usual", [True, False])
def test_what_shows_under_unusual_settings_is_judged_with_what_else_does(
    usual: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Player(fails=(3,))
    with asking(found, monkeypatch) as context:
        if not usual:
            scenario = found._broken.scenario
            other = scenario.situation._replace(settings=context.variations[1].settings)
            found._broken.scenario = scenario._replace(situation=other)
        context.judge = failing("under the usual settings")
        monkeypatch.setattr(states, "judge_elsewhere", failing("elsewhere"))
        with pytest.raises(Failure, match="^under the usual settings$" if usual else "^elsewhere$"):
            states.never_raises.run(context)


@pytest.mark.parametrize(("usual", "see"), [(True, "exceptions.whole-games"), (False, "exceptions.drawn-states")])
def test_other_misconduct_leaves_a_case_about_drawn_states_untested(
    usual: bool, see: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Player(fails=(3,))
    with asking(found, monkeypatch) as context:
        context.whole_games = lambda: [found._broken if usual else found._sound]
        with pytest.raises(NotTested, match=r"^games from drawn states ended early: see ") as caught:
            states.keeps_the_rules.run(context)
    assert caught.value.see == see


@pytest.mark.parametrize(("game", "count"), [("fish", 12), ("bazaar", 10), ("webset", 14)])
def test_there_is_a_game_at_least_for_each_number_of_players_and_strategy(game: str, count: int) -> None:
    with context_of(Opened(player).as_objects(), find(game)) as context:
        sources = states.sources(context)
        assert states.sources(context) is sources
        assert len(sources) == count + len(context.variations)
        assert {(each.player_count, each.strategy) for each in sources[:count]} == {
            (players, strategy) for players in context.game.seats for strategy in ("first", "random")
        }
        assert 2**31 <= max(each.seed for each in sources) < 2**32


# Unusual settings


@pytest.mark.parametrize(("seconds", "slow", "last"), [(0.0, False, 16), (0.0, True, 4), (1.7, False, 4)])
def test_a_slow_player_decides_less_often_under_each_of_the_settings(
    seconds: float, slow: bool, last: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Player(seconds)
    with asking(found, monkeypatch, slow=slow) as context:
        settings.keeps_the_rules.run(context)
        assert [each.name for each in found.asked] == [each.name for each in context.variations]
        for scenario, variation in zip(found.asked, context.variations, strict=True):
            assert scenario.situation.settings == variation.settings
            assert 0 <= scenario.situation.seat < scenario.situation.player_count == variation.player_count
    turns = [each.situation.turn_count for each in found.asked]
    assert (turns[0], turns[-1]) == (4 if slow else 16, last)
    if seconds:
        assert turns == [16] * 36 + [4] * (len(turns) - 36)  # for a minute


def test_after_three_failures_no_more_games_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Player(fails=(2, 5, 6, 7))
    with asking(found, monkeypatch) as context:
        context.whole_games = list
        for case, expected in ((settings.keeps_the_rules, NotTested), (settings.never_raises, Failure)):
            with pytest.raises((NotTested, Failure)) as caught:
                case.run(context)
            assert caught.type is expected
    assert len(found.asked) == 6


def wrong_under_the_settings(found: Any) -> Player:
    """Return a stand-in for a player the first of whose games is this trial."""
    stand_in = Player(fails=(1,))
    stand_in._broken = found
    return stand_in


@cache
def broken(how: str) -> Any:
    """Return a game whose player "raises" an exception, or "breaks" a rule."""
    wrong = {"raises": raises, "breaks": lambda sound, request: type(sound(request))(place=2**31)}[how]
    return trial_of(find("fish"), player(setup=wrong))


@pytest.mark.parametrize(
    ("case", "error", "said"),
    [
        (settings.keeps_the_rules, NotTested, "games ended before all was seen: see exceptions.unusual-settings"),
        (settings.never_raises, Failure, "Setup failed: status 2: RuntimeError: this player is broken"),
        (settings.answers_in_time, NotTested, "games ended before all was seen: see exceptions.unusual-settings"),
    ],
)
def test_what_goes_wrong_under_unusual_settings_fails_the_case_about_its_kind(
    case: Any, error: type[Exception], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with asking(wrong_under_the_settings(broken("raises")), monkeypatch) as context:
        context.whole_games, context.confirm = list, fail
        monkeypatch.setattr(type(context), "ordinary", trial_of(find("fish"), player()))
        with pytest.raises(error) as caught:
            case.run(context)
    assert str(caught.value) == said


def fail(found: Any) -> None:
    raise Failure(evidence(find("fish"), found))


@pytest.mark.parametrize("case", settings.CASES.values())
def test_what_goes_wrong_under_the_usual_settings_too_is_not_due_to_others(
    case: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with asking(wrong_under_the_settings(broken("raises")), monkeypatch) as context:
        context.whole_games = lambda: [trial_of(find("fish"), player()), broken("raises")]
        with pytest.raises(
            NotTested, match=r"^games ended before all was seen: see exceptions\.whole-games$"
        ) as caught:
            case.run(context)
    assert caught.value.evidence is not None


def test_a_rule_that_is_broken_under_the_usual_settings_is_another_one_under_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with asking(wrong_under_the_settings(broken("breaks")), monkeypatch) as context:
        context.whole_games, context.confirm = (lambda: [broken("breaks")]), fail
        assert not settings.is_usual(context, broken("breaks"))
        with pytest.raises(Failure, match="broke a rule"):
            settings.keeps_the_rules.run(context)
        with pytest.raises(NotTested, match=r"see rules\.unusual-settings"):
            settings.never_raises.run(context)


@pytest.mark.parametrize(
    ("found", "under_others", "usual", "said"),
    [
        ("raises", "raises", [], "games under unusual settings fail in the same way: see exceptions.unusual-settings"),
        ("raises", "raises", ["raises"], "judged"),
        ("raises", "breaks", [], "judged"),
        ("breaks", "breaks", [], "judged"),
    ],
)
def test_a_call_that_fails_under_other_settings_as_well_belongs_to_the_case_about_these(
    found: str, under_others: str, usual: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judge(judged: Any) -> None:
        assert judged is broken(found)
        raise NotTested("judged")

    with asking(wrong_under_the_settings(broken(under_others)), monkeypatch) as context:
        context.whole_games, context.judge = (lambda: [*map(broken, usual)]), judge
        with pytest.raises(NotTested) as caught:
            settings.judge_elsewhere(context, broken(found))
    assert caught.value.reason == said


def test_a_long_game_is_played_from_the_situation_of_its_game_and_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[Scenario] = []
    judged: list[Any] = []
    sound = trial_of(find("fish"), player())

    def play(scenario: Scenario) -> Any:
        played.append(scenario)
        return sound

    with asking(Player(), monkeypatch) as context:
        context.play, context.judge = play, judged.append
        settings.long_game.run(context)
    assert [(each.name, each.situation) for each in played] == [("long-game", find_conformance("fish").long_game)]
    assert judged == [sound]
    assert 2**16 < played[0].seed < 2**32
    assert settings.cases(find("fish")) == (*settings.CASES.values(), settings.long_game)
    assert settings.cases(find("webset")) == (*settings.CASES.values(),)


# One seat in two games


def test_games_of_one_seat_go_on_from_different_states(monkeypatch: pytest.MonkeyPatch) -> None:
    with asking(Player(), monkeypatch) as context:
        for number, found in ((16, 16), (7, 6), (6, 6)):
            scenarios = seats._scenarios(context, number, 2)
            assert len(scenarios) == found
            assert {(each.situation.seat, each.situation.turn_count) for each in scenarios} == {(0, 2)}
            assert {each.situation.settings.SerializeToString() for each in scenarios} == {
                context.settings.SerializeToString()
            }
            assert all(each.situation != other.situation for each in scenarios for other in scenarios if each != other)


def test_games_of_one_seat_are_looked_for_all_along_the_games_under_the_usual_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[Any, float]] = []

    def find_position(game: Any, source: Any, share: float) -> None:
        asked.append((source, share))

    monkeypatch.setattr(seats, "find_position", find_position)
    with asking(Player(), monkeypatch) as context:
        *_, usual, unusual = states.sources(context)[:13]
        assert usual.settings != unusual.settings
        monkeypatch.setattr(seats, "sources", lambda _: [unusual, usual])
        assert seats._scenarios(context, 9, 1) == []
    assert all(source == usual for source, _ in asked)
    shares = [share for _, share in asked]
    assert sorted(shares) == [step / 40 for step in range(41)] != shares


@pytest.mark.parametrize(("slow", "games", "decisions"), [(False, 16, 8), (True, 6, 2)])
def test_games_of_one_seat_are_played_one_after_the_other_and_in_pairs(
    slow: bool, games: int, decisions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone: list[Scenario] = []
    pairs: list[tuple[Scenario, ...]] = []
    sound = Player()

    def play(scenario: Scenario, connection: Any) -> Any:
        alone.append(scenario)
        return sound._sound

    def play_in_turn(context: Any, pair: tuple[Scenario, ...], connection: Any) -> list[Any]:
        pairs.append(pair)
        return [sound._sound, sound._sound]

    monkeypatch.setattr(seats, "play_in_turn", play_in_turn)
    with asking(sound, monkeypatch, slow=slow) as context:
        context.play = play
        seats.same_seat.run(context)
    assert (len(alone), len(pairs)) == (games, games // 2)
    assert {each.situation.turn_count for each in alone} == {1}
    assert {each.situation.turn_count for pair in pairs for each in pair} == {decisions}
    assert all(first.situation != second.situation for first, second in pairs)
