"""How long programs take: `fairplay --help`, and a call to a player of each language of examples/ that is built."""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.figures import HELP_REACH_S, Figure, Unmeasurable, figure
from tools.language_players import KIT, LANGUAGES, ROOT, Language, dialled_in

REPEATS = 7
LIMIT_S = 60.0
ADDRESSES = ("call-listen", "call-players")


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


def measure_languages() -> list[Figure]:
    """Return, for each language, the time of a call to a player that dials in at `--listen`, and at `--players`."""
    return [
        figure(name, times.milliseconds, game=f"fish, {language.folder}")
        for language in (KIT, *LANGUAGES)
        if _built(language)
        for name, times in zip(ADDRESSES, dialled_in(language.player("fish")), strict=True)
    ]


def _built(language: Language) -> bool:
    words = shlex.split(language.player("fish"))
    return all((ROOT / word).exists() for word in words if word.startswith("examples/"))
