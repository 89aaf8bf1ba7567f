"""Reports on paper: what is folded or scrolls on a screen takes no empty pages."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import pytest
from playwright.async_api import Browser

pytestmark = pytest.mark.web
MOST_PAGES = 12


async def test_a_report_of_a_player_that_does_not_start_is_a_few_printed_pages(
    browser: Browser, tmp_path: Path
) -> None:
    certify = ["-m", "fairplay.terminal", "certify", "fish", "exec:false", "--report", str(tmp_path / "report")]
    certified = await asyncio.create_subprocess_exec(sys.executable, *certify, stdout=asyncio.subprocess.DEVNULL)
    await certified.wait()
    page = await browser.new_page()
    await page.goto(f"file://{tmp_path}/report/report.html")
    printed = await page.pdf(prefer_css_page_size=True)
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= MOST_PAGES
