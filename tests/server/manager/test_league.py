"""Tournaments in which everybody plays many games: failures, deals, games at once, and a format of one's own."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import pytest

from fairplay.formats import format as formats
from fairplay.server.manager.states import CANCELLED, FINISHED
from fairplay.server.server import Config, Server
from fairplay.v1.tournament_pb2 import Tournament, TournamentPlan
from tests.server.manager import leagues
from tests.server.manager.harness import environment, kinds, plan
from tests.server.quick import in_no_time, quick_clock, quick_store


@pytest.fixture(autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    leagues.install(tmp_path_factory.mktemp("installed"), monkeypatch)
    yield
    monkeypatch.undo()
    formats.registered.cache_clear()


def league(names: Iterable[str], limit_s: float = 5.0, **settings: Any) -> TournamentPlan:
    made = plan(names, link="bot:random", limit_s=limit_s)
    made.format.CopyFrom(leagues.chosen(**settings))
    made.settings.fish.rows = made.settings.fish.columns = 3  # as small a board as two players need
    return made


def pairs_played(tournament: Tournament) -> Counter[tuple[str, ...]]:
    return Counter(tuple(sorted(game.players)) for round_ in tournament.rounds for game in round_.games)


@pytest.mark.parametrize("ahead", [0, 100])
async def test_a_format_of_ones_own_plays_the_same_games_however_far_it_looks_ahead(ahead: int) -> None:
    async with environment() as here:
        tournament = await here.play("t", league("abcde", ahead=ahead))
        assert tournament.status == FINISHED
        assert pairs_played(tournament) == Counter(combinations("abcde", 2))
        assert len(tournament.result.winners) == 1
        assert sorted([*tournament.result.winners, *tournament.result.others]) == list("abcde")
        assert tournament.game_count == 10
        assert [round_.number for round_ in tournament.rounds] == list(range(1, 11))
        assert here.findings() == []


async def test_games_do_not_depend_on_what_was_over_first() -> None:
    async def played(ahead: int) -> list[tuple[list[str], str]]:
        async with environment() as here:
            tournament = await here.play("t", league("abcdef", ahead=ahead))
            return [([*game.players], str(game.result)) for round_ in tournament.rounds for game in round_.games]

    assert await played(0) == await played(100)


def test_a_league_with_many_broken_entrants_ends_on_time_with_everybody_elses_games_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def computed(function: Any, *args: Any) -> Any:
        return function(*args)  # simulated time would go on while another thread computes the standings

    monkeypatch.setattr(asyncio, "to_thread", computed)
    in_no_time(play_with_broken_entrants(tmp_path))


async def play_with_broken_entrants(records: Path) -> None:
    """Play a league of 30 with 12 broken entrants, in simulated time."""
    names = [f"p{number:02}" for number in range(30)]
    faults = ["take_turn", "setup", "play_as", "end"]
    limit_s = 10.0
    async with environment(store=quick_store(records), clock=quick_clock()) as here:
        for number, name in enumerate(names[:12]):
            here.stage.act(name, **{faults[number % 4]: "raise" if number % 3 else "hang"})
        for name in names[12:]:
            here.stage.act(name)
        tournament = await here.play("t", league(names, limit_s=limit_s, ahead=30), within_s=100 * limit_s)
        assert tournament.status == FINISHED
        sound = names[12:]
        broken = [name for number, name in enumerate(names[:12]) if number % 4 != 3]
        played = pairs_played(tournament)
        assert all(played[pair] == 1 for pair in combinations(sound, 2))
        failures = Counter(failure.misconduct.player for failure in tournament.result.failures)
        assert failures.keys() == {*names[:12]}
        assert all(failures[name] >= 4 for name in broken)
        assert all(failures[name] == 1 for name in names[:12] if name not in broken)  # only in End
        assert {*tournament.result.winners, *tournament.result.others} == {*names} - {*broken}
        ends = [name for name, reported in here.stage.log if reported.startswith("end")]
        assert sorted(ends) == sorted({*names} - {*broken})
        assert here.findings() == []


async def test_no_entrant_plays_two_games_at_once_and_others_do_not_wait_for_one_that_hangs() -> None:
    async with environment() as here:
        held = here.stage.act("a", take_turn="hold")
        for name in "bcdef":
            here.stage.act(name)
        made = league("abcdef", limit_s=60.0, ahead=100)
        await here.manager.create("t", made)
        await here.manager.start("t")
        async with asyncio.timeout(30):
            while here.manager.get("t").game_count < 6:  # all games of those who do not wait for a or its opponent
                await asyncio.sleep(0.01)
        left = [game for round_ in here.manager.get("t").rounds for game in round_.games if not game.HasField("result")]
        begun = {listing.record_id for listing in here.store.list("game", limit=100)[0] if not listing.finished}
        assert sum("a" in game.players for game in left) == 5
        assert sum("a" in game.players for game in left if game.game_id in begun) == 1
        held.release.set()
        assert (await here.over("t")).status == FINISHED


async def test_a_tournament_that_is_cancelled_blames_nobody_for_games_ahead() -> None:
    async with environment() as here:
        here.stage.act("a", take_turn="hold")
        for name in "bcde":
            here.stage.act(name)
        await here.manager.create("t", league("abcde", limit_s=60.0, ahead=100))
        await here.manager.start("t")
        await here.stage.actors["a"].at("take_turn")
        over = await here.manager.cancel("t", "rain")
        assert over.status == CANCELLED
        assert all(game.HasField("result") for round_ in over.rounds for game in round_.games)
        assert not any(game.result.misconducts for round_ in over.rounds for game in round_.games)
        assert sorted(name for name, reported in here.stage.log if reported == "end False") == list("abcde")
        assert here.findings() == []


async def test_a_league_goes_on_after_a_new_start_of_the_server(tmp_path: Path) -> None:
    made = league(ascii_lowercase[:6], ahead=4)
    async with environment(tmp_path / "whole") as here:
        whole = await here.play("t", made)
    async with environment(tmp_path / "broken") as here:
        await here.manager.create("t", made)
        await here.manager.start("t")
        async for event in here.manager.watch("t"):
            if event.HasField("game_finished"):
                break
    async with environment(tmp_path / "broken") as here:
        await here.manager.resume_all()
        again = await here.over("t")
        assert again.result == whole.result
        assert [round_.games for round_ in again.rounds] == [round_.games for round_ in whole.rounds]
        assert here.findings() == []


async def test_the_limit_of_games_at_once_is_kept() -> None:
    async with environment() as here:
        actors = [here.stage.act(name, take_turn="hold") for name in "abcdef"]
        made = league("abcdef", limit_s=60.0, ahead=100)
        made.concurrent_game_limit = 2
        await here.manager.create("t", made)
        await here.manager.start("t")
        async with asyncio.timeout(30):
            while len(here.store.list("game", limit=100)[0]) < 2:
                await asyncio.sleep(0.01)
        for _ in range(20):
            await asyncio.sleep(0)
        assert len(here.store.list("game", limit=100)[0]) == 2
        for actor in actors:
            actor.release.set()
        over = await here.over("t")
        assert over.game_count == 15


async def test_watchers_are_sent_the_standings_at_the_end_as_everybody_can_get_them() -> None:
    async with environment() as here:
        await here.manager.create("t", league("abcd"))
        stream = here.manager.watch("t")
        await anext(stream)
        await here.manager.start("t")
        events = [event async for event in stream]
        assert kinds(events)[-2:] == ["standings", "finished"]
        reported = events[-2].standings
        assert reported.complete
        assert (reported.entrant_count, reported.game_count, reported.round_count) == (4, 6, 6)
        assert reported.standings[0].place == 1
        assert all(line.rating.low < line.rating.value < line.rating.high for line in reported.standings)
        assert (await here.manager.standings("t", 100, 0))[
            0
        ] == reported  # from the record, where nothing runs any more
        first, after = await here.manager.standings("t", 3, 0)
        assert ([*first.standings], after) == ([*reported.standings[:3]], 3)
        rest, after = await here.manager.standings("t", 3, 3)
        assert [*rest.standings] == [*reported.standings[3:]]
        assert after is None


async def test_a_program_that_has_ended_is_started_again_for_the_next_game() -> None:
    program = Path(__file__).with_name("one_game.py")
    server = await Server.start(Config(allow_exec=True, start_limit_s=60.0))
    try:
        made = league("bcd", ahead=0)
        made.entrants.add(name="dies", link=f"exec:{sys.executable} {program}")
        await server.manager.create("t", made)
        await server.manager.start("t")
        async with asyncio.timeout(90):
            async for _ in server.manager.watch("t"):
                pass
        tournament = server.manager.get("t")
        games = [game for round_ in tournament.rounds for game in round_.games if "dies" in game.players]
        failed = [[misconduct.player for misconduct in game.result.misconducts] for game in games]
        assert failed == [[], ["dies"], []]  # a process for the first two games, and one for the third
        [failure] = tournament.result.failures
        assert "ended with exit code 3" in failure.misconduct.call_error.message
    finally:
        await server.stop()
