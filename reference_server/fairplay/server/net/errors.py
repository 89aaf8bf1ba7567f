"""Errors that callers of our services are meant to see: a reason, a status and one sentence, nothing internal."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from itertools import accumulate

import grpc
from google.protobuf.any_pb2 import Any
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from fairplay.server.net.limits import STATUSES

DOMAIN = "fairplay.v1"
MAX_VALUE_CHARS = 200
"""The most characters of a value of ErrorInfo.metadata: all of an error travels in headers, which are small."""
CUT = "..."
MAX_MESSAGE_BYTES = 1_500
"""The most bytes of a message as gRPC writes it. It is in an error up to three times, of which programs read 8 KiB."""

STATUS: Mapping[str, grpc.StatusCode] = {reason: grpc.StatusCode[name] for reason, name in STATUSES.items()}
"""The status of each reason, as error_reason.proto says it."""


def _short(message: str) -> str:
    """Return a message, cut if it is too long for an error; gRPC writes three for each byte that is not plain ASCII."""
    sizes = accumulate(1 if " " <= each <= "~" and each != "%" else 3 * len(each.encode()) for each in message)
    kept = sum(size <= MAX_MESSAGE_BYTES for size in sizes)
    return message if kept == len(message) else f"{message[: kept - len(CUT)]}{CUT}"


class Refusal(Exception):  # noqa: N818 - an answer to the caller, not a fault of ours
    """A request cannot be granted.

    `reason` is a value of ErrorReason without its prefix; `message` is one sentence that says what to do; `field` is
    the path of the field of the request that is wrong, where one is; `retry_s` says in how many seconds the same
    request may be granted, where that is known. For programs: `limit` is the bound that was passed, `given` what came
    (the number, length, name or id, never a secret), `allowed` what may come in its place.
    """

    def __init__(
        self,
        reason: str,
        message: str,
        field: str = "",
        *,
        retry_s: float = 0.0,
        limit: object = "",
        given: object = "",
        allowed: object = "",
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = _short(message)
        self.field = field
        self.retry_s = retry_s
        self._values = {"limit": limit, "given": given, "allowed": allowed}

    @property
    def metadata(self) -> dict[str, str]:
        """Return what programs may read of it: field, limit, given and allowed, those that there are, cut."""
        values = {"field": self.field, **self._values}
        return {key: str(value)[:MAX_VALUE_CHARS] for key, value in values.items() if value != ""}

    def with_field(self, field: str) -> Refusal:
        """Return the same refusal of a request in which the field has another path, or none."""
        return Refusal(self.reason, self.message, field, retry_s=self.retry_s, **self._values)

    @property
    def code(self) -> grpc.StatusCode:
        """Return the gRPC status code."""
        return STATUS[self.reason]

    @property
    def is_passing(self) -> bool:
        """Return whether the same request may be granted later."""
        return self.code is grpc.StatusCode.UNAVAILABLE

    def status(self) -> status_pb2.Status:
        """Return the error in google.rpc's rich form: ErrorInfo; BadRequest for a field, RetryInfo to try again."""
        info = error_details_pb2.ErrorInfo(reason=self.reason, domain=DOMAIN, metadata=self.metadata)
        details: list[Message] = [info]
        if self.field:
            violation = error_details_pb2.BadRequest.FieldViolation(field=self.field, description=self.message)
            details.append(error_details_pb2.BadRequest(field_violations=[violation]))
        if self.retry_s:
            delay = Duration()
            delay.FromNanoseconds(math.ceil(self.retry_s * 1e9))
            details.append(error_details_pb2.RetryInfo(retry_delay=delay))
        return rich_status(self.code, self.message, details)


def rich_status(code: grpc.StatusCode, message: str, details: Sequence[Message]) -> status_pb2.Status:
    """Return an error in google.rpc's rich form."""
    packed = [Any() for _ in details]
    for held, detail in zip(packed, details, strict=True):
        held.Pack(detail)
    return status_pb2.Status(code=code_pb2.Code.Value(code.name), message=message, details=packed)


async def abort(context: grpc.aio.ServicerContext[object, object], refusal: Refusal) -> None:
    """End an RPC with a refusal, by raising."""
    status = rpc_status.to_status(refusal.status())
    try:
        await context.abort(status.code, status.details, status.trailing_metadata)
    except grpc.aio.InternalError:  # the connection has ended before the refusal was sent: nobody waits for it
        raise asyncio.CancelledError from None


def info_of(error: grpc.RpcError) -> error_details_pb2.ErrorInfo:
    """Return the reason and the metadata that an error of one of our services carries; empty if it carries none."""
    try:
        status = rpc_status.from_call(error)
    except ValueError:  # the details are those of another error
        status = None
    for detail in status.details if status is not None else ():
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info) and info.domain == DOMAIN:
            return info
    return error_details_pb2.ErrorInfo()


def reason_of(error: grpc.RpcError) -> str:
    """Return the reason that an error of one of our services carries; empty if it carries none."""
    return str(info_of(error).reason)
