"""Whether texts may be as long as the comments of the protos say, and whether calls need a request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import grpc
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from fairplay.conformance.case import failure
from fairplay.conformance.servers.context import ServerContext, server_case
from fairplay.server.net.errors import STATUS, reason_of
from fairplay.server.net.limits import LIMITS, MANY, Limit
from fairplay.v1 import manager_pb2, record_service_pb2, referee_pb2

SERVICES = (
    referee_pb2.DESCRIPTOR.services_by_name["RefereeService"],
    manager_pb2.DESCRIPTOR.services_by_name["ManagerService"],
    record_service_pb2.DESCRIPTOR.services_by_name["RecordService"],
)
ANSWER_S = 5.0
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


async def _answer(context: ServerContext, text: Text, length: int) -> str:
    """Return how the server answers a request with a text of this length that names nothing: "OK", or its error."""
    request = text.request(context.new_short_name()[:length].ljust(length, "x"))
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
    for text in _texts():
        short, long = [await _answer(context, text, length) for length in (min(16, text.limit), text.limit)]
        if short != long:
            raise failure(
                f"{text.method.name} must take a {text.field.name} of {text.limit:,} characters, which is the limit, "
                f"as a short one; the short one was answered with {short}, this one with {long}."
            )


@server_case("refuses.beyond-limit", "LIMIT-2")
async def beyond_limit(context: ServerContext) -> None:
    """A text that is longer than it may be is refused, and not cut, looked for or kept."""
    for text in _texts():
        if await _answer(context, text, text.limit + 1) == "OK":
            raise failure(
                f"{text.method.name} must refuse a {text.field.name} of {text.limit + 1:,} characters, of which "
                f"{text.limit:,} are allowed; it was granted."
            )


@server_case("refuses.missing-request", "ERROR-5", mostly_waits=True)
async def missing_request(context: ServerContext) -> None:
    """A call in which nothing comes is not kept open for ever."""
    path = f"/{SERVICES[0].full_name}/GetGame"
    code, reason = await context.call_without_request(path, REQUEST_S + SLACK_S)
    if reason != "REQUEST_MISSING" or code is not STATUS["REQUEST_MISSING"]:
        due = f"{STATUS['REQUEST_MISSING'].name} and REQUEST_MISSING within {REQUEST_S:g} s"
        came = "not ended" if code is None else f"ended with {code.name} {reason}".strip()
        raise failure(f"A call of GetGame without a request must be ended with {due}; it was {came}.")


CASES = (at_limit, beyond_limit, missing_request)
