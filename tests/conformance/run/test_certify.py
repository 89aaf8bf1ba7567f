"""`fairplay certify` and `fairplay certificate verify`, as typed."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as Xml

import psutil
import pytest

from fairplay.certificate import check
from fairplay.conformance.cases import cases
from fairplay.conformance.run.plan import ordered
from fairplay.games.game import find
from tests.conformance.harness import FAIRPLAY, ROOT, certify
from tests.interrupts import heeding_ctrl_c
from tests.slow import SLOW, all_but_first_slow

PLAYER = f"exec:{shlex.join(FAIRPLAY)} player fish"
PROGRAM = f"exec:{sys.executable} -m tests.conformance.program"
AMPLE = ("--limit", "30s", "--first-limit", "30s")
"""Limits that every call keeps, however busy the machine is."""


def verify(file: Path) -> subprocess.CompletedProcess[str]:
    command = [*FAIRPLAY, "certificate", "verify", str(file)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(
    "link",
    all_but_first_slow(["bot:random", f"{PLAYER} -s greedy --serve", f"{PLAYER} -s random"]),
    ids=["bot", "serves", "dials in"],
)
def test_a_player_is_certified_whichever_way_it_takes(link: str, tmp_path: Path) -> None:
    ran = certify("fish", link, "--report", str(tmp_path), "--junit", str(tmp_path / "j.xml"))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "Certified for revision 1: every MUST is met." in ran.stdout
    found = check((tmp_path / "certificate.json").read_bytes())
    assert found.certified
    assert [case.id for case in found.cases] == [case.id for case in ordered(find("fish"), cases(find("fish")))]
    assert {case.verdict for case in found.cases} == {"PASS", "NOT APPLICABLE"}
    assert Xml.parse(tmp_path / "j.xml").getroot().get("failures") == "0"
    assert verify(tmp_path / "certificate.json").returncode == 0


@pytest.mark.slow
def test_a_player_that_takes_both_ways_is_tried_in_both() -> None:
    only = ("--only", "contract.both-ways-agree", "--start-limit", "1m")
    ran = certify("fish", f"{PROGRAM}", *only)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "PASS           contract.both-ways-agree" in ran.stdout
    ran = certify("fish", f"{PROGRAM} differs", *only)
    assert ran.returncode == 1
    assert "says different things about itself when serving and when dialling in" in ran.stdout


@pytest.mark.parametrize("jobs", all_but_first_slow(["1", "2"]))
def test_fail_fast_stops_at_the_first_must_that_is_not_met(jobs: str, tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    ran = certify("fish", "exec:false", "--only", "contract,memory", "--fail-fast", "--jobs", jobs, "--json", str(file))
    assert ran.returncode == 1, ran.stderr
    certificate = check(file.read_bytes())
    assert [(each.id, each.verdict) for each in certificate.unmet if each.verdict == "FAIL"] == [
        ("contract.reachable", "FAIL")
    ]
    if jobs == "1":  # another process may have judged any number of cases by then
        assert len(certificate.cases) < len([case for case in cases(find("fish")) if case.id.startswith("contract.")])
    assert not certificate.complete


@pytest.mark.slow
def test_a_failing_player_is_told_how_to_see_it_again_and_a_known_failure_is_no_error(
    tmp_path: Path,
) -> None:
    spec = f"{PROGRAM} raises"
    only = "exceptions.whole-games"
    ran = certify("fish", spec, "--only", only, *AMPLE, "--report", str(tmp_path))
    assert ran.returncode == 1
    assert f"FAIL           {only}" in ran.stdout
    assert "RuntimeError: this player is broken" in ran.stdout
    assert "Output of the player" in ran.stdout
    again = next(line.strip() for line in ran.stdout.splitlines() if line.strip().startswith("fairplay certify"))
    assert shlex.split(again) == [
        *("fairplay", "certify", "fish", spec, "--only", only, "--seed", "1"),
        *AMPLE,
    ]
    assert verify(tmp_path / "certificate.json").returncode == 1
    known = tmp_path / "known"
    known.write_text(f"{only}\n")
    ran = certify(*shlex.split(again)[2:], "--known-failures", str(known), "--json")
    [case] = check(ran.stdout.encode()).cases
    assert (ran.returncode, case.verdict, case.known) == (0, "FAIL", True)
    assert "All of that is known: the exit code is 0." in ran.stderr


def test_what_cannot_be_tested_because_of_a_known_failure_alone_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "known").write_text("contract.reachable\n")
    command = ("fish", "exec:false", "--only", "contract", "--known-failures", str(tmp_path / "known"))
    ran = certify(*command, "--json", "--junit", str(tmp_path / "j.xml"))
    found = check(ran.stdout.encode())
    assert (ran.returncode, found.certified) == (0, False), ran.stderr
    assert len(found.unmet) > 5
    assert all(case.known for case in found.unmet)
    assert "could not be tested. All of that is known: the exit code is 0." in ran.stderr
    root = Xml.parse(tmp_path / "j.xml").getroot()
    assert (root.get("failures"), root.get("errors")) == ("0", "0")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        pytest.param("grpc://127.0.0.1:9", "nothing answered on 127.0.0.1:9", marks=SLOW),
        pytest.param("dial-in:nobody", "nobody did not dial in", marks=SLOW),
        pytest.param("exec:false", "ended with exit code 1", marks=SLOW),
        pytest.param("exec:/no/such/program", "exit code 127", marks=SLOW),
        ("exec:sleep 60", "neither served nor dialled in"),
    ],
)
def test_a_player_that_cannot_be_reached_fails_one_case_quickly(spec: str, reason: str) -> None:
    ran = certify("fish", spec, "--start-limit", "1s", "--json")
    assert ran.returncode == 1
    verdicts = {case.id: case.verdict for case in check(ran.stdout.encode()).cases}
    assert verdicts.pop("contract.reachable") == "FAIL"
    assert set(verdicts.values()) <= {"NOT TESTED", "NOT APPLICABLE"}
    assert reason in ran.stderr


def test_a_known_failure_that_passes_is_an_error(tmp_path: Path) -> None:
    known = tmp_path / "known"
    known.write_text("exceptions.whole-games\n")
    ran = certify("fish", "bot:first", "--only", "exceptions.whole-games", "--known-failures", str(known))
    assert ran.returncode == 1
    assert "exceptions.whole-games is listed as a known failure, but passes: take it off the list" in ran.stdout
    known.write_text("exceptions.whole-game\n")
    ran = certify("fish", "bot:first", "--known-failures", str(known))
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "names 'exceptions.whole-game', and there is no such case: take it off the list; did you" in ran.stderr


# --- Ctrl-C ---


def until_started(pid: int) -> list[psutil.Process]:
    """Wait until a process has started others, and return them."""
    give_up = time.monotonic() + 60
    while not (started := psutil.Process(pid).children(recursive=True)):
        assert time.monotonic() < give_up
        time.sleep(0.01)
    return started


@pytest.mark.parametrize("jobs", all_but_first_slow(["2", "1"]))
def test_ctrl_c_keeps_what_was_judged_so_far_and_leaves_no_process(jobs: str, tmp_path: Path) -> None:
    command = [*FAIRPLAY, "certify", "fish", f"{PROGRAM} hangs", "--limit", "60s", "--jobs", jobs]
    with (
        heeding_ctrl_c(),
        subprocess.Popen(
            [*command, "--report", str(tmp_path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            cwd=ROOT,
        ) as running,
    ):
        assert running.stdout is not None
        for line in running.stdout:
            if "contract.describes-itself" in line:
                break
        started = until_started(running.pid)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130, (out, err)
    assert psutil.wait_procs(started, timeout=30)[1] == []
    assert err == "fairplay: stopped\n"
    found = check((tmp_path / "certificate.json").read_bytes())
    assert not found.complete
    assert not found.certified
    assert [case.id for case in found.cases[:2]] == ["contract.reachable", "contract.describes-itself"]
    assert "the run was interrupted" in (tmp_path / "report.html").read_text()


# --- certificates ---


def test_a_file_that_is_no_certificate_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    assert verify(file).returncode == 2
    file.write_text("{}")
    ran = verify(file)
    assert (ran.returncode, ran.stderr) == (
        1,
        "fairplay: this is no certificate: its format is not fairplay-certificate/1\n",
    )


# --- pytest itself ---


def test_the_suite_is_a_suite_of_pytest(tmp_path: Path) -> None:
    command = [
        *(
            sys.executable,
            "-m",
            "pytest",
            "--pyargs",
            "fairplay.conformance.cases",
            "-p",
            "no:asyncio",
            "-q",
            "-k",
            "contract",
        ),
        *("--fairplay-game", "fish", "--fairplay-player", "bot:first", "--junitxml", str(tmp_path / "j.xml")),
        *("--fairplay-certificate", str(tmp_path / "c.json"), "-m", "must"),
    ]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    cases_of = Xml.parse(tmp_path / "j.xml").getroot().iter("testcase")
    verdicts = {case.get("name"): case.find("properties/property[@name='verdict']") for case in cases_of}
    assert verdicts["contract.reachable"] is not None
    assert verdicts["contract.reachable"].get("value") == "PASS"
    assert len(check((tmp_path / "c.json").read_bytes()).cases) >= 8


@pytest.mark.parametrize(
    ("player", "mode", "jobs"),
    [
        ("bot:random", "auto", "2"),
        pytest.param(f"{PLAYER} -s random --serve", "auto", "1", marks=SLOW),
        pytest.param(f"{PLAYER} -s random --serve", "off", "1", marks=SLOW),
    ],
    ids=["bot", "exec", "exec without a sandbox"],
)
def test_the_command_does_without_pytest_and_leaves_nothing_in_the_current_folder(
    player: str, mode: str, jobs: str, tmp_path: Path
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "notes.txt").write_text("what was there before")
    before = sorted(tmp_path.rglob("*"))
    code = "import sys; sys.modules['pytest'] = None\nfrom fairplay.terminal import main\nmain()"
    only = ("--only", "contract,memory.early-end,identity.ends", "--jobs", jobs)
    command = [sys.executable, "-c", code, "certify", "fish", player, *only, "--sandbox", mode]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False, cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert sorted(tmp_path.rglob("*")) == before
