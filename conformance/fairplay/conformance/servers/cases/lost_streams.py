"""Whether players whose stream has ended are waited for, and come back to their games."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import grpc

from fairplay.conformance.case import failure
from fairplay.conformance.servers.cases.connection import (
    CLOSED,
    END_LIMIT_S,
    FRAME_REPLIES,
    GONE_S,
    MOST_STRAYS,
    STRAY,
    check_ended,
    check_replaced,
    check_taken,
    make_cast,
)
from fairplay.conformance.servers.cases.tournaments import make_request
from fairplay.conformance.servers.circumstances import TOKEN
from fairplay.conformance.servers.compare import check_blame, check_ranking, same
from fairplay.conformance.servers.context import OPEN, STANDSTILL_S, TIMED, ServerContext, ordinary, server_case
from fairplay.conformance.servers.courses import check_order
from fairplay.conformance.servers.players import Cast, Received, Stream, hello
from fairplay.conformance.servers.scenes import (
    AMPLE_S,
    Actor,
    Manner,
    Scene,
    at,
    control,
    expect,
    hang,
    sound_script,
    vanish,
    wait_for,
)
from fairplay.server.links.link import BANK_KEY
from fairplay.v1.connection_pb2 import DialInRequest, Reply
from fairplay.v1.manager_pb2 import CancelTournamentRequest
from fairplay.v1.referee_pb2 import PlayGameRequest, StopGameRequest
from fairplay.v1.result_pb2 import GameResult

WINDOW_S, SHORT_WINDOW_S = 5.0, 0.8
AWAY_S = 0.3
"""The shorter window is not over after so long."""


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
        await asyncio.sleep(GONE_S)
        await check_taken(context, stage.names)
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
    check_order(expected, [each for index, each in enumerate(stage.cast.received) if index != again])
    await _check_entrants_kept(context)


async def _check_entrants_kept(context: ServerContext) -> None:
    """Check that names without a token whose players are entered in a tournament are kept while these are away."""
    names = context.new_names(2)
    request = make_request(context, [f"dial-in:{name}" for name in names])
    async with context.dialled_in(make_cast(), names) as stream:
        await context.ask("CreateTournament", request)
        assert stream.welcome is not None
        resume_token = stream.welcome.resume_token
    await asyncio.sleep(GONE_S)
    await check_taken(context, names)
    async with context.dialled_in(make_cast(), names, resume=resume_token):
        await context.ask("CancelTournament", CancelTournamentRequest(tournament_id=request.tournament_id))


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


@server_case("connection.window-over", "RESUME-2", mostly_waits=True)
async def window_over(context: ServerContext) -> None:
    """A player that does not come back within its window is disconnected; the game does not wait for its limit."""
    scene = ordinary(OPEN, at(0, "TakeTurn", vanish), count=2)
    async with context.staged(scene, window_s=SHORT_WINDOW_S) as stage:
        game = (await context.ask("PlayGame", stage.request)).game
    check_blame(expect(scene, stage.request.game_id).misconducts[:1], game.result.misconducts[:1])
    await _check_gone(context, SHORT_WINDOW_S)


@server_case("connection.ends-with-ok", "BYE-1", "BYE-2")
async def ends_with_ok(context: ServerContext) -> None:
    """A stream that ends for a reason of the server's own is no failure of the program."""
    names = context.new_names(1)
    one, other = (context.dialled_in(make_cast(), names, token="token") for _ in range(2))
    async with one as first, other:
        await check_ended(context, first, "the connection whose name was taken over")
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
        await check_ended(context, stage.stream, CLOSED)
        if stage.stream.status is not grpc.StatusCode.OK:
            raise failure(f"The connection must end with OK; it ended with {stage.stream.status}")
        game = (await playing).game
    left = replace(stage.scene, script=at(0, "TakeTurn", vanish))
    check_blame(expect(left, stage.request.game_id).misconducts[:1], game.result.misconducts[:1])


