"""Tournaments with a real referee, real records and players in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration

from fairplay.server.errors import Refusal
from fairplay.server.manager.examiner import Examiner
from fairplay.server.manager.manager import Manager
from fairplay.server.manager.suite import Finding
from fairplay.server.records.chain import chained, parsed
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.journal import Journal
from fairplay.server.records.store import Store
from fairplay.server.runner import LocalRunner
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import WatchTournamentResponse
from fairplay.v1.misconduct_pb2 import MisconductKind
from fairplay.v1.record_pb2 import Record
from fairplay.v1.referee_pb2 import GameStatus
from fairplay.v1.tournament_pb2 import (
    CertificatePolicy,
    ExaminationPolicy,
    Knockout,
    RoundGameStatus,
    TournamentFormat,
    TournamentStatus,
)
from tests.server.manager.harness import SHORT_S, Environment, Timers, bracket, environment, kinds, plan
from tests.server.quick import in_no_time, in_simulated_time, quick_clock, quick_store

F7 = [
    (5, ["abc de", "ad"], "a"),
    (6, ["abcd ef", "ade"], "a"),
    (8, ["abcd efgh", "adeh"], "ah"),
    (9, ["abcd efg hi", "adeh"], "ah"),
    (10, ["abcd efgh ij", "ade hi", "ah"], "a"),
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


async def test_sixty_entrants() -> None:
    names = [f"p{number}" for number in range(60)]
    async with environment() as here:
        tournament = await here.play("t", plan(names))
        result = tournament.result
        assert sorted([*result.winners, *result.others]) == sorted(names)
        assert len(tournament.rounds[0].games) == 15


async def test_players_are_told_start_and_end_once_winners_first() -> None:
    async with environment() as here:
        for name in "abcde":
            here.stage.act(name)
        tournament = await here.play("t", plan("abcde"))
        ends = [(name, reported) for name, reported in here.stage.log if reported != "start"]
        assert here.stage.log[:5] == [(name, "start") for name in "abcde"]
        assert ends[: len(tournament.result.winners)] == [(name, "end True") for name in tournament.result.winners]
        assert sorted(ends) == sorted((name, f"end {name in tournament.result.winners}") for name in "abcde")


# Failures


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("raise", MisconductKind.MISCONDUCT_KIND_EXCEPTION),
        ("hang", MisconductKind.MISCONDUCT_KIND_TIMEOUT),
    ],
)
@pytest.mark.parametrize("method", ["start", "end", "play_as", "setup", "take_turn"])
@pytest.mark.parametrize("name", ["a", "c"])
async def test_a_player_that_fails_anywhere_is_blamed_and_nobody_else(
    name: str, method: str, fault: str, kind: Any
) -> None:
    async with environment() as here:
        here.stage.act(name, **{method: fault})
        tournament = await here.play("t", plan("abcde", limit_s=SHORT_S if fault == "hang" else 5.0))
        [failure] = tournament.result.failures
        assert failure.misconduct.player == name
        assert failure.misconduct.kind == kind
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


async def test_a_player_that_cannot_be_reached_fails_start() -> None:
    async with environment() as here:
        tournament = await here.play("t", plan("abc", link="dial-in:nobody"))
        assert [failure.misconduct.player for failure in tournament.result.failures] == list("abc")
        assert not tournament.rounds


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


async def test_a_fault_of_the_server_cancels_the_tournament_and_blames_nobody(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    async with environment() as here:
        monkeypatch.setattr(here.referee, "play", fail)
        tournament = await here.play("t", plan("abc"))
        assert tournament.status == TournamentStatus.TOURNAMENT_STATUS_CANCELLED
        assert "failed" in tournament.reason
        assert "bug" not in tournament.reason
        [record] = [each for each in caplog.records if each.name == "fairplay.manager"]
        assert record.getMessage() == "the manager failed in tournament t" and record.exc_info
        assert here.findings() == []
        assert await here.manager.cancel("t", "rain") == tournament


async def test_a_link_that_the_server_fails_to_open_costs_one_player(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with environment() as here:
        opened = here.stage.open

        async def fail(player: Player, game: Any, *secret: str) -> Any:
            if player.name == "b":
                raise RuntimeError("a bug")
            return await opened(player, game, *secret)

        monkeypatch.setattr(here.stage, "open", fail)
        tournament = await here.play("t", plan("abc"))
        assert [failure.misconduct.player for failure in tournament.result.failures] == ["b"]
        assert "player b cannot be reached" in caplog.text


class FullDisk:
    """A store on whose disk there is room for so many entries of tournaments."""

    def __init__(self, store: Store, room: int) -> None:
        self._store = store
        self._room = room

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def begin(self, kind: str, *about: Any, **more: Any) -> Any:
        journal = self._store.begin(kind, *about, **more)
        return _FullJournal(journal, self._room) if kind == "tournament" else journal


class _FullJournal:
    def __init__(self, journal: Journal, room: int) -> None:
        self._journal = journal
        self._room = room
        self.saved = journal.saved

    def append(self, entry: bytes) -> None:
        self._room -= 1
        if self._room < 0:
            raise RecordsError("the disk is full")
        self._journal.append(entry)

    def finish(self, *_: Any) -> None:
        self.append(b"")


@pytest.mark.parametrize("room", range(1, 12))
async def test_a_full_disk_stops_a_tournament_at_once_and_it_goes_on_when_there_is_room(
    room: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with environment(store=FullDisk(Store.open(tmp_path), room)) as here:
        here.stage.act("b", start="raise")
        await here.manager.create("t", plan("abcde"))
        await here.manager.start("t")
        with pytest.raises(Refusal) as caught:
            await here.over("t")
        assert caught.value.reason == "RECORDS_UNAVAILABLE"
        assert "disk" not in caught.value.message
        assert "tournament t stops here: the disk is full" in caplog.text
    async with environment(tmp_path) as here:
        await here.manager.resume_all()
        tournament = await here.over("t")
        assert tournament.status == TournamentStatus.TOURNAMENT_STATUS_FINISHED
        assert here.findings() == []


async def test_who_waits_for_a_cancellation_is_told_that_the_disk_is_full(tmp_path: Path) -> None:
    async with environment(store=FullDisk(Store.open(tmp_path), 5)) as here:
        held = here.stage.act("a", start="hold")
        here.stage.act("b")
        await here.manager.create("t", plan("ab"))
        await here.manager.start("t")
        await held.at("start")
        cancelling = asyncio.create_task(here.manager.cancel("t", "rain"))
        await asyncio.sleep(0)
        held.release.set()
        with pytest.raises(Refusal, match="the records cannot be read or written; the server's log says more"):
            await cancelling


class Unsaved:
    """A journal of a store whose disk is found to be full only when what was written is to be saved."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.full = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)

    async def saved(self, **more: Any) -> None:
        if self.full:
            raise RecordsError("the disk is full")
        await self._journal.saved(**more)


