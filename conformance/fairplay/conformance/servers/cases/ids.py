"""Whether games are known by their ids: the same request never plays twice, another one is refused."""

from __future__ import annotations

import asyncio

import grpc

from fairplay.conformance.case import failure
from fairplay.conformance.servers.acts import at, slow
from fairplay.conformance.servers.compare import check_order, check_ranking, same
from fairplay.conformance.servers.context import OPEN, ServerContext, ordinary, server_case
from fairplay.conformance.servers.scenes import expect
from fairplay.v1.referee_pb2 import CreateGameRequest, GameStatus

PAUSE_S = 0.4


@server_case("ids.repeat", "A repeat of PlayGame returns the result of the game that is over.")
async def repeat(context: ServerContext) -> None:
    """A caller that lost the answer asks again, and the game is not played again."""
    async with context.staged(ordinary(OPEN)) as stage:
        first = (await context.ask("PlayGame", stage.request)).game
        again = (await context.ask("PlayGame", stage.request)).game
    check_order(expect(stage.scene, stage.request.game_id).calls, stage.cast.received)
    check_ranking(first.result, again.result)


@server_case("ids.at-once", "A repeat of PlayGame waits for the same game.")
async def at_once(context: ServerContext) -> None:
    """Two callers that ask for one game at the same time wait for one game."""
    async with context.staged(ordinary(OPEN)) as stage:
        one, other = await asyncio.gather(*(context.ask("PlayGame", stage.request) for _ in range(2)))
    check_order(expect(stage.scene, stage.request.game_id).calls, stage.cast.received)
    check_ranking(one.game.result, other.game.result)


@server_case("ids.other-request", "ID_REUSED")
async def other_request(context: ServerContext) -> None:
    """Whoever asks for another game under the same id must not take the result of the first one for its own."""
    async with context.staged(ordinary(OPEN)) as stage:
        await context.ask("PlayGame", stage.request)
        stage.request.plan.time_control.decision_limit.seconds += 1
        await context.refused("PlayGame", stage.request, "ID_REUSED")


@server_case("ids.chosen", "PlayGameRequest.game_id empty: the server chooses one.")
async def chosen(context: ServerContext) -> None:
    """A caller without an id of its own is told which one the game has."""
    async with context.staged(ordinary(OPEN, count=2)) as stage:
        stage.request.game_id = ""
        game = (await context.ask("PlayGame", stage.request)).game
    if not game.game_id:
        raise failure("The server must choose an id for a game without one.")


@server_case("ids.create", "CreateGame begins a game and returns at once.")
async def create(context: ServerContext) -> None:
    """A game that is begun can be watched and stopped; PlayGame with the same request waits for it."""
    async with context.staged(ordinary(OPEN, at(0, "PlayAs", slow(PAUSE_S)))) as stage:
        request = CreateGameRequest(game_id=stage.request.game_id, plan=stage.request.plan)
        begun = (await context.ask("CreateGame", request)).game
        same("The status of a game that has just begun", GameStatus.GAME_STATUS_RUNNING, begun.status)
        same("The id of the game", request.game_id, begun.game_id)
        game = (await context.ask("PlayGame", stage.request)).game
        again = (await context.ask("CreateGame", request)).game
    expected = expect(stage.scene, stage.request.game_id)
    check_order(expected.calls, stage.cast.received)
    check_ranking(expected.result, game.result)
    same("The status of the game that is over", GameStatus.GAME_STATUS_FINISHED, again.status)


@server_case("ids.caller-leaves", "The deadline or cancellation of PlayGame does not stop the game.")
async def caller_leaves(context: ServerContext) -> None:
    """A caller that goes away has not stopped the game: it asks again and has its result."""
    async with context.staged(ordinary(OPEN, at(0, "PlayAs", slow(2 * PAUSE_S)))) as stage:
        try:
            await context.ask("PlayGame", stage.request, PAUSE_S)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.DEADLINE_EXCEEDED:
                raise
        game = (await context.ask("PlayGame", stage.request)).game
    expected = expect(stage.scene, stage.request.game_id)
    check_order(expected.calls, stage.cast.received)
    check_ranking(expected.result, game.result)


CASES = (repeat, at_once, other_request, chosen, create, caller_leaves)
