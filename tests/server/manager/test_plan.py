"""Plans of tournaments: defaults, and what is refused."""

from __future__ import annotations

from functools import reduce
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from fairplay.server.manager.plan import (
    NamePattern,
    checked_tournament_id,
    full_tournament_plan,
    game_plan_of,
    new_secret,
    seated,
)
from fairplay.server.net.errors import Refusal
from fairplay.v1.game_pb2 import Player
from fairplay.v1.tournament_pb2 import AgeOrder, SignUpPolicy, Tournament, TournamentPlan, WithdrawnGames
from tests.server.manager.harness import plan

ANN, BOB = Player(name="Ann", link="bot:first"), Player(name="Bob", link="bot:first")


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


def test_what_the_plan_says_stays() -> None:
    made = TournamentPlan(game="fish", seed=3, sign_up=SignUpPolicy(waiting_period=Duration(nanos=500_000_000)))
    made.format.knockout.end_failure_is_failure = False
    made.settings.fish.rows = 6
    made.time_control.decision_limit.nanos = 250_000_000
    done = full(made)
    assert done.sign_up.waiting_period == Duration(nanos=500_000_000)
    assert done.time_control.decision_limit == Duration(nanos=250_000_000)
    assert done.time_control.notification_limit == Duration(nanos=250_000_000)
    assert not done.format.knockout.end_failure_is_failure
    assert done.format.knockout.HasField("end_failure_is_failure")
    assert (done.settings.fish.rows, done.settings.fish.columns, done.seed) == (6, 5, 3)


def test_a_full_plan_is_its_own_full_plan() -> None:
    made = full(plan("abc"))
    assert full(made) == made


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


EXAMINATION = "sign_up.certificate.examination.time_limit.seconds"


@pytest.mark.parametrize(
    ("path", "allowed", "refused", "reason"),
    [
        ("title", "t" * 100, "t" * 101, "TEXT_INVALID"),
        ("title", "one line", "two\nlines", "TEXT_INVALID"),
        ("seed", 2**53 - 1, 2**53, "INVALID_SEED"),
        ("concurrent_game_limit", 1_000, 1_001, "INVALID_FORMAT"),
        ("withdrawn_games", WithdrawnGames.WITHDRAWN_GAMES_COUNTED, 9, "INVALID_FORMAT"),
        ("sign_up.max_entrant_count", 10_000, 10_001, "INVALID_SIGN_UP"),
        ("sign_up.waiting_period.seconds", 0, -1, "INVALID_SIGN_UP"),
        ("sign_up.waiting_period.seconds", 604_800, 604_801, "INVALID_SIGN_UP"),
        ("sign_up.period_count", 1_000, 1_001, "INVALID_SIGN_UP"),
        ("sign_up.certificate.max_age.seconds", 0, -1, "INVALID_SIGN_UP"),
        (EXAMINATION, 10, 9, "INVALID_SIGN_UP"),
        (EXAMINATION, 3_600, 3_601, "INVALID_SIGN_UP"),
    ],
)
def test_what_a_plan_says_has_limits(path: str, allowed: Any, refused: Any, reason: str) -> None:
    def made(value: Any) -> TournamentPlan:
        whole = TournamentPlan(game="fish")
        *parts, name = path.split(".")
        setattr(reduce(getattr, parts, whole), name, value)
        return whole

    assert reduce(getattr, path.split("."), full(made(allowed))) == allowed
    caught = refusal(made(refused))
    assert (caught.reason, caught.field) == (reason, f"plan.{path.removesuffix('.seconds')}")


def with_settings(**settings: int) -> TournamentPlan:
    made = plan("abc")
    for name, value in settings.items():
        setattr(made.settings.fish, name, value)
    return made


@pytest.mark.parametrize(
    ("made", "reason", "field"),
    [
        (TournamentPlan(game="chess"), "UNKNOWN_GAME", "plan.game"),
        (with_settings(rows=99), "INVALID_SETTINGS", "plan.settings"),
        (plan(["a", "a"]), "INVALID_PLAYERS", "plan.entrants[1]"),
        (plan(["a", "b!"]), "NAME_INVALID", "plan.entrants[1].name"),
        (plan("ab", limit_s=7200), "INVALID_TIME_CONTROL", "plan.time_control.decision_limit"),
    ],
)
def test_a_plan_that_cannot_be_played(made: TournamentPlan, reason: str, field: str) -> None:
    caught = refusal(made)
    assert (caught.reason, caught.field) == (reason, field)


