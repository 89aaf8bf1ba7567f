"""Cases about requests that must be refused, and about ids."""

from __future__ import annotations

import asyncio
import contextlib
import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import grpc
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from fairplay.conformance.case import Case, Failure, NotApplicable, failure
from fairplay.conformance.servers.cases.tournaments import make_request
from fairplay.conformance.servers.compare import check_ranking, same
from fairplay.conformance.servers.context import (
    ALL_GAMES,
    GAMES,
    HIDDEN,
    OPEN,
    ServerContext,
    ordinary,
    server_case,
)
from fairplay.conformance.servers.courses import check_order
from fairplay.conformance.servers.scenes import (
    NAMES,
    NOBODY,
    PATIENT,
    UNKNOWN_FIELD,
    UNKNOWN_VALUE,
    at,
    expect,
    hang,
    slow,
    span,
)
from fairplay.conformance.servers.texts import fit, misfits
from fairplay.games.conformance import Level, find_conformance
from fairplay.games.game import find
from fairplay.server.net.errors import info_of, reason_of
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import (
    CancelTournamentRequest,
    CreateTournamentRequest,
    GetTournamentRequest,
    ListTournamentsRequest,
    SignUpRequest,
)
from fairplay.v1.referee_pb2 import (
    CreateGameRequest,
    Game,
    GamePlan,
    GameStatus,
    GetGameRequest,
    PlayGameRequest,
    StopGameRequest,
    WatchGameRequest,
)
from fairplay.v1.tournament_pb2 import TournamentPlan, TournamentStatus

OPTIONAL = (
    "/fairplay.v1.ServerService/GetServerInfo",
    "/fairplay.v1.RecordService/GetRecord",
    "/grpc.health.v1.Health/Check",
)
LIMITS = "decision_limit", "first_decision_limit", "notification_limit"


Changes: TypeAlias = Mapping[str, Callable[[GamePlan], object]]
"""What is wrong with a plan -> what makes a sound plan so."""


async def refuse(
    context: ServerContext, request: PlayGameRequest, *reasons: str, about: str = "", play: bool = True
) -> None:
    """Check that a plan is refused for one of the reasons, by CreateGame and PlayGame, and that no game is left of it.

    Without `play` only CreateGame is asked.
    """
    create = CreateGameRequest(game_id=request.game_id, plan=request.plan)
    try:
        await context.refused("CreateGame", create, *reasons, about=about)
        if play:
            await context.refused("PlayGame", request, *reasons, about=about)
    except Failure:
        await _clear_away(context, request.game_id)
        raise


async def _clear_away(context: ServerContext, game_id: str) -> None:
    trace = list(context.trace)
    with contextlib.suppress(grpc.aio.AioRpcError):
        await context.ask("StopGame", StopGameRequest(game_id=game_id))
    context.trace = trace


def _plan(case_id: str, why: str, reason: str, changes: Changes, *checks: str) -> Case:
    async def refused(context: ServerContext) -> None:
        for about, change in changes.items():
            request = context.request(ordinary(OPEN, count=2))
            change(request.plan)
            await refuse(context, request, reason, about=about)

    refused.__doc__ = why
    return server_case(case_id, *checks)(refused)


def _settings(plan: GamePlan) -> None:
    getattr(plan.settings, OPEN).rows = 1_000


def _others_settings(plan: GamePlan) -> None:
    getattr(plan.settings, HIDDEN).SetInParent()


def _unknown_setting(plan: GamePlan) -> None:
    getattr(plan.settings, OPEN).MergeFromString(UNKNOWN_FIELD)


def _unknown_in_state(plan: GamePlan) -> None:
    getattr(plan.initial_state, OPEN).MergeFromString(UNKNOWN_FIELD)


def _players(count: int) -> Callable[[GamePlan], None]:
    """Return what has a plan without a first state name so many players."""

    def change(plan: GamePlan) -> None:
        plan.ClearField("initial_state")
        del plan.players[count:]
        plan.players.extend(Player(name=name, link=f"dial-in:{name}") for name in NAMES[len(plan.players) : count])

    return change


def _same_name(plan: GamePlan) -> None:
    plan.players[1].name = plan.players[0].name


def _names(*names: str) -> Changes:
    def named(name: str) -> Callable[[GamePlan], None]:
        return lambda plan: setattr(plan.players[0], "name", name)

    return {f"a player whose name is {name!r}": named(name) for name in names}


