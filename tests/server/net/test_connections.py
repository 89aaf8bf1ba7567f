"""Callers who open connections without end, or calls only to take them back: others do not notice."""

from __future__ import annotations

import asyncio
import dataclasses
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

import grpc
import pytest

from benchmarks.flood import KINDS, Flood
from benchmarks.half_open import PREFACE, SETTINGS
from fairplay.player.tls import TlsFiles
from fairplay.server.net.connections import ConnectionLimits
from fairplay.server.server import Server
from fairplay.terminal.operator.authority import make_authority, make_server
from fairplay.v1.referee_pb2 import PlayGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from tests.server.harness import own_address, plan, serving
from tests.server.net.test_listeners import at, serves

DIAL_IN = "/fairplay.v1.ConnectionService/DialIn"
WITHIN_S = 60.0


def connect(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=WITHIN_S)


def is_open(connection: socket.socket) -> bool:
    """Return whether the server has not ended a connection. Reads what it has sent."""
    connection.setblocking(False)
    try:
        while connection.recv(65_536):
            pass
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


async def flood(server: Server, kind: str) -> None:
    """Flood the address for players until the server has ended the connection."""
    state = Flood()
    arguments = (lambda: connect(server.players_address), KINDS[kind])
    flooding = threading.Thread(target=state.run, args=arguments, daemon=True)
    flooding.start()
    try:
        async with asyncio.timeout(WITHIN_S):
            while not state.ended_count:
                await asyncio.sleep(0.02)
    finally:
        state.over.set()
        await asyncio.to_thread(flooding.join)


@pytest.mark.parametrize(("place", "kind"), [("listen", "checks-reset"), ("players", "hellos-reset")])
async def test_a_connection_that_takes_back_its_calls_is_ended_and_others_are_served(place: str, kind: str) -> None:
    async with (
        serving(at(place, "127.0.0.1:0")) as server,
        grpc.aio.insecure_channel(server.players_address) as channel,
    ):
        neighbour = channel.stream_stream(DIAL_IN)()
        assert await serves(channel)
        await flood(server, kind)
        assert await serves(channel)
        assert not neighbour.done()
        assert (await server.referee.play(plan("bot:first", "bot:first"))).result.ranking
        neighbour.cancel()


async def test_calls_that_are_taken_back_now_and_then_do_no_harm() -> None:
    async with serving() as server, grpc.aio.insecure_channel(server.address) as channel:
        kept = channel.stream_stream(DIAL_IN)()
        for _ in range(100):
            call = channel.stream_stream(DIAL_IN)()
            await call.write(b"")
            call.cancel()
        assert await serves(channel)
        assert not kept.done()
        kept.cancel()


@pytest.mark.parametrize(("place", "secure"), [("listen", True), ("only players", False)], ids=["tls", "plain"])
async def test_no_more_connections_are_taken_than_there_may_be(place: str, secure: bool, tmp_path: Path) -> None:
    make_authority(tmp_path, 1)
    make_server(tmp_path, ["127.0.0.1"], 1)
    tls = TlsFiles(tmp_path / "server.pem", tmp_path / "server-key.pem") if secure else None
    config = dataclasses.replace(at(place, "127.0.0.1:0"), connections=ConnectionLimits(in_all=4), tls=tls)
    async with serving(config) as server, asyncio.timeout(WITHIN_S):
        silent = [connect(server.players_address) for _ in range(10)]
        while (count := sum(map(is_open, silent))) != 4:
            assert count > 4
            await asyncio.sleep(0.02)
        for each in silent:
            each.close()
        trust = grpc.ssl_channel_credentials((tmp_path / "ca.pem").read_bytes())
        address = server.players_address
        async with grpc.aio.secure_channel(address, trust) if tls else grpc.aio.insecure_channel(address) as channel:
            await channel.channel_ready()  # the server may be about to notice that the others have gone
            assert await serves(channel)


@pytest.mark.parametrize("place", ["listen", "players"])
async def test_a_host_keeps_its_first_connections_and_others_theirs(place: str) -> None:
    config = dataclasses.replace(at(place, "0.0.0.0:0"), connections=ConnectionLimits(of_host=3))
    async with serving(config) as server, asyncio.timeout(WITHIN_S):
        port = server.players_address.rpartition(":")[2]
        near = [connect(f"127.0.0.1:{port}") for _ in range(6)]
        far = [connect(f"{own_address()}:{port}") for _ in range(6)]
        while sum(map(is_open, far)) > 3:
            await asyncio.sleep(0.02)
        kept = [each for each in far if is_open(each)]
        later = connect(f"{own_address()}:{port}")
        while is_open(later):
            await asyncio.sleep(0.02)
        assert [is_open(each) for each in (*kept, *near)] == [True] * 9
        for each in (*near, *far, later):
            each.close()


@contextmanager
def started(command: Sequence[str], errors: TextIO) -> Iterator[str]:
    """Start a server, and yield its address; it ends as it should when the test is over."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as server:
        assert server.stdout is not None
        try:
            found = re.search(r"127\.0\.0\.1:\d+", server.stdout.readline())
            assert found is not None
            yield found[0]
            server.terminate()
            assert server.wait(WITHIN_S) == 0
        finally:
            server.kill()


@pytest.mark.slow
@pytest.mark.parametrize(("hard", "kept"), [(128, 63), (1_024, 300)])
def test_descriptors_that_strangers_use_up_leave_enough_for_games_and_a_quiet_log(
    hard: int, kept: int, tmp_path: Path
) -> None:
    serve = [sys.executable, "-m", "fairplay.terminal", "serve", "--listen", "127.0.0.1:0", "--records", str(tmp_path)]
    limited = ["sh", "-c", f'ulimit -Sn 128; ulimit -Hn {hard}; exec "$@"', "sh", *serve]
    log = tmp_path / "log"
    with log.open("w") as errors, started(limited, errors) as address, grpc.insecure_channel(address) as channel:
        stub = RefereeServiceStub(channel)
        game = PlayGameRequest(plan=plan("bot:first", "bot:first"))
        assert stub.PlayGame(game, timeout=WITHIN_S).game.result.ranking
        strangers = [connect(address) for _ in range(300)]
        for each in strangers:
            with suppress(OSError):  # it is ended already
                each.sendall(PREFACE + SETTINGS)
        for _ in range(20):
            assert stub.PlayGame(game, timeout=WITHIN_S).game.result.ranking
        assert sum(map(is_open, strangers)) == kept
        for each in strangers:
            each.close()
    assert log.read_text() == ""
