"""Tournaments with a real referee, real records and players in this process."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from string import ascii_lowercase

import pytest
from google.protobuf.duration_pb2 import Duration

from fairplay.server.net.errors import Refusal
from fairplay.server.records.chain import parsed
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import WatchTournamentResponse
from fairplay.v1.misconduct_pb2 import MisconductKind
from fairplay.v1.referee_pb2 import GameStatus
from fairplay.v1.tournament_pb2 import (
    Knockout,
    RoundGameStatus,
    TournamentFormat,
    TournamentStatus,
)
from tests.server.manager.harness import SHORT_S, Environment, Timers, bracket, environment, kinds, plan
from tests.server.quick import in_no_time, in_simulated_time, quick_clock, quick_store

F7 = [
    (5, ["abc de", "ad"], "a"),
    (9, ["abcd efg hi", "adeh"], "ah"),
    (16, ["abcd efgh ijkl mnop", "adeh ilmp", "ahip"], "ap"),
]


@pytest.mark.parametrize(("count", "rounds", "winners"), F7)
async def test_f7_with_house_players(count: int, rounds: list[str], winners: str) -> None:
    async with environment() as here:
        tournament = await here.play("t", plan(ascii_lowercase[:count], link="bot:minimax"))
        assert bracket(tournament) == rounds
        assert "".join(tournament.result.winners) == winners
        assert not tournament.result.failures
        assert here.findings() == []


async def test_what_is_known_of_a_tournament_afterwards() -> None:
    async with environment() as here:
        tournament = await here.play("t", plan("abcde"))
        assert here.manager.get("t") == tournament
        assert here.manager.list(10, None) == ([tournament], None)
        for number, round_ in enumerate(tournament.rounds, start=1):
            for table, shown in enumerate(round_.games, start=1):
                game = here.referee.get(shown.game_id)
                assert shown.game_id == f"t/r{number}g{table}"
                assert game.tournament_id == "t"
                assert game.result == shown.result
                assert [player.name for player in game.plan.players] == list(shown.players)
        seeds = {here.referee.get(shown.game_id).plan.seed for round_ in tournament.rounds for shown in round_.games}
        assert len(seeds) == 3


# Failures


@pytest.mark.parametrize(
    ("name", "method", "fault"),
    [
        ("a", "start", "raise"),
        ("c", "start", "hang"),
        ("c", "end", "raise"),
        ("a", "end", "hang"),
        ("a", "play_as", "raise"),
        ("c", "setup", "hang"),
        ("c", "take_turn", "raise"),
    ],
)
async def test_a_player_that_fails_anywhere_is_blamed_and_nobody_else(name: str, method: str, fault: str) -> None:
    kinds = {"raise": MisconductKind.MISCONDUCT_KIND_EXCEPTION, "hang": MisconductKind.MISCONDUCT_KIND_TIMEOUT}
    async with environment() as here:
        here.stage.act(name, **{method: fault})
        tournament = await here.play("t", plan("abcde", limit_s=SHORT_S if fault == "hang" else 5.0))
        [failure] = tournament.result.failures
        assert failure.misconduct.player == name
        assert failure.misconduct.kind == kinds[fault]
        assert failure.misconduct.method_name.rpartition("/")[2].lower() == method.replace("_", "")
        assert bool(failure.game_id) == (method not in ("start", "end"))
        assert sorted([*tournament.result.winners, *tournament.result.others, name]) == list("abcde")
        ends = [reported for _, reported in here.stage.log if reported.startswith("end")]
        assert bool(ends) == (method == "end")
        assert here.findings() == []


def test_hung_players_cost_one_limit_together(tmp_path: Path) -> None:
    in_no_time(_let_six_players_hang(tmp_path))


async def _let_six_players_hang(records: Path) -> None:
    async with environment(store=quick_store(records), clock=quick_clock()) as here:
        for name in "abcdef":
            here.stage.act(name, start="hang")
        tournament = await here.play("t", plan("abcdefg", limit_s=5.0))
        assert 5.0 <= asyncio.get_running_loop().time() < 6.0
        assert list(tournament.result.winners) == ["g"]
        assert [failure.misconduct.player for failure in tournament.result.failures] == list("abcdef")
        assert [failure.misconduct.call_number for failure in tournament.result.failures] == [1, 2, 3, 4, 5, 6]


async def test_when_everybody_fails_nobody_wins() -> None:
    async with environment() as here:
        for name in "abcde":
            here.stage.act(name, setup="raise")
        tournament = await here.play("t", plan("abcde"))
        assert tournament.status == TournamentStatus.TOURNAMENT_STATUS_FINISHED
        assert not tournament.result.winners and not tournament.result.others
        assert [failure.misconduct.player for failure in tournament.result.failures] == list("abcde")
        assert here.findings() == []


async def test_failing_end_may_be_no_failure() -> None:
    async with environment() as here:
        here.stage.act("a", end="raise")
        made = plan("ab")
        made.format.CopyFrom(TournamentFormat(knockout=Knockout(end_failure_is_failure=False)))
        tournament = await here.play("t", made)
        assert sorted([*tournament.result.winners, *tournament.result.others]) == ["a", "b"]
        assert "a" in tournament.result.others
        assert not tournament.result.failures
        assert here.findings() == []


# Watching


async def test_watchers_see_the_whole_first_then_what_happens_and_the_end_last() -> None:
    async with environment() as here:
        here.stage.act("b", start="raise")
        await here.manager.create("t", plan("abcdef"))
        watching = asyncio.create_task(_all(here, "t"))
        await asyncio.sleep(0)
        await here.manager.start("t")
        events = await watching
        games = [*(["game_started"] * 2), *(["game_finished"] * 2)]
        assert kinds(events) == [
            *("tournament", "started", "failed", "round_started", *games),
            *("round_started", "game_started", "game_finished", "finished"),
        ]
        assert events[0].tournament.status == TournamentStatus.TOURNAMENT_STATUS_SIGN_UP
        assert [player.name for player in events[1].started.entrants] == list("abcdef")
        assert events[-1].finished == here.manager.get("t").result
        started = events[3].round_started
        assert ["".join(game.players) for game in started.games] == ["acd", "ef"]
        assert all(game.status == RoundGameStatus.ROUND_GAME_STATUS_WAITING for game in started.games)
        assert [event.tournament for event in await _all(here, "t")] == [here.manager.get("t")]


async def test_a_watcher_that_comes_late_sees_what_has_happened_in_the_whole() -> None:
    async with environment() as here:
        actor = here.stage.act("a", end="hold")
        await here.manager.create("t", plan("ab"))
        await here.manager.start("t")
        await actor.at("end")
        watching = asyncio.create_task(_all(here, "t"))
        await asyncio.sleep(0)
        actor.release.set()
        events = await watching
        assert kinds(events) == ["tournament", "finished"]
        assert events[0].tournament.rounds[0].games[0].result == here.referee.get("t/r1g1").result


async def _all(here: Environment, tournament_id: str) -> list[WatchTournamentResponse]:
    return [event async for event in here.manager.watch(tournament_id)]


@pytest.mark.slow
async def test_at_most_200_lines_of_the_standings_are_sent_to_those_who_watch() -> None:
    names = [f"p{number}" for number in range(201)]
    async with environment() as here:
        made = plan(names, link="dial-in:nobody")
        made.format.swiss.round_count = 1
        await here.manager.create("t", made)
        watching = asyncio.create_task(_all(here, "t"))
        await asyncio.sleep(0)
        await here.manager.start("t")
        reported = [event.standings for event in await watching if event.HasField("standings")]
        assert len((await here.manager.standings("t", 1_000, 0))[0].standings) == 201
        assert {len(each.standings) for each in reported} == {200}


@in_simulated_time
async def test_who_watches_is_sent_new_standings_while_games_are_played(tmp_path: Path) -> None:
    async with environment(store=quick_store(tmp_path), clock=quick_clock()) as here:
        held = here.stage.act("a", setup="hold")
        made = plan("abcdef", limit_s=1_000.0)
        made.settings.fish.rows = made.settings.fish.columns = 3
        made.format.round_robin.SetInParent()
        made.concurrent_game_limit = 10
        await here.manager.create("t", made)
        stream = here.manager.watch("t")
        await anext(stream)
        await here.manager.start("t")
        seen = [await anext(stream)]
        while not seen[-1].HasField("standings"):
            seen.append(await anext(stream))
        assert not seen[-1].standings.complete
        await asyncio.sleep(200)
        held.release.set()
        reported = [event.standings.complete async for event in stream if event.HasField("standings")]
        assert reported[-1] and len(reported) < 20  # one for each game at the most, and the last one


async def test_the_record_of_a_tournament_says_when_everything_happened() -> None:
    before = datetime.now(UTC)
    async with environment() as here:
        await here.manager.create("t", plan("ab"))
        await here.manager.create("u", plan("ab"))
        await here.manager.start("t")
        over = [await here.over("t"), await here.manager.cancel("u", "rain")]
        after = datetime.now(UTC)
        for tournament in over:
            entries = parsed(here.store.read(tournament.tournament_id))
            times = [each.change.time.ToDatetime(UTC) for each in entries if each.HasField("change")]
            times = [tournament.create_time.ToDatetime(UTC), *times, tournament.end_time.ToDatetime(UTC)]
            assert before <= times[0] and times[-1] <= after
            assert times == sorted(times)


# Cancelling


async def test_cancelling_a_sign_up_tells_nobody() -> None:
    async with environment() as here:
        here.stage.act("a")
        await here.manager.create("t", plan("ab"))
        tournament = await here.manager.cancel("t", "rain")
        assert tournament.status == TournamentStatus.TOURNAMENT_STATUS_CANCELLED
        assert tournament.reason == "rain"
        assert tournament.HasField("end_time")
        assert here.stage.log == []
        assert await here.manager.cancel("t", "snow") == tournament
        assert not here.manager.open_ids
        assert here.manager.get("t") == tournament
        assert here.findings() == []


async def test_cancelling_during_games_stops_them_and_tells_end_to_those_who_have_not_failed() -> None:
    async with environment() as here:
        held = here.stage.act("a", setup="hold")
        here.stage.act("b", start="raise")
        here.stage.act("c", play_as="raise")
        for name in "de":
            here.stage.act(name)
        await here.manager.create("t", plan("abcde"))
        await here.manager.start("t")
        await held.at("setup")
        cancelled = await asyncio.gather(here.manager.cancel("t", "rain"), here.manager.cancel("t", "again"))
        tournament = cancelled[0]
        assert cancelled[1] == tournament == here.manager.get("t")
        assert tournament.status == TournamentStatus.TOURNAMENT_STATUS_CANCELLED
        assert tournament.reason == "rain"
        assert not tournament.HasField("result")
        [game] = tournament.rounds[0].games
        assert "rain" in game.result.aborted
        assert here.referee.get(game.game_id).status == GameStatus.GAME_STATUS_ABORTED
        ends = sorted(entry for entry in here.stage.log if entry[1].startswith("end"))
        assert ends == [("a", "end False"), ("d", "end False"), ("e", "end False")]
        assert here.findings() == []


async def test_cancelling_while_players_are_told_start_waits_for_them() -> None:
    async with environment() as here:
        held, other = here.stage.act("a", start="hold"), here.stage.act("b")
        await here.manager.create("t", plan("ab"))
        await here.manager.start("t")
        await held.at("start")
        await other.at("start")
        cancelling = asyncio.create_task(here.manager.cancel("t", ""))
        await asyncio.sleep(0)
        held.release.set()
        tournament = await cancelling
        assert tournament.status == TournamentStatus.TOURNAMENT_STATUS_CANCELLED
        assert tournament.reason
        assert not tournament.rounds
        assert here.stage.log == [("a", "start"), ("b", "start"), ("a", "end False"), ("b", "end False")]
        assert here.findings() == []


async def test_cancelling_before_anybody_was_told_start_tells_nobody_end() -> None:
    async with environment() as here:
        for name in "ab":
            here.stage.act(name)
        await here.manager.create("t", plan("ab"))
        await here.manager.start("t")
        await here.manager.cancel("t", "rain")
        assert here.stage.log == []
        assert here.findings() == []


async def test_a_failure_in_the_end_of_a_cancelled_tournament_is_blamed_on_nobody() -> None:
    async with environment() as here:
        held = here.stage.act("a", setup="hold", end="raise")
        await here.manager.create("t", plan("ab"))
        await here.manager.start("t")
        await held.at("setup")
        tournament = await here.manager.cancel("t", "rain")
        assert ("a", "end False") in here.stage.log
        assert tournament.status == TournamentStatus.TOURNAMENT_STATUS_CANCELLED
        assert here.findings() == []


async def test_a_tournament_that_is_decided_cannot_be_cancelled() -> None:
    async with environment() as here:
        held = here.stage.act("a", end="hold")
        await here.manager.create("t", plan("ab"))
        await here.manager.start("t")
        await held.at("end")
        with pytest.raises(Refusal) as caught:
            await here.manager.cancel("t", "rain")
        assert caught.value.reason == "TOURNAMENT_OVER"
        held.release.set()
        tournament = await here.over("t")
        assert tournament.status == TournamentStatus.TOURNAMENT_STATUS_FINISHED
        with pytest.raises(Refusal) as caught:
            await here.manager.cancel("t", "rain")
        assert caught.value.reason == "TOURNAMENT_OVER"


async def test_a_game_that_is_stopped_by_somebody_else_beats_nobody() -> None:
    async with environment() as here:
        held = here.stage.act("e", setup="hold")
        await here.manager.create("t", plan("abcde"))
        await here.manager.start("t")
        await held.at("setup")
        held.release.set()
        await here.referee.stop("t/r1g2", "by hand")
        tournament = await here.over("t")
        assert {"d", "e"} <= set(tournament.rounds[1].games[0].players)
        assert here.findings() == []


async def test_a_game_whose_id_is_taken_counts_as_aborted() -> None:
    async with environment() as here:
        await here.play("other", plan("xy"))
        taken = here.referee.get("other/r1g1").plan
        await here.referee.play(taken, "t/r1g1")
        tournament = await here.play("t", plan("ab"))
        assert "could not be played" in tournament.rounds[0].games[0].result.aborted
        assert not tournament.result.winners
        assert list(tournament.result.others) == ["a", "b"]
        assert here.findings() == []


# Faults of the server itself


async def test_a_tournament_that_its_entrants_cannot_play_is_given_up_when_it_starts() -> None:
    timers = Timers()
    async with environment(later=timers.later) as here:
        made = plan(waiting_period=Duration(seconds=30), min_entrant_count=2, max_entrant_count=4)
        made.format.gauntlet.challengers.append("dee")
        await here.manager.create("t", made)
        for name in ("ann", "bob"):
            await here.manager.sign_up("t", Player(name=name, link="bot:first"), "")
        timers.ring()
        tournament = await here.over("t")
        assert tournament.status == TournamentStatus.TOURNAMENT_STATUS_CANCELLED
        assert tournament.reason.startswith("gauntlet: ")
        assert not timers.waiting


# What is known of tournaments that are over


def damage(records: Path, there: bytes, instead: bytes) -> None:
    """Write something else into all that is recorded, but not into the list of what there is."""
    with closing(sqlite3.connect(records / "records.sqlite", isolation_level=None)) as database:
        for number, data in database.execute("SELECT number, data FROM chunks").fetchall():
            database.execute("UPDATE chunks SET data = ? WHERE number = ?", (data.replace(there, instead), number))


async def test_a_tournament_whose_record_is_damaged_is_shown_without_its_games(tmp_path: Path) -> None:
    async with environment(tmp_path) as here:
        await here.play("t", plan("ab"))
        await here.gone()
        await here.store.flush()
        damage(tmp_path, b"t/r1g1", b"t/r9g9")
        assert here.manager.get("t").status == TournamentStatus.TOURNAMENT_STATUS_FINISHED
        for look in (here.manager.games, here.manager.standings):
            with pytest.raises(Refusal, match="the record of the tournament t is damaged") as caught:
                await look("t", 10, 0)
            assert caught.value.reason == "INTERNAL"


async def test_a_running_tournament_that_cannot_be_read_is_shown_as_it_was_made(tmp_path: Path) -> None:
    async with environment(tmp_path) as here:
        here.stage.act("a", start="hold")
        await here.manager.create("t", plan("ab"))
        await here.manager.start("t")
    damage(tmp_path, b"bot:first", b"\xff" * 9)
    async with environment(tmp_path) as here:
        await here.manager.resume_all()
        shown = here.manager.get("t")
        assert (shown.tournament_id, shown.status) == ("t", TournamentStatus.TOURNAMENT_STATUS_SIGN_UP)
        assert [player.name for player in shown.entrants] == ["a", "b"]
        with pytest.raises(Refusal, match="could not be resumed; the server's log says why"):
            await here.manager.start("t")


async def test_games_count_while_others_go_on() -> None:
    async with environment() as here:
        made = plan("abcd", link="bot:random")
        made.format.round_robin.cycle_count = 2
        made.concurrent_game_limit = 1
        await here.manager.create("t", made)
        events = here.manager.watch("t")
        await anext(events)
        await here.manager.start("t")
        async for event in events:
            if event.HasField("game_finished"):
                counted = (await here.manager.standings("t", 10, 0))[0].game_count
                assert 1 <= counted <= here.manager.get("t").game_count  # later ones may be computed rarely
        standings, _ = await here.manager.standings("t", 10, 0)
        assert standings.game_count == 2 * len([*combinations("abcd", 2)])
