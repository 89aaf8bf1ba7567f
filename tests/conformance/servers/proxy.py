"""A server in front of the reference server that forwards everything, but for one defect that changes what passes."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import grpc
from google.protobuf.descriptor_pool import Default
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

from fairplay.v1.connection_pb2 import Call, DialInRequest, DialInResponse, Reply

OPTIONS = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1), ("grpc.so_reuseport", 0)]
ENDED = (grpc.aio.AioRpcError, asyncio.InvalidStateError)

Change: TypeAlias = Callable[[Any, "Rpc"], Sequence[Message] | None]
"""(message, the RPC in which it passes) -> what passes in its place; None: the message, which may have been changed."""
Changes: TypeAlias = Mapping[type[Any], Change]
"""The type of a message -> what a defect makes of such messages.

Besides the messages of methods: Call and Reply in frames, the requests to players in calls, the Status of an error, and
HalfClose.
"""


class HalfClose:
    """The end of what a caller says."""


class Rpc:
    """An RPC that is forwarded."""

    def __init__(self, kept: dict[str, Any], write: Callable[[bytes], Awaitable[None]]) -> None:
        self.kept = kept
        """What the defect remembers."""
        self.own: dict[Any, Any] = {}
        """What the defect remembers of this RPC."""
        self._write = write
        self._writing = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    async def send(self, data: bytes) -> None:
        """Send a message to the server; one that comes after the end of the RPC is dropped."""
        with contextlib.suppress(*ENDED):
            async with self._writing:
                await self._write(data)

    def settle(self, call: Call) -> Sequence[Message]:
        """Answer a call in the player's place, and return what passes in the place of the call: nothing."""
        frame = DialInRequest(replies=[Reply(id=call.id, response=b"")])
        task = asyncio.ensure_future(self.send(frame.SerializeToString()))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return []


class _Forwarder(grpc.GenericRpcHandler):  # type: ignore[misc]  # grpcio has no types for it
    """Forwards each RPC of any kind as a stream of messages in both directions."""

    def __init__(self, channel: grpc.aio.Channel, changes: Changes) -> None:
        self._channel = channel
        self._changes = changes
        self._kept: dict[str, Any] = {}

    def service(self, handler_call_details: Any) -> grpc.RpcMethodHandler:
        """Return the handler of a method."""
        path = handler_call_details.method

        async def forward(requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
            call: Any = self._channel.stream_stream(path)()
            asked, answered = _types(path)
            rpc = Rpc(self._kept, call.write)

            async def pump() -> None:
                async for data in requests:
                    for changed in self._changed(asked, data, rpc):
                        await rpc.send(changed)
                with contextlib.suppress(*ENDED):
                    if self._apply(HalfClose(), rpc):
                        await call.done_writing()

            pumping = asyncio.ensure_future(pump())
            try:
                while (data := await call.read()) is not grpc.aio.EOF:
                    for changed in self._changed(answered, data, rpc):
                        yield changed
                if not call.done() or await call.code() is not grpc.StatusCode.OK:
                    raise await _error(call)
            except grpc.aio.AioRpcError as error:
                status = rpc_status.from_call(error) or Status(code=error.code().value[0], message=error.details())
                [status] = self._apply(status, rpc)
                sent = rpc_status.to_status(status)
                await context.abort(sent.code, sent.details, sent.trailing_metadata)
            finally:
                pumping.cancel()
                call.cancel()

        return grpc.stream_stream_rpc_method_handler(forward)

    def _changed(self, kind: type[Message] | None, data: bytes, rpc: Rpc) -> Iterator[bytes]:
        if kind is None:
            yield data
            return
        message = kind.FromString(data)
        if isinstance(message, DialInResponse):
            calls = [passed for call in message.calls for passed in self._asked(call, rpc)]
            del message.calls[:]
            message.calls.extend(calls)
        if isinstance(message, DialInRequest):
            replies = [passed for reply in message.replies for passed in self._apply(reply, rpc)]
            del message.replies[:]
            message.replies.extend(replies)
        yield from (passed.SerializeToString() for passed in self._apply(message, rpc))

    def _asked(self, call: Call, rpc: Rpc) -> Sequence[Any]:
        kind, _ = _types(call.method_name)
        if kind is not None and kind in self._changes:
            [request] = self._apply(kind.FromString(call.request), rpc)
            call.request = request.SerializeToString()
        return self._apply(call, rpc)

    def _apply(self, message: Any, rpc: Rpc) -> Sequence[Any]:
        change = self._changes.get(type(message))
        passing = None if change is None else change(message, rpc)
        return [message] if passing is None else passing


async def _error(call: Any) -> grpc.aio.AioRpcError:
    """Return the error with which an RPC has ended that was read to its end."""
    code, details = await call.code(), await call.details()
    return grpc.aio.AioRpcError(code, await call.initial_metadata(), await call.trailing_metadata(), details)


@functools.cache
def _types(path: str) -> tuple[type[Message] | None, type[Message] | None]:
    """Return the types of the messages of a method, or None for each of a service that is not ours."""
    service, _, method = path.strip("/").rpartition("/")
    try:
        found = Default().FindServiceByName(service).methods_by_name[method]
    except KeyError:
        return None, None
    return GetMessageClass(found.input_type), GetMessageClass(found.output_type)


@asynccontextmanager
async def proxied(address: str, changes: Changes) -> AsyncIterator[str]:
    """Serve as the server at an address does, but for the changes of a defect. Yield the address."""
    async with grpc.aio.insecure_channel(address, [*OPTIONS, ("grpc.use_local_subchannel_pool", 1)]) as channel:
        server = grpc.aio.server(options=OPTIONS)
        server.add_generic_rpc_handlers([_Forwarder(channel, changes)])
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        try:
            yield f"127.0.0.1:{port}"
        finally:
            await server.stop(None)
