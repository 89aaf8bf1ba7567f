"""Cases about services that a server need not have: what it says of itself, the rules, accounts and certifications."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

import grpc
from google.protobuf.message import Message

from fairplay.conformance.case import NotApplicable, failure
from fairplay.conformance.servers.cases.connection import make_cast
from fairplay.conformance.servers.cases.tournaments import make_request
from fairplay.conformance.servers.compare import difference, same
from fairplay.conformance.servers.context import ALL_GAMES, GAMES, OPEN, ServerContext, ordinary, server_case
from fairplay.conformance.servers.scenes import span
from fairplay.conformance.servers.texts import fit, misfits
from fairplay.games.envelopes import unwrap, wrap
from fairplay.games.game import Game, find
from fairplay.games.kit.player_service import PLAYER_SERVICE
from fairplay.server.net.errors import reason_of
from fairplay.v1.access_pb2 import Role
from fairplay.v1.account_pb2 import CreateAccountRequest, GetAccountRequest
from fairplay.v1.certification_pb2 import (
    CancelCertificationRequest,
    CertificationStatus,
    CreateCertificationRequest,
    GetCertificationReportRequest,
    GetCertificationRequest,
    ListCertificationsRequest,
    WatchCertificationRequest,
)
from fairplay.v1.game_pb2 import GameSettings
from fairplay.v1.manager_pb2 import CancelTournamentRequest
from fairplay.v1.referee_pb2 import CreateGameRequest
from fairplay.v1.server_pb2 import Authentication, GameInfo, GetServerInfoRequest, GetServerLoadRequest, ServerInfo
from fairplay.v1.tournament_pb2 import AgeOrder, SignUpPolicy


async def ask_if_there(context: ServerContext, name: str, request: Message) -> Any:
    """Return the reply of a method. Raises NotApplicable if the server does not have its service."""
    try:
        return await context.ask(name, request)
    except grpc.aio.AioRpcError as error:
        if error.code() is grpc.StatusCode.UNIMPLEMENTED:
            raise NotApplicable(f"this server does not have the service of {name}") from None
        raise


# What a server says of itself


USUAL_SIGN_UP = SignUpPolicy(
    min_entrant_count=5,
    max_entrant_count=10,
    waiting_period=span(30.0),
    period_count=2,
    age_order=AgeOrder.AGE_ORDER_REVERSE_SIGN_UP,
    name_pattern="[a-zA-Z]{1,12}",
)
"""The sign-up of Fish, as the comments of SignUpPolicy say it."""


@server_case("services.info", "ROLE-5")
async def info(context: ServerContext) -> None:
    """What a server says that it can do it does, with the settings and the limits that it names."""
    told: ServerInfo = (await ask_if_there(context, "GetServerInfo", GetServerInfoRequest())).server
    names = [each.name for each in told.games]
    same("The games of the server, by name,", sorted({*names, *GAMES}), names)
    services = [each.name for each in told.services]
    same("The services of players that the server calls", sorted({*services, PLAYER_SERVICE}), sorted(services))
    if not told.version or "knockout" not in told.formats or any(not each.revision for each in told.services):
        raise failure("The server must say its version, the revision of each service of players, and its formats.")
    cast = make_cast()
    async with context.dialled_in(cast, context.new_names(len(cast))) as stream:
        assert stream.welcome is not None
        if told.limits.start_limit.ToNanoseconds() <= 0 or told.limits.max_message_bytes < told.limits.max_reply_bytes:
            raise failure("The server must say its start_limit, and read messages of at least max_reply_bytes.")
        same("The max_reply_bytes of the server", stream.welcome.max_reply_bytes, told.limits.max_reply_bytes)
        same("The services in a welcome", sorted(services), sorted(each.name for each in stream.welcome.services))
        await _check_load(context, len(cast))
    await _check_programs(context, told)
    for each in told.games:
        if each.service not in services:
            raise failure(f"The server must name the service of players of {each.name} among those that it calls.")
        if each.name in ALL_GAMES:
            _check_game(find(each.name), each)
            await _check_defaults(context, each)


async def _check_load(context: ServerContext, count: int) -> None:
    """Check that the load of a server, where it tells it, has the players that have dialled in."""
    try:
        load = (await context.ask("GetServerLoad", GetServerLoadRequest())).load
    except grpc.aio.AioRpcError as error:
        if error.code() in (grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.PERMISSION_DENIED):
            return
        raise
    if load.connected_player_count < count:
        raise failure(
            f"The connected_player_count in GetServerLoad is {load.connected_player_count}, and {count} players have "
            "dialled in on one connection."
        )


async def _check_programs(context: ServerContext, told: ServerInfo) -> None:
    request = context.request(ordinary(OPEN, count=2))
    request.plan.players[0].link = "exec:true"
    if not told.limits.starts_programs:
        create = CreateGameRequest(plan=request.plan)
        await context.refused("CreateGame", create, "EXEC_NOT_ALLOWED", about="a program of a server that starts none")


def _check_game(game: Game, told: GameInfo) -> None:
    """Check what a server says of a game."""
    due = GameInfo(
        name=game.name,
        title=told.title,
        service=game.service,
        min_player_count=game.seats.start,
        max_player_count=game.seats.stop - 1,
        default_settings=wrap(GameSettings, game, game.full_settings(game.settings_type())),
    )
    free = ("tournament_settings", "time_control", "settings", "rules", "strategies")
    if wrong := difference(due, told, free=free):
        raise failure(f"What the server says of {game.title} is wrong: {wrong}.")
    usual = unwrap(told.tournament_settings, game, game.settings_type)
    if not told.title or usual is None or usual != game.full_settings(usual):
        raise failure(f"The server must tell the title of {game.title}, and all its settings in tournaments.")
    same(f"The rules of {game.title}", sorted(game.rules), sorted(each.rule_id for each in told.rules))
    settings = {each.name for each in game.settings_type.DESCRIPTOR.fields}
    same(f"The settings of {game.title}", sorted(settings), sorted(each.name for each in told.settings))
    for each in told.settings:
        given = any(field.name == each.name for field, _ in getattr(told.default_settings, game.name).ListFields())
        if not each.allowed or (given and not each.default_value):
            raise failure(
                f"The server must say which values the {each.name} of {game.title} may have, and its default."
            )
    if not told.time_control.HasField("decision_limit"):
        raise failure(f"The server must say the limits of {game.title} where nobody names others.")
    said = [each.sentence for each in told.rules] + [each.sentence for each in told.strategies]
    if not all([*said, *(each.meaning for each in told.settings)]):
        raise failure(f"The server must say in words what each rule, setting and strategy of {game.title} is.")


async def _check_defaults(context: ServerContext, told: GameInfo) -> None:
    """Check that plans without settings and limits have those that the server names."""
    cup = make_request(context)
    cup.plan.game = told.name
    for name in ("settings", "time_control", "sign_up"):
        cup.plan.ClearField(name)
    plan = (await context.ask("CreateTournament", cup)).tournament.plan
    await context.ask("CancelTournament", CancelTournamentRequest(tournament_id=cup.tournament_id))
    if plan.settings not in (told.default_settings, told.tournament_settings):
        raise failure(f"A tournament of {told.name} whose plan has no settings must have those that the server names.")
    same(f"The time control of a tournament of {told.name} whose plan has none", told.time_control, plan.time_control)
    same(f"The period_count of a tournament of {told.name} whose plan has none", 2, plan.sign_up.period_count)
    if told.name == OPEN and (wrong := difference(USUAL_SIGN_UP, plan.sign_up)):
        raise failure(f"The sign-up of a tournament of {told.title} whose plan has none is wrong: {wrong}.")


# Accounts and certifications


@server_case("services.accounts", "ROLE-6", "AUTH-5")
async def accounts(context: ServerContext) -> None:
    """A caller learns who it is, and makes no account without an invitation."""
    account = (await ask_if_there(context, "GetAccount", GetAccountRequest())).account
    if account.role < Role.ROLE_ORGANISER:
        raise failure(
            f"Who plays games is an organiser at least; GetAccount says that it is {Role.Name(account.role)}."
        )
    asked = CreateAccountRequest(name=context.new_short_name(), invitation="no-such-invitation")
    await context.refused("CreateAccount", asked, "NO_ACCOUNTS", "INVITATION_INVALID")
    told: ServerInfo = (await ask_if_there(context, "GetServerInfo", GetServerInfoRequest())).server
    if told.authentication == Authentication.AUTHENTICATION_NONE:
        try:
            await context.ask("GetAccount", GetAccountRequest(), token="no-such-token")
        except grpc.aio.AioRpcError as error:
            raise failure(
                "A server without accounts must take every caller for an operator, also who shows a token; GetAccount "
                f"failed with {error.code().name} and {reason_of(error)}."
            ) from None


@server_case("services.certifications", "ROLE-6")
async def certifications(context: ServerContext) -> None:
    """The author of a player follows its certification, one at a time, and can end it."""
    name = fit("CreateCertificationRequest.name", context.new_id("player"))
    asked = CreateCertificationRequest(game=OPEN, name=name)
    begun = (await ask_if_there(context, "CreateCertification", asked)).certification
    id_ = begun.certification_id
    try:
        waiting = CertificationStatus.CERTIFICATION_STATUS_WAITING
        told = (begun.game, begun.name, begun.status, begun.dialled_in, begun.published, begun.HasField("create_time"))
        same("What is told of a new certification", (OPEN, asked.name, waiting, False, False, True), told)
        got = (await context.ask("GetCertification", GetCertificationRequest(certification_id=id_))).certification
        same("The certification", begun, got)
        listed = await context.list_all("ListCertifications", ListCertificationsRequest(page_size=1), "certifications")
        if id_ not in [each.certification_id for each in listed]:
            raise failure("ListCertifications must list a certification to who has asked for it.")
        await context.refused("CreateCertification", asked, "TOO_MANY_REQUESTS", about="a name that has one already")
        early = GetCertificationReportRequest(certification_id=id_)
        await context.refused("GetCertificationReport", early, "NO_REPORT", about="a certification that goes on")
        async with aclosing(
            context.stream("WatchCertification", WatchCertificationRequest(certification_id=id_))
        ) as events:  # type: ignore[type-var]
            same("The first that is told of a certification", got, (await anext(events)).certification)
            await context.ask("CancelCertification", CancelCertificationRequest(certification_id=id_))
            [*_, last] = [event.certification async for event in events]
    finally:
        ended = [
            (await context.ask("CancelCertification", CancelCertificationRequest(certification_id=id_))).certification
            for _ in range(2)
        ]
    cancelled = CertificationStatus.Name(CertificationStatus.CERTIFICATION_STATUS_CANCELLED)
    for each in (last, *ended):
        same("The status of a certification that was cancelled", cancelled, CertificationStatus.Name(each.status))
        if not each.HasField("end_time"):
            raise failure("A certification that was cancelled must say when it ended.")
    await _check_refused(context, asked)


async def _check_refused(context: ServerContext, asked: CreateCertificationRequest) -> None:
    wrong: Mapping[str, Mapping[str, Any]] = {
        "UNKNOWN_GAME": {"game": "no-such-game"},
        "INVALID_PROFILE": {"profile": "no-such-profile"},
        "INVALID_TIME_CONTROL": {"time_limit": span(9.0)},
    }
    names = [("NAME_INVALID", {"name": name}) for name in misfits("CreateCertificationRequest.name").values()]
    for reason, fields in (*wrong.items(), *names):
        request = CreateCertificationRequest(**{"game": asked.game, "name": asked.name, **fields})
        await context.refused("CreateCertification", request, reason, about=f"another {next(iter(fields))}")
    kinds: Sequence[tuple[str, Callable[..., Message]]] = (
        ("GetCertification", GetCertificationRequest),
        ("CancelCertification", CancelCertificationRequest),
        ("GetCertificationReport", GetCertificationReportRequest),
        ("WatchCertification", WatchCertificationRequest),
    )
    for method, kind in kinds:
        unknown = kind(certification_id=context.new_id("nothing"))
        await context.refused(method, unknown, "CERTIFICATION_NOT_FOUND")
    await context.refused(
        "ListCertifications", ListCertificationsRequest(page_token="no-such-page"), "INVALID_PAGE_TOKEN"
    )


CASES = (info, accounts, certifications)
