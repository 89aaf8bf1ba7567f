"""Players that serve their services on an address: the server dials them, and makes plain unary calls."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import grpc

from fairplay.games.steps import Failure
from fairplay.player.channels import PLAIN, SECURE, Credentials, CredentialsError, open_channel
from fairplay.player.secrets import SECRET_KEY
from fairplay.player.standstill import stood_lately
from fairplay.server.links.link import (
    MAX_REPLY_BYTES,
    NO_EXTRA,
    RETURN_S,
    Clock,
    DeadLink,
    Done,
    Link,
    Metadata,
    OpenCall,
    call_error,
    call_metadata,
    disconnected,
    overrun,
    too_large,
)
from fairplay.server.links.stream import MAX_FRAME_BYTES
from fairplay.v1.misconduct_pb2 import CallErrorReason

CHANNEL_OPTIONS = [
    ("grpc.max_receive_message_length", MAX_FRAME_BYTES),
    ("grpc.max_send_message_length", -1),
    # No keepalive: by default a player's gRPC server takes frequent pings for an attack, and the clock ends every call.
    # Without a policy, gRPC sends a call again only where HTTP/2 says that it was not processed, such as one that
    # crosses the GOAWAY of a player's server that lets no connection grow old.
    ("grpc.enable_retries", 1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    ("grpc.use_local_subchannel_pool", 1),  # a fresh connection for every link, not a shared one
]
TIMEOUT_SHARE = 0.9
TIMEOUT_KEY = "grpc-timeout"
"""How gRPC tells the other end the deadline of a call.

Written here, it is told and nothing else. The `timeout` of a call would end it here too, by gRPC's own timer, also
where the reply has come and lies unread because this process was stopped or starved for a while.
"""
MAX_MICROSECONDS = 10**8
NOTICE_S = 0.1
"""How long a channel may say that it is ready after a call has told that its connection is lost."""
GIVEN_UP = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED)
"""The statuses of calls whose connection is lost, or that the player's library takes for over."""


class DialOutLink:
    """The link to a player on an address, over one channel at a time. Calls show the player's secret, if it has one.

    Whoever tries players shows others (`secret`), writes limits in other ways (`write_limit`), or hangs up.
    """

    def __init__(
        self,
        clock: Clock,
        channel: grpc.aio.Channel,
        secret: str = "",
        connect: Callable[[], grpc.aio.Channel] | None = None,
        target: str = "",
    ) -> None:
        self._clock = clock
        self.secret = secret
        self.target = target
        """Where the player is called without TLS, HOST:PORT or unix:PATH; empty: with TLS."""
        self.write_limit: Callable[[float], str] = _timeout
        """Returns the text that tells the player a time limit in seconds."""
        self._channel = channel
        self._connect = connect
        self._methods: dict[str, Any] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}

    def call(
        self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0, extra: Metadata = NO_EXTRA
    ) -> OpenCall:
        """Call the player, which is told the time limit; it is the clock that judges."""
        open_call = OpenCall(self._clock, limit_s, done, self._drop)
        unary = self._methods.get(method)
        if unary is None:
            unary = self._methods[method] = self._channel.unary_unary(method)
        secret = ((SECRET_KEY, self.secret),) if self.secret else ()
        shown = (*call_metadata(bank_s, extra).items(), *secret)

        def make(time_s: float) -> Awaitable[bytes]:
            made: Awaitable[bytes] = unary(request, metadata=((TIMEOUT_KEY, self.write_limit(time_s)), *shown))
            return made

        task = asyncio.create_task(self._answer(make, open_call, limit_s))
        self._tasks[open_call.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(open_call.id, None))
        return open_call

    async def _answer(self, make: Callable[[float], Awaitable[bytes]], open_call: OpenCall, limit_s: float) -> None:
        """Settle a call with what comes of it. It is made again if the player may have given up a server that stood.

        The player's library counts the time, too, in which this process stood still for moments.
        """
        began_s, most_s = time.monotonic(), TIMEOUT_SHARE * limit_s
        outcome, code = await _made(make(limit_s), open_call)
        is_over = code is grpc.StatusCode.DEADLINE_EXCEEDED and time.monotonic() - began_s > most_s
        if code in GIVEN_UP and (stood_lately() or (is_over and open_call.elapsed_s <= most_s)):
            open_call.pause()
            with contextlib.suppress(TimeoutError):
                # A call can end before its connection does, and would be made again on that.
                async with asyncio.timeout(NOTICE_S):
                    await self._channel.wait_for_state_change(grpc.ChannelConnectivity.READY)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(RETURN_S):
                    await self._channel.channel_ready()
                open_call.restart()
                outcome, _ = await _made(make(open_call.limit_s), open_call)
        open_call.settle(outcome)

    def _drop(self, open_call: OpenCall) -> None:
        if (task := self._tasks.get(open_call.id)) is not None:
            task.cancel()

    def beside(self) -> DialOutLink:
        """Return the link to the same player over another channel, beside this one."""
        assert self._connect is not None, "only links to programs that the server has started can open another one"
        return DialOutLink(self._clock, self._connect(), self.secret, self._connect, self.target)

    async def hang_up(self, pause_s: float) -> None:
        """Close the channel, and open another one after a pause in which nobody is connected to the player."""
        assert self._connect is not None, "only links to programs that the server has started can open another one"
        await self._channel.close()
        self._methods.clear()
        await asyncio.sleep(pause_s)
        self._channel = self._connect()

    async def close(self) -> None:
        """Close the channel."""
        await self._channel.close()


