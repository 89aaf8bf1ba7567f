"""Games beside each other, call by call, and games that a player comes into after they have begun."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from fairplay.conformance.interleaving import TO_THE_END, Rotation
from fairplay.conformance.joining import Joining, StandIn
from fairplay.conformance.ordinary import OrdinaryGames
from fairplay.conformance.trial import Entry, Trial
from fairplay.conformance.written_games import read_games, write_games
from fairplay.games.game import find, registered
from fairplay.games.steps import Call, CallKind
from fairplay.v1.misconduct_pb2 import Overrun
from tests.conformance.harness import Method, player, trial_of

FISH = find("fish")
FIRST_TURN = 5
"""The decision that is the first turn of a game of two, after the places of four penguins."""


# Calls in turn


def order(shares: Sequence[int], call_counts: Sequence[int]) -> str:
    """Return the games whose calls come one after the other, as letters, if each has so many calls."""
    calls: list[str] = []

    async def play(rotation: Rotation, number: int) -> None:
        for _ in range(call_counts[number]):
            async with rotation.turn(number):
                calls.append("abc"[number])
                await asyncio.sleep(0)
        rotation.leave(number)

    async def play_all() -> None:
        rotation = Rotation(shares)
        await asyncio.gather(*(play(rotation, number) for number in range(len(shares))))

    asyncio.run(play_all())
    return "".join(calls)


@pytest.mark.parametrize(
    ("shares", "call_counts", "wanted"),
    [
        ((1, 1, 1), (3, 3, 3), "abcabcabc"),
        ((1, 1, 1), (1, 3, 2), "abcbcb"),
        ((2, 1), (5, 2), "aabaaba"),
        ((2, TO_THE_END), (5, 4), "aabbbbaaa"),
        ((2, TO_THE_END), (3, 2_000), "aa" + "b" * 2_000 + "a"),
        ((1, 1), (0, 2), "bb"),
    ],
)
def test_games_make_as_many_calls_as_their_shares_in_turn(
    shares: Sequence[int], call_counts: Sequence[int], wanted: str
) -> None:
    assert order(shares, call_counts) == wanted


def test_a_call_that_is_cancelled_while_it_waits_holds_nobody_up() -> None:
    async def play() -> None:
        rotation = Rotation((1, 1))

        async def call(number: int) -> None:
            async with rotation.turn(number):
                pass

        waiting = asyncio.create_task(call(1))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await call(0)
        await call(1)
        await call(0)

    asyncio.run(asyncio.wait_for(play(), timeout=30))


# Games that have begun


def methods(found: Trial) -> list[str]:
    return [each.method.name for each in found.exchanges]


def test_a_player_comes_into_a_game_with_the_call_that_is_wanted() -> None:
    whole = methods(trial_of(FISH, FISH.player("first")))
    assert whole[:4] == ["PlayAs", "PlayWith", "Setup", "Setup"]
    assert methods(trial_of(FISH, FISH.player("first"), joins=Joining("PlayWith", 1)))[:2] == ["PlayWith", "Setup"]
    from_second_turn = methods(trial_of(FISH, FISH.player("first"), joins=Joining("TakeTurn", 2)))
    assert set(from_second_turn) == {"TakeTurn"}
    assert len(from_second_turn) < whole.count("TakeTurn")


def test_one_decision_is_asked_for_again_with_the_same_request() -> None:
    asked: list[bytes] = []

    def take_turn(sound: Method, request: Any) -> Any:
        asked.append(request.SerializeToString())
        return sound(request)

    scenario = OrdinaryGames(FISH, 7).scenario(0, 2)._replace(asked_again=FIRST_TURN + 1)
    found = trial_of(FISH, player(take_turn=take_turn), scenario)
    assert found.misconduct is None
    assert asked[1] == asked[2]
    assert len(asked) == len(set(asked)) + 1 == methods(found).count("TakeTurn") + 1


class Recording:
    """Fish, which records the strategies whose players were asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(FISH, name)

    def player(self, strategy: str) -> Any:
        self.asked.append(strategy)
        return FISH.player(strategy)


def call(method: str, kind: CallKind = CallKind.NOTIFICATION) -> Call:
    [found] = [each for each in FISH.methods if each.name == method]
    return Call(0, found, found.request(), kind)


def test_the_calls_before_a_player_comes_in_are_answered_by_the_first_reference_player_or_another_one() -> None:
    game: Any = Recording()
    stand_in = StandIn(game, Joining("PlayWith", 2))
    assert [stand_in.answers(call(each)) for each in ("PlayAs", "PlayWith", "PlayAs", "PlayWith", "PlayAs")] == [
        *(True, True, True),
        *(False, False),
    ]
    assert stand_in.answer(call("PlayAs")) == FISH.methods[0].response()
    assert not StandIn(game, None).answers(call("PlayAs"))
    StandIn(game, Joining("PlayAs", 1), "random")
    assert game.asked == ["first", "random"]


def test_who_stands_in_is_late_where_the_rivals_are() -> None:
    stand_in = StandIn(FISH, Joining("TakeTurn", 2), late_in="PlayWith")
    assert stand_in.answer(call("PlayWith")) == Overrun()
    assert stand_in.answer(call("PlayAs")) == FISH.methods[0].response()


@pytest.mark.parametrize("name", registered())
def test_any_call_of_any_game_may_be_the_first(name: str) -> None:
    game = find(name)
    for method in game.methods:
        found = trial_of(game, game.player("first"), seat=1, joins=Joining(method.name, 1))
        assert found.misconduct is None
        assert methods(found)[:1] in ([method.name], [])


def test_a_game_that_has_begun_can_be_written_down() -> None:
    games = OrdinaryGames(FISH, 7)
    scenario = games.scenario(1, 2)._replace(joins=Joining("TakeTurn", 3), asked_again=2)
    written = write_games(games, [Entry(lambda _: (), "", [scenario])])
    assert read_games(games, written) == [[scenario]]
