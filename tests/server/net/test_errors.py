"""What a refusal tells its caller."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import pytest
from google.rpc import code_pb2, error_details_pb2, status_pb2

from fairplay.server.net.errors import MAX_VALUE_CHARS, Refusal, abort


def details(status: status_pb2.Status) -> list[Any]:
    kinds = (error_details_pb2.ErrorInfo, error_details_pb2.BadRequest, error_details_pb2.RetryInfo)
    found = []
    for packed in status.details:
        (kind,) = [kind for kind in kinds if packed.Is(kind.DESCRIPTOR)]
        found.append(kind.FromString(packed.value))
    return found


def test_a_refusal_says_reason_and_sentence_and_nothing_else() -> None:
    refusal = Refusal("ID_REUSED", "choose another one")
    status = refusal.status()
    assert (refusal.code, status.code) == (grpc.StatusCode.ALREADY_EXISTS, code_pb2.Code.ALREADY_EXISTS)
    assert (status.message, str(refusal)) == ("choose another one", "choose another one")
    assert details(status) == [error_details_pb2.ErrorInfo(reason="ID_REUSED", domain="fairplay.v1")]


def test_a_refusal_says_which_field_is_wrong_and_when_to_ask_again() -> None:
    _, bad, again = details(Refusal("INVALID_ID", "no", "game_id", retry_s=1.9999999999).status())
    (violation,) = bad.field_violations
    assert (violation.field, violation.description) == ("game_id", "no")
    assert (again.retry_delay.seconds, again.retry_delay.nanos) == (2, 0)  # never too early
    _, again = details(Refusal("TOO_MANY_REQUESTS", "no", retry_s=0.5).status())
    assert again.retry_delay.ToNanoseconds() == 500_000_000


def test_a_refusal_says_for_programs_what_was_given_and_what_is_allowed() -> None:
    refusal = Refusal("INVALID_SEED", "too large", "plan.seed", given="9" * 5_000, limit=0, allowed="0 to 9")
    info, *_ = details(refusal.status())
    assert info.metadata == {"field": "plan.seed", "given": "9" * MAX_VALUE_CHARS, "limit": "0", "allowed": "0 to 9"}
    (info,) = details(refusal.with_field("").status())
    assert set(info.metadata) == {"given", "limit", "allowed"}


class Context:
    """An RPC that ends as gRPC does: with the error that says so, or since its connection is gone."""

    def __init__(self, error: type[BaseException]) -> None:
        self._error = error

    async def abort(self, *_: object) -> None:
        raise self._error


@pytest.mark.parametrize(
    ("raised", "seen"), [(grpc.aio.AbortError, grpc.aio.AbortError), (grpc.aio.InternalError, asyncio.CancelledError)]
)
async def test_a_refusal_that_nobody_waits_for_any_more_ends_its_call_only(
    raised: type[BaseException], seen: type[BaseException]
) -> None:
    context: Any = Context(raised)
    with pytest.raises(seen):
        await abort(context, Refusal("ID_REUSED", "no"))
