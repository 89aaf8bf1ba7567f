"""Cases about the contract that all players keep, whatever they play."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from google.protobuf.message import DecodeError

from fairplay.conformance import case_ids
from fairplay.conformance.blame import faults
from fairplay.conformance.blame.judge import confirm, judge_guises, judge_owned
from fairplay.conformance.case import Case, NotApplicable, case, failure
from fairplay.conformance.evidence import UNASKED_CAUSE, hexadecimal, readable
from fairplay.conformance.games.context import BESIDE_OTHERS, Context
from fairplay.conformance.games.encodings import newer
from fairplay.conformance.games.frames import play_newer
from fairplay.conformance.games.outside import judge_outside_games
from fairplay.conformance.player.player import Connection
from fairplay.conformance.player.transports import DialInTransport, ExecTransport
from fairplay.games.game import Game
from fairplay.games.kit.player_service import DESCRIBE, PLAYER_METHODS
from fairplay.games.steps import Failure, Method
from fairplay.player.handlers import PROTOCOL_REVISION
from fairplay.server.net.limits import limit_of
from fairplay.v1.misconduct_pb2 import CallError, Overrun
from fairplay.v1.player_pb2 import DescribeRequest, DescribeResponse, PlayerDescription

MAX_NAME_CHARS = limit_of("PlayerDescription.display_name").max_characters
MAX_SERVICES = limit_of("PlayerDescription.services").max_items
OURS = "fairplay."
"""How the names of services begin whose latest revision is known here; others have revisions of their own."""


@case("contract.reachable", "REACH-4", "DIAL-1", "DIAL-2")
def reachable(context: Context) -> None:
    """A player that cannot be reached cannot play."""
    context.player.begin()
    if context.player.unreachable:
        output = context.player.last_output
        sections = [("Output of the player", output)] if output else []
        raise failure(f"The player cannot be reached: {context.player.unreachable}", *sections)


@case(
    "contract.describes-itself",
    "DESC-1",
    "DESC-2",
    "DESC-3",
)
def describes_itself(context: Context) -> None:
    """A manager seats a player by what the player says about itself."""
    with context.shared() as connection:
        first, second = (_description(context, connection) for _ in range(2))
    names = [service.name for service in first.services]
    problems = [
        (
            not 0 < len(first.display_name) <= MAX_NAME_CHARS,
            f"display_name must have 1 to {MAX_NAME_CHARS} characters.",
        ),
        (
            len(first.software_version) > MAX_NAME_CHARS,
            f"software_version must have at most {MAX_NAME_CHARS} characters.",
        ),
        (context.game.service not in names, f"services must hold {context.game.service}."),
        (
            len(names) > MAX_SERVICES or len(set(names)) < len(names),
            f"services must hold each service once, and at most {MAX_SERVICES} of them.",
        ),
        (
            any(
                service.revision > PROTOCOL_REVISION
                for service in first.services
                if service.name.startswith(OURS) or service.name == context.game.service
            ),
            f"services name a revision that does not exist: the latest is {PROTOCOL_REVISION}.",
        ),
        (first != second, "Asked twice, the player must say the same about itself."),
    ]
    for wrong, sentence in problems:
        if wrong:
            raise failure(sentence, ("First answer", readable(first)), ("Second answer", readable(second)))


def _description(context: Context, connection: Connection) -> PlayerDescription:
    outcome, _ = context.ask(DESCRIBE, DescribeRequest(), connection)
    if not isinstance(outcome, bytes):
        raise failure(f"Describe {_problem(outcome)}", ("Output of the player", connection.output))
    try:
        return DescribeResponse.FromString(outcome).description
    except DecodeError:
        raise failure("The reply to Describe is unreadable.", ("Reply", hexadecimal(outcome))) from None


def _problem(outcome: Failure) -> str:
    if isinstance(outcome, Overrun):
        return f"did not answer within {outcome.limit.ToTimedelta().total_seconds():g} s."
    return f"failed: {outcome.message}"


@case(case_ids.EVERY_METHOD, "ROLE-1")
def every_method(context: Context) -> None:
    """A method that is missing is noticed when the game comes to it, and loses the game."""
    for found in context.whole_games():
        if found.misconduct is not None:
            if faults.owning_case(found) == case_ids.EVERY_METHOD:
                confirm(context, found)
            break
    seen = {exchange.method.path for found in context.whole_games_played() for exchange in found.exchanges}
    missing = [method for method in (*PLAYER_METHODS.values(), *context.game.methods) if method.path not in seen]
    with context.player.separate() as connection:
        for method in missing:
            check_implemented(context, connection, method)


def check_implemented(context: Context, connection: Connection, method: Method) -> None:
    """Raise Failure if a call says that there is no such method; any other answer or failure will do."""
    ids = {"game_id", "tournament_id"} & set(method.request.DESCRIPTOR.fields_by_name)
    request = method.request(**dict.fromkeys(ids, context.new_id()))
    outcome, _ = context.ask(method, request, connection)
    if isinstance(outcome, CallError) and outcome.status_code == faults.UNIMPLEMENTED:
        raise failure(f"The player does not implement {method.path.removeprefix('/')}.", ("Answer", readable(outcome)))


@case(case_ids.VOID, "ROLE-3")
def void_methods_return(context: Context) -> None:
    """That a call returned is the answer; a player that raises is out."""
    judge_owned(context, case_ids.VOID)


@case(case_ids.READABLE, "CALL-6")
def replies_readable(context: Context) -> None:
    """Bytes that are no message of the method's type cannot be an answer."""
    judge_owned(context, case_ids.READABLE)


@case(case_ids.UNKNOWN_FIELDS, "CALL-7", "STREAM-1", "FAIL-2", "CALL-6")
def unknown_fields_ignored(context: Context) -> None:
    """A referee may be newer than the player, write requests with another library, and read shorter replies."""
    games = context.first_scenario(BESIDE_OTHERS), context.ending(context.game.seats.start)
    judge_guises(context, case_ids.UNKNOWN_FIELDS, *games)
    with context.player.separate() as connection:
        what = "With a field in the request that it does not know"
        judge_outside_games(context, connection, what, lambda request, _: newer(request))
        play_newer(context, connection)


SILENCE_S = 1.2
"""After so long without a call a player that takes its reply for lost sends it again."""


@case("contract.one-reply-per-call", "CALL-3")
def one_reply_per_call(context: Context) -> None:
    """Replies that nobody asked for are ignored and counted; too many of them end the connection."""
    transport = context.player.transport
    if not isinstance(transport, DialInTransport | ExecTransport):
        raise NotApplicable("only a player that dials in can reply more than once")
    with context.player.separate() as connection:
        before, called = context.player.loop.run(transport.server.stray_reply_count()), connection.call_count
        context.play(context.first_scenario(), connection)
        context.player.loop.run(asyncio.sleep(SILENCE_S))
        context.ask(DESCRIBE, DescribeRequest(), connection)  # whose reply comes behind all others
        stray_count = context.player.loop.run(transport.server.stray_reply_count()) - before
        call_count = connection.call_count - called
    if stray_count > 0:
        raise failure(
            f"More than one reply came to a call: {call_count:,} calls in one game got {call_count + stray_count:,}"
            " replies, where a call has one and a reply names its call.",
            cause=UNASKED_CAUSE,
        )


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (
        reachable,
        describes_itself,
        every_method,
        void_methods_return,
        replies_readable,
        unknown_fields_ignored,
        one_reply_per_call,
    )