def _links(*links: str) -> Changes:
    def linked(link: str) -> Callable[[GamePlan], None]:
        return lambda plan: setattr(plan.players[0], "link", link)

    return {f"a player whose link is {link!r}": linked(link) for link in links}


def _state(plan: GamePlan) -> None:
    getattr(plan.initial_state, OPEN).Clear()
    plan.initial_state.SetInParent()
    getattr(plan.initial_state, OPEN).columns = 3


def _others_state(plan: GamePlan) -> None:
    getattr(plan.initial_state, HIDDEN).SetInParent()


def _missing_player(plan: GamePlan) -> None:
    plan.players.add(name="cleo", link="dial-in:nobody")


def _times(seconds: float, *names: str) -> Changes:
    def limited(name: str) -> Callable[[GamePlan], None]:
        return lambda plan: getattr(plan.time_control, name).CopyFrom(span(seconds))

    return {f"a {name} of {seconds:g} s": limited(name) for name in names}


plans = (
    _plan(
        "refuses.unknown-game",
        "A server plays the games that it has.",
        "UNKNOWN_GAME",
        {"a game that there is not": lambda plan: setattr(plan, "game", "no-such-game")},
        "GAME-2",
        "ERROR-1",
        "ERROR-2",
    ),
    _plan(
        "refuses.settings",
        "A value that is not allowed is no game.",
        "INVALID_SETTINGS",
        {"1,000 rows": _settings},
        "GAME-3",
        "LIMIT-2",
    ),
    _plan(
        "refuses.settings-of-another-game",
        "Settings are of the game.",
        "INVALID_SETTINGS",
        {"the settings of another game": _others_settings},
        "GAME-3",
    ),
    _plan(
        "refuses.unknown-fields",
        "What a server does not know it cannot do: it would play something else than was asked for.",
        "UNKNOWN_FIELDS",
        {
            "an unknown field in the plan": lambda plan: plan.MergeFromString(UNKNOWN_FIELD),
            "an unknown field in a player": lambda plan: plan.players[1].MergeFromString(UNKNOWN_FIELD),
        },
        "GAME-1",
    ),
    _plan(
        "refuses.unknown-settings",
        "A setting that the server does not know would have no effect, and nobody would notice.",
        "UNKNOWN_FIELDS",
        {"an unknown field in the settings": _unknown_setting, "an unknown field in the state": _unknown_in_state},
        "GAME-1",
    ),
    _plan(
        "refuses.unknown-limits",
        "So would a limit that it does not know.",
        "UNKNOWN_FIELDS",
        {"an unknown field in the time control": lambda plan: plan.time_control.MergeFromString(UNKNOWN_FIELD)},
        "GAME-1",
    ),
    _plan(
        "refuses.seed",
        "Programs in JavaScript cannot read a seed of 2^53 and more.",
        "INVALID_SEED",
        {
            "the seed 2^53": lambda plan: setattr(plan, "seed", 2**53),
            "the seed 2^64 - 1": lambda plan: setattr(plan, "seed", 2**64 - 1),
        },
        "GAME-6",
    ),
    _plan(
        "refuses.too-few-players",
        "A game has at least as many players as it needs.",
        "INVALID_PLAYERS",
        {"one player": _players(1)},
        "GAME-4",
    ),
    _plan("refuses.no-players", "A game needs players.", "INVALID_PLAYERS", {"no player": _players(0)}, "GAME-4"),
    _plan(
        "refuses.too-many-players",
        "A game has at most as many players as there is room for.",
        "INVALID_PLAYERS",
        {f"{find(OPEN).seats.stop} players": _players(find(OPEN).seats.stop)},
        "GAME-4",
    ),
    _plan(
        "refuses.same-name",
        "Results name players: names must differ.",
        "INVALID_PLAYERS",
        {"two players of one name": _same_name},
        "NAME-2",
    ),
    _plan(
        "refuses.name",
        "Names are what the contract says.",
        "NAME_INVALID",
        _names("a name with spaces", "", ".", "..", "a/b", "ä", "x" * 65),
        "NAME-1",
    ),
    _plan(
        "refuses.link",
        "A player that cannot be reached that way cannot play.",
        "INVALID_LINK",
        _links("carrier-pigeon:anna", "anna", "dial-in:", "grpc://"),
        "REACH-2",
    ),
    _plan("refuses.no-link", "A player without a link cannot be reached.", "INVALID_LINK", _links(""), "REACH-2"),
    _plan(
        "refuses.state",
        "A state that no game can have is no beginning.",
        "INVALID_STATE",
        {"a state of three columns and nothing else": _state},
        "GAME-5",
    ),
    _plan(
        "refuses.state-of-another-game",
        "A state is of the game.",
        "INVALID_STATE",
        {"the state of another game": _others_state},
        "GAME-5",
    ),
    _plan(
        "refuses.state-of-others",
        "A state has its players.",
        "INVALID_PLAYERS",
        {"more players than its state has": _missing_player},
        "GAME-4",
    ),
    _plan(
        "refuses.no-time",
        "Without time nobody can answer.",
        "INVALID_TIME_CONTROL",
        {**_times(0.0, *LIMITS), **_times(0.0005, *LIMITS), **_times(-1.0, *LIMITS, "bank")},
        "TIME-16",
    ),
    _plan(
        "refuses.endless-time",
        "A limit is at most an hour.",
        "INVALID_TIME_CONTROL",
        _times(3_601.0, *LIMITS, "bank"),
        "TIME-16",
    ),
)


