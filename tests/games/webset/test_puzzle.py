"""The puzzle: everybody names all sets of one table, once."""

from __future__ import annotations

from typing import Any

import pytest

from fairplay.games.webset import rules
from fairplay.games.webset.game import GAME
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules import RULES, invariants, takes
from fairplay.games.webset.rules.cards import parse_card
from fairplay.games.webset.rules.state import Phase, State, solutions
from fairplay.v1.misconduct_pb2 import CallError
from fairplay.webset.v1 import webset_player_pb2 as messages
from tests.games.webset.tables import Play, cards, fresh
from tests.games.webset.test_board import Sitting

FIRST, SECOND, THIRD = "0000 0001 0002", "0010 0011 0012", "0100 0101 0102"
WRONG = "0000 0001 0010"


def puzzle(seats: int = 3, **given: Any) -> State:
    return fresh(seats, rounds="puzzle", **given)


def numbers(text: str) -> tuple[int, ...]:
    return tuple(parse_card(each) for each in text.split())


# --- the rules ---


@pytest.mark.parametrize(
    ("named", "points", "found", "wrong", "rule"),
    [
        ("", 0, 0, 0, None),
        (f"{FIRST} {WRONG} {THIRD}", 1, 2, 1, "webset.take.set"),
        (f"{FIRST} 0002 0000 0001", 0, 1, 1, "webset.take.once"),
        (f"{FIRST} 0010 0011", 0, 1, 1, "webset.take.three"),
        ("2220 2221 2222", -1, 0, 1, "webset.take.on-table"),
    ],
)
def test_right_sets_count_and_wrong_ones_cost(
    named: str, points: int, found: int, wrong: int, rule: str | None
) -> None:
    state = puzzle()
    solved = takes.judge_named(state, numbers(named))
    after = takes.solve(state, [(1, numbers(named))])
    player = after.players[1]
    assert (player.points, player.sets, player.penalties, solved.rule) == (points, found, wrong, rule)
    assert (after.phase, after.table, invariants.invariant(after)) == (Phase.OVER, state.table, None)


def test_wrong_sets_cost_what_the_settings_say_down_to_the_floor() -> None:
    named = numbers(f"{FIRST} {WRONG} {WRONG}")
    assert takes.solve(puzzle(penalty_bad=3), [(0, named)]).players[0].points == -5
    assert takes.solve(puzzle(penalty_bad=3, score_floor=-2), [(0, named)]).players[0].points == -2
    free = takes.solve(puzzle(profile="seed"), [(0, named)])
    assert (free.players[0].points, rules.ranks(free)) == (1, (1, 2, 2))


def test_what_is_named_counts_once_and_only_of_players_in_a_puzzle_that_is_open() -> None:
    state = rules.eliminate(puzzle(), 1)
    after = takes.solve(state, [(0, numbers(FIRST)), (1, numbers(FIRST))])
    assert [player.points for player in after.players] == [1, 0, 0]
    assert (after.act_count, after.revision) == (state.act_count + 1, state.revision + 1)
    assert takes.solve(after, [(2, numbers(FIRST))]).players == after.players


def test_of_an_endless_answer_the_rest_is_not_looked_at() -> None:
    solved = takes.judge_named(puzzle(), (0, 1, 2) * 3000)
    assert (len(solved.found), len(solved.broken)) == (1, 2925 - 1)
    assert len(codec.read_sets(messages.PickCardsResponse(cards=[0] * 10_000))) == 3 * 2925


def test_who_fails_is_out_and_the_others_go_on() -> None:
    play = Play(puzzle())
    play.answer_round({0: CallError(), 1: cards(FIRST), 2: cards("")})
    assert ([each.seat for each in play.out], play.ranking()) == ([0], [[(1, 1)], [(2, 0)]])


# --- the referee ---


# --- players ---


def answer(spec: str, state: State, **more: Any) -> messages.PickCardsResponse:
    request = messages.PickCardsRequest(seat=0, state=codec.build_public(state), all_sets=True, may_skip=True, **more)
    reply = GAME.player(spec).pick_cards(request)
    assert isinstance(reply, messages.PickCardsResponse)
    return reply


def test_reference_players_name_many_sets() -> None:
    state = puzzle()
    for spec in ("first", "solver"):
        assert takes.judge_named(state, tuple(answer(spec, state).cards)).found == list(solutions(state))
    counts = set()
    for revision in range(20):
        solved = takes.judge_named(state, tuple(answer("random", state._replace(revision=revision)).cards))
        assert not solved.broken
        counts.add(len(solved.found))
    assert len(counts) > 3
    assert takes.judge_named(state, tuple(answer("solver:error=1", state).cards)).found == []


# --- people ---


async def solving(sitting: Sitting, state: State) -> Any:
    await sitting.deal(state)
    task = sitting.pick(state, all_sets=True, may_skip=True)
    await sitting.until(lambda view: bool(view.keys))
    return task


async def test_a_person_names_sets_takes_cards_back_and_ends_it() -> None:
    sitting = Sitting()
    task = await solving(sitting, puzzle())
    assert sitting.keys == ["letter", "enter", "backspace"]
    assert "All sets, 0 named" in sitting.status
    assert sitting.press(*"qazwsx") == [True] * 6
    assert "2 named" in sitting.status
    sitting.press("backspace")
    assert "1 named" in sitting.status
    sitting.press("x", *"qaz")  # the first set again
    assert sitting.reported[-1] == RULES["webset.take.once"]
    sitting.press("backspace", "backspace", "enter")
    reply = await task
    assert takes.judge_named(puzzle(), tuple(reply.cards)) == ([numbers(FIRST), numbers(SECOND)], [])
    assert "You name set 1: " in sitting.reported[0]


async def test_what_a_person_has_named_counts_when_the_time_is_over() -> None:
    sitting = Sitting(limit_s=0.4)
    await sitting.deal(puzzle())
    task = sitting.pick(puzzle(), all_sets=True, may_skip=True)
    await sitting.until(lambda view: bool(view.keys))
    sitting.press(*"qazw")
    assert list((await task).cards) == list(numbers(FIRST))
