"""`make zoo` tries mutants on cases that it draws, and writes what it has found."""

from __future__ import annotations

import pytest

from fairplay.conformance.cases import cases
from fairplay.conformance.zoo.registry import find_mutants
from fairplay.games.game import find, registered
from tools.zoo.trying import Task, choose, make_tasks, try_task

MUTANTS = find_mutants(find("fish"))
NAMED = MUTANTS["raises-in-setup"]


def test_the_cases_of_a_mutant_are_those_that_name_it_and_others_for_each_part() -> None:
    game, ids = find("fish"), [case.id for case in cases(find("fish"))]
    drawn = [set(choose(game, NAMED, part).split(",")) for part in range(300)]
    assert all({*NAMED.cases, "memory.back-to-back", "rules.whole-game.seat-0-of-2"} <= each for each in drawn)
    assert set(choose(game, NAMED, None).split(",")) < drawn[0] != drawn[1]
    assert max(map(len, drawn)) < len(ids)
    assert set(ids) == set.union(*drawn)
    assert all(("rules.drawn-states" in each) == ("time.drawn-states" in each) for each in drawn)


SOME = ("remembers-the-last-game", "leaves-out-zero")
"""Mutants of many kinds; `make zoo` tries all."""


@pytest.mark.parametrize("mutant", SOME)
def test_a_mutant_fails_the_cases_that_name_it_and_no_unrelated_one(mutant: str) -> None:
    outcome = try_task(Task("fish", mutant, part=0))
    assert outcome.row is not None
    assert outcome.row.found.is_exact
    assert not outcome.problems


def test_every_reference_player_is_tried_too_and_programs_in_one_game_only() -> None:
    tasks = make_tasks(registered())
    assert {task.game for task in tasks if task.player.startswith("exec:")} == set(registered())
    assert {task.game for task in tasks if task.mutant and task.starts} == {next(iter(registered()))}
