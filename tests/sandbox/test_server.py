"""Programs that a server starts see nothing that belongs to the server."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from fairplay.sandbox.bubblewrap import Sandbox
from fairplay.server.links.program import ProgramOptions
from fairplay.server.server import Config
from tests.server.harness import plan, serving

PROGRAM = """
import json, pathlib
seen = [each.name for each in pathlib.Path(__file__).parent.rglob("*") if each.is_file() and each.read_bytes()]
raise SystemExit(json.dumps(sorted(seen)))
"""


@pytest.mark.sandbox
async def test_programs_see_neither_records_nor_what_an_operator_hides(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("hidden", "shown", "player.py"):
        (tmp_path / name).write_text(PROGRAM)
    options = ProgramOptions(sandbox, hidden=[tmp_path / "hidden"], folders=[tmp_path])
    async with serving(Config(records=tmp_path / "records", allow_exec=True, programs=options)) as server:
        game = await server.referee.play(plan(f"exec:{sys.executable} player.py", "bot:first"))
    said = game.result.misconducts[0].call_error.output
    assert json.loads(said) == ["player.py", "shown"]
