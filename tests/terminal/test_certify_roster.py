"""`fairplay certify --roster`: all players of a roster, side by side."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.interrupts import heeding_ctrl_c
from tests.terminal.running import Run

TWO = """
[[entrant]]
name = "ann"
link = "bot:first"
who = "<script>alert('Ann')</script>"

[[entrant]]
name = "b..b"
link = "exec:false"
"""
FEW = ["--only", "contract.reachable,contract.describes-itself"]


def roster(text: str) -> list[str]:
    Path("roster.toml").write_text(text)
    return ["certify", "fish", "--roster", "roster.toml"]


def test_each_player_has_a_row_a_page_without_markup_of_its_own_and_a_certificate(fairplay: Run) -> None:
    ran = fairplay(*roster(TWO), *FEW, "--at-once", "2", "--report", "out", "--json", "result.json")
    assert (ran.code, ran.err) == (1, "")
    assert "0 of 2 players are certified for Fish." in ran.out
    assert "contract.reachable: The player cannot be reached: the player's process ended" in " ".join(ran.out.split())
    assert sorted(each.name for each in Path("out").iterdir()) == [
        "ann.report",
        "b..b.report",
        "index.html",
        "index.json",
    ]
    for name in ("ann", "b..b"):
        assert json.loads(Path(f"out/{name}.report/certificate.json").read_text())["game"] == "fish"
    ann, gone = json.loads(Path("result.json").read_text())["players"]
    assert (ann["name"], ann["certified"], ann["failed"]) == ("ann", False, [])
    assert [each["case"] for each in gone["failed"]] == ["contract.reachable"]
    page = Path("out/index.html").read_text()
    assert "<script" not in page
    assert "&lt;script&gt;alert(&#39;Ann&#39;)&lt;/script&gt;" in page
    assert "default-src 'none'" in page


@pytest.mark.slow
def test_the_table_says_what_each_program_printed_last(fairplay: Run) -> None:
    programs = {"absent": "import nowhere", "syntax": "def f(:", "silent": ""}
    text = "[limits]\nstart = '60s'\n"
    for name, code in programs.items():
        Path(f"{name}.py").write_text(code)
        text += f"[[entrant]]\nname = '{name}'\nlink = \"exec:'{sys.executable}' {name}.py\"\n"
    text += f"[[entrant]]\nname = 'missing'\nlink = \"exec:'{sys.executable}' missing.py\"\n"
    text += "[[entrant]]\nname = 'python'\nlink = 'exec:python2.9 silent.py'\n"
    assert fairplay(*roster(text), "--only", "contract.reachable", "--report", "out").code == 1
    page = Path("out/index.html").read_text()
    for printed in (
        "No module named &#39;nowhere&#39; (absent.py, line 1)",
        "SyntaxError: invalid syntax (syntax.py, line 1)",
        "missing.py&#39;: [Errno 2]",
    ):
        assert page.count(printed) == 1
    assert re.search("exit code 0\n*</td>", page)  # and it has printed nothing
    assert re.search("python2.9: No such file or directory|the command cannot be started", page)


def test_who_meets_all_that_was_asked_for_is_not_called_refused(fairplay: Run) -> None:
    good = TWO.replace("exec:false", "bot:random")
    ran = fairplay(*roster(good), *FEW, "--report", "out")
    assert "2 of 2 cases asked for" in ran.out
    assert "0 of 2 players are certified for Fish. 2 meet every MUST that was tried, which were not all." in ran.out
    assert '<td class="verdict ">2 of 2 cases asked for</td>' in Path("out/index.html").read_text()


def test_certifying_some_again_keeps_the_rows_of_the_others(fairplay: Run) -> None:
    all_ = roster(TWO)
    assert fairplay(*all_, *FEW, "--report", "out").code == 1
    Path("roster.toml").write_text(TWO.replace("exec:false", "bot:first"))
    ran = fairplay("certify", "fish", "b..b", *all_[2:], *FEW, "--report", "out")
    assert (ran.code, ran.err) == (0, "")
    assert "Fish, 1 player" in ran.out
    page = Path("out/index.html").read_text()
    assert "ann.report/report.html" in page
    assert "ended with exit code 1" not in page


def test_a_page_that_cannot_be_written_is_named_with_the_reason(fairplay: Run) -> None:
    Path("out/index.html").mkdir(parents=True)
    ann = TWO[: TWO.rindex("[[entrant]]")]
    ran = fairplay(*roster(ann), "--only", "contract.reachable", "--report", "out")
    assert (ran.code, ran.err) == (1, "fairplay: cannot write out/index.html: Is a directory\n")


def test_what_makes_no_sense_is_one_sentence(fairplay: Run) -> None:
    for arguments, sentence in [
        (["bot:first"], "roster.toml lists no 'bot:first': with --roster, name entrants of it, or nobody"),
        (["--jobs", "2", "--cluster", "auto"], "--jobs is for this machine alone, --cluster for a cluster"),
        (["--when-lost", "never"], "--when-lost 'never': there are wait and end"),
        (["--gradescope", "x.json"], "--gradescope is for one player"),
        (["--junit", "x.xml"], "--junit is for one player"),
        (["--known-failures", "x.txt"], "x.txt cannot be read: No such file or directory"),
        (["--limit", "soon"], "--limit 'soon' is not a duration"),
        (["--only", "nonsense"], "ann: "),
    ]:
        ran = fairplay(*roster(TWO), *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"fairplay: {sentence}")
        assert len(ran.err.splitlines()) == 1


def test_a_player_that_dials_in_is_not_certified_on_a_cluster(fairplay: Run) -> None:
    ran = fairplay(*roster(TWO.replace("exec:false", "dial-in:x")), *FEW, "--jobs", "2")
    assert ran.code == 2
    assert "dial-in:x stays with the server that it has dialled: with --jobs and --cluster" in ran.err


def test_without_the_extra_one_sentence_says_what_to_install(fairplay: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    ran = fairplay(*roster(TWO), *FEW, "--cluster", "auto")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith("pip install 'fairplay-protocol[cluster]'\n")


def test_what_is_for_rosters_is_refused_without_one(fairplay: Run) -> None:
    others = "--cluster, --when-lost and --ship are"
    for option in ["--cluster auto", "--when-lost end", "--ship", "--at-once 2"]:
        ran = fairplay("certify", "fish", "bot:first", *option.split())
        assert ran.code == 2
        assert ran.err.startswith(f"fairplay: {'--at-once is' if '2' in option else others} for --roster")


def test_limits_of_the_roster_hold_unless_an_option_says_otherwise(fairplay: Run) -> None:
    def limits(*arguments: str) -> Any:
        text = f'{TWO.replace("exec:false", "bot:first")}[limits]\ncall = "700ms"\n'
        assert fairplay(*roster(text), "--only", "contract.reachable", "--report", "out", *arguments).code == 0
        return json.loads(Path("out/ann.report/certificate.json").read_text())["limits_ms"]["decision"]

    assert limits() == 700
    assert limits("--limit", "800ms") == 800


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_judged_and_leaves_nothing_running(tmp_path: Path) -> None:
    (tmp_path / "roster.toml").write_text(TWO.replace("exec:false", "exec:sleep 600"))
    arguments = ["certify", "fish", "--roster", "roster.toml", "--at-once", "2", "--start-limit", "1m", "--report", "o"]
    with heeding_ctrl_c():
        command = subprocess.Popen(
            [sys.executable, "-m", "fairplay.terminal", *arguments],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert command.stdout is not None
    first = command.stdout.readline()
    assert first.startswith("Fish, 2 players")
    started = psutil.Process(command.pid)
    while not sleeps(started):
        assert command.poll() is None
        time.sleep(0.05)
    running = started.children(recursive=True)
    os.kill(command.pid, signal.SIGINT)
    out, err = command.communicate(timeout=60)
    assert (command.returncode, err) == (130, "fairplay: stopped\n")
    assert "Certificates" in out
    assert (tmp_path / "o/index.html").exists()
    psutil.wait_procs(running, timeout=30)
    assert not [each for each in running if each.is_running() and each.status() != psutil.STATUS_ZOMBIE]


def sleeps(process: psutil.Process) -> bool:
    """Return whether a player of a process runs."""
    for each in process.children(recursive=True):
        with suppress(psutil.Error):  # it has ended meanwhile
            if each.cmdline()[-1:] == ["600"]:
                return True
    return False