class Waiting(NamedTuple):
    """A game of two players on one stream, which waits for an answer of the first of them."""

    scene: Scene
    cast: Cast
    names: Sequence[str]
    stream: Stream
    resume_token: bytes
    request: PlayGameRequest
    playing: asyncio.Future[Any]
    open_call: Received

    def again(self) -> Sequence[Received]:
        """Return the open call as it came first, and as it came again. Raises Failure if it did not come again."""
        came = [each for each in self.cast.received if each.call_id == self.open_call.call_id]
        if len(came) != 2:
            raise failure("The call that was open was not sent again, under the id that it had.")
        return came

    def sound_actors(self) -> Sequence[Actor]:
        """Return players that answer everything."""
        return replace(self.scene, script=sound_script).actors()

    async def check_goes_on(self) -> None:
        """Wait for the end of the game, and check that it ended as an undisturbed game does."""
        result = (await self.playing).game.result
        check_blame([], result.misconducts)
        check_ranking(expect(replace(self.scene, script=sound_script), self.request.game_id).result, result)


@asynccontextmanager
async def _waiting(
    context: ServerContext, token: str = TOKEN, *, decision_s: float = AMPLE_S
) -> AsyncIterator[Waiting]:
    """Begin a game, and yield when a player has left a call open; `decision_s` is the limit of decisions."""
    limits = control(decision_s, decision_s, bank_s=AMPLE_S)
    scene = replace(ordinary(OPEN, at(0, "TakeTurn", hang), count=2), control=limits)
    cast, names = Cast(scene.game, scene.actors()), context.new_names(2)
    async with context.dialled_in(cast, names, token=token, window_s=WINDOW_S) as stream:
        assert stream.welcome is not None
        resume_token = stream.welcome.resume_token
        request = context.request(scene, [f"dial-in:{name}" for name in names])
        playing = asyncio.ensure_future(context.ask("PlayGame", request))
        try:
            hung = await wait_for_call(cast, lambda each: each.act is not None and each.act.manner is Manner.HANG)
            yield Waiting(scene, cast, names, stream, resume_token, request, playing, hung)
        finally:
            playing.cancel()


async def _back(context: ServerContext, *, resuming: bool, shown: bytes = b"") -> None:
    """Lose a stream with an open call, dial in again, and check what the welcome says and that the game goes on.

    `shown` is the resume token of who does not resume.
    """
    async with _waiting(context) as game:
        await game.stream.close()
        resume = game.resume_token if resuming else shown
        async with context.dialled_in(game.cast, game.names, token=TOKEN, window_s=WINDOW_S, resume=resume) as second:
            open_id = game.open_call.call_id
            await wait_for_call(game.cast, lambda each: each.call_id == open_id and each.answered_s is not None)
            # The second reply to a call that was sent twice is no stray one, of which there may be so many.
            strays = [Reply(id=number) for number in (open_id, *range(STRAY, STRAY + MOST_STRAYS))]
            await second.write(DialInRequest(replies=strays))
            await game.check_goes_on()
    assert second.welcome is not None
    same("Whether the welcome says that the stream was resumed", resuming, second.welcome.resumed)
    same("The calls that the welcome says are open", [open_id], list(second.welcome.open_calls))
    before, again = (each.metadata for each in game.again())
    same("The metadata of the call that was sent again", before, again)


@server_case("connection.nobody-waits", "RESUME-7", mostly_waits=True)
async def nobody_waits(context: ServerContext) -> None:
    """A player that has gone while another one was asked is not waited for when its turn comes."""
    await _check_gone(context, 0.0)


async def _check_gone(context: ServerContext, window_s: float) -> None:
    """Check that a player is charged which has gone while another one was asked, and does not come back."""
    scene, result = await _gone(context, window_s, returns=False)
    check_blame(expect(replace(scene, script=at(0, "TakeTurn", vanish, 2)), "gone").misconducts, result.misconducts)


