"""The server of the lobby's tests."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from fairplay.server.server import Server
from tests.server.lobby.harness import lobby


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with lobby() as running:
        yield running
