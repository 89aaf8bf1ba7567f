"""Tournaments of many are checked in a thread and driven in pieces, so that others have their turns meanwhile."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from fairplay.games.game import Game
from fairplay.games.kit.player_service import END, START
from fairplay.server.errors import Refusal
from fairplay.server.links.link import Done, Link, OpenCall
from fairplay.server.manager import driver
from fairplay.server.manager.manager import MAX_CHECKED_AT_ONCE
from fairplay.v1.game_pb2 import Player
from fairplay.v1.tournament_pb2 import TournamentStatus
from tests.server.manager.harness import Environment, environment, plan


async def test_a_large_plan_is_created_and_refused_as_a_small_one_is() -> None:
    names = [f"p{number}" for number in range(MAX_CHECKED_AT_ONCE + 1)]
    async with environment() as here:
        created = await here.manager.create("t", plan(names))
        assert [player.name for player in created.entrants] == names
        assert await here.manager.create("t", plan(names)) == created
        with pytest.raises(Refusal) as caught:
            await here.manager.create("u", plan([*names, "p0"]))
        assert caught.value.reason == "INVALID_PLAYERS"


class Turns:
    """The turns of the event loop, and how much was done in each of what is counted."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._turn = 0
        self.done: dict[str, Counter[int]] = {what: Counter() for what in ("opened", START.path, END.path, "closed")}
        self._next = self._loop.call_soon(self._tick)

    def _tick(self) -> None:
        self._turn += 1
        self._next = self._loop.call_soon(self._tick)

    def count(self, what: str) -> None:
        if what in self.done:
            self.done[what][self._turn] += 1

    def stop(self) -> None:
        self._next.cancel()


class CountedLink:
    """A link whose calls and end are counted."""

    def __init__(self, link: Link, count: Callable[[str], None]) -> None:
        self._link = link
        self._count = count

    def call(self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0) -> OpenCall:
        self._count(method)
        return self._link.call(method, request, limit_s, done, bank_s)

    async def close(self) -> None:
        self._count("closed")
        await self._link.close()


def count_turns(here: Environment, monkeypatch: pytest.MonkeyPatch) -> Turns:
    turns, opening = Turns(), here.stage.open

    async def opened(player: Player, game: Game, secret: str = "") -> Any:
        turns.count("opened")
        return CountedLink(await opening(player, game, secret), turns.count)

    monkeypatch.setattr(here.stage, "open", opened)
    monkeypatch.setattr(here.stage, "lost", lambda _: False)
    return turns


async def test_players_of_a_large_tournament_are_reached_and_let_go_a_few_a_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(driver, "AT_ONCE", 5)
    async with environment() as here:
        turns = count_turns(here, monkeypatch)
        over = await here.play("t", plan([f"p{number}" for number in range(23)]), within_s=60)
        async with asyncio.timeout(60):
            while sum(turns.done["closed"].values()) < 23:
                await asyncio.sleep(0)
        turns.stop()
    assert (over.status, len(over.result.failures)) == (TournamentStatus.TOURNAMENT_STATUS_FINISHED, 0)
    for what, done in turns.done.items():
        assert sum(done.values()) == 23, what
        assert max(done.values()) <= 5, what


@pytest.mark.parametrize("cancelled", [True, False], ids=["cancelled", "suspended"])
async def test_a_large_tournament_ends_while_its_players_are_called(
    cancelled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "AT_ONCE", 5)
    async with environment() as here:
        turns = count_turns(here, monkeypatch)
        await here.manager.create("t", plan([f"p{number}" for number in range(23)]))
        await here.manager.start("t")
        async with asyncio.timeout(60):
            while not turns.done[START.path]:
                await asyncio.sleep(0)
        if cancelled:
            assert (await here.manager.cancel("t", "enough")).reason == "enough"
            assert sum(turns.done[END.path].values()) == sum(turns.done[START.path].values())
        else:
            await here.manager.suspend_all()
            assert 0 < sum(turns.done[START.path].values()) < 23
        turns.stop()
