"""Whether texts may be as long as the comments of the protos say, and whether calls need a request."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any, NamedTuple

import grpc
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from fairplay.conformance.case import failure
from fairplay.conformance.servers.cases.refusals import check_named
from fairplay.conformance.servers.cases.tournaments import make_request
from fairplay.conformance.servers.compare import same
from fairplay.conformance.servers.context import OPEN, ServerContext, ordinary, server_case
from fairplay.conformance.servers.scenes import NOBODY, UNKNOWN_VALUE
from fairplay.conformance.servers.texts import ACCENT, LETTERS, fit, misfits, size_of
from fairplay.server.net.errors import STATUS, reason_of
from fairplay.server.net.limits import LIMITS, MANY, Limit
from fairplay.v1 import manager_pb2, record_service_pb2, referee_pb2
from fairplay.v1.game_pb2 import GameSettings, GameState
from fairplay.v1.manager_pb2 import CancelTournamentRequest
from fairplay.v1.player_pb2 import PlayerDescription
from fairplay.v1.referee_pb2 import CreateGameRequest, StopGameRequest

SERVICES = (
    referee_pb2.DESCRIPTOR.services_by_name["RefereeService"],
    manager_pb2.DESCRIPTOR.services_by_name["ManagerService"],
    record_service_pb2.DESCRIPTOR.services_by_name["RecordService"],
)
ANSWER_S = 5.0
OF_GAMES = {kind.DESCRIPTOR.full_name for kind in (GameSettings, GameState, PlayerDescription)}
"""What has limits of its own."""
PLAYERS = ("players", "entrants")
SHORT = 20
"""A text of fewer characters is told as it is."""
_S = 1_000_000_000
"""Nanoseconds."""
REQUEST_S, SLACK_S = 10.0, 15.0


class Text(NamedTuple):
    """A field of a request that holds a text of limited length."""

    method: MethodDescriptor
    field: FieldDescriptor
    limit: int

    def request(self, text: str) -> Message:
        """Return a request in which nothing but the text is set."""
        made = GetMessageClass(self.method.input_type)()
        setattr(made, self.field.name, text)
        return made


def _texts() -> Iterator[Text]:
    for method in (method for service in SERVICES for method in service.methods):
        for field in method.input_type.fields:
            limit = LIMITS.get(field.full_name, Limit()).max_characters
            if field.type == FieldDescriptor.TYPE_STRING and not field.is_repeated and limit < MANY:
                yield Text(method, field, limit)


async def _answer(context: ServerContext, text: Text, length: int, letter: str = "x") -> str:
    """Return how the server answers a request with a text of this length that names nothing: "OK", or its error."""
    request = text.request(context.new_short_name()[: length - 1].ljust(length, letter))
    try:
        if text.method.server_streaming:
            await context.stream_all(text.method.name, request, ANSWER_S)
        else:
            await context.ask(text.method.name, request, ANSWER_S)
    except grpc.aio.AioRpcError as error:
        return f"{error.code().name} {reason_of(error)}".strip()
    return "OK"


@server_case("refuses.at-limit", "LIMIT-1")
async def at_limit(context: ServerContext) -> None:
    """A text that is as long as it may be is treated as a short one."""
    for text, letter in itertools.product(_texts(), LETTERS):
        short, long = [await _answer(context, text, length, letter) for length in (min(16, text.limit), text.limit)]
        if short != long:
            raise failure(
                f"{text.method.name} must take a {text.field.name} of {text.limit:,} characters of {size_of(letter)}, "
                f"which is the limit, as a short one; the short one was answered with {short}, this one with {long}."
            )


@server_case("refuses.beyond-limit", "LIMIT-2")
async def beyond_limit(context: ServerContext) -> None:
    """A text that is longer than it may be is refused, and not cut, looked for or kept."""
    for text in _texts():
        for letter in ("x", ACCENT):
            if await _answer(context, text, text.limit + 1, letter) == "OK":
                raise failure(
                    f"{text.method.name} must refuse a {text.field.name} of {text.limit + 1:,} characters, "
                    f"{'accents included, ' if letter == ACCENT else ''}of which {text.limit:,} are allowed; it was "
                    "granted."
                )


# Plans


class Place(NamedTuple):
    """A field of a plan, or of a message in it."""

    path: Sequence[str]
    field: FieldDescriptor

    @property
    def name(self) -> str:
        """Return the path in one word, e.g. "plan.sign_up.name_pattern"."""
        return ".".join(("plan", *self.path))

    @property
    def is_optional(self) -> bool:
        """Return whether it is in a format that a server may lack."""
        return self.path[0] == "format" and self.path[1] != "knockout"

    def with_value(self, value: Any) -> str:
        """Return the field with a value, in words; a text by its length, a duration in nanoseconds."""
        if isinstance(value, str):
            return f"the {self.name} {value!r}" if len(value) < SHORT else f"a {self.name} of {len(value):,} characters"
        return f"a {self.name} of {value}{'' if self.field.message_type is None else ' ns'}"

    def filled(self, request: Any, value: Any) -> Any:
        """Return a request in which the field of the plan has a value; a duration is given in nanoseconds."""
        asked = copy.deepcopy(request)
        asked.ClearField(asked.DESCRIPTOR.fields[0].name)  # its id: the server chooses another
        message, (*above, name) = asked.plan, self.path
        for each in above:
            inner = getattr(message, each)
            message = inner if isinstance(inner, Message) else inner[0]
        if self.field.message_type is None:
            setattr(message, name, value)
        else:
            getattr(message, name).FromNanoseconds(value)
        return asked


def _places(kind: Descriptor, path: Sequence[str] = ()) -> Iterator[Place]:
    """Yield the single values of plans of a type, those of the players too."""
    for field in kind.fields:
        inner, below = field.message_type, (*path, field.name)
        if inner is not None and inner.full_name in OF_GAMES:
            continue
        if inner is not None and inner != Duration.DESCRIPTOR and (not field.is_repeated or field.name in PLAYERS):
            yield from _places(inner, below)
        elif not field.is_repeated:
            yield Place(below, field)


def _ends(field: FieldDescriptor) -> Iterator[tuple[Any, Any]]:
    """Yield the values at the ends of the range of a field, each with one beyond it; durations in nanoseconds.

    Where there is more than one beyond it, the value at the end comes with the first, and None with the others.
    """
    limit = LIMITS.get(field.full_name, Limit())
    if field.message_type is not None:
        yield from (
            (round(end_s * _S), round(end_s * _S) + by_ns)
            for end_s, by_ns in ((limit.minimum_seconds, -1), (limit.maximum_seconds, 1))
            if isfinite(end_s)
        )
    elif field.type == FieldDescriptor.TYPE_STRING:
        if limit.max_characters < MANY:
            is_free = field.name == "title"
            for letter in LETTERS:
                yield letter * limit.max_characters if is_free else None, letter * (limit.max_characters + 1)
            yield None, "x" + ACCENT * limit.max_characters
        if limit.pattern:
            name = field.full_name.removeprefix("fairplay.v1.")
            yield from ((fit(name) if at == 0 else None, text) for at, text in enumerate(misfits(name).values()))
    elif field.enum_type is not None:
        yield max(field.enum_type.values_by_number), UNKNOWN_VALUE
    else:
        yield from ((end, end + by) for end, by in ((limit.minimum, -1), (limit.maximum, 1)) if 0 < end < MANY)


@server_case("refuses.plan-limits", "LIMIT-1", "LIMIT-2", "ERROR-3")
async def plan_limits(context: ServerContext) -> None:
    """Each value of a plan may be as large as its limit says, and whoever goes beyond it is told where."""
    links = [NOBODY, "dial-in:nobody"]
    game = CreateGameRequest(plan=context.request(ordinary(OPEN, count=2), links).plan)
    for method in ("CreateGame", "CreateTournament"):
        request: Any = game if method == "CreateGame" else make_request(context, links)
        for place in _places(request.plan.DESCRIPTOR):
            for end, beyond in _ends(place.field):
                await _refuse_beyond(context, method, request, place, beyond)
                if end is not None:
                    await _take_end(context, method, request, place, end)


async def _refuse_beyond(context: ServerContext, method: str, request: Message, place: Place, value: Any) -> None:
    """Check that a plan is refused in which a value is beyond its limit, and that the error says which."""
    about = place.with_value(value)
    try:
        await context.ask(method, place.filled(request, value))
    except grpc.aio.AioRpcError as error:
        same(f"The status of {method} with {about}", grpc.StatusCode.INVALID_ARGUMENT, error.code())
        if not place.is_optional:
            check_named(error, place.path[-1])
        return
    raise failure(f"{method} with {about} must be refused: that is beyond what the field allows; it was granted.")


async def _take_end(context: ServerContext, method: str, request: Message, place: Place, end: Any) -> None:
    """Check that a plan is taken in which a value is at its limit."""
    asked = place.filled(request, end)
    try:
        taken = await context.ask(method, asked)
    except grpc.aio.AioRpcError as error:
        if place.is_optional and reason_of(error) == "INVALID_FORMAT":
            return
        about = place.with_value(end)
        raise failure(
            f"{method} must take {about}, which is the limit of the field; it failed with {error.details()}"
        ) from None
    if method == "CreateGame":
        await context.ask("StopGame", StopGameRequest(game_id=taken.game.game_id))
    else:
        same("The title of a tournament", asked.plan.title, taken.tournament.plan.title)
        await context.ask("CancelTournament", CancelTournamentRequest(tournament_id=taken.tournament.tournament_id))


@server_case("refuses.missing-request", "ERROR-5", mostly_waits=True)
async def missing_request(context: ServerContext) -> None:
    """A call in which nothing comes is not kept open for ever."""
    path = f"/{SERVICES[0].full_name}/GetGame"
    code, reason = await context.call_without_request(path, REQUEST_S + SLACK_S)
    if reason != "REQUEST_MISSING" or code is not STATUS["REQUEST_MISSING"]:
        due = f"{STATUS['REQUEST_MISSING'].name} and REQUEST_MISSING within {REQUEST_S:g} s"
        came = "not ended" if code is None else f"ended with {code.name} {reason}".strip()
        raise failure(f"A call of GetGame without a request must be ended with {due}; it was {came}.")


CASES = (at_limit, beyond_limit, plan_limits, missing_request)
