"""Entrants that fail too often are withdrawn at once, in every format; what was named for them is not played."""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from fairplay.client.formats import parse_format
from fairplay.server.manager.history import check_tournament
from fairplay.server.manager.states import FINISHED
from fairplay.server.records.chain import parsed
from fairplay.v1.tournament_pb2 import RoundGame, RoundGameStatus, Tournament, TournamentPlan, WithdrawnGames
from tests.server.manager.harness import environment, plan

WAITING, RUNNING, SKIPPED = (
    RoundGameStatus.ROUND_GAME_STATUS_WAITING,
    RoundGameStatus.ROUND_GAME_STATUS_RUNNING,
    RoundGameStatus.ROUND_GAME_STATUS_SKIPPED,
)


def event(format_: str, names: str = "abcde", deals: int = 0, **settings: Any) -> TournamentPlan:
    """The plan of a tournament on as small a board as the players of a game need."""
    made = plan(names, link="bot:random", **settings)
    made.format.CopyFrom(parse_format(format_))
    made.deal_count = deals
    made.settings.fish.rows = made.settings.fish.columns = 4
    return made


def games(tournament: Tournament) -> list[RoundGame]:
    return [game for round_ in tournament.rounds for game in round_.games]


def played(tournament: Tournament, name: str) -> int:
    return sum(name in game.players and game.status != SKIPPED for game in games(tournament))


@pytest.mark.parametrize(
    ("format_", "deals", "allowed"),
    [
        ("knockout games=12", 0, 0),
        ("round-robin", 4, 3),
        ("swiss rounds=2", 10, 3),
        ("gauntlet challengers=b", 10, 3),
        ("ladder game-limit=60", 4, 3),
        ("swiss rounds=2 top=2, knockout games=4", 10, 3),
    ],
)
async def test_whoever_fails_too_often_plays_no_further_game(format_: str, deals: int, allowed: int) -> None:
    async with environment() as here:
        here.stage.act("a", take_turn="raise")
        tournament = await here.play("t", event(format_, deals=deals))
        assert tournament.status == FINISHED
        failed = Counter(each.misconduct.player for each in tournament.result.failures)
        assert failed == {"a": allowed + 1}
        assert played(tournament, "a") == allowed + 1
        skipped = [game for game in games(tournament) if game.status == SKIPPED]
        assert all(game.result.aborted == "not played: a had been withdrawn" for game in skipped)
        assert tournament.skipped_game_count == len(skipped)
        assert tournament.game_count == len(games(tournament)) - len(skipped)
        assert here.findings() == []


async def test_nobody_plays_a_game_of_a_gauntlet_without_its_challenger() -> None:
    async with environment() as here:
        here.stage.act("a", take_turn="raise")
        made = event("gauntlet seats=3 meetings=3")
        made.failures_allowed = 0
        shown = games(await here.play("t", made))
        assert [game.game_id for game in shown if game.status != SKIPPED] == ["t/r1g1"]
        assert len(shown) > 1
        assert here.findings() == []


async def test_who_never_answers_costs_its_limit_as_often_as_it_may_fail() -> None:
    async with environment() as here:
        here.stage.act("a", play_as="hang")
        tournament = await here.play("t", event("round-robin", deals=5, limit_s=0.25))
        assert played(tournament, "a") == 4
        assert tournament.game_count == 4 + 10 * len([*combinations("bcde", 2)])


@pytest.mark.parametrize(
    ("field", "names", "complaint"),
    [
        ("left_out", ["b"], "is not played without b"),
        ("left_out", ["z"], "is not played without z"),
        ("idle", ["z"], "names idle players that were not in it"),
    ],
)
async def test_a_record_that_leaves_out_others_is_found(field: str, names: list[str], complaint: str) -> None:
    async with environment() as here:
        here.stage.act("a", take_turn="raise")
        made = event("round-robin seats=3", names="abcd")
        made.failures_allowed = 0
        await here.play("t", made)
        entries = [*parsed(here.store.read("t"))]
        smaller = next(each.played for each in entries if each.played.left_out)
        getattr(smaller, field)[:] = names
        [finding] = check_tournament(entries)
        assert complaint in finding.problem


async def test_opponents_in_a_swiss_round_get_the_points_of_games_that_are_not_played() -> None:
    async with environment() as here:
        here.stage.act("a", take_turn="raise")
        await here.play("t", event("swiss rounds=1", names="abcd", deals=5))
        lines = (await here.manager.standings("t", 10, 0))[0].standings
        assert max(line.points for line in lines) == 10
        assert sum(line.points for line in lines) == 2 * 10


async def test_games_are_waiting_until_they_begin() -> None:
    async with environment() as here:
        here.stage.act("a", take_turn="hold")
        await here.manager.create("t", event("gauntlet", names="abc", deals=2, limit_s=60.0))
        watching = here.manager.watch("t")
        await anext(watching)
        await here.manager.start("t")
        async with asyncio.timeout(60):
            while not (started := (await anext(watching)).game_started):
                pass
        shown = {game.game_id: game.status for game in games(here.manager.get("t"))}
        assert shown.pop(started) == RUNNING
        assert set(shown.values()) == {WAITING}
        here.stage.actors["a"].release.set()
        assert {game.status for game in games(await here.over("t"))} == {0}


@pytest.mark.parametrize("format_", ["round-robin", "round-robin seats=3"])
async def test_a_tournament_goes_on_after_a_new_start_with_who_was_withdrawn_before(
    tmp_path: Path, format_: str
) -> None:
    made = event(format_, deals=3)
    async with environment(tmp_path) as here:
        here.stage.act("a", take_turn="raise")
        await here.manager.create("t", made)
        await here.manager.start("t")
        failures = 0
        async for each in here.manager.watch("t"):
            failures += bool(each.game_finished.result.misconducts)
            if failures == 4:
                break
    async with environment(tmp_path) as here:
        here.stage.act("a", take_turn="raise")
        await here.manager.resume_all()
        tournament = await here.over("t")
        assert len(tournament.result.failures) == played(tournament, "a") == 4
        assert here.findings() == []


# --- those who never play ---


@pytest.mark.parametrize(
    "format_",
    [
        "knockout",
        "round-robin",
        "gauntlet challengers=b",
        "ladder game-limit=20",
        "swiss rounds=2 top=2, knockout",
    ],
)
async def test_who_has_failed_and_finished_no_game_is_not_rated_and_comes_last(format_: str) -> None:
    async with environment() as here:
        here.stage.act("a", play_as="raise")  # before b fails, who wins from it without a decision
        here.stage.act("b", start="raise", take_turn="raise", setup="raise")
        made = event(format_, names="abcdef")
        made.withdrawn_games = WithdrawnGames.WITHDRAWN_GAMES_COUNTED
        await here.play("t", made)
        lines = (await here.manager.standings("t", 10, 0))[0].standings
        assert {line.name for line in lines if line.unplayed} == {line.name for line in lines[-2:]} == {"a", "b"}
        assert not any(line.band or line.HasField("rating") for line in lines[-2:])
        rated = {line.name for line in lines if line.HasField("rating")}
        assert rated <= {*"cdef"}
        assert rated or format_ in ("knockout", "double-elimination")
        assert here.findings() == []


async def test_who_has_not_played_enters_no_further_stage() -> None:
    async with environment() as here:
        for name in "abc":
            here.stage.act(name, take_turn="raise")
        tournament = await here.play("t", event("swiss rounds=2 top=4, knockout", names="abcde"))
        final = [game for round_ in tournament.rounds if round_.stage == 2 for game in round_.games]
        assert {name for game in final for name in game.players} == {"d", "e"}
        assert here.findings() == []
