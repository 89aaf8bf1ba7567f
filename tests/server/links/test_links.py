"""Players that are dialled, started and built in: the referee cannot tell them apart, whatever goes wrong."""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from fairplay.games.game import find
from fairplay.player.handlers import Handlers
from fairplay.player.serving import start_server
from fairplay.server.links.programs import EXCESS_LIMIT_S, PORTS
from fairplay.server.links.spec import parse_link
from fairplay.server.server import Config, Server
from fairplay.v1.misconduct_pb2 import CallErrorReason, Misconduct
from fairplay.v1.referee_pb2 import Game
from tests.server.harness import plan, serving

SOUND = f"exec:{shlex.join([sys.executable, '-m', 'fairplay.terminal', 'player', 'fish'])}"


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving(Config(allow_exec=True, start_limit_s=20.0)) as running:
        yield running


def zoo(fault: str) -> str:
    command = [sys.executable, "-m", "fairplay.conformance.zoo", "fish", fault]
    return f"exec:{shlex.join(command)}"


def python(code: str) -> str:
    return f"exec:{shlex.join([sys.executable, '-c', code])}"


@asynccontextmanager
async def served(player: Any) -> AsyncIterator[str]:
    """Serve a player object on an address of its own, and return its link."""
    handlers = Handlers(player) if hasattr(player, "game") else player
    grpc_server, port = await start_server(handlers, "127.0.0.1:0")
    try:
        yield f"grpc://127.0.0.1:{port}"
    finally:
        await grpc_server.stop(0)


def blamed(game: Game) -> Misconduct:
    assert [player.name for player in game.result.ranking[0].players] == ["b"]
    (misconduct,) = game.result.misconducts
    assert misconduct.player == "a"
    return misconduct


# Dialled players


async def test_an_address_where_nobody_answers_is_blamed_after_the_start_limit() -> None:
    async with serving(Config(start_limit_s=0.1)) as server:
        misconduct = blamed(await server.referee.play(plan("grpc://127.0.0.1:1", "bot:first")))
    assert "nothing answered on 127.0.0.1:1 within 0.1 s" in misconduct.call_error.message


# Started players


@pytest.mark.parametrize("way", ["", " --serve"], ids=["dials in", "serves"])
async def test_a_started_player_plays_either_way_and_ends_with_the_game(server: Server, way: str) -> None:
    game = await server.referee.play(plan(f"{SOUND}{way}", "bot:first"))
    assert not game.result.misconducts
    assert not children()


def children() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ("exec:/no/such/program", "exit code 127"),
        (python("import sys; sys.exit(3)"), "exit code 3"),
        (zoo("dies-in-take-turn"), "ended"),
        (zoo("dies-in-play-as"), "ended"),
    ],
    ids=["no such program", "dead on arrival", "dies in its turn", "dies in the first call"],
)
async def test_a_started_player_that_dies_costs_nothing_and_is_blamed(server: Server, link: str, sentence: str) -> None:
    misconduct = blamed(await server.referee.play(plan(link, "bot:first", limit_s=600)))
    assert misconduct.call_error.reason == CallErrorReason.CALL_ERROR_REASON_DISCONNECTED
    assert sentence in misconduct.call_error.message


EXITS = """
import os, sys
from fairplay.games.game import find
from fairplay.player.command import reach_from, run_player

def take_turn(request):
    print("out of ideas", file=sys.stderr, flush=True)
    os._exit(3)

player = find("fish").player("first")
player.take_turn = take_turn
run_player(player, reach_from(os.environ, serves=sys.argv[1:] == ["--serve"]))
"""


RAISES = EXITS.replace("os._exit(3)", 'raise RuntimeError("none")')


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        (python(EXITS), "the player's process ended with exit code 3"),
        (f"{python(EXITS)} --serve", "the player's process ended with exit code 3"),
        (python(RAISES), "RuntimeError: none"),
    ],
    ids=["exits", "exits where it serves", "raises"],
)
async def test_a_started_player_that_fails_in_its_turn_is_reported_with_what_it_wrote(
    server: Server, link: str, sentence: str
) -> None:
    misconduct = blamed(await server.referee.play(plan(link, "bot:first", limit_s=600)))
    assert misconduct.method_name.endswith("TakeTurn")
    assert misconduct.call_error.message == sentence
    assert "out of ideas" in misconduct.call_error.output.splitlines()


