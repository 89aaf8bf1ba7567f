"""The memory of `fairplay serve` under waves of calls that are opened and send nothing.

    python -m benchmarks.half_open [--streams 80000] [--connections 80] [--waves 6] [--method PATH]

opens so many in each wave, spread over so many connections, waits until the server has had time to end them, and prints
the memory of the server: before, at its highest, and when the connections are closed. It is no part of the measures of
`python -m benchmarks`: what counts is the bound, and not the figure.
"""

from __future__ import annotations

import argparse
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import psutil
from hpack import Encoder
from hyperframe.frame import Frame, HeadersFrame, PingFrame, SettingsFrame

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = SettingsFrame(0).serialize()
HEAD_BYTES = 9
AT_ONCE = 500
LOOK_EVERY_S = 0.2
WAVE_S = 15.0


def call_head(path: str, **more: str) -> list[tuple[str, str]]:
    """Return the headers of a gRPC call, with more or others."""
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": "server",
        "te": "trailers",
        "content-type": "application/grpc",
        **{name.replace("_", "-"): value for name, value in more.items()},
    }
    return [*fields.items()]


def opened(stream: int, head: bytes, *flags: str) -> bytes:
    """Return the frame that opens a call."""
    return HeadersFrame(stream, head, flags=["END_HEADERS", *flags]).serialize()


def acknowledgements(connection: socket.socket) -> Iterator[bytes]:
    """Read what the server sends, and yield what it waits for, until the connection ends."""
    with connection.makefile("rb") as reader:
        while head := reader.read(HEAD_BYTES):
            frame, length = Frame.parse_frame_header(memoryview(head))
            frame.parse_body(memoryview(reader.read(length)))
            if isinstance(frame, PingFrame | SettingsFrame) and "ACK" not in frame.flags:
                answer = PingFrame(0, frame.opaque_data) if isinstance(frame, PingFrame) else SettingsFrame(0)
                answer.flags.add("ACK")
                yield answer.serialize()


def hold(connection: socket.socket) -> None:
    """Keep a connection until the server ends it."""
    with suppress(OSError):
        for each in acknowledgements(connection):
            connection.sendall(each)


def open_streams(port: int, count: int, path: str) -> socket.socket:
    """Open a connection with so many calls that send nothing."""
    connection = socket.create_connection(("127.0.0.1", port))
    threading.Thread(target=hold, args=(connection,), daemon=True).start()
    connection.sendall(PREFACE + SETTINGS)
    head = Encoder().encode(call_head(path))
    for first in range(0, count, AT_ONCE):
        numbers = range(first, min(first + AT_ONCE, count))
        connection.sendall(b"".join(opened(2 * number + 1, head) for number in numbers))
    return connection


def main() -> int:
    """Run the waves that the options ask for, and print the memory of the server."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.half_open", description=__doc__)
    parser.add_argument("--streams", type=int, default=80_000)
    parser.add_argument("--connections", type=int, default=80)
    parser.add_argument("--waves", type=int, default=6)
    parser.add_argument("--method", default="/fairplay.v1.ConnectionService/DialIn")
    options = parser.parse_args()
    command = [sys.executable, "-m", "fairplay.terminal", "serve", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        found = re.search(rb"127\.0\.0\.1:(\d+)", server.stdout.readline())
        if found is None:
            print("the server does not say where it is", file=sys.stderr)
            return 1
        memory = psutil.Process(server.pid).memory_info
        print(f"before: {memory().rss / 2**20:.0f} MiB")
        for wave in range(1, options.waves + 1):
            until_s, highest = time.monotonic() + WAVE_S, 0
            each = options.streams // options.connections
            connections = [open_streams(int(found[1]), each, options.method) for _ in range(options.connections)]
            while time.monotonic() < until_s:
                highest = max(highest, memory().rss)
                time.sleep(LOOK_EVERY_S)
            for connection in connections:
                connection.close()
            time.sleep(1)
            print(f"wave {wave}: at most {highest / 2**20:.0f} MiB, afterwards {memory().rss / 2**20:.0f} MiB")
        server.terminate()
    return 0


if __name__ == "__main__":
    sys.exit(main())
