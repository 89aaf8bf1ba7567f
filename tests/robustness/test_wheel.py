"""A wheel, built and installed in an empty environment, runs from any directory. Needs a package index and a minute."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.robustness.harness import Ran, run

ROOT = Path(__file__).resolve().parents[2]
ASKED = "FAIRPLAY_TEST_WHEEL"


def installed(directory: Path) -> Path:
    """The commands of an environment in which nothing is but what the wheel needs."""
    build = [sys.executable, "-m", "build", "--wheel", "--outdir", str(directory), str(ROOT)]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    [wheel] = directory.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", str(directory / "environment")], check=True)
    commands = directory / "environment" / "bin"
    install = [str(commands / "python"), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", str(wheel)]
    subprocess.run(install, check=True)
    return commands


@pytest.mark.skipif(os.environ.get(ASKED) != "1", reason=f"{ASKED}=1 builds and installs a wheel")
def test_a_wheel_runs_the_demo_from_any_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands, elsewhere = installed(tmp_path), tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.delenv("PYTHONPATH", raising=False)

    def fairplay(*arguments: str) -> Ran:
        return run(tmp_path, *arguments, program=[str(commands / "fairplay")])

    demo = fairplay("demo", "--records", "records", "--json", "result.json")
    assert (demo.code, demo.err) == (0, "")
    assert "Cheater" in demo.out
    verified = fairplay("records", "verify", "records")
    assert (verified.code, verified.err) == (0, "")
    assert verified.out.splitlines()[-1] == "5 records: 5 ok"
    assert fairplay("games", "fish").code == 0
