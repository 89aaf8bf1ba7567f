"""How long programs take to start: `fairplay --help`."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.figures import HELP_REACH_S, Figure, Unmeasurable, figure

REPEATS = 7
LIMIT_S = 60.0


def measure_help() -> list[Figure]:
    """Return seconds, and how many times those of an empty program they are.

    One start of each does not count: it fills the caches of the disk and of the compiler.
    """
    script = Path(sys.executable).with_name("fairplay")
    command = [str(script)] if script.exists() else [sys.executable, "-m", "fairplay.terminal"]
    pairs = [(_seconds([*command, "--help"]), _seconds([sys.executable, "-c", ""])) for _ in range(REPEATS + 1)][1:]
    ratios = [taken / empty for taken, empty in pairs]
    return [figure("help", [taken for taken, _ in pairs], HELP_REACH_S), figure("help-empty", ratios)]


def _seconds(command: Sequence[str]) -> float:
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=False)
    if done.returncode != 0:
        raise Unmeasurable(f"{' '.join(command)} ends with exit code {done.returncode}")
    return time.perf_counter() - began
