"""What a driver waits for, and what it leaves behind when it is stopped or something fails."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from fairplay.server.access.caller import SERVER
from fairplay.server.access.game_quota import GameQuota
from fairplay.server.access.quotas import QuotaLimits
from fairplay.server.errors import Refusal
from fairplay.server.links.link import Clock, Done
from fairplay.server.links.program_options import ProgramOptions
from fairplay.server.manager import states
from fairplay.server.manager.course import Course
from fairplay.server.manager.driver import Driver, Services
from fairplay.server.manager.examiner import Examiner
from fairplay.server.manager.suite import Suite
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.journal import Journal
from fairplay.server.records.store import Store
from fairplay.server.runner import LocalRunner, NobodyPlaysError
from fairplay.v1.game_pb2 import Player
from fairplay.v1.record_pb2 import RecordEntry, TournamentChange
from fairplay.v1.referee_pb2 import GameStatus
from tests.server.manager.harness import Environment, environment, plan


async def wait_for(event: asyncio.Event) -> None:
    async with asyncio.timeout(30):
        await event.wait()


async def turns() -> None:
    """Let all that can go on without the disk go on."""
    for _ in range(50):
        await asyncio.sleep(0)


# What has to be on disk first


class HeldJournal:
    """A journal whose disk takes its time after so many entries of a kind, until a test says so."""

    def __init__(self, journal: Journal, kind: str, count: int) -> None:
        self._journal = journal
        self._kind = kind
        self._count = count
        self.held = asyncio.Event()
        self.free = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)

    def append(self, entry: bytes) -> None:
        self._journal.append(entry)
        self._count -= RecordEntry.FromString(entry).WhichOneof("entry") == self._kind
        if self._count == 0:
            self.held.set()

    async def saved(self, **more: Any) -> None:
        if self.held.is_set():
            await self.free.wait()
        await self._journal.saved(**more)


class HeldStore:
    """A store whose journals of tournaments are held."""

    def __init__(self, store: Store, kind: str, count: int) -> None:
        self._store = store
        self._held = kind, count

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def begin(self, kind: str, *about: Any, **more: Any) -> Any:
        journal = self._store.begin(kind, *about, **more)
        if kind != "tournament":
            return journal
        self.journal = HeldJournal(journal, *self._held)
        return self.journal


@pytest.mark.parametrize(("names", "game_count"), [("ab", 1), ("abcdef", 2)], ids=["end", "next round"])
async def test_nobody_is_asked_for_more_before_the_games_that_led_to_it_are_on_disk(
    names: str, game_count: int, tmp_path: Path
) -> None:
    store = HeldStore(Store.open(tmp_path), "played", game_count)
    async with environment(store=store) as here:
        for name in names:
            here.stage.act(name)
        await here.manager.create("t", plan(names))
        await here.manager.start("t")
        await wait_for(store.journal.held)
        await turns()
        assert {reported for _, reported in here.stage.log} == {"start"}
        assert len(here.store.list("game", limit=10)[0]) == game_count
        store.journal.free.set()
        assert (await here.over("t")).status == states.FINISHED


async def test_games_are_stopped_once_it_is_on_disk_that_their_tournament_is_cancelled(tmp_path: Path) -> None:
    store = HeldStore(Store.open(tmp_path), "change", 2)  # its start is the first one
    async with environment(store=store) as here:
        held = here.stage.act("a", setup="hold")
        await here.manager.create("t", plan("ab"))
        await here.manager.start("t")
        await held.at("setup")
        cancelling = asyncio.create_task(here.manager.cancel("t", "rain"))
        await wait_for(store.journal.held)
        await turns()
        assert here.referee.get("t/r1g1").status == GameStatus.GAME_STATUS_RUNNING
        store.journal.free.set()
        assert (await cancelling).status == states.CANCELLED
        assert here.referee.get("t/r1g1").status == GameStatus.GAME_STATUS_ABORTED


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
        assert (tournament.status, tournament.reason) == (states.CANCELLED, "rain")
        assert len(tournament.rounds[0].games) == 2
        assert all("cancelled: rain" in game.result.aborted for game in tournament.rounds[0].games)
        assert [(each.record_id, each.finished) for each in here.store.list("game", limit=9)[0]] == [("t/r1g1", True)]
        assert here.findings() == []


# Links


async def test_players_whose_links_are_lost_are_reached_again_for_their_game(monkeypatch: pytest.MonkeyPatch) -> None:
    async with environment() as here:
        opened, reached = here.stage.open, Counter[str]()

        async def count(player: Player, *about: Any) -> Any:
            reached[player.name] += 1
            return await opened(player, *about)

        monkeypatch.setattr(here.stage, "open", count)
        monkeypatch.setattr(here.stage, "lost", lambda _: True)
        await here.play("t", plan("ab"))
        await here.gone()
        assert reached == {"a": 2, "b": 2}
        assert here.stage.open_count == 0


class StillLink:
    """A link whose calls are answered when a test says so; it is the handle of its call, too."""

    def __init__(self, *, broken: bool = False) -> None:
        self._broken = broken
        self.called = asyncio.Event()
        self.cancelled = False

    def call(self, method: str, request: bytes, limit_s: float, done: Done) -> StillLink:
        if self._broken:
            raise RuntimeError("a bug")
        self.answer = done
        self.called.set()
        return self

    def cancel(self) -> None:
        self.cancelled = True

    async def close(self) -> None:
        pass


class Saved:
    """A journal in which all is saved."""

    async def saved(self) -> None:
        pass


@asynccontextmanager
async def driving(
    names: str = "ab",
    runner: Callable[[Environment], Any] = lambda here: LocalRunner(here.referee, here.store),
    append: Callable[[bytes], None] = lambda _: None,
    patch: Callable[[Environment], None] = lambda _: None,
) -> AsyncIterator[tuple[Driver, Course, asyncio.Task[None]]]:
    """Drive a tournament between these players, without a manager."""

    async with environment() as here:
        patch(here)
        message = await here.manager.create("t", plan(names))
        await here.manager.cancel("t", "another driver plays it")
        states.start(message, [*(await here.manager.create("u", plan(names))).entrants])
        course = Course(message, append, lambda _: None)
        journal: Any = Saved()
        examiner = Examiner(Suite(ProgramOptions()).examine)
        services = Services(runner(here), here.stage, here.hub, here.store, Clock(), examiner, lambda _: SERVER, 0)
        driver = Driver(course, journal, services)
        running = asyncio.create_task(driver.run())
        try:
            yield driver, course, running
        finally:
            await driver.close()


def placed(links: dict[str, StillLink]) -> Callable[[Environment], None]:
    """Return what gives players these links."""

    def patch(here: Environment) -> None:
        async def opened(player: Player, *_: object) -> Any:
            return links[player.name]

        here.stage.open = opened  # type: ignore[method-assign, assignment]

    return patch


async def test_when_the_server_stops_open_calls_are_cancelled_at_once() -> None:
    links = {name: StillLink() for name in "ab"}
    async with driving(patch=placed(links)) as (driver, _, running):
        for link in links.values():
            await wait_for(link.called)
        driver.suspend()
        assert all(link.cancelled for link in links.values())
        with pytest.raises(Refusal) as caught:
            await running
        assert caught.value.reason == "SHUTTING_DOWN"


async def test_when_an_answer_cannot_be_recorded_the_other_calls_are_cancelled_at_once() -> None:
    def full(_: bytes) -> None:
        raise RecordsError("the disk is full")

    links = {name: StillLink() for name in "ab"}
    async with driving(append=full, patch=placed(links)) as (_, _, running):
        for link in links.values():
            await wait_for(link.called)
        links["a"].answer(b"", 0.1)
        assert links["b"].cancelled
        with pytest.raises(RecordsError, match="the disk is full"):
            await running


async def test_when_a_call_cannot_be_made_the_others_are_cancelled_in_the_end() -> None:
    links = {"a": StillLink(), "b": StillLink(broken=True)}
    async with driving(patch=placed(links)) as (driver, _, running):
        with pytest.raises(RuntimeError, match="a bug"):
            await running
        await driver.close()
        assert links["a"].cancelled


# Games that cannot be played


class Failing(LocalRunner):
    """A runner that fails in every game, in that of the first place first."""

    def __init__(self, here: Environment, errors: dict[str, Exception]) -> None:
        super().__init__(here.referee, here.store)
        self._errors = errors

    async def play(self, plan: Any, game_id: str, *_: object) -> Any:
        if game_id.endswith("g2"):
            await turns()
        raise self._errors[game_id]


@pytest.mark.parametrize("first", [RuntimeError("a bug"), NobodyPlaysError("the cluster is gone")])
async def test_the_first_failure_to_play_ends_the_drive(first: Exception) -> None:
    errors = {"t/r1g1": first, "t/r1g2": RuntimeError("another bug")}
    async with driving("abcdef", runner=lambda here: Failing(here, errors)) as (_, _, running):
        with pytest.raises(type(first)) as caught:
            await running
        assert caught.value is first


class NoRoom(GameQuota):
    """A quota that has no room for a game."""

    def __init__(self) -> None:
        super().__init__(QuotaLimits())
        self.asked = asyncio.Event()

    @asynccontextmanager
    async def place(self, given_up: asyncio.Future[None]) -> AsyncIterator[None]:
        self.asked.set()
        await given_up
        yield


async def test_a_game_that_waits_for_its_turn_is_given_up_when_its_tournament_is_cancelled() -> None:
    quota = NoRoom()
    async with driving(patch=lambda here: setattr(here.stage, "quota", quota)) as (driver, course, running):
        await wait_for(quota.asked)
        course.cancel("rain")
        driver.cancel()
        async with asyncio.timeout(30):
            await running
        assert course.over
        assert course.message.rounds[0].games[0].result.aborted == "the tournament was cancelled: rain"


async def test_a_game_that_waits_for_its_turn_holds_up_no_server_that_stops() -> None:
    quota = NoRoom()
    runners: list[LocalRunner] = []

    def patch(here: Environment) -> None:
        here.stage.quota = quota
        runners.append(LocalRunner(here.referee, here.store))

    async with driving(patch=patch, runner=lambda _: runners[0]) as (driver, _, running):
        await wait_for(quota.asked)
        await runners[0].suspend()
        driver.suspend()
        with pytest.raises(Refusal) as caught:
            async with asyncio.timeout(30):
                await running
        assert caught.value.reason == "SHUTTING_DOWN"
