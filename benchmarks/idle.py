"""A thousand players that have dialled in and wait, and ten thousand.

    python -m benchmarks.idle ADDRESS COUNT PREFIX (own | shared) [CA]

dials in with so many players, each over a stream of its own, and says so when all are welcome. The streams have a
connection each, as those of programs on many machines, or share one; they speak TLS if there is the file of an
authority. Without arguments it is a bare server for such players: it says its address, and holds their streams.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import Awaitable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
import psutil

from benchmarks.echo import listen
from benchmarks.figures import IDLE_MOST_REACH_MB, IDLE_REACH_MB, Figure, Unmeasurable, figure
from benchmarks.processes import started
from fairplay.player.channels import Credentials, open_channel
from fairplay.terminal.operator.authority import make_authority, make_server
from fairplay.v1.connection_pb2 import DialInRequest, Hello, HostedPlayer
from fairplay.v1.connection_pb2_grpc import ConnectionServiceStub

MANY, MOST = 1_000, 10_000
PROCESS_COUNT = 4
AT_ONCE = 20
"""How many of them each of these dials in with at the same time."""
COME_LIMIT_S = 300.0
SETTLE_S = 0.5
DIAL_IN = "/fairplay.v1.ConnectionService/DialIn"


async def measure() -> list[Figure]:
    """Return the memory of `fairplay serve`, a process of its own. Taken once: it hardly varies."""
    before, after = await _memory(MANY, "own")
    _, shared = await _memory(MANY, "shared")
    _, secure = await _memory(MANY, "own", tls=True)
    return [
        figure("idle", [after], IDLE_REACH_MB),
        figure("idle-ratio", [after / await _bare_memory(MANY)]),
        figure("idle-none", [before]),
        figure("idle-shared", [shared]),
        figure("idle-tls", [secure]),
    ]


async def measure_most() -> list[Figure]:
    """Return the memory of `fairplay serve` with ten times as many players."""
    _, most = await _memory(MOST, "own")
    return [figure("idle-most", [most], IDLE_MOST_REACH_MB)]


async def _memory(player_count: int, connections: str, *, tls: bool = False) -> tuple[float, float]:
    """Return the memory before so many players come and when all are here, in MB."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fairplay-bench-")))
        options = ["--listen", "127.0.0.1:0", "--players", "127.0.0.1:0", "--records", str(folder / "records")]
        trust: list[str] = []
        if tls:
            make_authority(folder, 1)
            make_server(folder, ["127.0.0.1"], 1)
            options += ["--tls", str(folder / "server.pem"), str(folder / "server-key.pem")]
            trust = [str(folder / "ca.pem")]
        server = await stack.enter_async_context(started("fairplay.terminal", "serve", *options))
        address = re.search(r"players dial in at (\S+:\d+)", server.line)
        if address is None:
            raise Unmeasurable(f"the server does not say where it is, but: {server.line}")
        before = await _resident_mb(server.guard)
        await _come(stack, address[1], player_count, connections, *trust)
        return before, await _resident_mb(server.guard)


async def _bare_memory(player_count: int) -> float:
    """Return the memory of a bare server when so many players are there, each over a connection of its own, in MB."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(started("benchmarks.idle"))
        await _come(stack, server.line, player_count, "own")
        return await _resident_mb(server.guard)


async def _come(stack: AsyncExitStack, address: str, player_count: int, *how: str) -> None:
    """Have players dial in from several processes, until the stack is closed."""
    for number in range(PROCESS_COUNT):
        arguments = (address, str(player_count // PROCESS_COUNT), f"idle{number}", *how)
        await stack.enter_async_context(started("benchmarks.idle", *arguments, limit_s=COME_LIMIT_S))


async def _resident_mb(guard: int) -> float:
    await asyncio.sleep(SETTLE_S)
    return psutil.Process(guard).children()[0].memory_info().rss / 1e6


async def run(address: str, count: int, prefix: str, connections: str, ca: str = "") -> None:
    """Run the players' side: dial in, and hold the streams until the server ends them."""
    options = [("grpc.use_local_subchannel_pool", int(connections == "own"))]
    credentials = Credentials(ca=Path(ca) if ca else None)

    def dial_in(number: int) -> Awaitable[Any]:
        return _dialled_in(open_channel(address, credentials, options), f"{prefix}.{number}")

    streams = []
    for first in range(0, count, AT_ONCE):
        streams += await asyncio.gather(*map(dial_in, range(first, min(first + AT_ONCE, count))))
    print("ready", flush=True)
    await asyncio.gather(*(stream.read() for stream in streams))


async def _dialled_in(channel: grpc.aio.Channel, name: str) -> Any:
    stream = ConnectionServiceStub(channel).DialIn()
    await stream.write(DialInRequest(hello=Hello(players=[HostedPlayer(name=name, token=name)])))
    await stream.read()
    return stream


async def serve() -> None:
    """Run a bare server: answer the first frame of each stream, and hold the stream."""

    async def hold(_: Any, context: Any) -> None:
        await context.read()
        await context.write(b"")
        await context.read()

    server, address = await listen(hold, DIAL_IN)
    print(address, flush=True)
    await server.wait_for_termination()


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], int(sys.argv[2]), *sys.argv[3:]) if sys.argv[1:] else serve())
