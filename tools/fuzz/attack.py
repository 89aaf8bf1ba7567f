"""The attack on the methods of services, and on HTTP/2 below them."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pool import Default

from tools.fuzz.messages import random_frame, random_message
from tools.fuzz.neighbour import play_on
from tools.fuzz.report import Report

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = b"\x00\x00\x00\x04\x00" + bytes(4)
BATCH = 50
CALL_LIMIT_S = 5.0
FRAMES_A_CONNECTION = 200


class Attack:
    """An attack on the services of these names at an address, by the frames that `seed` draws.

    The server at `server` plays the games of the neighbour, one of whose players is reached by `link`.
    """

    def __init__(self, address: str, names: Sequence[str], server: str, link: str, seed: int) -> None:
        self.report = Report()
        self._address = address
        self._server = server
        self._link = link
        self._rng = random.Random(seed)
        services = [Default().FindServiceByName(name) for name in names]
        self._methods = [each for service in services for each in service.methods]

    async def run(self, frames: int, limit_s: float) -> None:
        """Send so many frames, or as many as there is time for."""
        give_up = time.monotonic() + limit_s
        over = asyncio.Event()
        async with (
            grpc.aio.insecure_channel(self._address) as channel,
            grpc.aio.insecure_channel(self._server) as server,
            asyncio.TaskGroup() as group,
        ):
            group.create_task(play_on(server, self._link, self.report, over))
            try:
                while self.report.frame_count < frames and time.monotonic() < give_up:
                    await asyncio.gather(*(self._call(channel) for _ in range(BATCH)))
                    await asyncio.gather(*(self._connect() for _ in range(4)))
            finally:
                over.set()

    async def _call(self, channel: grpc.aio.Channel) -> None:
        method: MethodDescriptor = self._rng.choice(self._methods)
        data = self._rng.randbytes(self._rng.randrange(200))
        if self._rng.random() < 0.6:
            data = random_message(self._rng, method.input_type).SerializeToString()
        path = f"/{method.containing_service.full_name}/{method.name}"
        kind = "stream" if method.server_streaming else "unary"
        open_call = getattr(channel, f"{'stream' if method.client_streaming else 'unary'}_{kind}")(path)
        status = "OK"
        try:
            async with asyncio.timeout(CALL_LIMIT_S):
                if method.client_streaming:
                    call = open_call()
                    await call.write(data)
                    await call.read()
                    call.cancel()
                elif method.server_streaming:
                    call = open_call(data)
                    await call.read()
                    call.cancel()
                else:
                    await open_call(data)
        except grpc.aio.AioRpcError as error:
            status = error.code().name
        except (TimeoutError, asyncio.InvalidStateError):
            status = "NO ANSWER"
        self.report.call_count += 1
        self.report.frame_count += 2  # its head and its data
        self.report.count_status(status)

    async def _connect(self) -> None:
        host, _, port = self._address.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            if self._rng.random() < 0.95:
                writer.write(PREFACE + SETTINGS)
            writer.write(b"".join(random_frame(self._rng) for _ in range(FRAMES_A_CONNECTION)))
            self.report.frame_count += FRAMES_A_CONNECTION
            async with asyncio.timeout(CALL_LIMIT_S):
                await writer.drain()
                writer.write_eof()
                await reader.read(65_536)
        except (OSError, TimeoutError):
            pass  # the server has ended the connection, as it should
        finally:
            writer.close()
