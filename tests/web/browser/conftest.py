from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserType, async_playwright

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
async def chromium() -> AsyncIterator[BrowserType]:
    """Yield what starts the system's browser, with `start_options`."""
    find_browser()
    async with async_playwright() as playwright:
        yield playwright.chromium


@pytest.fixture
def start_options() -> Mapping[str, Any]:
    return {"executable_path": find_browser(), "args": ["--no-sandbox"] if os.geteuid() == 0 else []}


@pytest_asyncio.fixture
async def browser(chromium: BrowserType, start_options: Mapping[str, Any]) -> AsyncIterator[Browser]:
    started = await chromium.launch(**start_options)
    yield started
    await started.close()
