from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fairplay.terminal import main
from tests.terminal.running import Ran, Run


@pytest.fixture
def fairplay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs a command, in a directory of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "150")

    def run(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["fairplay", *arguments])
        try:
            main()
        except SystemExit as ending:
            code = ending.code
        else:
            code = 0
        assert isinstance(code, int)
        return Ran(code, *capsys.readouterr())

    return run
