"""What `--sandbox` does where there can be no sandbox, and what is said then."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fairplay.sandbox.bubblewrap import choose_mode, sandbox_environment

PLAYER = f"exec:{sys.executable} -m fairplay.terminal player fish"
MISSING = "bubblewrap is not installed: install the package bubblewrap of your system, e.g. apt install bubblewrap"


def fairplay(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command where there is no bubblewrap."""
    environment = {name: value for name, value in os.environ.items() if name != "FAIRPLAY_SANDBOX"}
    environment["PATH"] = str(Path(sys.executable).parent)
    command = [sys.executable, "-m", "fairplay.terminal", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def game(*words: str, player: str = PLAYER) -> subprocess.CompletedProcess[str]:
    return fairplay("game", "fish", "-p", player, "-p", "bot:first", "--start-limit", "60s", "--limit", "30s", *words)


def test_auto_says_once_what_is_missing_and_plays() -> None:
    ran = game()
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.count(f"programs run without a sandbox, because {MISSING}") == 1


def test_nothing_is_said_where_nothing_is_started() -> None:
    ran = game(player="bot:first")
    assert (ran.returncode, ran.stderr) == (0, "")


def test_require_refuses_and_says_what_is_missing() -> None:
    for command in [["game", "fish", "-p", PLAYER, "-p", "bot:first"], ["serve", "--allow-exec"]]:
        ran = fairplay(*command, "--sandbox", "require")
        assert (ran.returncode, ran.stderr) == (1, f"fairplay: {MISSING}\n")


def test_the_environment_says_what_auto_means() -> None:
    assert choose_mode("auto", {}) == "auto"
    assert choose_mode("auto", {"FAIRPLAY_SANDBOX": "require"}) == "require"
    assert choose_mode("off", {"FAIRPLAY_SANDBOX": "require"}) == "off"
    with pytest.raises(ValueError, match="there is no sandbox 'no'"):
        choose_mode("auto", {"FAIRPLAY_SANDBOX": "no"})


def test_a_program_in_a_sandbox_gets_only_what_is_named_of_the_environment() -> None:
    given = {"PATH": "/bin", "LC_ALL": "C", "AWS_SECRET": "x", "FAIRPLAY_TOKEN": "of the server", "HOME": "/home/me"}
    kept = sandbox_environment(given)
    assert kept.items() >= {"PATH": "/bin", "LC_ALL": "C", "HOME": "/tmp"}.items()
    assert not {"AWS_SECRET", "FAIRPLAY_TOKEN"} & kept.keys()
