"""Programs that somebody else starts: whoever signs up at a bridge dials in to a server under its name."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fairplay.bridge.run import bring_in
from fairplay.games.game import find
from fairplay.server.server import Server
from tests.bridge.playing import CLIENT, face_of
from tests.server.harness import plan, serving


@asynccontextmanager
async def bridging(server: Server, *fault: str) -> AsyncIterator[None]:
    """Have a program called ann sign up at a bridge, until it has dialled in."""
    ready = asyncio.Queue[int]()
    address, here = server.players_address, ("127.0.0.1", 0)
    pattern = find("fish").sign_up.name_pattern
    work = bring_in(find("fish"), face_of("fish"), here, address, "", None, pattern, ready=ready.put_nowait)
    bridge = asyncio.create_task(work)
    port = str(await ready.get())
    program = await asyncio.create_subprocess_exec(sys.executable, CLIENT, "fish", port, "ann", *fault)
    try:
        await server.hub.arrived("ann")
        yield
    finally:
        bridge.cancel()
        await asyncio.gather(bridge, return_exceptions=True)
        assert await asyncio.wait_for(program.wait(), 30) == 0  # its connection is closed


async def test_who_signs_up_plays_under_its_name() -> None:
    async with asyncio.timeout(120), serving() as server, bridging(server):
        game = await server.referee.play(plan("dial-in:ann", "bot:first"), "g")
        assert not game.result.misconducts
        again = await server.referee.play(plan("bot:first", "dial-in:ann"), "h")
        assert not again.result.misconducts


async def test_what_it_does_wrong_is_in_the_record() -> None:
    async with asyncio.timeout(120), serving() as server, bridging(server, "bare-void"):
        game = await server.referee.play(plan("dial-in:ann", "bot:first"), "g")
        (misconduct,) = game.result.misconducts
        assert 'a string needs quotes, "void".' in misconduct.call_error.message
