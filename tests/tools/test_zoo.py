"""`make zoo` writes the page from what it has found, and says when the page is outdated."""

from __future__ import annotations

from fairplay.conformance.zoo.findings import Finding
from fairplay.conformance.zoo.registry import find_mutants
from fairplay.games.game import find
from tools.zoo.page import PAGE, is_outdated, listed, page
from tools.zoo.trying import Row, make_tasks, try_task

MUTANTS = find_mutants(find("fish"))
NAMED = MUTANTS["raises-in-setup"]


def row(name: str, *others: str) -> Row:
    return Row("fish", name, Finding([*MUTANTS[name].cases, *others], [], [], [], []))


def test_the_page_lists_each_mutant_with_the_cases_that_name_it() -> None:
    text = page([row("raises-in-setup", "memory.back-to-back"), row("stays")])
    assert listed(text, "Fish") == {name: tuple(MUTANTS[name].cases) for name in ("raises-in-setup", "stays")}
    assert "`memory.back-to-back`" in text


def test_many_other_cases_of_a_family_are_counted() -> None:
    others = [f"fish.moves.case-{number}" for number in range(4)]
    assert "`fish.moves.*` (4)" in page([row("raises-in-setup", *others)])


def test_a_page_is_outdated_if_it_has_other_mutants_but_not_if_they_fail_other_cases_as_well() -> None:
    text = page([row("raises-in-setup")])
    assert not is_outdated(text, [row("raises-in-setup", "memory.back-to-back")])
    assert is_outdated(text, [row("raises-in-setup"), row("stays")])
    assert is_outdated(text, [row("stays")])


def test_the_page_of_the_tree_is_read_as_it_was_written() -> None:
    assert NAMED.cases == listed(PAGE.read_text("utf-8"), "Fish")[NAMED.name]


def test_a_mutant_is_judged_with_the_whole_suite() -> None:
    outcome = try_task(next(task for task in make_tasks(["fish"]) if task.mutant == NAMED.name))
    assert outcome.row is not None
    assert outcome.row.found.is_exact
    assert not outcome.problems
    assert outcome.processor_s > 0


def test_every_reference_player_is_tried_too_and_programs_in_the_first_game_only() -> None:
    tasks = make_tasks(["fish", "q"])
    assert {task.game for task in tasks if task.player.startswith("exec:")} == {"fish", "q"}
    assert {task.game for task in tasks if task.mutant and task.starts} == {"fish"}