@server_case("connection.due-while-lost", "RESUME-3", "FAIL-8", attempts=TIMED, rest_s=STANDSTILL_S, mostly_waits=True)
async def due_while_lost(context: ServerContext) -> None:
    """A player that is lost while another one is asked is waited for when its turn comes, as long as its window."""
    scene, result = await _gone(context, WINDOW_S, returns=True)
    check_blame([], result.misconducts)
    check_ranking(expect(scene, "gone").result, result)


async def _gone(context: ServerContext, window_s: float, *, returns: bool) -> tuple[Scene, GameResult]:
    """Have a player go while another one is asked. Return a scene in which all is answered, and how the game ended.

    A player that `returns` dials in again when its turn has come. The call must say what is left of its time.
    """
    gate = asyncio.Event()
    scene, names = ordinary(OPEN, at(1, "TakeTurn", wait_for(gate)), count=2), context.new_names(2)
    actors = scene.actors()
    one, other = Cast(scene.game, actors[:1]), Cast(scene.game, actors[1:])
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(context.dialled_in(other, names[1:]))
        async with context.dialled_in(one, names[:1], window_s=window_s) as lost:
            request = context.request(scene, [f"dial-in:{name}" for name in names])
            playing = asyncio.ensure_future(context.ask("PlayGame", request))
            await wait_for_call(other, lambda each: each.method == "TakeTurn")
        await asyncio.sleep(AWAY_S)  # the server has to know of it first
        gate.set()
        await asyncio.sleep(AWAY_S)
        if returns:
            assert lost.welcome is not None
            resume = lost.welcome.resume_token
            await stack.enter_async_context(context.dialled_in(one, names[:1], window_s=window_s, resume=resume))
        result = (await playing).game.result
    for each in [each for each in one.received if each.method == "TakeTurn"][1:2]:
        if each.limit_s > AMPLE_S - AWAY_S / 2:
            raise failure(
                f"The time of a call that falls due while its player is away runs: of {AMPLE_S:g} s at most "
                f"{AMPLE_S - AWAY_S:g} s were left when it was sent; it says {each.limit_s:.2f} s."
            )
    return replace(scene, script=sound_script), result


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
        await check_ended(context, stage.stream, "a connection that answers a cancelled call again and again")
    same("The reason for which the connection ended", "REPLY_FLOOD", stage.stream.reason)


@server_case("connection.resumed", "LATE-4", "RESUME-4", "RESUME-5", "META-5")
async def resumed(context: ServerContext) -> None:
    """A program that comes back knows by the welcome which of its calls it still owes."""
    await _back(context, resuming=True)


@server_case("connection.fresh-hello", "RESUME-3", "RESUME-4", "RESUME-5")
async def fresh_hello(context: ServerContext) -> None:
    """A program that was started anew knows no resume token, and still gets the calls that its players owe."""
    for shown in (b"", b"a token of nobody"):
        await _back(context, resuming=False, shown=shown)


@server_case("connection.time-left", "RESUME-3", "TIME-12", attempts=TIMED, rest_s=STANDSTILL_S, mostly_waits=True)
async def time_left(context: ServerContext) -> None:
    """A call that comes again names what is left of its time: whoever believes in more is late.

    All of its time counts: what it took beyond its limit is gone from the bank, whenever that was.
    """
    for resuming in (True, False):
        begun_s = time.monotonic()
        async with _waiting(context, decision_s=AWAY_S) as game:
            await asyncio.sleep(AWAY_S)
            await game.stream.close()
            await asyncio.sleep(AWAY_S)
            back_s = time.monotonic()
            resume = game.resume_token if resuming else b""
            async with context.dialled_in(game.cast, game.names, token=TOKEN, window_s=WINDOW_S, resume=resume):
                await game.check_goes_on()
        before, again = game.again()
        most_s, least_s = before.limit_s - (back_s - before.at_s), before.limit_s - (again.at_s - begun_s)
        if not least_s - 0.01 <= again.limit_s <= most_s + 0.01:
            raise failure(
                f"Of the {before.limit_s:.2f} s of the call {least_s:.2f} to {most_s:.2f} s were left when it was sent "
                f"again; it says {again.limit_s:.2f} s."
            )
        _check_bank(game, AMPLE_S + AWAY_S - (back_s - before.at_s), AMPLE_S + AWAY_S - (time.monotonic() - begun_s))


