"""Cases about requests that must be refused, and about ids."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from fairplay.conformance.case import Case, Failure, NotApplicable, failure
from fairplay.conformance.servers.compare import check_order, check_ranking, same
from fairplay.conformance.servers.context import HIDDEN, OPEN, ServerContext, ordinary, server_case
from fairplay.conformance.servers.scenes import PATIENT, at, expect, slow, span, wait_for
from fairplay.games.conformance import Level
from fairplay.server.net.errors import info_of
from fairplay.v1.referee_pb2 import (
    CreateGameRequest,
    GamePlan,
    GameStatus,
    GetGameRequest,
    ListGamesRequest,
    PlayGameRequest,
    StopGameRequest,
    WatchGameRequest,
)

OPTIONAL = (
    "/fairplay.v1.ServerService/GetServerInfo",
    "/fairplay.v1.RecordService/GetRecord",
    "/grpc.health.v1.Health/Check",
)
UNKNOWN_FIELD = b"\xf8\x7c\x01"
"""The field 1999 with the number 1."""


async def _refuse(context: ServerContext, request: PlayGameRequest, *reasons: str) -> None:
    """Check that a plan is refused, by PlayGame and by CreateGame, and that no game is left of it."""
    create = CreateGameRequest(game_id=request.game_id, plan=request.plan)
    try:
        await context.refused("CreateGame", create, *reasons)
        await context.refused("PlayGame", request, *reasons)
    except Failure:
        await _clear_away(context, request.game_id)
        raise


async def _clear_away(context: ServerContext, game_id: str) -> None:
    trace = list(context.trace)
    with contextlib.suppress(grpc.aio.AioRpcError):
        await context.ask("StopGame", StopGameRequest(game_id=game_id))
    context.trace = trace


def _plan(case_id: str, why: str, change: Callable[[GamePlan], None], reason: str, *checks: str) -> Case:
    async def refused(context: ServerContext) -> None:
        request = context.request(ordinary(OPEN, count=2))
        change(request.plan)
        await _refuse(context, request, reason)

    refused.__doc__ = why
    return server_case(case_id, *checks)(refused)


def _unknown_game(plan: GamePlan) -> None:
    plan.game = "no-such-game"


def _settings(plan: GamePlan) -> None:
    getattr(plan.settings, OPEN).rows = 1_000


def _others_settings(plan: GamePlan) -> None:
    getattr(plan.settings, HIDDEN).SetInParent()


def _unknown_field(plan: GamePlan) -> None:
    plan.MergeFromString(UNKNOWN_FIELD)


def _unknown_setting(plan: GamePlan) -> None:
    getattr(plan.settings, OPEN).MergeFromString(UNKNOWN_FIELD)


def _unknown_limit(plan: GamePlan) -> None:
    plan.time_control.MergeFromString(UNKNOWN_FIELD)


def _seed(plan: GamePlan) -> None:
    plan.seed = 2**53


def _one_player(plan: GamePlan) -> None:
    plan.ClearField("initial_state")
    del plan.players[1:]


def _nobody(plan: GamePlan) -> None:
    plan.ClearField("initial_state")
    del plan.players[:]


def _same_name(plan: GamePlan) -> None:
    plan.players[1].name = plan.players[0].name


def _name(plan: GamePlan) -> None:
    plan.players[0].name = "a name with spaces"


def _link(plan: GamePlan) -> None:
    plan.players[0].link = "carrier-pigeon:anna"


def _no_link(plan: GamePlan) -> None:
    plan.players[0].link = ""


def _state(plan: GamePlan) -> None:
    getattr(plan.initial_state, OPEN).Clear()
    plan.initial_state.SetInParent()
    getattr(plan.initial_state, OPEN).columns = 3


def _others_state(plan: GamePlan) -> None:
    getattr(plan.initial_state, HIDDEN).SetInParent()


def _missing_player(plan: GamePlan) -> None:
    plan.players.add(name="cleo", link="dial-in:nobody")


def _no_time(plan: GamePlan) -> None:
    plan.time_control.decision_limit.CopyFrom(span(0.0))


def _endless(plan: GamePlan) -> None:
    plan.time_control.decision_limit.CopyFrom(span(3_601.0))


plans = (
    _plan(
        "refuses.unknown-game",
        "A server plays the games that it has.",
        _unknown_game,
        "UNKNOWN_GAME",
        "GAME-2",
        "ERROR-1",
        "ERROR-2",
    ),
    _plan(
        "refuses.settings",
        "A value that is not allowed is no game.",
        _settings,
        "INVALID_SETTINGS",
        "GAME-3",
        "LIMIT-2",
    ),
    _plan(
        "refuses.settings-of-another-game", "Settings are of the game.", _others_settings, "INVALID_SETTINGS", "GAME-3"
    ),
    _plan(
        "refuses.unknown-fields",
        "What a server does not know it cannot do: it would play something else than was asked for.",
        _unknown_field,
        "UNKNOWN_FIELDS",
        "GAME-1",
    ),
    _plan(
        "refuses.unknown-settings",
        "A setting that the server does not know would have no effect, and nobody would notice.",
        _unknown_setting,
        "UNKNOWN_FIELDS",
        "GAME-1",
    ),
    _plan(
        "refuses.unknown-limits", "So would a limit that it does not know.", _unknown_limit, "UNKNOWN_FIELDS", "GAME-1"
    ),
    _plan(
        "refuses.seed", "Programs in JavaScript cannot read a seed of 2^53 and more.", _seed, "INVALID_SEED", "GAME-6"
    ),
    _plan(
        "refuses.too-few-players",
        "A game has at least as many players as it needs.",
        _one_player,
        "INVALID_PLAYERS",
        "GAME-4",
    ),
    _plan("refuses.no-players", "A game needs players.", _nobody, "INVALID_PLAYERS", "GAME-4"),
    _plan("refuses.same-name", "Results name players: names must differ.", _same_name, "INVALID_PLAYERS", "NAME-2"),
    _plan("refuses.name", "Names are what the contract says.", _name, "NAME_INVALID", "NAME-1"),
    _plan("refuses.link", "A player that cannot be reached that way cannot play.", _link, "INVALID_LINK", "REACH-2"),
    _plan("refuses.no-link", "A player without a link cannot be reached.", _no_link, "INVALID_LINK", "REACH-2"),
    _plan("refuses.state", "A state that no game can have is no beginning.", _state, "INVALID_STATE", "GAME-5"),
    _plan("refuses.state-of-another-game", "A state is of the game.", _others_state, "INVALID_STATE", "GAME-5"),
    _plan("refuses.state-of-others", "A state has its players.", _missing_player, "INVALID_PLAYERS", "GAME-4"),
    _plan("refuses.no-time", "Without time nobody can answer.", _no_time, "INVALID_TIME_CONTROL", "TIME-16"),
    _plan("refuses.endless-time", "A limit is at most an hour.", _endless, "INVALID_TIME_CONTROL", "TIME-16"),
)


@server_case("refuses.id", "NAME-3")
async def bad_id(context: ServerContext) -> None:
    """Ids are written into addresses and file names: they have no other characters than those of the contract."""
    for game_id in ("a b", "x" * 129, "a?b"):
        request = context.request(ordinary(OPEN, count=2))
        request.game_id = game_id
        await context.refused("PlayGame", request, "INVALID_ID")


@server_case("refuses.leaves-nothing", "GAME-9")
async def leaves_nothing(context: ServerContext) -> None:
    """A plan that was refused is no game, and its id is free."""
    request = context.request(ordinary(OPEN, count=2))
    _seed(request.plan)
    await _refuse(context, request, "INVALID_SEED")
    await context.refused("GetGame", GetGameRequest(game_id=request.game_id), "GAME_NOT_FOUND")


@server_case("refuses.largest-seed", "GAME-6", "LIMIT-1")
async def largest_seed(context: ServerContext) -> None:
    """The largest seed that is allowed is no reason to refuse."""
    async with context.staged(ordinary(OPEN, count=2)) as stage:
        stage.request.plan.seed = 2**53 - 1
        game = (await context.ask("PlayGame", stage.request)).game
    if game.plan.seed != 2**53 - 1:
        raise failure(f"The seed of the plan was {2**53 - 1}; the finished game says {game.plan.seed}.")


@server_case("refuses.exec", "REACH-3", level=Level.SHOULD)
async def programs(context: ServerContext) -> None:
    """A server that starts programs for whoever reaches it is a hole in its machine."""
    request = context.request(ordinary(OPEN, count=2))
    request.plan.players[0].link = "exec:true"
    create = CreateGameRequest(game_id=request.game_id, plan=request.plan)
    try:
        await context.refused("CreateGame", create, "EXEC_NOT_ALLOWED")
    except Failure as found:
        if not found.evidence.sentence.endswith("it was granted."):
            raise
        await _clear_away(context, request.game_id)
        raise NotApplicable("this server starts programs for its callers") from None


@server_case("refuses.unknown-id", "ASK-12")
async def unknown_id(context: ServerContext) -> None:
    """A game that is not there cannot be shown or stopped."""
    game_id = context.new_id("nothing")
    await context.refused("GetGame", GetGameRequest(game_id=game_id), "GAME_NOT_FOUND")
    await context.refused("StopGame", StopGameRequest(game_id=game_id), "GAME_NOT_FOUND")
    await context.refused("WatchGame", WatchGameRequest(game_id=game_id), "GAME_NOT_FOUND")


@server_case("refuses.page-token", "ASK-11")
async def page_token(context: ServerContext) -> None:
    """A page token that the server did not make gets no page."""
    await context.refused("ListGames", ListGamesRequest(page_token="no-such-page"), "INVALID_PAGE_TOKEN")


@server_case("refuses.names-the-field", "ERROR-3", level=Level.SHOULD)
async def names_the_field(context: ServerContext) -> None:
    """A caller that is told which field is wrong mends it at once."""
    request = context.request(ordinary(OPEN, count=2))
    _seed(request.plan)
    status = rpc_status.from_call(
        await context.refused("CreateGame", CreateGameRequest(plan=request.plan), "INVALID_SEED")
    )
    fields = []
    for detail in status.details if status is not None else ():
        found = error_details_pb2.BadRequest()
        if detail.Unpack(found):
            fields += [each.field for each in found.field_violations]
    if not any("seed" in field for field in fields):
        raise failure(f"The error does not say that the seed is wrong: it names {', '.join(fields) or 'no field'}.")


@server_case("refuses.id-of-a-tournament", "NAME-4", level=Level.SHOULD)
async def id_of_a_tournament(context: ServerContext) -> None:
    """The ids of a tournament's games are the tournament's: nobody takes one of them before."""
    request = context.request(ordinary(OPEN, count=2))
    request.game_id = f"{context.new_id('cup')}/r1g1"
    await _refuse(context, request, "INVALID_ID")


@server_case("refuses.tells-programs", "ERROR-6", level=Level.SHOULD)
async def tells_programs(context: ServerContext) -> None:
    """A program that is told which field is wrong, and what it gave, need not read a sentence."""
    request = context.request(ordinary(OPEN, count=2))
    _seed(request.plan)
    told = info_of(await context.refused("CreateGame", CreateGameRequest(plan=request.plan), "INVALID_SEED")).metadata
    if "seed" not in told["field"] or told["given"] != str(2**53):
        raise failure("The error does not tell programs which field is wrong and what was given.", ("Told", str(told)))


@server_case("services.optional", "ROLE-5", level=Level.SHOULD)
async def optional(context: ServerContext) -> None:
    """Clients ask what a server can do, whether it is up, and for records."""
    for path in OPTIONAL:
        if await context.call_raw(path) is grpc.StatusCode.UNIMPLEMENTED:
            raise failure(f"The server does not have {path}.")


@server_case("refuses.unknown-method", "ROLE-7", level=Level.SHOULD)
async def unknown_method(context: ServerContext) -> None:
    """A caller that is newer than the server learns that it must do without."""
    code = await context.call_raw("/fairplay.v1.RefereeService/NoSuchMethod")
    same("The status of a method that there is not", grpc.StatusCode.UNIMPLEMENTED, code)


REFUSALS = (
    *plans,
    bad_id,
    leaves_nothing,
    largest_seed,
    programs,
    unknown_id,
    page_token,
    names_the_field,
    id_of_a_tournament,
    tells_programs,
    unknown_method,
)


PAUSE_S = 0.4


@server_case("ids.repeat", "ASK-2")
async def repeat(context: ServerContext) -> None:
    """A caller that lost the answer asks again, and the game is not played again."""
    async with context.staged(ordinary(OPEN)) as stage:
        first = (await context.ask("PlayGame", stage.request)).game
        again = (await context.ask("PlayGame", stage.request)).game
    check_order(expect(stage.scene, stage.request.game_id).calls, stage.cast.received)
    check_ranking(first.result, again.result)


@server_case("ids.at-once", "ASK-2")
async def at_once(context: ServerContext) -> None:
    """Two callers that ask for one game at the same time wait for one game."""
    async with context.staged(ordinary(OPEN)) as stage:
        one, other = await asyncio.gather(*(context.ask("PlayGame", stage.request) for _ in range(2)))
    check_order(expect(stage.scene, stage.request.game_id).calls, stage.cast.received)
    check_ranking(one.game.result, other.game.result)


@server_case("ids.other-request", "ASK-3")
async def other_request(context: ServerContext) -> None:
    """Whoever asks for another game under the same id must not take the result of the first one for its own."""
    async with context.staged(ordinary(OPEN)) as stage:
        await context.ask("PlayGame", stage.request)
        stage.request.plan.time_control.decision_limit.seconds += 1
        await context.refused("PlayGame", stage.request, "ID_REUSED")


@server_case("ids.while-running", "ASK-3")
async def while_running(context: ServerContext) -> None:
    """A game that runs has its id already, for whatever else is asked for under it."""
    gate = asyncio.Event()
    scene = replace(ordinary(OPEN, at(0, "PlayAs", wait_for(gate))), control=PATIENT)
    async with context.staged(scene) as stage:
        request = CreateGameRequest(game_id=stage.request.game_id, plan=stage.request.plan)
        try:
            await context.ask("CreateGame", request)
            for change in (_longer, _under_other_names, _with_another_seed, _without_first_state):
                other = PlayGameRequest(game_id=request.game_id)
                other.plan.CopyFrom(request.plan)
                change(other.plan)
                begun = CreateGameRequest(game_id=other.game_id, plan=other.plan)
                await context.refused("CreateGame", begun, "ID_REUSED")
                await context.refused("PlayGame", other, "ID_REUSED")
        finally:
            gate.set()
        game = (await context.ask("PlayGame", stage.request)).game
    check_ranking(expect(stage.scene, stage.request.game_id).result, game.result)


def _longer(plan: GamePlan) -> None:
    plan.time_control.decision_limit.seconds += 1


def _under_other_names(plan: GamePlan) -> None:
    plan.players[0].name = "zora"


def _with_another_seed(plan: GamePlan) -> None:
    plan.seed += 1


def _without_first_state(plan: GamePlan) -> None:
    plan.ClearField("initial_state")


@server_case("ids.chosen", "ASK-1")
async def chosen(context: ServerContext) -> None:
    """A caller without an id of its own is told which one the game has."""
    async with context.staged(ordinary(OPEN, count=2)) as stage:
        stage.request.game_id = ""
        game = (await context.ask("PlayGame", stage.request)).game
    if not game.game_id:
        raise failure("The server must choose an id for a game without one.")


@server_case("ids.create", "ASK-5")
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


@server_case("ids.caller-leaves", "ASK-6")
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


@server_case("ids.without-a-seed", "ASK-4", level=Level.SHOULD)
async def without_a_seed(context: ServerContext) -> None:
    """A caller that left the seed to the server asks again without one."""
    async with context.staged(ordinary(OPEN, count=2)) as stage:
        stage.request.plan.ClearField("seed")
        first = (await context.ask("PlayGame", stage.request)).game
        again = (await context.ask("PlayGame", stage.request)).game
    same("The seed of the game that was asked for again", first.plan.seed, again.plan.seed)
    check_ranking(first.result, again.result)


IDS = (repeat, at_once, other_request, while_running, chosen, create, caller_leaves, without_a_seed)


CASES = (*REFUSALS, *IDS, optional)