WRONG_FIELDS: Mapping[str, tuple[str, Callable[[GamePlan], object]]] = {
    "seed": ("INVALID_SEED", lambda plan: setattr(plan, "seed", 2**53)),
    "game": ("UNKNOWN_GAME", lambda plan: setattr(plan, "game", "no-such-game")),
    "settings": ("INVALID_SETTINGS", _settings),
    "initial_state": ("INVALID_STATE", _state),
    "players": ("INVALID_PLAYERS", _players(1)),
    "name": ("NAME_INVALID", lambda plan: setattr(plan.players[0], "name", "a b")),
    "link": ("INVALID_LINK", lambda plan: setattr(plan.players[1], "link", "carrier-pigeon:anna")),
    "decision_limit": ("INVALID_TIME_CONTROL", lambda plan: plan.time_control.decision_limit.CopyFrom(span(0.0))),
}
"""The fields of a plan -> the reason for which a plan is refused, and what makes the field wrong."""


@server_case("refuses.each-setting", "GAME-1", "GAME-3", "LIMIT-2")
async def each_setting(context: ServerContext) -> None:
    """A game with a setting beyond its limits, or with a value or a field that nobody knows, is none."""
    for name in ALL_GAMES:
        game = find(name)
        # A server need not have every game.
        lacking = [] if name in GAMES else ["UNKNOWN_GAME"]
        reasons = ["INVALID_SETTINGS", *lacking]
        limits = {each.name: each.limits for each in game.settings}
        for field in game.settings_type.DESCRIPTOR.fields:
            values = [UNKNOWN_VALUE] if field.enum_type is not None and not field.is_repeated else []
            if field.message_type is None and (pair := limits.get(field.name)) is not None:
                values = [pair[1] + 1, *([pair[0] - 1] if pair[0] > 0 else [])]
            for value in values:
                request = _fresh_game(context, name)
                setattr(getattr(request.plan.settings, name), field.name, value)
                about = f"{field.name} {value} of {game.title}"
                await refuse(context, request, *reasons, about=about, play=False)
            if field.message_type is not None:
                request = _fresh_game(context, name)
                _put_unknown_field(getattr(request.plan.settings, name), field, find_conformance(name).settings_values)
                about = f"an unknown field in the {field.name} of {game.title}"
                await refuse(context, request, "UNKNOWN_FIELDS", *lacking, about=about, play=False)


def _fresh_game(context: ServerContext, name: str) -> PlayGameRequest:
    """Return the request for a fresh game with its usual settings."""
    request = context.request(ordinary(OPEN, count=2))
    request.plan.ClearField("settings")
    request.plan.ClearField("initial_state")
    request.plan.game = name
    return request


def _put_unknown_field(settings: Any, field: Any, values: Mapping[str, Sequence[Any]]) -> None:
    """Set a field that holds a message to a value that it may have, and put a field into it that nobody knows."""
    if field.is_repeated:
        inside = getattr(settings, field.name).add()
    else:
        inside = getattr(settings, field.name)
        inside.CopyFrom(values[field.name][0])
    inside.MergeFromString(UNKNOWN_FIELD)


