"""The games of tables, without connections: how they begin, and how they are suspended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration

from fairplay.v1.game_pb2 import GameSettings, TimeControl
from tests.server.lobby.test_lobby import Hall, opened


@pytest.fixture
async def hall() -> AsyncIterator[Hall]:
    async with opened() as made:
        yield made


async def test_a_game_is_played_as_its_table_says(hall: Hall) -> None:
    [ann, bob] = hall.enter("ann", "bob")
    settings = GameSettings()
    settings.fish.rows = 6
    limits = TimeControl(decision_limit=Duration(seconds=7), first_decision_limit=Duration(seconds=8))
    made: list[tuple[str, dict[str, Any]]] = [("plain", {}), ("own", {"settings": settings, "time_control": limits})]
    for name, fields in made:
        table = hall.create(ann, name, **fields)
        await hall.seat(table, ann, bob)
        await hall.lobby.starts.start(ann)
        assert table.game_id.endswith("/game")
        plan = hall.referee.get(table.game_id).plan
        assert [(player.name, player.link) for player in plan.players] == [("ann", "bot:first"), ("bob", "bot:first")]
        assert (plan.settings.fish.rows == 6) is bool(fields)
        assert (plan.time_control.decision_limit.seconds == 7) is bool(fields)
        await hall.over(table)
        assert table.to_message().result.ranking


async def test_who_joins_in_the_moment_in_which_a_race_begins_is_let_in(hall: Hall) -> None:
    ann, bob = hall.enter("ann", "bob")
    settings = GameSettings()
    settings.webset.aspects, settings.webset.min_players, settings.webset.late_join = 3, 1, True
    table = hall.create(ann, game="webset", settings=settings)
    await hall.seat(table, ann)
    starting = asyncio.create_task(hall.lobby.starts.start(ann))
    while not table.running:
        await asyncio.sleep(0)
    assert hall.referee.seat_count(table.game_id) is None, "the game is about to begin"
    await hall.seat(table, bob)
    await starting
    assert hall.referee.seat_count(table.game_id) == 2
    await hall.over(table)


async def test_nothing_waits_for_games_that_are_suspended(hall: Hall) -> None:
    a, b = hall.enter("a", "b")
    table = hall.create(a)
    await hall.seat(table, a, b)
    await hall.lobby.starts.start(a)
    suspending = asyncio.create_task(hall.lobby.suspend_all())
    for _ in range(20):
        await asyncio.sleep(0)
    assert not suspending.done(), "the game has not been suspended yet"
    await hall.referee.suspend_all()
    await suspending
    assert table.running, "it goes on after a new start"
