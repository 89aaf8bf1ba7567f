"""A server that stands still, here in a time that jumps, blames nobody for that."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from typing import Any

from fairplay.games.game import find
from fairplay.player.handlers import Callee, Handlers
from fairplay.player.serving import start_server
from fairplay.player.standstill import StandstillLoop, stood_lately
from fairplay.server.server import Config, Server
from fairplay.v1.connection_pb2 import Call
from fairplay.v1.referee_pb2 import Game
from tests.server.harness import ByHand, plan, serving, sound

LIMIT_S = 30.0
"""What a busy machine needs at the most for what a test does between two jumps."""
JUMP_S = 600.0


class Machine:
    """A machine whose time can jump, as it does for a process that is stopped."""

    def __init__(self) -> None:
        self.jumped_s = 0.0

    def time(self) -> float:
        return time.monotonic() + self.jumped_s

    async def stand_still(self) -> None:
        """Let the process stand still for long, and return when its loop may know."""
        self.jumped_s += JUMP_S
        await asyncio.sleep(0)

    def run(self, work: Callable[[Machine], Coroutine[Any, Any, None]]) -> None:
        with asyncio.Runner(loop_factory=lambda: StandstillLoop(self.time)) as runner:
            runner.run(work(self))


def test_the_time_of_a_loop_passes_and_stands_still_with_its_process() -> None:
    async def work(machine: Machine) -> None:
        now = asyncio.get_running_loop().time
        assert not stood_lately()
        real_s, began_s = time.monotonic(), now()  # in this order: the machine may be busy in between
        await asyncio.sleep(0.25)
        assert 0.25 <= now() - began_s <= time.monotonic() - real_s
        async with asyncio.timeout(LIMIT_S):
            await machine.stand_still()  # in a step of the loop
            asyncio.get_running_loop().call_later(0.1, lambda: None)
            waiting = asyncio.create_task(asyncio.sleep(0.3))
            await asyncio.sleep(0)
            machine.jumped_s += JUMP_S
            await waiting
        assert stood_lately()
        assert 0.55 <= now() - began_s <= time.monotonic() - real_s + 0.2

    Machine().run(work)


async def first_call(by_hand: ByHand) -> Call:
    """Let a player say hello, and return the first call that it gets."""
    await by_hand.say_hello()
    return await by_hand.next_call()


def playing(server: Server, link: str, limit_s: float = LIMIT_S) -> asyncio.Task[Game]:
    return asyncio.create_task(server.referee.play(plan(link, "bot:first", limit_s=limit_s, rows=3, columns=3), "g"))


def test_no_limit_runs_while_the_server_stands_still() -> None:
    async def work(machine: Machine) -> None:
        async with serving(Config(start_limit_s=LIMIT_S)) as server, ByHand(server, "x") as by_hand:
            game = playing(server, "dial-in:x")
            await machine.stand_still()  # while the player is waited for
            call = await first_call(by_hand)
            await machine.stand_still()  # while a call is open
            await by_hand.reply(sound()(call))
            async with by_hand.answering(lambda call: [sound()(call)]):
                assert not (await game).result.misconducts

    Machine().run(work)


def test_a_player_that_gave_up_a_server_that_stood_still_comes_back() -> None:
    async def work(machine: Machine) -> None:
        async with serving(Config(start_limit_s=LIMIT_S)) as server, ByHand(server, "x") as again:
            game = playing(server, "dial-in:x")
            async with ByHand(server, "x") as by_hand:
                lost = await first_call(by_hand)
                await machine.stand_still()
            repeated = await first_call(again)
            assert repeated.request == lost.request
            assert repeated.time_limit.ToMilliseconds() > 1_000 * LIMIT_S - 5_000
            await again.reply(sound()(repeated))
            async with again.answering(lambda call: [sound()(call)]):
                assert not (await game).result.misconducts

    Machine().run(work)


def test_a_player_that_stays_away_is_out() -> None:
    async def work(machine: Machine) -> None:
        async with serving(Config(start_limit_s=LIMIT_S)) as server:
            game = playing(server, "dial-in:x")
            async with ByHand(server, "x") as by_hand:
                await first_call(by_hand)
                await machine.stand_still()
            while not game.done():
                await asyncio.sleep(0.01)
                machine.jumped_s += 0.08  # too little to be a standstill
            [misconduct] = game.result().result.misconducts
            assert misconduct.call_error.message == "the connection of the player ended during the call"

    Machine().run(work)


class SilentAtFirst(Handlers):
    """A player that does not answer its first question."""

    def __init__(self) -> None:
        super().__init__(find("fish").player("first"))
        self.asked = asyncio.Event()

    async def call(self, path: str, request: bytes) -> bytes:
        if path.endswith("Setup") and not self.asked.is_set():
            self.asked.set()
            await asyncio.Event().wait()
        return await super().call(path, request)


def test_a_served_player_is_called_again_if_its_time_has_passed_while_the_server_stood_still_for_moments() -> None:
    async def work(_: Machine) -> None:
        async with AsyncExitStack() as stack:
            server = await stack.enter_async_context(serving(Config(start_limit_s=LIMIT_S)))
            player = SilentAtFirst()
            served, port = await start_server(player, "127.0.0.1:0")
            stack.push_async_callback(served.stop, 0)
            game = playing(server, f"grpc://127.0.0.1:{port}", limit_s=1.5)
            await player.asked.wait()
            for _moment in range(6):
                time.sleep(0.3)  # noqa: ASYNC251 - this process stands still, and gRPC's own timers run on
                await asyncio.sleep(0)
            assert not (await game).result.misconducts

    Machine().run(work)


class Silent(Callee):
    """A player that never answers."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    @property
    def paths(self) -> Sequence[str]:
        return Handlers(find("fish").player("first")).paths

    async def call(self, path: str, request: bytes) -> bytes:
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError("nobody wakes it")


def test_a_served_player_whose_connection_is_lost_is_called_again() -> None:
    async def work(machine: Machine) -> None:
        async with AsyncExitStack() as stack:
            server = await stack.enter_async_context(serving(Config(start_limit_s=LIMIT_S)))
            silent = Silent()
            first, port = await start_server(silent, "127.0.0.1:0")
            game = playing(server, f"grpc://127.0.0.1:{port}")
            await silent.asked.wait()
            await machine.stand_still()
            await first.stop(0)
            second, _ = await start_server(Handlers(find("fish").player("first")), f"127.0.0.1:{port}")
            stack.push_async_callback(second.stop, 0)
            assert not (await game).result.misconducts

    Machine().run(work)
