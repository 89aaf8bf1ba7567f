"""The one place where exceptions of handlers become errors that callers may see; and patience with callers.

gRPC waits for ever for the request of a call that was opened, and for a reader of a stream that was asked for; each
such call costs memory. So the handlers of all methods read their request themselves, and write within a limit.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from inspect import isasyncgenfunction, iscoroutinefunction
from typing import Any, TypeAlias

import grpc

from fairplay.server.net.bounds import check_limits
from fairplay.server.net.errors import Refusal, abort
from fairplay.server.net.exhaustion import waiting_for
from fairplay.server.net.peers import host_of
from fairplay.server.observing.observer import Meter
from fairplay.server.records.errors import RecordsError
from fairplay.server.servicers.requests import guard_deserializer, sound

FIRST_LIMIT_S = 10.0
UNREAD_LIMIT_S = 60.0
MAX_SILENT = 1_000
"""How many calls of one host may be open without having sent anything yet."""
MAX_ALL_SILENT = 4_000
"""How many may be, of all hosts together: the one that has been silent longest makes room for another one."""
AT_ONCE_S = 1.0
"""What the first message of a sound caller takes at the most, in a burst of many calls: it counts as silent after."""

log = logging.getLogger("fairplay.server")
refusals = logging.getLogger("fairplay.server.refusals")
"""Is told the path of the method and the reason of each refusal, for those who look for what goes wrong."""
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


class FirstMessages:
    """Waits for the first messages of calls, `limit_s` for each, and for few silent calls of one host.

    `reason` is that of the refusal of calls that stay silent; `what` says in messages what they should have sent.
    """

    def __init__(self, limit_s: float, reason: str, what: str, at_once_s: float = AT_ONCE_S) -> None:
        self._limit_s = limit_s
        self._reason = reason
        self._what = what
        self._at_once_s = min(at_once_s, limit_s)
        self._hosts: Counter[str] = Counter()
        self._silent: dict[asyncio.Future[Any], None] = {}
        """The readings of silent calls, the oldest first."""

    @property
    def silent_count(self) -> int:
        """Return how many calls are waited for that have not sent anything for longer than sound callers take."""
        return len(self._silent)

    async def read(self, context: Any) -> Any:
        """Return the first message of a call, or grpc.aio.EOF. Raises Refusal if none comes."""
        return await self.wait(context.read(), context.peer())

    async def wait(self, message: Awaitable[Any], peer: str) -> Any:
        """Return what is awaited, the first message of a call of `peer`. Raises Refusal if none comes."""
        reading = asyncio.ensure_future(message)
        try:
            done, _ = await asyncio.wait([reading], timeout=self._at_once_s)
            if not done:
                with self._counted(host_of(peer), reading):
                    await asyncio.wait([reading], timeout=self._limit_s - self._at_once_s)
            if reading.cancelled():
                raise self._too_many("calls to this server", MAX_ALL_SILENT)
            if not reading.done():
                limit = f"{self._limit_s:g} s"
                raise Refusal(self._reason, f"no {self._what} came within {limit}", limit=limit)
            return reading.result()
        finally:
            reading.cancel()

    @contextmanager
    def _counted(self, host: str, reading: asyncio.Future[Any]) -> Iterator[None]:
        if self._hosts[host] >= MAX_SILENT:
            raise self._too_many("calls from your address", MAX_SILENT)
        if len(self._silent) >= MAX_ALL_SILENT:
            oldest = next(iter(self._silent))
            del self._silent[oldest]
            oldest.cancel()
        self._hosts[host] += 1
        self._silent[reading] = None
        try:
            yield
        finally:
            self._silent.pop(reading, None)
            self._hosts[host] -= 1
            if not self._hosts[host]:
                del self._hosts[host]

    def _too_many(self, calls: str, limit: int) -> Refusal:
        message = f"{limit:,} {calls} have sent no {self._what} yet: send it, or end them"
        return Refusal("TOO_MANY_REQUESTS", message, retry_s=AT_ONCE_S, limit=limit)


class ReadContext:
    """The context of a call whose stream must be read: each message within `limit_s`."""

    def __init__(self, context: Any, limit_s: float) -> None:
        self._context = context
        self._limit_s = limit_s
        self.begun = False
        """Whether anything was sent."""

    def __getattr__(self, name: str) -> Any:
        """Return what else the context has."""
        return getattr(self._context, name)

    async def write(self, message: Any) -> None:
        """Send a message, after those that were sent before.

        Raises Refusal if the caller does not read them, and CancelledError if it has left.
        """
        if not self.begun:  # or a refusal would send it too, while the first message is under way
            self.begun = True
            await self._context.send_initial_metadata(())
        try:
            async with asyncio.timeout(self._limit_s):
                await self._context.write(message)
        except TimeoutError:
            limit = f"{self._limit_s:g} s"
            message = f"nobody has read this stream for {limit}: ask again, and read what comes"
            raise Refusal("STREAM_NOT_READ", message, limit=limit) from None
        except grpc.aio.InternalError:  # what gRPC says of a message that was under way
            raise asyncio.CancelledError from None


async def first_request(messages: FirstMessages, context: Any) -> Any:
    """Return the request of a method that takes one. Raises Refusal if none comes."""
    request = await messages.read(context)
    if request is grpc.aio.EOF:
        raise Refusal("PROTOCOL_BROKEN", "the call ended without a request")
    return request


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
        method = handler_call_details.method
        for kind, build in KINDS.items():
            behaviour = getattr(handler, kind)
            if iscoroutinefunction(behaviour):
                deserializer = guard_deserializer(handler.request_deserializer)
                if kind in READ_KINDS:
                    guarded = self._guarded(self._reading(behaviour), method, streams=kind == "unary_stream")
                    return READ_KINDS[kind](guarded, deserializer, handler.response_serializer)
                return build(self._guarded(behaviour, method), deserializer, handler.response_serializer)
            if isasyncgenfunction(behaviour):
                deserializer = guard_deserializer(handler.request_deserializer)
                return build(self._guarded_stream(behaviour, method), deserializer, handler.response_serializer)
        return handler

    def _reading(self, behaviour: Behaviour) -> Behaviour:
        """Return a behaviour that reads the one request itself."""

        async def reading(_: Any, context: Any) -> Any:
            request = sound(await first_request(self._requests, context))
            if request.ByteSize() > LARGE_BYTES:
                await asyncio.to_thread(check_limits, request)
            else:
                check_limits(request)
            return await behaviour(request, context)

        return reading

    def _guarded(self, behaviour: Behaviour, method: str, *, streams: bool = False) -> Behaviour:
        async def guarded(request: Any, context: Any) -> Any:
            shown = ReadContext(context, self._unread_limit_s) if streams else context
            try:
                return await behaviour(request, shown)
            except asyncio.CancelledError:
                if not (streams and shown.begun):
                    self._count_reset(context)
                raise
            except Refusal as refusal:
                await self._refuse(method, context, refusal)
            except grpc.aio.AbortError:
                raise
            except Exception as error:
                await self._refuse(method, context, _refusal_for(error))

        return guarded

    def _guarded_stream(self, behaviour: Streaming, method: str) -> Streaming:
        async def guarded(requests: AsyncIterator[Any], context: Any) -> AsyncIterator[Any]:
            try:
                async for answer in behaviour(self._sound_ones(requests, context.peer()), context):
                    yield answer
            except asyncio.CancelledError:
                self._count_reset(context)
                raise
            except Refusal as refusal:
                await self._refuse(method, context, refusal)
            except grpc.aio.AbortError:
                raise
            except Exception as error:
                await self._refuse(method, context, _refusal_for(error))

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

    async def _refuse(self, method: str, context: Any, refusal: Refusal) -> None:
        refusals.debug("%s %s", method, refusal.reason)
        if self._meter is not None:
            self._meter.count_refusal(refusal.reason)
        await abort(context, refusal)
