"""Dialling in: the player calls the server of the game, and is called through the stream that it opened."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import grpc
from google.protobuf.duration_pb2 import Duration

from fairplay.player import standstill
from fairplay.player.answering import Answering
from fairplay.player.channels import Credentials, open_channel, split_address
from fairplay.player.handlers import Handlers
from fairplay.player.proxies import ProxyError, check_proxy
from fairplay.v1.connection_pb2 import DialInRequest, DialInResponse, GoodbyeReason, Hello, HostedPlayer, Reply
from fairplay.v1.connection_pb2_grpc import ConnectionServiceStub

log = logging.getLogger("fairplay.player")

MAX_MESSAGE_BYTES = 16 * 1024 * 1024
CHANNEL_OPTIONS = [
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.keepalive_time_ms", 20_000),  # must stay above the server's minimum of 10 s
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.ping_timeout_ms", 10_000),  # otherwise a server that is frozen is noticed after a minute
    ("grpc.initial_reconnect_backoff_ms", 100),  # a server that comes back waits for its players, but not for long
    ("grpc.max_reconnect_backoff_ms", 1_000),
]
FIRST_RETRY_S = 0.1
LAST_RETRY_S = 2.0
PATIENCE_S = 600.0
"""For how long a server that is away is tried again: the start of one, of its machine or its database takes minutes."""
RESUME_S = 30.0
"""For how long a server keeps the calls of a player that is away."""
FINAL = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.UNIMPLEMENTED,
}
"""The statuses with which a server refuses a hello for good."""
DETAILS, REASON, RETRY = "grpc-status-details-bin", b"google.rpc.ErrorInfo", b"google.rpc.RetryInfo"


class DialInError(Exception):
    """The server refuses this player, or was not reached in time; one sentence."""


@dataclass(frozen=True, slots=True)
class Hosted:
    """A player object that dials in, under which name and with which token."""

    player: object
    name: str
    token: str = ""


def dial_in(player: object, address: str, name: str, token: str = "", *, patience_s: float = PATIENCE_S) -> None:
    """Dial in to HOST:PORT with one player and serve its calls until the server no longer needs it, or until Ctrl-C.

    The address may be grpcs://HOST:PORT, for TLS. The environment may name the authorities that are trusted
    (FAIRPLAY_CA; otherwise the system's) and the token of an account (FAIRPLAY_TOKEN).

    A server that is not there yet, or goes away, is tried again for `patience_s` seconds, and a warning is logged once
    each time. Raises DialInError if the server refuses the player or stays away, CredentialsError if a file of the
    credentials cannot be used.
    """
    try:
        standstill.run(dial_in_async([Hosted(player, name, token)], address, patience_s=patience_s))
    except KeyboardInterrupt:
        log.info("stopped")


async def dial_in_async(
    hosted: Sequence[Hosted],
    address: str,
    *,
    patience_s: float = PATIENCE_S,
    resume_s: float = RESUME_S,
    resume_token: bytes = b"",
    on_welcome: Callable[[bytes], None] | None = None,
    on_away: Callable[[str], None] = log.warning,
    credentials: Credentials | None = None,
) -> None:
    """Dial in with several players over one stream; see `dial_in`.

    `credentials` None: those of the environment. `resume_s` is how long games shall wait when the stream is lost; 0: a
    lost stream fails its calls. `resume_token` is that of a stream of an earlier process, which goes on if the server
    still knows it; `on_welcome` is called with the token of each new stream, `on_away` with a sentence as soon as the
    server is not there.
    """
    hello = Hello(
        players=[
            HostedPlayer(name=one.name, token=one.token, description=handlers.description)
            for one, handlers in ((one, Handlers(one.player)) for one in hosted)
        ],
        resume_token=resume_token,
        resume_window=Duration(nanos=int(resume_s * 1e9) % 10**9, seconds=int(resume_s)),
    )
    handlers = [Handlers(one.player) for one in hosted]
    loop = asyncio.get_running_loop()
    give_up, pause = loop.time() + patience_s, FIRST_RETRY_S
    credentials = credentials or Credentials.from_environment(os.environ)
    async with open_channel(address, credentials, CHANNEL_OPTIONS) as channel:
        while True:
            connection = _Connection(channel, hello, handlers, on_welcome)
            try:
                if await connection.run():
                    return
                problem = "the server ended the stream"
            except grpc.aio.AioRpcError as error:
                problem = error.details() or error.code().name
                if refuses(error):
                    raise DialInError(f"{address} refuses: {problem}") from None
            if connection.welcomed:
                give_up, pause = loop.time() + patience_s, FIRST_RETRY_S
                hello.resume_token = connection.resume_token
            if loop.time() + pause > give_up:
                try:
                    await check_proxy(split_address(address, credentials)[0])
                except ProxyError as error:
                    problem = str(error)
                raise DialInError(f"{address} was not reached within {patience_s:g} s: {problem}")
            if pause == 2 * FIRST_RETRY_S:  # said once: a stream that ends is no news yet
                on_away(f"{address} is not there, and is tried again for {patience_s:g} s: {problem}")
            await asyncio.sleep(pause)
            pause = min(2 * pause, LAST_RETRY_S)


def refuses(error: grpc.aio.AioRpcError) -> bool:
    """Return whether the server refuses the hello for good.

    Libraries say RESOURCE_EXHAUSTED of connections, too, without a reason.
    """
    if error.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED:
        return error.code() in FINAL
    details = next((value for key, value in error.trailing_metadata() or () if key == DETAILS), b"")
    return REASON in details and RETRY not in details


class _Connection:
    """One stream to the server, from hello to its end."""

    def __init__(
        self,
        channel: grpc.aio.Channel,
        hello: Hello,
        handlers: Sequence[Handlers],
        on_welcome: Callable[[bytes], None] | None,
    ) -> None:
        self._hello = hello
        self._on_welcome = on_welcome
        self._handlers = handlers
        self._stream = ConnectionServiceStub(channel).DialIn()
        self._players: dict[int, Handlers] = {}
        self._answering = Answering(self._write)
        self.welcomed = False
        self.resume_token = b""

    async def run(self) -> bool:
        """Answer calls until the stream ends, and return whether the players are no longer needed.

        Raises AioRpcError if it ends with a status.
        """
        try:
            with contextlib.suppress(asyncio.InvalidStateError):  # the stream has ended already: reading says why
                await self._stream.write(DialInRequest(hello=self._hello))
            while (frame := await self._stream.read()) is not grpc.aio.EOF:
                if self._take(frame):
                    return True
            return False
        finally:
            await self._answering.close()
            self._stream.cancel()

    async def _write(self, replies: list[Reply]) -> None:
        await self._stream.write(DialInRequest(replies=replies))

    def _take(self, frame: DialInResponse) -> bool:
        if frame.HasField("welcome"):
            self.welcomed = True
            self.resume_token = frame.welcome.resume_token
            self._players = dict(zip(frame.welcome.players, self._handlers, strict=True))
            if self._on_welcome is not None:
                self._on_welcome(self.resume_token)
        self._answering.cancel(frame.cancelled)
        self._answering.answer(self._players, frame.calls)
        if frame.HasField("goodbye"):
            log.info("the server says goodbye: %s", frame.goodbye.message)
            return frame.goodbye.reason != GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN  # it may come back
        return False
