"""How soon `fairplay serve` answers others while one connection floods it, at both of its addresses.

    python -m benchmarks.flood [--seconds 3] [--tls] [KIND ...]

sends frames of each kind as fast as the server takes them, over one connection, and over a new one whenever the server
has ended it. Meanwhile health checks are asked for over a connection of their own. It prints how long these took, how
many frames were sent, and how many connections the server has ended. It is no part of the measures of
`python -m benchmarks`: what counts is the bound, and not the figure.
"""

from __future__ import annotations

import argparse
import re
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from hpack import Encoder
from hyperframe.frame import (
    ContinuationFrame,
    DataFrame,
    ExtensionFrame,
    HeadersFrame,
    PingFrame,
    PriorityFrame,
    RstStreamFrame,
    WindowUpdateFrame,
)

from benchmarks.half_open import PREFACE, SETTINGS, acknowledgements, call_head, opened
from fairplay.terminal.operator.authority import make_authority, make_server
from fairplay.v1.connection_pb2 import DialInRequest, Hello, HostedPlayer

DIAL_IN = Encoder().encode(call_head("/fairplay.v1.ConnectionService/DialIn"))
CHECK = Encoder().encode(call_head("/grpc.health.v1.Health/Check"))
NOWHERE = Encoder().encode(call_head("/fairplay.v1.Nobody/Nothing"))
HELLO = DialInRequest(hello=Hello(players=[HostedPlayer(name="flood", token="flood")])).SerializeToString()
NOTHING = bytes(5)
"""An empty message."""
CANCEL = 8
BATCH = 100
ASK_EVERY_S = 0.02
ANSWER_LIMIT_S = 30.0


def message(data: bytes) -> bytes:
    """Return a message as the body of a call has it."""
    return b"\0" + len(data).to_bytes(4, "big") + data


def ended(number: int, body: bytes) -> bytes:
    """Return the frame that ends a request with its message."""
    return DataFrame(number, body, flags=["END_STREAM"]).serialize()


def hello(number: int) -> bytes:
    """Return the frames with which players dial in."""
    return opened(number, DIAL_IN) + DataFrame(number, message(HELLO)).serialize()


def reset(number: int) -> bytes:
    """Return the frame that takes a call back."""
    return RstStreamFrame(number, CANCEL).serialize()


KINDS: dict[str, Callable[[int], bytes]] = {
    "nothing": lambda number: b"",
    "resets": lambda number: opened(number, DIAL_IN) + reset(number),
    "hellos-reset": lambda number: hello(number) + reset(number),
    "checks-reset": lambda number: opened(number, CHECK) + ended(number, NOTHING) + reset(number),
    "unknown-reset": lambda number: opened(number, NOWHERE, "END_STREAM") + reset(number),
    "hellos-windows": lambda number: hello(number) + WindowUpdateFrame(number, 0).serialize(),
    "checks": lambda number: opened(number, CHECK) + ended(number, NOTHING),
    "opens": lambda number: opened(number, DIAL_IN),
    "pings": lambda number: PingFrame(0).serialize(),
    "settings": lambda number: SETTINGS,
    "windows": lambda number: WindowUpdateFrame(0, 1).serialize(),
    "priorities": lambda number: PriorityFrame(number, stream_weight=1).serialize(),
    "empty-data": lambda number: (opened(number, DIAL_IN) if number == 1 else b"") + DataFrame(1).serialize(),
    "continuations": lambda number: (HeadersFrame if number == 1 else ContinuationFrame)(1).serialize(),
    "unknown-frames": lambda number: ExtensionFrame(99, 0).serialize(),
}
"""What is sent for each odd number from 1 on, by the name of the kind."""


