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
import struct
import subprocess
import sys
import threading
import time

import psutil

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = b"\x00\x00\x00\x04\x00" + bytes(4)
HEADERS, PING, END_HEADERS, ACK = 1, 6, 4, 1
AT_ONCE = 500
LOOK_EVERY_S = 0.2
WAVE_S = 15.0


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """Return an HTTP/2 frame."""
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def call_head(path: str) -> bytes:
    """Return the header block of a gRPC call, in HPACK without its tables."""
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": "server",
        "te": "trailers",
        "content-type": "application/grpc",
    }
    texts = ((name.encode(), value.encode()) for name, value in fields.items())
    return b"".join(b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value for name, value in texts)


def hold(connection: socket.socket) -> None:
    """Read what the server sends, and answer its pings, until the connection ends."""
    with connection.makefile("rb") as reader:
        try:
            while head := reader.read(9):
                payload = reader.read(int.from_bytes(head[:3], "big"))
                if head[3] == PING and not head[4] & ACK:
                    connection.sendall(frame(PING, ACK, 0, payload))
        except OSError:
            return  # the server has ended it


def open_streams(port: int, count: int, path: str) -> socket.socket:
    """Open a connection with so many calls that send nothing."""
    connection = socket.create_connection(("127.0.0.1", port))
    threading.Thread(target=hold, args=(connection,), daemon=True).start()
    connection.sendall(PREFACE + SETTINGS)
    head = call_head(path)
    for first in range(0, count, AT_ONCE):
        numbers = range(first, min(first + AT_ONCE, count))
        connection.sendall(b"".join(frame(HEADERS, END_HEADERS, 2 * number + 1, head) for number in numbers))
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
