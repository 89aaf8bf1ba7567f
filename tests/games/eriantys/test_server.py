"""Eriantys on a real server: whole games between bots, a player at fault, and what spectators are sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import grpc

from fairplay.eriantys.v1.eriantys_player_pb2 import AskActionRequest
from fairplay.games.game import find
from fairplay.player.handlers import Handlers
from fairplay.server.server import Server
from fairplay.v1.connection_pb2 import Call, Reply
from fairplay.v1.game_pb2 import GameSettings, Player
from fairplay.v1.misconduct_pb2 import MISCONDUCT_KIND_RULE_VIOLATION
from fairplay.v1.referee_pb2 import GamePlan, PlayGameRequest, WatchGameRequest, WatchGameResponse
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from tests.games.eriantys.playing import does, game, messages, sound
from tests.games.eriantys.test_hidden import HIDDEN, words
from tests.server.harness import ByHand, serving


def plan(*links: str, **settings: Any) -> GamePlan:
    players = [Player(name="abcd"[seat], link=link) for seat, link in enumerate(links)]
    return GamePlan(
        game="eriantys", settings=GameSettings(eriantys=messages(mode="EXPERT", **settings)), players=players, seed=5
    )


async def test_a_game_on_the_server_is_the_game_of_the_conversation() -> None:
    specs = ("greedy", "random", "first", "random:seed=2")
    async with serving() as server, grpc.aio.insecure_channel(server.address) as channel:
        request = PlayGameRequest(game_id="g", plan=plan(*(f"bot:{spec}" for spec in specs)))
        played = await RefereeServiceStub(channel).PlayGame(request)
    groups = [[(player.seat, player.score) for player in group.players] for group in played.game.result.ranking]
    assert groups == [list(group) for group in game(sound(*specs), 4, 5, mode="EXPERT").outcome.ranking]


class Stubborn:
    """Plays as first, and answers AskAction with nothing; keeps what it is asked."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        self._handlers = Handlers(find("eriantys").player("first"))

    def answer(self, call: Call) -> Sequence[Reply]:
        method = next(method for method in find("eriantys").methods if method.path == call.method_name)
        self.requests.append(method.request.FromString(call.request))
        if method.name == "AskAction":
            return [Reply(id=call.id, response=does().SerializeToString())]
        return [Reply(id=call.id, response=self._handlers.call_now(call.method_name, call.request))]


async def played_and_watched(server: Server, referee: Any, player: Stubborn) -> tuple[Any, list[WatchGameResponse]]:
    """A game against two bots, and what a spectator was sent from before the first answer."""
    request = PlayGameRequest(game_id="g", plan=plan("dial-in:x", "bot:first", "bot:random"))
    async with ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        playing = asyncio.ensure_future(referee.PlayGame(request))
        first = await by_hand.next_call()
        events = aiter(referee.WatchGame(WatchGameRequest(game_id="g")))
        async with asyncio.timeout(30):
            now = await anext(events)
        later = asyncio.create_task(all_of(events))
        for reply in player.answer(first):
            await by_hand.reply(reply)
        async with by_hand.answering(player.answer):
            result = (await playing).game.result
        return result, [now, *await later]


async def all_of(events: AsyncIterator[WatchGameResponse]) -> list[WatchGameResponse]:
    return [event async for event in events]


async def test_a_player_that_answers_impossibly_three_times_is_to_blame_and_nothing_hidden_is_sent() -> None:
    player = Stubborn()
    async with serving() as server, grpc.aio.insecure_channel(server.address) as channel:
        result, events = await played_and_watched(server, RefereeServiceStub(channel), player)
    (misconduct,) = result.misconducts
    assert (misconduct.player, misconduct.kind) == ("a", MISCONDUCT_KIND_RULE_VIOLATION)
    assert misconduct.rule_break.rule_id == "eriantys.action.required"
    asked = [request for request in player.requests if isinstance(request, AskActionRequest)]
    assert [request.first_request for request in asked] == [True, False, False]
    assert sorted(each.name for group in result.ranking for each in group.players) == ["b", "c"]
    states = [event.state.eriantys for event in events if event.HasField("state")]
    assert len(states) > 50
    assert not HIDDEN & set().union(*map(words, [*player.requests, *states[:-1]]))
    (out,) = [event.eliminated for event in events if event.HasField("eliminated")]
    assert not (out.HasField("request") or out.HasField("reply") or out.rule_break.legal_replies)