def _timeout(limit_s: float) -> str:
    """Return a time limit as gRPC writes it: at most 8 digits and a unit."""
    microseconds = round(limit_s * 1e6)
    return f"{microseconds}u" if microseconds < MAX_MICROSECONDS else f"{round(limit_s * 1e3)}m"


async def _made(call: Awaitable[bytes], open_call: OpenCall) -> tuple[bytes | Failure, grpc.StatusCode]:
    """Return what comes of a call, and its status."""
    try:
        reply = await call
    except grpc.aio.AioRpcError as error:
        return _failure(error, open_call), error.code()
    return reply if len(reply) <= MAX_REPLY_BYTES else too_large(len(reply)), grpc.StatusCode.OK


def _failure(error: grpc.aio.AioRpcError, open_call: OpenCall) -> Failure:
    code, details = error.code(), error.details() or ""
    elapsed = open_call.elapsed_s
    if code is grpc.StatusCode.DEADLINE_EXCEEDED and elapsed > TIMEOUT_SHARE * open_call.limit_s:
        return overrun(open_call.limit_s, max(elapsed, open_call.limit_s))
    if code is grpc.StatusCode.UNAVAILABLE:
        return disconnected(f"the player cannot be reached: {details}")
    # The player's library says the same of a request that is too large for it, but as "SERVER: …".
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED and "CLIENT: Received message larger than max" in details:
        return call_error(CallErrorReason.CALL_ERROR_REASON_TOO_LARGE, details)
    return call_error(CallErrorReason.CALL_ERROR_REASON_STATUS, details, code=code.value[0])


def _channel(target: str, credentials: Credentials | None, address: str) -> grpc.aio.Channel:
    """Return the channel to a player that is called `target` and found at `address`, where its name was resolved."""
    options: list[tuple[str, int | str]] = [*CHANNEL_OPTIONS]
    if address != target:
        options.append(("grpc.default_authority", target))
        options.append(("grpc.ssl_target_name_override", target.rpartition(":")[0].strip("[]")))
    if credentials is None:
        return open_channel(f"{PLAIN}{address}", options=options)
    return open_channel(f"{SECURE}{address}", replace(credentials, token=""), options)


async def dial_out_link(
    clock: Clock,
    target: str,
    start_limit_s: float,
    credentials: Credentials | None = None,
    address: str = "",
    secret: str = "",
) -> Link:
    """Wait until the player on HOST:PORT can be connected to, and return the link to it.

    With `credentials` it is called over TLS. `address` is where the host of `target` is, if that is known already.
    `secret` is the player's own, with which it knows the server.
    """
    try:
        channel = _channel(target, credentials, address or target)
    except CredentialsError as error:
        return DeadLink(clock, disconnected(f"{target} cannot be called over TLS: {error}"))
    ready = False
    try:
        async with asyncio.timeout(start_limit_s):
            await channel.channel_ready()
            ready = True
    except TimeoutError:
        over = " over TLS with a certificate that is trusted" if credentials is not None else ""
        return DeadLink(clock, disconnected(f"nothing answered{over} on {target} within {start_limit_s:g} s"))
    finally:
        if not ready:
            await channel.close()
    return DialOutLink(clock, channel, secret, target="" if credentials is not None else address or target)