class UnsavedStore(FullDisk):
    """A store whose journals say late that the disk is full."""

    full_at_once = False

    def begin(self, kind: str, *about: Any, **more: Any) -> Any:
        self.journal = Unsaved(self._store.begin(kind, *about, **more))
        self.journal.full = self.full_at_once
        return self.journal


async def test_no_request_is_answered_before_what_it_has_changed_is_on_disk(tmp_path: Path) -> None:
    ann = Player(name="ann", link="bot:first")
    requests: dict[str, Callable[[Manager], Awaitable[object]]] = {
        "sign_up": lambda manager: manager.sign_up("sign_up", ann, ""),
        "withdraw": lambda manager: manager.withdraw("withdraw", "ann", ""),
        "start": lambda manager: manager.start("start"),
    }
    store = UnsavedStore(Store.open(tmp_path), 0)
    async with environment(store=store) as here:
        for tournament_id, request in requests.items():
            await here.manager.create(tournament_id, plan("ab"))
            if tournament_id == "withdraw":
                await here.manager.sign_up(tournament_id, ann, "")
            store.journal.full = True
            with pytest.raises(RecordsError):
                await request(here.manager)
        store.full_at_once = True
        with pytest.raises(RecordsError):
            await here.manager.create("create", plan("ab"))


async def test_no_examination_is_answered_for_before_it_is_on_disk(tmp_path: Path) -> None:
    async def examine(*_: object) -> Finding:
        await asyncio.Event().wait()
        raise AssertionError("it has not ended")

    store = UnsavedStore(Store.open(tmp_path), 0)
    async with environment(store=store, examiner=Examiner(examine)) as here:
        asked = CertificatePolicy(examination=ExaminationPolicy())
        await here.manager.create("t", plan(certificate=asked))
        store.journal.full = True
        with pytest.raises(RecordsError):
            await here.manager.sign_up("t", Player(name="ann", link="grpc://127.0.0.1:1"), "")