@server_case("refuses.id", "NAME-3", "LIMIT-1")
async def bad_id(context: ServerContext) -> None:
    """Ids are written into addresses and file names: nothing in them leads elsewhere."""
    odd = misfits("PlayGameRequest.game_id", context.new_short_name()).values()
    for game_id in ("x" * 129, "a?b", "a//b", "/a", "a/", ".", "..", "./a", "a/.", "a/./b", "a/../b", "a/..", *odd):
        request = context.request(ordinary(OPEN, count=2))
        request.game_id = game_id
        await refuse(context, request, "INVALID_ID", about=f"the id {game_id!r}")
    longest = CreateGameRequest(plan=request.plan, game_id=fit("PlayGameRequest.game_id", context.new_short_name()))
    await granted(context, "CreateGame", longest, f"CreateGame with the id {longest.game_id}")
    await _clear_away(context, longest.game_id)
    odd = misfits("CreateTournamentRequest.tournament_id", context.new_short_name()).values()
    for tournament_id in ("x" * 65, "a?b", "a/b", ".", "..", *odd):
        wanted = make_request(context)
        wanted.tournament_id = tournament_id
        await context.refused("CreateTournament", wanted, "INVALID_ID", about=f"the id {tournament_id!r}")
    wanted.tournament_id = fit("CreateTournamentRequest.tournament_id", context.new_short_name())
    await granted(context, "CreateTournament", wanted, f"CreateTournament with the id {wanted.tournament_id}")
    await context.ask("CancelTournament", CancelTournamentRequest(tournament_id=wanted.tournament_id))


@server_case("refuses.leaves-nothing", "GAME-9")
async def leaves_nothing(context: ServerContext) -> None:
    """A plan that was refused is no game, and its id is free."""
    request = context.request(ordinary(OPEN, count=2))
    request.plan.seed = 2**53
    await refuse(context, request, "INVALID_SEED")
    await context.refused("GetGame", GetGameRequest(game_id=request.game_id), "GAME_NOT_FOUND")


@server_case("refuses.largest-seed", "GAME-6", "LIMIT-1")
async def largest_seed(context: ServerContext) -> None:
    """The largest and the smallest seed that are allowed are no reason to refuse, nor to draw another one."""
    for seed in (2**53 - 1, 0):
        async with context.staged(ordinary(OPEN, count=2)) as stage:
            stage.request.plan.seed = seed
            game = (await context.ask("PlayGame", stage.request)).game
        if not game.plan.HasField("seed") or game.plan.seed != seed:
            said = game.plan.seed if game.plan.HasField("seed") else "none"
            raise failure(f"The seed of the plan was {seed}; the finished game says {said}.")


@server_case("refuses.exec", "REACH-3")
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


@server_case("refuses.names-the-field", "ERROR-3")
async def names_the_field(context: ServerContext) -> None:
    """A caller that is told which field is wrong mends it at once."""
    for name, (reason, change) in WRONG_FIELDS.items():
        request = context.request(ordinary(OPEN, count=2))
        change(request.plan)
        refused = await context.refused(
            "CreateGame", CreateGameRequest(plan=request.plan), reason, about=f"a wrong {name}"
        )
        check_named(refused, name)
    entering = make_request(context)
    await context.ask("CreateTournament", entering)
    for name, (reason, asked) in _wrong_in_sign_up(entering.tournament_id).items():
        check_named(await context.refused(*asked, reason, about=f"a wrong {name}"), name)


def check_named(error: grpc.aio.AioRpcError, name: str) -> None:
    """Check that an error says which field is wrong."""
    status = rpc_status.from_call(error)
    fields = []
    for detail in status.details if status is not None else ():
        found = error_details_pb2.BadRequest()
        if detail.Unpack(found):
            fields += [each.field for each in found.field_violations]
    if not any(name in field for field in fields):
        raise failure(f"The error does not say that the {name} is wrong: it names {', '.join(fields) or 'no field'}.")


