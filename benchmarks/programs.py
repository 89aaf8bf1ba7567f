"""How long programs take to start: `fairplay --help`."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from benchmarks.figures import HELP_REACH_S, Figure, Unmeasurable, figure

REPEATS = 7
LIMIT_S = 60.0


def measure_help() -> list[Figure]:
    """Return seconds, after one start that does not count: it fills the caches of the disk and of the compiler."""
    times = [_seconds() for _ in range(REPEATS + 1)]
    return [figure("help", times[1:], HELP_REACH_S)]


def _seconds() -> float:
    script = Path(sys.executable).with_name("fairplay")
    command = [str(script)] if script.exists() else [sys.executable, "-m", "fairplay.terminal"]
    began = time.perf_counter()
    done = subprocess.run([*command, "--help"], capture_output=True, timeout=LIMIT_S, check=False)
    if done.returncode != 0:
        raise Unmeasurable(f"fairplay --help ends with exit code {done.returncode}")
    return time.perf_counter() - began
