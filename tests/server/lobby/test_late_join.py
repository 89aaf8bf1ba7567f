"""Watchers who join a running race of Webset."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest

from fairplay.games.game import find as find_game
from fairplay.server.records.chain import parsed
from fairplay.server.records.consistency import check_filing
from fairplay.server.records.dataset import build_rows
from fairplay.server.records.published import published
from fairplay.server.records.verify import check_game, verify
from fairplay.server.server import Server
from fairplay.v1.game_pb2 import GameSettings, Player
from fairplay.v1.record_pb2 import RecordedJoin, RecordEntry
from fairplay.v1.referee_pb2 import ListGamesRequest, WatchGameRequest, WatchGameResponse
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.webset.v1 import webset_pb2
from fairplay.webset.v1 import webset_player_pb2 as messages
from tests.server.lobby.harness import LIMIT_S, OVER, PATIENT, RUNNING, Guest, Waiting, guests, lobby, mute
from tests.server.lobby.test_games import LONG
from tests.server.lobby.test_restart import again, crash


def thoughtful(method: str = "Act") -> Waiting:
    """Return a player of Webset that does not answer this method until it is let go."""
    return Waiting(method, "webset")


def quick() -> Waiting:
    """Return a player of Webset that answers at once."""
    player = thoughtful()
    player.let_go()
    return player


async def race(host: Guest, *, seat_count: int = 0, **chosen: Any) -> str:
    """Make a table of the small deck, let its maker alone begin a race there, and return the id of the game."""
    settings = webset_pb2.Settings(**{"aspects": 3, "min_players": 1, "late_join": True, **chosen})
    await host.ask(
        "CreateTable",
        name="t",
        game="webset",
        settings=GameSettings(webset=settings),
        time_control=LONG,
        seat_count=seat_count,
    )
    table = (await host.ask("JoinTable")).table
    table = table if seat_count else (await host.ask("StartTable")).table
    assert table.status == RUNNING
    return str(table.game_id)


async def watched(
    server: Server, game_id: str, after: int = 0, begun: asyncio.Event | None = None
) -> list[WatchGameResponse]:
    """Return all events of a game; `begun` is set when the first is there."""
    events = []
    async with grpc.aio.insecure_channel(server.address) as channel, asyncio.timeout(LIMIT_S):
        async for event in RefereeServiceStub(channel).WatchGame(
            WatchGameRequest(game_id=game_id, after_sequence=after)
        ):
            events.append(event)
            if begun is not None:
                begun.set()
    return events


async def first_events(server: Server, game_id: str) -> list[str | None]:
    """Return of which kinds the first two events are for who begins to watch now."""
    async with grpc.aio.insecure_channel(server.address) as channel, asyncio.timeout(LIMIT_S):
        stream = RefereeServiceStub(channel).WatchGame(WatchGameRequest(game_id=game_id))
        return [(await stream.read()).WhichOneof("event") for _ in range(2)]


def names_in(events: list[WatchGameResponse]) -> list[tuple[int, str]]:
    return [(event.joined.seat, event.joined.name) for event in events if event.HasField("joined")]


def entries(server: Server, game_id: str) -> list[RecordEntry]:
    return [*parsed(server.store.read(game_id))]


def check_record(server: Server, game_id: str, *names: str) -> None:
    """Check that the record is what the rules lead to, as it is and as it is handed out, and knows who has joined."""
    record = server.store.read(game_id)
    assert verify(record) == []
    assert verify(published(record)) == []
    listing = server.store.find(game_id)
    assert listing is not None
    assert check_filing(listing, record, server.store) == []
    joined = [entry.joined for entry in entries(server, game_id) if entry.HasField("joined")]
    assert [(each.seat, each.player.name) for each in joined] == list(enumerate(names, 1))
    assert all(not entry.joined.player.link for entry in parsed(published(record)))
    rows = build_rows(record, find_game)
    assert rows.game["players"] == ["ann", *names]
    assert {call["player"] for call in rows.calls} == {"ann", *names}


def check_forgeries(genuine: list[RecordEntry]) -> None:
    """Check that nobody can have joined elsewhere, under the name of another, earlier, together, or not at all."""
    at = next(number for number, entry in enumerate(genuine) if entry.HasField("joined"))

    def forged(**changes: Any) -> list[RecordEntry]:
        joined = RecordEntry()
        joined.CopyFrom(genuine[at])
        joined.joined.MergeFrom(RecordedJoin(**changes))
        return [*genuine[:at], joined, *genuine[at + 1 :]]

    assert check_game(genuine) == []
    forgeries = [
        forged(seat=2),
        forged(player=Player(name="ann")),
        forged(more_follow=True),
        [genuine[0], genuine[at], *genuine[1:at], *genuine[at + 1 :]],
        [*genuine[: at + 1], genuine[at], *genuine[at + 1 :]],
        [*genuine[:at], *genuine[at + 1 :]],
    ]
    for forgery in forgeries:
        assert check_game(forgery) != []


async def test_a_program_joins_a_race_and_plays_on_from_no_points(server: Server) -> None:
    async with (
        guests(server, "ann", "bob", "cy") as [ann, bob, cy],
        mute(server, ann, bob) as [slow, eager],
        slow.answering(thoughtful()) as waiting,
    ):
        game_id = await race(ann)
        await waiting.until_asked()
        watching = asyncio.create_task(watched(server, game_id, begun=(begun := asyncio.Event())))
        async with asyncio.timeout(LIMIT_S):
            await begun.wait()
        await bob.ask("WatchTable", table="t")
        assert [seat.name for seat in (await bob.ask("JoinTable")).table.seats] == ["ann", "bob"]
        first = await eager.next_call()
        reported = messages.DealRequest.FromString(first.request)
        assert (first.method_name.rpartition("/")[2], reported.seat) == ("Deal", 1)
        assert [player.points for player in reported.state.players] == [0, 0]
        assert reported.settings.late_join
        assert await first_events(server, game_id) == ["state", "joined"]
        await eager.reply(*quick()(first))
        async with eager.answering(quick()):
            await cy.sees(lambda known: known.table("t").status == OVER)
        result = server.referee.get(game_id).result
        assert not result.misconducts
        assert [[player.name for player in group.players] for group in result.ranking] == [["bob"], ["ann"]]
        events = await watching
        assert names_in(events) == names_in(await watched(server, game_id)) == [(1, "bob")]
        [joined] = [event for event in events if event.HasField("joined")]
        assert names_in(await watched(server, game_id, after=joined.sequence)) == []
        numbers = [event.sequence for event in events if not event.HasField("asked")]
        assert numbers == sorted(set(numbers))
        check_record(server, game_id, "bob")
        check_forgeries(entries(server, game_id))
        async with grpc.aio.insecure_channel(server.address) as channel:
            listed = await RefereeServiceStub(channel).ListGames(ListGamesRequest(player="bob"))
        assert [list(game.players) for game in listed.games] == [["ann", "bob"]]


async def test_who_comes_before_the_game_lets_anybody_in_waits_and_may_leave_and_come_back(server: Server) -> None:
    async with (
        guests(server, "ann", "bob", "cy") as [ann, bob, cy],
        mute(server, ann, bob) as [slow, late],
        slow.answering(thoughtful("Deal")) as dealt,
        late.answering(thoughtful()) as waiting,
    ):
        game_id = await race(ann)
        await dealt.until_asked()
        await bob.ask("JoinTable", table="t")
        await bob.ask("LeaveTable")
        assert [seat.present for seat in (await bob.ask("JoinTable", table="t")).table.seats] == [True, True]
        assert len(server.referee.get(game_id).plan.players) == 1
        await slow.reply(*dealt.hold("Act"))
        await waiting.until_asked()
        await bob.ask("LeaveTable")  # while it is asked: its player is out
        assert await bob.refused("JoinTable", table="t") == ("FAILED_PRECONDITION", "TABLE_RUNNING")
        await cy.ask("JoinTable", table="t", link="bot:solver")
        await cy.sees(lambda known: known.table("t").status == OVER)
        result = server.referee.get(game_id).result
        assert [(each.seat, each.player) for each in result.misconducts] == [(1, "bob")]
        assert "left the table" in result.misconducts[0].call_error.message
        assert sorted(one.name for group in result.ranking for one in group.players) == ["ann", "cy"]
        check_record(server, game_id, "bob", "cy")


async def test_who_may_not_join_is_told_why(server: Server) -> None:
    async with (
        guests(server, "ann", "bob") as [ann, bob],
        mute(server, ann) as [slow],
        slow.answering(thoughtful()) as waiting,
    ):
        for chosen in ({"late_join": False}, {"rounds": webset_pb2.ROUNDS_LOT}, {"seat_count": 1}):
            await race(ann, **chosen)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await bob.ask("JoinTable", table="t", link="bot:first")
            said = {
                True: "all 1 seats of the table t are taken",
                False: "the game of the table t goes on: watch it, and join when it is over",
            }
            assert caught.value.details() == said["seat_count" in chosen]
            await ann.ask("DeleteTable", table="t")
        game_id = await race(ann)
        await waiting.until_asked()
        assert await bob.refused("JoinTable", table="t", link="bot:nobody") == ("INVALID_ARGUMENT", "INVALID_LINK")
        await server.referee.stop(game_id, "enough")
        await bob.sees(lambda known: known.table("t").status == OVER)
        await bob.ask("JoinTable", table="t", link="bot:first")
        await bob.sees(lambda known: known.seats("t") == ["ann", "bob"])
        assert (await bob.ask("StartTable")).table.game_id != game_id


@pytest.mark.parametrize("held", ["Act", "Deal"])
async def test_a_race_goes_on_after_a_crash_with_those_who_have_joined(tmp_path: Path, held: str) -> None:
    """Hold the first player in Act, so that the other one is in the game, or in Deal, so that it still waits."""
    async with (
        lobby(PATIENT, records=tmp_path / "records") as server,
        guests(server, "ann", "bob") as before,
        mute(server, *before) as [one, other],
        one.answering(thoughtful(held)) as first,
        other.answering(thoughtful()) as second,
    ):
        game_id = await race(before[0])
        await first.until_asked()
        await before[1].ask("JoinTable", table="t")
        if held == "Act":
            await second.until_asked()
        records = await crash(server, tmp_path / "records")
        assert any(entry.HasField("joined") for entry in entries(server, game_id)) is (held == "Act")
        await server.stop()
    async with (
        lobby(PATIENT, records=records, start_limit_s=LIMIT_S) as server,
        guests(server, "cy") as [cy],
        again(server, *before) as [ann, bob],
        mute(server, ann, bob) as [one, other],
        one.answering(quick()),
        other.answering(quick()),
    ):
        assert [seat.name for seat in cy.mirror.table("t").seats] == ["ann", "bob"]
        await cy.sees(lambda known: known.table("t").status == OVER)
        result = server.referee.get(game_id).result
        assert not result.misconducts
        assert sorted(player.name for group in result.ranking for player in group.players) == ["ann", "bob"]
        check_record(server, game_id, "bob")
