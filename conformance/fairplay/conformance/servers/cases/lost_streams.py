"""Whether players whose stream has ended are waited for, and come back to their games."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from enum import Enum
from functools import partial
from typing import Any, NamedTuple

from fairplay.conformance.case import failure
from fairplay.conformance.servers.cases.connection import (
    END_LIMIT_S,
    FRAME_REPLIES,
    MOST_STRAYS,
    STRAY,
    check_ended,
)
from fairplay.conformance.servers.circumstances import TOKEN
from fairplay.conformance.servers.compare import check_blame, check_ranking, same
from fairplay.conformance.servers.context import (
    OPEN,
    STANDSTILL_S,
    TIMED,
    ServerContext,
    ordinary,
    server_case,
    together,
)
from fairplay.conformance.servers.players import Cast, Received, Stream
from fairplay.conformance.servers.scenes import (
    AMPLE_S,
    Manner,
    Scene,
    Script,
    any_of,
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
from fairplay.v1.referee_pb2 import PlayGameRequest, StopGameRequest
from fairplay.v1.result_pb2 import GameResult

WINDOW_S, SHARED_WINDOW_S, SHORT_WINDOW_S = 5.0, 3.0, 0.8
DEADLINE_S = 2.0
AWAY_S = 0.3
"""The shorter window is not over after so long."""


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


@server_case("connection.window-over", "RESUME-2", "RESUME-6", attempts=TIMED, mostly_waits=True)
async def window_over(context: ServerContext) -> None:
    """A player that does not come back within its window is disconnected; the game does not wait for its limit."""
    await together([_check_gone(context, SHORT_WINDOW_S), _check_window(context.apart())])


async def _check_window(context: ServerContext) -> None:
    """Check that the window of a player ends in time, also where another one of its stream comes back meanwhile.

    One that ends half a window late was counted from when the other one came. One that ends far later is no fault: the
    server may have stood still, for which it adds up to 10 s.
    """
    scene = ordinary(OPEN, at(0, "TakeTurn", hang), count=2)
    names, cast = context.new_names(2), Cast(scene.game, scene.actors())
    async with contextlib.AsyncExitStack() as stack:
        come = partial(context.dialled_in, cast, token=TOKEN, window_s=SHARED_WINDOW_S)
        stream = await stack.enter_async_context(come(names))
        request = context.request(scene, [f"dial-in:{name}" for name in names])
        playing = asyncio.ensure_future(context.ask("PlayGame", request))
        await wait_for_hung(cast)
        lost_s = time.monotonic()
        await stream.close()
        await asyncio.sleep(SHARED_WINDOW_S / 2)
        await stack.enter_async_context(come(names[1:], seats=[1]))
        result = (await playing).game.result
        took_s = time.monotonic() - lost_s
    due = expect(replace(scene, script=at(0, "TakeTurn", vanish)), request.game_id).misconducts
    check_blame(due, result.misconducts)
    if took_s < SHARED_WINDOW_S or SHARED_WINDOW_S * 1.4 < took_s < STANDSTILL_S - 1.1:
        raise failure(
            f"A player that does not come back must fail {SHARED_WINDOW_S:g} s after its stream was lost, by its "
            f"resume_window, also where another player of it comes back after {SHARED_WINDOW_S / 2:g} s; it failed "
            f"after {took_s:.2f} s."
        )


LEFT_OPEN = at(0, "TakeTurn", hang)


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

    async def check_goes_on(self) -> None:
        """Wait for the end of the game, and check that it ended as an undisturbed game does."""
        result = (await self.playing).game.result
        check_blame([], result.misconducts)
        check_ranking(expect(replace(self.scene, script=sound_script), self.request.game_id).result, result)


@asynccontextmanager
async def _waiting(
    context: ServerContext,
    token: str = TOKEN,
    script: Script = LEFT_OPEN,
    *,
    decision_s: float = AMPLE_S,
    deadline_s: float | None = None,
) -> AsyncIterator[Waiting]:
    """Begin a game, and yield when a player has left a call open; `decision_s` is the limit of decisions.

    The stream of the players has a deadline, if one is given.
    """
    limits = control(decision_s, decision_s, bank_s=AMPLE_S)
    scene = replace(ordinary(OPEN, script, count=2), control=limits)
    cast, names = Cast(scene.game, scene.actors()), context.new_names(2)
    coming = context.dialled_in(cast, names, token=token, window_s=WINDOW_S, deadline_s=deadline_s)
    async with coming as stream:
        assert stream.welcome is not None
        resume_token = stream.welcome.resume_token
        request = context.request(scene, [f"dial-in:{name}" for name in names])
        playing = asyncio.ensure_future(context.ask("PlayGame", request))
        try:
            hung = await wait_for_call(cast, lambda each: each.act is not None and each.act.manner is Manner.HANG)
            yield Waiting(scene, cast, names, stream, resume_token, request, playing, hung)
        finally:
            playing.cancel()


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


class Fate(Enum):
    """What becomes of the stream of a call before its time is over."""

    UP = "is up"
    LOST = "was lost"
    RESUMED = "was resumed"
    REPLACED = "was replaced"


@server_case(
    "connection.time-over",
    *("RESUME-1", "RESUME-4", "LATE-1", "FAIL-9"),
    attempts=TIMED,
    rest_s=STANDSTILL_S,
    mostly_waits=True,
)
async def time_over(context: ServerContext) -> None:
    """A call is over with its time, whatever becomes of its stream meanwhile: it is cancelled, and never sent again."""
    await asyncio.gather(*(_check_time_over(context.apart(), fate) for fate in Fate))


async def _check_time_over(context: ServerContext, fate: Fate) -> None:
    hangs = any_of(at(0, "TakeTurn", hang), at(0, "TakeTurn", hang, 2))  # when it comes again, too
    scene = replace(ordinary(OPEN, hangs, count=2), control=control(SHORT_WINDOW_S, SHORT_WINDOW_S))
    actors, names = scene.actors(), context.new_names(2)
    cast = Cast(scene.game, actors[:1])
    come = partial(context.dialled_in, cast, names[:1], token=TOKEN, window_s=WINDOW_S)
    async with contextlib.AsyncExitStack() as stack:
        stream = await stack.enter_async_context(come())
        await stack.enter_async_context(context.dialled_in(Cast(scene.game, actors[1:]), names[1:]))
        assert stream.welcome is not None
        resume = stream.welcome.resume_token
        request = context.request(scene, [f"dial-in:{name}" for name in names])
        playing = asyncio.ensure_future(context.ask("PlayGame", request))
        call_id = await wait_for_hung(cast)
        if fate in (Fate.LOST, Fate.RESUMED):
            await stream.close()
        if fate in (Fate.RESUMED, Fate.REPLACED):
            stream = await stack.enter_async_context(come(resume=resume if fate is Fate.RESUMED else b""))
        result = (await playing).game.result
        check_blame(expect(scene, request.game_id).misconducts, result.misconducts)
        due = f"The call must be cancelled whose time is over, and whose stream {fate.value}"
        if fate is not Fate.LOST and not await stream.was_cancelled(END_LIMIT_S):
            raise failure(f"{due}; it was not.")
        last = await stack.enter_async_context(come(resume=resume))
        assert last.welcome is not None
        if call_id in last.welcome.open_calls:
            raise failure(f"{due}; the welcome of the next stream names it as an open one.")


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
    """A program that comes back knows by the welcome which of its calls it still owes, and may answer them twice."""
    read = asyncio.Event()
    # The other player answers behind the strays, so that the game cannot be over before they are read.
    async with _waiting(context, script=any_of(LEFT_OPEN, at(1, "TakeTurn", wait_for(read)))) as game:
        await game.stream.close()
        come_back = context.dialled_in(game.cast, game.names, token=TOKEN, window_s=WINDOW_S, resume=game.resume_token)
        async with come_back as second:
            open_id = game.open_call.call_id
            await wait_for_call(game.cast, lambda each: each.call_id == open_id and each.answered_s is not None)
            # The second reply to a call that was sent twice is no stray one, of which there may be so many.
            strays = [Reply(id=number) for number in (open_id, *range(STRAY, STRAY + MOST_STRAYS))]
            await second.write(DialInRequest(replies=strays))
            read.set()
            await game.check_goes_on()
    assert second.welcome is not None
    same("Whether the welcome says that the stream was resumed", True, second.welcome.resumed)
    same("The calls that the welcome says are open", [open_id], list(second.welcome.open_calls))
    before, again = (each.metadata for each in game.again())
    same("The metadata of the call that was sent again", before, again)


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


@server_case("connection.deadline", "RESUME-1", "RESUME-3", attempts=TIMED, mostly_waits=True)
async def deadline(context: ServerContext) -> None:
    """A stream whose deadline is over is lost, whoever has set it: its program may come back."""
    async with _waiting(context, deadline_s=DEADLINE_S) as game:
        await asyncio.wait_for(game.stream.ended.wait(), AMPLE_S)
        async with context.dialled_in(game.cast, game.names, window_s=WINDOW_S, resume=game.resume_token):
            await game.check_goes_on()
        game.again()


CASES = (
    window_over,
    nobody_waits,
    time_left,
    due_while_lost,
    time_over,
    late_flood,
    resumed,
    deadline,
)
