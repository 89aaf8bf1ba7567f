"""Whether players that dial in come back by themselves, in a game that goes on, and whatever ends a stream."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc

from fairplay.games.game import find
from fairplay.player.channels import Credentials, open_channel
from fairplay.player.dialing import FINAL
from fairplay.player.handlers import Handlers
from fairplay.player.serving import start_server
from fairplay.server.net.errors import Refusal
from fairplay.v1.referee_pb2 import CreateGameRequest, GamePlan, GetGameRequest, PlayGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from tests.player.endings import EXHAUSTED, Ending, ending
from tests.robustness.network import Network, network
from tests.server.harness import plan
from tools.language_players import (
    FAIRPLAY,
    NONE,
    START_LIMIT,
    Failed,
    end_of,
    free_address,
    guarded,
    running,
)

STOPPED_S, DOWN_S = 20.0, 9.0
CALL_LIMIT_S = 600.0
STEP_LIMIT_S = 90.0
"""For what is waited for after a fault: more than a player waits between two tries, on a busy machine."""
GAME = "g"


class Opponent:
    """A player of Fish that moves only when it may, so that the game stands still in between.

    A server that has lost its call asks it again: what it may answer once, it may answer again.
    """

    game = "fish"

    def __init__(self) -> None:
        self._inner: Any = find("fish").player("first")
        self._may: defaultdict[bytes, asyncio.Event] = defaultdict(asyncio.Event)
        self._request = b""
        self._free = False
        self.asked = asyncio.Event()

    def play_as(self, request: Any) -> None:
        """Take note of nothing."""

    def play_with(self, request: Any) -> None:
        """Take note of nothing."""

    def setup(self, request: Any) -> Any:
        """Place a penguin."""
        return self._inner.setup(request)

    async def take_turn(self, request: Any) -> Any:
        """Move, when it may."""
        if not self._free:
            self._request = request.SerializeToString()
            self.asked.set()
            await self._may[self._request].wait()
        return self._inner.take_turn(request)

    def move(self) -> None:
        """Allow the move for which it was asked last."""
        self.asked.clear()
        self._may[self._request].set()

    def play_on(self) -> None:
        """Allow all moves."""
        self._free = True
        self.move()


class Scene:
    """A server, the network before it, its player and the opponent in the game: what faults are made with."""

    def __init__(self, options: str, address: str, between: Network, opponent: Opponent) -> None:
        self._command = [FAIRPLAY, *shlex.split(f"serve --listen {address} --start-limit {START_LIMIT} {options}")]
        self._address = address
        self._server = self._begin()
        self.between = between
        self.opponent = opponent
        self.player_id = 0

    def _begin(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self._command, stdout=subprocess.DEVNULL)

    async def here(self) -> None:
        """Wait until the server listens."""
        host, _, port = self._address.rpartition(":")
        while True:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection(host, int(port))
                writer.close()
                return
            if self._server.poll() is not None:
                raise Failed(f"{shlex.join(self._command)}\nended with {self._server.returncode}")
            await asyncio.sleep(0.05)

    def send(self, number: signal.Signals) -> None:
        """Send the server a signal."""
        os.kill(self._server.pid, number)

    async def end(self, number: signal.Signals = signal.SIGKILL) -> None:
        """End the server with a signal."""
        self.send(number)
        await asyncio.to_thread(self._server.wait)

    async def start_again(self) -> None:
        """Start the server on the same address, and wait until it listens."""
        self._server = self._begin()
        await self.here()


# --- what happens between a player and its server, each while the opponent's call is open ---


async def stand_still(scene: Scene) -> None:
    """Stop the server's process for a while."""
    scene.send(signal.SIGSTOP)
    scene.opponent.move()
    await asyncio.sleep(STOPPED_S)
    scene.send(signal.SIGCONT)


async def stop_player(scene: Scene) -> None:
    """Stop the player's process for a while."""
    os.kill(scene.player_id, signal.SIGSTOP)
    scene.opponent.move()
    await asyncio.sleep(STOPPED_S)
    os.kill(scene.player_id, signal.SIGCONT)


async def hold_network(scene: Scene) -> None:
    """Let nothing through for a while."""
    scene.between.hold()
    scene.opponent.move()
    await asyncio.sleep(DOWN_S)
    await scene.between.restore()


async def cut_network(scene: Scene) -> None:
    """Break the connection, and refuse others for a while."""
    await scene.between.cut()
    scene.opponent.move()
    await asyncio.sleep(DOWN_S)
    await scene.between.restore()