def _wrong_in_sign_up(tournament_id: str) -> Mapping[str, tuple[str, tuple[str, Message]]]:
    """Return the fields of requests about a tournament -> the reason when one is wrong, the method and its request."""
    player = Player(name="anna", link=NOBODY)
    bad_name, bad_link = Player(name="a b", link=player.link), Player(name=player.name, link="carrier-pigeon:anna")
    return {
        "name": ("NAME_INVALID", ("SignUp", SignUpRequest(tournament_id=tournament_id, player=bad_name))),
        "link": ("INVALID_LINK", ("SignUp", SignUpRequest(tournament_id=tournament_id, player=bad_link))),
        "tournament_id": ("TOURNAMENT_NOT_FOUND", ("SignUp", SignUpRequest(tournament_id="nothing", player=player))),
        "page_token": ("INVALID_PAGE_TOKEN", ("ListTournaments", ListTournamentsRequest(page_token="no-such-page"))),
    }


@server_case("refuses.id-of-a-tournament", "NAME-4")
async def id_of_a_tournament(context: ServerContext) -> None:
    """The ids of a tournament's games are the tournament's: nobody takes one of them before."""
    request = context.request(ordinary(OPEN, count=2))
    for end in ("/r1g1", "/r10g1", "/r1g10", "/r12g345", "/r0g0", "/r01g02", "/r4294967296g1"):
        request.game_id = f"{context.new_id('cup')}{end}"
        await refuse(context, request, "INVALID_ID", about=f"an id that ends in {end}")
    for end in ("/R1G1", "/rg1", "/r1", "-r1g1"):
        create = CreateGameRequest(game_id=f"{context.new_id('cup')}{end}", plan=request.plan)
        about = f"CreateGame with an id that ends in {end}, as none of a tournament does,"
        await granted(context, "CreateGame", create, about)
        await _clear_away(context, create.game_id)


async def granted(context: ServerContext, method: str, request: Message, about: str) -> Any:
    """Return the reply to a request. Raises Failure, with what it is `about`, if it is refused."""
    try:
        return await context.ask(method, request)
    except grpc.aio.AioRpcError as error:
        raise failure(f"{about} must be granted; it failed with {reason_of(error)}: {error.details()}") from None


@server_case("refuses.tells-programs", "ERROR-6", level=Level.SHOULD)
async def tells_programs(context: ServerContext) -> None:
    """A program that is told which field is wrong, and what it gave, need not read a sentence."""
    request = context.request(ordinary(OPEN, count=2))
    request.plan.seed = 2**53
    told = info_of(await context.refused("CreateGame", CreateGameRequest(plan=request.plan), "INVALID_SEED")).metadata
    if "seed" not in told["field"] or told["given"] != str(2**53):
        raise failure("The error does not tell programs which field is wrong and what was given.", ("Told", str(told)))


@server_case("services.optional", "ROLE-5", level=Level.SHOULD)
async def optional(context: ServerContext) -> None:
    """Clients ask what a server can do, whether it is up, and for records."""
    for path in OPTIONAL:
        if await context.call_raw(path) is grpc.StatusCode.UNIMPLEMENTED:
            raise failure(f"The server does not have {path}.")


@server_case("refuses.unknown-method", "ROLE-7")
async def unknown_method(context: ServerContext) -> None:
    """A caller that is newer than the server learns that it must do without."""
    code = await context.call_raw("/fairplay.v1.RefereeService/NoSuchMethod")
    same("The status of a method that there is not", grpc.StatusCode.UNIMPLEMENTED, code)


REFUSALS = (
    *plans,
    each_setting,
    bad_id,
    leaves_nothing,
    largest_seed,
    programs,
    unknown_id,
    names_the_field,
    id_of_a_tournament,
    tells_programs,
    unknown_method,
)


PAUSE_S = 0.4
WAIT_S = 10.0
"""A refusal that takes longer waits for something."""


@server_case("ids.repeat", "ASK-2")
async def repeat(context: ServerContext) -> None:
    """A caller that lost the answer asks again, and the game is not played again."""
    async with context.staged(ordinary(OPEN)) as stage:
        first = (await context.ask("PlayGame", stage.request)).game
        again = (await context.ask("PlayGame", stage.request)).game
    check_order(expect(stage.scene, stage.request.game_id), stage.cast.received)
    check_ranking(first.result, again.result)


@server_case("ids.at-once", "ASK-2")
async def at_once(context: ServerContext) -> None:
    """Two callers that ask for one game at the same time wait for one game."""
    async with context.staged(ordinary(OPEN)) as stage:
        one, other = await asyncio.gather(*(context.ask("PlayGame", stage.request) for _ in range(2)))
    check_order(expect(stage.scene, stage.request.game_id), stage.cast.received)
    check_ranking(one.game.result, other.game.result)