async def test_a_sign_up_whose_end_cannot_be_saved_says_so_to_those_who_watch(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = UnsavedStore(Store.open(tmp_path), 0)
    async with environment(store=store) as here:
        await here.manager.create("t", plan("ab"))
        watching = asyncio.create_task(_all(here, "t"))
        await asyncio.sleep(0)
        store.journal.full = True
        for waiting in (here.manager.cancel("t", "rain"), watching):
            with pytest.raises(Refusal) as caught:
                await waiting
            assert caught.value.reason == "RECORDS_UNAVAILABLE"
        assert "the end of tournament t cannot be recorded: the disk is full" in caplog.text
        assert not here.manager.open_ids


async def test_players_that_are_being_reached_when_a_tournament_is_cancelled_hold_up_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with environment() as here:
        opened, reaching = here.stage.open, asyncio.Event()

        async def reach(player: Player, game: Any, *secret: str) -> Any:
            if player.name == "b":
                reaching.set()
                await asyncio.Event().wait()
            return await opened(player, game, *secret)

        monkeypatch.setattr(here.stage, "open", reach)
        await here.manager.create("t", plan("ab"))
        await here.manager.start("t")
        await reaching.wait()
        async with asyncio.timeout(20):
            tournament = await here.manager.cancel("t", "rain")
        assert tournament.status == TournamentStatus.TOURNAMENT_STATUS_CANCELLED
        assert here.findings() == []


async def test_a_player_that_cannot_be_let_go_is_named_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with environment() as here:
        opened, closed = here.stage.open, list[str]()

        async def open_and_close_badly(player: Player, game: Any, *secret: str) -> Any:
            link = await opened(player, game, *secret)
            close = link.close

            async def close_badly() -> None:
                closed.append(player.name)
                await close()
                if player.name == "a":
                    raise RuntimeError("a bug")

            monkeypatch.setattr(link, "close", close_badly)
            return link

        monkeypatch.setattr(here.stage, "open", open_and_close_badly)
        await here.play("t", plan("ab"))
        await here.gone()
        assert sorted(closed) == ["a", "b"]
        [record] = [each for each in caplog.records if "cannot be let go" in each.getMessage()]
        assert "tournament t" in record.getMessage() and record.exc_info


@pytest.mark.parametrize("broken", [False, True])
async def test_a_game_whose_record_is_damaged_is_aborted_and_one_without_a_disk_stops_the_tournament(
    broken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with environment() as here:

        async def fail(*_: object) -> None:
            raise RecordsError("the record is damaged")

        monkeypatch.setattr(LocalRunner, "play", fail)
        if not broken:
            [game] = (await here.play("t", plan("ab"))).rounds[0].games
            assert game.result.aborted == "the game could not be played: the record is damaged"
            return
        with monkeypatch.context() as meanwhile:
            meanwhile.setattr(Store, "failure", RecordsError("the disk is full"))
            await here.manager.create("t", plan("ab"))
            await here.manager.start("t")
            with pytest.raises(Refusal, match="the records cannot be read or written"):
                await here.over("t")


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


async def test_a_period_that_ends_when_the_disk_is_full_is_named_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    timers = Timers()
    async with environment(store=FullDisk(Store.open(tmp_path), 1), later=timers.later) as here:
        await here.manager.create("t", plan(waiting_period=Duration(seconds=30), period_count=1, min_entrant_count=2))
        await here.manager.sign_up("t", Player(name="ann", link="bot:first"), "")
        timers.ring()
        assert "the sign-up of tournament t cannot go on: the disk is full" in caplog.text


# What is known of tournaments that are over


async def test_standings_and_games_are_answered_a_page_at_a_time() -> None:
    async with environment() as here:
        await here.play("t", plan("abcdef"))
        whole, cursor = await here.manager.standings("t", 6, 0)
        assert (len(whole.standings), cursor) == (6, None)
        for limit, after, end in ((5, 0, 5), (4, 1, 5), (2, 4, None), (1, 6, None)):
            page, cursor = await here.manager.standings("t", limit, after)
            assert list(page.standings) == whole.standings[after : after + limit]
            assert cursor == end
        games, cursor = await here.manager.games("t", 3, 0)
        assert ([game.game_id for game in games], cursor) == (["t/r1g1", "t/r1g2", "t/r2g1"], None)
        for limit, after, end in ((2, 0, 2), (2, 1, None), (1, 1, 2), (5, 3, None)):
            page_of_games, cursor = await here.manager.games("t", limit, after)
            assert list(page_of_games) == games[after : after + limit]
            assert cursor == end


async def test_of_tournaments_that_are_over_a_few_are_kept_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    async with environment() as here:
        ids = "tuvwxy"
        for tournament_id in ids:
            await here.play(tournament_id, plan("ab"))
        await here.gone()
        read = here.store.read
        asked: list[str] = []

        def read_and_note(record_id: str) -> Record:
            asked.append(record_id)
            return read(record_id)

        monkeypatch.setattr(here.store, "read", read_and_note)
        for tournament_id in ids[:5]:
            assert (await here.manager.games(tournament_id, 9, 0))[0]
        assert asked == list(ids[:5])
        for tournament_id in (*ids[1:5], ids[0]):  # four were kept
            await here.manager.standings(tournament_id, 9, 0)
        assert asked == [*ids[:5], ids[0]]


async def test_a_tournament_whose_record_is_damaged_is_shown_without_its_games(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with environment() as here:
        await here.play("t", plan("ab"))
        await here.gone()
        monkeypatch.setattr(here.store, "read", lambda _: chained([b"\x0a\x00"]))
        assert here.manager.get("t").status == TournamentStatus.TOURNAMENT_STATUS_FINISHED
        for look in (here.manager.games, here.manager.standings):
            with pytest.raises(Refusal, match="the record of the tournament t is damaged") as caught:
                await look("t", 10, 0)
            assert caught.value.reason == "INTERNAL"


async def test_a_running_tournament_that_cannot_be_read_is_shown_as_it_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with environment(tmp_path) as here:
        here.stage.act("a", start="hold")
        await here.manager.create("t", plan("ab"))
        await here.manager.start("t")
    async with environment(tmp_path) as here:
        monkeypatch.setattr(here.store, "read", lambda _: chained([b"\x0a\x00"]))
        await here.manager.resume_all()
        shown = here.manager.get("t")
        assert (shown.tournament_id, shown.status) == ("t", TournamentStatus.TOURNAMENT_STATUS_SIGN_UP)
        assert [player.name for player in shown.entrants] == ["a", "b"]
        with pytest.raises(Refusal, match="could not be resumed; the server's log says why"):
            await here.manager.start("t")
