"""ConnectionService: the streams of players that dial in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Protocol

import grpc

from fairplay.server.access.caller import CALLER
from fairplay.server.access.ownership import Ownership
from fairplay.server.access.quotas import Quotas, payer
from fairplay.server.examining.handover import Handover, hand_over
from fairplay.server.links.dial_in import check_players
from fairplay.server.links.stream import Stream, Write, called_services
from fairplay.server.net.bounds import check_limits
from fairplay.server.net.errors import Refusal
from fairplay.server.net.peers import host_of
from fairplay.server.observing.log import log_dial_in, log_hang_up
from fairplay.server.servicers.interceptor import FIRST_LIMIT_S, FirstMessages
from fairplay.server.servicers.requests import sound
from fairplay.v1.connection_pb2 import Hello
from fairplay.v1.connection_pb2_grpc import ConnectionServiceServicer

LEAVE_S = 0.1
"""How long it takes to see whether a caller has left with a half-close.

One whose connection is lost, or that cancels, looks the same for less than a millisecond.
"""


class Admission(Protocol):
    """Decides who may have which name: the hub, or a part of it."""

    def admit(self, hello: Hello, write: Write, end: Callable[[], None], host: str = "", account: str = "") -> Stream:
        """Give the names of a hello to a stream, and return it. Raises Refusal if one cannot be had."""

    def note_refusal(self, names: Iterable[str], refusal: Refusal) -> None:
        """Note that a connection whose hello names these players has ended for a fault of its caller."""


class ConnectionServicer(ConnectionServiceServicer):
    """The service that hands each connection to the hub. One that breaks the contract ends and touches no other.

    `ownership` says whose the names of others are; None: only programs come that the server has started, of which the
    log says nothing. `quotas` bound what players send; None: nothing does.
    `handover` says who is examined; None: nobody is.
    """

    def __init__(
        self,
        hub: Admission,
        first_limit_s: float = FIRST_LIMIT_S,
        *,
        ownership: Ownership | None = None,
        quotas: Quotas | None = None,
        handover: Handover | None = None,
    ) -> None:
        self._hub = hub
        self._hellos = FirstMessages(first_limit_s, "HELLO_MISSING", "hello")
        self._ownership = ownership
        self._quotas = quotas
        self._handover = handover

    async def DialIn(  # type: ignore[override]  # noqa: N802 - writes through the context instead of yielding
        self, request_iterator: Any, context: Any
    ) -> None:
        """Admit the players of the hello, then carry calls and replies until either side ends."""
        frame = sound(await self._hellos.read(context))
        names = [] if frame is grpc.aio.EOF else [player.name for player in frame.hello.players]
        try:
            await self._carry(context, _hello(frame), names)
        except Refusal as refusal:
            self._hub.note_refusal(names, refusal)
            raise

    async def _carry(self, context: Any, hello: Hello, names: Sequence[str]) -> None:
        """Carry calls and replies of the players of a hello. Raises Refusal if the caller breaks the contract."""
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        write = context.write
        host = host_of(context.peer())
        if self._ownership is not None:
            check_players(hello.players)
            await self._ownership.claim_names(names)
        await asyncio.to_thread(called_services)  # the welcome names them: let no other connection wait for the games
        account = CALLER.get().account
        await context.send_initial_metadata(())  # or a refusal would send it too, while the welcome is under way
        pay = partial(self._quotas.take_bytes, payer(account, host)) if self._quotas is not None else None
        if self._handover is not None and (address := self._handover.address(hello, account)):
            await hand_over(context, hello, address, pay)
            return
        stream = self._hub.admit(hello, write, partial(_end, over), host, account)
        reading = asyncio.create_task(_read_all(context, partial(_take, stream, write, pay)))
        reading.add_done_callback(partial(_settle, over))
        left, broken, problem = False, False, ""
        if self._ownership is not None:
            log_dial_in(names, host)
        try:
            await over
            left, broken = reading.done(), stream.broken(write)
        except Refusal as refusal:
            problem = refusal.message
            raise
        finally:
            reading.cancel()
            stream.detach(write, left=left, problem=problem)
            if self._ownership is not None:
                log_hang_up(names, host)
        if broken:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the connection is lost")


def _hello(frame: Any) -> Any:
    """Return the hello of a first frame. Raises Refusal if there is none, or more than that."""
    if frame is grpc.aio.EOF or not frame.HasField("hello"):
        raise Refusal("PROTOCOL_BROKEN", "the first frame must hold a hello")
    if frame.replies:
        raise Refusal("PROTOCOL_BROKEN", "the first frame must hold a hello and no replies")
    check_limits(frame.hello)
    return frame.hello


def _end(over: asyncio.Future[None]) -> None:
    if not over.done():
        over.set_result(None)


def _settle(over: asyncio.Future[None], reading: asyncio.Future[None]) -> None:
    """End the connection when reading ends, with what reading raised."""
    if over.done() or reading.cancelled():
        return
    error = reading.exception()
    if error is None:
        over.set_result(None)
    else:
        over.set_exception(error)


def _take(stream: Stream, write: Write, pay: Callable[[int], None] | None, frame: Any) -> None:
    """Take a frame after the first one. Raises Refusal if it breaks the contract, or more comes than is paid for."""
    if pay is not None:
        pay(sound(frame).ByteSize())
    if not stream.carried_by(write):
        return  # it has come after the goodbye
    stream.calls.take(sound(frame).replies)
    if frame.HasField("hello"):
        raise Refusal("PROTOCOL_BROKEN", "only the first frame may hold a hello")
    if not frame.replies:
        stream.calls.allow_stray()  # frames for nothing take time, too


async def _read_all(context: Any, take: Callable[[Any], None]) -> None:
    """Read until the caller leaves. A loss of its connection cancels the task that waits for this."""
    while (frame := await context.read()) is not grpc.aio.EOF:
        take(frame)
    await asyncio.sleep(LEAVE_S)