def test_a_board_must_fit_every_game_that_may_come_up() -> None:
    made = with_settings(rows=2, columns=4)  # two players need 8 tiles, three need 9
    assert "3 players" in refusal(made).message
    made.sign_up.max_entrant_count = 2
    del made.entrants[2:]
    full(made)


@pytest.mark.parametrize("text", ["", "a/b", "a" * 65, ".."])
def test_ids_that_are_none(text: str) -> None:
    with pytest.raises(Refusal) as caught:
        checked_tournament_id(text)
    assert (caught.value.reason, caught.value.field) == ("INVALID_ID", "tournament_id")


def test_who_signs_up_last_is_the_youngest_unless_the_policy_says_otherwise() -> None:
    made = plan("xy")
    assert [player.name for player in seated(made, [*made.entrants, ANN, BOB])] == ["Bob", "Ann", "x", "y"]
    made.sign_up.age_order = AgeOrder.AGE_ORDER_SIGN_UP
    assert [player.name for player in seated(made, [*made.entrants, ANN, BOB])] == ["x", "y", "Ann", "Bob"]


def test_the_seed_of_a_game_follows_from_the_tournaments_the_round_and_the_table() -> None:
    made = plan("ab")
    seeds = {
        (seed, round_number, table): game_plan_of(
            Tournament(plan=made, secret=new_secret(seed)), made.entrants, round_number, table, 0
        ).seed
        for seed in (0, 7, 2**53 - 1)
        for round_number in (1, 2, 11)
        for table in (1, 2, 11)
    }
    assert len(set(seeds.values())) == len(seeds)
    assert all(0 <= seed < 2**53 for seed in seeds.values())
    assert seeds[7, 1, 1] == 7549757442959048  # the same in every process, on every machine


def test_games_of_the_same_deal_have_the_same_seed() -> None:
    made = Tournament(plan=plan("ab"), secret=new_secret(7))

    def seed(round_number: int, table: int, deal: int) -> int:
        return game_plan_of(made, made.plan.entrants, round_number, table, deal).seed

    assert seed(1, 1, 3) == seed(2, 5, 3)
    assert len({seed(1, 1, 1), seed(1, 1, 2), seed(1, 1, 0), seed(1, 2, 0)}) == 4


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


def test_a_plan_without_a_seed_stays_without_and_gets_a_secret_of_its_own() -> None:
    assert not full(TournamentPlan(game="fish")).HasField("seed")
    assert len({new_secret(None) for _ in range(5)}) == 5


UNKNOWN = b"\xfa\x3e\x01x"
"""Field 1007 of a message, with one character."""


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("", "plan"),
        ("sign_up.certificate", "plan.sign_up.certificate"),
        ("settings.fish", "plan.settings.fish"),
        ("entrants", "plan.entrants"),
    ],
)
def test_a_field_that_the_server_does_not_know_is_refused(path: str, field: str) -> None:
    made = plan("a")
    part: Any = made
    for name in filter(None, path.split(".")):
        part = part.entrants[0] if name == "entrants" else getattr(part, name)
    part.MergeFromString(UNKNOWN)
    caught = refusal(made)
    assert (caught.reason, caught.field) == ("UNKNOWN_FIELDS", field)
    assert "field 1007" in caught.message


# --- patterns that names must match ---


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("[a-zA-Z]{1,12}", ["a", "Twelveletter"], ["", "thirteenchars", "a1", "ä"]),
        ("team-[0-9]+", ["team-1", "team-42"], ["team-", "team-x", "ateam-1", "team-1\n"]),
        ("(red|blue)(-team)?", ["red", "blue-team"], ["green", "red-"]),
        (r"\w+\.\d{3}", ["x_1.007"], ["x1007", "x.07"]),
        ("a{1000}", ["a" * 1000], ["a" * 999]),
    ],
)
def test_a_name_matches_as_a_whole(pattern: str, yes: list[str], no: list[str]) -> None:
    read = NamePattern(pattern)
    assert [name for name in yes if not read.matches(name)] == []
    assert [name for name in no if read.matches(name)] == []


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(a", "missing ): (a"),
        ("*a", "no argument for repetition operator"),
        ("(?=a)", "invalid perl operator"),
        ("(((((a{100}){100}){100}){100}){100})", "invalid repetition size"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(
    pattern: str, problem: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        NamePattern(pattern)
    assert problem in str(refusal.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("pattern", ["(a*)*b", "((((a*)*)*)*)*", "(.*){10}(.*){10}(.*){10}x"])
def test_no_pattern_takes_long(pattern: str) -> None:
    assert not NamePattern(pattern).matches("a" * 63 + "!")  # re would not come back from some of these
