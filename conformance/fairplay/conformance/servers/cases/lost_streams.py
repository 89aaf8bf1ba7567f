"""Whether players whose stream has ended are waited for, and come back to their games."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace

import grpc

from fairplay.conformance.case import failure
from fairplay.conformance.servers.cases.connection import END_LIMIT_S, FRAME_REPLIES, check_ended, make_cast
from fairplay.conformance.servers.compare import check_blame, check_order, check_ranking, same
from fairplay.conformance.servers.context import OPEN, ServerContext, ordinary, server_case
from fairplay.conformance.servers.players import Cast, Received, hello
from fairplay.conformance.servers.scenes import (
    AMPLE_S,
    Manner,
    any_of,
    at,
    expect,
    hang,
    slow,
    sound_script,
    span,
    vanish,
)
from fairplay.v1.connection_pb2 import DialInRequest, Reply
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.referee_pb2 import StopGameRequest

WINDOW_S = 5.0


@server_case("connection.resume", "RESUME-1", "RESUME-3", "TOKEN-6")
async def resume(context: ServerContext) -> None:
    """A player whose connection broke goes on with its game: what it was asked it is asked again, under the same id."""
    async with context.staged(ordinary(OPEN, at(0, "TakeTurn", hang)), window_s=WINDOW_S) as stage:
        first = stage.stream
        assert first is not None
        playing = asyncio.ensure_future(context.ask("PlayGame", stage.request))
        open_call = await wait_for_hung(stage.cast)
        assert first.welcome is not None
        await first.close()
        second = context.open_stream(stage.cast)
        try:
            said = hello(stage.scene.game, stage.names, "", WINDOW_S, first.welcome.resume_token)
            if not await second.open(said):
                raise failure(f"The server did not let a lost stream resume: {second.status} {second.reason}")
            game = (await playing).game
        finally:
            playing.cancel()
            await second.close()
    ids = [each.call_id for each in stage.cast.received]
    if ids.count(open_call) != 2:
        raise failure("The call that was open was not sent again, under the id that it had.")
    expected = expect(replace(stage.scene, script=sound_script), stage.request.game_id)
    check_blame(expected.misconducts, game.result.misconducts)
    again = ids.index(open_call)
    check_order(expected.calls, [each for index, each in enumerate(stage.cast.received) if index != again])


async def wait_for_hung(cast: Cast) -> int:
    """Wait for the call that a player leaves open, and return its id."""
    return (await wait_for_call(cast, lambda each: each.act is not None and each.act.manner is Manner.HANG)).call_id


async def wait_for_call(cast: Cast, wanted: Callable[[Received], bool]) -> Received:
    """Wait for a call to players, and return it."""
    async with asyncio.timeout(END_LIMIT_S):
        while True:
            for each in cast.received:
                if wanted(each):
                    return each
            await asyncio.sleep(0.01)


@server_case("connection.window-over", "RESUME-2")
async def window_over(context: ServerContext) -> None:
    """A player that does not come back within its window is disconnected; the game does not wait for its limit."""
    scene = ordinary(OPEN, at(0, "TakeTurn", vanish), count=2)
    async with context.staged(scene, window_s=0.5) as stage:
        game = (await context.ask("PlayGame", stage.request)).game
    check_blame(expect(scene, stage.request.game_id).misconducts[:1], game.result.misconducts[:1])


@server_case("connection.ends-with-ok", "BYE-1", "BYE-2")
async def ends_with_ok(context: ServerContext) -> None:
    """A stream that ends for a reason of the server's own is no failure of the program."""
    names = context.new_names(1)
    one, other = (context.dialled_in(make_cast(), names, token="token") for _ in range(2))
    async with one as first, other:
        await check_ended(first, "the connection whose name was taken over")
        if first.goodbye is None or first.status is not grpc.StatusCode.OK:
            raise failure(f"The connection must end with goodbye and OK; it ended with {first.status} {first.reason}")


@server_case("connection.half-close", "BYE-9")
async def half_close(context: ServerContext) -> None:
    """A program that has said all that it will say has left: nobody waits for it."""
    async with context.staged(ordinary(OPEN, at(0, "TakeTurn", hang), count=2), window_s=WINDOW_S) as stage:
        assert stage.stream is not None
        playing = asyncio.ensure_future(context.ask("PlayGame", stage.request))
        await wait_for_hung(stage.cast)
        await stage.stream.leave()
        await check_ended(stage.stream, "a connection whose caller has closed its side")
        if stage.stream.status is not grpc.StatusCode.OK:
            raise failure(f"The connection must end with OK; it ended with {stage.stream.status}")
        game = (await playing).game
    left = replace(stage.scene, script=at(0, "TakeTurn", vanish))
    check_blame(expect(left, stage.request.game_id).misconducts[:1], game.result.misconducts[:1])


