"""The server of the referee's tests, and its service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from fairplay.server.server import Server
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from tests.server.harness import serving


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving() as running:
        yield running


@pytest.fixture
async def referee(server: Server) -> AsyncIterator[Any]:
    async with grpc.aio.insecure_channel(server.address) as channel:
        yield RefereeServiceStub(channel)
