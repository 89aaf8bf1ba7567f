"""A server that is stopped for a while, as by a debugger or a machine that starves it, blames nobody for that."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import grpc
import pytest

from fairplay.games.game import find
from fairplay.player.handlers import Callee, Handlers
from fairplay.player.serving import start_server
from fairplay.server.records.chain import parsed
from fairplay.server.records.store import Store
from fairplay.v1 import referee_pb2
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from tests.robustness.harness import Command, free_address, until
from tests.server.harness import plan

GAMES = 27
THINKING_S = 0.2
LIMIT_S = 5.0
"""More than a sound answer takes on a machine that is busy with something else."""
PAUSE_S = 6.0
LONG_PAUSE_S = 12.0
PATIENCE_S = 120.0
SLOW_PLAYER = """
import sys, time
time.sleep(1.5)
sys.argv = ["fairplay", "player", "fish"]
from fairplay.terminal import main
main()
"""


class Thinking(Callee):
    """A player that takes a moment for each answer, so that a server has calls open at every instant."""

    def __init__(self) -> None:
        self._inner = Handlers(find("fish").player("first"))
        self.asked = asyncio.Event()

    @property
    def paths(self) -> Sequence[str]:
        return self._inner.paths

    async def call(self, path: str, request: bytes) -> bytes:
        self.asked.set()
        await asyncio.sleep(THINKING_S)
        return await self._inner.call(path, request)


@asynccontextmanager
async def served(player: Thinking) -> AsyncIterator[str]:
    server, port = await start_server(player, "127.0.0.1:0")
    try:
        yield f"grpc://127.0.0.1:{port}"
    finally:
        await server.stop(0)


@pytest.mark.slow
async def test_a_server_that_stood_still_blames_no_player_whose_reply_had_come(tmp_path: Path) -> None:
    players = [Thinking() for _ in range(GAMES)]
    async with AsyncExitStack() as stack, asyncio.timeout(PATIENCE_S):
        links = [await stack.enter_async_context(served(player)) for player in players]
        server = stack.enter_context(Command(tmp_path, "serve", "--listen", free_address()))
        await asyncio.to_thread(server.says, "127.0.0.1:")
        address = next(word for word in server.out.split() if word.startswith("127.0.0.1:")).rstrip(".,")
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(address))
        referee = RefereeServiceStub(channel)
        for number, link in enumerate(links):
            made = plan(link, "bot:first", limit_s=LIMIT_S, rows=5, columns=4)
            made.time_control.notification_limit.seconds = int(PATIENCE_S)
            await referee.CreateGame(referee_pb2.CreateGameRequest(plan=made, game_id=f"g{number}"))
        for player in players:  # of those games that go on still, each has a call open now, or is about to
            player.asked.clear()
        waiting = [asyncio.ensure_future(player.asked.wait()) for player in players]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for each in waiting:
            each.cancel()
        os.kill(server.process.pid, signal.SIGSTOP)
        await asyncio.sleep(PAUSE_S)  # real time: gRPC's own timers must run out
        os.kill(server.process.pid, signal.SIGCONT)
        for number in range(GAMES):
            request = referee_pb2.PlayGameRequest(
                game_id=f"g{number}", plan=plan(links[number], "bot:first", limit_s=LIMIT_S, rows=5, columns=4)
            )
            request.plan.time_control.notification_limit.seconds = int(PATIENCE_S)
            over = (await referee.PlayGame(request)).game
            assert not over.result.misconducts, over.result.misconducts
            assert over.status == referee_pb2.GameStatus.GAME_STATUS_FINISHED


@pytest.mark.slow
async def test_a_bank_does_not_pay_for_time_in_which_the_server_stood_still(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack, asyncio.timeout(PATIENCE_S):
        player = Thinking()
        link = await stack.enter_async_context(served(player))
        server = stack.enter_context(
            Command(tmp_path, "serve", "--listen", free_address(), "--records", str(tmp_path / "records"))
        )
        await asyncio.to_thread(server.says, "127.0.0.1:")
        address = next(word for word in server.out.split() if word.startswith("127.0.0.1:")).rstrip(".,")
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(address))
        made = plan(link, "bot:first", limit_s=LIMIT_S, rows=5, columns=4)
        made.time_control.bank.seconds = 30
        playing = RefereeServiceStub(channel).PlayGame(referee_pb2.PlayGameRequest(plan=made, game_id="g"))
        await player.asked.wait()
        os.kill(server.process.pid, signal.SIGSTOP)
        await asyncio.sleep(LONG_PAUSE_S)  # real time, in which the server stands still
        os.kill(server.process.pid, signal.SIGCONT)
        assert not (await playing).game.result.misconducts
    with Store.read_only(tmp_path / "records") as store:
        calls = [entry.call for entry in parsed(store.read("g")) if entry.HasField("call")]
    charged = [max(0.0, call.elapsed.ToMilliseconds() / 1e3 - LIMIT_S) for call in calls]
    assert max(charged) < LONG_PAUSE_S / 2


@pytest.mark.slow
async def test_players_that_come_up_while_the_server_stands_still_take_part(tmp_path: Path) -> None:
    slow = f"exec:{sys.executable} -c {shlex.quote(SLOW_PLAYER)}"
    serve = ("serve", "--listen", free_address(), "--allow-exec", "--start-limit", "3s")
    with Command(tmp_path, *serve) as server:
        await asyncio.to_thread(server.says, "127.0.0.1:")
        address = next(word for word in server.out.split() if word.startswith("127.0.0.1:")).rstrip(".,")
        async with asyncio.timeout(PATIENCE_S), grpc.aio.insecure_channel(address) as channel:
            request = referee_pb2.PlayGameRequest(game_id="g", plan=plan(slow, slow, limit_s=LIMIT_S))
            playing = RefereeServiceStub(channel).PlayGame(request)
            await asyncio.to_thread(until, lambda: len(server.left()) > 1, "a program is started")
            os.kill(server.process.pid, signal.SIGSTOP)
            await asyncio.sleep(PAUSE_S)  # real time, in which the start limit would be over
            os.kill(server.process.pid, signal.SIGCONT)
            assert not (await playing).game.result.misconducts


@pytest.mark.slow
def test_a_suite_that_stood_still_while_the_player_came_up_passes_it(tmp_path: Path) -> None:
    slow = f"exec:{sys.executable} -c {shlex.quote(SLOW_PLAYER)}"
    with Command(tmp_path, "certify", "fish", slow, "--only", "contract.reachable", "--start-limit", "3s") as suite:
        until(lambda: len(suite.left()) > 1, "the player is started")
        os.kill(suite.process.pid, signal.SIGSTOP)
        time.sleep(PAUSE_S)  # real time, in which the start limit would be over
        os.kill(suite.process.pid, signal.SIGCONT)
        assert suite.process.wait(PATIENCE_S) == 0, suite.out
