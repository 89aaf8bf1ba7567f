from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
REQUIRED = "FAIRPLAY_BROWSER_REQUIRED"
MISSING = f"there is no browser: install chromium, or set PATH to one of {', '.join(NAMES)}"


def find_browser() -> str:
    """Return the path of the system's browser; without one the test is skipped, or fails where one is required."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is not None:
        return path
    if os.environ.get(REQUIRED):
        pytest.fail(MISSING)
    pytest.skip(MISSING)


@pytest_asyncio.fixture
async def browser() -> AsyncIterator[Browser]:
    path = find_browser()
    async with async_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        started = await playwright.chromium.launch(executable_path=path, args=arguments)
        yield started
        await started.close()
