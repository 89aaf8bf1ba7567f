"""`make zoo` tries mutants on cases that it draws, and writes what it has found."""

from __future__ import annotations

import pytest

from fairplay.games.game import registered
from tools.zoo.trying import Task, make_tasks, try_task

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
