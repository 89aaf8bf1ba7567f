"""The mutations of Fish: wrong answers, each refused for the rule that it names, in each case that it names."""

from __future__ import annotations

from fairplay.games.conformance import Mutation
from fairplay.games.fish.conformance import CONFORMANCE
from fairplay.games.game import find
from tests.games.trying import check_breaks_nothing_else, check_is_caught, check_mutation, each_mutation

GAME = find("fish")

NOT_IN_A_REPLY = {
    "fish.action.game-over": "nobody is asked once the game is over",
    "fish.place.before-moving": "a reply to Setup holds a place, one to TakeTurn a move: neither can hold the other",
}
"""Rules that no reply of the protocol can break, and why."""


def test_each_has_a_name_of_its_own() -> None:
    names = [mutation.name for mutation in CONFORMANCE.mutations]
    assert len(set(names)) == len(names) >= 25


def test_every_rule_that_a_reply_can_break_is_broken() -> None:
    assert {mutation.rule for mutation in CONFORMANCE.mutations} == set(GAME.rules) - set(NOT_IN_A_REPLY)


def test_every_such_rule_is_checked_by_a_probe() -> None:
    assert {rule for probe in CONFORMANCE.probes for rule in probe.rules} == set(GAME.rules) - set(NOT_IN_A_REPLY)


@each_mutation(GAME)
def test_names_method_rule_and_cases(mutation: Mutation) -> None:
    check_mutation(GAME, mutation)


@each_mutation(GAME)
def test_is_caught_by_each_case_that_it_names(mutation: Mutation) -> None:
    check_is_caught(GAME, mutation)


@each_mutation(GAME)
def test_breaks_no_other_rule_in_any_probe(mutation: Mutation) -> None:
    check_breaks_nothing_else(GAME, mutation)
