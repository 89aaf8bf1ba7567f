"""What surrounds a command, as another platform or a proxy, is never the fault of a player."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FAIRPLAY = Path(sys.executable).with_name("fairplay")
BOTS = ("game", "fish", "-p", "bot:first", "-p", "bot:random", "--seed", "1")
WITHOUT_LINUX = """
import asyncio, os, selectors
for name in [name for name in vars(os) if name.startswith(("sched_", "pidfd_", "eventfd", "memfd_", "splice"))]:
    delattr(os, name)
"""


def run(*arguments: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with these variables added to the environment."""
    environment = {**os.environ, **variables}
    return subprocess.run(
        [FAIRPLAY, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60
    )


def test_what_only_linux_has_is_not_needed(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_LINUX)
    ran = run(*BOTS, folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert (ran.returncode, ran.stderr) == (0, "")