@server_case("ids.other-request", "ASK-3", "ASK-4", "TOUR-17")
async def other_request(context: ServerContext) -> None:
    """Whoever asks again, with or without the seed, gets what there is, and nobody else takes it for its own."""
    scene = replace(ordinary(OPEN, hang, count=2), control=PATIENT)
    for seed in (1, None):
        cup = _with_seed(make_request(context, [f"dial-in:{name}" for name in context.new_names(2)]), seed)
        for method in ("CreateGame", "PlayGame"):
            async with context.staged(scene) as stage:
                game = _with_seed(stage.request, seed)
                await _check_repeats(context, method, game, {"CreateTournament": _of_id(cup, game.game_id)})
        game = CreateGameRequest(game_id=cup.tournament_id, plan=game.plan)
        await _check_repeats(context, "CreateTournament", cup, {"CreateGame": game})


def _of_id(cup: CreateTournamentRequest, tournament_id: str) -> CreateTournamentRequest:
    return CreateTournamentRequest(tournament_id=tournament_id, plan=cup.plan)


def _with_seed(request: Any, seed: int | None) -> Any:
    request.plan.ClearField("seed")
    if seed is not None:
        request.plan.seed = seed
    return request


async def _check_repeats(context: ServerContext, method: str, made: Any, unlike: Mapping[str, Any]) -> None:
    """Make something by a method, and check what comes of requests under its id, while it goes on and afterwards.

    `unlike`: requests for something of the other kind.
    """
    if method == "CreateTournament":
        kind, requests = "tournament", {method: made}
        known: Message = GetTournamentRequest(tournament_id=made.tournament_id)
        ending: Message = CancelTournamentRequest(tournament_id=made.tournament_id)
        end = "CancelTournament"
    else:
        kind, requests = (
            "game",
            {"CreateGame": CreateGameRequest(game_id=made.game_id, plan=made.plan), "PlayGame": made},
        )
        known, ending = GetGameRequest(game_id=made.game_id), StopGameRequest(game_id=made.game_id)
        end = "StopGame"
    making = asyncio.ensure_future(context.ask(method, requests[method]))
    try:
        await context.ask(*next(iter(requests.items())))  # where PlayGame has begun it, this is a repeat
        for state in ("that goes on", "that is over"):
            there = getattr(await context.ask(f"Get{kind.title()}", known), kind)
            for each, request in requests.items():
                await _check_requests(context, each, request, there, f"the id of a {kind} {state}")
            for each, request in unlike.items():
                await context.refused(each, request, "ID_REUSED", about=f"{each} with the id of a {kind} {state}")
            await context.ask(end, ending)
    finally:
        with contextlib.suppress(grpc.aio.AioRpcError):
            await context.ask(end, ending)
        await asyncio.wait([making])


async def _check_requests(context: ServerContext, method: str, made: Any, there: Any, under: str) -> None:
    """Check what comes of the request for what is there, and of others like it, `under` its id."""
    kind = "tournament" if method == "CreateTournament" else "game"
    seeds = {None, *(each.plan.seed for each in (made, there) if each.plan.HasField("seed"))}
    for seed in seeds if method != "PlayGame" or there.status != GameStatus.GAME_STATUS_RUNNING else ():
        again = _with_seed(copy.deepcopy(made), seed)
        about = f"{method} with the same plan {'without a' if seed is None else 'with its'} seed under {under}"
        got = getattr(await granted(context, method, again, about), kind)
        same(f"The {kind} that is returned by {about}", _identity(there), _identity(got))
    changes: Mapping[str, Callable[[Any], object]] = OTHER_CUPS if kind == "tournament" else OTHER_PLANS
    for what, change in changes.items():
        other = copy.deepcopy(made)
        other.plan.seed = max(seed or 0 for seed in seeds)
        change(other.plan)
        try:
            async with asyncio.timeout(WAIT_S):
                await context.refused(method, other, "ID_REUSED", about=f"{what} under {under}")
        except TimeoutError:
            problem = f"{method} with {what} under {under} must be refused with ID_REUSED"
            raise failure(f"{problem}; it waits for that game.") from None


