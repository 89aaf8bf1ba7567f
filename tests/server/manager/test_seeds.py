"""What follows from the seeds of a tournament, and when anybody is told."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc

from fairplay.games.game import find
from fairplay.games.kit.player_service import END
from fairplay.player.handlers import Handlers
from fairplay.server.manager.plan import SECRET_BYTES, derive_seed
from fairplay.server.net.errors import reason_of
from fairplay.server.server import Server
from fairplay.v1 import manager_pb2, referee_pb2
from fairplay.v1.connection_pb2 import Call, Reply
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.record_service_pb2 import GetRecordRequest
from fairplay.v1.record_service_pb2_grpc import RecordServiceStub
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.tournament_pb2 import Tournament, TournamentStatus
from tests.server.harness import ByHand, serving
from tests.server.manager.harness import plan


class Held:
    """A player that answers everything but End, until a test lets it."""

    def __init__(self) -> None:
        self.handlers = Handlers(find("q").player("dag"))
        self.ended = asyncio.Event()
        self.end: Call | None = None

    def answer(self, call: Call) -> list[Reply]:
        if call.method_name == END.path:
            self.end = call
            self.ended.set()
            return []
        return [Reply(id=call.id, response=self.handlers.call_now(call.method_name, call.request))]


async def test_hidden_things_of_a_tournament_are_shown_when_it_is_over_and_not_before() -> None:
    held, made = Held(), plan("abc", link="bot:dag", limit_s=60.0, min_entrant_count=2, max_entrant_count=4)
    made.game = "q"
    made.ClearField("seed")
    made.entrants.add(name="x", link="dial-in:x")
    async with (
        serving() as server,
        ByHand(server, "x") as by_hand,
        grpc.aio.insecure_channel(server.address) as channel,
    ):
        await by_hand.say_hello()
        manager: Any = ManagerServiceStub(channel)
        await manager.CreateTournament(manager_pb2.CreateTournamentRequest(tournament_id="t", plan=made))
        await manager.StartTournament(manager_pb2.StartTournamentRequest(tournament_id="t"))
        async with by_hand.answering(held.answer):
            async with asyncio.timeout(60):
                await held.ended.wait()  # all games are over, the tournament is not
            running = await tournament(manager)
            assert running.status == TournamentStatus.TOURNAMENT_STATUS_RUNNING
            assert (running.secret, running.plan.HasField("seed")) == (b"", False)
            assert await shown(channel) == (False, False, "RECORD_OPEN")
            assert held.end is not None
            await by_hand.reply(Reply(id=held.end.id, response=b""))
            await over(server)
            finished = await tournament(manager)
            assert len(finished.secret) == SECRET_BYTES
            assert await shown(channel) == (True, True, "")
            game = (await RefereeServiceStub(channel).GetGame(referee_pb2.GetGameRequest(game_id="t/r1g1"))).game
            assert game.plan.seed == derive_seed(finished.secret, "game", 1, 1)


async def tournament(manager: Any) -> Tournament:
    reply = await manager.GetTournament(manager_pb2.GetTournamentRequest(tournament_id="t"))
    return Tournament.FromString(reply.tournament.SerializeToString())


async def over(server: Server) -> None:
    async with asyncio.timeout(60):
        async for _ in server.manager.watch("t"):
            pass


async def shown(channel: grpc.aio.Channel) -> tuple[bool, bool, str]:
    """Return whether a game's seed is answered and its bag of tiles shown, and why its record is refused."""
    referee: Any = RefereeServiceStub(channel)
    game = (await referee.GetGame(referee_pb2.GetGameRequest(game_id="t/r1g1"))).game
    first = await anext(aiter(referee.WatchGame(referee_pb2.WatchGameRequest(game_id="t/r1g1"))))
    records: Any = RecordServiceStub(channel)
    reason = ""
    try:
        async for _ in records.GetRecord(GetRecordRequest(record_id="t/r1g1")):
            pass
    except grpc.aio.AioRpcError as error:
        reason = reason_of(error)
    return game.plan.HasField("seed"), bool(first.state.q.pile), reason