@dataclass
class Flood:
    """What a flood has done so far."""

    sent_count: int = 0
    """How many times the frames of its kind were sent."""
    ended_count: int = 0
    """How many connections the server has ended."""
    over: threading.Event = field(default_factory=threading.Event)

    def run(self, connect: Callable[[], socket.socket], kind: Callable[[int], bytes]) -> None:
        """Flood until it is over."""
        while not self.over.is_set():
            try:
                with connect() as connection:
                    self._send(connection, kind)
            except OSError:
                self.ended_count += 1

    def _send(self, connection: socket.socket, kind: Callable[[int], bytes]) -> None:
        turn = threading.Lock()
        connection.sendall(PREFACE + SETTINGS)
        threading.Thread(target=_answer, args=(connection, turn), daemon=True).start()
        number = 1
        while not self.over.is_set():
            data = b"".join(kind(each) for each in range(number, number + 2 * BATCH, 2))
            with turn:
                connection.sendall(data)
            if not data:
                time.sleep(ASK_EVERY_S)
            number += 2 * BATCH
            self.sent_count += BATCH


def _answer(connection: socket.socket, turn: threading.Lock) -> None:
    """Acknowledge settings and pings, as a client has to, and end the connection when the server does."""
    with suppress(OSError):
        for each in acknowledgements(connection):
            with turn:
                connection.sendall(each)
        connection.shutdown(socket.SHUT_RDWR)


def watch(channel: grpc.Channel, seconds: float) -> list[float]:
    """Return how long health checks take, one after the other."""
    health = health_pb2_grpc.HealthStub(channel)
    taken: list[float] = []
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        begun_s = time.monotonic()
        health.Check(health_pb2.HealthCheckRequest(), timeout=ANSWER_LIMIT_S)
        taken.append(time.monotonic() - begun_s)
        time.sleep(ASK_EVERY_S)
    return taken


@contextmanager
def served(folder: Path, *more: str) -> Iterator[list[str]]:
    """Start a server, and yield its two addresses."""
    listen = ("--listen", "127.0.0.1:0", "--players", "127.0.0.1:0", "--records", str(folder / "records"))
    command = [sys.executable, "-m", "fairplay.terminal", "serve", *listen, *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield re.findall(r"127\.0\.0\.1:\d+", server.stdout.readline())
        finally:
            server.terminate()


def flood(address: str, kind: str, seconds: float, ca: Path | None) -> tuple[Flood, list[float]]:
    """Flood an address for so long, and return what that has done, and the times of the health checks beside it."""
    host, _, port = address.rpartition(":")

    def connect() -> socket.socket:
        bare = socket.create_connection((host, int(port)), timeout=ANSWER_LIMIT_S)
        if ca is None:
            return bare
        context = ssl.create_default_context(cafile=ca)
        context.set_alpn_protocols(["h2"])
        return context.wrap_socket(bare, server_hostname=host)

    state = Flood()
    trust = grpc.ssl_channel_credentials(ca.read_bytes()) if ca is not None else None
    with grpc.insecure_channel(address) if trust is None else grpc.secure_channel(address, trust) as channel:
        watch(channel, 0.1)
        flooding = threading.Thread(target=state.run, args=(connect, KINDS[kind]), daemon=True)
        flooding.start()
        try:
            return state, watch(channel, seconds)
        finally:
            state.over.set()
            flooding.join(ANSWER_LIMIT_S)


def main() -> int:
    """Run the floods that the options ask for, and print a line for each address and kind."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.flood", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="of each flood")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("kind", nargs="*", metavar="KIND", help=f"{', '.join(KINDS)}; by default all")
    options = parser.parse_args()
    kinds = options.kind or [*KINDS]
    if unknown := [each for each in kinds if each not in KINDS]:
        parser.error(f"there is no kind {unknown[0]}: give {', '.join(KINDS)}")
    with tempfile.TemporaryDirectory(prefix="fairplay-flood-") as name:
        folder = Path(name)
        make_authority(folder, 1)
        make_server(folder, ["127.0.0.1"], 1)
        files = (str(folder / "server.pem"), str(folder / "server-key.pem"))
        with served(folder, *(("--tls", *files) if options.tls else ())) as addresses:
            for kind in kinds:
                for place, address in zip(("--listen", "--players"), addresses, strict=True):
                    state, taken = flood(address, kind, options.seconds, folder / "ca.pem" if options.tls else None)
                    times = f"median {statistics.median(taken) * 1_000:7.1f} ms, most {max(taken) * 1_000:7.1f} ms"
                    did = f"{state.sent_count:9,} sent, {state.ended_count:6,} connections ended"
                    print(f"{kind:16} {place:9} {times}, {len(taken):4} checks, {did}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
