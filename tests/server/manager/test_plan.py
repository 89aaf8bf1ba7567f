"""Plans of tournaments: defaults, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from fairplay.server.manager.plan import (
    NamePattern,
    full_tournament_plan,
    game_plan_of,
)
from fairplay.server.net.errors import Refusal
from fairplay.v1.tournament_pb2 import AgeOrder, Tournament, TournamentPlan, WithdrawnGames
from tests.server.manager.harness import plan


def full(made: TournamentPlan) -> TournamentPlan:
    return full_tournament_plan(made, lambda player, game, field: None)


def refusal(made: TournamentPlan) -> Refusal:
    with pytest.raises(Refusal) as caught:
        full(made)
    return caught.value


def test_the_defaults_are_the_games() -> None:
    made = full(TournamentPlan(game="fish"))
    policy = made.sign_up
    assert (policy.min_entrant_count, policy.max_entrant_count, policy.period_count) == (5, 10, 2)
    assert policy.waiting_period == Duration(seconds=30)
    assert policy.age_order == AgeOrder.AGE_ORDER_REVERSE_SIGN_UP
    assert policy.name_pattern == "[a-zA-Z]{1,12}"
    assert made.time_control.decision_limit == Duration(seconds=1)
    assert made.time_control.first_decision_limit == Duration(seconds=3)
    assert made.settings.fish.rows == 5
    assert made.format.knockout.end_failure_is_failure


@pytest.mark.parametrize(
    ("entrant_count", "policy", "bounds"),
    [
        (0, {"max_entrant_count": 3}, (3, 3)),
        (16, {}, (5, 16)),
    ],
)
def test_a_bound_that_is_named_moves_one_that_is_not(
    entrant_count: int, policy: dict[str, Any], bounds: tuple[int, int]
) -> None:
    done = full(plan([f"p{number}" for number in range(entrant_count)], **policy)).sign_up
    assert (done.min_entrant_count, done.max_entrant_count) == bounds


@pytest.mark.parametrize(
    ("policy", "field"),
    [
        ({"min_entrant_count": 6, "max_entrant_count": 5}, "max_entrant_count"),
        ({"age_order": 9}, "age_order"),
        ({"name_pattern": "(a"}, "name_pattern"),
    ],
)
def test_a_sign_up_policy_that_contradicts_itself(policy: dict[str, Any], field: str) -> None:
    caught = refusal(plan("abc", **policy))
    assert caught.reason == "INVALID_SIGN_UP"
    assert caught.field == f"plan.sign_up.{field}"
    assert field in caught.message


def test_tournaments_of_older_servers_go_on_with_their_seeds() -> None:
    made = Tournament(plan=_seeded(plan("ab"), 7))
    assert game_plan_of(made, made.entrants, 1, 1, 0).seed == 3891398249812982


def _seeded(made: TournamentPlan, seed: int) -> TournamentPlan:
    other = TournamentPlan()
    other.CopyFrom(made)
    other.seed = seed
    return other


def test_entrants_must_fit_the_format_where_nobody_else_may_enter() -> None:
    made = plan("abc", max_entrant_count=3)
    made.format.gauntlet.challengers.append("z")
    assert (refusal(made).reason, refusal(made).field) == ("FORMAT_DOES_NOT_FIT", "plan.format")
    made.sign_up.max_entrant_count = 4  # z may sign up
    full(made)


def test_what_failures_cost_is_up_to_the_format() -> None:
    made = plan("abc")
    assert (full(made).failures_allowed, full(made).withdrawn_games) == (0, WithdrawnGames.WITHDRAWN_GAMES_COUNTED)
    made.format.round_robin.SetInParent()
    assert (full(made).failures_allowed, full(made).withdrawn_games) == (3, WithdrawnGames.WITHDRAWN_GAMES_STRUCK)
    made.failures_allowed, made.withdrawn_games = 5, WithdrawnGames.WITHDRAWN_GAMES_COUNTED
    assert (full(made).failures_allowed, full(made).withdrawn_games) == (5, WithdrawnGames.WITHDRAWN_GAMES_COUNTED)


# What a plan asks for, and what it does not say


def test_every_default_is_said() -> None:
    made = full(TournamentPlan(game="fish"))
    expected: list[tuple[Message, set[str]]] = [
        (made.sign_up, {"certificate"}),
        (made.time_control, set()),
        (made.settings.fish, {"board"}),
        (made.format.knockout, set()),
    ]
    for message, left_out in expected:
        optional = {field.name for field in message.DESCRIPTOR.fields if field.has_presence}
        assert optional - {field.name for field, _ in message.ListFields()} == left_out


# --- patterns that names must match ---


@pytest.mark.parametrize("pattern", ["(a*)*b", "((((a*)*)*)*)*", "(.*){10}(.*){10}(.*){10}x"])
def test_no_pattern_takes_long(pattern: str) -> None:
    assert not NamePattern(pattern).matches("a" * 63 + "!")  # re would not come back from some of these
