"""Programs that are examined run in the sandbox in which they play, and see as little."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fairplay.sandbox.bubblewrap import Sandbox
from fairplay.server.examining.suite import Suite
from fairplay.server.links.program import ProgramOptions
from fairplay.v1.game_pb2 import Player
from tests.server.manager.test_suite import examining

PROGRAM = """
import os, socket, sys
seen = [name for name in os.environ if "SERVER_WORD" in name]
try:
    seen += os.listdir("{hidden}")
except OSError:
    pass
if seen:
    sys.exit(f"this is seen: {{seen}}")
os.execv(sys.executable, [sys.executable, "-m", "fairplay.terminal", "player", "fish"])
"""


@pytest.mark.sandbox
@pytest.mark.parametrize("hides", [True, False])
async def test_an_examined_program_sees_nothing_of_the_server(
    sandbox: Sandbox, hides: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVER_WORD", "hush")
    records = tmp_path / "records"
    records.mkdir()
    (records / "games").write_text("secret")
    program = tmp_path / "player.py"
    program.write_text(PROGRAM.format(hidden=records))
    options = ProgramOptions(sandbox, hidden=[records] if hides else [])
    suite = Suite(options, start_limit_s=60.0)
    finding = await suite.examine(Player(name="ann", link=f"exec:{sys.executable} {program}"), examining(), "")
    assert (finding.case_id == "") is hides, finding
