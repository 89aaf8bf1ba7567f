"""Signals for what tests start: a process inherits that its parent ignores them, as workers of the tests do."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from fairplay.games.kit.ending import ENDING


@contextmanager
def heeding_ctrl_c() -> Iterator[None]:
    """Let what is started in this block heed Ctrl-C and other signals that end it, even if the tests ignore them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_DFL) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def blocking_ctrl_c() -> Iterator[None]:
    """Block Ctrl-C for what is started in this block, as workers of Ray do."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def ignoring_ctrl_c() -> Iterator[None]:
    """Let what is started in this block ignore Ctrl-C, as what a shell starts in the background does."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
