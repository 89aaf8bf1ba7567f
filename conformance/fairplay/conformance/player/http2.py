"""A call to a player that serves as a library of another language makes it: with h2, whose headers are the caller's."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import ConnectionTerminated, DataReceived, StreamEnded, StreamReset
from h2.exceptions import H2Error

from fairplay.games.steps import Failure
from fairplay.server.links.link import call_error, disconnected, overrun
from fairplay.v1.misconduct_pb2 import CallErrorReason

STREAM = 1
READ_BYTES = 2**16
UNIX = "unix:"
UNKNOWN = 2
"""The status of a call without a message, whatever its own is: headers of answers are not looked at."""


async def call(target: str, path: str, request: bytes, headers: Mapping[str, str], limit_s: float) -> bytes | Failure:
    """Call a method of a player at HOST:PORT or unix:PATH over a connection of its own, with these headers besides."""
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": "localhost" if target.startswith(UNIX) else target,
        "te": "trailers",
        "content-type": "application/grpc",
        **headers,
    }
    connection = H2Connection(H2Configuration(validate_inbound_headers=False))
    connection.initiate_connection()
    connection.send_headers(STREAM, fields.items())
    try:
        async with asyncio.timeout(limit_s):
            reader, writer = await _connect(target)
            try:
                answer = await _exchange(connection, reader, writer, b"\0" + len(request).to_bytes(4, "big") + request)
            finally:
                writer.close()
    except TimeoutError:
        return overrun(limit_s, limit_s)
    except (OSError, H2Error) as error:
        return disconnected(f"the player cannot be reached, has hung up or does not speak HTTP/2: {error}")
    if not answer:
        return call_error(CallErrorReason.CALL_ERROR_REASON_STATUS, "it ended without an answer", code=UNKNOWN)
    return answer[5:]


async def _connect(target: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if target.startswith(UNIX):
        return await asyncio.open_unix_connection(target.removeprefix(UNIX))
    host, _, port = target.rpartition(":")
    return await asyncio.open_connection(host.strip("[]"), int(port))


async def _exchange(
    connection: H2Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, rest: bytes
) -> bytes:
    """Send a message as the player makes room for it, and return what has come when the call is over."""
    answer = b""
    while True:
        rest = _send(connection, rest)
        writer.write(connection.data_to_send())
        data = await reader.read(READ_BYTES)
        if not data:
            raise ConnectionResetError("it has ended the connection")
        for event in connection.receive_data(data):
            if isinstance(event, DataReceived):
                answer += event.data
                connection.acknowledge_received_data(event.flow_controlled_length, STREAM)
            elif isinstance(event, StreamEnded | StreamReset | ConnectionTerminated):
                return answer


def _send(connection: H2Connection, rest: bytes) -> bytes:
    """Send as much of a message as there is room for, the end of the stream with its last byte; return the rest."""
    while rest and (room := min(connection.local_flow_control_window(STREAM), connection.max_outbound_frame_size)) > 0:
        part, rest = rest[:room], rest[room:]
        connection.send_data(STREAM, part, end_stream=not rest)
    return rest
