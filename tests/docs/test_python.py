"""The Python of the page about it runs as it stands there, with the player of the examples."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks


@pytest.mark.slow
def test_the_code_of_the_page_runs_and_prints_what_it_is_about(tmp_path: Path) -> None:
    page = ROOT / "docs" / "python.md"
    pieces = [block.text for block in blocks(page.read_text()) if block.language == "python"]
    assert len(pieces) == 3
    (tmp_path / "page.py").write_text("\n".join(pieces))
    path = os.pathsep.join([str(ROOT / "examples" / "python"), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "page.py"]
    said = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stderr
    first, *standings, compared, certified = said.stdout.splitlines()
    assert first.startswith("['best'] [('best', 1, ")
    assert [line.split()[0] for line in standings] == ["1", "2", "3"]
    assert compared.startswith("Answer.BETTER ")
    assert certified == "0 []"