async def restart(scene: Scene, number: signal.Signals = signal.SIGTERM) -> None:
    """End the server in order, and start it again: it asks the opponent once more."""
    await scene.end(number)
    scene.opponent.asked.clear()
    await scene.start_again()
    await _wait_until_asked(scene)
    scene.opponent.move()


async def kill(scene: Scene) -> None:
    """Kill the server, and start it again."""
    await restart(scene, signal.SIGKILL)


FAULTS: Mapping[str, Callable[[Scene], Awaitable[None]]] = {
    f"the server stood still for {STOPPED_S:g} s": stand_still,
    f"the player stood still for {STOPPED_S:g} s": stop_player,
    f"nothing came through for {DOWN_S:g} s": hold_network,
    f"the network was cut for {DOWN_S:g} s": cut_network,
    "the server was restarted": restart,
    "the server was killed": kill,
}
"""By what they are called. In this order a player loses its first stream more than half a minute after its welcome."""


async def check_faults(command: str, *, guard: bool) -> None:
    """Check that a player goes on in its game after each fault. Raises Failed.

    With `guard` it dials in over TLS, with the token of an account.
    """
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        options, scheme, variables, credentials = f"--records {folder}", "", NONE, Credentials()
        if guard:
            made = await asyncio.to_thread(guarded, folder)
            options, scheme, variables = made.options, "grpcs://", made.variables
            credentials = Credentials.from_environment(variables)
        opponent, address = Opponent(), free_address()
        served, port = await start_server(Handlers(opponent), "127.0.0.1:0")
        stack.push_async_callback(served.stop, 0)
        scene = Scene(options, address, await stack.enter_async_context(network(address)), opponent)
        wanted = plan("dial-in:ann", f"grpc://127.0.0.1:{port}", limit_s=CALL_LIMIT_S, rows=8, columns=8)
        stack.push_async_callback(scene.end)
        await scene.here()
        player = f"{command} --connect {scheme}{scene.between.address} --name ann"
        with running(player, variables) as process:
            scene.player_id = process.pid
            await _go_on(scene, f"{scheme}{address}", credentials, wanted, player)


async def _go_on(scene: Scene, address: str, credentials: Credentials, wanted: GamePlan, player: str) -> None:
    async with open_channel(address, credentials) as channel:
        await RefereeServiceStub(channel).CreateGame(CreateGameRequest(plan=wanted, game_id=GAME), timeout=STEP_LIMIT_S)
    happened = "the game began"
    try:
        for name, fault in FAULTS.items():
            await _wait_until_asked(scene)
            happened = name
            await fault(scene)
        await _wait_until_asked(scene)
        happened = "all that, and its game was to be played to the end"
        scene.opponent.play_on()
        async with open_channel(address, credentials) as channel:
            request = PlayGameRequest(plan=wanted, game_id=GAME)
            game = (await RefereeServiceStub(channel).PlayGame(request, timeout=STEP_LIMIT_S)).game
    except TimeoutError:
        async with open_channel(address, credentials) as channel:
            game = await RefereeServiceStub(channel).GetGame(GetGameRequest(game_id=GAME), timeout=STEP_LIMIT_S)
        raise Failed(f"{player}\ndid not go on within {STEP_LIMIT_S:g} s after {happened}:\n{game}") from None
    if game.result.misconducts or not game.result.ranking:
        raise Failed(f"{player}\ndid not play to the end, after all faults:\n{game}")


async def _wait_until_asked(scene: Scene) -> None:
    async with asyncio.timeout(STEP_LIMIT_S):
        await scene.opponent.asked.wait()


# --- what a stream ends with ---


async def check_endings(command: str) -> None:
    """Check that a player ends for good at the statuses that are final, and at no other. Raises Failed."""
    passing = [code for code in grpc.StatusCode if code not in FINAL | {grpc.StatusCode.OK}]
    busy = Refusal("TOO_MANY_REQUESTS", "ask again in a moment", retry_s=0.1)
    servicer = Ending(*passing, busy)
    code, said = await _ended(command, servicer)
    if code != 0 or servicer.statuses:
        raise Failed(f"{command}\nended with {code}, and did not come back after the last status but {said}")
    for final in (*FINAL, EXHAUSTED):
        code, said = await _ended(command, Ending(*[final] * 50, welcomes=False))
        if code == 0 or "as in the list" not in said:
            raise Failed(f"{command}\nended with {code} after {final}, where it was refused for good:\n{said}")


async def _ended(command: str, servicer: Ending) -> tuple[int, str]:
    """Return how a player ended that dialled in to a server, and what it printed."""
    async with ending(servicer) as address:
        done = await asyncio.to_thread(end_of, shlex.split(f"{command} --connect {address} --name ann"))
    return done.returncode, done.stdout + done.stderr