async def test_only_the_first_exception_of_a_started_player_waits_for_a_limit_that_it_may_exceed(
    server: Server,
) -> None:
    link = await server.programs.link("a", parse_link(zoo("raises-in-take-turn")).value)
    times, took_s = list[float](), list[float]()
    try:
        for _ in range(9):
            failed, began_s = asyncio.get_running_loop().create_future(), time.monotonic()
            link.call(find("fish").turn.path, b"", 30.0, lambda *call, failed=failed: failed.set_result(call))
            failure, elapsed_s = await failed
            assert failure.reason == CallErrorReason.CALL_ERROR_REASON_STATUS
            times.append(time.monotonic() - began_s)
            took_s.append(elapsed_s)
    finally:
        await link.close()
    assert times[0] >= EXCESS_LIMIT_S
    assert min(times[1:]) < EXCESS_LIMIT_S
    assert times[0] - took_s[0] > EXCESS_LIMIT_S / 2  # the wait is not the player's time


async def test_a_started_player_that_neither_serves_nor_dials_in_is_ended_after_the_start_limit() -> None:
    async with serving(Config(allow_exec=True, start_limit_s=0.5)) as server:
        link = python("import threading; threading.Event().wait()")
        misconduct = blamed(await server.referee.play(plan(link, "bot:first")))
        assert "neither served nor dialled in within 0.5 s" in misconduct.call_error.message
        assert not children()


HIDER = """
import os, sys, time
if os.getsid(0) != os.getpid():
    os.setsid()
with open(sys.argv[1], "a") as pids:
    pids.write(f"{os.getpid()}\\n")
time.sleep(600)
"""
PARENT = """
import subprocess, sys, time
hider, pids = sys.argv[1:]
open(pids, "w").close()
subprocess.Popen([sys.executable, "-c", hider, pids])
subprocess.Popen([sys.executable, "-c", hider, pids], start_new_session=True)
while len(open(pids).readlines()) < 2:
    time.sleep(0.01)
"""


async def test_no_descendant_survives_however_it_hides(server: Server, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    command = shlex.join([sys.executable, "-c", PARENT, HIDER, str(pids)])
    await server.referee.play(plan(f"exec:{command}", "bot:first"))
    hidden = [int(line) for line in pids.read_text().split()]
    assert len(hidden) == 2
    assert not any(psutil.pid_exists(pid) for pid in hidden)


async def test_players_do_not_outlive_a_server_that_is_killed(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    player = f"open({str(ready)!r}, 'w').write(str(__import__('os').getpid())); __import__('time').sleep(600)"
    command = ["game", "fish", "-p", python(player), "-p", "bot:first", "--start-limit", "10m"]
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", "fairplay.terminal", *command)
    async with asyncio.timeout(300):  # the server, and the player, have to come up
        while not (ready.exists() and ready.read_text()):
            await asyncio.sleep(0.02)
        pid = int(ready.read_text())
        assert psutil.pid_exists(pid)
        process.send_signal(signal.SIGKILL)
        await process.wait()
        while psutil.pid_exists(pid):
            await asyncio.sleep(0.02)


# Links as text


@pytest.mark.parametrize(
    "text",
    [
        *("minimax", "exec:", "dial-in:two words", "http://x:1", "grpc://host", "grpc://host:99999"),
    ],
)
def test_what_is_not_a_link_is_refused_with_what_one_looks_like(text: str) -> None:
    with pytest.raises(ValueError, match=r"grpc://HOST:PORT|1 to 64 letters"):
        parse_link(text)


async def test_exec_is_refused_unless_allowed() -> None:
    async with serving(Config(allow_exec=False)) as server:
        with pytest.raises(Exception, match="does not start programs for others") as refusal:
            await server.referee.play(plan("exec:true", "bot:first"))
    assert refusal.value.reason == "EXEC_NOT_ALLOWED"  # type: ignore[attr-defined]


async def test_a_server_that_stops_does_not_wait_for_players_that_have_not_come() -> None:
    async with serving(Config(allow_exec=True, start_limit_s=600)) as server:
        silent = python("import threading; threading.Event().wait()")
        links = (silent, "dial-in:nobody", "grpc://127.0.0.1:1", "bot:first")
        playing = asyncio.create_task(server.referee.play(plan(*links)))
        async with asyncio.timeout(30):
            while not children():
                await asyncio.sleep(0.01)
        async with asyncio.timeout(15):  # less than players have to come up
            await server.stop()
        with pytest.raises(Exception, match="shuts down"):
            await playing
    assert not children()


def test_no_other_program_is_given_the_port_of_a_started_player_by_chance() -> None:
    """Whoever asks the system for any port gets an ephemeral one; a player that is called must not be somebody else."""
    ephemeral = Path("/proc/sys/net/ipv4/ip_local_port_range")
    lowest = int(ephemeral.read_text("ascii").split()[0]) if ephemeral.exists() else 32_768
    assert 1_024 < PORTS.start < PORTS.stop <= lowest
