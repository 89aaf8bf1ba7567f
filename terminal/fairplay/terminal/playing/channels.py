"""Channels to the server that plays: one that was named, or one that lives as long as the command."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import grpc

from fairplay.client.errors import FailedError, UsageError
from fairplay.client.inputs import parse_seconds, parse_server
from fairplay.player import channels as transport
from fairplay.server.net.errors import reason_of
from fairplay.server.server import Config, Server
from fairplay.terminal.playing.options import Options
from fairplay.terminal.programs import parse_program_options

CANCEL_LIMIT_S = 3.0
PATIENCE_S = 30.0
CHANNEL_OPTIONS = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 1_000)]
RETRY_S = 0.25

Answer = TypeVar("Answer")


@asynccontextmanager
async def open_channel(options: Options, *, resume: str | None) -> AsyncIterator[grpc.aio.Channel]:
    """Open a channel to the server of `--server`, or to one of our own.

    That one resumes the tournaments of its records whose ids begin with `resume`; None: none.
    """
    cluster = options.cluster_options(options.links())
    if options.server is None:
        start_limit_s = parse_seconds(options.start_limit, "--start-limit")
        programs = parse_program_options(
            options.sandbox,
            options.program_limits,
            options.program_folders,
            options.links(),
        )
        config = Config(
            programs=programs,
            records=options.records,
            allow_exec=True,
            start_limit_s=start_limit_s,
            resume=resume,
            credentials=options.credentials,
            cluster=cluster,
        )
        async with open_local_channel(config) as channel:
            yield channel
        return
    if options.records is not None:
        raise UsageError("--records is for a server of its own: the server that --server names keeps its records")
    address = parse_server(options.server, "--server")
    async with transport.open_channel(address, options.credentials, CHANNEL_OPTIONS) as channel:
        await transport.reach_server(channel, address, options.credentials)
        yield channel


@asynccontextmanager
async def open_local_channel(config: Config) -> AsyncIterator[grpc.aio.Channel]:
    """Open a channel to a server of our own, which stops when the channel is closed."""
    server = await Server.start(config)
    try:
        async with transport.open_channel(f"{transport.PLAIN}{server.address}") as channel:
            yield channel
    finally:
        await server.stop()


async def patiently(channel: grpc.aio.Channel, ask: Callable[[], Awaitable[Answer]]) -> Answer:
    """Return what `ask` returns; ask again each time the server was away, which goes on where it was.

    Raises FailedError if the server stays away, and AioRpcError if its records cannot be used.
    """
    while True:
        try:
            return await ask()
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE or reason_of(error) == "RECORDS_UNAVAILABLE":
                raise
        await asyncio.sleep(RETRY_S)  # while it shuts down it still answers
        try:
            async with asyncio.timeout(PATIENCE_S):
                await channel.channel_ready()
        except TimeoutError:
            sentence = f"the server has been away for {PATIENCE_S:g} s: give the command again when it is back"
            raise FailedError(sentence) from None


async def quickly(call: Awaitable[object]) -> None:
    """Wait a little for a call that tidies up; what the server does not do then, its end does."""
    with contextlib.suppress(TimeoutError, grpc.aio.AioRpcError):
        await asyncio.wait_for(asyncio.ensure_future(call), CANCEL_LIMIT_S)