def _check_bank(game: Waiting, most_s: float, least_s: float) -> None:
    """Check what the turn behind the open call says of the bank of its player."""
    turns = [each for each in game.cast.received if (each.seat, each.method) == (0, "TakeTurn")]
    left_s = int(next(each for each in turns if each.call_id != game.open_call.call_id).metadata[BANK_KEY]) / 1000
    if not least_s - 0.01 <= left_s <= most_s + 0.01:
        raise failure(
            f"The bank of a player whose stream was lost in its turn must be {least_s:.2f} to {most_s:.2f} s in the "
            f"next one, by what it took of it; it is {left_s:.2f} s."
        )


@server_case("connection.resumed-in-part", "RESUME-5")
async def resumed_in_part(context: ServerContext) -> None:
    """A stream is resumed by all of its players, in whatever order, or it is another stream."""
    title = "Whether the welcome says that the stream was resumed, where the hello names"
    async with _waiting(context) as game:
        await game.stream.close()
        first, second = ([each] for each in game.sound_actors())
        come_back = partial(context.dialled_in, token=TOKEN, window_s=WINDOW_S)
        async with come_back(Cast(game.scene.game, second), game.names[1:], resume=game.resume_token) as part:
            assert part.welcome is not None
            same(f"{title} one of its two players", False, part.welcome.resumed)
            async with come_back(Cast(game.scene.game, first), game.names[:1]):
                await game.check_goes_on()
    async with _waiting(context) as game:
        await game.stream.close()
        backwards = Cast(game.scene.game, game.sound_actors()[::-1])
        async with come_back(backwards, game.names[::-1], resume=game.resume_token) as whole:
            assert whole.welcome is not None
            same(f"{title} its players in another order", True, whole.welcome.resumed)
            again = await wait_for_call(backwards, lambda each: each.call_id == game.open_call.call_id)
            if again.seat != 1:
                raise failure(
                    "The welcome must number the players in the order of its own hello: the open call of the player "
                    "that this names second came to the first."
                )
            await game.check_goes_on()


@server_case("connection.carried-on", "TOKEN-3", "RESUME-3", "RESUME-5", "BYE-1", "BYE-2")
async def carried_on(context: ServerContext) -> None:
    """A stream that another one carries on by its resume token is told so while it is still there."""
    async with _waiting(context, token="") as game:
        resume = game.resume_token
        async with context.dialled_in(game.cast, game.names, window_s=WINDOW_S, resume=resume) as second:
            await check_replaced(context, game.stream)
            same("How the former connection ended", grpc.StatusCode.OK, game.stream.status)
            await game.check_goes_on()
    assert second.welcome is not None
    same("Whether the welcome says that the stream was resumed", True, second.welcome.resumed)
    game.again()


async def _part(context: ServerContext, *, replaced: bool) -> None:
    """Have the players of a stream come back one by one, while it is still there or was lost, and check their game."""
    async with _waiting(context) as game, contextlib.AsyncExitStack() as stack:
        if not replaced:
            await game.stream.close()
        for name, actor in zip(game.names, game.sound_actors(), strict=True):
            alone = Cast(game.scene.game, [actor])
            await stack.enter_async_context(context.dialled_in(alone, [name], token=TOKEN, window_s=WINDOW_S))
            if replaced:
                await check_replaced(context, game.stream)
        await game.check_goes_on()


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
    due_while_lost,
    late_flood,
    resumed,
    fresh_hello,
    time_left,
    resumed_in_part,
    carried_on,
    lost_in_parts,
    replaced_in_parts,
)
