"""The games of tables, without connections: how they begin, and what becomes of a table whose game is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration

from fairplay.server.errors import Refusal
from fairplay.server.records.errors import RecordsError
from fairplay.v1.game_pb2 import GameSettings, TimeControl
from fairplay.v1.referee_pb2 import Game
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.table_pb2 import Table as TableMessage
from tests.server.lobby.harness import OPEN, OVER, RUNNING
from tests.server.lobby.test_lobby import Hall, opened, reason_of
from tests.server.lobby.test_users import dial_in

LOST = "the game cannot go on; the server's log says why"


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


async def test_a_start_takes_no_time(hall: Hall) -> None:
    a, b = hall.enter("a", "b")
    table = hall.create(a)
    await hall.seat(table, a, b)
    starting = asyncio.create_task(hall.lobby.starts.start(a))
    for _ in range(20):
        await asyncio.sleep(0)
    assert starting.done()
    await hall.finish(table)


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


async def test_of_two_starts_at_once_the_one_that_came_by_itself_says_nothing(hall: Hall) -> None:
    a, b = hall.enter("a", "b")
    table = hall.create(a)
    await hall.seat(table, a, b)
    await hall.lobby.starts.set_ready(a, ready=True)
    seen = hall.last
    asked, ready = await asyncio.gather(hall.lobby.starts.start(a), hall.lobby.starts.set_ready(b, ready=True))
    assert (asked.status, ready.status) == (RUNNING, RUNNING)
    assert not any(event.HasField("spoken") for event in hall.sent_at(table, seen))
    await hall.finish(table)


async def test_a_start_by_itself_that_is_refused_is_said_at_the_table(hall: Hall) -> None:
    a, b = hall.enter("a", "b")
    table = hall.create(a, seat_count=2)
    hall.stage.forbidden.add("b")
    with pytest.raises(Refusal):
        await hall.seat(table, b)
    hall.stage.forbidden.clear()
    await hall.seat(table, a)
    seen = hall.last
    hall.stage.forbidden.add("a")
    await hall.seat(table, b)
    assert table.to_message().status == OPEN
    [spoken] = [event.spoken for event in hall.sent_at(table, seen) if event.HasField("spoken")]
    said = "The game does not start: this server does not start programs for others"
    assert (spoken.table, spoken.speaker, spoken.text) == ("t", "", said)


@pytest.mark.parametrize("error", [RecordsError("the disk is full"), Refusal("INTERNAL", "it is damaged")])
async def test_a_game_that_is_lost_is_over_without_a_winner_and_logged(
    hall: Hall, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    ann, bob = hall.enter("ann", "bob")
    table = hall.create(ann)
    await hall.seat(table, ann, bob)

    async def fail(_: object, __: str) -> None:
        for ___ in range(5):
            await asyncio.sleep(0)
        raise error

    hall.referee.play = fail  # type: ignore[method-assign, assignment]
    seen = hall.last
    assert (await hall.lobby.starts.start(ann)).status == RUNNING
    game_id = table.game_id
    await hall.over(table)
    assert f"game {game_id} cannot go on: {error}" in caplog.messages
    shown = [event.table for event in hall.read(seen) if event.HasField("table")][-1]
    assert (shown.status, shown.result.aborted) == (OVER, LOST)
    assert hall.recorded(table)


async def test_a_table_whose_record_cannot_be_written_any_more_is_over_all_the_same(
    hall: Hall, caplog: pytest.LogCaptureFixture
) -> None:
    ann, bob = hall.enter("ann", "bob")
    table = hall.create(ann)
    await hall.seat(table, ann, bob)
    ended = asyncio.Event()

    async def play(*_: object) -> Game:
        await ended.wait()
        return Game(result=GameResult(aborted="enough"))

    hall.referee.play = play  # type: ignore[method-assign, assignment]
    await hall.lobby.starts.start(ann)
    await hall.store.close()
    seen = hall.last
    ended.set()
    await hall.over(table)
    assert caplog.messages == ["the table t cannot be recorded any more: the store is closed"]
    [event] = hall.read(seen)
    assert (event.table.status, event.table.result.aborted) == (OVER, "enough")


async def test_a_start_that_is_refused_or_given_up_is_no_error_of_the_server(
    hall: Hall, caplog: pytest.LogCaptureFixture
) -> None:
    ann, bob = hall.enter("ann", "bob")
    table = hall.create(ann)
    await hall.seat(table, ann, bob)
    before = TableMessage()
    before.CopyFrom(table.to_message())
    hall.stage.forbidden.add("bob")
    with pytest.raises(Refusal) as refused:
        await hall.lobby.starts.start(ann)
    assert (refused.value.reason, refused.value.field) == ("EXEC_NOT_ALLOWED", "")
    assert table.to_message() == before
    assert hall.recorded(table)
    errors: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context))

    async def wait(*_: object) -> None:
        await asyncio.Event().wait()

    hall.referee.play = wait  # type: ignore[method-assign, assignment]
    await hall.lobby.starts.start(ann)
    for task in [*hall.lobby._games._tasks]:
        task.cancel()
    await asyncio.gather(*hall.lobby._games._tasks, return_exceptions=True)
    await asyncio.sleep(0)
    assert (errors, caplog.messages) == ([], [])
    assert not hall.lobby._games._tasks


async def test_a_game_that_does_not_begin_for_want_of_a_disk_is_logged(
    hall: Hall, caplog: pytest.LogCaptureFixture
) -> None:
    ann, bob = hall.enter("ann", "bob")
    table = hall.create(ann)
    await hall.seat(table, ann, bob)

    async def fail(*_: object) -> None:
        raise RecordsError("the disk is full")

    hall.referee.play = fail  # type: ignore[method-assign, assignment]
    with pytest.raises(RecordsError, match="the disk is full"):
        await hall.lobby.starts.start(ann)
    assert not table.running
    assert "a table's game was lost sight of" in caplog.messages
    assert [each.kind for each in hall.store.unfinished()] == ["table"]


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
    assert not hall.lobby._games._tasks
    assert table.running, "it goes on after a new start"


async def test_the_name_of_who_has_left_a_game_is_kept_until_the_game_is_over(hall: Hall) -> None:
    a, b, cy = hall.enter("a", "b", "cy")
    table = hall.create(cy)
    await hall.seat(table, a, b)
    await hall.lobby.starts.start(a)
    hall.lobby.leave(a)
    with pytest.raises(Refusal, match="a is kept for a user who owns a table or plays a game"):
        hall.enter("a")
    await hall.finish(table)
    assert [seat.name for seat in table.seats] == ["b"]
    assert hall.enter("a")[0].token != a.token


async def test_a_game_that_a_crash_came_before_is_over_on_the_disk_too(hall: Hall) -> None:
    ann, bob = hall.enter("ann", "bob")
    table = hall.create(ann)
    await hall.seat(table, ann, bob)
    table.begin("lost/game")
    hall.lobby._state.records.record(table)
    await hall.restart()
    table = hall.tables["t"]
    shown = table.to_message()
    assert (shown.status, shown.result.aborted) == (OVER, "the server was started again before the game began")
    assert hall.recorded(table)
    [new, old] = hall.store.list("table", limit=9)[0]
    assert (new.finished, old.finished) == (False, True)
    assert old.end_time_ns is not None
    assert 0 < old.start_time_ns <= old.end_time_ns
    assert old.start_time_ns <= new.start_time_ns <= old.end_time_ns


async def test_a_start_with_too_few_says_so_first_and_then_whose_player_is_not_there(hall: Hall) -> None:
    [ann] = hall.enter("ann")
    assert dial_in(hall.hub, "ann", ann.token)
    table = hall.create(ann)
    await hall.lobby.join(ann, "t", "")
    hall.hub.forget("ann")
    assert await reason_of(hall.lobby.starts.start(ann)) == "TOO_FEW_SEATS"
    await hall.lobby.starts.set_bots(ann, 1, "")
    assert await reason_of(hall.lobby.starts.start(ann)) == "NOT_DIALLED_IN"
    assert not table.running
