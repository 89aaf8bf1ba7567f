"""Servers that are stopped in the middle of a tournament, and come back with the same records.

Those that are killed are in tests/robustness.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from fairplay.server import __version__
from fairplay.server.manager.states import CANCELLED, FINISHED, RUNNING, SIGN_UP
from fairplay.server.net.errors import Refusal
from fairplay.server.records.chain import parsed
from fairplay.server.records.store import Store
from fairplay.v1.record_pb2 import RecordEntry, TournamentChange
from fairplay.v1.tournament_pb2 import Tournament, TournamentPlan, TournamentResult
from tests.server.manager.harness import Environment, Stage, environment, plan

NAMES = "abcdef"


def cast(stage: Stage) -> None:
    """Register deterministic players of all kinds; two of them fail."""
    stage.act("a", "greedy")
    stage.act("b", "first")
    stage.act("c", "greedy", start="raise")
    stage.act("d", "first", take_turn="raise")
    stage.act("e", "greedy")
    stage.act("f", "first")


def made() -> TournamentPlan:
    small = plan(NAMES)
    small.settings.fish.rows = small.settings.fish.columns = 3
    small.settings.fish.penguin_base = 5
    return small


async def run(here: Environment) -> Tournament:
    """Go on with the tournament, if there is one, and return it at its end."""
    cast(here.stage)
    await here.manager.resume_all()
    await here.manager.create("t", made())
    if here.manager.get("t").status == SIGN_UP:
        await here.manager.start("t")
    return await here.over("t")


def standings(tournament: Tournament) -> tuple[list[str], list[str], list[tuple[str, str]]]:
    result: TournamentResult = tournament.result
    failures = [(failure.game_id, failure.misconduct.player) for failure in result.failures]
    return list(result.winners), list(result.others), failures


def games(store: Store) -> list[str]:
    return [listing.record_id for listing in store.list("game", limit=100)[0]]


async def undisturbed(records: Path) -> Tournament:
    """Return the tournament as a server plays it that is not stopped."""
    async with environment(records) as here:
        return await run(here)


async def lives_on(records: Path, expected: Tournament) -> None:
    """Go on with the tournament to its end: as expected, no game twice, none lost, no answer asked for again."""
    async with environment(records) as here:
        known = {
            (NAMES[entry.call.seat], entry.call.method_name.rpartition("/")[2].lower())
            for entry in parsed(here.store.read("t"))
            if entry.HasField("call")
        }
        tournament = await run(here)
        assert standings(tournament) == standings(expected)
        assert not known & {(name, reported.split()[0]) for name, reported in here.stage.log}
        assert sorted(games(here.store)) == sorted(game.game_id for round_ in expected.rounds for game in round_.games)
        assert here.findings() == []


async def test_a_server_that_stops_in_order_leaves_everything_where_it_is(tmp_path: Path) -> None:
    expected = await undisturbed(tmp_path / "undisturbed")
    for name, method in [("b", "start"), ("b", "setup"), ("d", "play_as"), ("e", "take_turn"), ("b", "end")]:
        records = tmp_path / f"{name}-{method}"
        async with environment(records) as here:
            cast(here.stage)
            held = here.stage.act(name, "greedy" if name == "e" else "first", **{method: "hold"})
            await here.manager.create("t", made())
            await here.manager.start("t")
            watching = asyncio.create_task(here.over("t"))
            await held.at(method)
            await here.manager.suspend_all()
            with pytest.raises(Refusal) as caught:
                await watching
            assert caught.value.reason == "SHUTTING_DOWN"
            assert here.manager.get("t").status == RUNNING
            entries = parsed(here.store.read("t"))
            assert not any(entry.HasField("misconduct") and entry.misconduct.player == name for entry in entries)
        await lives_on(records, expected)


async def test_a_tournament_that_goes_on_is_resumed_once_and_its_games_by_it_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        async with environment(tmp_path) as here:
            held = here.stage.act("a", setup="hold")
            await here.manager.resume_all()
            if not here.manager.open_ids:
                await here.manager.create("t", plan("ab"))
                await here.manager.start("t")
            await held.at("setup")
            await here.manager.resume_all()
            resumed = [each.resumed.server_version for each in parsed(here.store.read("t")) if each.HasField("resumed")]
    assert resumed == [__version__]
    assert not [each for each in caplog.records if each.name == "fairplay.manager"]


async def test_a_tournament_that_may_not_go_on_waits_and_holds_up_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with environment(tmp_path) as here:
        for name in "abxy":
            here.stage.act(name, start="hold")
        for tournament_id, names in (("t", "ab"), ("u", "xy")):
            await here.manager.create(tournament_id, plan(names))
            await here.manager.start(tournament_id)
        await here.stage.actors["y"].at("start")
    async with environment(tmp_path) as here:
        here.stage.forbidden.add("a")
        await here.manager.resume_all()
        assert "tournament t cannot go on" in caplog.text
        assert (await here.over("u")).status == FINISHED
        assert here.manager.get("t").status == RUNNING
        assert [tournament.tournament_id for tournament in here.manager.list(10, None)[0]] == ["u", "t"]
        with pytest.raises(Refusal):
            await here.manager.cancel("t", "")
    async with environment(tmp_path) as here:
        await here.manager.resume_all()
        assert (await here.over("t")).status == FINISHED


async def test_a_tournament_that_was_cancelled_before_a_restart_begins_no_game(tmp_path: Path) -> None:
    async with environment(tmp_path) as here:
        held = here.stage.act("a", setup="hold")
        made = plan("abcdef")
        made.concurrent_game_limit = 1
        await here.manager.create("t", made)
        await here.manager.start("t")
        await held.at("setup")
    async with environment(tmp_path) as here:
        change = TournamentChange(cancelled="rain")
        here.store.reopen("t").append(RecordEntry(change=change).SerializeToString())
    async with environment(tmp_path) as here:
        here.stage.act("a", setup="hold")
        await here.manager.resume_all()
        tournament = await here.over("t")
        assert (tournament.status, tournament.reason) == (CANCELLED, "rain")
        assert len(tournament.rounds[0].games) == 2
        assert all("cancelled: rain" in game.result.aborted for game in tournament.rounds[0].games)
        assert [(each.record_id, each.finished) for each in here.store.list("game", limit=9)[0]] == [("t/r1g1", True)]
        assert here.findings() == []
