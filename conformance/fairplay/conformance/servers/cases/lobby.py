"""Cases about players that join a running game at a table. A server without LobbyService is not asked."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import grpc
from google.protobuf.duration_pb2 import Duration

from fairplay.conformance.case import NotApplicable, failure
from fairplay.conformance.servers.cases.lost_streams import wait_for_call
from fairplay.conformance.servers.cases.races import setting
from fairplay.conformance.servers.circumstances import CONTROLS, WINDOW_S, check_again
from fairplay.conformance.servers.compare import difference, same
from fairplay.conformance.servers.context import RACE, ServerContext, ordinary, server_case
from fairplay.conformance.servers.courses import (
    check_events,
    check_misconducts,
    check_received,
    check_result,
    follow,
)
from fairplay.conformance.servers.players import Cast, Received, Served, Stream, check_secrets, secret_of
from fairplay.conformance.servers.scenes import (
    Act,
    Asked,
    Scene,
    Script,
    any_of,
    at,
    fail,
    reply,
    slow,
    wait_for,
)
from fairplay.games.envelopes import wrap
from fairplay.v1.game_pb2 import GameSettings, TimeControl
from fairplay.v1.lobby_pb2 import CreateTableRequest, EnterRequest, JoinTableRequest, StartTableRequest
from fairplay.v1.referee_pb2 import Game, GetGameRequest, WatchGameRequest, WatchGameResponse

LATE: dict[str, Any] = {"aspects": 3, "min_players": 1, "late_join": True}
"""Settings of a short race that one player begins."""
HANDICAPS = [Duration(nanos=40_000_000), Duration(), Duration(nanos=20_000_000)]
SETTINGS: tuple[dict[str, Any], ...] = (
    {**setting("more_rule", "MORE_RULE_ALL_AGREE"), "locked_until_change": True},
    {**setting("selection", "SELECTION_SINGLE"), "strategy": "solver:singly=1"},
)
SLOW_S = 0.1
FIRST, SECOND, THIRD = range(3)
BEFORE, RETURNED, LATE_COMER, AFTERWARDS = "before", "again after the first event", "late", "afterwards"
ACT, DEAL, PICK_CARDS = "Act", "Deal", "PickCards"


class Joined(NamedTuple):
    """A game that a player has begun alone, and that two others have joined."""

    scene: Scene
    names: Sequence[str]
    received: Sequence[Received]
    game: Game
    told: Mapping[str, Sequence[WatchGameResponse]]
    """What spectators were told, by when they came."""


class _Table:
    """A table of the lobby, at which players that have dialled in take seats."""

    def __init__(self, context: ServerContext, scene: Scene) -> None:
        self._context = context
        self._scene = scene
        self._name = context.new_short_name()
        self._tokens: list[str] = []

    async def begin(self, names: Sequence[str]) -> str:
        """Let all enter the lobby, and the first of them begin a game; return its id."""
        for name in names:
            self._tokens.append((await self._context.ask("Enter", EnterRequest(name=name))).token)
        scene, token = self._scene, self._tokens[0]
        settings = wrap(GameSettings, scene.game, scene.settings)
        table = CreateTableRequest(
            token=token, name=self._name, game=scene.game.name, settings=settings, time_control=scene.control
        )
        await self._context.ask("CreateTable", table)
        await self.join(0)
        return str((await self._context.ask("StartTable", StartTableRequest(token=token))).table.game_id)

    async def join(self, seat: int, link: str = "", secret: str = "") -> None:
        """Let a player take a seat; without a link it is the one that has dialled in."""
        joining = JoinTableRequest(token=self._tokens[seat], table=self._name, link=link, secret=secret)
        await self._context.ask("JoinTable", joining)


@asynccontextmanager
async def _hosted(context: ServerContext, cast: Cast) -> AsyncIterator[tuple[Sequence[str], Stream]]:
    """Dial in with players, and yield their names and their connection. Raises NotApplicable if there is no lobby."""
    names = [context.new_short_name() for _ in range(len(cast))]
    try:
        async with context.dialled_in(cast, names, window_s=WINDOW_S) as stream:
            yield names, stream
    except grpc.aio.AioRpcError as error:
        if error.code() is grpc.StatusCode.UNIMPLEMENTED:
            raise NotApplicable("this server has no LobbyService") from None
        raise


async def _until_called(stream: Stream, seat: int, method: str, count: int = 1) -> None:
    """Wait until a seat has been called so often with a method."""
    while sum((each.seat, each.method) == (seat, method) for each in stream.cast.received) < count:
        stream.called.clear()
        await stream.called.wait()


def _slow_down(asked: Asked) -> Act | None:
    """Leave the sets to those who join, after the first ones."""
    return slow(SLOW_S)(asked) if (asked.seat, asked.method) == (FIRST, ACT) and asked.number > 3 else None


async def _joined(
    context: ServerContext, script: Script, limits: TimeControl, strategy: str = "solver", **values: Any
) -> Joined:
    """Have a race begun by one player, who has points when two more join, one after the other.

    Then all are lost, and come back in the opposite order.
    """
    gate = asyncio.Event()
    held = any_of(at(FIRST, ACT, wait_for(gate), 3), *(at(seat, ACT, wait_for(gate)) for seat in (SECOND, THIRD)))
    scene = ordinary(RACE, any_of(held, script, _slow_down), **LATE, **values)
    scene = replace(scene, strategies=(strategy,), control=limits)
    cast, table, events = Cast(scene.game, scene.actors()), _Table(context, scene), list[WatchGameResponse]()
    cast.repeats = True

    async def watch(after: int = 0) -> Sequence[WatchGameResponse]:
        return await context.apart().stream_all("WatchGame", WatchGameRequest(game_id=game_id, after_sequence=after))

    async with AsyncExitStack() as stack:
        names, stream = await stack.enter_async_context(_hosted(context, cast))
        game_id = await table.begin(names)
        try:
            await _until_called(stream, FIRST, ACT, 3)
            async with aclosing(context.stream("WatchGame", WatchGameRequest(game_id=game_id))) as told:  # type: ignore[type-var]
                events.append(await anext(told))
                for seat in (SECOND, THIRD):
                    await table.join(seat)
                    await _until_called(stream, seat, ACT)
                others = [asyncio.ensure_future(watch(after)) for after in (events[0].sequence, 0)]
                await stream.close()
                assert stream.welcome is not None
                back, seats = stream.welcome.resume_token, range(len(names))[::-1]
                again = await stack.enter_async_context(
                    context.dialled_in(cast, names[::-1], resume=back, window_s=WINDOW_S, seats=seats)
                )
                gate.set()
                events += [event async for event in told]
                came = dict(zip((RETURNED, LATE_COMER), await asyncio.gather(*others), strict=True))
        finally:
            gate.set()
        played = (await context.ask("GetGame", GetGameRequest(game_id=game_id))).game
    came |= {BEFORE: events, AFTERWARDS: await watch()}
    return Joined(scene, names, check_again(cast, [again]), played, came)


def _check_deals(joined: Joined) -> None:
    """Check what those who join are told first: their seat, the table as it is, and that they have no points."""
    for seat in (SECOND, THIRD):
        first = next(each for each in joined.received if each.seat == seat)
        same(f"The first call to who joins in seat {seat}", DEAL, first.method)
        dealt: Any = first.asked
        same(f"The seat that Deal tells who joins in seat {seat}", seat, dealt.seat)
        same(f"The players of the state that Deal tells who joins in seat {seat}", seat + 1, len(dealt.state.players))
        newcomer = dealt.state.players[seat]
        if newcomer.points or newcomer.cards:
            wrong = f"{newcomer.points} points and the cards {list(newcomer.cards)}"
            raise failure(f"Who joins a race has no points and no cards; its Deal says that it has {wrong}.")
        if wrong := difference(joined.scene.settings, dealt.settings, "settings"):
            raise failure(f"Deal tells who joins other settings than those of the table: {wrong}.")


def _check_told(names: Sequence[str], events: Sequence[WatchGameResponse], when: str) -> None:
    """Check that spectators are told once who has joined, in a state or behind it, and that their numbers grow.

    One that comes later sees it in the first state, and may be told.
    """
    told = [(event.joined.seat, event.joined.name) for event in events if event.HasField("joined")]
    if when != LATE_COMER or told:
        same(f"Who has joined, as spectators are told that came {when},", list(enumerate(names))[1:], told)
    unnumbered = ("asked", *["joined"] * (when in (RETURNED, LATE_COMER)))
    numbers = [event.sequence for event in events if event.WhichOneof("event") not in unnumbered]
    if any(one >= other for one, other in itertools.pairwise(numbers)):
        raise failure("The numbers of the events do not grow.", ("Numbers", ", ".join(map(str, numbers))))


async def _check(context: ServerContext, joined: Joined) -> None:
    """Check a whole race that players have joined."""
    game = joined.scene.game
    _check_deals(joined)
    for when, events in joined.told.items():
        _check_told(joined.names, events, when)
    same("The players of the plan in GetGame", list(joined.names), [each.name for each in joined.game.plan.players])
    course = follow(game, await context.record(joined.game.game_id))
    check_received(course, joined.received, joined.scene.control)
    check_misconducts(course, joined.game.result)
    check_result(course, joined.game.result, "the result")
    for when, events in joined.told.items():
        check_events(game, course, events, live=when != AFTERWARDS)


def _fails(asked: Asked) -> Act | None:
    """Fail in the first call after the first question, whatever it is: somebody else may have been faster."""
    if asked.seat != THIRD or asked.method == DEAL:
        return None
    return fail(13, "scripted failure")(asked)


CHECKS = ("GAME-10", "GAME-11", "META-2", "TIME-11", "TIME-13", "WATCH-2", "WATCH-8", "RECORD-1")


async def _check_each(context: ServerContext, script: Script, *played: tuple[TimeControl, Mapping[str, Any]]) -> None:
    """Check races that players have joined, under some limits and settings, at the same time."""

    async def check(limits: TimeControl, values: Mapping[str, Any]) -> None:
        apart = context.apart()
        await apart.traced(_check(apart, await _joined(apart, script, limits, **values)))

    await asyncio.gather(*(check(*each) for each in played))


async def _check_serves(context: ServerContext) -> None:
    """Check that a player that serves can join a race, and that each call to it shows its secret."""
    gate = asyncio.Event()
    scene = replace(ordinary(RACE, at(FIRST, ACT, wait_for(gate), 3), **LATE), strategies=("solver",))
    cast, table = Cast(scene.game, scene.actors()), _Table(context, scene)
    served, names = Served(cast, context.place.players_host), [context.new_short_name() for _ in range(2)]
    try:
        async with context.dialled_in(cast, names[:1]) as stream:
            game_id = await table.begin(names)
            await _until_called(stream, FIRST, ACT, 3)
            await table.join(SECOND, await served.serve(SECOND), secret_of(SECOND))
            await wait_for_call(cast, lambda each: each.seat == SECOND)
            gate.set()
            await context.stream_all("WatchGame", WatchGameRequest(game_id=game_id))
    finally:
        gate.set()
        await served.close()
    check_secrets(each for each in cast.received if each.seat == SECOND)


@server_case("lobby.late-join", *CHECKS, "SERVE-5")
async def late_join(context: ServerContext) -> None:
    """Who joins a race that goes on begins with no points and a whole bank, and plays on as the others."""
    await _check_each(
        context, at(SECOND, PICK_CARDS, reply(b"")), *zip(CONTROLS, (*SETTINGS, {}, SETTINGS[0]), strict=True)
    )
    await _check_serves(context)


@server_case("lobby.late-join-fails", *CHECKS, "FAIL-17")
async def late_join_fails(context: ServerContext) -> None:
    """Who has joined a race may fail in it, and is eliminated from its own seat."""
    await _check_each(context, _fails, (CONTROLS[1], {"handicaps": HANDICAPS}), (CONTROLS[0], SETTINGS[1]))


CASES = (late_join, late_join_fails)
