"""Reference players of Webset: what they do with a table, how they are named, and how they wait."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from fairplay.games.webset import rules
from fairplay.games.webset.game import GAME
from fairplay.games.webset.players import STRATEGIES, Solver
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules import takes
from fairplay.games.webset.rules.cards import EMPTY
from fairplay.games.webset.rules.state import State, Word, solutions
from fairplay.player.handlers import Handlers
from fairplay.webset.v1.webset_player_pb2 import STATUS_NOT_NOW, ActRequest, PickCardsRequest
from tests.games.webset.tables import END_SHOW, MORE, SHOW, deck_with, done, fresh, without_sets

ALL = list(STRATEGIES)


def to_act(state: State, seat: int = 0, **changes: Any) -> ActRequest:
    return ActRequest(
        game_id="g",
        seat=seat,
        state=codec.build_public(state),
        actions=codec.build_actions(rules.possible(state, seat)),
        **changes,
    )


def to_pick(state: State, **changes: Any) -> PickCardsRequest:
    return PickCardsRequest(game_id="g", state=codec.build_public(state), **changes)


def acted(spec: str, request: ActRequest) -> Word | None:
    return codec.read_act(GAME.player(spec).act(request))


def picked(spec: str, request: PickCardsRequest) -> tuple[int, ...]:
    return codec.read_cards(GAME.player(spec).pick_cards(request))


NOWHERE = fresh(deck=deck_with(without_sets(12)), profile="seed")


@pytest.mark.parametrize("spec", ["first", "solver"])
def test_a_sensible_player_calls_where_there_is_a_set_and_asks_for_cards_where_there_is_none(spec: str) -> None:
    assert acted(spec, to_act(fresh())) is Word.CALL
    assert acted(spec, to_act(fresh(profile="seed"))) is Word.CALL
    assert acted(spec, to_act(NOWHERE)) is MORE
    assert acted(spec, to_act(done(fresh(profile="seed"), (0, SHOW)))) is END_SHOW


@pytest.mark.parametrize("spec", ALL)
def test_nobody_repeats_an_act_that_was_refused(spec: str) -> None:
    assert acted(spec, to_act(NOWHERE, status=STATUS_NOT_NOW)) is None


@pytest.mark.parametrize("spec", ALL)
def test_every_strategy_picks_a_set_and_passes_where_there_is_none(spec: str) -> None:
    cards = picked(spec, to_pick(fresh()))
    assert takes.take_violation(fresh(), cards) is None
    assert picked(spec, to_pick(NOWHERE, may_skip=True)) == ()
    assert len(picked(spec, to_pick(NOWHERE))) == 3


def test_the_solver_makes_as_many_mistakes_as_it_is_told() -> None:
    states = [fresh()._replace(revision=number) for number in range(300)]
    wrong = sum(
        takes.take_violation(fresh(), picked("solver:error=0.3", to_pick(state))) is not None for state in states
    )
    assert 60 < wrong < 120
    assert all(takes.take_violation(fresh(), picked("solver", to_pick(state))) is None for state in states[:50])
    assert all(picked("solver:error=1", to_pick(state)) for state in states[:50])


def test_the_solver_makes_no_mistake_where_all_cards_are_one_set() -> None:
    state = fresh()
    one_set = next(iter(solutions(state)))
    request = to_pick(state)
    for slot, card in enumerate(request.state.slots):
        if card not in one_set:
            request.state.slots[slot] = EMPTY
    assert set(picked("solver:error=1", request)) == set(one_set)


@pytest.mark.parametrize("error", [0, 1])
def test_a_solver_that_picks_singly_names_one_card_more_each_time(error: int) -> None:
    state = done(fresh(selection="single"), (0, Word.CALL))
    for count in (1, 2, 3):
        chosen = picked(f"solver:singly=1,error={error}", to_pick(state, one_by_one=True))
        assert len(chosen) == count
        assert set(state.picked) <= set(chosen) or error
        state = takes.select(state, 0, chosen) or state
    assert len(picked("solver:singly=1", to_pick(state))) == 3, "where cards are picked three at once"


def test_a_solver_that_misses_all_sets_neither_calls_nor_picks_in_rounds() -> None:
    state = fresh()
    assert solutions(state)
    assert not picked("solver:misses=1", to_pick(state, may_skip=True))
    assert acted("solver:misses=1", to_act(state)) is not Word.CALL
    assert acted("solver:misses=0", to_act(state)) is Word.CALL


def test_reaction_times_are_spread_around_their_mean() -> None:
    chosen = Solver(reaction=2.5, spread=0.2, error=0.0, misses=0.0, singly=0.0, wavers=0.0, shows=0.0, seed=0)
    times = [chosen.pause_s(to_act(fresh()._replace(revision=number))) for number in range(200)]
    assert 2.3 < sum(times) / 200 < 2.7
    assert 0.5 < min(times) < 2.2
    assert 2.8 < max(times) < 4.5


def test_players_are_quick_and_wait_in_the_loop_where_they_wait() -> None:
    assert all(GAME.player(spec).quick for spec in ALL)
    waiting = GAME.player("solver:reaction=2.5,error=0.1")
    handlers = Handlers(waiting)
    paths = {path.rpartition("/")[2]: path for path in handlers.paths}
    quick = {name: handlers.quick(paths[name]) for name in ("Deal", "Act", "PickCards", "Report", "GameOver")}
    assert quick == {"Deal": True, "Act": False, "PickCards": False, "Report": True, "GameOver": True}


async def test_a_player_that_waits_answers_after_its_time_and_ends_the_wait_when_it_is_cancelled() -> None:
    player = GAME.player("solver:reaction=0.03,spread=0")
    began = time.monotonic()
    assert codec.read_act(await player.act(to_act(fresh()))) is Word.CALL
    assert time.monotonic() - began >= 0.029
    assert codec.read_cards(await player.pick_cards(to_pick(fresh(), may_skip=True)))
    assert time.monotonic() - began >= 0.058
    slow = GAME.player("solver:reaction=60,spread=0")
    task = asyncio.create_task(slow.act(to_act(fresh())))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert codec.read_cards(await slow.pick_cards(to_pick(fresh())))  # its cards were found before it called
