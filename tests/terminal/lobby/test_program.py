"""The program itself, in a terminal of its own: started, driven with keys, and ended in every way."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from fairplay.server.lobby.users import LobbyLimits
from fairplay.server.server import Server
from tests.client.lobby.test_controller import Visitor, visitors
from tests.server.lobby.harness import lobby
from tests.slow import all_but_first_slow
from tests.terminal.lobby.terminals import LIMIT_S, PROGRAM, RESTORED, Terminal, terminal


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with lobby() as running:
        yield running


async def test_a_short_visit_with_keys(server: Server, tmp_path: Path) -> None:
    async with visitors(server, "bob") as [bob], terminal(tmp_path, "--server", server.address, "--name", "ann") as ann:
        await ann.sees("you are ann")
        assert await bob.controller.make_table("webset", "blue", "aspects=3", "5m") == ""
        await ann.sees("go there")
        ann.type("\r")
        await ann.sees("blue: webset")
        ann.type("thello, all quiet?")  # all at once: none of it may be taken for a key of the table
        await ann.sees("hello, all quiet?")
        ann.type("\r")
        await bob.until(lambda each: each.sees("ann: hello, all quiet?"))
        assert await bob.client.say("\N{SNOWMAN} back") == ""
        await ann.sees("\N{SNOWMAN} back")
        ann.type("\x03")
        assert await ann.ended() == 0
        assert RESTORED in ann.raw
        await bob.until(lambda each: "ann" not in each.client.lobby.users)


def connections(process: int) -> list[Any]:
    """Return the open connections of a process."""
    return [each for each in psutil.Process(process).net_connections("tcp") if each.status == psutil.CONN_ESTABLISHED]


async def join_and_start(ann: Terminal, bob: Visitor) -> None:
    """Have ann sit down at bob's table, where a game begins, and answer her first question."""
    await ann.sees("go there")
    ann.type("j")
    await ann.sees("leave the line empty")
    ann.type("\r")
    await bob.until(lambda each: each.sees("ann joins the game."))
    assert await bob.client.start() == ""
    await ann.sees("Place a penguin, 4 to go:")
    ann.type("\r\r")
    await ann.sees("Place a penguin, 3 to go:")


@pytest.mark.slow
async def test_a_computer_that_was_asleep_in_mid_game_comes_back_to_its_question(tmp_path: Path) -> None:
    async with lobby(LobbyLimits(grace_s=LIMIT_S), heartbeat_s=2.0) as server, visitors(server, "bob") as [bob]:
        assert await bob.controller.make_table("fish", "blue", "rows=3 columns=4", "5m") == ""
        await bob.until(lambda each: each.client.lobby.table is not None)
        assert await bob.controller.join(bob.table(), "bot:first") == ""
        async with terminal(tmp_path, "--server", server.address, "--name", "ann") as ann:
            await join_and_start(ann, bob)
            ports = {each.laddr.port for each in connections(ann.process.pid)}
            assert ports
            ann.process.send_signal(signal.SIGSTOP)
            try:
                async with asyncio.timeout(LIMIT_S):
                    while ports & {each.raddr.port for each in connections(os.getpid())}:
                        await asyncio.sleep(0.1)
            finally:
                ann.process.send_signal(signal.SIGCONT)
            async with asyncio.timeout(LIMIT_S):
                while b"2 to go:" not in ann.raw:  # what is answered before it has noticed is asked again
                    ann.type("\r\r")
                    await asyncio.sleep(0.5)
        assert not bob.sees("ann is out of the game")


@pytest.mark.parametrize("number", all_but_first_slow([signal.SIGKILL, signal.SIGHUP]))
async def test_who_is_ended_in_mid_game_comes_back_to_its_question(
    server: Server, tmp_path: Path, number: signal.Signals
) -> None:
    command = ["--server", server.address, "--name", "ann"]
    async with visitors(server, "bob") as [bob]:
        assert await bob.controller.make_table("fish", "blue", "rows=3 columns=4", "5m") == ""
        await bob.until(lambda each: each.client.lobby.table is not None)
        assert await bob.controller.join(bob.table(), "bot:first") == ""
        async with terminal(tmp_path, *command) as ann:
            await join_and_start(ann, bob)
            ann.process.send_signal(number)
            await ann.ended()
        async with terminal(tmp_path, *command) as ann:
            await ann.sees("Place a penguin, 3 to go:")
            ann.type("\r\r")
            await ann.sees("Place a penguin, 2 to go:")
        assert not bob.sees("ann is out of the game")
        assert [seat.name for seat in bob.table().seats if seat.present] == ["bob", "ann"]


@pytest.mark.parametrize("number", all_but_first_slow([signal.SIGTERM, signal.SIGHUP, signal.SIGINT]))
async def test_a_signal_ends_it_and_gives_the_terminal_back(server: Server, tmp_path: Path, number: int) -> None:
    async with terminal(tmp_path, "--server", server.address, "--name", "ann") as ann:
        await ann.sees("you are ann")
        ann.process.send_signal(number)
        assert await ann.ended() == 0
        await ann.sees("")
        assert RESTORED in ann.raw


async def test_a_server_that_is_not_there_is_said_in_one_sentence(tmp_path: Path) -> None:
    async with terminal(tmp_path, "--server", "127.0.0.1:1", "--name", "ann") as ann:
        await ann.sees("fairplay: no lobby answers at 127.0.0.1:1")
        assert await ann.ended() == 1


async def test_what_is_no_address_is_a_wrong_use(tmp_path: Path) -> None:
    async with terminal(tmp_path, "--server", "nowhere") as ann:
        await ann.sees("give HOST:PORT")
        assert await ann.ended() == 2


def test_without_a_terminal_it_says_so() -> None:
    ran = subprocess.run(
        PROGRAM, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert ran.returncode == 1
    assert ran.stderr == "fairplay: fairplay lobby is a full-screen program: it needs a terminal\n"
