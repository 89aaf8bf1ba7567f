"""Mutants that hold more with every game that they play, or write too much."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from fairplay.conformance.games.endings import Ending
from fairplay.conformance.zoo import case_ids
from fairplay.conformance.zoo.effects import adds
from fairplay.conformance.zoo.mutant_player import Trigger
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.conformance.zoo.program_behaviour import ProgramBehaviour
from fairplay.conformance.zoo.triggers import always, at_ending, in_decision

EACH_GAME = in_decision(1)
HOARD_BYTES = 4 * 1024 * 1024
PRINTED_CHARS = 250_000
SLEEP_S = "600"


def _hoard() -> object:
    return b"x" * HOARD_BYTES


def _thread() -> object:
    thread = threading.Thread(target=threading.Event().wait, daemon=True)
    thread.start()
    return thread


def _file() -> object:
    return Path(__file__).open("rb")


def _child() -> object:
    return subprocess.Popen([sys.executable, "-I", "-S", "-c", f"import time; time.sleep({SLEEP_S})"])


def _print() -> None:
    sys.stdout.write("x" * PRINTED_CHARS)
    sys.stdout.flush()


def _mutant(
    name: str,
    sentence: str,
    case_id: str,
    act: Callable[[], object],
    trigger: Trigger = EACH_GAME,
    related: tuple[str, ...] = (),
) -> Mutant:
    return Mutant(name, sentence, (case_id,), trigger, adds(act), related, program=ProgramBehaviour())


PROGRAMS = (
    _mutant(
        "hoards",
        "Keeps four mebibytes more with every game.",
        case_ids.GROWING_MEMORY,
        _hoard,
        related=(case_ids.GROWTH,),
    ),
    _mutant("keeps-threads", "Keeps a thread of every game.", case_ids.GROWING_THREADS, _thread),
    _mutant(
        "keeps-threads-of-lost-games",
        "Keeps a thread of every game that it is told to have lost.",
        case_ids.GROWING_THREADS,
        _thread,
        at_ending(Ending.LOST),
    ),
    _mutant(
        "keeps-files-of-won-games-open",
        "Keeps a file open of every game that it is told to have won.",
        case_ids.GROWING_FILES,
        _file,
        at_ending(Ending.WON),
    ),
    _mutant("keeps-files-open", "Keeps a file open of every game.", case_ids.GROWING_FILES, _file),
    _mutant(
        "leaves-children",
        "Leaves a process behind in every game.",
        case_ids.GROWING_PROCESSES,
        _child,
        related=(case_ids.GROWTH,),
    ),
    _mutant("prints-much", "Writes a quarter of a million characters in every call.", case_ids.OUTPUT, _print, always),
)
