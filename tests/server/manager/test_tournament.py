"""Tournaments with a real referee, real records and players in this process."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from google.protobuf.duration_pb2 import Duration

from fairplay.server.net.errors import Refusal
from fairplay.server.records.chain import parsed
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import WatchTournamentResponse
from fairplay.v1.tournament_pb2 import (
    TournamentStatus,
)
from tests.server.manager.harness import Environment, Timers, environment, plan
from tests.server.quick import in_no_time, in_simulated_time, quick_clock, quick_store

# Failures


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


# Watching


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


async def test_who_failed_start_is_told_no_end_when_games_are_cancelled() -> None:
    async with environment() as here:
        playing = here.stage.act("a", setup="hold")
        here.stage.act("b", start="raise")
        made = plan("ab")
        made.failures_allowed = 1
        await here.manager.create("t", made)
        await here.manager.start("t")
        await playing.at("setup")
        await here.manager.cancel("t", "rain")
        assert [said for said in here.stage.log if "end" in said[1]] == [("a", "end False")]
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