def _identity(made: Any) -> Sequence[object]:
    """Return what tells a game or a tournament from another one, and what has become of it."""
    if isinstance(made, Game):
        return made.game_id, made.start_time.ToJsonString(), GameStatus.Name(made.status), made.result.aborted
    return made.tournament_id, made.create_time.ToJsonString(), TournamentStatus.Name(made.status)


def _other_seed(plan: Any) -> None:
    plan.seed ^= 1


def _longer(plan: Any) -> None:
    plan.time_control.decision_limit.seconds += 1


def _other_settings(plan: Any) -> None:
    getattr(plan.settings, OPEN).rows += 1
    plan.ClearField("initial_state")


def _swap(players: Any) -> None:
    first = copy.deepcopy(players[0])
    players[0].CopyFrom(players[1])
    players[1].CopyFrom(first)


OTHER_PLANS: Changes = {
    "another seed": _other_seed,
    "a longer decision_limit": _longer,
    "another name of a player": lambda plan: setattr(plan.players[0], "name", "zora"),
    "another link of a player": lambda plan: setattr(plan.players[0], "link", "dial-in:zora"),
    "the players in another order": lambda plan: _swap(plan.players),
    "no first state": lambda plan: plan.ClearField("initial_state"),
    "other settings": _other_settings,
}
"""What another plan has that is asked for under the id of a game -> what makes such a plan of the game's own."""
OTHER_CUPS: Mapping[str, Callable[[TournamentPlan], object]] = {
    "another seed": _other_seed,
    "a longer decision_limit": _longer,
    "another name of an entrant": lambda plan: setattr(plan.entrants[0], "name", "zora"),
    "another link of an entrant": lambda plan: setattr(plan.entrants[0], "link", "dial-in:zora"),
    "the entrants in another order": lambda plan: _swap(plan.entrants),
    "other settings": lambda plan: setattr(getattr(plan.settings, OPEN), "rows", 6),
    "another max_entrant_count": lambda plan: setattr(plan.sign_up, "max_entrant_count", 7),
    "a title": lambda plan: setattr(plan, "title", "Cup"),
    "one deal more": lambda plan: setattr(plan, "deal_count", 2),
}


@server_case("ids.letters", "NAME-5")
async def letters(context: ServerContext) -> None:
    """Two ids are the same only if each of their letters is."""
    async with context.staged(ordinary(OPEN, count=2)) as stage:
        await context.ask("PlayGame", stage.request)
    other = stage.request.game_id.swapcase()
    about = f"the id {other} where there is {stage.request.game_id}"
    await context.refused("GetGame", GetGameRequest(game_id=other), "GAME_NOT_FOUND", about=about)
    stage.request.plan.time_control.decision_limit.seconds += 1
    request = CreateGameRequest(game_id=other, plan=stage.request.plan)
    try:
        begun = (await context.ask("CreateGame", request)).game
    except grpc.aio.AioRpcError as error:
        raise failure(f"CreateGame with {about} must begin another game; it failed with {error.details()}") from None
    await _clear_away(context, other)
    same("The id of the game", other, begun.game_id)


@server_case("ids.chosen", "ASK-1")
async def chosen(context: ServerContext) -> None:
    """A caller without an id of its own is told which one the game or the tournament has."""
    async with context.staged(ordinary(OPEN, count=2)) as stage:
        stage.request.game_id = ""
        ids = [(await context.ask("PlayGame", stage.request)).game.game_id]
        ids.append((await context.ask("CreateGame", CreateGameRequest(plan=stage.request.plan))).game.game_id)
        if all(ids):
            await context.ask("StopGame", StopGameRequest(game_id=ids[1]))
    request = CreateTournamentRequest(plan=make_request(context).plan)
    cups = [(await context.ask("CreateTournament", request)).tournament.tournament_id for _ in range(2)]
    if not all((*ids, *cups)):
        raise failure("The server must choose an id for a game or tournament without one.")
    if ids[0] == ids[1] or cups[0] == cups[1]:
        raise failure("The server has chosen the id of another game or tournament for a new one.")


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
    check_order(expected, stage.cast.received, game.result)
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
    check_order(expected, stage.cast.received, game.result)
    check_ranking(expected.result, game.result)


IDS = (repeat, at_once, other_request, letters, chosen, create, caller_leaves)


CASES = (*REFUSALS, *IDS, optional)
