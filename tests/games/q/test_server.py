"""Q on a real server: what goes over the wire to a player and to spectators while a game is played."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import grpc

from fairplay.games.game import find
from fairplay.player.handlers import Handlers
from fairplay.q.v1 import q_pb2, q_player_pb2
from fairplay.server.server import Server
from fairplay.v1.connection_pb2 import Call, Reply
from fairplay.v1.game_pb2 import GameSettings, Player
from fairplay.v1.referee_pb2 import GamePlan, PlayGameRequest, WatchGameRequest, WatchGameResponse
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from tests.games.q.playing import extension, fresh, reply, sound
from tests.games.q.test_hidden import tiles_said
from tests.server.harness import ByHand, serving

PLAN = GamePlan(
    game="q",
    settings=GameSettings(q=q_pb2.Settings(copies_per_kind=2)),
    players=[
        Player(name="a", link="dial-in:x"),
        Player(name="b", link="bot:ldasg"),
        Player(name="c", link="bot:random"),
    ],
    seed=1,
)
CHEATS_IN_TURN = 3


class Cheat:
    """Plays as dag, and breaks a rule in its third turn; keeps all requests."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        self._turns = 0
        self._handlers = Handlers(find("q").player("dag"))

    def answer(self, call: Call) -> Sequence[Reply]:
        method = next(method for method in find("q").methods if method.path == call.method_name)
        self.requests.append(method.request.FromString(call.request))
        if method.name == "TakeTurn":
            self._turns += 1
            if self._turns == CHEATS_IN_TURN:
                return [Reply(id=call.id, response=reply(extension((99, 99, "red star"))).SerializeToString())]
        return [Reply(id=call.id, response=self._handlers.call_now(call.method_name, call.request))]


async def all_of(events: AsyncIterator[WatchGameResponse]) -> list[WatchGameResponse]:
    return [event async for event in events]


async def played_and_watched(server: Server, referee: Any, cheat: Cheat) -> tuple[Any, list[WatchGameResponse]]:
    """A game, and what a spectator was sent from before the first call was answered."""
    async with ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        playing = asyncio.ensure_future(referee.PlayGame(PlayGameRequest(game_id="g", plan=PLAN)))
        first = await by_hand.next_call()
        events = aiter(referee.WatchGame(WatchGameRequest(game_id="g")))
        async with asyncio.timeout(30):
            now = await anext(events)
        later = asyncio.create_task(all_of(events))
        for answer in cheat.answer(first):
            await by_hand.reply(answer)
        answering = asyncio.create_task(by_hand.play(cheat.answer))
        game = (await playing).game
        answering.cancel()
        await asyncio.gather(answering, return_exceptions=True)
        return game, [now, *await later]


async def test_neither_a_player_nor_a_spectator_is_sent_what_it_may_not_see() -> None:
    cheat = Cheat()
    async with serving() as server, grpc.aio.insecure_channel(server.address) as channel:
        game, events = await played_and_watched(server, RefereeServiceStub(channel), cheat)
    assert [misconduct.player for misconduct in game.result.misconducts] == ["a"]
    assert len(cheat.requests) == 2 * CHEATS_IN_TURN  # setup, and new tiles but after the last turn
    for request in cheat.requests:
        own = {"state.tiles", "state.players[0].hand", "tiles"}
        assert {path for path, _ in tiles_said(request)} <= own
    assert isinstance(cheat.requests[-1], q_player_pb2.TakeTurnRequest)
    states = [event.state.q for event in events if event.HasField("state")]
    assert len(states) > 10
    for state in states:
        assert {path for path, _ in tiles_said(state) if not path.startswith("last_turn.")} == {"tiles"}
    (out,) = [event.eliminated for event in events if event.HasField("eliminated")]
    assert list(tiles_said(out)) == []
    assert not (out.HasField("request") or out.HasField("reply") or out.rule_break.legal_replies)
    assert "[99, 99]" in out.rule_break.explanation
    assert "star" not in out.rule_break.explanation
    assert events[-1].finished == game.result


async def test_a_game_on_the_server_is_the_game_of_the_conversation() -> None:
    plan = GamePlan()
    plan.CopyFrom(PLAN)
    plan.players[0].link = "bot:dag"
    async with serving() as server, grpc.aio.insecure_channel(server.address) as channel:
        played = await RefereeServiceStub(channel).PlayGame(PlayGameRequest(game_id="g", plan=plan))
    groups = [[(player.seat, player.score) for player in group.players] for group in played.game.result.ranking]
    played = fresh(sound("dag", "ldasg", "random"), 3, 1, copies_per_kind=2)
    assert groups == [list(group) for group in played.outcome.ranking]
