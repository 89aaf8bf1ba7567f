"""The one place where exceptions of handlers become errors that callers may see."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import grpc

from fairplay.server.errors import Refusal, abort
from fairplay.server.records.errors import RecordsError

log = logging.getLogger("fairplay.server")

KINDS = {
    "unary_unary": grpc.unary_unary_rpc_method_handler,
    "unary_stream": grpc.unary_stream_rpc_method_handler,
    "stream_stream": grpc.stream_stream_rpc_method_handler,
}
"""The kinds of methods that our services have, and how a handler of each is built."""
INTERNAL = Refusal("INTERNAL", "the server failed; its log says more")


class ErrorInterceptor(grpc.aio.ServerInterceptor):  # type: ignore[misc]  # grpcio has no types for it
    """The interceptor that turns refusals into their status, and anything else into INTERNAL, without its text."""

    async def intercept_service(
        self, continuation: Callable[[Any], Awaitable[Any]], handler_call_details: Any
    ) -> grpc.RpcMethodHandler | None:
        """Wrap the handler of a method, whichever of the kinds that our services have."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        for kind, build in KINDS.items():
            behaviour = getattr(handler, kind)
            if asyncio.iscoroutinefunction(behaviour):
                return build(_guarded(behaviour), handler.request_deserializer, handler.response_serializer)
        return handler


def _guarded(behaviour: Callable[[Any, Any], Awaitable[Any]]) -> Callable[[Any, Any], Awaitable[Any]]:
    async def guarded(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        try:
            return await behaviour(request, context)
        except Refusal as refusal:
            await abort(context, refusal)
        except grpc.aio.AbortError:
            raise
        except RecordsError as error:  # the disk, not a fault of ours: one sentence in the log will do
            log.error("%s", error)
            await abort(context, INTERNAL)
        except Exception:
            log.exception("a handler failed")
            await abort(context, INTERNAL)

    return guarded
