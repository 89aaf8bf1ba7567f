from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.web.harness import Pages, pages_of


@pytest_asyncio.fixture
async def pages() -> AsyncIterator[Pages]:
    async with pages_of() as found:
        yield found
