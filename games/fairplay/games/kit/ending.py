"""The end of a program by a signal: Ctrl-C, a closed terminal, or whatever else ends services and containers."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)]


class Ended(KeyboardInterrupt):
    """A signal has asked the program to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def exit_code(interrupt: KeyboardInterrupt) -> int:
    """Return the exit code of a program that was interrupted, as shells count: 128 and the number of the signal."""
    return 128 + getattr(interrupt, "number", signal.SIGINT)


@contextmanager
def on_end(react: Callable[[int], object]) -> Iterator[None]:
    """Call `react` with the number of the first signal that asks this program to end.

    Those that follow are ignored until the program has ended: they would interrupt its cleanup. A signal that was
    ignored when the program was started goes on being ignored. To be used in the main thread.
    """
    before = {number: signal.getsignal(number) for number in ENDING}
    handled = [number for number, handler in before.items() if handler is not signal.SIG_IGN]

    def end(number: int, frame: object) -> None:
        for each in handled:
            signal.signal(each, signal.SIG_IGN)
        react(number)

    for number in handled:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in handled:
            if signal.getsignal(number) is end:  # otherwise the program ends
                signal.signal(number, before[number])


def stop(number: int) -> None:
    """Raise Ended: the reaction of a program that waits nowhere else."""
    raise Ended(number)
