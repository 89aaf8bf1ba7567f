"""Checks that a reply or an error fits its request."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

import grpc
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from fairplay.conformance.case import failure
from fairplay.conformance.servers.compare import same, short_text
from fairplay.conformance.servers.facts.known import GAME_OVER, TOURNAMENT_OVER
from fairplay.server.net.errors import DOMAIN, STATUS
from fairplay.server.net.limits import METHODS, limit_of
from fairplay.v1.referee_pb2 import GameSummary
from fairplay.v1.table_pb2 import Table
from fairplay.v1.tournament_pb2 import TournamentSummary, WithdrawnGames

NEWEST_FIRST: Mapping[type[Any], str] = {
    GameSummary: "start_time",
    TournamentSummary: "create_time",
    Table: "create_time",
}
"""What lists have -> the field by which they are sorted."""
USUAL_PAGE, LARGEST_PAGE = 50, limit_of("ListGamesRequest.page_size").clamp
MAX_TOKEN_CHARS = limit_of("ListGamesResponse.next_page_token").max_characters
HIDDEN_WHEN_OVER = ("players", "entrants")
HIDDEN = (*HIDDEN_WHEN_OVER, "seed", "initial_state")
"""What answers have elsewhere, or without the links; and what they have when all is over."""
ONE_LOSS, STRIKING = ("knockout", "double_elimination"), ("round_robin", "gauntlet")
"""Formats in which no failure is allowed, and those in which games of withdrawn entrants are struck, by default."""
NAMES_A_FIELD = (
    "INVALID_ID",
    "INVALID_LINK",
    "INVALID_PAGE_TOKEN",
    "INVALID_SEED",
    "INVALID_TIME_CONTROL",
    "NAME_INVALID",
    "TEXT_INVALID",
)
"""Reasons for which one field is wrong."""
BY_GRPC = (
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.UNKNOWN,
)
"""What gRPC says by itself, without a reason."""
COUNTED, STRUCK = WithdrawnGames.WITHDRAWN_GAMES_COUNTED, WithdrawnGames.WITHDRAWN_GAMES_STRUCK


def check_plan(name: str, request: Any, reply: Any) -> None:
    """Check that a game or a tournament has the id and the plan that were asked for, with defaults that follow."""
    shown = getattr(reply, reply.DESCRIPTOR.fields[0].name)
    field = shown.DESCRIPTOR.fields[0].name
    if getattr(request, field) not in ("", getattr(shown, field)):
        raise failure(f"{name} with the {field} {getattr(request, field)} has returned {getattr(shown, field)}.")
    over = shown.status in (GAME_OVER if name != "CreateTournament" else TOURNAMENT_OVER)
    if wrong := _lost(request.plan, shown.plan, HIDDEN_WHEN_OVER if over else HIDDEN):
        raise failure(f"{name} must return the plan that was asked for; in it {wrong}.")
    if name != "CreateTournament":
        players = [each.name for each in request.plan.players]
        same(f"The players of the plan that {name} returns", players, [each.name for each in shown.plan.players])
        return
    kind = request.plan.format.WhichOneof("format") or "knockout"
    usual = 0 if kind in ONE_LOSS else 3
    allowed = request.plan.failures_allowed if request.plan.HasField("failures_allowed") else usual
    same(f"The failures_allowed of the plan that {name} returns", allowed, shown.plan.failures_allowed)
    games = request.plan.withdrawn_games or (STRUCK if kind in STRIKING else COUNTED)
    same(f"The withdrawn_games of the plan that {name} returns", games, shown.plan.withdrawn_games)


def _lost(asked: Message, got: Message, hidden: Collection[str], path: str = "") -> str:
    """Return which value of a plan is not in another one; empty: all are."""
    for field, value in asked.ListFields():
        name, other = f"{path}{field.name}", getattr(got, field.name)
        if name in hidden:
            continue
        if field.message_type is None:
            if value != other:
                return f"{name} must be {short_text(value)}; it is {short_text(other)}"
            continue
        ones, others = (value, other) if field.is_repeated else ([value], [other])
        if len(ones) != len(others) or (not field.is_repeated and not got.HasField(field.name)):
            return f"{name} must be there; it is not"
        found = (_lost(one, other, hidden, f"{name}.") for one, other in zip(ones, others, strict=True))
        if wrong := next(filter(None, found), ""):
            return wrong
    return ""


def listed_in(reply: Any) -> Any:
    """Return what a page of a list has."""
    return reply.standings.standings if hasattr(reply, "standings") else getattr(reply, reply.DESCRIPTOR.fields[0].name)


def check_page(name: str, request: Any, reply: Any) -> None:
    """Check that a page is no larger than asked for, and in its order."""
    listed = listed_in(reply)
    most = min(request.page_size, LARGEST_PAGE) or USUAL_PAGE
    if len(listed) > most:
        raise failure(f"{name} must return at most {most} on a page; it has returned {len(listed)}.")
    if len(reply.next_page_token) > MAX_TOKEN_CHARS:
        raise failure(f"{name} has returned a page token of {len(reply.next_page_token)} characters.")
    field = NEWEST_FIRST.get(type(next(iter(listed), None)))
    if field is None:
        return
    times = [getattr(each, field).ToNanoseconds() for each in listed]
    oldest_first = getattr(request, "oldest_first", False)
    if times != sorted(times, reverse=not oldest_first):
        raise failure(f"{name} must list the {'oldest' if oldest_first else 'newest'} first.")


def check_error(method: str, request: Any, error: grpc.aio.AioRpcError) -> None:
    """Check that an error says what went wrong, as the contract says it: `method` is a full name without a slash."""
    status, info, fields = rpc_status.from_call(error), error_details_pb2.ErrorInfo(), list[str]()
    for detail in status.details if status is not None else ():
        wrong = error_details_pb2.BadRequest()
        if detail.Unpack(wrong):
            fields += [each.field for each in wrong.field_violations]
        elif detail.Is(info.DESCRIPTOR):
            detail.Unpack(info)
    what = f"The error {error.code().name} of {method.rpartition('.')[2]}"
    if not info.reason and error.code() in BY_GRPC:
        return
    if info.domain != DOMAIN or STATUS.get(info.reason) is not error.code():
        raise failure(
            f"{what} must have a reason of that status in the domain {DOMAIN}; it has {info.reason!r}, {info.domain!r}."
        )
    if info.reason not in METHODS[method].reasons:
        raise failure(f"{what} has the reason {info.reason}, with which this method does not fail.")
    if not error.details() or "Traceback" in error.details():
        raise failure(f"{what} must have one sentence for people.")
    known = {field.name.replace("_", "") for field in request.DESCRIPTOR.fields}
    named = {re.split(r"[.\[]", field)[0].replace("_", "").lower() for field in fields}
    if info.reason in NAMES_A_FIELD and (not named or named - known):
        raise failure(
            f"{what} must name the field of its request that is wrong; it names {', '.join(fields) or 'none'}."
        )
