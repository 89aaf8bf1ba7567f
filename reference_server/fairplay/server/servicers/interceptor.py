"""The one place where exceptions of handlers become errors that callers may see."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from inspect import isasyncgenfunction, iscoroutinefunction
from typing import Any, TypeAlias

import grpc

from fairplay.server.net.errors import Refusal, abort
from fairplay.server.net.exhaustion import waiting_for
from fairplay.server.observing.meter import Meter
from fairplay.server.records.errors import RecordsError
from fairplay.server.servicers.malformed import guard_deserializer, sound
from fairplay.server.servicers.patience import (
    FIRST_LIMIT_S,
    UNREAD_LIMIT_S,
    FirstMessages,
    ReadContext,
    first_request,
)
from fairplay.server.servicers.sizes import check_sizes

log = logging.getLogger("fairplay.server")

KINDS = {
    "unary_unary": grpc.unary_unary_rpc_method_handler,
    "unary_stream": grpc.unary_stream_rpc_method_handler,
    "stream_stream": grpc.stream_stream_rpc_method_handler,
}
"""The kinds of methods that our services have, and how a handler of each is built."""
READ_KINDS = {
    "unary_unary": grpc.stream_unary_rpc_method_handler,
    "unary_stream": grpc.stream_stream_rpc_method_handler,
}
"""How a handler is built that reads the one request itself: on the wire it is the same."""
Behaviour: TypeAlias = Callable[[Any, Any], Awaitable[Any]]
Streaming: TypeAlias = Callable[[Any, Any], AsyncIterator[Any]]
LARGE_BYTES = 32 * 1024
"""Requests of more bytes are checked in a thread of their own: nobody else waits for that."""
INTERNAL = Refusal("INTERNAL", "the server failed; its log says more")


def _refusal_for(error: Exception) -> Refusal:
    """Return what callers are told of an error, and log it."""
    if (refusal := waiting_for(error)) is not None:
        log.warning("%s: %s", refusal.reason, error)
        return refusal
    if isinstance(error, RecordsError):  # damage, not a fault of ours: one sentence in the log will do
        log.error("%s", error)
    else:
        log.error("a handler failed", exc_info=error)
    return INTERNAL


class ErrorInterceptor(grpc.aio.ServerInterceptor):  # type: ignore[misc]  # grpcio has no types for it
    """The interceptor that turns refusals into their status, and anything else into UNAVAILABLE or INTERNAL.

    Neither has the text of the error: only the log does.

    It reads the requests of the methods that take one, which must come within `first_limit_s`; and the streams of those
    that answer with one must be read, each message within `unread_limit_s`. `meter` counts what is refused; `on_reset`
    is told whose calls are taken back before they are answered.
    """

    def __init__(
        self,
        first_limit_s: float = FIRST_LIMIT_S,
        unread_limit_s: float = UNREAD_LIMIT_S,
        meter: Meter | None = None,
        on_reset: Callable[[str], None] | None = None,
    ) -> None:
        self._on_reset = on_reset
        self._requests = FirstMessages(first_limit_s, "REQUEST_MISSING", "request")
        self._unread_limit_s = unread_limit_s
        self._meter = meter

    async def intercept_service(
        self, continuation: Callable[[Any], Awaitable[Any]], handler_call_details: Any
    ) -> grpc.RpcMethodHandler | None:
        """Wrap the handler of a method, whichever of the kinds that our services have."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        for kind, build in KINDS.items():
            behaviour = getattr(handler, kind)
            if iscoroutinefunction(behaviour):
                deserializer = guard_deserializer(handler.request_deserializer)
                if kind in READ_KINDS:
                    guarded = self._guarded(self._reading(behaviour), streams=kind == "unary_stream")
                    return READ_KINDS[kind](guarded, deserializer, handler.response_serializer)
                return build(self._guarded(behaviour), deserializer, handler.response_serializer)
            if isasyncgenfunction(behaviour):
                deserializer = guard_deserializer(handler.request_deserializer)
                return build(self._guarded_stream(behaviour), deserializer, handler.response_serializer)
        return handler

    def _reading(self, behaviour: Behaviour) -> Behaviour:
        """Return a behaviour that reads the one request itself."""

        async def reading(_: Any, context: Any) -> Any:
            request = sound(await first_request(self._requests, context))
            if request.ByteSize() > LARGE_BYTES:
                await asyncio.to_thread(check_sizes, request)
            else:
                check_sizes(request)
            return await behaviour(request, context)

        return reading

    def _guarded(self, behaviour: Behaviour, *, streams: bool = False) -> Behaviour:
        async def guarded(request: Any, context: Any) -> Any:
            shown = ReadContext(context, self._unread_limit_s) if streams else context
            try:
                return await behaviour(request, shown)
            except asyncio.CancelledError:
                if not (streams and shown.begun):
                    self._count_reset(context)
                raise
            except Refusal as refusal:
                await self._refuse(context, refusal)
            except grpc.aio.AbortError:
                raise
            except Exception as error:
                await self._refuse(context, _refusal_for(error))

        return guarded

    def _guarded_stream(self, behaviour: Streaming) -> Streaming:
        async def guarded(requests: AsyncIterator[Any], context: Any) -> AsyncIterator[Any]:
            try:
                async for answer in behaviour(self._sound_ones(requests, context.peer()), context):
                    yield answer
            except asyncio.CancelledError:
                self._count_reset(context)
                raise
            except Refusal as refusal:
                await self._refuse(context, refusal)
            except grpc.aio.AbortError:
                raise
            except Exception as error:
                await self._refuse(context, _refusal_for(error))

        return guarded

    async def _sound_ones(self, requests: AsyncIterator[Any], peer: str) -> AsyncIterator[Any]:
        """Yield what a stream brings, the first message within the limit."""
        try:
            yield sound(await self._requests.wait(anext(requests), peer))
        except StopAsyncIteration:
            return
        async for request in requests:
            yield sound(request)

    def _count_reset(self, context: Any) -> None:
        if self._on_reset is not None:
            self._on_reset(context.peer())

    async def _refuse(self, context: Any, refusal: Refusal) -> None:
        if self._meter is not None:
            self._meter.count_refusal(refusal.reason)
        await abort(context, refusal)
