"""The mutations of Webset: wrong answers that are refused or cost points, in each case that they name."""

from __future__ import annotations

from fairplay.games.conformance import Level, Mutation
from fairplay.games.game import find
from fairplay.games.webset.conformance import CONFORMANCE
from tests.games.trying import (
    broken_in,
    broken_in_some,
    check_breaks_nothing_else,
    check_is_caught,
    check_mutation,
    each_mutation,
    level_of,
)

GAME = find("webset")

NOT_IN_A_REPLY = {
    "webset.act.playing": "players that are out are not asked",
    "webset.act.game-over": "nobody is asked once the game is over",
    "webset.act.rounds": "in rounds nobody is asked to act",
    "webset.call.first": "while a call is open nobody is asked to act; who is outrun has done nothing wrong",
    "webset.take.caller": "only the player that has called is asked for cards",
    "webset.take.outrun": "who is outrun has done nothing wrong",
    "webset.show.open": "while a call is open nobody is asked to act",
}
"""Rules that no reply of the protocol can break by itself, and why."""
NO_REPLY = {"webset.take.window"}
"""Rules that are broken by not replying: an error of players of any game."""


def rule_of(mutation: Mutation) -> str | None:
    """Return the id of the rule that a mutation breaks: the referee names it, even if nobody is eliminated."""
    case = next(case for case in mutation.cases if case != "rules.drawn-states")
    if case == "rules.unusual-settings":
        return broken_in_some(GAME, mutation, case)
    return broken_in(GAME, mutation, case, 1)


def test_each_has_a_name_of_its_own() -> None:
    names = [mutation.name for mutation in CONFORMANCE.mutations]
    assert len(set(names)) == len(names) >= 25


def test_every_rule_that_a_reply_can_break_is_broken() -> None:
    assert {rule_of(mutation) for mutation in CONFORMANCE.mutations} == set(GAME.rules) - set(NOT_IN_A_REPLY) - NO_REPLY


def test_every_such_rule_is_checked_by_a_probe() -> None:
    assert {rule for probe in CONFORMANCE.probes for rule in probe.rules} == set(GAME.rules) - set(NOT_IN_A_REPLY)


def test_every_probe_is_named_by_a_mutation() -> None:
    assert {probe.id for probe in CONFORMANCE.probes} <= {
        case for mutation in CONFORMANCE.mutations for case in mutation.cases
    }


def test_the_rules_that_a_mutation_breaks_are_those_of_the_probes_that_name_it() -> None:
    rules = {probe.id: probe.rules for probe in CONFORMANCE.probes}
    for mutation in CONFORMANCE.mutations:
        for case in set(mutation.cases) & set(rules):
            assert rule_of(mutation) in rules[case], (mutation.name, case)


def test_light_infractions_fail_no_must_case() -> None:
    light = {"misjudges-shadings", "guesses", "picks-nothing", "calls-while-locked", "asks-referee-for-more"}
    for mutation in CONFORMANCE.mutations:
        if mutation.name in light:
            assert {level_of(GAME, case) for case in mutation.cases} == {Level.SHOULD}
            assert broken_in(GAME, mutation, "webset.table.changes", 1) is None


@each_mutation(GAME)
def test_names_method_rule_and_cases(mutation: Mutation) -> None:
    check_mutation(GAME, mutation)


@each_mutation(GAME)
def test_is_caught_by_each_case_that_it_names(mutation: Mutation) -> None:
    check_is_caught(GAME, mutation)


@each_mutation(GAME)
def test_breaks_no_other_rule_in_any_probe(mutation: Mutation) -> None:
    check_breaks_nothing_else(GAME, mutation)
