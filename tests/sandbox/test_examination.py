"""Programs that are examined run in the sandbox in which they play, and see as little."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance import case_ids
from fairplay.sandbox.bubblewrap import Sandbox
from fairplay.server.examining.suite import Suite
from fairplay.server.links.program import ProgramOptions
from fairplay.v1.game_pb2 import Player
from tests.conformance.harness import judged
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


FIXED_PORT = """
import os, socket, sys
try:
    figures = socket.create_server(("127.0.0.1", 47621))
    figures.set_inheritable(True)
except OSError:
    {otherwise}
os.execv(sys.executable, [sys.executable, "-m", "fairplay.terminal", "player", "fish"])
"""


@pytest.mark.sandbox
@pytest.mark.parametrize(("otherwise", "verdict"), [("raise", Verdict.FAIL), ("pass", Verdict.PASS)])
def test_copies_that_want_the_same_port_meet_though_each_plays_in_a_network_of_its_own(
    sandbox: Sandbox, otherwise: str, verdict: Verdict, tmp_path: Path
) -> None:
    program = tmp_path / "player.py"
    program.write_text(FIXED_PORT.format(otherwise=otherwise))
    report = judged(f"exec:{sys.executable} {program}", case_ids.COPIES, sandbox="require")
    assert [each.verdict for each in report.judged] == [verdict]