async def _back(context: ServerContext, *, resuming: bool) -> None:
    """Lose a stream with an open call, dial in again, and check what the welcome says and that the game goes on."""
    scene = ordinary(OPEN, at(0, "TakeTurn", hang), count=2)
    scene = replace(scene, control=TimeControl(decision_limit=span(AMPLE_S), bank=span(AMPLE_S)))
    cast, names = Cast(scene.game, scene.actors()), context.new_names(2)
    async with context.dialled_in(cast, names, token="token", window_s=WINDOW_S) as first:
        request = context.request(scene, [f"dial-in:{name}" for name in names])
        playing = asyncio.ensure_future(context.ask("PlayGame", request))
        open_call = await wait_for_hung(cast)
        assert first.welcome is not None
    resume_token = first.welcome.resume_token if resuming else b""
    second = context.open_stream(cast)
    try:
        if not await second.open(hello(scene.game, names, "token", WINDOW_S, resume_token)):
            raise failure(f"The server did not let players come back: {second.status} {second.reason}")
        game = (await playing).game
    finally:
        playing.cancel()
        await second.close()
    assert second.welcome is not None
    same("Whether the welcome says that the stream was resumed", resuming, second.welcome.resumed)
    same("The calls that the welcome says are open", [open_call], list(second.welcome.open_calls))
    before, again = (each.metadata for each in cast.received if each.call_id == open_call)
    same("The metadata of the call that was sent again", before, again)
    check_ranking(expect(replace(scene, script=sound_script), request.game_id).result, game.result)


@server_case("connection.nobody-waits", "RESUME-7")
async def nobody_waits(context: ServerContext) -> None:
    """A player that has gone while another one was asked is not waited for when its turn comes."""
    thinks = at(1, "TakeTurn", slow(1.0))
    scene, names = ordinary(OPEN, thinks, count=2), context.new_names(2)
    actors = scene.actors()
    one, other = Cast(scene.game, actors[:1]), Cast(scene.game, actors[1:])
    async with context.dialled_in(other, names[1:]):
        async with context.dialled_in(one, names[:1]):
            request = context.request(scene, [f"dial-in:{name}" for name in names])
            playing = asyncio.ensure_future(context.ask("PlayGame", request))
            await wait_for_call(other, lambda each: each.method == "TakeTurn")
        game = (await playing).game
    left = replace(scene, script=any_of(thinks, at(0, "TakeTurn", vanish, 2)))
    check_blame(expect(left, request.game_id).misconducts, game.result.misconducts)


@server_case("connection.late-flood", "LATE-4")
async def late_flood(context: ServerContext) -> None:
    """One reply to a call that was cancelled is nobody's fault, thousands are a flood."""
    async with context.staged(ordinary(OPEN, at(0, "TakeTurn", hang), count=2)) as stage:
        assert stage.stream is not None
        playing = asyncio.ensure_future(context.ask("PlayGame", stage.request))
        call_id = await wait_for_hung(stage.cast)
        await context.ask("StopGame", StopGameRequest(game_id=stage.request.game_id))
        await playing
        await stage.stream.was_cancelled(END_LIMIT_S)
        await stage.stream.write(DialInRequest(replies=[Reply(id=call_id, response=b"")] * FRAME_REPLIES))
        await check_ended(stage.stream, "a connection that answers a cancelled call again and again")
    same("The reason for which the connection ended", "REPLY_FLOOD", stage.stream.reason)


@server_case("connection.resumed", "RESUME-4", "RESUME-5", "META-5")
async def resumed(context: ServerContext) -> None:
    """A program that comes back knows by the welcome which of its calls it still owes."""
    await _back(context, resuming=True)


@server_case("connection.fresh-hello", "RESUME-3", "RESUME-4", "RESUME-5")
async def fresh_hello(context: ServerContext) -> None:
    """A program that was started anew knows no resume token, and still gets the calls that its players owe."""
    await _back(context, resuming=False)


async def _part(context: ServerContext, *, replaced: bool) -> None:
    """Have the players of a stream come back one by one, while it is still there or was lost, and check their game."""
    scene = ordinary(OPEN, at(0, "TakeTurn", hang), count=2)
    cast, names = Cast(scene.game, scene.actors()), context.new_names(2)
    async with contextlib.AsyncExitStack() as stack:
        first = await stack.enter_async_context(context.dialled_in(cast, names, token="token", window_s=WINDOW_S))
        request = context.request(scene, [f"dial-in:{name}" for name in names])
        playing = asyncio.ensure_future(context.ask("PlayGame", request))
        stack.callback(playing.cancel)
        await wait_for_hung(cast)
        if not replaced:
            await first.close()
        for name, actor in zip(names, replace(scene, script=sound_script).actors(), strict=True):
            alone = Cast(scene.game, [actor])
            await stack.enter_async_context(context.dialled_in(alone, [name], token="token", window_s=WINDOW_S))
        game = (await playing).game
    check_ranking(expect(replace(scene, script=sound_script), request.game_id).result, game.result)


@server_case("connection.lost-in-parts", "RESUME-3", "RESUME-6")
async def lost_in_parts(context: ServerContext) -> None:
    """Players of one stream may come back in programs of their own, one after the other."""
    await _part(context, replaced=False)


@server_case("connection.replaced-in-parts", "TOKEN-3", "TOKEN-4")
async def replaced_in_parts(context: ServerContext) -> None:
    """Who takes one player over does not end the games of the others."""
    await _part(context, replaced=True)


CASES = (
    resume,
    window_over,
    ends_with_ok,
    half_close,
    nobody_waits,
    late_flood,
    resumed,
    fresh_hello,
    lost_in_parts,
    replaced_in_parts,
)
