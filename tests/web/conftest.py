from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.web.harness import Pages, pages_of


@pytest_asyncio.fixture
async def pages() -> AsyncIterator[Pages]:
    async with pages_of() as found:
        yield found


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep visitors in a directory of the test: pages that find others in theirs say so, and keep none."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
