"""Positions of games between reference players, states with large numbers, and games shortly before their end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from fairplay.conformance.case_errors import SuiteError
from fairplay.conformance.endings import Ending, find_endings, list_sources, parse_ending
from fairplay.conformance.enlarging import allows_large_scores, with_revision, with_scores
from fairplay.conformance.methods import tells_the_end
from fairplay.conformance.positions import Source, find_position, position
from fairplay.conformance.reference_players import rival_names
from fairplay.games.game import find, registered
from fairplay.games.steps import CallKind, Method, calls_in
from fairplay.v1.player_pb2 import EndRequest

FISH, BAZAAR, WEBSET = find("fish"), find("bazaar"), find("webset")


def source(game: Any = FISH, count: int = 2, seed: int = 1, strategy: str = "first", **more: Any) -> Source:
    return Source(game.full_settings(game.settings_type()), count, seed, strategy, **more)


# Positions


def test_a_share_of_a_game_says_how_far_it_has_come() -> None:
    states: list[Any] = [position(FISH, source(), share=share).state for share in (0.0, 0.3, 0.6, 1.0)]
    left = [sum(fish > 0 for fish in state.fish) for state in states]
    assert left == sorted(left, reverse=True)
    assert left[0] == left[1] > left[2] > left[3], "the first decisions are places of penguins"
    assert not any(player.places for player in states[0].players)
    assert position(FISH, source(), 0.0) == position(FISH, source(max_decisions=1), 1.0)


def test_the_seat_of_a_position_is_that_of_the_next_decision() -> None:
    first, second = (find_position(FISH, source(max_decisions=count), 1.0) for count in (1, 2))
    assert first is not None
    assert second is not None
    assert first.situation(3)[1:] == (2, first.seat, first.state, 3, "", None, "")
    assert first.situation(3).settings == first.settings


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_game_is_followed_for_so_many_decisions_only(count: int) -> None:
    far = [find_position(FISH, source(max_decisions=most), 1.0) for most in (count, count + 1)]
    assert far[0] is not None
    assert far[1] is not None
    assert far[0].state != far[1].state
    assert find_position(FISH, source(max_decisions=count + 1), share=(count - 1) / count) == far[0]


def test_the_same_source_gives_the_same_position_and_another_one_another() -> None:
    base = position(FISH, source(), 0.5)
    assert position(FISH, source(), 0.5) is base
    settings: Any = FISH.settings_type()
    settings.rows = 6
    others = [
        source(count=3),
        source(strategy="random"),
        source(max_decisions=5),
        source()._replace(settings=FISH.full_settings(settings)),
    ]
    assert all(position(FISH, each, 0.5).state != base.state for each in others)
    assert position(WEBSET, source(WEBSET, seed=2), 0.5) != position(WEBSET, source(WEBSET), 0.5)


def test_a_game_without_a_state_to_go_on_from_is_an_error_of_the_suite() -> None:
    assert find_position(FISH, source(max_decisions=0), 1.0) is None
    with pytest.raises(SuiteError, match="a game with seed 1 has no state to go on from"):
        position(FISH, source(max_decisions=0), 1.0)


class AskingTwice:
    """Fish, in which every decision is asked for twice in the same state."""

    name = "fish-asked-twice"

    def __getattr__(self, name: str) -> Any:
        return getattr(FISH, name)

    def play(self, *arguments: Any) -> Iterator[Any]:
        conversation, answer = FISH.play(*arguments), None
        with suppress(StopIteration):
            while True:
                step = conversation.send(answer)
                answer = yield step
                if any(call.kind is not CallKind.NOTIFICATION for call in calls_in(step)):
                    answer = yield step


def test_a_state_in_which_a_game_asks_for_several_decisions_is_one_position() -> None:
    game: Any = AskingTwice()
    for count in (1, 2, 5):
        found = find_position(game, source(max_decisions=count), 1.0)
        assert found is not None
        assert found == find_position(FISH, source(max_decisions=count), 1.0)


class Closing:
    """Fish, which goes on from no state but some."""

    name = "closing-fish"

    def __init__(self, *states: Any) -> None:
        self._states = states

    def __getattr__(self, name: str) -> Any:
        return getattr(FISH, name)

    def check_state(self, settings: Any, state: Any) -> int:
        if state not in self._states:
            raise ValueError("no game goes on from here")
        return FISH.check_state(settings, state)


def test_where_no_game_can_go_on_the_nearest_state_before_is_the_position() -> None:
    first, second, third = (position(FISH, source(max_decisions=count), 1.0) for count in (1, 2, 3))
    game: Any = Closing(first.state, second.state)
    assert position(game, source(max_decisions=3), 1.0) == second
    assert position(game, source(max_decisions=3), 0.0) == first
    assert third.state not in (first.state, second.state)


@pytest.mark.parametrize("name", registered())
def test_the_last_position_of_any_game_is_before_a_decision(name: str) -> None:
    game = find(name)
    found = position(game, source(game, game.seats.start), 1.0)
    assert 0 <= found.seat < found.player_count == game.seats.start
    assert game.check_state(found.settings, found.state) == found.player_count


def test_reference_players_are_quick_ones() -> None:
    assert list(rival_names(FISH)) == ["first", "random"]

    game: Any = SimpleNamespace(strategies={"slow": None, "slower": None})
    assert rival_names(game) == ["slow"]
    game.strategies["random"] = None
    assert rival_names(game) == ["random"]


# Large numbers


def test_a_state_may_have_another_revision() -> None:
    found = position(BAZAAR, source(BAZAAR), 0.4)
    before: Any = found.state
    revised: Any = with_revision(found, 2**40).state
    assert revised.revision == 2**40
    assert before.revision < 2**40
    revised.revision = before.revision
    assert revised == before


def test_all_have_large_scores_and_no_two_the_same() -> None:
    found = position(BAZAAR, source(BAZAAR, 3), 0.4)
    large = with_scores(BAZAAR, found)
    assert large is not None
    state: Any = large.state
    scores = [player.score for player in state.players]
    assert scores == [scores[0] - number for number in range(3)]
    assert scores[0] > 255
    assert BAZAAR.check_state(large.settings, large.state) == 3
    assert (large.player_count, large.seat) == (found.player_count, found.seat)


def test_where_the_usual_settings_end_a_game_before_one_of_them_is_at_its_largest() -> None:
    for name in registered():
        game = find(name)
        found = position(game, source(game, game.seats.start), 0.4)
        large = with_scores(game, found)
        assert (large is not None) == allows_large_scores(name)
        if large is not None and large.settings != found.settings:
            changed = [
                each.name
                for each in game.settings
                if each.limits is not None
                and getattr(large.settings, each.name, None) != getattr(found.settings, each.name, None)
            ]
            limits = {each.name: each.limits for each in game.settings}
            assert len(changed) == 1
            assert getattr(large.settings, changed[0]) == (limits[changed[0]] or (0, 0))[1]


def test_games_without_scores_have_no_large_ones() -> None:
    assert [name for name in registered() if allows_large_scores(name)] == SCORING
    assert with_scores(WEBSET, position(WEBSET, source(WEBSET), 0.4)) is None


@pytest.mark.parametrize(
    ("name", "score", "others"), [("fish", 4_293_918_720, False), ("q", 999_000_000, False), ("bazaar", 300, True)]
)
def test_large_scores_are_the_largest_that_a_game_allows_of_32_30_17_or_9_bits(
    name: str, score: int, others: bool
) -> None:
    game = find(name)
    found = position(game, source(game, game.seats.start), 0.4)
    large = with_scores(game, found)
    assert large is not None
    state: Any = large.state
    assert [player.score for player in state.players] == [score, score - 1]
    assert (large.settings != found.settings) is others, "whether a setting is at its largest"


class Unwilling:
    """Webset, which goes on from no state, with a setting that is no field; notes the settings that are tried."""

    def __init__(self) -> None:
        self.tried: list[Any] = []
        self.settings = [*WEBSET.settings, SimpleNamespace(name="nothing", limits=(0, 9))]

    def check_state(self, settings: Any, state: Any) -> int:
        self.tried.append(settings)
        raise ValueError("no game goes on from here")


def test_each_number_of_the_settings_is_tried_at_its_largest_for_each_score() -> None:
    game: Any = Unwilling()
    found = position(BAZAAR, source(BAZAAR), 0.4)._replace(settings=WEBSET.full_settings(WEBSET.settings_type()))
    assert with_scores(game, found) is None
    usual, *changed = game.tried[: len(game.tried) // 4]
    assert usual == found.settings
    wanted = []
    for each in WEBSET.settings:
        if each.limits is not None and each.name not in ("window", "lockout", "min_reaction"):  # durations
            largest = WEBSET.full_settings(WEBSET.settings_type())
            setattr(largest, each.name, each.limits[1])
            wanted.append(largest)
    assert changed == wanted
    assert game.tried == [usual, *changed] * 4


SCORING = ["bazaar", "fish", "q"]


# Ends


def reported(**fields: Any) -> Any:
    game = find(fields.pop("game"))
    [method] = [each for each in game.methods if tells_the_end(each)]
    return parse_ending(method.request(**fields))


def test_the_end_of_a_game_is_what_its_last_request_says() -> None:
    over = {"game": "eriantys", "game_id": "x"}
    assert reported(**over, seat=1, winner_seats=[0, 1]) is Ending.WON
    assert reported(**over, seat=1, winner_seats=[0]) is Ending.LOST
    assert reported(**over, seat=1, winner_seats=[]) is Ending.TIED
    assert reported(game="webset", game_id="x", won=True, ranks=[1, 2]) is Ending.WON
    assert reported(game="webset", game_id="x", won=True, ranks=[1, 1]) is Ending.TIED
    assert reported(game="webset", game_id="x", won=True, ranks=[2, 1, 2]) is Ending.WON
    assert reported(game="webset", game_id="x", won=False, ranks=[1, 1, 3]) is Ending.LOST
    assert reported(game="bazaar", game_id="x", won=True) is Ending.WON
    assert reported(game="bazaar", game_id="x", won=False) is Ending.LOST
    shortest: Any = SimpleNamespace(DESCRIPTOR=SimpleNamespace(fields_by_name=["game_id", "won"]), won=False)
    assert parse_ending(shortest) is Ending.LOST
    assert parse_ending(EndRequest(won=True)) is None
    assert parse_ending(FISH.turn.request(game_id="x")) is None
    assert not any(tells_the_end(each) for each in FISH.methods)
    assert not tells_the_end(Method("/x/End", EndRequest, EndRequest))


def test_ends_are_looked_for_in_twelve_games_of_each_number_of_players() -> None:
    found = list(list_sources(FISH, Random(1)))
    assert [count for count, _, _ in found] == [2, 3, 4] * 12
    assert sorted({(count, seed) for count, seed, _ in found}) == [
        (count, seed) for count in (2, 3, 4) for seed in range(12)
    ]
    assert [strategy for _, _, strategy in found] == ["random", "first"] * 18
    seeds = [seed for _, seed, _ in found[::3]]
    assert seeds != sorted(seeds)
    assert list(list_sources(FISH, Random(1))) == found
    assert list(list_sources(FISH, Random(2))) != found


class CountingRandom(Random):
    """Counts the seeds that are drawn."""

    seeds = 0

    def getrandbits(self, k: int, /) -> int:
        self.seeds += k == 32
        return super().getrandbits(k)


class OfTwo:
    """Bazaar, for two players only."""

    seats = range(2, 3)

    def __getattr__(self, name: str) -> Any:
        return getattr(BAZAAR, name)


def test_each_seat_is_tried_with_three_rivals_until_the_end_is_the_wanted_one() -> None:
    rng, game = CountingRandom(1), OfTwo()
    settings = BAZAAR.full_settings(BAZAAR.settings_type())
    assert list(find_endings(game, settings, Ending.TIED, rng)) == []
    assert rng.seeds == 12 * 3


def test_games_with_an_end_have_different_seeds_and_go_on_from_a_rivals_last_decision() -> None:
    settings = BAZAAR.full_settings(BAZAAR.settings_type())
    found = list(islice(find_endings(BAZAAR, settings, Ending.LOST, Random(3)), 8))
    assert found == list(islice(find_endings(BAZAAR, settings, Ending.LOST, Random(3)), 8))
    assert len({each.seed for each in found}) == 8
    numbers = [int(each.name.removeprefix("lost-")) for each in found]
    assert numbers == sorted({*numbers})
    assert not any(each.rivals_wait for each in found)
    assert {each.situation.turn_count for each in found} == {0}
    counts = [each.situation.player_count for each in found]
    assert len({*counts}) > 1
    assert max(each.situation.seat for each in found) > 2, "which seat it is is drawn"
    for each in found:
        assert each.situation.state is not None
