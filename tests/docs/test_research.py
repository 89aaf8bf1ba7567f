"""The Python of the page about learning runs as it stands there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.docs.pages import ROOT, blocks

PAGE = ROOT / "docs" / "research.md"
MAIN = 'if __name__ == "__main__":'


def read_python() -> list[str]:
    return [block.text for block in blocks(PAGE.read_text()) if block.language == "python"]


def test_the_code_of_the_page_about_learning_runs(capsys: Any) -> None:
    names: dict[str, Any] = {}
    pieces = [piece for piece in read_python() if MAIN not in piece]
    assert len(pieces) == 3
    for piece in pieces:
        exec(piece.replace("10_000", "10"), names)
    assert names["environment"].agents == []
    assert 0 < names["first"] <= 10
    assert names["rules"].turn(names["state"]) is None


def test_the_program_of_the_page_about_learning_runs(tmp_path: Path) -> None:
    [program] = [piece for piece in read_python() if MAIN in piece]
    (tmp_path / "search.py").write_text(program.replace("2_000", "100"))
    said = subprocess.run([sys.executable, "search.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    assert "of random games\nthe best of" in said.stdout
