"""Channels to the server that plays: one that was named, or one that lives as long as the command."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TypeVar

import grpc

from fairplay.client.errors import FailedError, UsageError
from fairplay.client.inputs import parse_seconds, parse_server
from fairplay.player import channels as transport
from fairplay.player.channels import Credentials
from fairplay.server.net.errors import reason_of
from fairplay.server.server import Config, Server
from fairplay.terminal.clusters import parse_cluster
from fairplay.terminal.commands.game import GameOptions
from fairplay.terminal.commands.parameters import Cluster, Setup
from fairplay.terminal.commands.tournament import TournamentOptions
from fairplay.terminal.programs import parse_program_options
from fairplay.v1.game_pb2 import Player

CANCEL_LIMIT_S = 3.0
PATIENCE_S = 30.0
CHANNEL_OPTIONS = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 1_000)]
RETRY_S = 0.25

Answer = TypeVar("Answer")


def server_config(setup: Setup, cluster: Cluster, players: Sequence[Player], *, resume: str | None) -> Config:
    """Return the configuration of a server of our own, which resumes the tournaments whose ids begin with `resume`.

    `resume` None: none. Raises UsageError if an option cannot be read, or makes no sense with these players.
    """
    links = [player.link for player in players]
    written = setup.records.folders if setup.records is not None else ()
    return Config(
        cluster=parse_cluster(cluster, links, written),
        start_limit_s=parse_seconds(setup.start_limit or "10s", "--start-limit"),
        programs=parse_program_options(setup.programs, links),
        records=setup.records,
        allow_exec=True,
        resume=resume,
    )


@asynccontextmanager
async def open_channel(
    options: GameOptions | TournamentOptions, players: Sequence[Player], *, resume: str | None
) -> AsyncIterator[grpc.aio.Channel]:
    """Open a channel to the server of `--server`, or to one of our own for these players; see `server_config`."""
    setup, credentials = options.setup, Credentials.from_environment(os.environ, options.ca)
    cluster = options.cluster if isinstance(options, TournamentOptions) else Cluster()
    if options.server is None:
        config = server_config(setup, cluster, players, resume=resume)
        async with open_local_channel(replace(config, credentials=credentials)) as channel:
            yield channel
        return
    if cluster.jobs > 1 or cluster.cluster is not None:
        raise UsageError("--jobs and --cluster are for a server of its own: the one that --server names plays itself")
    parse_cluster(cluster, [player.link for player in players])
    if setup.records is not None:
        raise UsageError("--records is for a server of its own: the server that --server names keeps its records")
    address = parse_server(options.server, "--server")
    async with transport.open_channel(address, credentials, CHANNEL_OPTIONS) as channel:
        await transport.reach_server(channel, address, credentials)
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
