"""The programs of the page about RulesService say what the page says, in both languages."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, SKIP, run
from tests.docs.test_commands import environment, needs_bash
from tests.slow import SLOW

SAID = """\
/fairplay.fish.v1.FishPlayerService/TakeTurn: 16 legal replies
broken rule: none
revision 8 becomes 9
"""


@needs_bash
@SLOW
@pytest.mark.skipif(shutil.which("npm") is None, reason="needs Node.js with npm, and their registry")
def test_both_languages_get_the_answers_of_the_page(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "ask-rules.md").read_text()
    assert "".join(f"    {line}\n" for line in SAID.splitlines()) in page
    comment = next(line for line in page.splitlines(keepends=True) if SKIP.match(line))
    code, printed = run(page.replace(comment, ""), tmp_path, environment(tmp_path), 300)
    assert code == 0, printed
    assert printed.count(SAID) == 2, printed
